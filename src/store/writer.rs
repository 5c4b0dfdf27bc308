//! The one writer.

use std::sync::{MutexGuard, TryLockError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::frequent::FrequentTerms;
use super::open::Lock;
use super::rows::INDEX_VERSION;
use super::sweep::Sweep;
use super::{FileId, NewFile, ProjectState, Store, now_ms, open};
use crate::error::{Code, Error, Result};
use crate::exclude::RuleId;
use crate::hash::Hash;
use crate::limits::{BUSY_TIMEOUT_MS, CHECKPOINT_WAIT_MS, MAX_PARSES, MAX_STALE_FILES};
use crate::rel_path::RelPath;
use crate::root::Facts;

/// The zstd level of stored texts: higher ones are slower and save little on source files.
const TEXT_COMPRESSION: i32 = 3;

/// The right to write. Each method that changes files is part of the batch that [`Writer::commit`] ends; a dropped writer forgets its open batch.
pub struct Writer<'store> {
    store: &'store Store,
    pub(super) connection: MutexGuard<'store, Option<Connection>>,
    /// Holds the operating system's lock until it is dropped, at the latest when the process ends.
    _lock: Lock,
    batch_open: bool,
    /// As this writer left it: another writer, which a file system without locks lets in, would change it.
    generation: i64,
    pub(super) compressor: zstd::bulk::Compressor<'static>,
    pub(super) frequent: FrequentTerms,
    pub(super) sweep: Sweep,
    /// Rows counted by `frequent`.
    pub(super) counted: u64,
    /// Whether this writer changed files since it settled last.
    pub(super) unsettled: bool,
    /// Full-text rows inserted in the open batch.
    pub(super) inserted: u64,
}

impl<'store> Writer<'store> {
    pub(super) fn new(store: &'store Store) -> Result<Option<Self>> {
        let mut connection = match store.writer.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let io =
            |error: &std::io::Error| Error::new(Code::StoreUnavailable, format!("the index {} can't be locked for writing: {error}", store.file.display()));
        let Some(lock) = Lock::take(&store.file).map_err(|error| io(&error))? else { return Ok(None) };
        if connection.is_none() {
            *connection = Some(open::connect(&store.file).map_err(|error| store.failure("opening it for writing", &error))?);
        }
        let mut compressor = zstd::bulk::Compressor::new(TEXT_COMPRESSION).map_err(|error| io(&error))?;
        // A text that the disk changed must not decompress to another text.
        compressor.include_checksum(true).map_err(|error| io(&error))?;
        let (frequent, sweep) = (FrequentTerms::default(), Sweep::default());
        let mut writer =
            Writer { store, connection, _lock: lock, batch_open: false, generation: 0, compressor, frequent, sweep, counted: 0, unsettled: false, inserted: 0 };
        writer.generation = writer.read_generation()?;
        writer.empty_if_of_another_form()?;
        let fail = |error| store.failure("reading where the last writer stopped", &error);
        writer.frequent = FrequentTerms::load(writer.sql()).map_err(fail)?;
        writer.sweep = Sweep::load(writer.sql()).map_err(fail)?;
        Ok(Some(writer))
    }

    pub(super) fn sql(&self) -> &Connection {
        self.connection.as_ref().expect("a writer has its connection until it is dropped")
    }

    pub(super) fn write<T>(&mut self, what: &str, work: impl FnOnce(&mut Self) -> rusqlite::Result<T>) -> Result<T> {
        self.begin()?;
        work(self).map_err(|error| self.store.failure(what, &error))
    }

    fn begin(&mut self) -> Result<()> {
        if self.batch_open {
            return Ok(());
        }
        let fail = |error| self.store.failure("beginning to write", &error);
        self.sql().execute_batch("BEGIN IMMEDIATE").map_err(fail)?;
        self.batch_open = true;
        if self.read_generation()? != self.generation {
            return Err(Error::new(
                Code::StoreUnavailable,
                "another process wrote to the index at the same time; its folder may be on a file system without locks",
            ));
        }
        Ok(())
    }

    fn read_generation(&self) -> Result<i64> {
        let read = self.sql().query_row("SELECT generation FROM project_states", [], |row| row.get(0));
        read.map_err(|error| self.store.failure("reading its generation", &error))
    }

    /// Rows of another form can't be deleted exactly, so an index that holds them starts anew.
    fn empty_if_of_another_form(&mut self) -> Result<()> {
        let version = self.sql().query_row("SELECT index_version FROM project_states", [], |row| row.get::<_, u32>(0));
        if version.map_err(|error| self.store.failure("reading its form", &error))? == INDEX_VERSION {
            return Ok(());
        }
        self.empty()
    }

