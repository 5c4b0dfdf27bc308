//! What a sync looks at: includes, bounds, deadlines, and an index that is gone.

use super::*;
use crate::patterns::Includes;

#[test]
fn what_the_user_takes_in_is_indexed_and_its_secrets_are_not() {
    let mut project = git_project();
    let paths = ["src/a.ts", "node_modules/foo/index.ts", "node_modules/foo/.env", "node_modules/foo/.hg/notes.ts", "node_modules/bar/index.ts"];
    paths.iter().for_each(|path| project.write(path, "export const one = 1;\n"));
    assert_eq!((project.sync().indexed, project.totals().refused), (1, 0));
    project.bounds.include = Includes::new(&["/node_modules/foo/".to_owned()]).unwrap();
    let report = project.sync();
    assert_eq!((counts(&report), report.listed, project.totals().refused), ((1, 1, 1, 0), 2, 0));
    assert_eq!(project.hash("node_modules/foo/index.ts"), Some(Hash::of(b"export const one = 1;\n")));
    project.write("node_modules/foo/index.ts", "export const two = 2;\n");
    let path = RelPath::parse("node_modules/foo/index.ts").unwrap();
    let again = reindex(&project.root, &project.store, &project.bounds, &path).unwrap();
    assert!(matches!((again.found, again.written), (FoundNow::Admitted(_), true)));
    for kept_out in [".env", ".hg/notes.ts"] {
        let path = RelPath::parse(&format!("node_modules/foo/{kept_out}")).unwrap();
        assert!(matches!(reindex(&project.root, &project.store, &project.bounds, &path).unwrap().found, FoundNow::Refused(_)), "{path}");
    }
    project.bounds.include = Includes::default();
    assert_eq!((counts(&project.sync()), project.hash("node_modules/foo/index.ts")), ((0, 0, 1, 1), None));
}

#[test]
fn an_index_that_the_user_removes_is_built_anew_by_the_next_sync() {
    let project = project();
    project.write("a.ts", "export const one = 1;\n");
    project.write("b.ts", "export const two = 2;\n");
    let file = project.folder.path().join("data/index.db");
    for side_files_too in [false, true] {
        project.sync();
        assert_eq!(project.totals().files, 2);
        fs::remove_file(&file).unwrap();
        if side_files_too {
            fs::remove_dir_all(file.parent().unwrap()).unwrap();
        }
        let report = project.sync();
        assert_eq!((counts(&report), report.complete), ((2, 0, 0, 0), true));
        let elsewhere = Store::open(&file, project.root.id()).unwrap().0;
        assert_eq!((elsewhere.reader().unwrap().totals().unwrap().files, project.totals().files), (2, 2));
    }
}

#[test]
fn a_listing_that_is_not_done_in_time_leaves_the_index_as_complete_as_it_was() {
    let project = project();
    project.write("a.ts", "export const one = 1;\n");
    let late = Cancel::default().within(Duration::ZERO);
    let state = || project.store.reader().unwrap().state().unwrap();
    let report = project.sync_with(&SyncOptions::default(), &late).unwrap();
    assert_eq!((report.complete, report.listed, state().complete, state().indexed_at), (false, 0, false, 0));
    assert!(report.incomplete_reason.unwrap().contains("listed"));
    project.sync();
    let before = state();
    project.write("b.ts", "export const two = 2;\n");
    assert!(!project.sync_with(&SyncOptions::default(), &late).unwrap().complete);
    assert_eq!((state(), project.totals().files), (before, 1));
}

#[test]
fn a_file_that_a_request_names_is_indexed_whatever_the_bound_leaves_out() {
    let mut project = project();
    project.bounds.max_files = 2;
    ["a.ts", "b.ts", "deep/data.csv"].iter().for_each(|path| project.write(path, "one,two\n"));
    project.sync();
    assert_eq!((project.hash("b.ts").is_some(), project.hash("deep/data.csv")), (true, None));
    let first = vec![RelPath::parse("deep/data.csv").unwrap()];
    let report = project.sync_with(&SyncOptions { first, ..SyncOptions::default() }, &Cancel::default()).unwrap();
    assert_eq!((report.complete, report.listed, report.excluded["limit/files"]), (true, 2, 1));
    assert_eq!((project.hash("deep/data.csv"), project.hash("b.ts")), (Some(Hash::of(b"one,two\n")), None));
}

/// Syncs with a deadline that passes once the first file is done.
fn late_after_the_first_file(project: &Project) -> SyncReport {
    let mut patience = Duration::from_millis(50);
    loop {
        let cancel = Cancel::default().within(patience);
        let mut wait = |_| {
            while !cancel.is_late() {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        let report = run(&project.root, &project.store, &project.bounds, &SyncOptions::default(), &cancel, &mut wait).unwrap();
        if report.looked_at > 0 {
            return report;
        }
        // It passed before that: this machine is slow.
        patience *= 2;
    }
}

#[test]
fn a_deadline_ends_a_sync_early_and_says_so() {
    let project = project();
    ["a.ts", "b.ts", "c.ts"].iter().for_each(|path| project.write(path, "const one = 1;\n"));
    let late = late_after_the_first_file(&project);
    assert_eq!((late.complete, late.listed, late.looked_at, counts(&late)), (false, 3, 1, (1, 0, 0, 0)));
    assert_eq!(late.incomplete_reason.as_deref(), Some("the time was up after 1 of 3 files"));
    let state = project.store.reader().unwrap().state().unwrap();
    assert_eq!((state.complete, state.listed), (false, 3));
    assert!(project.sync().complete);
}

#[test]
fn a_late_pass_that_finds_nothing_to_do_is_complete() {
    let project = project();
    ["a.ts", "b.ts", "c.ts"].iter().for_each(|path| project.write(path, "const one = 1;\n"));
    project.sync();
    project.age();
    let late = late_after_the_first_file(&project);
    assert_eq!((late.complete, late.looked_at, counts(&late)), (true, 3, (0, 0, 3, 0)));
    assert!(project.store.reader().unwrap().state().unwrap().complete);
}
