//! Reads of one consistent state.

use std::collections::HashMap;
use std::time::Duration;

use rusqlite::types::Type;
use rusqlite::{Connection, OptionalExtension as _, Row, ToSql, ffi, params};

use super::parses;
use super::{
    ActualUsage, ChunkRow, FileId, FileIdentity, FileRow, Held, KnownFile, LanguageTotals, ProjectState, Store, StoredManifest, SymbolHit, SymbolRow, Totals,
};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::git::GitState;
use crate::hash::Hash;
use crate::limits::{BUSY_TIMEOUT_MS, MAX_LINES};
use crate::places::{self, Found, TermNumber, term_number};
use crate::rel_path::RelPath;
use crate::root::Facts;
use crate::syntax::{Parsed, Span, SymbolKind};
use crate::terms;

/// Reads of one consistent state: what is committed later is not seen.
pub struct Reader<'store> {
    store: &'store Store,
    /// `None` only while it is dropped.
    connection: Option<Connection>,
    file: FileIdentity,
    /// Names the state that is read: each commit has another.
    generation: i64,
}

impl<'store> Reader<'store> {
    pub(super) fn new(store: &'store Store) -> Result<Self> {
        Reader::within(store, &Cancel::default())
    }

    pub(super) fn within(store: &'store Store, cancel: &Cancel) -> Result<Self> {
        let whole = Duration::from_millis(BUSY_TIMEOUT_MS.into());
        let patience = cancel.left().map_or(whole, |left| left.min(whole));
        let file = store.file_now()?;
        let idle = {
            let mut readers = store.readers.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            readers.retain(|held| held.file == file);
            readers.pop()
        };
        let open = || -> rusqlite::Result<(Connection, i64)> {
            let connection = match idle {
                Some(held) => held.connection,
                None => {
                    let connection = super::open::connect_to_read(&store.file)?;
                    connection.pragma_update(None, "query_only", true)?;
                    connection
                }
            };
            connection.busy_timeout(patience)?;
            // The snapshot is taken by the first read.
            connection.execute_batch("BEGIN")?;
            let generation = connection.prepare_cached("SELECT generation FROM project_states")?.query_row([], |row| row.get(0))?;
            Ok((connection, generation))
        };
        let (connection, generation) = open().map_err(|error| store.failure("opening it for reading", &error))?;
        Ok(Reader { store, connection: Some(connection), file, generation })
    }

    pub(super) fn read<T>(&self, what: &str, work: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T> {
        let connection = self.connection.as_ref().expect("a reader has its connection until it is dropped");
        work(connection).map_err(|error| self.store.failure(what, &error))
    }

    /// What the last sync knew of the project as a whole.
    pub fn state(&self) -> Result<ProjectState> {
        self.read("reading the project's state", |connection| {
            connection.prepare_cached("SELECT git_root, git_branch, git_head, changed, indexed_at, listed, complete FROM project_states")?.query_row(
                [],
                |row| {
                    let root: Option<String> = row.get(0)?;
                    Ok(ProjectState {
                        git: root.map(|root| Ok::<_, rusqlite::Error>(GitState { root, branch: row.get(1)?, head: row.get(2)? })).transpose()?,
                        changed: serde_json::from_str(row.get_ref(3)?.as_str()?).map_err(|_| damage("the changed paths"))?,
                        indexed_at: row.get(4)?,
                        listed: unsigned(row, 5)?,
                        complete: row.get(6)?,
                    })
                },
            )
        })
    }

    /// Sizes of the current projection.
    pub fn totals(&self) -> Result<Totals> {
        let mut counted = self.store.counted.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match *counted {
            Some((file, generation, totals)) if (file, generation) == (self.file, self.generation) => Ok(totals),
            _ => {
                let totals = self.count()?;
                *counted = Some((self.file, self.generation, totals));
                Ok(totals)
            }
        }
    }

    fn count(&self) -> Result<Totals> {
        self.read("counting", |connection| {
            let sql = "SELECT state, count(*), sum(snippets), sum(symbols), sum(text_bytes) FROM project_files GROUP BY state";
            let mut statement = connection.prepare_cached(sql)?;
            let mut rows = statement.query([])?;
            let mut totals = Totals::default();
            while let Some(row) = rows.next()? {
                let count = unsigned(row, 1)?;
                match row.get(0)? {
                    super::CURRENT => {
                        totals.files = count;
                        totals.chunks = unsigned(row, 2)?;
                        totals.symbols = unsigned(row, 3)?;
                        totals.text_bytes = unsigned(row, 4)?;
                    }
                    super::REFUSED => totals.refused = count,
                    _ => totals.stale_files = count,
                }
            }
            Ok(totals)
        })
    }

    /// The current files by language, most files first.
    pub fn languages(&self) -> Result<Vec<LanguageTotals>> {
        self.read("counting languages", |connection| {
            let sql = "SELECT language, count(*), sum(lines), sum(symbols), sum(text_bytes) FROM project_files WHERE state = 0
                       GROUP BY language ORDER BY count(*) DESC, language";
            let row = |row: &Row<'_>| {
                Ok(LanguageTotals {
                    language: row.get(0)?,
                    files: unsigned(row, 1)?,
                    lines: unsigned(row, 2)?,
                    symbols: unsigned(row, 3)?,
                    bytes: unsigned(row, 4)?,
                })
            };
            connection.prepare_cached(sql)?.query_map([], row)?.collect()
        })
    }

