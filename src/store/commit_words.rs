//! What past commits said about each file: the words of their messages, counted.

use std::collections::BTreeMap;

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, params};

use super::reader::Reader;
use super::writer::Writer;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::limits::COMMITS_PER_BATCH;
use crate::places::term_number;
use crate::rel_path::RelPath;

/// What a word of a subject counts; one that stands in the body alone counts 1.
const IN_SUBJECT: f64 = 2.0;
/// Counts are stored as whole numbers of this share of one.
const PARTS: f64 = 64.0;
/// Bytes of one word: the low half of its number and its count, both little-endian.
const ENTRY: usize = 6;

/// What the messages of the commits that touched a file hold of some words.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitWords {
    /// How often each of the words asked for, a word in a commit of n files counting 1/√n, twice that in its subject.
    pub counts: Vec<f64>,
    /// The same over all words.
    pub length: f64,
}

/// In how many messages each of some words stands.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitFrequencies {
    /// Commits that are remembered.
    pub commits: f64,
    pub holding: Vec<f64>,
}

fn number(word: &str) -> u32 {
    term_number(word) as u32
}

impl Reader<'_> {
    /// In how many messages of remembered commits each term stands.
    ///
    /// # Errors
    /// The index can't be read.
    pub fn commit_frequencies<'a>(&self, terms: impl Iterator<Item = &'a str>) -> Result<CommitFrequencies> {
        self.read("counting the words of commits", |connection| {
            let commits = connection.prepare_cached("SELECT count(*) FROM project_commits")?.query_row([], |row| row.get(0))?;
            let mut statement = connection.prepare_cached("SELECT doc FROM project_commits_vocabulary WHERE term = ?1")?;
            let mut holding = |term: &str| Ok(statement.query_row([term], |row| row.get(0)).optional()?.unwrap_or(0.0));
            Ok(CommitFrequencies { commits, holding: terms.map(&mut holding).collect::<rusqlite::Result<_>>()? })
        })
    }

    /// What the commits that touched a file say of the terms; `None` if there are none.
    ///
    /// # Errors
    /// The index can't be read.
    pub fn commit_words(&self, path: &RelPath, terms: &[String]) -> Result<Option<CommitWords>> {
        self.read("reading the words of commits", |connection| {
            let mut statement = connection.prepare_cached("SELECT words FROM project_commit_words WHERE path = ?1 AND words IS NOT NULL")?;
            statement.query_row([path.as_str()], |row| Ok(decode(row.get_ref(0)?.as_blob()?, terms))).optional()
        })
    }
}

impl Writer<'_> {
    /// Counts the words of the files about which a commit came or went, until told to stop.
    ///
    /// # Errors
    /// The index can't be written.
    pub fn count_commit_words(&mut self, cancel: &Cancel) -> Result<()> {
        loop {
            let counted = self.write("counting the words of commits", |writer| {
                let connection = writer.sql();
                let mut uncounted = connection.prepare_cached("SELECT path FROM project_commit_words WHERE words IS NULL LIMIT ?1")?;
                let paths: Vec<String> = uncounted.query_map([COMMITS_PER_BATCH as i64], |row| row.get(0))?.collect::<rusqlite::Result<_>>()?;
                let mut messages = connection.prepare_cached(
                    "SELECT m.subject, m.body, c.files FROM project_commit_files AS t CROSS JOIN project_commits AS c ON c.id = t.commit_id
                     CROSS JOIN project_commits_fts AS m ON m.rowid = t.commit_id WHERE t.path = ?1",
                )?;
                for path in &paths {
                    let words = count(&mut messages, path)?;
                    if words.is_empty() {
                        connection.prepare_cached("DELETE FROM project_commit_words WHERE path = ?1")?.execute([path])?;
                    } else {
                        connection.prepare_cached("UPDATE project_commit_words SET words = ?2 WHERE path = ?1")?.execute(params![path, words])?;
                    }
                }
                Ok(paths.len())
            })?;
            if counted < COMMITS_PER_BATCH || cancel.should_stop() {
                return Ok(());
            }
            self.commit()?;
        }
    }
}

/// Says that the words about a file are to be counted anew.
pub(super) fn is_uncounted(connection: &Connection, path: &str) -> rusqlite::Result<()> {
    connection.prepare_cached("INSERT OR REPLACE INTO project_commit_words (path) VALUES (?1)")?.execute([path]).map(|_| ())
}

/// The same of each file that a commit touched.
pub(super) fn are_uncounted(connection: &Connection, commit: i64) -> rusqlite::Result<()> {
    let sql = "INSERT OR REPLACE INTO project_commit_words (path) SELECT path FROM project_commit_files WHERE commit_id = ?1";
    connection.prepare_cached(sql)?.execute([commit]).map(|_| ())
}

/// The words of the messages about a file, by number.
fn count(messages: &mut CachedStatement<'_>, path: &str) -> rusqlite::Result<Vec<u8>> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    let mut rows = messages.query([path])?;
    while let Some(row) = rows.next()? {
        let (subject, body) = (row.get_ref(0)?.as_str()?, row.get_ref(1)?.as_str()?);
        let share = PARTS / row.get::<_, f64>(2)?.max(1.0).sqrt();
        let mut own: BTreeMap<u32, f64> = body.split(' ').filter(|word| !word.is_empty()).map(|word| (number(word), share)).collect();
        own.extend(subject.split(' ').filter(|word| !word.is_empty()).map(|word| (number(word), share * IN_SUBJECT)));
        for (word, share) in own {
            *counts.entry(word).or_default() += share.round() as u64;
        }
    }
    let entry = |(word, count): (u32, u64)| {
        let count = u16::try_from(count).unwrap_or(u16::MAX);
        word.to_le_bytes().into_iter().chain(count.to_le_bytes())
    };
    Ok(counts.into_iter().flat_map(entry).collect())
}

fn decode(words: &[u8], terms: &[String]) -> CommitWords {
    let entries = words.as_chunks::<ENTRY>().0;
    let number_of = |entry: &[u8; ENTRY]| u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
    let count_of = |entry: &[u8; ENTRY]| f64::from(u16::from_le_bytes([entry[4], entry[5]])) / PARTS;
    let count = |term: &String| entries.binary_search_by_key(&number(term), number_of).map_or(0.0, |at| count_of(&entries[at]));
    CommitWords { counts: terms.iter().map(count).collect(), length: entries.iter().map(count_of).sum() }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(words: Vec<u8>, term in ".{0,12}") {
            let found = decode(&words, &[term]);
            prop_assert!(found.length >= 0.0 && found.counts[0] >= 0.0);
        }
    }
}
