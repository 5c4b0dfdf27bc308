//! Exact chunk counts of the terms that stand in many chunks. Counting such a term in the full-text index walks all of its chunks; the few thousand of them are
//! counted once after a full build and kept up to date by the writer. A term that no chunk holds any more leaves the table.

use std::collections::HashMap;

use rusqlite::{Connection, params};

use super::IndexRow;
use crate::limits::FREQUENT_TERM_CHUNKS;

#[derive(Debug, Default)]
pub(super) struct FrequentTerms {
    terms: HashMap<String, Count>,
}

#[derive(Debug)]
struct Count {
    snippets: i64,
    /// What the table says.
    stored: i64,
    /// The row in which the term was seen last, so that it counts once in each.
    row: u64,
}

impl FrequentTerms {
    pub(super) fn load(connection: &Connection) -> rusqlite::Result<Self> {
        let mut statement = connection.prepare("SELECT term, snippets FROM project_frequent_terms")?;
        let terms = statement.query_map([], |row| {
            let snippets = row.get(1)?;
            Ok((row.get(0)?, Count { snippets, stored: snippets, row: 0 }))
        })?;
        Ok(FrequentTerms { terms: terms.collect::<rusqlite::Result<_>>()? })
    }

    /// Counts one inserted (`by` 1) or deleted (`by` -1) row; `number` differs for each.
    pub(super) fn count(&mut self, row: &IndexRow, number: u64, by: i64) {
        if self.terms.is_empty() {
            return;
        }
        for term in [&row.path, &row.symbols, &row.body].into_iter().flat_map(|column| column.split_ascii_whitespace()) {
            if let Some(count) = self.terms.get_mut(term)
                && count.row != number
            {
                count.row = number;
                count.snippets += by;
            }
        }
    }

    /// Writes the counts that changed.
    pub(super) fn flush(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        let mut update = connection.prepare_cached("UPDATE project_frequent_terms SET snippets = ?2 WHERE term = ?1")?;
        let mut delete = connection.prepare_cached("DELETE FROM project_frequent_terms WHERE term = ?1")?;
        for (term, count) in self.terms.iter_mut().filter(|(_, count)| count.snippets != count.stored) {
            if count.snippets > 0 {
                update.execute(params![term, count.snippets])?;
            } else {
                delete.execute([term])?;
            }
            count.stored = count.snippets;
        }
        self.terms.retain(|_, count| count.snippets > 0);
        Ok(())
    }

    /// Finds the frequent terms anew. Walks the whole index.
    pub(super) fn rebuild(&mut self, connection: &Connection) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM project_frequent_terms", [])?;
        connection
            .execute("INSERT INTO project_frequent_terms SELECT term, doc FROM project_snippets_vocabulary WHERE doc >= ?1", [FREQUENT_TERM_CHUNKS as i64])?;
        *self = FrequentTerms::load(connection)?;
        Ok(())
    }
}
