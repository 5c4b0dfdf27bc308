//! What a sync does.

mod scope;

use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, SystemTime};

use tempfile::TempDir;

use super::*;
use crate::hash::Hash;
use crate::root::{Trust, TrustSource};
use crate::store::Totals;

struct Project {
    folder: TempDir,
    root: Root,
    store: Store,
    bounds: Bounds,
}

fn project() -> Project {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("project")).unwrap();
    let root = Root::open(&folder.path().join("project"), Trust::granted(TrustSource::Api)).unwrap();
    let store = Store::open(&folder.path().join("data/index.db"), root.id()).unwrap().0;
    Project { folder, root, store, bounds: Bounds { threads: 3, ..Bounds::default() } }
}

fn git_project() -> Project {
    let project = project();
    project.git(&["init", "-q", "-b", "main"]);
    project
}

/// What a sync counted: indexed, reused, unchanged, removed.
fn counts(report: &SyncReport) -> (u64, u64, u64, u64) {
    (report.indexed, report.reused, report.unchanged, report.removed)
}

impl Project {
    fn on_disk(&self, path: &str) -> PathBuf {
        self.folder.path().join("project").join(path)
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.on_disk(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").args(identity).args(arguments).current_dir(self.on_disk("")).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn sync(&self) -> SyncReport {
        self.sync_with(&SyncOptions::default(), &Cancel::default()).unwrap()
    }

    fn sync_with(&self, options: &SyncOptions, cancel: &Cancel) -> Result<SyncReport> {
        run(&self.root, &self.store, &self.bounds, options, cancel, &mut |_| {})
    }

    fn sql(&self, statement: &str) {
        rusqlite::Connection::open(self.folder.path().join("data/index.db")).unwrap().execute_batch(statement).unwrap();
    }

    /// Makes the index believe that its files were read well after their last change.
    fn age(&self) {
        self.sql("UPDATE project_files SET read_at = read_at + 60000");
    }

    fn totals(&self) -> Totals {
        self.store.reader().unwrap().totals().unwrap()
    }

    /// Of the content that is indexed.
    fn hash(&self, path: &str) -> Option<Hash> {
        self.store.reader().unwrap().file_at(&RelPath::parse(path).unwrap()).unwrap().map(|file| file.hash)
    }
}

#[test]
fn create_edit_rename_delete_and_ignore_are_counted_exactly() {
    let project = git_project();
    let names = ["a", "b", "c", "d"];
    for name in names {
        project.write(&format!("src/{name}.ts"), &format!("export function {name}() {{ return 1; }}\n"));
    }
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    let first = project.sync();
    assert_eq!((counts(&first), first.complete, first.source.as_str(), first.listed, first.looked_at), ((4, 0, 0, 0), true, "git", 4, 4));
    project.age();
    let again = project.sync();
    assert_eq!((counts(&again), again.bytes_read, again.complete), ((0, 0, 4, 0), 0, true));

    project.write("src/a.ts", "export function changed() { return 2; }\n");
    fs::rename(project.on_disk("src/b.ts"), project.on_disk("src/renamed.ts")).unwrap();
    fs::remove_file(project.on_disk("src/c.ts")).unwrap();
    project.write("src/new.ts", "export const fresh = 1;\n");
    let edited = project.sync();
    assert_eq!(counts(&edited), (3, 1, 1, 2));
    assert_eq!(project.hash("src/a.ts"), Some(Hash::of(b"export function changed() { return 2; }\n")));
    assert_eq!((project.hash("src/b.ts"), project.hash("src/c.ts")), (None, None));
    let reader = project.store.reader().unwrap();
    assert_eq!(reader.symbols_named("changed", 5).unwrap().len(), 1);
    assert_eq!(reader.symbols_named("a", 5).unwrap().len(), 0);
    assert_eq!(reader.symbols_named("b", 5).unwrap().len(), 1, "the renamed file declares it");
    let state = reader.state().unwrap();
    assert_eq!(state.changed, ["src/a.ts", "src/b.ts", "src/c.ts", "src/new.ts", "src/renamed.ts"]);
    assert_eq!((state.listed, state.complete, state.git.unwrap().branch.as_deref()), (4, true, Some("main")));
    drop(reader);

    project.write(".gitignore", "new.ts\n");
    project.age();
    let ignored = project.sync();
    assert_eq!((counts(&ignored), project.hash("src/new.ts")), ((1, 0, 3, 1), None));
    assert_eq!(project.totals().stale_files, 3);
}

#[test]
fn a_checkout_and_back_reads_changed_files_and_parses_nothing_twice() {
    let project = git_project();
    project.write("a.ts", "export const one = 1;\n");
    project.write("b.ts", "export const same = 1;\n");
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "one"]);
    project.git(&["checkout", "-qb", "other"]);
    project.write("a.ts", "export const two = 22;\n");
    project.git(&["commit", "-qam", "two"]);
    assert_eq!(counts(&project.sync()), (2, 0, 0, 0));
    project.git(&["checkout", "-q", "main"]);
    assert_eq!(counts(&project.sync()), (1, 0, 1, 0));
    project.git(&["checkout", "-q", "other"]);
    assert_eq!(counts(&project.sync()), (1, 1, 1, 0));
    project.git(&["checkout", "-q", "main"]);
    assert_eq!(counts(&project.sync()), (1, 1, 1, 0));
    assert_eq!(project.store.reader().unwrap().symbols_named("one", 5).unwrap().len(), 1);
}

