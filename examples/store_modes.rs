//! Measures the index on the files below a folder, and the ways of storing that were not taken. The figures of `docs/decisions/0001-store.md`,
//! `0003-terms.md` and `0004-no-text.md` come from here.
//!
//! `cargo run --release --no-default-features --example store_modes -- FOLDER [MEGABYTES]`

#![allow(clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use pi_context_engine::cancel::Cancel;
use pi_context_engine::hash::Hash;
use pi_context_engine::limits::Bounds;
use pi_context_engine::places::{FileTerms, file_terms, term_number};
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::root::{Facts, Root, Trust, TrustSource};
use pi_context_engine::store::{NewFile, Store};
use pi_context_engine::sync::{self, SyncOptions};
use pi_context_engine::syntax::{self, Chunk, Parsed};
use pi_context_engine::{discover, language, terms};
use rusqlite::{Connection, params};

struct Input {
    path: RelPath,
    text: String,
    parsed: Parsed,
    terms: FileTerms,
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
        texts.into_iter().zip(parses).map(|((path, text), parsed)| Input { terms: file_terms(&path, &parsed.symbols, &text), path, text, parsed }).collect();
    let bytes: usize = inputs.iter().map(|input| input.text.len()).sum();
    let chunks: usize = inputs.iter().map(|input| input.parsed.chunks.len()).sum();
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
    let listing = median(|| discover::list(&root, &bounds, discover::Asked::default(), &cancel).map(drop));
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
            text_hash: Hash::of(input.text.as_bytes()),
            parsed: &input.parsed,
            packed: &pi_context_engine::store::Packer::new()?.pack(&input.text, &input.parsed, false)?,
            terms: &input.terms,
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
    for table in ["project_places", "project_terms", "project_symbols", "project_snippets", "project_files", "project_parses"] {
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
    println!(
        "  places: {:.1} MB; rows of terms: {}, {:.1} MB of postings",
        mega(count("SELECT sum(length(places)) FROM project_places")? as usize),
        count("SELECT count(*) FROM project_terms")?,
        mega(count("SELECT sum(length(postings)) FROM project_terms")? as usize)
    );

    let reader = store.reader()?;
    for (least, most, many) in ASKED {
        let terms = terms_in(inputs, least, most.unwrap_or(inputs.len()), many);
        let numbers: Vec<_> = terms.iter().map(|term| (term_number(term), 0)).collect();
        let found = reader.postings(&terms)?;
        let files: std::collections::BTreeSet<i64> = found.iter().flatten().map(|posting| posting.file).take(200).collect();
        println!(
            "{} terms in {least} to {most:?} files: postings {:?}; places in {} files {:?}",
            terms.len(),
            median(|| reader.postings(&terms).map(drop)),
            files.len(),
            median(|| files.iter().try_for_each(|&file| reader.places(file, &numbers).map(drop)))
        );
    }
    println!("known_files: {:?}, totals: {:?}", median(|| reader.known_files().map(drop)), median(|| reader.totals().map(drop)));
    drop(reader);
    let changed = &inputs[..inputs.len().min(200)];
    let start = cpu();
    for input in changed {
        put(&mut writer, input)?;
    }
    writer.commit()?;
    println!("replacing a file: {:?}", (cpu() - start) / changed.len() as u32);
    drop((writer, connection));
    let start = Instant::now();
    drop(store);
    println!("closing after it, which rewrites the file: {:?}", start.elapsed());
    Ok(())
}

/// How many terms are asked for, and in how many files each stands: at least, and at most if that is bounded.
const ASKED: [(usize, Option<usize>, usize); 4] = [(1, Some(20), 16), (100, Some(1_000), 3), (100, Some(1_000), 16), (300, None, 40)];

/// Terms of more than two letters that stand in so many files, evenly drawn from them.
fn terms_in(inputs: &[Input], least: usize, most: usize, many: usize) -> Vec<String> {
    let mut counts: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    for input in inputs {
        for term in terms::query_terms(&input.text) {
            *counts.entry(term).or_default() += 1;
        }
    }
    let all: Vec<String> = counts.into_iter().filter(|(term, count)| term.len() > 2 && (least..=most).contains(count)).map(|(term, _)| term).collect();
    let step = (all.len() / many).max(1);
    all.into_iter().step_by(step).take(many).collect()
}

/// What a full-text index would hold of a chunk: path, symbols, body.
fn row(input: &Input, chunk: &Chunk) -> [String; 3] {
    let names: Vec<&str> = chunk.declares.iter().chain(&chunk.symbol).map(|&at| input.parsed.symbols[at as usize].qualified_name.as_str()).collect();
    let text = &input.text[chunk.span.start_byte as usize..chunk.span.end_byte as usize];
    [input.path.as_str(), &names.join(" "), text].map(terms::index_text)
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
            for [path, symbols, body] in batch.iter().flat_map(|input| input.parsed.chunks.iter().map(move |chunk| row(input, chunk))) {
                id += 1;
                insert.execute(params![id, path, symbols, body])?;
            }
            id += 1;
            insert.execute(params![id, "", "", canary(id)])?;
            connection.execute_batch("COMMIT")?;
        }
        connection.execute("INSERT INTO f (f) VALUES ('optimize')", [])?;
        let built = cpu() - start;
        for (least, most, many) in ASKED {
            let quoted: Vec<String> = terms_in(inputs, least, most.unwrap_or(inputs.len()), many).iter().map(|term| format!("\"{term}\"")).collect();
            let sql = "SELECT rowid FROM f WHERE f MATCH ?1 ORDER BY rank LIMIT 400";
            let mut statement = connection.prepare(sql)?;
            let mut search = || statement.query_map([quoted.join(" OR ")], |row| row.get::<_, i64>(0))?.try_for_each(|id| id.map(drop));
            println!("    any of {} terms in {least} to {most:?} files: {:?}", quoted.len(), median(&mut search));
        }
        let mut doomed: Vec<i64> = Vec::new();
        let mut row = 0;
        for batch in inputs.chunks(100) {
            row += batch.iter().map(|input| input.parsed.chunks.len() as i64).sum::<i64>() + 1;
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
