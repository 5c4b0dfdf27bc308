use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::super::{SyncOptions, run};
use super::*;
use crate::patterns::Includes;
use crate::root::{Trust, TrustSource};
use crate::store::CommitVote;

struct Project {
    folder: TempDir,
    root: Root,
    store: Store,
    bounds: Bounds,
}

fn project() -> Project {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("project")).unwrap();
    let root = Root::open(&folder.path().join("project").canonicalize().unwrap(), Trust::granted(TrustSource::Api)).unwrap();
    let store = Store::open(&folder.path().join("data/index.db"), root.id()).unwrap().0;
    let project = Project { folder, root, store, bounds: Bounds::default() };
    project.git(&["init", "-q", "-b", "main"]);
    project
}

impl Project {
    fn git(&self, arguments: &[&str]) -> String {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let done = Command::new("git").args(identity).args(arguments).current_dir(self.folder.path().join("project")).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
        String::from_utf8(done.stdout).unwrap().trim().to_owned()
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join("project").join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// Commits the files with a text of their own; the commit's hash.
    fn commit(&self, message: &str, paths: &[&str]) -> String {
        for path in paths {
            self.write(path, &format!("export const text = \"{message} {path}\";\n"));
        }
        self.git(&["add", "-A"]);
        self.git(&["commit", "-qm", message]);
        self.git(&["rev-parse", "HEAD"])
    }

    fn sync(&self) -> u64 {
        let report = run(&self.root, &self.store, &self.bounds, &SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
        assert!(report.complete);
        report.commits
    }

    /// The paths that commits with the word vote for, each with its commit.
    fn votes(&self, word: &str) -> Vec<(String, String)> {
        let reader = self.store.reader().unwrap();
        let votes = reader.match_commits(&[word.to_owned()], 10).unwrap();
        votes.into_iter().map(|CommitVote { file, hash, .. }| (reader.file(file).unwrap().unwrap().path.as_str().to_owned(), hash)).collect()
    }

    fn vote(&self, word: &str) -> Vec<String> {
        self.votes(word).into_iter().map(|(path, _)| path).collect()
    }

    /// Whether the index's files hold the bytes.
    fn holds(&self, bytes: &str) -> bool {
        fs::read_dir(self.folder.path().join("data")).unwrap().any(|entry| {
            let bytes_of = fs::read(entry.unwrap().path()).unwrap();
            memchr::memmem::find(&bytes_of, bytes.as_bytes()).is_some()
        })
    }
}

#[test]
fn messages_vote_for_the_files_that_are_still_there() {
    let project = project();
    project.commit("start", &["src/a.ts", "src/b.ts", "src/gone.ts"]);
    let zebra = project.commit("cross the zebra\n\nwith giraffes\n\nSigned-off-by: Quagga <q@example.org>", &["src/a.ts", "src/gone.ts"]);
    project.git(&["rm", "-q", "src/gone.ts"]);
    project.git(&["commit", "-qm", "remove"]);
    assert_eq!(project.sync(), 3);
    assert_eq!(project.votes("zebra"), [("src/a.ts".to_owned(), zebra.clone())]);
    assert_eq!(project.votes("giraff"), [("src/a.ts".to_owned(), zebra)]);
    assert_eq!(project.vote("quagga"), [""; 0], "names of people are no words of a change");
    assert_eq!(project.sync(), 0, "nothing moved");
    project.commit("a second zebra", &["src/b.ts"]);
    assert_eq!(project.sync(), 1, "only the new one is looked at");
    let mut votes = project.vote("zebra");
    votes.sort();
    assert_eq!(votes, ["src/a.ts", "src/b.ts"]);
}

#[test]
fn merges_large_commits_secrets_and_excluded_names_say_nothing() {
    let project = project();
    let many: Vec<String> = (0..13).map(|at| format!("src/f{at}.ts")).collect();
    project.commit("okapi everywhere", &many.iter().map(String::as_str).collect::<Vec<_>>());
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    project.commit(&format!("okapi with {token}"), &["src/f1.ts"]);
    project.commit("okapi in credentials", &[".env"]);
    project.git(&["checkout", "-qb", "side", "HEAD~1"]);
    project.commit("side", &["src/f2.ts"]);
    project.git(&["merge", "-q", "--no-ff", "-m", "okapi merge", "main"]);
    assert_eq!(project.sync(), 4);
    assert_eq!(project.vote("okapi"), [""; 0]);
    assert_eq!(project.vote("side"), ["src/f2.ts"]);
    assert!(!project.holds(&token.to_lowercase()) && !project.holds("credenti"));
}

#[test]
fn renames_are_followed_in_both_directions_of_time() {
    let project = project();
    project.commit("zebra", &["src/first.ts"]);
    project.git(&["mv", "src/first.ts", "src/second.ts"]);
    project.git(&["commit", "-qm", "move"]);
    project.sync();
    assert_eq!(project.vote("zebra"), ["src/second.ts"]);
    project.git(&["mv", "src/second.ts", "src/third.ts"]);
    project.git(&["commit", "-qm", "move again"]);
    project.commit("quagga", &["src/second.ts"]);
    project.sync();
    assert_eq!(project.vote("zebra"), ["src/third.ts"]);
    assert_eq!(project.vote("quagga"), ["src/second.ts"], "another file took the name");
}

#[test]
fn another_line_of_history_starts_anew_and_the_setting_forgets_all() {
    let mut project = project();
    project.commit("start", &["src/a.ts"]);
    project.git(&["checkout", "-qb", "side"]);
    project.commit("the zebra of the side", &["src/a.ts"]);
    project.sync();
    assert_eq!(project.vote("zebra"), ["src/a.ts"]);
    project.git(&["checkout", "-q", "main"]);
    project.commit("the okapi of the trunk", &["src/a.ts"]);
    assert_eq!(project.sync(), 2);
    assert_eq!((project.vote("zebra"), project.vote("okapi")), (vec![], vec!["src/a.ts".to_owned()]));
    assert!(!project.holds("zebra"));
    project.bounds.max_commits = 0;
    project.sync();
    assert_eq!(project.vote("okapi"), [""; 0]);
    assert_eq!(project.store.reader().unwrap().commit_memory().unwrap(), CommitMemory::default());
}

#[test]
fn the_bound_keeps_the_newest_and_a_subfolder_sees_its_own_paths() {
    let mut project = project();
    for at in 0..8 {
        project.commit(&format!("word{at}"), &["inner/src/a.ts"]);
    }
    project.bounds.max_commits = 3;
    assert_eq!(project.sync(), 3);
    assert_eq!((project.vote("word4"), project.vote("word5")), (vec![], vec!["inner/src/a.ts".to_owned()]));
    let inner = Root::open(&project.folder.path().join("project/inner").canonicalize().unwrap(), Trust::granted(TrustSource::Api)).unwrap();
    let store = Store::open(&project.folder.path().join("inner/index.db"), inner.id()).unwrap().0;
    let inner = Project { root: inner, store, ..project };
    assert_eq!(inner.sync(), 3);
    assert_eq!(inner.vote("word7"), ["src/a.ts"]);
}

#[test]
fn a_missing_or_strange_object_ends_the_walk_quietly() {
    let project = project();
    let first = project.commit("okapi", &["src/a.ts"]);
    project.commit("zebra", &["src/a.ts"]);
    let object = project.folder.path().join("project/.git/objects").join(&first[..2]).join(&first[2..]);
    fs::remove_file(&object).unwrap();
    assert!(Command::new("mkfifo").arg(&object).status().unwrap().success());
    project.sync();
    assert_eq!((project.vote("okapi"), project.vote("zebra")), (vec![], vec![]), "without its parent nobody knows what the second did");
    fs::remove_file(&object).unwrap();
}

#[test]
fn objects_that_are_borrowed_from_what_is_no_plain_file_are_left_alone() {
    let project = project();
    project.commit("okapi", &["src/a.ts"]);
    let alternates = project.folder.path().join("project/.git/objects/info/alternates");
    fs::create_dir_all(alternates.parent().unwrap()).unwrap();
    let lender = project.folder.path().join("lender/objects");
    fs::create_dir_all(lender.join("info")).unwrap();
    let pipe = |path: &std::path::Path| assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    // A file that names itself, a huge one, a pipe here and a pipe there.
    let lines: String = (0..40).map(|at| format!("/nowhere/{at}\n")).collect();
    for text in [lines, "#".repeat(1_000_001), "\"\\".to_owned()] {
        fs::write(&alternates, text).unwrap();
        project.sync();
        assert_eq!(project.vote("okapi"), [""; 0]);
    }
    fs::write(&alternates, format!("{}\n", lender.display())).unwrap();
    pipe(&lender.join("info/alternates"));
    project.sync();
    assert_eq!(project.vote("okapi"), [""; 0]);
    fs::remove_file(&alternates).unwrap();
    pipe(&alternates);
    project.sync();
    assert_eq!(project.vote("okapi"), [""; 0]);
    fs::remove_file(&alternates).unwrap();
    // What can be read is.
    fs::remove_file(lender.join("info/alternates")).unwrap();
    fs::write(&alternates, format!("{}\n", lender.display())).unwrap();
    project.sync();
    assert_eq!(project.vote("okapi"), ["src/a.ts"]);
}

#[test]
fn commits_of_files_that_the_user_takes_in_are_remembered_from_the_next_sync_on() {
    let mut project = project();
    project.commit("zebra", &["node_modules/foo/index.ts", "node_modules/foo/.env"]);
    project.sync();
    assert_eq!(project.vote("zebra"), [""; 0]);
    project.bounds.include = Includes::new(&["/node_modules/foo/".to_owned()]).unwrap();
    assert_eq!(project.sync(), 1, "the rules are others now");
    assert_eq!(project.vote("zebra"), ["node_modules/foo/index.ts"]);
    assert_eq!(project.sync(), 0);
    project.bounds.include = Includes::default();
    assert_eq!(project.sync(), 1);
    assert_eq!(project.vote("zebra"), [""; 0]);
}

#[test]
fn names_that_files_pass_on_are_followed_at_once_as_one_by_one() {
    for one_by_one in [true, false] {
        let project = project();
        project.commit("zebra", &["src/a.ts"]);
        project.commit("okapi", &["src/b.ts"]);
        project.sync();
        for (from, to) in [("a", "t"), ("b", "a"), ("t", "b")] {
            project.git(&["mv", &format!("src/{from}.ts"), &format!("src/{to}.ts")]);
            project.git(&["commit", "-qm", "quagga"]);
            if one_by_one {
                project.sync();
            }
        }
        project.sync();
        assert_eq!((project.vote("zebra"), project.vote("okapi")), (vec!["src/b.ts".to_owned()], vec!["src/a.ts".to_owned()]), "{one_by_one}");
    }
}

#[test]
fn a_commit_that_a_stopped_sync_left_out_is_known_by_the_present_name_of_its_file() {
    let project = project();
    let zebra = project.commit("zebra", &["src/a.ts"]);
    project.commit("okapi", &["src/a.ts"]);
    project.sync();
    // As a sync leaves it that is stopped before it comes to the first commit.
    let memory = project.store.reader().unwrap().commit_memory().unwrap();
    let mut writer = project.store.writer().unwrap().unwrap();
    writer.forget_commits(Some(&[memory.known[&zebra]])).unwrap();
    writer.put_commits_head(memory.head.as_deref().unwrap(), false).unwrap();
    writer.settle().unwrap();
    drop(writer);
    project.git(&["mv", "src/a.ts", "src/b.ts"]);
    project.git(&["commit", "-qm", "move"]);
    assert_eq!(project.sync(), 2);
    assert_eq!((project.vote("zebra"), project.vote("okapi")), (vec!["src/b.ts".to_owned()], vec!["src/b.ts".to_owned()]));
}

#[test]
fn a_secret_that_the_bounds_of_a_message_cut_in_two_leaves_nothing() {
    let project = project();
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for shown in [8, 20, 39] {
        let filler = "o".repeat(299 - shown);
        project.commit(&format!("{filler} {token}"), &["src/a.ts"]);
        project.commit(&format!("zebra{shown}\n\n{filler} {token}"), &["src/a.ts"]);
    }
    let key = format!("-----BEGIN RSA PRIVATE KEY-----\n{}", "qMIIEpAIBAAKCAQEA7wXf3kZ9Yb2\n".repeat(30));
    project.commit(&format!("giraffe\n\n{key}"), &["src/a.ts"]);
    project.sync();
    assert_eq!(["zebra20", "ghpa1b2", "qmiiepaibaakcaqea7wxf3kz9yb2"].map(|word| project.holds(word)), [true, false, false]);
}

/// Each file of each commit that is known.
fn known(store: &std::path::Path) -> Vec<String> {
    let connection = rusqlite::Connection::open(store).unwrap();
    let sql = "SELECT hash || ' ' || path FROM project_commit_files JOIN project_commits ON id = commit_id ORDER BY 1";
    connection.prepare(sql).unwrap().query_map([], |row| row.get(0)).unwrap().collect::<rusqlite::Result<_>>().unwrap()
}

#[test]
fn syncs_that_come_at_any_time_and_stop_at_any_time_know_the_same_in_the_end() {
    for seed in [5, 6_u64] {
        let project = project();
        let mut state = seed;
        let mut random = move |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        let path = |at: u64| format!("src/{}.ts", ["a", "b", "c"][at as usize]);
        let folder = project.folder.path().join("project");
        for at in 0..30 {
            let (one, other) = (path(random(3)), path(random(3)));
            let is_there = |path: &str| folder.join(path).exists();
            match random(4) {
                0..3 if is_there(&one) && !is_there(&other) => drop(project.git(&["mv", &one, &other])),
                0 if is_there(&one) => drop(project.git(&["rm", "-q", &one])),
                _ => project.write(&one, &format!("export const text{at} = {at};\n")),
            }
            project.git(&["add", "-A"]);
            project.git(&["commit", "-q", "--allow-empty", "-m", &format!("word{at} common\n\nbody{}", at % 3)]);
            if random(3) == 0 {
                let cancel = Cancel::default().within(std::time::Duration::from_micros(random(40_000)));
                let _ = run(&project.root, &project.store, &project.bounds, &SyncOptions::default(), &cancel, &mut |_| {}).unwrap();
            }
        }
        project.sync();
        let at_once = Store::open(&project.folder.path().join("once/index.db"), project.root.id()).unwrap().0;
        run(&project.root, &at_once, &project.bounds, &SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
        assert_eq!(known(&project.folder.path().join("data/index.db")), known(&project.folder.path().join("once/index.db")), "{seed}");
    }
}