#[test]
fn an_edit_that_restores_size_and_time_is_noticed_and_a_touch_alone_changes_nothing() {
    let project = project();
    project.write("a.ts", "const one = 1;\n");
    project.sync();
    project.age();
    let file = project.on_disk("a.ts");
    let modified = fs::metadata(&file).unwrap().modified().unwrap();
    fs::write(&file, "const two = 2;\n").unwrap();
    fs::File::options().write(true).open(&file).unwrap().set_modified(modified).unwrap();
    assert_eq!(counts(&project.sync()), (1, 0, 0, 0));
    assert_eq!(project.hash("a.ts"), Some(Hash::of(b"const two = 2;\n")));

    project.age();
    fs::File::options().write(true).open(&file).unwrap().set_modified(SystemTime::now() - Duration::from_secs(9_000)).unwrap();
    let touched = project.sync();
    assert_eq!((counts(&touched), touched.bytes_read), ((0, 0, 1, 0), 15));
    project.age();
    let after = project.sync();
    assert_eq!((counts(&after), after.bytes_read), ((0, 0, 1, 0), 0));
}

#[test]
fn a_file_read_about_when_it_changed_is_read_once_more_and_then_left_alone() {
    let project = project();
    project.write("a.ts", "const one = 1;\n");
    project.sync();
    let racy = project.sync();
    assert_eq!((counts(&racy), racy.bytes_read), ((0, 0, 1, 0), 15));
    project.age();
    assert_eq!(project.sync().bytes_read, 0);
}

#[test]
fn a_secret_that_comes_takes_the_file_and_its_text_out() {
    let project = project();
    let canary = "qxcanaryword";
    let text = format!("export function {canary}() {{ return '{canary} {canary}'; }}\n");
    project.write("a.ts", &text);
    project.write("b.ts", "export const other = 1;\n");
    project.sync();
    let bytes = |project: &Project| -> Vec<u8> {
        let entries = fs::read_dir(project.folder.path().join("data")).unwrap();
        entries.flat_map(|entry| fs::read(entry.unwrap().path()).unwrap()).collect()
    };
    let holds = |bytes: &[u8]| bytes.windows(canary.len()).any(|window| window == canary.as_bytes());
    assert!(holds(&bytes(&project)));
    project.write("a.ts", &format!("{text}-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0\n-----END RSA PRIVATE KEY-----\n"));
    let report = project.sync();
    assert_eq!((counts(&report), report.excluded.get("secret/private-key")), ((0, 0, 1, 1), Some(&1)));
    let Project { folder, store, root, bounds } = project;
    drop(store);
    let store = Store::open(&folder.path().join("data/index.db"), root.id()).unwrap().0;
    let project = Project { folder, store, root, bounds };
    assert!(!holds(&bytes(&project)));
    project.age();
    let again = project.sync();
    assert_eq!((counts(&again), again.bytes_read, again.excluded.get("secret/private-key")), ((0, 0, 1, 0), 0, Some(&1)));
    project.write("a.ts", &text);
    assert_eq!(counts(&project.sync()), (1, 1, 1, 0));
}

