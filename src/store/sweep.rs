//! Deleted terms must leave the file. `secure-delete` takes them out of the full-text index's pages, but not out of the table that says with which term each
//! page starts; and it is slow. So what was deleted is remembered until the sync's end, which merges the whole index where that is needed.

use std::collections::BTreeSet;
use std::ops::Bound;

use rusqlite::{Connection, OptionalExtension as _};

use super::IndexRow;
use crate::limits::CHUNKS_SWEPT_ONE_BY_ONE;

#[derive(Debug, Default)]
pub(super) struct Sweep {
    terms: BTreeSet<String>,
    chunks: usize,
    /// The index has to be merged, whatever was deleted since.
    merge: bool,
}

impl Sweep {
    /// Takes over what an earlier writer left; such a one may have stopped in the midst of a large deletion.
    pub(super) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let merge = connection.query_row("SELECT holds_deleted FROM project_states", [], |row| row.get(0))?;
        Ok(Sweep { merge, ..Sweep::default() })
    }

    /// Notes a row that is about to be deleted.
    pub(super) fn note(&mut self, row: &IndexRow, connection: &Connection) -> rusqlite::Result<()> {
        if self.chunks == 0 {
            connection.execute("UPDATE project_states SET holds_deleted = 1", [])?;
        }
        self.chunks += 1;
        if self.chunks == CHUNKS_SWEPT_ONE_BY_ONE {
            self.merge = true;
            set_secure_delete(connection, false)?;
        }
        if self.merge {
            self.terms.clear();
            return Ok(());
        }
        for term in [&row.path, &row.symbols, &row.body].into_iter().flat_map(|column| column.split_ascii_whitespace()) {
            if !self.terms.contains(term) {
                self.terms.insert(term.to_owned());
            }
        }
        Ok(())
    }

    /// Whether anything was deleted, by this writer or by one that did not come to sweep.
    pub(super) fn is_needed(&self) -> bool {
        self.merge || self.chunks > 0
    }

    /// Whether only a merge takes the last traces of what was deleted out of the index.
    pub(super) fn needs_merge(&self, connection: &Connection) -> rusqlite::Result<bool> {
        if self.merge || self.terms.is_empty() {
            return Ok(self.merge);
        }
        let mut live = connection.prepare_cached("SELECT term FROM project_snippets_vocabulary WHERE term >= ?1 LIMIT 1")?;
        let mut pages = connection.prepare_cached("SELECT term FROM project_snippets_fts_idx")?;
        let mut pages = pages.query([])?;
        while let Some(page) = pages.next()? {
            // The first byte names the index that the page is of; the rest is as much of a term as tells it from the page before.
            let Some((_, start)) = page.get_ref(0)?.as_bytes()?.split_first() else { continue };
            // A term is cut between bytes, so its last character may be half there.
            let start = start.utf8_chunks().next().map_or("", |chunk| chunk.valid());
            let was_deleted =
                !start.is_empty() && self.terms.range::<str, _>((Bound::Included(start), Bound::Unbounded)).next().is_some_and(|term| term.starts_with(start));
            if was_deleted {
                let next: Option<String> = live.query_row([start], |row| row.get(0)).optional()?;
                if !next.is_some_and(|next| next.starts_with(start)) {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Nothing of what was deleted is left.
    pub(super) fn done(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        if self.is_needed() {
            set_secure_delete(connection, true)?;
            connection.execute("UPDATE project_states SET holds_deleted = 0", [])?;
        }
        *self = Sweep::default();
        Ok(())
    }
}

fn set_secure_delete(connection: &Connection, on: bool) -> rusqlite::Result<()> {
    connection.execute("INSERT INTO project_snippets_fts (project_snippets_fts, rank) VALUES ('secure-delete', ?1)", [on]).map(|_| ())
}
