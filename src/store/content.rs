//! The content of one file: its symbols, its chunks and the places of its terms, in and out of the tables.

use rusqlite::params;

use super::writer::Writer;
use super::{FileId, NewFile, now_ms, parses, postings, reader};
use crate::places::{TermNumber, Weight, file_terms, held};
use crate::rel_path::RelPath;
use crate::syntax::{Span, Symbol};
use crate::terms;

/// Ids that rows are believed to have: no index lives long enough to give so many.
const MAX_ROW_ID: i64 = 1 << 62;

impl Writer<'_> {
    /// Writes a file's row, symbols, chunks and places.
    pub(super) fn insert_file(&self, id: FileId, file: &NewFile<'_>) -> rusqlite::Result<()> {
        let next = |sql: &str| -> rusqlite::Result<i64> {
            let id = self.sql().prepare_cached(sql)?.query_row([], |row| row.get(0))?;
            if (1..MAX_ROW_ID).contains(&id) { Ok(id) } else { Err(reader::damage("an id")) }
        };
        let first_symbol = next("SELECT coalesce(max(id), 0) + 1 FROM project_symbols")?;
        let first_chunk = next("SELECT coalesce(max(id), 0) + 1 FROM project_snippets")?;
        self.insert_row(id, file, first_symbol, first_chunk)?;
        self.sql().prepare_cached("INSERT INTO project_places (file, places) VALUES (?1, ?2)")?.execute(params![id, file.terms.places])?;
        self.insert_symbols(id, file, first_symbol)?;
        self.insert_chunks(id, file, first_symbol, first_chunk)
    }

    fn insert_row(&self, id: FileId, file: &NewFile<'_>, first_symbol: i64, first_chunk: i64) -> rusqlite::Result<()> {
        let name = file.path.file_name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        let sql = "INSERT INTO project_files (id, path, state, hash, size, mtime_ns, ctime_ns, inode, device, language, tracked, modified, generated, lines,
                   text_bytes, snippets, symbols, indexed_at, read_at, rules, name, stem, first_symbol, first_snippet)
                   VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23)";
        self.sql().prepare_cached(sql)?.execute(params![
            id,
            file.path.as_str(),
            file.hash.as_bytes(),
            file.facts.size as i64,
            file.facts.mtime_ns,
            file.facts.ctime_ns,
            file.facts.inode as i64,
            file.facts.device as i64,
            file.language,
            file.tracked,
            file.modified,
            file.generated,
            file.packed.lines,
            file.packed.bytes,
            file.parsed.chunks.len() as i64,
            file.parsed.symbols.len() as i64,
            now_ms(),
            file.read_at,
            file.rules.as_bytes(),
            terms::fold(name),
            terms::fold(stem),
            first_symbol,
            first_chunk,
        ])?;
        Ok(())
    }

    fn insert_symbols(&self, id: FileId, file: &NewFile<'_>, first_symbol: i64) -> rusqlite::Result<()> {
        let mut insert =
            self.sql().prepare_cached("INSERT INTO project_symbols VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)")?;
        for (at, (symbol, elsewhere)) in file.parsed.symbols.iter().zip(&file.packed.elsewhere).enumerate() {
            let follows = if symbol.parent.is_some() { parses::is_in_parent(&file.parsed.symbols[..at], symbol) } else { symbol.qualified_name == symbol.name };
            insert.execute(params![
                first_symbol + at as i64,
                id,
                symbol.parent.map(|parent| first_symbol + i64::from(parent)),
                reader::kind_number(symbol.kind),
                symbol.name,
                reader::folded_hash(&terms::fold(&symbol.name)),
                (!follows).then_some(&symbol.qualified_name),
                symbol.span.start_byte,
                symbol.span.end_byte,
                symbol.span.start_line,
                symbol.span.end_line,
                symbol.doc.map(|doc| doc.start_byte),
                symbol.doc.map(|doc| doc.end_byte),
                symbol.doc.map(|doc| doc.start_line),
                symbol.doc.map(|doc| doc.end_line),
                symbol.exported,
                elsewhere
            ])?;
        }
        Ok(())
    }

    fn insert_chunks(&self, id: FileId, file: &NewFile<'_>, first_symbol: i64, first_chunk: i64) -> rusqlite::Result<()> {
        let mut insert = self.sql().prepare_cached("INSERT INTO project_snippets VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)")?;
        for (chunk, row) in file.parsed.chunks.iter().zip(first_chunk..) {
            let kind = chunk.symbol.and_then(|symbol| file.parsed.symbols.get(symbol as usize)).map(|symbol| reader::kind_number(symbol.kind));
            insert.execute(params![
                row,
                id,
                chunk.span.start_byte,
                chunk.span.end_byte,
                chunk.span.start_line,
                chunk.span.end_line,
                chunk.symbol.map(|symbol| first_symbol + i64::from(symbol)),
                kind
            ])?;
        }
        Ok(())
    }

    /// Drops the symbols and places of a current file, and returns the terms that it had; `new` are those that it will have.
    pub(super) fn drop_content(&mut self, id: FileId, path: &str, new: &[(TermNumber, Weight)]) -> rusqlite::Result<Vec<(TermNumber, Weight)>> {
        self.deletes = true;
        if self.pending.holds(id) {
            // What a file has is looked up in the table.
            let mut pending = std::mem::take(&mut self.pending);
            pending.flush(self.sql())?;
        }
        let path = RelPath::parse(path).map_err(|_| reader::damage("a path"))?;
        let sql = "SELECT places FROM project_places WHERE file = ?1";
        let of_text = self.sql().prepare_cached(sql)?.query_row([id], |row| held(row.get_ref(0)?.as_blob()?).map_err(|_| reader::damage("places")))?;
        let of_names = file_terms(&path, &self.names_in_tables(id)?, "").weights;
        let terms = postings::of_file(self.sql(), id, &of_text, &of_names, new)?;
        self.sql().prepare_cached("DELETE FROM project_places WHERE file = ?1")?.execute([id])?;
        self.delete_all("symbols", &format!("DELETE FROM project_symbols AS s WHERE {}", reader::SYMBOLS_OF), id)?;
        Ok(terms)
    }

    /// As much of a file's symbols as its terms were made of.
    fn names_in_tables(&self, file: FileId) -> rusqlite::Result<Vec<Symbol>> {
        let sql = format!("SELECT kind, name, qualified_name, parent FROM project_symbols AS s WHERE {} ORDER BY id", reader::SYMBOLS_OF);
        let mut statement = self.sql().prepare_cached(&sql)?;
        let symbols = statement.query_map([file], |row| {
            let (kind, name, parent) = (reader::kind(row, 0)?, row.get::<_, String>(1)?, row.get::<_, Option<i64>>(3)?.map(|_| 0));
            let qualified_name = row.get::<_, Option<String>>(2)?.unwrap_or_else(|| name.clone());
            let span = Span { start_byte: 0, end_byte: 0, start_line: 1, end_line: 1 };
            Ok(Symbol { kind, name, qualified_name, parent, span, doc: None, signature: String::new(), exported: false, references: Vec::new() })
        })?;
        symbols.collect()
    }

    /// Deletes what a file's row counts in `column`: what stayed behind would be taken for that of the next file of its id.
    fn delete_all(&self, column: &str, sql: &str, id: FileId) -> rusqlite::Result<()> {
        let deleted = self.sql().prepare_cached(sql)?.execute([id])? as i64;
        let told: i64 = self.sql().prepare_cached(&format!("SELECT {column} FROM project_files WHERE id = ?1"))?.query_row([id], |row| row.get(0))?;
        if deleted == told { Ok(()) } else { Err(reader::damage(column)) }
    }

    /// Drops a file's row, and its chunks with it.
    pub(super) fn drop_row(&self, id: FileId) -> rusqlite::Result<()> {
        self.delete_all("snippets", &format!("DELETE FROM project_snippets AS c WHERE {}", reader::CHUNKS_OF), id)?;
        self.sql().prepare_cached("DELETE FROM project_files WHERE id = ?1")?.execute([id]).map(|_| ())
    }

    pub(super) fn remember_parse(&self, file: &NewFile<'_>) -> rusqlite::Result<()> {
        let key = parses::key(&file.text_hash, &file.parsed.parser);
        let Some(parse) = &file.packed.parse else {
            // It is one that is remembered, or can't be.
            return self.sql().prepare_cached("UPDATE project_parses SET used_at = ?2 WHERE key = ?1")?.execute(params![key, file.read_at]).map(|_| ());
        };
        let sql = "INSERT INTO project_parses (key, parse, used_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO UPDATE SET used_at = excluded.used_at";
        self.sql().prepare_cached(sql)?.execute(params![key, parse, file.read_at]).map(|_| ())
    }
}