    /// Forgets all that is indexed, and the parses of it; manifests stay.
    pub fn empty(&mut self) -> Result<()> {
        self.write("emptying it", |writer| {
            writer.unsettled = true;
            writer.frequent = FrequentTerms::default();
            writer.sql().execute_batch(
                "INSERT INTO project_snippets_fts (project_snippets_fts) VALUES ('delete-all');
                 DELETE FROM project_frequent_terms; DELETE FROM project_parses; DELETE FROM project_files;",
            )?;
            writer.sql().execute("UPDATE project_states SET index_version = ?1, complete = 0, unmerged_chunks = 0", [INDEX_VERSION])?;
            Ok(())
        })
    }

    /// Indexes a file, in place of what was known of its path.
    pub fn put_file(&mut self, file: &NewFile<'_>) -> Result<FileId> {
        self.write("writing a file", |writer| {
            writer.unsettled = true;
            let id = writer.replace_row(file.path)?;
            writer.insert_file(id, file)?;
            writer.insert_content(id, file)?;
            writer.remember_parse(file)?;
            Ok(id)
        })
    }

    /// Records that a rule refused a file, so that it is not read again until it or the rules change. Drops what was indexed of it.
    #[allow(clippy::too_many_arguments)]
    pub fn put_refused(&mut self, path: &RelPath, facts: Facts, rule: RuleId, tracked: bool, modified: bool, rules: Hash, read_at: i64) -> Result<()> {
        self.write("writing a refused file", |writer| {
            writer.unsettled = true;
            let id = writer.replace_row(path)?;
            let sql =
                "INSERT INTO project_files (id, path, state, rule, size, mtime_ns, ctime_ns, inode, device, tracked, modified, indexed_at, read_at, rules)
                       VALUES (?1, ?2, 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)";
            writer.sql().prepare_cached(sql)?.execute(params![
                id,
                path.as_str(),
                rule,
                facts.size as i64,
                facts.mtime_ns,
                facts.ctime_ns,
                facts.inode as i64,
                facts.device as i64,
                tracked,
                modified,
                now_ms(),
                read_at,
                rules.as_bytes(),
            ])?;
            Ok(())
        })
    }

    /// New facts of a file whose content is the same and was judged by the same rules.
    pub fn touch(&mut self, id: FileId, facts: Facts, tracked: bool, modified: bool, read_at: i64) -> Result<()> {
        self.write("writing a file's facts", |writer| {
            writer.unsettled = true;
            let sql = "UPDATE project_files SET size = ?2, mtime_ns = ?3, ctime_ns = ?4, inode = ?5, device = ?6, tracked = ?7, modified = ?8, read_at = ?9
                       WHERE id = ?1";
            writer.sql().prepare_cached(sql)?.execute(params![
                id,
                facts.size as i64,
                facts.mtime_ns,
                facts.ctime_ns,
                facts.inode as i64,
                facts.device as i64,
                tracked,
                modified,
                read_at
            ])?;
            Ok(())
        })
    }

