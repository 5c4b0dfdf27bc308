mod manifests;
mod opening;
mod purge;
mod removal;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use tempfile::TempDir;

use super::parses::remembered;
use super::*;
use crate::cancel::Cancel;
use crate::places::{file_terms, term_number};
use crate::syntax::{Chunk, Symbol};

const PROJECT: &str = "/project";

struct Place {
    folder: TempDir,
    file: PathBuf,
}

fn place() -> Place {
    let folder = TempDir::new().unwrap();
    let file = file_for(&folder.path().join("data"), PROJECT);
    Place { folder, file }
}

impl Place {
    fn open(&self) -> Store {
        Store::open(&self.file, PROJECT).unwrap().0
    }

    /// Every byte of every file in the data directory.
    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for entry in fs::read_dir(self.file.parent().unwrap()).unwrap() {
            bytes.extend(fs::read(entry.unwrap().path()).unwrap());
        }
        bytes
    }

    /// Whether the number of a term stands in them, as SQLite stores it.
    fn holds_term(&self, term: &str) -> bool {
        let whole = crate::terms::index_text(term);
        let number = &term_number(whole.split(' ').next().unwrap()).to_be_bytes()[2..];
        self.bytes().windows(6).any(|window| window == number)
    }

    fn holds(&self, text: &str) -> bool {
        self.bytes().windows(text.len()).any(|window| window == text.as_bytes())
    }
}

/// Each line is a chunk; a line `fn NAME …` declares a symbol.
fn parse(text: &str) -> Parsed {
    let mut parsed = Parsed { parser: "lines 1".into(), symbols: vec![], chunks: vec![], imports: vec![] };
    let mut start_byte = 0;
    for (line, number) in text.split_inclusive('\n').zip(1..) {
        let span = Span { start_byte, end_byte: start_byte + line.len() as u32, start_line: number, end_line: number };
        start_byte = span.end_byte;
        let name = line.strip_prefix("fn ").and_then(|rest| rest.split_whitespace().next());
        let symbol = name.map(|name| {
            parsed.symbols.push(Symbol {
                kind: SymbolKind::Function,
                name: name.into(),
                qualified_name: name.into(),
                parent: None,
                span,
                doc: None,
                signature: line.trim().into(),
                exported: true,
                references: vec![],
            });
            parsed.symbols.len() as u32 - 1
        });
        parsed.chunks.push(Chunk { span, symbol, declares: symbol.into_iter().collect() });
    }
    parsed
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

fn facts(size: usize) -> Facts {
    Facts { size: size as u64, mtime_ns: 5, ctime_ns: 6, inode: u64::MAX - 1, device: 8 }
}

fn parse_of(reader: &Reader<'_>, text: &str, parser: &str) -> Result<Option<Parsed>> {
    reader.parse_of(text, &Hash::of(text.as_bytes()), parser)
}

fn put(writer: &mut Writer<'_>, at: &str, text: &str) -> FileId {
    put_parsed(writer, &path(at), text, &parse(text))
}

fn put_parsed(writer: &mut Writer<'_>, path: &RelPath, text: &str, parsed: &Parsed) -> FileId {
    try_to_put(writer, path, text, parsed).unwrap()
}

fn try_to_put(writer: &mut Writer<'_>, path: &RelPath, text: &str, parsed: &Parsed) -> Result<FileId> {
    let terms = file_terms(path, &parsed.symbols, text);
    let packed = Packer::new().unwrap().pack(text, parsed, false).unwrap();
    let file = NewFile {
        path,
        hash: Hash::of(text.as_bytes()),
        facts: facts(text.len()),
        language: Some("lines"),
        tracked: true,
        modified: false,
        generated: false,
        text_hash: Hash::of(text.as_bytes()),
        parsed,
        packed: &packed,
        terms: &terms,
        rules: Hash::of(b"rules"),
        read_at: 99,
    };
    writer.put_file(&file)
}

fn filled(place: &Place, files: &[(&str, &str)]) -> Store {
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    for (at, text) in files {
        put(&mut writer, at, text);
    }
    writer.settle().unwrap();
    drop(writer);
    store
}

fn terms(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// Everything the inverted index holds, and the places of each file, by path instead of id.
#[allow(clippy::type_complexity)]
fn postings(store: &Store) -> (BTreeSet<(String, i64, u8)>, BTreeSet<(String, Vec<u8>)>) {
    let connection = open::connect(&store.file).unwrap();
    let paths: std::collections::HashMap<FileId, String> = {
        let mut statement = connection.prepare("SELECT id, path FROM project_files").unwrap();
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<rusqlite::Result<_>>().unwrap()
    };
    let mut statement = connection.prepare("SELECT term, block, postings FROM project_terms").unwrap();
    let rows: Vec<(i64, i64, Vec<u8>)> =
        statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap().collect::<rusqlite::Result<_>>().unwrap();
    let mut all = BTreeSet::new();
    for (term, block, row) in rows {
        postings::decode(&row, block, &mut |file, byte| assert!(all.insert((paths[&file].clone(), term, byte)), "a posting stands there twice")).unwrap();
    }
    let mut statement = connection.prepare("SELECT path, places FROM project_places JOIN project_files ON id = file").unwrap();
    let places = statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?))).unwrap().collect::<rusqlite::Result<_>>().unwrap();
    (all, places)
}

