//! Requests, answers, proof and reads.

use napi::bindgen_prelude::Object;
use napi_derive::napi;

use super::manifest::Manifest;

/// A quoted range that a conversation holds.
#[napi(object)]
pub struct HeldSnippet {
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes at that time, hexadecimal.
    pub hash: String,
    /// 1-based.
    pub start_line: f64,
    /// Inclusive.
    pub end_line: f64,
}

/// The model that an answer is for.
#[napi(object, object_to_js = false)]
pub struct Model {
    /// The provider's name.
    pub provider: String,
    /// The model's name.
    pub id: String,
    /// Tokens.
    pub context_window: Option<f64>,
}

/// A request with what decides over its answer.
#[napi(object, object_to_js = false)]
pub struct RetrieveRequest<'env> {
    /// The user's request; the first 20,000 characters count.
    pub text: String,
    /// The host's session.
    pub session_id: Option<String>,
    /// The leaf of the session's branch.
    pub branch_leaf: Option<String>,
    /// The model that is asked.
    pub model: Option<Model>,
    /// Where the answer goes; default `remote`.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: Option<String>,
    /// Which classes of text a remote destination may have.
    pub privacy: Option<Privacy>,
    /// Snippets, at most; 1 to 100, default 8.
    pub max_results: Option<f64>,
    /// Tokens of all messages, at most; default 20,000. The model's window lowers it: up to 40,000 tokens 4,000, up to 131,072 12,000, up to 262,144 20,000.
    pub max_tokens: Option<f64>,
    /// Tokens that the conversation has room for.
    pub room_tokens: Option<f64>,
    /// The model's tokens per estimated token, 0.5 to 2.0; default 1.
    pub calibration: Option<f64>,
    /// What the conversation already holds: not repeated while unchanged.
    pub held: Option<Vec<HeldSnippet>>,
    /// `managed` hands out messages (default), `observer` only plans and records.
    #[napi(ts_type = "'managed' | 'observer'")]
    pub mode: Option<String>,
    /// Whether the manifest stays in memory: for a session that is not stored either. Default false.
    pub ephemeral: Option<bool>,
    /// Whether to say what each feature adds to each file that was looked at; default `false`.
    pub explain: Option<bool>,
    /// Answer after this many milliseconds with what is found by then; the manifest says so.
    pub deadline_ms: Option<f64>,
    /// Stops the call; it rejects with `E_CANCELLED`.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<Object<'env>>,
}

/// Which classes of text, as `[ds4:…]` markers in files set them, a remote destination may have. A local one may have all.
#[napi(object, object_to_js = false)]
pub struct Privacy {
    /// Whether classes decide; default `false`: they are recorded, and keep nothing back.
    pub enabled: Option<bool>,
    /// The classes; default `normal` and `internal`. `local-only` is refused: it never leaves for a remote destination.
    #[napi(ts_type = "('normal' | 'internal' | 'sensitive')[]")]
    pub remote_allow: Option<Vec<String>>,
}

/// A message to be checked before it leaves.
#[napi(object, object_to_js = false)]
pub struct BlockToCheck {
    /// The whole text of the message.
    pub text: String,
    /// The class of its snippet when it was proven; default `normal`.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only'")]
    pub classification: Option<String>,
}

/// Whether a message may leave.
#[napi(object, object_from_js = false)]
pub struct BlockVerdict {
    /// Whether it may.
    pub allowed: bool,
    /// What forbids it: the id of a rule, `privacy` for its class, `form` if it does not read as a message.
    pub rule: Option<String>,
}

/// The answer to a request.
#[napi(object, object_from_js = false)]
pub struct Retrieval {
    /// In rank order; empty without evidence.
    pub messages: Vec<PromptMessage>,
    /// What was offered and why; metadata only.
    pub manifest: Manifest,
    /// The files that were looked at, best first; empty unless `explain` was set.
    pub explained: Vec<ExplainedFile>,
    /// Files that were read: those that are quoted, and those that had to be looked into for it.
    pub files_read: f64,
}

/// Why a file stands where it stands: its score is the sum of its shares times the factor, as a part of the best file's.
/// Names that the request gives stand before all scores, and are not among the shares.
#[napi(object, object_from_js = false)]
pub struct ExplainedFile {
    /// Relative to the root.
    pub path: String,
    /// From 0 to 1.
    pub score: f64,
    /// What its role, such as test or documentation, makes of the sum.
    pub factor: f64,
    /// By feature.
    pub shares: Vec<FeatureShare>,
}

/// What one feature adds.
#[napi(object, object_from_js = false)]
pub struct FeatureShare {
    /// Such as `windows`, `path_coverage` or `commits`; `docs/retrieval.md` explains each.
    pub feature: String,
    /// From 0 to 1.
    pub value: f64,
    /// Value times weight.
    pub points: f64,
}

/// The text of one user-role message, with what it quotes.
#[napi(object, object_from_js = false)]
pub struct PromptMessage {
    /// The whole text.
    pub text: String,
    /// Its estimated tokens, calibrated.
    pub tokens: f64,
    /// What it quotes; absent for a note that quotes nothing.
    pub snippet: Option<Snippet>,
    /// What it points to, in a note on what the conversation holds already: the note is true for as long as the conversation holds all of it.
    pub refers_to: Option<Vec<HeldSnippet>>,
}

/// A quotation that was read, hashed and cut from the live file.
#[napi(object, object_from_js = false)]
pub struct Snippet {
    /// SHA-256, hexadecimal: of the symbol's id and the lines, or of project, path, file hash and lines.
    pub snippet_id: String,
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal.
    pub hash: String,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// Higher is better; comparable within one answer.
    pub score: f64,
    /// Why it was taken, in a few words each.
    pub reasons: Vec<String>,
    /// The qualified name of the declaration that it shows.
    pub symbol: Option<String>,
    /// The highest class of any marked span of the file that the lines touch.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only'")]
    pub classification: String,
}

