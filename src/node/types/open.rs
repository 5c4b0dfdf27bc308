//! Opening a project, its state, and stored indexes.

use std::collections::HashMap;

use napi_derive::napi;

use super::semantic::{SemanticOptions, SemanticStatus};
use super::sync::SyncReport;

/// How to open a project.
#[napi(object, object_to_js = false)]
pub struct OpenOptions<'env> {
    /// The project's directory; its canonical form is the project.
    pub path: String,
    /// Whether the host or the user trusts it. Anything but `true` leaves it untouched.
    pub trusted: bool,
    /// Who said so: `host` (the host program's answer), `command line` (the user named the path), `api` (the caller's word, the default).
    #[napi(ts_type = "'host' | 'command line' | 'api'")]
    pub trust_source: Option<String>,
    /// Where indexes are kept, one file per project, never inside a project; default: the user's data directory.
    pub data_directory: Option<String>,
    /// `false` where the user's settings turn project knowledge off: nothing of the project is touched, and its status is `disabled`; default true.
    pub enabled: Option<bool>,
    /// What becomes of a file that holds a secret: it is kept out (`exclude`, the default), or a marker stands in place of the secret (`redact`).
    #[napi(ts_type = "'exclude' | 'redact'")]
    pub secrets: Option<String>,
    /// What to keep out, tracked or not: patterns in the syntax of `.gitignore`, relative to the root.
    pub exclude: Option<Vec<String>>,
    /// What to take in although Git ignores it or a folder's name keeps it out (`node_modules`, `dist`, ...): patterns in the same syntax.
    ///
    /// A pattern without a `/` finds names in folders that are looked into anyway; one with a `/` leads into those that it names. It never brings back
    /// credentials, secrets, links, other repositories, `.git`, or what `.agentignore` files or `exclude` keep out. Widens what is read, so take it from
    /// the user alone, never from a project's own files.
    pub include: Option<Vec<String>>,
    /// The user's own endings, a language by extension, such as `{ "inc": "php" }`. Takes effect at the next sync, for the files concerned.
    pub languages: Option<HashMap<String, String>>,
    /// Bounds; each has a default.
    pub bounds: Option<Bounds>,
    /// Whether past commits of the branch are remembered and say which files a request may be about; default true. `false` forgets them at the next sync.
    pub commits: Option<bool>,
    /// How closeness in meaning is found; without it the words of a request decide alone.
    pub semantic: Option<SemanticOptions<'env>>,
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
    #[napi(ts_type = "'untrusted' | 'disabled' | 'refused' | 'indexing' | 'partial' | 'ready' | 'failed'")]
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
    /// What this platform can't guarantee of reads and of the index, in sentences; empty where every guarantee holds.
    pub limitations: Vec<String>,
    /// The vectors; absent unless `semantic` was given.
    pub semantic: Option<SemanticStatus>,
}

/// An index on disk.
#[napi(object, object_from_js = false)]
pub struct StoreFile {
    /// The file's absolute path.
    pub path: String,
    /// Bytes of it, its side files and what was set aside of it as damaged.
    pub bytes: f64,
}

/// An index in a data directory.
#[napi(object, object_from_js = false)]
pub struct StoredIndex {
    /// The project's canonical path.
    pub project: String,
    /// The file's absolute path.
    pub path: String,
    /// Bytes of it, its side files and what was set aside of it as damaged.
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