fn totals_of(store: &Store) -> Totals {
    store.reader().unwrap().totals().unwrap()
}

/// Chunks in the table, and rows of chunks and symbols that belong to no file, or to one without symbols.
fn orphans(store: &Store) -> (i64, i64) {
    let connection = open::connect(&store.file).unwrap();
    let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
    let strays = count("SELECT count(*) FROM project_snippets WHERE file NOT IN (SELECT id FROM project_files)")
        + count("SELECT count(*) FROM project_symbols WHERE file NOT IN (SELECT id FROM project_files WHERE state = 0)");
    (count("SELECT count(*) FROM project_snippets"), strays)
}

/// In how many files each word's term stands.
fn counts(store: &Store, words: &[&str]) -> Vec<usize> {
    store.reader().unwrap().postings(&terms(words)).unwrap().iter().map(Vec::len).collect()
}

#[test]
fn a_written_file_reads_back_whole() {
    let place = place();
    let text = "fn loadInvoice one\nplain zebra\nfn saveInvoice two\n";
    let store = filled(&place, &[("src/billing/Invoice.ts", text)]);
    let reader = store.reader().unwrap();
    let file = reader.file_at(&path("src/billing/Invoice.ts")).unwrap().unwrap();
    let expected = FileRow {
        id: file.id,
        path: path("src/billing/Invoice.ts"),
        hash: Hash::of(text.as_bytes()),
        facts: facts(text.len()),
        language: Some("lines".into()),
        tracked: true,
        modified: false,
        generated: false,
        lines: 3,
        indexed_at: file.indexed_at,
    };
    assert_eq!(file, expected);
    assert_eq!(reader.file(file.id).unwrap(), Some(expected));
    for name in ["invoice", "invoice.ts"] {
        assert_eq!(reader.files_named(name, 9).unwrap().len(), 1, "{name}");
    }
    assert_eq!(reader.files_named("billing", 9).unwrap(), []);

    let symbols = reader.symbols_of(file.id).unwrap();
    assert_eq!(symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.span.start_line)).collect::<Vec<_>>(), [("loadInvoice", 1), ("saveInvoice", 3)]);
    assert_eq!(reader.symbols_named("saveinvoice", 9).unwrap(), symbols[1..]);
    let chunks = reader.chunks_of(file.id).unwrap();
    assert_eq!(chunks.iter().map(|chunk| chunk.symbol).collect::<Vec<_>>(), [Some(symbols[0].id), None, Some(symbols[1].id)]);
    let totals = Totals { files: 1, refused: 0, stale_files: 0, chunks: 3, symbols: 2, text_bytes: text.len() as u64 };
    assert_eq!(reader.totals().unwrap(), totals);
    assert_eq!(parse_of(&reader, text, "lines 1").unwrap(), Some(remembered(parse(text))));
    assert_eq!(parse_of(&reader, text, "lines 2").unwrap(), None);
    let hash = Some(Hash::of(text.as_bytes()));
    let known =
        KnownFile { id: file.id, hash, facts: facts(text.len()), tracked: true, modified: false, refused: None, read_at: 99, rules: Hash::of(b"rules") };
    assert_eq!(reader.known_files().unwrap().into_iter().collect::<Vec<_>>(), [(path("src/billing/Invoice.ts"), known)]);
}

