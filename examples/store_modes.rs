//! Measures the index on the files below a folder, and the ways of storing that were not taken. The figures of `docs/decisions/0001-store.md` come from here.
//!
//! `cargo run --release --no-default-features --example store_modes -- FOLDER [MEGABYTES]`

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pi_context_engine::cancel::Cancel;
use pi_context_engine::hash::Hash;
use pi_context_engine::limits::Bounds;
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::root::{Facts, Root, Trust, TrustSource};
use pi_context_engine::store::{IndexRow, NewFile, Store, index_rows};
use pi_context_engine::sync::{self, SyncOptions};
use pi_context_engine::syntax::{self, Parsed};
use pi_context_engine::{discover, language};
use rusqlite::{Connection, params};

struct Input {
    path: RelPath,
    text: String,
    parsed: Parsed,
    rows: Vec<IndexRow>,
}

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: store_modes FOLDER [MEGABYTES]")?);
    let megabytes: usize = arguments.next().map_or(Ok(50), |text| text.parse())?;
    let mut texts = Vec::new();
    collect(&folder, &folder, &mut texts, megabytes * 1_000_000);
    let start = cpu();
    let parses: Vec<Parsed> = texts.iter().map(|(path, text)| syntax::parse(language::of(path, ""), text)).collect();
    let parse = cpu() - start;
    let start = cpu();
    let inputs: Vec<Input> =
        texts.into_iter().zip(parses).map(|((path, text), parsed)| Input { rows: index_rows(&path, &parsed, &text), path, text, parsed }).collect();
    let bytes: usize = inputs.iter().map(|input| input.text.len()).sum();
    let chunks: usize = inputs.iter().map(|input| input.rows.len()).sum();
    println!(
        "{} files, {:.1} MB, {chunks} chunks; parse {:.2} s, terms {:.2} s",
        inputs.len(),
        mega(bytes),
        parse.as_secs_f64(),
        (cpu() - start).as_secs_f64()
    );

    let scratch = tempfile::tempdir()?;
    index(&inputs, scratch.path(), bytes, chunks)?;
    texts_by(&inputs, scratch.path(), bytes)?;
    full_text_by(&inputs, scratch.path())?;
    drop(inputs);
    syncs(&folder, scratch.path())
}

/// A cold sync of the whole folder, and further ones that find nothing changed.
fn syncs(folder: &Path, scratch: &Path) -> Result<(), Failure> {
    let root = Root::open(folder, Trust::granted(TrustSource::CommandLine))?;
    let (store, _) = Store::open(&scratch.join("sync/index.db"), root.id())?;
    let (bounds, cancel) = (Bounds::default(), Cancel::default());
    let sync = || sync::run(&root, &store, &bounds, &SyncOptions::default(), &cancel, &mut |_| {});
    println!("\nsync:");
    for name in ["cold", "nothing changed", "nothing changed"] {
        let report = sync()?;
        println!(
            "  {name}: {} listed, {} indexed, {} unchanged, {:?} excluded, {:?}",
            report.listed, report.indexed, report.unchanged, report.excluded, report.timings
        );
    }
    let listing = median(|| discover::list(&root, &bounds, &cancel).map(drop));
    println!("  a listing alone: {listing:?}; nothing changed: {:?}", median(|| sync().map(drop)));
    Ok(())
}

