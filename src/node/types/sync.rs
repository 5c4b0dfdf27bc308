//! Syncs and what they did.

use std::collections::BTreeMap;

use napi::bindgen_prelude::{Function, Object};
use napi_derive::napi;

use super::open::Progress;

/// How to sync.
#[napi(object, object_to_js = false)]
pub struct SyncOptions<'env> {
    /// Read every file again.
    pub force: Option<bool>,
    /// Paths to look at first, relative to the root.
    pub first: Option<Vec<String>>,
    /// Stop after this many milliseconds and keep what is done; the report then says `complete: false`.
    pub deadline_ms: Option<f64>,
    /// Called with the newest state, at most one call at a time; what it throws is ignored; it never keeps the process alive.
    #[napi(ts_type = "(progress: Progress) => void")]
    pub on_progress: Option<Function<'env, Progress, ()>>,
    /// Stops the sync; it rejects with `E_CANCELLED`, and what was written stands.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<Object<'env>>,
}

/// What a sync did.
#[napi(object, object_from_js = false)]
pub struct SyncReport {
    /// Whether every listed file was looked at and written.
    pub complete: bool,
    /// Why it is not complete.
    pub incomplete_reason: Option<String>,
    /// From Git's index and ignore rules, or by a walk.
    #[napi(ts_type = "'git' | 'walk'")]
    pub source: String,
    /// Why Git was not used although a repository is there.
    pub git_problem: Option<String>,
    /// Files listed for reading.
    pub listed: f64,
    /// Files read and indexed.
    pub indexed: f64,
    /// Of those, files whose parse was reused from an equal content.
    pub reused: f64,
    /// Files left alone, as nothing about them changed.
    pub unchanged: f64,
    /// Files that are gone or now excluded.
    pub removed: f64,
    /// Listed names kept out, counted by rule id.
    pub excluded: BTreeMap<String, f64>,
    /// What could not be looked at.
    pub unreadable: Vec<Unreadable>,
    /// Bytes read.
    pub bytes_read: f64,
    /// The number of names at which a walk stopped.
    pub cut_at: Option<f64>,
    /// Milliseconds by stage: list, read, parse, terms, write, total. Stages on several threads count the time of all.
    pub timings: BTreeMap<String, f64>,
}

/// A place that could not be looked at.
#[napi(object, object_from_js = false)]
pub struct Unreadable {
    /// Relative to the root.
    pub path: String,
    /// Why.
    pub reason: String,
}