#[test]
fn symbols_of_a_real_parse_come_back_with_their_names_and_comments() {
    let text = "/** A store. */\nexport class Größe<T> {\n  // not one\n  static of(\n    by: number,\n  ): number { return by; }\n}\nexport namespace a.b {\n  export interface C { d(): void }\n}\n";
    let at = path("src/a.ts");
    let language = crate::language::of(&at, "");
    let parsed = crate::syntax::parse(language, text);
    let place = place();
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    let id = put_parsed(&mut writer, &at, text, &parsed);
    writer.settle().unwrap();
    let reader = store.reader().unwrap();
    let hits = reader.symbols_of(id).unwrap();
    let fields = |name: &str, qualified: &str, span, doc, exported| (name.to_owned(), qualified.to_owned(), span, doc, exported);
    let found: Vec<_> = hits.iter().map(|hit| fields(&hit.name, &hit.qualified_name, hit.span, hit.doc, hit.exported)).collect();
    let expected: Vec<_> = parsed.symbols.iter().map(|symbol| fields(&symbol.name, &symbol.qualified_name, symbol.span, symbol.doc, symbol.exported)).collect();
    assert!(expected.len() >= 4, "{expected:?}");
    assert_eq!(found, expected);
    assert_eq!(parse_of(&reader, text, &parsed.parser).unwrap(), Some(remembered(parsed.clone())));
    assert_eq!(reader.symbols_named("of", 5).unwrap()[0].qualified_name, "Größe.of");
}

#[test]
fn files_are_found_by_their_name_with_and_without_its_extension() {
    let place = place();
    let store = filled(&place, &[("b/x.rs", "one\n"), ("a/x.rs", "two\n"), ("x", "three\n"), ("y.rs", "four\n")]);
    let reader = store.reader().unwrap();
    let named = |name: &str, limit| reader.files_named(name, limit).unwrap().into_iter().map(|file| file.path.as_str().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (named("x", 9), named("x", 2), named("x.rs", 9)),
        (vec!["a/x.rs".into(), "b/x.rs".into(), "x".into()], vec!["a/x.rs".into(), "b/x.rs".into()], vec!["a/x.rs".into(), "b/x.rs".into()])
    );
    let ids: Vec<FileId> = ["y.rs", "x"].iter().map(|at| reader.file_at(&path(at)).unwrap().unwrap().id).chain([99]).collect();
    assert_eq!(reader.files(&ids).unwrap().into_iter().map(|file| file.id).collect::<Vec<_>>(), ids[..2]);
}

#[test]
fn terms_are_found_by_file_with_their_weights_and_places() {
    let place = place();
    let store = filled(&place, &[("a.txt", "zebra crossing here\nfn zebra zebra zebra\nother words\n"), ("crossing.txt", "crossing zebra\n")]);
    let reader = store.reader().unwrap();
    let id = |at: &str| reader.file_at(&path(at)).unwrap().unwrap().id;
    let words = [crate::terms::index_text("zebra"), crate::terms::index_text("crossing"), "absent".into()];
    let found = reader.postings(&words).unwrap();
    let shown = |postings: &[Posting]| {
        postings.iter().map(|posting| (posting.file, posting.weight.in_path(), posting.weight.in_name(), posting.weight.density() > 1.5)).collect::<Vec<_>>()
    };
    assert_eq!(shown(&found[0]), [(id("a.txt"), false, true, true), (id("crossing.txt"), false, false, true)]);
    assert_eq!(shown(&found[1]), [(id("a.txt"), false, false, true), (id("crossing.txt"), true, false, true)]);
    assert_eq!(shown(&found[2]), []);
    let mut wanted = [(term_number(&words[0]), 7), (term_number(&words[1]), 9)];
    wanted.sort_unstable();
    let places = reader.places(id("a.txt"), &wanted).unwrap();
    let hits: Vec<_> = places.hits.iter().map(|hit| (hit.line, hit.term, hit.declaring)).collect();
    assert_eq!(hits, [(1, 7, false), (1, 9, false), (2, 7, true), (2, 7, true), (2, 7, true)]);
    assert_eq!(places.declared.iter().map(|declared| (declared.line, declared.term)).collect::<Vec<_>>(), [(2, 7)]);
    assert_eq!((places.lines, places.bytes), (3, 53));
    assert_eq!(reader.places(99, &wanted).unwrap_err().code, Code::StoreUnavailable);
}

