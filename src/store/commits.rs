//! Past commits: what was said and which files were touched.

use std::collections::{HashMap, HashSet};

use rusqlite::params;

use super::FileId;
use super::reader::{self, Reader};
use super::writer::Writer;
use crate::error::Result;
use crate::terms;

/// What is remembered of past commits.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitMemory {
    /// What the remembered ones were found on, as it was written.
    pub head: Option<String>,
    /// Whether all that are wanted of it are remembered.
    pub complete: bool,
    /// The row of each by its hash.
    pub known: HashMap<String, i64>,
    /// Present names of files by earlier ones.
    pub renames: HashMap<String, String>,
}

/// A commit to be remembered.
#[derive(Debug)]
pub struct NewCommit<'a> {
    pub hash: &'a str,
    pub subject: &'a str,
    pub body: &'a str,
    /// Present names of the files that it touched; empty for one that is to be known by its hash alone.
    pub files: &'a [&'a str],
    /// How many it touched, here or not.
    pub touched: usize,
}

/// A current file that a commit touched whose message matches.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitVote {
    pub file: FileId,
    pub hash: String,
    /// The message's BM25; positive.
    pub score: f64,
    /// The place of the commit among those that match.
    pub rank: usize,
    /// Files that the commit touched.
    pub touched: u32,
    /// Those of the terms that the message holds, by their places.
    pub held: Vec<usize>,
}

/// Weights of subject and body.
const MESSAGE_COLUMNS: &str = "bm25(2.0, 1.0)";

impl Reader<'_> {
    /// What is remembered of past commits.
    pub fn commit_memory(&self) -> Result<CommitMemory> {
        self.read("reading the remembered commits", |connection| {
            let pairs = |sql: &str| -> rusqlite::Result<HashMap<String, String>> {
                connection.prepare_cached(sql)?.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
            };
            let (head, complete) =
                connection.query_row("SELECT commits_head, commits_complete FROM project_states", [], |row| Ok((row.get(0)?, row.get(1)?)))?;
            let mut known = connection.prepare_cached("SELECT hash, id FROM project_commits")?;
            let known = known.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect::<rusqlite::Result<_>>()?;
            Ok(CommitMemory { head, complete, known, renames: pairs("SELECT old, new FROM project_commit_renames")? })
        })
    }

    /// The head and completeness of [`Reader::commit_memory`] alone.
    pub fn commits_head(&self) -> Result<(Option<String>, bool)> {
        self.read("reading the remembered commits", |connection| {
            connection.prepare_cached("SELECT commits_head, commits_complete FROM project_states")?.query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        })
    }

    /// The current files of the commits whose messages hold any of the terms, best message first, of at most `limit` commits.
    pub fn match_commits(&self, terms: &[String], limit: usize) -> Result<Vec<CommitVote>> {
        let quoted: Vec<String> = terms.iter().filter_map(|term| reader::quote(term)).collect();
        if quoted.is_empty() {
            return Ok(Vec::new());
        }
        self.read("searching commits", |connection| {
            let sql = "SELECT f.id, c.id, c.hash, m.rank, c.files, m.message FROM
                         (SELECT rowid AS id, rank, subject || ' ' || body AS message FROM project_commits_fts WHERE project_commits_fts MATCH ?1 AND rank MATCH ?2 ORDER BY rank LIMIT ?3) AS m
                       CROSS JOIN project_commits AS c ON c.id = m.id CROSS JOIN project_commit_files AS t ON t.commit_id = m.id
                       CROSS JOIN project_files AS f ON f.path = t.path AND f.state = 0 ORDER BY m.rank, c.hash, f.path";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query(params![quoted.join(" OR "), MESSAGE_COLUMNS, limit as i64])?;
            let mut votes = Vec::new();
            let (mut last, mut rank, mut held) = (None, 0, Vec::new());
            while let Some(row) = rows.next()? {
                let commit: i64 = row.get(1)?;
                if last != Some(commit) {
                    rank += usize::from(last.is_some());
                    last = Some(commit);
                    let words: HashSet<&str> = row.get_ref(5)?.as_str()?.split(' ').collect();
                    held = (0..terms.len()).filter(|&term| words.contains(terms[term].as_str())).collect();
                }
                let score = -row.get::<_, f64>(3)?;
                votes.push(CommitVote { file: row.get(0)?, hash: row.get(2)?, score, rank, touched: row.get(4)?, held: held.clone() });
            }
            Ok(votes)
        })
    }
}