#[test]
fn the_bound_on_bytes_is_spent_in_listing_order_whatever_the_threads() {
    for threads in [1, 2, 5] {
        let mut project = project();
        project.bounds = Bounds { max_total_bytes: 250, threads, ..Bounds::default() };
        let line = |bytes: usize| format!("{}\n", "x ".repeat(bytes / 2));
        project.write("a.ts", &line(100));
        project.write("b.ts", &format!("-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0\n-----END RSA PRIVATE KEY-----\n{}", line(20)));
        project.write("c.ts", &line(100));
        project.write("d.ts", &line(90));
        project.write("e.ts", &line(20));
        let report = project.sync();
        assert_eq!((counts(&report), report.complete), ((3, 0, 0, 0), true));
        assert_eq!((report.excluded.get("limit/bytes"), report.excluded.get("secret/private-key")), (Some(&1), Some(&1)));
        assert_eq!(project.hash("d.ts"), None);
        assert_eq!(counts(&project.sync()), (0, 0, 3, 0));

        project.write("a.ts", &line(10));
        let room = project.sync();
        assert_eq!((counts(&room), room.excluded.get("limit/bytes")), ((2, 0, 2, 0), None));
        project.write("a.ts", &line(100));
        let full = project.sync();
        assert_eq!((counts(&full), full.excluded.get("limit/bytes")), ((1, 1, 2, 1), Some(&1)));
        assert_eq!(project.hash("d.ts"), None);
    }
}

#[test]
fn a_cancelled_sync_keeps_what_it_wrote_and_the_next_one_ends_it() {
    let project = project();
    for number in 0..300 {
        project.write(&format!("f{number}.ts"), &format!("export const value{number} = {number};\n"));
    }
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let mut told = Vec::new();
    let result = run(&project.root, &project.store, &project.bounds, &SyncOptions::default(), &cancel, &mut |progress| {
        told.push(progress);
        stop.cancel();
    });
    assert_eq!(result.unwrap_err().code, Code::Cancelled);
    assert_eq!(told[0], Progress { done: 1, total: 300 });
    assert_eq!((project.totals().files, project.store.reader().unwrap().state().unwrap().complete), (1, false));
    let report = project.sync();
    assert_eq!((counts(&report), report.complete), ((299, 0, 1, 0), true));
    assert_eq!((project.totals().files, project.store.reader().unwrap().state().unwrap().complete), (300, true));
}

#[test]
fn while_another_opening_writes_a_sync_says_so_and_changes_nothing() {
    let project = project();
    project.write("a.ts", "const one = 1;\n");
    let other = Store::open(&project.folder.path().join("data/index.db"), project.root.id()).unwrap().0;
    let writer = other.writer().unwrap().unwrap();
    let report = project.sync();
    assert_eq!((report.complete, report.incomplete_reason.as_deref()), (false, Some("another process is indexing")));
    let found = reindex(&project.root, &project.store, &project.bounds, &RelPath::parse("a.ts").unwrap()).unwrap();
    assert!(!found.written);
    assert_eq!(project.totals(), Totals::default());
    drop(writer);
    assert_eq!(counts(&project.sync()), (1, 0, 0, 0));
}

#[test]
fn changed_rules_judge_every_file_again_and_force_reads_all() {
    let mut project = project();
    project.write("a.ts", "export function one() {}\n");
    project.write("b.ts", &format!("export function two() {{}}\n// {}\n", "long ".repeat(40)));
    project.sync();
    project.age();
    project.bounds.max_file_bytes = 100;
    let narrower = project.sync();
    assert_eq!((counts(&narrower), narrower.excluded.get("size/file")), ((1, 1, 0, 1), Some(&1)));
    project.bounds.max_file_bytes = 1_000;
    assert_eq!(counts(&project.sync()), (2, 2, 0, 0));
    project.age();
    let forced = project.sync_with(&SyncOptions { force: true, ..SyncOptions::default() }, &Cancel::default()).unwrap();
    assert_eq!((counts(&forced), forced.bytes_read > 200), ((0, 0, 2, 0), true));
}

#[test]
fn the_users_own_endings_take_effect_for_the_files_concerned_alone() {
    let mut project = project();
    project.write("a.inc", "function inside() {}\n");
    project.write("b.ts", "function other() {}\n");
    project.sync();
    project.age();
    let declared = |project: &Project| project.store.reader().unwrap().symbols_named("inside", 5).unwrap().len();
    assert_eq!((counts(&project.sync()), declared(&project)), ((0, 0, 2, 0), 0));
    for (language, symbols) in [(Some("javascript"), 1), (None, 0), (Some("typescript"), 1)] {
        project.bounds.languages = language.map(|name| ("inc".to_owned(), crate::language::named(name).unwrap())).into_iter().collect();
        assert_eq!((project.sync().indexed, declared(&project)), (1, symbols), "{language:?}");
        project.age();
        assert_eq!((project.sync().bytes_read, declared(&project)), (0, symbols), "{language:?}");
    }
}