    /// The paths that rules refused by their content, each with its rule; by path.
    pub fn refused(&self) -> Result<Vec<(RelPath, String)>> {
        self.read("reading the refused files", |connection| {
            let mut statement = connection.prepare_cached("SELECT path, rule FROM project_files WHERE state = 1 ORDER BY path")?;
            statement.query_map([], |row| Ok((path(row, 0)?, row.get(1)?)))?.collect()
        })
    }

    /// The rule that refused a path by its content; `None` if none did.
    pub fn refusal_of(&self, path: &RelPath) -> Result<Option<String>> {
        self.read("reading a refused file", |connection| {
            connection.prepare_cached("SELECT rule FROM project_files WHERE state = 1 AND path = ?1")?.query_row([path.as_str()], |row| row.get(0)).optional()
        })
    }

    /// Every path that the last sync looked at.
    pub fn known_files(&self) -> Result<HashMap<RelPath, KnownFile>> {
        self.read("reading the known files", |connection| {
            let count: u32 = connection.query_row("SELECT count(*) FROM project_files WHERE state < 2", [], |row| row.get(0))?;
            let mut known = HashMap::with_capacity(count as usize);
            let mut statement = connection.prepare_cached(
                "SELECT path, size, mtime_ns, ctime_ns, inode, device, id, tracked, modified, rule, read_at, rules, hash
                 FROM project_files WHERE state < 2",
            )?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                let file = KnownFile {
                    id: row.get(6)?,
                    hash: if row.get_ref(12)?.data_type() == Type::Null { None } else { Some(hash(row, 12)?) },
                    facts: facts(row, 1)?,
                    tracked: row.get(7)?,
                    modified: row.get(8)?,
                    refused: row.get(9)?,
                    read_at: row.get(10)?,
                    rules: hash(row, 11)?,
                };
                known.insert(path(row, 0)?, file);
            }
            Ok(known)
        })
    }

    /// A current file.
    pub fn file(&self, id: FileId) -> Result<Option<FileRow>> {
        let sql = format!("{FILE} AND id = ?1");
        self.read("reading a file's row", |connection| connection.prepare_cached(&sql)?.query_row([id], file_row).optional())
    }

    /// Those of some files that are current.
    pub fn files(&self, ids: &[FileId]) -> Result<Vec<FileRow>> {
        let sql = format!("{FILE} AND id = ?1");
        self.read("reading files' rows", |connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            ids.iter().filter_map(|id| statement.query_row([id], file_row).optional().transpose()).collect()
        })
    }

    /// The current file at a path.
    pub fn file_at(&self, path: &RelPath) -> Result<Option<FileRow>> {
        let sql = format!("{FILE} AND path = ?1");
        self.read("reading a file's row", |connection| connection.prepare_cached(&sql)?.query_row([path.as_str()], file_row).optional())
    }

    /// Files whose folded base name (with or without its extension) is `folded`; by path, at most `limit`.
    pub fn files_named(&self, folded: &str, limit: usize) -> Result<Vec<FileRow>> {
        let sql = files_named_sql();
        self.read("looking a file name up", |connection| connection.prepare_cached(&sql)?.query_map(params![folded, limit as i64], file_row)?.collect())
    }

    /// Declarations whose folded simple name is `folded`, imports and package clauses left out; by path and line, at most `limit`.
    pub fn symbols_named(&self, folded: &str, limit: usize) -> Result<Vec<SymbolHit>> {
        let sql =
            format!("{SYMBOL} JOIN project_files ON project_files.id = file WHERE folded_hash = ?1 AND kind NOT IN (?2, ?3) ORDER BY path, start_byte, s.id");
        self.read("looking a symbol up", |connection| {
            let mut statement = connection.prepare_cached(&sql)?;
            let mut rows = statement.query(params![folded_hash(folded), kind_number(SymbolKind::Import), kind_number(SymbolKind::Package)])?;
            let mut hits = Vec::new();
            while hits.len() < limit
                && let Some(row) = rows.next()?
            {
                // Two names may have one hash.
                if terms::fold(row.get_ref(3)?.as_str()?) == folded {
                    hits.push(symbol_hit(connection, row)?);
                }
            }
            Ok(hits)
        })
    }

    /// Symbols declared in a file, in order of their start.
    pub fn symbols_of(&self, file: FileId) -> Result<Vec<SymbolHit>> {
        let sql = format!("{SYMBOL} WHERE {SYMBOLS_OF} ORDER BY start_byte, s.id");
        self.read("reading a file's symbols", |connection| symbols(connection, &sql, params![file]))
    }

    /// Symbols of a file whose declaration holds the line, outermost first.
    pub fn symbols_at(&self, file: FileId, line: u32) -> Result<Vec<SymbolHit>> {
        let sql = format!("{SYMBOL} WHERE {SYMBOLS_OF} AND start_line <= ?2 AND end_line >= ?2 ORDER BY start_byte, end_byte DESC, s.id");
        self.read("reading a line's symbols", |connection| symbols(connection, &sql, params![file, line]))
    }

    /// Chunks of a file, in order of their start; none of one that is not current.
    pub fn chunks_of(&self, file: FileId) -> Result<Vec<ChunkRow>> {
        let sql = format!("{CHUNK} AND {CHUNKS_OF} ORDER BY start_byte, c.id");
        self.read("reading a file's chunks", |connection| connection.prepare_cached(&sql)?.query_map([file], chunk)?.collect())
    }

    /// Where terms stand in a file that this reader named and that holds them all; `wanted` by their numbers, each with the number to report.
    ///
    /// # Errors
    /// Store errors; missing places are damage, as nothing of one state names a file that is gone.
    pub fn places(&self, file: FileId, wanted: &[(TermNumber, u16)]) -> Result<Found> {
        self.read("reading a file's terms", |connection| {
            let mut statement = connection.prepare_cached("SELECT places FROM project_places WHERE file = ?1")?;
            let find = |row: &Row<'_>| places::find(row.get_ref(0)?.as_blob()?, wanted).map_err(|_| damage("the places of a file's terms"));
            statement.query_row([file], find)
        })
    }

    /// The parse of the very same text (of this hash) by this very parser, if it is remembered: kinds, names and places alone.
    pub fn parse_of(&self, text: &str, text_hash: &Hash, parser: &str) -> Result<Option<Parsed>> {
        self.read("looking a parse up", |connection| {
            let mut statement = connection.prepare_cached("SELECT parse FROM project_parses WHERE key = ?1")?;
            let stored: Option<Vec<u8>> = statement.query_row([parses::key(text_hash, parser)], |row| row.get(0)).optional()?;
            Ok(stored.and_then(|stored| parses::decode(&stored, text, parser)))
        })
    }

    /// The newest manifests, newest first.
    pub fn manifests(&self, limit: usize) -> Result<Vec<StoredManifest>> {
        self.stored_manifests("ORDER BY created_at DESC, rowid DESC LIMIT ?1", params![limit as i64])
    }

    /// One manifest.
    pub fn manifest(&self, id: &str) -> Result<Option<StoredManifest>> {
        Ok(self.stored_manifests("WHERE id = ?1", params![id])?.pop())
    }

    fn stored_manifests(&self, which: &str, given: &[&dyn ToSql]) -> Result<Vec<StoredManifest>> {
        self.read("reading manifests", |connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT id, created_at, manifest, completed_at, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens FROM context_manifests {which}"
            ))?;
            let rows = statement.query_map(given, |row| {
                let completed_at: Option<i64> = row.get(3)?;
                let usage = completed_at.map(|completed_at| {
                    Ok::<_, rusqlite::Error>(ActualUsage {
                        completed_at,
                        input_tokens: unsigned(row, 4)?,
                        output_tokens: unsigned(row, 5)?,
                        cache_read_tokens: unsigned(row, 6)?,
                        cache_write_tokens: unsigned(row, 7)?,
                    })
                });
                Ok(StoredManifest { id: row.get(0)?, created_at: row.get(1)?, json: row.get(2)?, usage: usage.transpose()? })
            })?;
            rows.collect()
        })
    }
}