impl Writer<'_> {
    /// Remembers a commit.
    pub fn put_commit(&mut self, commit: &NewCommit<'_>) -> Result<()> {
        self.write("writing a commit", |writer| {
            writer.unsettled = true;
            let connection = writer.sql();
            let sql = "INSERT INTO project_commits (hash, files) VALUES (?1, ?2)";
            connection.prepare_cached(sql)?.execute(params![commit.hash, commit.touched as i64])?;
            if commit.files.is_empty() {
                return Ok(());
            }
            let id = connection.last_insert_rowid();
            let mut file = connection.prepare_cached("INSERT OR IGNORE INTO project_commit_files VALUES (?1, ?2)")?;
            for path in commit.files {
                file.execute(params![id, path])?;
            }
            let sql = "INSERT INTO project_commits_fts (rowid, subject, body) VALUES (?1, ?2, ?3)";
            connection.prepare_cached(sql)?.execute(params![id, terms::index_text(commit.subject), terms::index_text(commit.body)])?;
            Ok(())
        })
    }

    /// Remembers by which name commits before those that are known know a file.
    pub fn put_commit_rename(&mut self, old: &str, new: &str) -> Result<()> {
        self.write("writing a rename", |writer| {
            let sql = "INSERT OR REPLACE INTO project_commit_renames VALUES (?1, ?2)";
            writer.sql().prepare_cached(sql)?.execute([old, new]).map(|_| ())
        })
    }

    /// Moves a file that known commits touched.
    pub fn move_commit_file(&mut self, old: &str, new: &str) -> Result<()> {
        self.write("writing a rename", |writer| {
            for sql in [
                "UPDATE OR REPLACE project_commit_files SET path = ?2 WHERE path = ?1",
                "UPDATE project_commit_renames SET new = ?2 WHERE new = ?1",
                "INSERT OR IGNORE INTO project_commit_renames VALUES (?1, ?2)",
            ] {
                writer.sql().prepare_cached(sql)?.execute([old, new])?;
            }
            Ok(())
        })
    }

    /// Forgets some commits, or all with `None`. Nothing of their messages stays in the index.
    pub fn forget_commits(&mut self, rows: Option<&[i64]>) -> Result<()> {
        self.write("forgetting commits", |writer| {
            writer.unsettled = true;
            writer.deletes = true;
            let connection = writer.sql();
            match rows {
                Some(rows) => {
                    for table in ["project_commits_fts WHERE rowid", "project_commits WHERE id"] {
                        let mut delete = connection.prepare_cached(&format!("DELETE FROM {table} = ?1"))?;
                        for row in rows {
                            delete.execute([row])?;
                        }
                    }
                }
                None => connection.execute_batch(
                    "DELETE FROM project_commits_fts; DELETE FROM project_commits; DELETE FROM project_commit_renames;
                     UPDATE project_states SET commits_head = NULL, commits_complete = 0;",
                )?,
            }
            connection.execute("INSERT INTO project_commits_fts (project_commits_fts) VALUES ('optimize')", []).map(|_| ())
        })
    }

    /// Says on which commit the remembered ones were found, and whether they are all.
    pub fn put_commits_head(&mut self, head: &str, complete: bool) -> Result<()> {
        self.write("writing the remembered commits", |writer| {
            let sql = "UPDATE project_states SET commits_head = ?1, commits_complete = ?2";
            writer.sql().prepare_cached(sql)?.execute(params![head, complete]).map(|_| ())
        })
    }
}
