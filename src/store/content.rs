//! The content of one file: its text, symbols, chunks and terms, in and out of the tables.

use rusqlite::params;

use super::rows::index_rows;
use super::writer::Writer;
use super::{FileId, NewFile, now_ms, parses, reader};
use crate::hash::Hash;
use crate::rel_path::RelPath;
use crate::syntax::{Chunk, Parsed, Symbol};
use crate::terms;

impl Writer<'_> {
    pub(super) fn insert_file(&self, id: FileId, file: &NewFile<'_>) -> rusqlite::Result<()> {
        let name = file.path.file_name();
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem });
        let sql = "INSERT INTO project_files (id, path, state, hash, size, mtime_ns, ctime_ns, inode, device, language, tracked, modified, generated, lines,
                   text_bytes, snippets, symbols, indexed_at, read_at, rules, name, stem)
                   VALUES (?1, ?2, 0, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)";
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
            crate::lines::LineIndex::new(file.text).count(),
            file.text.len() as i64,
            file.parsed.chunks.len() as i64,
            file.parsed.symbols.len() as i64,
            now_ms(),
            file.read_at,
            file.rules.as_bytes(),
            terms::fold(name),
            terms::fold(stem),
        ])?;
        Ok(())
    }

    pub(super) fn insert_content(&mut self, id: FileId, file: &NewFile<'_>) -> rusqlite::Result<()> {
        let compressed = self.compressor.compress(file.text.as_bytes()).map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
        let connection = self.connection.as_ref().expect("a writer has its connection until it is dropped");
        connection.prepare_cached("INSERT INTO project_texts (file, text) VALUES (?1, ?2)")?.execute(params![id, compressed])?;
        let first = |sql: &str| -> rusqlite::Result<i64> { connection.prepare_cached(sql)?.query_row([], |row| row.get(0)) };

        let first_symbol = first("SELECT coalesce(max(id), 0) + 1 FROM project_symbols")?;
        let mut insert = connection
            .prepare_cached("INSERT INTO project_symbols VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19)")?;
        for (symbol, row) in file.parsed.symbols.iter().zip(first_symbol..) {
            let signature = parses::place_of_signature(symbol, file.text);
            insert.execute(params![
                row,
                id,
                symbol.parent.map(|parent| first_symbol + i64::from(parent)),
                symbol.kind.as_str(),
                symbol.name,
                terms::fold(&symbol.name),
                (!is_qualified_by_parent(file.parsed, symbol)).then_some(&symbol.qualified_name),
                signature.map(|(start, _)| start),
                signature.map(|(_, end)| end),
                signature.is_none().then_some(&symbol.signature),
                symbol.span.start_byte,
                symbol.span.end_byte,
                symbol.span.start_line,
                symbol.span.end_line,
                symbol.doc.map(|doc| doc.start_byte),
                symbol.doc.map(|doc| doc.end_byte),
                symbol.doc.map(|doc| doc.start_line),
                symbol.doc.map(|doc| doc.end_line),
                symbol.exported
            ])?;
        }

        let first_chunk = first("SELECT coalesce(max(id), 0) + 1 FROM project_snippets")?;
        let mut insert = connection.prepare_cached("INSERT INTO project_snippets VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)")?;
        let mut index = connection.prepare_cached("INSERT INTO project_snippets_fts (rowid, path, symbols, body) VALUES (?1, ?2, ?3, ?4)")?;
        for ((chunk, terms), row) in file.parsed.chunks.iter().zip(file.rows).zip(first_chunk..) {
            let kind = chunk.symbol.and_then(|symbol| file.parsed.symbols.get(symbol as usize)).map(|symbol| symbol.kind.as_str());
            let declares = (!chunk.declares.is_empty()).then(|| postcard::to_stdvec(&chunk.declares)).transpose();
            let declares = declares.map_err(|error| rusqlite::Error::ToSqlConversionFailure(Box::new(error)))?;
            insert.execute(params![
                row,
                id,
                chunk.span.start_byte,
                chunk.span.end_byte,
                chunk.span.start_line,
                chunk.span.end_line,
                kind,
                chunk.symbol.map(|symbol| first_symbol + i64::from(symbol)),
                declares
            ])?;
            index.execute(params![row, terms.path, terms.symbols, terms.body])?;
            self.inserted += 1;
            self.counted += 1;
            self.frequent.count(terms, self.counted, 1);
        }
        Ok(())
    }

    /// Drops the text, terms and symbols of a current file.
    pub(super) fn drop_text(&mut self, id: FileId, path: &str) -> rusqlite::Result<()> {
        let path = RelPath::parse(path).map_err(|_| reader::damage("a path"))?;
        let text = reader::text(self.sql(), id)?.ok_or_else(|| reader::damage("a text"))?;
        let (parsed, chunk_rows) = self.parse_in_tables(id)?;
        let rows = index_rows(&path, &parsed, &text);
        let connection = self.connection.as_ref().expect("a writer has its connection until it is dropped");
        let sql = "INSERT INTO project_snippets_fts (project_snippets_fts, rowid, path, symbols, body) VALUES ('delete', ?1, ?2, ?3, ?4)";
        let mut delete = connection.prepare_cached(sql)?;
        for (row, id) in rows.iter().zip(chunk_rows) {
            self.sweep.note(row, connection)?;
            delete.execute(params![id, row.path, row.symbols, row.body])?;
            self.counted += 1;
            self.frequent.count(row, self.counted, -1);
        }
        connection.prepare_cached("DELETE FROM project_texts WHERE file = ?1")?.execute([id])?;
        connection.prepare_cached("DELETE FROM project_symbols WHERE file = ?1")?.execute([id])?;
        Ok(())
    }

    /// As much of a file's parse as its full-text rows were made of, with the ids of its chunks.
    fn parse_in_tables(&self, file: FileId) -> rusqlite::Result<(Parsed, Vec<i64>)> {
        let mut first_symbol = None;
        let sql = "SELECT id, kind, name, qualified_name, start_byte, end_byte, start_line, end_line, parent FROM project_symbols WHERE file = ?1 ORDER BY id";
        let mut statement = self.sql().prepare_cached(sql)?;
        let symbols = statement
            .query_map([file], |row| {
                first_symbol.get_or_insert(row.get::<_, i64>(0)?);
                let (kind, span) = (reader::kind(row, 1)?, reader::span(row, 4)?);
                let name: String = row.get(2)?;
                let qualified_name = reader::qualified_name(self.sql(), &name, row.get(3)?, row.get(8)?)?;
                Ok(Symbol { kind, name, qualified_name, parent: None, span, doc: None, signature: String::new(), exported: false, references: Vec::new() })
            })?
            .collect::<rusqlite::Result<Vec<_>>>()?;
        let sql = "SELECT id, symbol, declares, start_byte, end_byte, start_line, end_line FROM project_snippets WHERE file = ?1 ORDER BY id";
        let mut statement = self.sql().prepare_cached(sql)?;
        let chunks = statement.query_map([file], |row| {
            let symbol = row.get::<_, Option<i64>>(1)?.zip(first_symbol).map(|(symbol, first)| (symbol - first) as u32);
            let declares = row.get_ref(2)?.as_blob_or_null()?.map_or(Ok(Vec::new()), postcard::from_bytes).map_err(|_| reader::damage("a chunk"))?;
            Ok((Chunk { span: reader::span(row, 3)?, symbol, declares }, row.get::<_, i64>(0)?))
        })?;
        let (chunks, ids) = chunks.collect::<rusqlite::Result<Vec<_>>>()?.into_iter().unzip();
        Ok((Parsed { parser: String::new(), symbols, chunks, imports: Vec::new() }, ids))
    }

    pub(super) fn remember_parse(&self, file: &NewFile<'_>) -> rusqlite::Result<()> {
        let hash = Hash::of(file.text.as_bytes());
        let sql = "UPDATE project_parses SET used_at = ?3 WHERE text_hash = ?1 AND parser = ?2";
        if self.sql().prepare_cached(sql)?.execute(params![hash.as_bytes(), file.parsed.parser, file.read_at])? > 0 {
            return Ok(());
        }
        if let Some(parse) = parses::encode(file.parsed, file.text) {
            let sql = "INSERT INTO project_parses (text_hash, parser, parse, used_at) VALUES (?1, ?2, ?3, ?4)";
            self.sql().prepare_cached(sql)?.execute(params![hash.as_bytes(), file.parsed.parser, parse, file.read_at])?;
        }
        Ok(())
    }
}

/// Whether the qualified name follows from the name and the parent.
fn is_qualified_by_parent(parsed: &Parsed, symbol: &Symbol) -> bool {
    match symbol.parent.and_then(|parent| parsed.symbols.get(parent as usize)) {
        Some(parent) => symbol.qualified_name.strip_prefix(&parent.qualified_name).and_then(|rest| rest.strip_prefix('.')) == Some(&symbol.name),
        None => symbol.parent.is_none() && symbol.qualified_name == symbol.name,
    }
}
