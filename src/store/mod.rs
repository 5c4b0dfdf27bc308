//! The projection in SQLite: rows and transactions, no ranking and no policy. Disposable: dropping the file loses nothing.

mod commits;
mod content;
mod housekeeping;
mod lock;
mod manifests;
mod open;
mod packed;
mod parses;
mod postings;
mod read_only;
mod reader;
mod schema;
mod vectors;
mod writer;

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use rusqlite::Connection;

use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::git::GitState;
use crate::hash::Hash;
use crate::limits::{MAX_HELD_LOGS, MAX_JOURNAL_BYTES, MAX_PURGE_AT_CLOSE_BYTES};
use crate::places::FileTerms;
use crate::rel_path::RelPath;
use crate::root::Facts;
use crate::syntax::{Parsed, Span, SymbolKind};

pub use commits::{CommitMemory, CommitVote, NewCommit};
pub use housekeeping::{StoredIndex, indexes, remove_index};
pub use packed::{Packed, Packer};
pub use postings::Posting;
pub use reader::Reader;
pub use vectors::{EmbeddedChunk, NewSource, ProfileState, SourceCounts, SourceFile, Unembedded};
pub use writer::Writer;

/// The row id of a file.
pub type FileId = i64;
/// The row id of a chunk (a row of `project_snippets`).
pub type ChunkId = i64;
/// The row id of a symbol.
pub type SymbolRow = i64;

/// The file of one project's index below `data_directory`: `projects/<first 32 hex digits of SHA-256(project id)>.db`.
pub fn file_for(data_directory: &Path, project: &str) -> PathBuf {
    let name = &Hash::of(project.as_bytes()).to_hex()[..32];
    data_directory.join("projects").join(format!("{name}.db"))
}

/// One project's index. Cheap to share; each thread takes its own [`Reader`].
#[derive(Debug)]
pub struct Store {
    file: PathBuf,
    /// Whether it can only be read.
    read_only: bool,
    project: String,
    /// Connections that no reader uses now, all to one file.
    readers: Mutex<Vec<Held>>,
    /// Opened by the first writer; locked while somebody writes.
    writer: Mutex<Option<Held>>,
    /// Manifests and vectors are saved while somebody indexes.
    beside: Mutex<Option<Held>>,
    /// The sizes of a state, by its file and generation: counting walks all files.
    counted: Mutex<Option<(FileIdentity, i64, Totals)>>,
    /// Whether another process left copies of deleted rows in the file.
    left_over: AtomicBool,
}

/// Which file it is, whatever its name.
type FileIdentity = (u64, u64);

/// A connection, and the file that stood at the index's path when it was made: that file may be removed, or be another, by now.
#[derive(Debug)]
struct Held {
    file: FileIdentity,
    connection: Connection,
}

/// How an index was found when it was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Opened {
    /// There was none.
    Created,
    /// It was there and is of this version.
    Existing,
    /// It was there and can only be read.
    ReadOnly,
    /// It was ours and damaged; the old file was set aside under this path, and an empty one made.
    SetAside(String),
}

/// A file as the index knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileRow {
    pub id: FileId,
    pub path: RelPath,
    pub hash: Hash,
    pub facts: Facts,
    pub language: Option<String>,
    pub tracked: bool,
    pub modified: bool,
    pub generated: bool,
    pub lines: u32,
    /// Milliseconds since the epoch.
    pub indexed_at: i64,
}

impl FileRow {
    /// Stands for a file that the index does not know: no content has its hash.
    pub fn unknown(path: RelPath) -> FileRow {
        let hash = Hash::from_slice(&[0; 32]).expect("32 bytes are a hash");
        FileRow { id: UNKNOWN, path, hash, facts: Facts::default(), language: None, tracked: false, modified: true, generated: false, lines: 0, indexed_at: 0 }
    }

    /// Whether the index does not know the file.
    pub fn is_unknown(&self) -> bool {
        self.id == UNKNOWN
    }
}

/// The id of no file.
const UNKNOWN: FileId = -1;