#[test]
fn damaged_places_are_an_error_now_and_set_aside_at_the_next_opening() {
    let place = place();
    let store = filled(&place, &[("a", "zebra\n")]);
    let id = store.reader().unwrap().file_at(&path("a")).unwrap().unwrap().id;
    open::connect(&place.file).unwrap().execute("UPDATE project_places SET places = zeroblob(length(places))", []).unwrap();
    assert_eq!(store.reader().unwrap().places(id, &[(term_number("zebra"), 0)]).unwrap_err().code, Code::StoreUnavailable);
    drop(store);
    assert!(matches!(Store::open(&place.file, PROJECT).unwrap().1, Opened::SetAside(_)));
}

#[test]
fn a_reader_sees_one_state_and_a_dropped_writer_leaves_nothing() {
    let place = place();
    let store = filled(&place, &[("a", "one\n")]);
    let before = store.reader().unwrap();
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "b", "two\n");
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 1);
    writer.commit().unwrap();
    assert_eq!(before.totals().unwrap().files, 1);
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 2);
    put(&mut writer, "c", "three\n");
    drop(writer);
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 2);
    let mut writer = store.writer().unwrap().unwrap();
    writer.settle().unwrap();
    assert_eq!(before.totals().unwrap().files, 1);
}

#[test]
fn one_writes_at_a_time_across_threads_and_openings() {
    let place = place();
    let (store, other) = (place.open(), place.open());
    let writer = store.writer().unwrap().unwrap();
    assert!(store.writer().unwrap().is_none());
    assert!(other.writer().unwrap().is_none());
    drop(writer);
    assert!(other.writer().unwrap().is_some());
}

#[test]
fn a_writer_whose_generation_is_another_now_commits_nothing() {
    let place = place();
    let store = filled(&place, &[("a", "one\n")]);
    let bump = || {
        let other = rusqlite::Connection::open(&store.file).unwrap();
        other.execute_batch("UPDATE project_states SET generation = generation + 1").unwrap();
    };
    let fenced = |writer: &mut Writer<'_>| {
        let parsed = parse("two\n");
        let terms = file_terms(&path("b"), &parsed.symbols, "two\n");
        let packed = Packer::new().unwrap().pack("two\n", &parsed, false).unwrap();
        let file = NewFile {
            path: &path("b"),
            hash: Hash::of(b"two\n"),
            facts: facts(4),
            language: None,
            tracked: false,
            modified: false,
            generated: false,
            text_hash: Hash::of(b"two\n"),
            parsed: &parsed,
            packed: &packed,
            terms: &terms,
            rules: Hash::of(b"rules"),
            read_at: 1,
        };
        writer.put_file(&file).unwrap_err()
    };
    // Before its first batch, and between two.
    let mut writer = store.writer().unwrap().unwrap();
    bump();
    assert_eq!(fenced(&mut writer).code, Code::StoreUnavailable);
    drop(writer);
    let mut writer = store.writer().unwrap().unwrap();
    put(&mut writer, "c", "three\n");
    writer.commit().unwrap();
    bump();
    let error = fenced(&mut writer);
    assert!(error.message.contains("another process wrote"), "{}", error.message);
    drop(writer);
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 2);
}

#[test]
fn a_database_that_is_locked_is_told_in_words_and_waited_for_no_longer_than_there_is_time() {
    let place = place();
    drop(filled(&place, &[("a", "one\n")]));
    let store = place.open();
    let other = rusqlite::Connection::open(&store.file).unwrap();
    other.execute_batch("PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; UPDATE project_states SET listed = 7").unwrap();
    let no_time = crate::cancel::Cancel::default().within(std::time::Duration::ZERO);
    let error = store.reader_within(&no_time).err().unwrap();
    assert!(error.code == Code::StoreUnavailable && error.message.contains("another process holds the index"), "{}", error.message);
    assert!(!error.message.contains("locked"), "{}", error.message);
    drop(other);
    assert_eq!(store.reader_within(&no_time).unwrap().totals().unwrap().files, 1);
}

