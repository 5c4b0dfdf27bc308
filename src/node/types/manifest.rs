//! The record of an answer, and what is added to it later.

use std::collections::BTreeMap;

use napi_derive::napi;

use super::open::Revision;
use super::semantic::SemanticRecord;

/// What became of an answer's messages after it was given.
#[napi(object, object_to_js = false)]
pub struct Amendment {
    /// Messages that were taken out of the conversation.
    pub removed: Option<Vec<RemovedBlock>>,
    /// What the checks of serialized requests did since the last amendment: it is added to what the manifest has.
    pub gate: Option<GateCounts>,
    /// Why the answer was not used after all, as a code: the manifest's mode becomes `fallback`.
    pub fallback: Option<String>,
}

/// A message that a rule took out of the conversation.
#[napi(object)]
pub struct RemovedBlock {
    /// The id of its snippet.
    pub snippet_id: String,
    /// Relative to the root.
    pub path: String,
    /// The class of its text when it was proven.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only'")]
    pub classification: String,
    /// `destination`, `trust`, `unproven`, `forgotten`, `budget`, or `revoked:`, `gate:` or `fallback:` and what forbids it.
    pub reason: String,
}

/// What the checks of serialized requests did.
#[napi(object)]
pub struct GateCounts {
    /// Requests that held messages of ours.
    pub requests: f64,
    /// Messages found in them.
    pub blocks: f64,
    /// Messages taken out.
    pub removed: f64,
    /// Checks that could not be done: all messages were taken out, or the request was emptied.
    pub failures: f64,
}

/// What the provider reported for the request that a manifest describes, in tokens.
#[napi(object, object_to_js = false)]
pub struct Usage {
    /// Input that was not cached.
    pub input_tokens: f64,
    /// Input read from the provider's cache.
    pub cache_read_tokens: Option<f64>,
    /// Input written to the provider's cache.
    pub cache_write_tokens: Option<f64>,
    /// The reply.
    pub output_tokens: Option<f64>,
}

/// The record of one answer: metadata only, never source or request text.
#[napi(object, object_from_js = false)]
pub struct Manifest {
    /// The version of this form.
    pub schema_version: u32,
    /// Distinct for each answer.
    pub id: String,
    /// Whether the reply's usage has arrived.
    #[napi(ts_type = "'pending' | 'completed'")]
    pub status: String,
    /// The version of this package.
    pub engine_version: String,
    /// The version of the rules, scores and budgets that decided.
    pub policy_version: Option<u32>,
    /// Milliseconds since the epoch.
    pub created_at: f64,
    /// The host's session.
    pub session_id: Option<String>,
    /// The leaf of the session's branch.
    pub branch_leaf: Option<String>,
    /// The provider asked.
    pub provider: Option<String>,
    /// The model asked.
    pub model: Option<String>,
    /// Tokens.
    pub context_window: Option<f64>,
    /// Where the answer goes.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: String,
    /// Tokens that the messages might cost.
    pub budget_tokens: f64,
    /// The model's tokens per estimated token that the estimates of this answer were multiplied by.
    pub calibration: f64,
    /// Tokens of the messages, estimated and calibrated.
    pub estimated_tokens: f64,
    /// The model's own count of its whole input, once known.
    pub actual_tokens: Option<f64>,
    /// SHA-256 of the request's text.
    pub prompt_hash: String,
    /// `fallback` offers nothing; `modeReason` says why.
    #[napi(ts_type = "'managed' | 'observer' | 'fallback'")]
    pub mode: String,
    /// Why the mode is `fallback`.
    pub mode_reason: Option<String>,
    /// Who trusts the project.
    #[napi(ts_type = "'host' | 'command line' | 'api'")]
    pub trust_source: Option<String>,
    /// How much of the project the index knew.
    pub completeness: Completeness,
    /// What was offered.
    pub included: Vec<ManifestItem>,
    /// What was close, at most 200.
    pub excluded: Vec<ManifestItem>,
    /// What was close beyond those, counted by reason code.
    pub excluded_more: BTreeMap<String, f64>,
    /// Messages that left the conversation since the answer before, the newest 200.
    pub removed: Vec<RemovedBlock>,
    /// What the checks of serialized requests did.
    pub gate: GateCounts,
    /// Where the offered snippets stand.
    pub project_snippets: Vec<SnippetReference>,
    /// Absent unless the project is open.
    pub project_revision: Option<Revision>,
    /// What closeness in meaning added; absent where it is switched off, or the request names what it wants.
    pub semantic: Option<SemanticRecord>,
    /// Milliseconds by stage.
    pub timings: BTreeMap<String, f64>,
}

/// How much of the project the index knew.
#[napi(object, object_from_js = false)]
pub struct Completeness {
    /// Whether every listed file had been looked at, and no deadline shortened the answer.
    pub complete: bool,
    /// Files that the last listing named.
    pub listed: f64,
    /// Files that the index holds or has refused.
    pub looked: f64,
    /// Why it is not complete.
    pub reason: Option<String>,
}

/// A snippet that was offered, or was close.
#[napi(object, object_from_js = false)]
pub struct ManifestItem {
    /// Always `project`.
    pub kind: String,
    /// `project:` and the snippet's id.
    pub source_id: String,
    /// Always `user`.
    pub role: String,
    /// The atomic group: each snippet is its own.
    pub group_id: String,
    /// Relative to the root; absent in a manifest of an older version, like the lines.
    pub path: Option<String>,
    /// 1-based.
    pub start_line: Option<u32>,
    /// Inclusive.
    pub end_line: Option<u32>,
    /// Higher is better.
    pub score: f64,
    /// Estimated tokens.
    pub tokens: f64,
    /// The class of its text; `unknown` for an excluded one whose file was not read.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only' | 'unknown'")]
    pub classification: String,
    /// Stable codes.
    pub reasons: Vec<String>,
}

/// Where an offered snippet stands.
#[napi(object, object_from_js = false)]
pub struct SnippetReference {
    /// Its id.
    pub snippet_id: String,
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal.
    pub hash: String,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// Higher is better.
    pub score: f64,
    /// Whether the file differs from the revision.
    pub modified: bool,
    /// The commit at HEAD.
    pub git_commit: Option<String>,
}