/// The index as it is.
fn index(inputs: &[Input], scratch: &Path, bytes: usize, chunks: usize) -> Result<(), Failure> {
    let file = scratch.join("index/index.db");
    let (store, _) = Store::open(&file, "/measured")?;
    let mut writer = store.writer()?.ok_or("locked")?;
    let put = |writer: &mut pi_context_engine::store::Writer<'_>, input: &Input| {
        writer.put_file(&NewFile {
            path: &input.path,
            hash: Hash::of(input.text.as_bytes()),
            facts: Facts::default(),
            language: None,
            tracked: true,
            modified: false,
            generated: false,
            text: &input.text,
            parsed: &input.parsed,
            rows: &input.rows,
            rules: Hash::of(b""),
            read_at: 1,
        })
    };
    let start = cpu();
    for batch in inputs.chunks(100) {
        for input in batch {
            put(&mut writer, input)?;
        }
        writer.commit()?;
    }
    let written = cpu() - start;
    let start = cpu();
    writer.settle()?;
    println!(
        "\nindex: written in {:.2} s = {:.0} chunks/s, settled in {:.2} s",
        written.as_secs_f64(),
        chunks as f64 / written.as_secs_f64(),
        (cpu() - start).as_secs_f64()
    );
    println!("size: {:.1} MB = {:.2} of the text", mega(store.disk_bytes() as usize), store.disk_bytes() as f64 / bytes as f64);
    let connection = Connection::open(&file)?;
    for table in ["project_texts", "project_snippets_fts", "project_symbols", "project_snippets", "project_files", "project_parses", "project_frequent_terms"] {
        let size: Result<i64, _> = connection.query_row(
            "SELECT sum(pgsize) FROM dbstat WHERE (name GLOB ?1 || '*' AND NOT name GLOB ?1 || '_fts*') OR name GLOB 'sqlite_autoindex_' || ?1 || '_[0-9]'",
            [table],
            |row| row.get(0),
        );
        if let Ok(size) = size {
            println!("  {table}: {:.1} MB", mega(size as usize));
        }
    }
    let pragma = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    println!("  pages: {}, of them free: {}, auto_vacuum {}", pragma("page_count")?, pragma("freelist_count")?, pragma("auto_vacuum")?);
    println!("  log: {:.1} MB", mega(std::fs::metadata(scratch.join("index/index.db-wal"))?.len() as usize));
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0));
    println!(
        "parses remembered: {} of {}, {:.1} MB",
        count("SELECT count(*) FROM project_parses")?,
        inputs.len(),
        mega(count("SELECT sum(length(parse)) FROM project_parses")? as usize)
    );
    println!("frequent terms: {}", count("SELECT count(*) FROM project_frequent_terms")?);

    let terms = |least: i64, most: i64, many: i64| -> rusqlite::Result<Vec<String>> {
        let sql = "SELECT term FROM project_snippets_vocabulary WHERE doc BETWEEN ?1 AND ?2 AND length(term) > 2 ORDER BY term GLOB '[0-9]*', hex(term) % 97, term LIMIT ?3";
        connection.prepare(sql)?.query_map(params![least, most, many], |row| row.get(0))?.collect()
    };
    let reader = store.reader()?;
    for (name, least, most) in [("rare", 1, 20), ("below the frequent ones", 100, 199), ("frequent", 200, i64::MAX)] {
        let terms = terms(least, most, 40)?;
        println!("document_counts of {} terms, {name}: {:?}", terms.len(), median(|| reader.document_counts(&terms).map(drop)));
    }
    for (least, most, many) in [(1, 20, 3), (1, 20, 16), (100, 1_000, 3), (100, 1_000, 16), (chunks as i64 / 10, i64::MAX, 3)] {
        let terms = terms(least, most, many)?;
        println!("match_any of {} terms in {least} to {most} chunks: {:?}", terms.len(), median(|| reader.match_any(&terms, [4.0, 8.0, 1.0], 100).map(drop)));
    }
    println!("known_files: {:?}, totals: {:?}", median(|| reader.known_files().map(drop)), median(|| reader.totals().map(drop)));
    let ids: Vec<i64> = reader.known_files()?.values().map(|file| file.id).collect();
    println!("text of one file: {:?}", median(|| reader.text(ids[ids.len() / 2]).map(drop)));
    drop(reader);
    let changed = &inputs[..inputs.len().min(200)];
    let start = cpu();
    for input in changed {
        put(&mut writer, input)?;
    }
    writer.commit()?;
    println!("replacing a file: {:?}", (cpu() - start) / changed.len() as u32);
    Ok(())
}

/// Where the text could be kept.
fn texts_by(inputs: &[Input], scratch: &Path, bytes: usize) -> Result<(), Failure> {
    println!("\ntext, compressed with zstd 3:");
    for mode in ["per file", "per chunk"] {
        let file = scratch.join(format!("texts {mode}.db"));
        let connection = Connection::open(&file)?;
        connection.execute_batch("PRAGMA synchronous = OFF; CREATE TABLE texts (id INTEGER PRIMARY KEY, text BLOB NOT NULL); BEGIN")?;
        let start = cpu();
        let mut compressor = zstd::bulk::Compressor::new(3)?;
        let mut insert = connection.prepare("INSERT INTO texts (text) VALUES (?1)")?;
        for input in inputs {
            if mode == "per file" {
                insert.execute([compressor.compress(input.text.as_bytes())?])?;
            } else {
                for chunk in &input.parsed.chunks {
                    insert.execute([compressor.compress(&input.text.as_bytes()[chunk.span.start_byte as usize..chunk.span.end_byte as usize])?])?;
                }
            }
        }
        connection.execute_batch("COMMIT")?;
        let size = std::fs::metadata(&file)?.len();
        println!("  {mode}: {:.1} MB = {:.2} of the text, {:.2} s", mega(size as usize), size as f64 / bytes as f64, (cpu() - start).as_secs_f64());
    }
    Ok(())
}

