//! The plain objects that cross the boundary, with their documentation.

use std::collections::BTreeMap;

use napi::bindgen_prelude::{Function, Object};
use napi_derive::napi;

/// How to open a project.
#[napi(object, object_to_js = false)]
pub struct OpenOptions {
    /// The project's directory; its canonical form is the project.
    pub path: String,
    /// Whether the host or the user trusts it. Anything but `true` leaves it untouched.
    pub trusted: bool,
    /// Who said so: `host` (the host program's answer), `command line` (the user named the path), `api` (the caller's word, the default).
    #[napi(ts_type = "'host' | 'command line' | 'api'")]
    pub trust_source: Option<String>,
    /// Where indexes are kept, one file per project, never inside a project; default: the user's data directory.
    pub data_directory: Option<String>,
    /// What becomes of a file that holds a secret: it is kept out (`exclude`, the default), or a marker stands in place of the secret (`redact`).
    #[napi(ts_type = "'exclude' | 'redact'")]
    pub secrets: Option<String>,
    /// What to keep out, tracked or not: patterns in the syntax of `.gitignore`, relative to the root.
    pub exclude: Option<Vec<String>>,
    /// Bounds; each has a default.
    pub bounds: Option<Bounds>,
    /// Whether past commits of the branch are remembered and say which files a request may be about; default true. `false` forgets them at the next sync.
    pub commits: Option<bool>,
}

/// What bounds the index of a project.
#[napi(object, object_to_js = false)]
pub struct Bounds {
    /// Files that are read; 1 to 1,000,000, default 10,000.
    pub max_files: Option<f64>,
    /// Bytes of one file; 0 to 10,000,000, default 512,000.
    pub max_file_bytes: Option<f64>,
    /// Bytes of all accepted files; default 50,000,000.
    pub max_total_bytes: Option<f64>,
    /// Directories that a walk visits; 1 to 1,000,000, default 10,000.
    pub max_directories: Option<f64>,
    /// Threads that read and parse; 1 to 64, default half of the cores.
    pub threads: Option<f64>,
}

/// The state of a project.
#[napi(object, object_from_js = false)]
pub struct Status {
    /// `ready` and `partial` answer; `indexing` answers from what is there; the others answer nothing.
    #[napi(ts_type = "'untrusted' | 'refused' | 'indexing' | 'partial' | 'ready' | 'failed'")]
    pub status: String,
    /// Why it is refused, partial or failed; why Git or an earlier index could not be used.
    pub reasons: Vec<String>,
    /// Who trusts it.
    #[napi(ts_type = "'host' | 'command line' | 'api'")]
    pub trust_source: Option<String>,
    /// Absent unless the project is open.
    pub revision: Option<Revision>,
    /// Sizes of the index.
    pub counts: Option<Counts>,
    /// The sync under way.
    pub progress: Option<Progress>,
    /// What the last sync of this handle did.
    pub last_sync: Option<SyncReport>,
    /// The index file.
    pub store: Option<StoreFile>,
}

/// An index on disk.
#[napi(object, object_from_js = false)]
pub struct StoreFile {
    /// The file's absolute path.
    pub path: String,
    /// Bytes of it and its side files.
    pub bytes: f64,
}

/// An index in a data directory.
#[napi(object, object_from_js = false)]
pub struct StoredIndex {
    /// The project's canonical path.
    pub project: String,
    /// The file's absolute path.
    pub path: String,
    /// Bytes of it and its side files.
    pub bytes: f64,
    /// Milliseconds since the epoch; 0 if it was never filled.
    pub indexed_at: f64,
    /// Whether nothing stands at the project's path any more.
    pub orphaned: bool,
}

/// Sizes of an index.
#[napi(object, object_from_js = false)]
pub struct Counts {
    /// Files indexed.
    pub files: f64,
    /// Files that a rule refused by their content.
    pub refused: f64,
    /// Files gone or replaced, of which only metadata is kept.
    pub stale_files: f64,
    /// Chunks indexed.
    pub chunks: f64,
    /// Declarations indexed.
    pub symbols: f64,
    /// Bytes of the indexed text.
    pub text_bytes: f64,
}

/// How far a sync has come.
#[napi(object, object_from_js = false)]
pub struct Progress {
    /// Files looked at.
    pub done: f64,
    /// Files listed.
    pub total: f64,
}

