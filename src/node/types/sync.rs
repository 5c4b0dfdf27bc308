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
    /// Paths, relative to the root, or their last parts, to look at first: whole ones even before the listing, also while another call syncs.
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
    /// Milliseconds by stage: list (with the facts of each file), read, hash, rules, parse, terms, pack, insert, commit, total. Stages on several threads count the time of all.
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

/// Which paths of one rule are asked for.
#[napi(object, object_to_js = false)]
pub struct FilesOptions {
    /// The id of the rule to tell of, alone: of its paths the next 1,000, sorted.
    pub rule: Option<String>,
    /// The last path of the page before; default: the first page. Only with `rule`.
    pub after: Option<String>,
}

/// The files of a project: those indexed by language, those left out by rule.
#[napi(object, object_from_js = false)]
pub struct Files {
    /// Most files first.
    pub languages: Vec<LanguageFiles>,
    /// By rule id.
    pub excluded: Vec<ExcludedFiles>,
    /// What could not be looked at.
    pub unreadable: Vec<Unreadable>,
    /// The number of names at which a walk stopped.
    pub cut_at: Option<f64>,
}

/// The indexed files in one language.
#[napi(object, object_from_js = false)]
pub struct LanguageFiles {
    /// Absent for files of no known language.
    pub language: Option<String>,
    /// How many.
    pub files: f64,
    /// Lines of all.
    pub lines: f64,
    /// Declarations in all.
    pub symbols: f64,
    /// Bytes of the indexed text.
    pub bytes: f64,
}

/// What one rule leaves out.
#[napi(object, object_from_js = false)]
pub struct ExcludedFiles {
    /// The rule's id.
    pub rule: String,
    /// What it keeps out, in a few words.
    pub summary: String,
    /// Names left out; a folder that was not looked into counts as its tracked files, or as one.
    pub files: f64,
    /// The first paths, at most 100, or the page that was asked for; a folder stands for what is in it.
    pub paths: Vec<String>,
}

/// Why a path is in the index, or is not.
#[napi(object, object_from_js = false)]
pub struct PathExplanation {
    /// Relative to the root.
    pub path: String,
    /// `pending`: it belongs to the project and no sync has come to it yet.
    #[napi(ts_type = "'indexed' | 'excluded' | 'pending' | 'absent'")]
    pub state: String,
    /// In words.
    pub reason: String,
    /// The id of the rule that keeps it out.
    pub rule: Option<String>,
    /// SHA-256 of the indexed bytes, hexadecimal. This and what follows is there for an indexed file alone.
    pub hash: Option<String>,
    /// The language's label.
    pub language: Option<String>,
    /// Lines of its text.
    pub lines: Option<u32>,
    /// Whether it is in Git's index.
    pub tracked: Option<bool>,
    /// Whether a marker says that it is generated.
    pub generated: Option<bool>,
    /// Milliseconds since the epoch.
    pub indexed_at: Option<f64>,
}