impl Drop for Reader<'_> {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        // One that reads without locks would not notice what somebody else writes later.
        if connection.execute_batch("ROLLBACK").is_ok() && !self.store.read_only {
            self.store.readers.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(Held { file: self.file, connection });
        }
    }
}

const FILE: &str = "SELECT id, path, hash, size, mtime_ns, ctime_ns, inode, device, language, tracked, modified, generated, lines, indexed_at
                    FROM project_files WHERE state = 0";
const SYMBOL: &str = "SELECT s.id, s.file, s.kind, s.name, s.qualified_name, s.exported, s.start_byte, s.end_byte, s.start_line, s.end_line,
                      s.doc_start_byte, s.doc_end_byte, s.doc_start_line, s.doc_end_line, s.parent, s.elsewhere FROM project_symbols AS s";
const CHUNK: &str = "SELECT c.id, c.file, c.symbol, c.start_byte, c.end_byte, c.start_line, c.end_line FROM project_snippets AS c
                     JOIN project_files ON project_files.id = c.file WHERE project_files.state = 0";

/// The symbols (s) of the file ?1. Where it is stale, its ids may be those of others by now.
pub(super) const SYMBOLS_OF: &str = "s.id >= (SELECT first_symbol FROM project_files WHERE id = ?1)
    AND s.id < (SELECT first_symbol + symbols FROM project_files WHERE id = ?1) AND s.file = ?1";