/// What the last sync knew of a path, whether it was indexed or refused: what decides whether a file is read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownFile {
    pub id: FileId,
    /// Of the content; `None` for a refused file.
    pub hash: Option<Hash>,
    pub facts: Facts,
    pub tracked: bool,
    pub modified: bool,
    /// `None` for an indexed file; the rule for a refused one.
    pub refused: Option<String>,
    /// The time of the read, in milliseconds since the epoch: a file modified at about that time is read again.
    pub read_at: i64,
    /// The hash of the rules and parser versions it was judged by.
    pub rules: Hash,
}

/// A chunk with what ranking needs of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChunkRow {
    pub id: ChunkId,
    pub file: FileId,
    pub span: Span,
    /// The symbol that it is (a part of).
    pub symbol: Option<SymbolRow>,
}

/// A declaration with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SymbolHit {
    pub id: SymbolRow,
    pub file: FileId,
    pub kind: SymbolKind,
    pub name: String,
    pub qualified_name: String,
    pub span: Span,
    /// The doc comment before it.
    pub doc: Option<Span>,
    pub exported: bool,
    /// Whether it only gives its name to what stands elsewhere: `mod x;`, `exports.x = x`, `type X = typeof X`.
    pub elsewhere: bool,
}

/// What the project is, as of the last sync.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ProjectState {
    pub git: Option<GitState>,
    /// Paths that differ from HEAD's index by stat, at most [`crate::limits::MAX_CHANGED_PATHS`].
    pub changed: Vec<String>,
    /// Milliseconds since the epoch; 0 before the first sync.
    pub indexed_at: i64,
    /// Files that the last listing named for reading.
    pub listed: u64,
    /// Whether all of them were looked at.
    pub complete: bool,
}

/// Sizes of the current projection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    pub files: u64,
    pub refused: u64,
    pub stale_files: u64,
    pub chunks: u64,
    pub symbols: u64,
    /// Bytes of the indexed text.
    pub text_bytes: u64,
}

/// Sizes of the current files in one language.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LanguageTotals {
    /// `None` for files of no known language.
    pub language: Option<String>,
    pub files: u64,
    pub lines: u64,
    pub symbols: u64,
    /// Of the indexed text.
    pub bytes: u64,
}

/// One file to be written.
#[derive(Debug)]
pub struct NewFile<'a> {
    pub path: &'a RelPath,
    pub hash: Hash,
    pub facts: Facts,
    pub language: Option<&'a str>,
    pub tracked: bool,
    pub modified: bool,
    pub generated: bool,
    /// Of the text.
    pub text_hash: Hash,
    pub parsed: &'a Parsed,
    /// What is stored of text and parse, made off the writer's thread.
    pub packed: &'a Packed,
    /// Its terms, found by [`crate::places::file_terms`] off the writer's thread.
    pub terms: &'a FileTerms,
    pub rules: Hash,
    pub read_at: i64,
}

/// The model's own count of what a call took, as the provider reported it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ActualUsage {
    /// Milliseconds since the epoch.
    pub completed_at: i64,
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub cache_read_tokens: u64,
    pub cache_write_tokens: u64,
}

impl ActualUsage {
    /// Tokens of the whole input, cached or not.
    pub fn total_input(&self) -> u64 {
        self.input_tokens + self.cache_read_tokens + self.cache_write_tokens
    }
}

/// A stored manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredManifest {
    pub id: String,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    /// As it was saved.
    pub json: String,
    /// `None` while the reply is pending.
    pub usage: Option<ActualUsage>,
}

/// Bytes on disk of a database and its side files.
fn disk_bytes(file: &Path) -> u64 {
    let sizes = open::side_files(file).into_iter().chain([file.to_owned()]);
    sizes.filter_map(|file| std::fs::metadata(file).ok()).map(|metadata| metadata.len()).sum()
}

/// The states of a file's row.
const CURRENT: i64 = 0;
const REFUSED: i64 = 1;

pub(crate) fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_millis() as i64)
}

