//! The one writer.

use std::sync::atomic::Ordering;
use std::sync::{MutexGuard, TryLockError};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};

use super::lock::{self, Lock};
use super::postings::{self, Pending};
use super::reader;
use super::{FileId, Held, NewFile, ProjectState, Store, now_ms, open};
use crate::error::{Code, Error, Result};
use crate::exclude::RuleId;
use crate::hash::Hash;
use crate::limits::{BUSY_TIMEOUT_MS, CHECKPOINT_WAIT_MS, FILES_PER_BATCH, MAX_FILES_PER_COMMIT, MAX_PARSES, MAX_STALE_FILES};
use crate::places::{INDEX_VERSION, TermNumber, Weight};
use crate::rel_path::RelPath;
use crate::root::Facts;

/// The right to write. Each method that changes files is part of the batch that [`Writer::commit`] ends; a dropped writer forgets its open batch.
pub struct Writer<'store> {
    store: &'store Store,
    pub(super) held: MutexGuard<'store, Option<Held>>,
    /// Holds the operating system's lock until it is dropped, at the latest when the process ends.
    _lock: Lock,
    batch_open: bool,
    /// As this writer left it: another writer, which a file system without locks lets in, would change it.
    generation: i64,
    /// What the open batch changes in the inverted index.
    pub(super) pending: Pending,
    /// Whether this writer changed files since it settled last.
    pub(super) unsettled: bool,
    /// Whether the open batch deletes rows.
    pub(super) deletes: bool,
    /// Files written by this writer, and those of them in the open batch.
    written: usize,
    in_batch: usize,
}