/// The chunks (c) of the file ?1.
pub(super) const CHUNKS_OF: &str = "c.id >= (SELECT first_snippet FROM project_files WHERE id = ?1)
    AND c.id < (SELECT first_snippet + snippets FROM project_files WHERE id = ?1) AND c.file = ?1";

/// With OR, and where SQLite may choose the index, all rows would be looked through.
fn files_named_sql() -> String {
    let by = |column: &str| FILE.replace("project_files", &format!("project_files INDEXED BY project_files_by_{column}")) + &format!(" AND {column} = ?1");
    format!("{} UNION {} ORDER BY path LIMIT ?2", by("name"), by("stem"))
}

/// What SQLite would say had it noticed that a value is not one that this package wrote.
pub(super) fn damage(what: &str) -> rusqlite::Error {
    rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_CORRUPT), Some(format!("{what} can't be decoded")))
}

/// A term or phrase as a string of the full-text query language, in which nothing of it is syntax; `None` if there is nothing to look for.
pub(super) fn quote(term: &str) -> Option<String> {
    let plain = term.replace('\0', " ").replace('"', "\"\"");
    (!plain.trim().is_empty()).then(|| format!("\"{plain}\""))
}

fn unsigned(row: &Row<'_>, at: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get::<_, Option<i64>>(at)?.unwrap_or(0);
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(at, value))
}

fn path(row: &Row<'_>, at: usize) -> rusqlite::Result<RelPath> {
    RelPath::parse(row.get_ref(at)?.as_str()?).map_err(|error| rusqlite::Error::FromSqlConversionFailure(at, Type::Text, Box::new(error)))
}

fn hash(row: &Row<'_>, at: usize) -> rusqlite::Result<Hash> {
    Hash::from_slice(row.get_ref(at)?.as_blob()?).ok_or_else(|| damage("a hash"))
}