impl Store {
    /// Opens or creates the index in `file`, with its folder (0700) and the file itself (0600).
    ///
    /// # Errors
    /// `StoreNewer`; `StoreUnavailable` for a foreign file or one that can't be opened. Neither changes the file.
    pub fn open(file: &Path, project: &str) -> Result<(Store, Opened)> {
        let opened = open::prepare(file, project)?;
        let read_only = opened == Opened::ReadOnly;
        let store = Store {
            file: file.to_owned(),
            read_only,
            project: project.to_owned(),
            readers: Mutex::default(),
            writer: Mutex::default(),
            beside: Mutex::default(),
            counted: Mutex::default(),
            left_over: AtomicBool::default(),
        };
        Ok((store, opened))
    }

    /// A consistent view for one answer.
    pub fn reader(&self) -> Result<Reader<'_>> {
        Reader::new(self)
    }

    /// As [`Store::reader`], for an answer that has a deadline: a locked index is waited for no longer than that.
    pub fn reader_within(&self, cancel: &Cancel) -> Result<Reader<'_>> {
        Reader::within(self, cancel)
    }

    /// The right to write, held by one process at a time through an operating-system lock; `None` while another process or thread holds it,
    /// and where nothing can be written: [`Store::why_not_written`].
    pub fn writer(&self) -> Result<Option<Writer<'_>>> {
        Writer::new(self)
    }

    /// Why [`Store::writer`] gives none.
    pub fn why_not_written(&self) -> &'static str {
        if self.read_only {
            "the index can only be read"
        } else if self.log_is_too_long() && matches!(lock::Lock::take(&self.file), Ok(Some(_))) {
            "another process has long been reading an old state of the index; it is written again when that process ends"
        } else {
            "another process is indexing"
        }
    }

    fn log_is_too_long(&self) -> bool {
        let bytes = |file: &Path| std::fs::metadata(file).map_or(0, |metadata| metadata.len());
        bytes(&open::side_files(&self.file)[0]) > MAX_HELD_LOGS * bytes(&self.file) + MAX_JOURNAL_BYTES
    }

    /// Whether the index can only be read: it stays as it is, and manifests are not stored.
    pub fn is_read_only(&self) -> bool {
        self.read_only
    }

    /// Bytes on disk of the database, its side files and what was set aside of it as damaged.
    pub fn disk_bytes(&self) -> u64 {
        disk_bytes(&self.file) + housekeeping::set_aside_bytes(&self.file)
    }

    /// The file at the index's path.
    fn file_now(&self) -> Result<FileIdentity> {
        lock::file_at(&self.file)
            .ok_or_else(|| Error::new(Code::StoreUnavailable, format!("the index {} was removed; the next sync builds it anew", self.file.display())))
    }

    /// Rewrites the file if a writer of this store left copies of deleted rows in it, the file is no larger than `most` bytes, and nobody else is writing.
    fn purge(&self, most: u64) -> Result<()> {
        let wrote = !matches!(self.writer.try_lock().as_deref(), Ok(None));
        if !wrote || !self.file.exists() || disk_bytes(&self.file) > most {
            return Ok(());
        }
        match self.writer()? {
            Some(mut writer) => writer.purge(),
            None => Ok(()),
        }
    }

    /// SQLite's error as ours. A damaged file is marked, so that the next opening sets it aside.
    fn failure(&self, what: &str, error: &rusqlite::Error) -> Error {
        if open::is_damage(error) {
            open::mark_damaged(&self.file);
        }
        if open::is_busy(error) {
            return Error::new(Code::StoreUnavailable, format!("another process holds the index {}; try again later", self.file.display()));
        }
        Error::new(Code::StoreUnavailable, format!("the index {} failed at {what}: {error}", self.file.display()))
    }
}

impl Drop for Store {
    fn drop(&mut self) {
        // A reader's connection that stays open would keep the log from being emptied.
        self.readers.get_mut().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
        // What is not purged now stays marked, and the next sync of another process does it.
        let _ = self.purge(MAX_PURGE_AT_CLOSE_BYTES);
    }
}
