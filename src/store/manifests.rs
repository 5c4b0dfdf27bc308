//! Manifests: saved without the right to write the index, completed once, pruned a little at each save.

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior, params};

use super::{ActualUsage, Held, Store, open};
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::limits::{BUSY_TIMEOUT_MS, MANIFEST_BYTES_PRUNED_PER_SAVE, MANIFEST_WAIT_MS, MANIFESTS_PRUNED_PER_SAVE, MAX_MANIFEST_BYTES, MAX_MANIFESTS};

impl Store {
    /// Saves a manifest (not into an index that can only be read), and removes the oldest ones beyond the bound. `created_at` is in milliseconds since the epoch.
    ///
    /// # Errors
    /// `InvalidArgument` if it is too long or its id is taken; `Cancelled` while another connection writes; store errors.
    pub fn save_manifest(&self, id: &str, created_at: i64, json: &str, cancel: &Cancel) -> Result<()> {
        if json.len() > MAX_MANIFEST_BYTES {
            return Err(Error::new(Code::InvalidArgument, format!("a manifest has at most {MAX_MANIFEST_BYTES} bytes; this one has {}", json.len())));
        }
        if self.read_only {
            return Ok(());
        }
        let saved = self.beside_the_writer("saving a manifest", cancel, |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "INSERT INTO context_manifests (id, created_at, manifest) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
            let saved = transaction.prepare_cached(sql)?.execute(params![id, created_at, json])?;
            transaction
                .prepare_cached(
                    "WITH kept AS (SELECT rowid AS row FROM context_manifests ORDER BY created_at DESC, rowid DESC LIMIT ?1),
                     oldest AS (SELECT rowid AS row, created_at AS age, length(CAST(manifest AS BLOB)) AS bytes FROM context_manifests
                       WHERE rowid NOT IN kept ORDER BY created_at, rowid LIMIT ?2),
                     summed AS (SELECT row, sum(bytes) OVER (ORDER BY age, row ROWS UNBOUNDED PRECEDING) AS bytes FROM oldest)
                     DELETE FROM context_manifests WHERE rowid IN (SELECT row FROM summed WHERE bytes <= ?3)",
                )?
                .execute(params![MAX_MANIFESTS as i64, MANIFESTS_PRUNED_PER_SAVE as i64, MANIFEST_BYTES_PRUNED_PER_SAVE as i64])?;
            transaction.commit()?;
            Ok(saved)
        })?;
        if saved == 0 {
            return Err(Error::new(Code::InvalidArgument, "a manifest with this id is saved already"));
        }
        Ok(())
    }

    /// Puts an amended manifest in the place of its saved form; false if it is not saved.
    ///
    /// # Errors
    /// Store errors.
    pub fn replace_manifest(&self, id: &str, json: &str, cancel: &Cancel) -> Result<bool> {
        if self.read_only {
            return Ok(false);
        }
        self.beside_the_writer("amending a manifest", cancel, |connection| {
            let replaced = connection.prepare_cached("UPDATE context_manifests SET manifest = ?2 WHERE id = ?1")?.execute(params![id, json])?;
            Ok(replaced > 0)
        })
    }

    /// Adds what the model's reply said of its usage; false if there is no such manifest, or it is complete already.
    ///
    /// # Errors
    /// As [`Store::save_manifest`].
    pub fn complete_manifest(&self, id: &str, usage: &ActualUsage, cancel: &Cancel) -> Result<bool> {
        if self.read_only {
            return Ok(false);
        }
        self.beside_the_writer("completing a manifest", cancel, |connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let sql = "UPDATE context_manifests SET completed_at = ?2, input_tokens = ?3, output_tokens = ?4, cache_read_tokens = ?5, cache_write_tokens = ?6
                       WHERE id = ?1 AND completed_at IS NULL";
            let completed = transaction.prepare_cached(sql)?.execute(params![
                id,
                usage.completed_at,
                usage.input_tokens as i64,
                usage.output_tokens as i64,
                usage.cache_read_tokens as i64,
                usage.cache_write_tokens as i64
            ])?;
            transaction.commit()?;
            Ok(completed > 0)
        })
    }

    /// Writes on a connection of its own, while somebody else may hold the right to write the index. While another connection writes, it is waited for as long as nobody cancels and the deadline has not passed.
    pub(super) fn beside_the_writer<T>(&self, what: &str, cancel: &Cancel, work: impl Fn(&mut Connection) -> rusqlite::Result<T>) -> Result<T> {
        let mut guard = self.beside.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let file = self.file_now()?;
        guard.take_if(|held| held.file != file);
        let mut run = || {
            let held = match &mut *guard {
                Some(held) => held,
                none => none.insert(Held { file, connection: open::connect(&self.file)? }),
            };
            held.connection.busy_timeout(Duration::from_millis(MANIFEST_WAIT_MS.into()))?;
            work(&mut held.connection)
        };
        for _ in 0..BUSY_TIMEOUT_MS / MANIFEST_WAIT_MS {
            match run() {
                Err(error) if open::is_busy(&error) => cancel.check()?,
                other => return other.map_err(|error| self.failure(what, &error)),
            }
            if cancel.is_late() {
                break;
            }
        }
        Err(Error::new(Code::StoreUnavailable, format!("another process holds the index {}; try again later", self.file.display())))
    }
}