#[test]
fn deleted_changed_and_refused_text_is_nowhere_in_the_files() {
    let place = place();
    let keep: Vec<_> = (0..300).map(|number| (format!("keep/{number}.txt"), format!("fn keep{number} common words of {number}\n"))).collect();
    let keep: Vec<_> = keep.iter().map(|(at, text)| (at.as_str(), text.as_str())).collect();
    // Many terms of their own, so that some of them are those that stand at a page's edges.
    let lines = |name: &str| (0..400).map(|number| format!("a qx{name}of{number} one\n")).collect::<String>();
    let canary = |name: &str| format!("fn canary{name}symbol here\nthe qx{name}canary word\nqx{name}canary again\n{}", lines(name));
    let [gone, changed, refused] = ["gone", "changed", "refused"].map(canary);
    let store = filled(&place, &[&keep[..], &[("gone.txt", gone.as_str()), ("changed.txt", changed.as_str()), ("refused.txt", refused.as_str())]].concat());
    drop(store);
    for name in ["gone", "changed", "refused"] {
        assert!(place.holds_term(&format!("qx{name}canary")) && place.holds_term(&format!("qx{name}of7")));
        assert!(place.holds(&format!("canary{name}symbol")));
    }

    let store = place.open();
    // Rows that a reader still sees may stay in the log until the last close.
    let reader = store.reader().unwrap();
    let mut writer = store.writer().unwrap().unwrap();
    writer.remove(reader.file_at(&path("gone.txt")).unwrap().unwrap().id).unwrap();
    put(&mut writer, "changed.txt", "nothing of it\n");
    writer.put_refused(&path("refused.txt"), facts(1), "secret/test", true, false, Hash::of(b"rules"), 1).unwrap();
    writer.settle().unwrap();
    drop((reader, writer));
    drop(store);
    let mut gone_terms = Vec::new();
    for name in ["gone", "changed", "refused"] {
        for text in [format!("qx{name}"), format!("qx{}", &name[..3]), format!("canary{name}"), format!("{name}canar")] {
            assert!(!place.holds(&text), "{text}");
        }
        for term in (0..400).map(|number| format!("qx{name}of{number}")).chain([format!("qx{name}canary"), format!("canary{name}symbol")]) {
            gone_terms.push(crate::terms::index_text(&term).split(' ').next().unwrap().to_owned());
        }
    }
    let store = place.open();
    assert!(store.reader().unwrap().postings(&gone_terms).unwrap().iter().all(Vec::is_empty));
    let reader = store.reader().unwrap();
    assert_eq!(
        reader.totals().unwrap(),
        Totals { files: 301, refused: 1, stale_files: 1, chunks: 301, symbols: 300, text_bytes: reader.totals().unwrap().text_bytes }
    );
    assert_eq!(reader.file_at(&path("refused.txt")).unwrap(), None);
    assert_eq!(reader.known_files().unwrap()[&path("refused.txt")].refused.as_deref(), Some("secret/test"));
    assert!(parse_of(&reader, &gone, "lines 1").unwrap() == Some(remembered(parse(&gone))), "the parse is kept, and needs the text to say anything");
}

#[test]
fn many_segments_are_merged_into_one_and_edited_in_place() {
    let place = place();
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    let files = crate::limits::MIN_SEGMENT_FILES * (crate::limits::MAX_TERM_SEGMENTS + 1);
    let segments =
        || -> i64 { open::connect(&place.file).unwrap().query_row("SELECT count(DISTINCT segment) FROM project_terms", [], |row| row.get(0)).unwrap() };
    for round in [0, files] {
        for number in round..round + files {
            put(&mut writer, &format!("f{number}"), &format!("wombat qx{number}of\n"));
            if (number + 1) % crate::limits::MIN_SEGMENT_FILES == 0 {
                writer.commit().unwrap();
            }
        }
        assert_eq!(segments(), crate::limits::MAX_TERM_SEGMENTS as i64 + 1 + i64::from(round > 0));
        writer.settle().unwrap();
        assert_eq!(segments(), 1);
        assert_eq!(counts(&store, &["wombat", "qx7of", "absent"]), [round + files, 1, 0]);
    }
    put(&mut writer, "f7", "lynx\n");
    put(&mut writer, "f8", "lynx\n");
    put(&mut writer, "f8", "wombat lynx\n");
    let id = store.reader().unwrap().file_at(&path("f9")).unwrap().unwrap().id;
    writer.remove(id).unwrap();
    writer.settle().unwrap();
    assert_eq!(counts(&store, &["wombat", "qx7of", "qx9of", "lynx"]), [files * 2 - 2, 0, 0, 2]);
    assert_eq!(segments(), 1);
}