/// The state of the project that an index or an answer saw.
#[napi(object, object_from_js = false)]
pub struct Revision {
    /// The canonical path.
    pub project_path: String,
    /// The top of the Git work tree.
    pub git_root: Option<String>,
    /// The branch; absent when detached or unknown.
    pub branch: Option<String>,
    /// The commit at HEAD, hexadecimal; absent without one.
    pub head: Option<String>,
    /// Whether tracked files differ from the index by stat, or untracked ones are there.
    pub dirty: bool,
    /// Those files, at most 1,000.
    pub changed_paths: Vec<String>,
    /// Milliseconds since the epoch; 0 before the first sync.
    pub indexed_at: f64,
}

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

/// A quoted range that a conversation holds.
#[napi(object, object_to_js = false)]
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

/// What became of an answer's messages after it was given.
#[napi(object, object_to_js = false)]
pub struct Amendment {
    /// Messages that were taken out of the conversation.
    pub removed: Option<Vec<RemovedBlock>>,
    /// What the checks of serialized requests did since the last amendment: it is added to what the manifest has.
    pub gate: Option<GateCounts>,
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
    /// `destination`, `trust`, `unproven`, or `revoked:` or `gate:` and what forbids it.
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

/// The answer to a request.
#[napi(object, object_from_js = false)]
pub struct Retrieval {
    /// In rank order; empty without evidence.
    pub messages: Vec<PromptMessage>,
    /// What was offered and why; metadata only.
    pub manifest: Manifest,
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
}

/// Lines of a file as they are on disk now.
#[napi(object, object_from_js = false)]
pub struct ReadResult {
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
    /// The highest class of any marked span of the file that the lines touch.
    #[napi(ts_type = "'normal' | 'internal' | 'sensitive' | 'local-only'")]
    pub classification: String,
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

/// The declarations of a file or text.
#[napi(object, object_from_js = false)]
pub struct Outline {
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal; of a text, of its UTF-8 bytes.
    pub hash: String,
    /// The language's label; absent for a file of no known language.
    pub language: Option<String>,
    /// The parser and its version.
    pub parser: String,
    /// What is imported, as written.
    pub imports: Vec<String>,
    /// In order of their start.
    pub symbols: Vec<SymbolInfo>,
}

/// A declaration.
#[napi(object, object_from_js = false)]
pub struct SymbolInfo {
    /// Such as `class`, `function`, `method`, `constant`.
    pub kind: String,
    /// The simple name.
    pub name: String,
    /// The names of the enclosing declarations and its own, joined by `.`.
    pub qualified_name: String,
    /// The qualified name of the enclosing declaration; in an outline only.
    pub parent: Option<String>,
    /// The declaration up to its body, white space collapsed, at most 500 characters.
    pub signature: String,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// Where its doc comment starts.
    pub doc_start_line: Option<u32>,
    /// Whether other files can name it.
    pub exported: bool,
    /// Names that it calls or uses as types, at most 64.
    pub references: Vec<String>,
}

/// A declaration with its place.
#[napi(object, object_from_js = false)]
pub struct Definition {
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal.
    pub hash: String,
    /// What is declared.
    pub symbol: SymbolInfo,
}

/// What a request is about.
#[napi(object, object_from_js = false)]
pub struct TaskDescriptor {
    /// `empty`: nothing to look for. `lookup`: asks for a place by name. `question`: short. `report`: several sentences, a trace, code.
    #[napi(ts_type = "'empty' | 'lookup' | 'question' | 'report'")]
    pub kind: String,
    /// The first line, at most 500 characters.
    pub title: String,
    /// Files named, in order.
    pub files: Vec<FileMention>,
    /// Names that are certainly identifiers.
    pub symbols: Vec<String>,
    /// Error codes.
    pub errors: Vec<String>,
    /// Quoted phrases of two or more words.
    pub phrases: Vec<String>,
    /// Names of technologies: weak evidence.
    pub technologies: Vec<String>,
    /// The words left, weightiest first.
    pub keywords: Vec<Keyword>,
}

/// A file that a request names.
#[napi(object, object_from_js = false)]
pub struct FileMention {
    /// With forward slashes.
    pub path: String,
    /// The line named with it.
    pub line: Option<u32>,
}

/// A word to search for.
#[napi(object, object_from_js = false)]
pub struct Keyword {
    /// The folded term, as the index holds it.
    pub term: String,
    /// How much it counts in the request.
    pub weight: f64,
}