/// The forms of the full-text index: what they cost, and whether a deleted term is gone after the last close.
fn full_text_by(inputs: &[Input], scratch: &Path) -> Result<(), Failure> {
    println!("\nfull-text index:");
    let modes = [
        ("contentless, 'delete' and secure-delete", "content=''", true),
        ("contentless, 'delete'", "content=''", false),
        ("contentless_delete, secure-delete", "content='', contentless_delete=1", true),
        ("with content", "", true),
    ];
    for (name, options, secure) in modes {
        let file = scratch.join("full text.db");
        let _ = std::fs::remove_file(&file);
        let connection = Connection::open(&file)?;
        let comma = if options.is_empty() { "" } else { "," };
        connection.execute_batch(&format!(
            "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;
             CREATE VIRTUAL TABLE f USING fts5 (path, symbols, body {comma} {options}, tokenize = \"ascii tokenchars '_'\");"
        ))?;
        if secure {
            connection.execute("INSERT INTO f (f, rank) VALUES ('secure-delete', 1)", [])?;
        }
        let canary = |row: i64| format!("qzcanary{row} common");
        let start = cpu();
        let mut id = 0;
        for batch in inputs.chunks(100) {
            connection.execute_batch("BEGIN")?;
            let mut insert = connection.prepare_cached("INSERT INTO f (rowid, path, symbols, body) VALUES (?1, ?2, ?3, ?4)")?;
            for row in batch.iter().flat_map(|input| &input.rows) {
                id += 1;
                insert.execute(params![id, row.path, row.symbols, row.body])?;
            }
            id += 1;
            insert.execute(params![id, "", "", canary(id)])?;
            connection.execute_batch("COMMIT")?;
        }
        connection.execute("INSERT INTO f (f) VALUES ('optimize')", [])?;
        let built = cpu() - start;
        let mut doomed: Vec<i64> = Vec::new();
        let mut row = 0;
        for batch in inputs.chunks(100) {
            row += batch.iter().map(|input| input.rows.len() as i64).sum::<i64>() + 1;
            doomed.push(row);
        }
        let start = cpu();
        for &row in &doomed {
            if name.starts_with("contentless, ") {
                connection.execute("INSERT INTO f (f, rowid, path, symbols, body) VALUES ('delete', ?1, '', '', ?2)", params![row, canary(row)])?;
            } else {
                connection.execute("DELETE FROM f WHERE rowid = ?1", [row])?;
            }
        }
        let deleted = (cpu() - start) / doomed.len() as u32;
        drop(connection);
        let bytes = std::fs::read(&file)?;
        // A term shares its beginning with the one before it, so what follows is looked for as well.
        let left: Vec<usize> = bytes.windows(7).enumerate().filter(|(_, window)| window == b"zcanary").map(|(at, _)| at).collect();
        if let Some(at) = left.first() {
            let connection = Connection::open(&file)?;
            let page = at / 4096 + 1;
            let name: Option<String> = connection.query_row("SELECT name FROM dbstat WHERE pageno = ?1", [page as i64], |row| row.get(0)).ok();
            println!("    first one in {name:?}: {:?}", String::from_utf8_lossy(&bytes[at.saturating_sub(10)..at + 20]));
        }
        let left = left.len();
        println!("  {name}: {:.1} MB, built in {:.2} s, {deleted:?} a deletion, deleted terms left: {left}", mega(bytes.len()), built.as_secs_f64());
    }
    Ok(())
}

fn collect(root: &Path, folder: &Path, out: &mut Vec<(RelPath, String)>, limit: usize) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if out.iter().map(|(_, text)| text.len()).sum::<usize>() >= limit {
            return;
        }
        if path.is_dir() && !path.is_symlink() {
            collect(root, &path, out, limit);
            continue;
        }
        let relative = path.strip_prefix(root).ok().and_then(|path| RelPath::parse(&path.to_string_lossy()).ok());
        let Some(relative) = relative.filter(|path| language::of(path, "").is_some()) else { continue };
        if std::fs::metadata(&path).is_ok_and(|metadata| metadata.len() < 512_000)
            && let Ok(text) = std::fs::read_to_string(&path)
        {
            out.push((relative, text));
        }
    }
}

/// Time that this thread ran, which other work on the machine does not lengthen; time passed where the system does not tell.
fn cpu() -> Duration {
    static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = told.and_then(|text| text.split(' ').next()?.parse().ok());
    nanoseconds.map_or_else(|| START.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

fn median<E: std::fmt::Debug>(mut work: impl FnMut() -> Result<(), E>) -> Duration {
    let mut times: Vec<Duration> = (0..21)
        .map(|_| {
            let start = Instant::now();
            work().expect("what was just written can be read");
            start.elapsed()
        })
        .collect();
    times.sort();
    times[times.len() / 2]
}

fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