#[test]
fn paths_named_first_are_looked_at_first() {
    let project = project();
    for number in 0..200 {
        project.write(&format!("f{number:03}.ts"), "export const x = 1;\n");
    }
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let options = SyncOptions { first: vec![RelPath::parse("f177.ts").unwrap()], ..SyncOptions::default() };
    let result = run(&project.root, &project.store, &project.bounds, &options, &cancel, &mut |_| stop.cancel());
    assert_eq!(result.unwrap_err().code, Code::Cancelled);
    assert_eq!((project.totals().files, project.hash("f177.ts").is_some()), (1, true));
}

#[test]
fn a_file_made_just_before_and_named_is_indexed_whatever_comes_of_the_sync() {
    let project = project();
    (0..300).for_each(|number| project.write(&format!("f{number:03}.ts"), &format!("export const f{number} = 1;\n")));
    project.write("z/deep/new.csv", "fresh,1\n");
    let cancel = Cancel::default();
    let stop = cancel.clone();
    let options = SyncOptions { first: ["z/deep/new.csv", ".env", "none.ts"].map(|path| RelPath::parse(path).unwrap()).to_vec(), ..SyncOptions::default() };
    let stopped = run(&project.root, &project.store, &project.bounds, &options, &cancel, &mut |_| stop.cancel());
    assert_eq!((stopped.unwrap_err().code, project.hash("z/deep/new.csv")), (Code::Cancelled, Some(Hash::of(b"fresh,1\n"))));

    // A name alone is found by the listing, and comes first then.
    let cancel = Cancel::default();
    let stop = cancel.clone();
    project.write("z/other/late.csv", "late,1\n");
    let options = SyncOptions { first: vec![RelPath::parse("late.csv").unwrap()], ..SyncOptions::default() };
    run(&project.root, &project.store, &project.bounds, &options, &cancel, &mut |_| stop.cancel()).unwrap_err();
    assert_eq!(project.hash("z/other/late.csv"), Some(Hash::of(b"late,1\n")));
}

#[test]
fn a_sync_that_is_under_way_looks_at_what_others_name_between_its_batches() {
    let project = project();
    (0..300).for_each(|number| project.write(&format!("f{number:03}.ts"), &format!("export const f{number} = 1;\n")));
    let options = SyncOptions::default();
    let mut asked = false;
    let report = run(&project.root, &project.store, &project.bounds, &options, &Cancel::default(), &mut |_| {
        if !std::mem::replace(&mut asked, true) {
            project.write("made-meanwhile.ts", "export const fresh = 1;\n");
            options.urgent.ask(&[RelPath::parse("made-meanwhile.ts").unwrap()]);
        }
    });
    assert_eq!(report.unwrap().listed, 300);
    assert_eq!((project.totals().files, project.hash("made-meanwhile.ts").is_some()), (301, true));
}

#[test]
fn a_rebuild_forgets_what_is_indexed_and_parses_all_of_it_again() {
    let project = project();
    project.write("a.ts", "export function one() {}\n");
    project.sync();
    project.age();
    project.sql("UPDATE project_symbols SET folded_hash = 0");
    assert_eq!((counts(&project.sync()), project.store.reader().unwrap().symbols_named("one", 5).unwrap().len()), ((0, 0, 1, 0), 0));
    let options = SyncOptions { rebuild: true, ..SyncOptions::default() };
    let report = project.sync_with(&options, &Cancel::default()).unwrap();
    assert_eq!((counts(&report), project.store.reader().unwrap().symbols_named("one", 5).unwrap().len()), ((1, 0, 0, 0), 1));
}

#[test]
fn one_file_is_reindexed_by_itself() {
    let project = project();
    project.write("a.ts", "export function one() {}\n");
    project.sync();
    let path = RelPath::parse("a.ts").unwrap();
    let again = || reindex(&project.root, &project.store, &project.bounds, &path).unwrap();
    project.write("a.ts", "export function two() {}\n");
    let changed = again();
    let FoundNow::Admitted(found) = changed.found else { panic!("{changed:?}") };
    assert_eq!((found.0.text.as_str(), found.1.symbols[0].name.as_str(), changed.written), ("export function two() {}\n", "two", true));
    assert_eq!(project.store.reader().unwrap().symbols_named("two", 5).unwrap().len(), 1);

    project.write("a.ts", "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq0\n-----END RSA PRIVATE KEY-----\n");
    assert!(matches!(again(), Reindexed { found: FoundNow::Refused("secret/private-key"), written: true }));
    assert_eq!(project.totals(), Totals { refused: 1, ..Totals::default() });
    fs::remove_file(project.on_disk("a.ts")).unwrap();
    assert!(matches!(again(), Reindexed { found: FoundNow::Gone, written: true }));
}