impl<'store> Writer<'store> {
    pub(super) fn new(store: &'store Store) -> Result<Option<Self>> {
        if store.read_only {
            return Ok(None);
        }
        let mut held = match store.writer.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => return Ok(None),
        };
        let io =
            |error: &std::io::Error| Error::new(Code::StoreUnavailable, format!("the index {} can't be locked for writing: {error}", store.file.display()));
        let take = || Lock::take(&store.file).map_err(|error| io(&error));
        let Some(mut lock) = take()? else { return Ok(None) };
        let now = lock::file_at(&store.file);
        if now.is_none() || held.as_ref().is_some_and(|held| Some(held.file) != now) {
            // Somebody removed the index. Making it anew takes the lock itself.
            *held = None;
            drop(lock);
            open::prepare(&store.file, &store.project)?;
            let Some(again) = take()? else { return Ok(None) };
            lock = again;
        }
        if held.is_none() {
            let fail = |error| store.failure("opening it for writing", &error);
            let file = store.file_now()?;
            let connection = open::connect(&store.file).map_err(fail)?;
            let left_over = connection.query_row("SELECT holds_deleted FROM project_states", [], |row| row.get(0)).map_err(fail)?;
            store.left_over.store(left_over, Ordering::Relaxed);
            *held = Some(Held { file, connection });
        }
        if store.log_is_too_long() && !emptied_log(store, &held)? {
            return Ok(None);
        }
        let mut writer = Writer {
            store,
            held,
            _lock: lock,
            batch_open: false,
            generation: 0,
            pending: Pending::default(),
            unsettled: false,
            deletes: false,
            written: 0,
            in_batch: 0,
        };
        writer.generation = writer.read_generation()?;
        writer.empty_if_of_another_form()?;
        Ok(Some(writer))
    }

    pub(super) fn sql(&self) -> &Connection {
        &self.held.as_ref().expect("a writer has its connection until it is dropped").connection
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
            writer.deletes = true;
            writer.pending = Pending::default();
            writer.sql().execute_batch(
                "DELETE FROM project_terms; DELETE FROM project_parses; DELETE FROM project_symbols; DELETE FROM project_snippets; DELETE FROM project_files;",
            )?;
            writer.sql().execute("UPDATE project_states SET index_version = ?1, complete = 0", [INDEX_VERSION])?;
            Ok(())
        })
    }

    /// Indexes a file, in place of what was known of its path.
    pub fn put_file(&mut self, file: &NewFile<'_>) -> Result<FileId> {
        self.write("writing a file", |writer| {
            writer.unsettled = true;
            let (id, before) = writer.replace_row(file.path, &file.terms.weights)?;
            writer.insert_file(id, file)?;
            writer.pending.change(id, &before, &file.terms.weights);
            writer.remember_parse(file)?;
            writer.written += 1;
            writer.in_batch += 1;
            Ok(id)
        })
    }

    /// Records that a rule refused a file, so that it is not read again until it or the rules change. Drops what was indexed of it.
    #[allow(clippy::too_many_arguments)]
    pub fn put_refused(&mut self, path: &RelPath, facts: Facts, rule: RuleId, tracked: bool, modified: bool, rules: Hash, read_at: i64) -> Result<()> {
        self.write("writing a refused file", |writer| {
            writer.unsettled = true;
            let (id, before) = writer.replace_row(path, &[])?;
            writer.pending.change(id, &before, &[]);
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

    /// Drops the terms and names of a file at once and keeps bounded metadata for inspection; of a refused one it keeps nothing.
    pub fn remove(&mut self, id: FileId) -> Result<()> {
        self.write("removing a file", |writer| {
            writer.unsettled = true;
            writer.deletes = true;
            let sql = "SELECT path, state FROM project_files WHERE id = ?1";
            let row = writer.sql().prepare_cached(sql)?.query_row([id], |row| Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?))).optional()?;
            let Some((path, state)) = row else { return Ok(()) };
            if state != super::CURRENT {
                return writer.drop_row(id);
            }
            let before = writer.drop_content(id, &path, &[])?;
            writer.pending.change(id, &before, &[]);
            writer.sql().prepare_cached(&format!("UPDATE project_snippets AS c SET symbol = NULL WHERE {}", reader::CHUNKS_OF))?.execute([id])?;
            let sql = "UPDATE project_files SET state = 2, name = NULL, stem = NULL, indexed_at = ?2 WHERE id = ?1";
            writer.sql().prepare_cached(sql)?.execute(params![id, now_ms()])?;
            let sql = "SELECT id FROM project_files WHERE state = 2 ORDER BY indexed_at DESC, id DESC LIMIT -1 OFFSET ?1";
            let oldest = writer.sql().prepare_cached(sql)?.query_map([MAX_STALE_FILES as i64], |row| row.get(0))?.collect::<rusqlite::Result<Vec<_>>>()?;
            oldest.into_iter().try_for_each(|id| writer.drop_row(id))
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
            let mut pending = std::mem::take(&mut writer.pending);
            pending.flush(writer.sql())?;
            let sql = "UPDATE project_states SET generation = generation + 1, holds_deleted = holds_deleted OR ?1";
            writer.sql().prepare_cached(sql)?.execute([writer.deletes])?;
            writer.sql().execute_batch("COMMIT")
        })?;
        self.batch_open = false;
        self.deletes = false;
        self.in_batch = 0;
        self.generation += 1;
        Ok(())
    }

    /// Commits if the batch is a fair share of what this writer wrote: early batches are small, so that their files are soon found, and later ones large, so that
    /// the inverted index is written in few pieces.
    pub fn commit_if_large(&mut self) -> Result<()> {
        if self.in_batch >= (self.written / 4).clamp(FILES_PER_BATCH, MAX_FILES_PER_COMMIT) { self.commit() } else { Ok(()) }
    }

    /// Ends a sync: commits, merges the inverted index where it is in many pieces, drops parses beyond their bound, purges what another process left behind, and
    /// truncates the write-ahead log.
    pub fn settle(&mut self) -> Result<()> {
        if self.unsettled {
            self.write("settling", |writer| {
                let mut pending = std::mem::take(&mut writer.pending);
                pending.flush(writer.sql())?;
                postings::merge_if_many(writer.sql())?;
                let parses: i64 = writer.sql().query_row("SELECT count(*) FROM project_parses", [], |row| row.get(0))?;
                if parses > MAX_PARSES as i64 {
                    let sql = "DELETE FROM project_parses WHERE key IN (SELECT key FROM project_parses ORDER BY used_at, key LIMIT ?1)";
                    writer.sql().execute(sql, [parses - MAX_PARSES as i64])?;
                }
                // It gives back one page a step.
                let mut vacuum = writer.sql().prepare_cached("PRAGMA incremental_vacuum")?;
                let mut pages = vacuum.query([])?;
                while pages.next()?.is_some() {}
                Ok(())
            })?;
        }
        self.commit()?;
        if self.store.left_over.swap(false, Ordering::Relaxed) {
            self.purge()?;
        } else if self.unsettled {
            // After a sync that found nothing to do, emptying the log would cost more than the rest of it.
            self.truncate_log()?;
        }
        if self.unsettled {
            // The connection stays, and would hold on to pages that the sync is done with.
            self.sql().release_memory().map_err(|error| self.store.failure("settling", &error))?;
        }
        self.unsettled = false;
        Ok(())
    }

    /// Rewrites the file if it may hold copies of deleted rows: SQLite's `secure_delete` misses those of cells that moved while their tree was balanced.
    pub(super) fn purge(&mut self) -> Result<()> {
        let fail = |error| self.store.failure("purging it", &error);
        let marked: bool = self.sql().query_row("SELECT holds_deleted FROM project_states", [], |row| row.get(0)).map_err(fail)?;
        if !marked {
            return Ok(());
        }
        self.sql().execute_batch("VACUUM; UPDATE project_states SET holds_deleted = 0;").map_err(fail)?;
        self.truncate_log()
    }

    /// A reader that keeps the log from being emptied is no failure: the next sync or the last close does it.
    fn truncate_log(&self) -> Result<()> {
        emptied_log(self.store, &self.held).map(|_| ())
    }

    /// Frees a path for a new row; the id under which the path was known, or a new one, and the terms that it had. `new` are those that it will have.
    fn replace_row(&mut self, path: &RelPath, new: &[(TermNumber, Weight)]) -> rusqlite::Result<(FileId, Vec<(TermNumber, Weight)>)> {
        let sql = "SELECT id, state FROM project_files WHERE path = ?1";
        let known: Option<(FileId, i64)> = self.sql().prepare_cached(sql)?.query_row([path.as_str()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
        let Some((id, state)) = known else {
            let id = self.sql().prepare_cached("SELECT coalesce(max(id), 0) + 1 FROM project_files")?.query_row([], |row| row.get(0))?;
            self.pending.file_is_new(id);
            return Ok((id, Vec::new()));
        };
        let before = if state == super::CURRENT { self.drop_content(id, path.as_str(), new)? } else { Vec::new() };
        self.drop_row(id)?;
        Ok((id, before))
    }
}

/// Truncates the write-ahead log; false if a reader needs it still.
fn emptied_log(store: &Store, held: &Option<Held>) -> Result<bool> {
    let truncate = |Held { connection, .. }: &Held| -> rusqlite::Result<bool> {
        connection.busy_timeout(Duration::from_millis(CHECKPOINT_WAIT_MS.into()))?;
        let busy: bool = connection.query_row("PRAGMA wal_checkpoint (TRUNCATE)", [], |row| row.get(0))?;
        connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS.into()))?;
        Ok(!busy)
    };
    held.as_ref().map_or(Ok(true), truncate).map_err(|error| store.failure("truncating its log", &error))
}

impl Drop for Writer<'_> {
    fn drop(&mut self) {
        if self.batch_open
            && let Some(held) = self.held.as_ref()
            && held.connection.execute_batch("ROLLBACK").is_err()
        {
            // A connection that can't even roll back is not used again.
            *self.held = None;
        }
    }
}
