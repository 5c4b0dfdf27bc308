//! Vectors by profile and by the hash of what was embedded, and which chunk is embedded as what.

use rusqlite::{Connection, OptionalExtension as _, TransactionBehavior, params};

use super::reader::{self, Reader};
use super::{ChunkId, FileId, Store};
use crate::cancel::Cancel;
use crate::classify::Class;
use crate::error::{Code, Error, Result};
use crate::hash::Hash;
use crate::syntax::Span;

/// A current file of which no chunk has a source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    pub file: FileId,
    /// Of the file's bytes, as its row had it.
    pub hash: Hash,
}

/// What a chunk is embedded as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewSource {
    pub chunk: ChunkId,
    /// Of the text that is embedded.
    pub hash: Hash,
    /// `None` for a chunk that is embedded for nobody.
    pub class: Option<Class>,
}

/// A chunk that has no vector of a profile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unembedded {
    pub file: FileId,
    pub chunk: ChunkId,
    pub hash: Hash,
}

/// A chunk with its place, and the hash of what it is embedded as.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedChunk {
    pub file: FileId,
    pub span: Span,
    pub hash: Hash,
}

/// A profile in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProfileState {
    pub id: i64,
    /// Counts the changes of its vectors.
    pub generation: i64,
}

/// How many chunks of the current files a profile knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SourceCounts {
    /// Chunks of all current files.
    pub chunks: u64,
    /// Chunks that have a source.
    pub listed: u64,
    /// Of those, chunks that the profile may not have.
    pub withheld: u64,
    /// Chunks that have a vector of the profile.
    pub embedded: u64,
}

fn class_number(class: Class) -> i64 {
    Class::ALL.iter().position(|other| *other == class).unwrap_or(Class::ALL.len()) as i64
}

/// The classes as a list of SQL; numbers of this program alone.
fn class_list(classes: &[Class]) -> String {
    classes.iter().map(|class| class_number(*class).to_string()).collect::<Vec<_>>().join(", ")
}

fn hash(row: &rusqlite::Row<'_>, at: usize) -> rusqlite::Result<Hash> {
    Hash::from_slice(row.get_ref(at)?.as_blob()?).ok_or_else(|| reader::damage("a hash"))
}

const CURRENT: &str = "JOIN project_files AS f ON f.id = s.file AND f.state = 0";