    /// Drops the text and terms of a file at once and keeps bounded metadata for inspection; of a refused one it keeps nothing.
    pub fn remove(&mut self, id: FileId) -> Result<()> {
        self.write("removing a file", |writer| {
            writer.unsettled = true;
            let sql = "SELECT path, state FROM project_files WHERE id = ?1";
            let row = writer.sql().prepare_cached(sql)?.query_row([id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).optional()?;
            let Some((path, state)) = row else { return Ok(()) };
            if state != super::CURRENT {
                writer.sql().prepare_cached("DELETE FROM project_files WHERE id = ?1")?.execute([id])?;
                return Ok(());
            }
            writer.drop_text(id, &path)?;
            writer.sql().prepare_cached("UPDATE project_snippets SET symbol = NULL, declares = NULL WHERE file = ?1")?.execute([id])?;
            let sql = "UPDATE project_files SET state = 2, name = NULL, stem = NULL, indexed_at = ?2 WHERE id = ?1";
            writer.sql().prepare_cached(sql)?.execute(params![id, now_ms()])?;
            let sql =
                "DELETE FROM project_files WHERE id IN (SELECT id FROM project_files WHERE state = 2 ORDER BY indexed_at DESC, id DESC LIMIT -1 OFFSET ?1)";
            writer.sql().prepare_cached(sql)?.execute([MAX_STALE_FILES as i64])?;
            Ok(())
        })
    }

    /// Replaces what is known of the project as a whole.
    pub fn put_state(&mut self, state: &ProjectState) -> Result<()> {
        self.write("writing the project's state", |writer| {
            let changed = serde_json::to_string(&state.changed).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            let git = state.git.as_ref();
            let sql = "UPDATE project_states SET git_root = ?1, git_branch = ?2, git_head = ?3, changed = ?4, indexed_at = ?5, listed = ?6, complete = ?7";
            writer.sql().prepare_cached(sql)?.execute(params![
                git.map(|git| &git.root),
                git.and_then(|git| git.branch.as_ref()),
                git.and_then(|git| git.head.as_ref()),
                changed,
                state.indexed_at,
                state.listed as i64,
                state.complete
            ])?;
            Ok(())
        })
    }

    /// Ends the batch: all of it is on disk, or none of it.
    pub fn commit(&mut self) -> Result<()> {
        if !self.batch_open {
            return Ok(());
        }
        self.write("committing", |writer| {
            let mut frequent = std::mem::take(&mut writer.frequent);
            frequent.flush(writer.sql())?;
            writer.frequent = frequent;
            let sql = "UPDATE project_states SET generation = generation + 1, unmerged_chunks = unmerged_chunks + ?1";
            writer.sql().prepare_cached(sql)?.execute([writer.inserted as i64])?;
            writer.sql().execute_batch("COMMIT")
        })?;
        self.batch_open = false;
        self.inserted = 0;
        self.generation += 1;
        Ok(())
    }

    /// Ends a sync: commits, merges the full-text index after large changes, drops parses beyond their bound and truncates the write-ahead log.
    pub fn settle(&mut self) -> Result<()> {
        let sql = "SELECT unmerged_chunks, (SELECT sum(snippets) FROM project_files WHERE state = 0) FROM project_states";
        let sizes = self.sql().query_row(sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<i64>>(1)?)));
        let (unmerged, all) = sizes.map_err(|error| self.store.failure("settling", &error))?;
        let grown = (unmerged + self.inserted as i64) * 4 > all.unwrap_or(0).max(1);
        // After a sync that found nothing to do there is nothing to merge, and emptying the log would cost more than the rest of the sync.
        if !self.unsettled && !grown && !self.sweep.is_needed() {
            return self.commit();
        }
        self.write("settling", |writer| {
            if grown || writer.sweep.needs_merge(writer.sql())? {
                writer.sql().execute("INSERT INTO project_snippets_fts (project_snippets_fts) VALUES ('optimize')", [])?;
                let mut frequent = std::mem::take(&mut writer.frequent);
                frequent.rebuild(writer.sql())?;
                writer.frequent = frequent;
                writer.sql().execute("UPDATE project_states SET unmerged_chunks = 0", [])?;
                writer.inserted = 0;
            }
            let mut sweep = std::mem::take(&mut writer.sweep);
            sweep.done(writer.sql())?;
            let sql = "DELETE FROM project_parses WHERE id IN (SELECT id FROM project_parses ORDER BY used_at DESC, id DESC LIMIT -1 OFFSET ?1)";
            writer.sql().execute(sql, [MAX_PARSES as i64])?;
            // It gives back one page a step.
            let mut vacuum = writer.sql().prepare_cached("PRAGMA incremental_vacuum")?;
            let mut pages = vacuum.query([])?;
            while pages.next()?.is_some() {}
            Ok(())
        })?;
        self.commit()?;
        self.unsettled = false;
        let truncate = |connection: &Connection| -> rusqlite::Result<()> {
            connection.busy_timeout(Duration::from_millis(CHECKPOINT_WAIT_MS.into()))?;
            // A reader that keeps the log from being emptied is no failure: the next sync or the last close does it.
            connection.query_row("PRAGMA wal_checkpoint (TRUNCATE)", [], |_| Ok(()))?;
            connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS.into()))
        };
        truncate(self.sql()).map_err(|error| self.store.failure("truncating its log", &error))
    }

    /// Frees a path for a new row; the id under which the path was known, or a new one.
    fn replace_row(&mut self, path: &RelPath) -> rusqlite::Result<FileId> {
        let sql = "SELECT id, state FROM project_files WHERE path = ?1";
        let known: Option<(FileId, i64)> = self.sql().prepare_cached(sql)?.query_row([path.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((id, state)) = known else {
            return self.sql().prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM project_files")?.query_row([], |row| row.get(0));
        };
        if state == super::CURRENT {
            self.drop_text(id, path.as_str())?;
        }
        self.sql().prepare_cached("DELETE FROM project_files WHERE id = ?1")?.execute([id])?;
        Ok(id)
    }
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if self.batch_open
            && let Some(connection) = self.connection.as_ref()
            && connection.execute_batch("ROLLBACK").is_err()
        {
            // A connection that can't even roll back is not used again.
            *self.connection = None;
        }
    }
}