fn facts(row: &Row<'_>, at: usize) -> rusqlite::Result<Facts> {
    Ok(Facts {
        size: unsigned(row, at)?,
        mtime_ns: row.get(at + 1)?,
        ctime_ns: row.get(at + 2)?,
        inode: row.get::<_, i64>(at + 3)? as u64,
        device: row.get::<_, i64>(at + 4)? as u64,
    })
}

fn file_row(row: &Row<'_>) -> rusqlite::Result<FileRow> {
    Ok(FileRow {
        id: row.get(0)?,
        path: path(row, 1)?,
        hash: hash(row, 2)?,
        facts: facts(row, 3)?,
        language: row.get(8)?,
        tracked: row.get(9)?,
        modified: row.get(10)?,
        generated: row.get(11)?,
        lines: row.get(12).and_then(|lines| if lines <= MAX_LINES { Ok(lines) } else { Err(damage("a number of lines")) })?,
        indexed_at: row.get(13)?,
    })
}

pub(super) fn span(row: &Row<'_>, at: usize) -> rusqlite::Result<Span> {
    let span = Span { start_byte: row.get(at)?, end_byte: row.get(at + 1)?, start_line: row.get(at + 2)?, end_line: row.get(at + 3)? };
    let in_order = span.start_byte <= span.end_byte && (1..=span.end_line).contains(&span.start_line) && span.end_line <= MAX_LINES;
    in_order.then_some(span).ok_or_else(|| damage("a span"))
}

pub(super) fn kind(row: &Row<'_>, at: usize) -> rusqlite::Result<SymbolKind> {
    SymbolKind::ALL.get(usize::from(row.get::<_, u8>(at)?)).copied().ok_or_else(|| damage("a symbol's kind"))
}

/// A kind as it is stored.
pub(super) fn kind_number(kind: SymbolKind) -> i64 {
    SymbolKind::ALL.iter().position(|other| *other == kind).unwrap_or(SymbolKind::ALL.len()) as i64
}

/// What symbols are looked up by.
pub(super) fn folded_hash(folded: &str) -> i32 {
    (term_number(folded) >> 15) as i32
}

/// The stored qualified name, or the one that follows from the name and the parents.
pub(super) fn qualified_name(connection: &Connection, name: &str, stored: Option<String>, parent: Option<i64>) -> rusqlite::Result<String> {
    if let Some(whole) = stored {
        return Ok(whole);
    }
    let (mut parts, mut parent) = (vec![name.to_owned()], parent);
    while let Some(id) = parent {
        let sql = "SELECT name, qualified_name, parent FROM project_symbols WHERE id = ?1";
        let row = connection.prepare_cached(sql)?.query_row([id], |row| Ok((row.get(0)?, row.get::<_, Option<String>>(1)?, row.get::<_, Option<i64>>(2)?)));
        let (name, stored, next) = row?;
        // A parent stands before what is in it: anything else may be a circle.
        if stored.is_none() && next.is_some_and(|next| next >= id) {
            return Err(damage("a symbol's parents"));
        }
        parent = next.filter(|_| stored.is_none());
        parts.push(stored.unwrap_or(name));
    }
    parts.reverse();
    Ok(parts.join("."))
}

fn symbols(connection: &Connection, sql: &str, parameters: &[&dyn ToSql]) -> rusqlite::Result<Vec<SymbolHit>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut hits = Vec::new();
    while let Some(row) = rows.next()? {
        hits.push(symbol_hit(connection, row)?);
    }
    Ok(hits)
}

fn symbol_hit(connection: &Connection, row: &Row<'_>) -> rusqlite::Result<SymbolHit> {
    let name: String = row.get(3)?;
    Ok(SymbolHit {
        id: row.get(0)?,
        file: row.get(1)?,
        kind: kind(row, 2)?,
        qualified_name: qualified_name(connection, &name, row.get(4)?, row.get(14)?)?,
        name,
        exported: row.get(5)?,
        elsewhere: row.get(15)?,
        span: span(row, 6)?,
        doc: if row.get_ref(10)?.data_type() == Type::Null { None } else { Some(span(row, 10)?) },
    })
}

fn chunk(row: &Row<'_>) -> rusqlite::Result<ChunkRow> {
    Ok(ChunkRow { id: row.get(0)?, file: row.get(1)?, symbol: row.get::<_, Option<SymbolRow>>(2)?, span: span(row, 3)? })
}