impl Reader<'_> {
    /// A profile by its name; `None` before its first vector.
    pub fn profile(&self, name: &str) -> Result<Option<ProfileState>> {
        self.read("reading a profile", |connection| profile(connection, name))
    }

    /// Current files with chunks of which none has a source of this form, at most `limit`, in the order of their ids from `after` on.
    pub fn files_without_sources(&self, form: u32, after: FileId, limit: usize) -> Result<Vec<SourceFile>> {
        let sql = "SELECT id, hash FROM project_files WHERE state = 0 AND snippets > 0 AND id > ?2
                   AND NOT EXISTS (SELECT 1 FROM semantic_sources WHERE file = project_files.id AND form = ?1) ORDER BY id LIMIT ?3";
        self.read("looking for files to embed", |connection| {
            let mut statement = connection.prepare_cached(sql)?;
            statement.query_map(params![form, after, limit as i64], |row| Ok(SourceFile { file: row.get(0)?, hash: hash(row, 1)? }))?.collect()
        })
    }

    /// Of the first `most` chunks in classes that the profile may have: those without a vector of it, in order.
    pub fn unembedded(&self, profile: i64, form: u32, classes: &[Class], most: usize) -> Result<Vec<Unembedded>> {
        let sql = format!(
            "SELECT s.file, s.chunk, s.hash FROM (SELECT s.file, s.chunk, s.hash FROM semantic_sources AS s {CURRENT}
               WHERE s.form = ?2 AND s.class IN ({}) ORDER BY s.chunk LIMIT ?3) AS s
             WHERE NOT EXISTS (SELECT 1 FROM semantic_vectors AS v WHERE v.profile = ?1 AND v.hash = s.hash) ORDER BY s.chunk",
            class_list(classes)
        );
        self.read("looking for chunks to embed", |connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let row = |row: &rusqlite::Row<'_>| Ok(Unembedded { file: row.get(0)?, chunk: row.get(1)?, hash: hash(row, 2)? });
            statement.query_map(params![profile, form, most as i64], row)?.collect()
        })
    }

    /// Calls `each` with the first `most` chunks that the profile may have and that have a vector: chunk, hash and vector. It says whether to go on.
    pub fn each_vector(&self, profile: i64, form: u32, classes: &[Class], most: usize, each: &mut dyn FnMut(ChunkId, Hash, &[u8]) -> bool) -> Result<()> {
        let sql = format!(
            "SELECT s.chunk, s.hash, v.vector FROM semantic_sources AS s {CURRENT} JOIN semantic_vectors AS v ON v.profile = ?1 AND v.hash = s.hash
             WHERE s.form = ?2 AND s.class IN ({}) ORDER BY s.chunk LIMIT ?3",
            class_list(classes)
        );
        self.read("reading vectors", |connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![profile, form, most as i64])?;
            while let Some(row) = rows.next()? {
                if !each(row.get(0)?, hash(row, 1)?, row.get_ref(2)?.as_blob()?) {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The vector of a hash.
    pub fn vector(&self, profile: i64, of: &Hash) -> Result<Option<Vec<u8>>> {
        self.read("reading a vector", |connection| {
            let sql = "SELECT vector FROM semantic_vectors WHERE profile = ?1 AND hash = ?2";
            connection.prepare_cached(sql)?.query_row(params![profile, of.as_bytes()], |row| row.get(0)).optional()
        })
    }

    /// Where a chunk stands and what it is embedded as, in the present state; `None` if its file is gone or was indexed anew.
    pub fn embedded_chunk(&self, chunk: ChunkId) -> Result<Option<EmbeddedChunk>> {
        let sql = format!(
            "SELECT s.file, s.hash, c.start_byte, c.end_byte, c.start_line, c.end_line FROM semantic_sources AS s {CURRENT}
             JOIN project_snippets AS c ON c.id = s.chunk AND c.file = s.file WHERE s.chunk = ?1"
        );
        self.read("reading an embedded chunk", |connection| {
            let row = |row: &rusqlite::Row<'_>| Ok(EmbeddedChunk { file: row.get(0)?, hash: hash(row, 1)?, span: reader::span(row, 2)? });
            connection.prepare_cached(&sql)?.query_row([chunk], row).optional()
        })
    }

    /// How far a profile has come.
    pub fn source_counts(&self, profile: Option<i64>, form: u32, classes: &[Class]) -> Result<SourceCounts> {
        let sql = format!(
            "SELECT (SELECT coalesce(sum(snippets), 0) FROM project_files WHERE state = 0), count(*), coalesce(sum(s.class IS NULL OR s.class NOT IN ({0})), 0),
             coalesce(sum(s.class IN ({0}) AND EXISTS (SELECT 1 FROM semantic_vectors AS v WHERE v.profile = ?1 AND v.hash = s.hash)), 0)
             FROM semantic_sources AS s {CURRENT} WHERE s.form = ?2",
            class_list(classes)
        );
        self.read("counting vectors", |connection| {
            connection.prepare_cached(&sql)?.query_row(params![profile, form], |row| {
                let count = |at: usize| row.get::<_, i64>(at).map(|count| count.max(0) as u64);
                Ok(SourceCounts { chunks: count(0)?, listed: count(1)?, withheld: count(2)?, embedded: count(3)? })
            })
        })
    }
}

impl Store {
    /// The profile of this name, made if there is none.
    ///
    /// # Errors
    /// `StoreUnavailable`, also for an index that can only be read.
    pub fn make_profile(&self, name: &str, cancel: &Cancel) -> Result<ProfileState> {
        self.change_vectors("making a profile", cancel, |connection| {
            connection.prepare_cached("INSERT INTO semantic_profiles (name) VALUES (?1) ON CONFLICT DO NOTHING")?.execute([name])?;
            profile(connection, name)?.ok_or_else(|| reader::damage("a profile"))
        })
    }

    /// Remembers what the chunks of files are embedded as, unless a file was indexed anew in the meantime.
    ///
    /// # Errors
    /// As for [`Store::make_profile`].
    pub fn put_sources(&self, form: u32, sources: &[(SourceFile, Vec<NewSource>)], cancel: &Cancel) -> Result<()> {
        self.change_vectors("writing what is embedded", cancel, |connection| {
            let sql = "INSERT OR REPLACE INTO semantic_sources (chunk, file, form, hash, class)
                       SELECT c.id, f.id, ?4, ?5, ?6 FROM project_snippets AS c JOIN project_files AS f ON f.id = c.file
                       WHERE c.id = ?1 AND f.id = ?2 AND f.state = 0 AND f.hash = ?3";
            let mut statement = connection.prepare_cached(sql)?;
            for (file, chunks) in sources {
                for source in chunks {
                    let class = source.class.map(class_number);
                    statement.execute(params![source.chunk, file.file, file.hash.as_bytes(), form, source.hash.as_bytes(), class])?;
                }
            }
            Ok(())
        })
    }

    /// Keeps vectors of a profile.
    ///
    /// # Errors
    /// As for [`Store::make_profile`].
    pub fn put_vectors(&self, profile: i64, vectors: &[(Hash, Vec<u8>)], cancel: &Cancel) -> Result<()> {
        self.change_vectors("writing vectors", cancel, |connection| {
            let mut statement = connection.prepare_cached("INSERT OR REPLACE INTO semantic_vectors (profile, hash, vector) VALUES (?1, ?2, ?3)")?;
            for (hash, vector) in vectors {
                statement.execute(params![profile, hash.as_bytes(), vector])?;
            }
            Ok(())
        })
    }

    /// Drops vectors of a profile: those named, and, where it is known what each current chunk is embedded as, those that stand for none of them.
    /// Counts the change, if this or what was written before is one; the number dropped.
    ///
    /// # Errors
    /// As for [`Store::make_profile`].
    pub fn prune_vectors(&self, profile: i64, form: u32, named: &[Hash], prune: bool, changed: bool, cancel: &Cancel) -> Result<u64> {
        self.change_vectors("pruning vectors", cancel, |connection| {
            let mut dropped = 0;
            let mut statement = connection.prepare_cached("DELETE FROM semantic_vectors WHERE profile = ?1 AND hash = ?2")?;
            for hash in named {
                dropped += statement.execute(params![profile, hash.as_bytes()])?;
            }
            if prune {
                connection.prepare_cached("DELETE FROM semantic_sources WHERE form <> ?1")?.execute([form])?;
                let sql = format!(
                    "DELETE FROM semantic_vectors WHERE profile = ?1
                     AND NOT EXISTS (SELECT 1 FROM semantic_sources AS s {CURRENT} WHERE s.hash = semantic_vectors.hash)"
                );
                dropped += connection.prepare_cached(&sql)?.execute([profile])?;
            }
            if changed || dropped > 0 {
                connection.prepare_cached("UPDATE semantic_profiles SET generation = generation + 1 WHERE id = ?1")?.execute([profile])?;
            }
            Ok(dropped as u64)
        })
    }

    fn change_vectors<T>(&self, what: &str, cancel: &Cancel, work: impl Fn(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        if self.read_only {
            return Err(Error::new(Code::StoreUnavailable, "the index can only be read: no vector is written"));
        }
        self.beside_the_writer(what, cancel, |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let done = work(&transaction)?;
            transaction.commit()?;
            Ok(done)
        })
    }
}

fn profile(connection: &Connection, name: &str) -> rusqlite::Result<Option<ProfileState>> {
    let sql = "SELECT id, generation FROM semantic_profiles WHERE name = ?1";
    connection.prepare_cached(sql)?.query_row([name], |row| Ok(ProfileState { id: row.get(0)?, generation: row.get(1)? })).optional()
}