/// What to prove again after tools may have changed files.
#[napi(object, object_to_js = false)]
pub struct RecheckRequest<'env> {
    /// The request that the snippets answered.
    pub text: String,
    /// What was quoted for it.
    pub snippets: Vec<QuotedSnippet>,
    /// Tokens that the new quotations may cost; default 4,000.
    pub max_tokens: Option<f64>,
    /// The model's tokens per estimated token, 0.5 to 2.0; default 1.
    pub calibration: Option<f64>,
    /// Where the snippets go; default `remote`.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: Option<String>,
    /// Which classes of text a remote destination may have. What it may not have is revoked.
    pub privacy: Option<Privacy>,
    /// Answer after this many milliseconds with what is proven by then.
    pub deadline_ms: Option<f64>,
    /// Stops the call; it rejects with `E_CANCELLED`.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<Object<'env>>,
}

/// A snippet as it was quoted.
#[napi(object, object_to_js = false)]
pub struct QuotedSnippet {
    /// Its id.
    pub snippet_id: String,
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes at that time, hexadecimal.
    pub hash: String,
    /// 1-based.
    pub start_line: f64,
    /// Inclusive.
    pub end_line: f64,
    /// The qualified name of the declaration that it showed: it is found again where the lines have moved.
    pub symbol: Option<String>,
}

/// What became of quoted snippets.
#[napi(object, object_from_js = false)]
pub struct RecheckResult {
    /// Files whose bytes changed.
    pub changed: Vec<ChangedFile>,
    /// Snippets that may no longer be shown at all.
    pub revoked: Vec<RevokedSnippet>,
    /// The note to append after the last tool result, and new proven snippets; empty if nothing changed.
    pub messages: Vec<PromptMessage>,
}

/// A file whose bytes changed after it was quoted.
#[napi(object, object_from_js = false)]
pub struct ChangedFile {
    /// Relative to the root.
    pub path: String,
    /// SHA-256 as quoted.
    pub old_hash: String,
    /// SHA-256 now; absent if the file is gone.
    pub new_hash: Option<String>,
}

/// A snippet that a rule now keeps out.
#[napi(object, object_from_js = false)]
pub struct RevokedSnippet {
    /// Its id.
    pub snippet_id: String,
    /// Relative to the root.
    pub path: String,
    /// The id of the rule, or `privacy` for its class.
    pub rule: String,
    /// The class that forbids it, for `privacy`.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only'")]
    pub classification: Option<String>,
}

/// An explicit search.
#[napi(object, object_to_js = false)]
pub struct SearchRequest<'env> {
    /// What to look for.
    pub text: String,
    /// Hits, at most; 1 to 100, default 8.
    pub max_results: Option<f64>,
    /// Tokens of all texts, at most; default 20,000.
    pub max_tokens: Option<f64>,
    /// Where the hits go; default `remote`.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: Option<String>,
    /// Which classes of text a remote destination may have.
    pub privacy: Option<Privacy>,
    /// Answer after this many milliseconds with what is found by then.
    pub deadline_ms: Option<f64>,
    /// Stops the call; it rejects with `E_CANCELLED`.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<Object<'env>>,
}

/// A proven hit with its text.
#[napi(object, object_from_js = false)]
pub struct SearchHit {
    /// What is shown.
    pub snippet: Snippet,
    /// The exact lines.
    pub text: String,
    /// Estimated tokens of the text.
    pub tokens: f64,
    /// The message that quotes it, for a model.
    pub message: String,
}

/// Which lines to read.
#[napi(object, object_to_js = false)]
pub struct ReadRequest {
    /// Relative to the root.
    pub path: String,
    /// 1-based; default the first.
    pub start_line: Option<f64>,
    /// Inclusive; default the last.
    pub end_line: Option<f64>,
    /// Reject with `E_CHANGED` unless the file has this SHA-256.
    pub expected_hash: Option<String>,
    /// Where the lines go; default `remote`.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: Option<String>,
    /// Which classes of text a remote destination may have; lines above them reject with `E_EXCLUDED`.
    pub privacy: Option<Privacy>,
}

/// Lines of a file as they are on disk now.
#[napi(object, object_from_js = false)]
pub struct ReadResult {
    /// SHA-256, hexadecimal, of project, path, file hash and lines.
    pub snippet_id: String,
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal.
    pub hash: String,
    /// 1-based; 0 for an empty file.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// Lines of the whole file.
    pub total_lines: u32,
    /// The lines without the last one's line end.
    pub text: String,
    /// The message that quotes them, for a model.
    pub message: String,
    /// The highest class of any marked span of the file that the lines touch.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only'")]
    pub classification: String,
}

/// One request's input in tokens, for the calibration of its model.
#[napi(object, object_to_js = false)]
pub struct TokenSample {
    /// As `countTokens` estimates it.
    pub estimated: f64,
    /// As the model counted it, with what came from its cache.
    pub actual: f64,
}

/// What bounds the project text of a conversation.
#[napi(object, object_from_js = false)]
pub struct TokenLimits {
    /// Tokens of all project text together, at most.
    pub project_tokens: f64,
    /// Tokens to leave free for the model's answer; absent without a window.
    pub output_reserve: Option<f64>,
    /// The model's tokens per estimated token: the median of its newest `samples` samples, 0.5 to 2.0; 1 for fewer than three.
    pub calibration: f64,
    /// Samples of a model that are looked at, the newest.
    pub samples: f64,
}