#[test]
fn a_project_that_was_replaced_is_not_synced() {
    let project = project();
    project.write("a.ts", "const one = 1;\n");
    fs::rename(project.on_disk(""), project.folder.path().join("moved")).unwrap();
    fs::create_dir(project.on_disk("")).unwrap();
    assert_eq!(project.sync_with(&SyncOptions::default(), &Cancel::default()).unwrap_err().code, Code::RootReplaced);
}

#[test]
fn a_project_that_is_removed_in_mid_sync_is_not_complete() {
    let project = project();
    for number in 0..600 {
        project.write(&format!("src/{number}.ts"), "export const a = 1\n");
    }
    let mut moved = false;
    let outcome = run(&project.root, &project.store, &project.bounds, &SyncOptions::default(), &Cancel::default(), &mut |_| {
        if !std::mem::replace(&mut moved, true) {
            fs::rename(project.on_disk(""), project.folder.path().join("moved")).unwrap();
        }
    });
    assert_eq!(outcome.unwrap_err().code, Code::RootReplaced);
    fs::rename(project.folder.path().join("moved"), project.on_disk("")).unwrap();
    assert!(!project.store.reader().unwrap().state().unwrap().complete);
    assert!(project.sync().complete);
    assert_eq!(project.totals().files, 600);
}

/// Each value of each table, as bytes.
fn values(file: &std::path::Path) -> Vec<(String, Vec<u8>)> {
    use rusqlite::types::ValueRef;
    let connection = rusqlite::Connection::open(file).unwrap();
    let mut statement = connection.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").unwrap();
    let tables: Vec<String> = statement.query_map([], |row| row.get(0)).unwrap().map(|name| name.unwrap()).collect();
    let mut values = Vec::new();
    for table in tables {
        let mut statement = connection.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        while let Some(row) = rows.next().unwrap() {
            for column in 0..columns {
                if let ValueRef::Text(bytes) | ValueRef::Blob(bytes) = row.get_ref(column).unwrap() {
                    values.push((table.clone(), bytes.to_vec()));
                }
            }
        }
    }
    values
}

#[test]
fn no_line_of_source_is_in_the_index() {
    let project = git_project();
    let sources = ["src/symbols.rs", "src/store.py", "src/plain.txt"].map(|path| {
        let text = match path {
            "src/plain.txt" => "the quick brown fox\njumps over the lazy dog\n".repeat(40),
            "src/store.py" => {
                "class Store:\n    \"\"\"Keeps what is given.\"\"\"\n    def put(self, key, value):\n        self.kept[key] = value\n\nput = Store.put\n".into()
            }
            _ => include_str!("tests.rs").to_owned(),
        };
        (path, text)
    });
    for (path, text) in &sources {
        project.write(path, text);
    }
    project.git(&["add", "."]);
    project.git(&["commit", "-qm", "a message of our own"]);
    assert!(project.sync().complete);
    project.write("src/store.py", "stale = True\n");
    project.sync();
    let found = values(&project.folder.path().join("data/index.db"));
    for table in ["project_files", "project_places", "project_symbols", "project_terms", "project_parses"] {
        assert!(found.iter().any(|(name, _)| name == table), "{table}");
    }
    // Also what is packed.
    let unpack = |(table, value): &(String, Vec<u8>)| Some((table.clone(), zstd::bulk::decompress(value, 1 << 20).ok().filter(|bytes| !bytes.is_empty())?));
    let unpacked: Vec<_> = found.iter().filter_map(unpack).collect();
    assert!(unpacked.len() >= 3 && unpacked.iter().all(|(table, _)| table == "project_parses"));
    // Two words in a row are more than a name.
    let words = |text: &str| text.lines().map(|line| line.trim().splitn(3, ' ').take(2).collect::<Vec<_>>().join(" ")).collect::<Vec<_>>();
    for pair in sources.iter().flat_map(|(_, text)| words(text)).filter(|words| words.len() > 8 && words.contains(' ')) {
        let holds = |(_, value): &&(String, Vec<u8>)| value.windows(pair.len()).any(|window| window == pair.as_bytes());
        assert_eq!(found.iter().chain(&unpacked).find(holds).map(|(table, _)| table), None, "{pair}");
    }
}