#[test]
fn stale_rows_are_bounded_and_a_path_that_comes_back_is_current_again() {
    let place = place();
    let store = place.open();
    let mut writer = store.writer().unwrap().unwrap();
    let bound = crate::limits::MAX_STALE_FILES;
    let ids: Vec<_> = (0..bound + 5).map(|number| put(&mut writer, &format!("f{number}"), "x\n")).collect();
    for id in ids {
        writer.remove(id).unwrap();
    }
    writer.commit().unwrap();
    assert_eq!(totals_of(&store), Totals { stale_files: bound as u64, ..Totals::default() });
    assert_eq!(orphans(&store), (bound as i64, 0));
    put(&mut writer, "f9", "back\n");
    writer.commit().unwrap();
    assert_eq!(totals_of(&store), Totals { files: 1, stale_files: bound as u64 - 1, chunks: 1, text_bytes: 5, ..Totals::default() });
    let expected = ["f9", "back"].map(|term| term_number(term) as i64);
    assert_eq!(postings(&store).0.into_iter().map(|(_, term, _)| term).collect::<BTreeSet<_>>(), expected.into());
}

#[test]
fn an_index_of_another_form_is_emptied_before_it_is_written() {
    let place = place();
    drop(filled(&place, &[("a", "wombat\n")]));
    open::connect(&place.file).unwrap().execute("UPDATE project_states SET index_version = 0", []).unwrap();
    let store = place.open();
    assert_eq!(store.reader().unwrap().totals().unwrap().files, 1);
    let mut writer = store.writer().unwrap().unwrap();
    writer.settle().unwrap();
    assert_eq!(store.reader().unwrap().totals().unwrap(), Totals::default());
    assert_eq!(postings(&store), Default::default());
    put(&mut writer, "a", "lynx\n");
    writer.settle().unwrap();
    assert_eq!(counts(&store, &["wombat", "lynx"]), [0, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// After any edits the inverted index is the one that a fresh build of the same files has.
    #[test]
    fn edits_leave_what_a_fresh_build_has(edits in proptest::collection::vec((0usize..5, proptest::option::of(proptest::collection::vec("[ab]{1,2}|fn [ab]\n|\n", 0..8))), 1..30), settle_at in 0usize..30) {
        let edited = place();
        let store = edited.open();
        let mut expected = std::collections::BTreeMap::new();
        let mut writer = store.writer().unwrap().unwrap();
        for (step, (number, words)) in edits.into_iter().enumerate() {
            let at = format!("dir/f{number}.ts");
            match words {
                Some(words) => {
                    let text = words.join(" ");
                    put(&mut writer, &at, &text);
                    expected.insert(at, text);
                }
                None => {
                    writer.commit().unwrap();
                    if let Some(file) = store.reader().unwrap().file_at(&path(&at)).unwrap() {
                        writer.remove(file.id).unwrap();
                    }
                    expected.remove(&at);
                }
            }
            if step == settle_at {
                writer.settle().unwrap();
            }
        }
        writer.commit().unwrap();
        let (chunks, orphans) = orphans(&store);
        prop_assert!(orphans == 0 && chunks >= totals_of(&store).chunks as i64);
        for at in expected.keys() {
            let reader = store.reader().unwrap();
            let file = reader.file_at(&path(at)).unwrap().unwrap().id;
            prop_assert_eq!(reader.chunks_of(file).unwrap().len(), parse(&expected[at]).chunks.len());
            prop_assert_eq!(reader.symbols_of(file).unwrap().len(), parse(&expected[at]).symbols.len());
        }
        let fresh = place();
        let files: Vec<_> = expected.iter().map(|(at, text)| (at.as_str(), text.as_str())).collect();
        prop_assert_eq!(postings(&store), postings(&filled(&fresh, &files)));
    }

    /// No text is syntax of the query language of the full-text search in commits.
    #[test]
    fn any_text_is_searched_for_as_text(words in proptest::collection::vec(any::<String>(), 0..4), odd in "[\"'*^:+(){}\\-\0 a]{0,12}") {
        let place = place();
        let store = filled(&place, &[("a", "alpha\n")]);
        let reader = store.reader().unwrap();
        let words: Vec<String> = words.into_iter().chain([odd]).collect();
        reader.match_commits(&words, 5).unwrap();
        reader.postings(&words).unwrap();
    }
}

#[test]
fn a_name_of_the_same_hash_is_not_the_name_asked_for() {
    let place = place();
    let store = filled(&place, &[("a", "fn Other of\nfn One of\n")]);
    let other = reader::folded_hash("other");
    open::connect(&place.file).unwrap().execute("UPDATE project_symbols SET folded_hash = ?1", [other]).unwrap();
    let named = |name: &str| -> Vec<String> { store.reader().unwrap().symbols_named(name, 1).unwrap().into_iter().map(|hit| hit.name).collect() };
    assert_eq!((named("other"), named("one")), (vec!["Other".to_owned()], vec![]));
}
