//! Listings compared with what git itself lists.

use super::*;

#[test]
fn ignore_rules_are_read_as_git_reads_them() {
    let bed = Bed::repository();
    bed.write("p/.gitignore", "\u{feff}*.log\n!keep.log\n/only-top\ndeep/**/x\nfolder/\n\\#hash\ntrailing\\ \nspace   \n[ab].ts\n**/any\n!negated/\nsub/*\n!sub/kept\n# comment\n*/mid\n");
    bed.write("p/src/.gitignore", "!b.log\nlocal\n/anchored\n");
    bed.write("p/src/more/.gitignore", "*\n!.gitignore\n!yes\n");
    bed.files(&[
        "a.log",
        "keep.log",
        "only-top",
        "src/only-top",
        "deep/1/2/x",
        "deep/x",
        "folder/f",
        "src/folder/g",
        "#hash",
        "trailing ",
        "trailing",
        "space",
        "a.ts",
        "c.ts",
        "x/y/any",
        "negated/n",
        "sub/dropped",
        "sub/kept",
        "src/b.log",
        "src/c.log",
        "src/local",
        "src/x/local",
        "src/anchored",
        "src/x/anchored",
        "src/more/yes",
        "src/more/no",
        "x/mid",
        "x/y/mid",
        "ÄÖ.txt",
    ]);
    bed.same_as_git("p");
    // What was tracked before a rule came stays listed.
    bed.git("p", &["add", "-f", "folder/f", "a.log", "src/more/no"]);
    let listing = bed.same_as_git("p");
    assert!(paths(&listing).contains("folder/f"));
    bed.same_as_git("p/src");
    bed.same_as_git("p/src/more");
}

#[test]
fn rules_outside_the_tree_are_honoured() {
    let bed = Bed::repository();
    bed.files(&["a.one", "b.two", "c.three", "src/a.one", "keep.two", "d.TWO"]);
    bed.write("p/.git/info/exclude", "*.one\n!keep.two\n");
    bed.write("home/.config/git/ignore", "*.two\n*.three\n");
    assert_eq!(paths(&bed.same_as_git("p")), set(&["keep.two", "d.TWO"]));
    bed.write("home/more-rules", "*.one\n");
    bed.git("p", &["config", "--global", "core.excludesFile", "~/more-rules"]);
    bed.same_as_git("p");
    bed.git("p", &["config", "core.excludesFile", bed.at("home/.config/git/ignore").to_str().unwrap()]);
    bed.git("p", &["config", "core.ignoreCase", "true"]);
    assert_eq!(paths(&bed.same_as_git("p")), set(&["keep.two"]));
}

#[test]
fn a_linked_worktree_shares_the_rules_and_not_the_head() {
    let bed = Bed::repository();
    bed.files(&["a.ts"]);
    bed.commit("p");
    bed.write("p/.git/info/exclude", "*.tmp\n");
    bed.git("p", &["worktree", "add", "-q", "-b", "other", "../w"]);
    bed.git("p", &["worktree", "add", "-q", "-b", "inside", "nested"]);
    bed.write("w/b.tmp", "");
    bed.write("w/c.ts", "");
    let listing = bed.same_as_git("w");
    assert_eq!(paths(&listing), set(&["a.ts", "c.ts"]));
    let git = listing.git.unwrap();
    assert_eq!(git.branch.as_deref(), Some("other"));
    assert_eq!(git.head.as_deref(), std::str::from_utf8(&bed.git("w", &["rev-parse", "HEAD"])).ok().map(str::trim));
    assert!(git.root.ends_with("/w"));
    // The work tree inside the project is a boundary.
    let listing = bed.same_as_git("p");
    assert_eq!((paths(&listing), listing.excluded["directory/nested-repository"]), (set(&["a.ts"]), 1));
}

#[test]
fn submodules_and_nested_repositories_are_boundaries() {
    let bed = Bed::repository();
    bed.git(".", &["init", "-q", "other"]);
    bed.write("other/o.ts", "");
    bed.commit("other");
    bed.git("p", &["submodule", "add", "-q", "../other", "module"]);
    bed.git("p", &["init", "-q", "nested"]);
    bed.files(&["a.ts", "nested/n.ts", "empty/.git/x", "empty/e.ts"]);
    bed.git(".", &["clone", "-q", "--bare", "other", "p/store"]);
    let mut listing = bed.list("p");
    assert_eq!(paths(&listing), set(&[".gitmodules", "a.ts", "empty/e.ts"]));
    assert_eq!((listing.excluded.remove("directory/nested-repository"), listing.excluded.remove("directory/vcs")), (Some(2), Some(1)));
    assert_eq!(paths(&bed.same_as_git("p/module")), set(&["o.ts"]));
    let inside = bed.list("p/store");
    assert_eq!((inside.entries.len(), inside.excluded["directory/vcs"]), (0, 1));
}

#[test]
fn every_form_of_index_is_read() {
    let bed = Bed::repository();
    let many: Vec<String> = (0..40).map(|number| format!("src/f{number}.ts")).collect();
    bed.files(&many.iter().map(String::as_str).collect::<Vec<_>>());
    bed.commit("p");
    bed.git("p", &["update-index", "--index-version", "4"]);
    assert_eq!(bed.same_as_git("p").entries.len(), 40);
    bed.git("p", &["update-index", "--split-index"]);
    bed.files(&["src/new.ts"]);
    bed.git("p", &["rm", "-q", "src/f3.ts"]);
    bed.write("p/src/f5.ts", "changed and longer");
    bed.git("p", &["add", "-A"]);
    assert!(fs::read_dir(bed.at("p/.git")).unwrap().any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with("sharedindex.")));
    let listing = bed.same_as_git("p");
    assert_eq!(listing.entries.len(), 40);
    assert!(listing.entries.iter().all(|entry| entry.tracked && !entry.modified), "{:?}", listing.changed);
    bed.git("p", &["update-index", "--no-split-index"]);
    bed.git("p", &["config", "index.skipHash", "true"]);
    bed.git("p", &["update-index", "--force-write-index"]);
    bed.same_as_git("p");
}

#[test]
fn sha256_repositories_are_read() {
    let bed = Bed::new();
    bed.git(".", &["init", "-q", "--object-format=sha256", "p"]);
    bed.files(&["a.ts", "b/c.ts"]);
    bed.commit("p");
    let listing = bed.same_as_git("p");
    assert_eq!(listing.git.unwrap().head.unwrap().len(), 64);
}

#[test]
fn reftable_repositories_keep_their_files_and_hide_their_head() {
    let bed = Bed::new();
    if !bed.command(".", &["init", "-q", "--ref-format=reftable", "p"]).status.success() {
        return;
    }
    bed.files(&["a.ts"]);
    bed.commit("p");
    let git = bed.same_as_git("p").git.unwrap();
    assert_eq!((git.branch, git.head), (None, None));
}

#[test]
fn sparse_checkouts_list_what_is_on_disk() {
    let bed = Bed::repository();
    bed.files(&["a.ts", "in/b.ts", "out/c.ts", "out/deep/d.ts"]);
    bed.commit("p");
    for sparse_index in ["--no-sparse-index", "--sparse-index"] {
        bed.git("p", &["sparse-checkout", "set", "--cone", sparse_index, "in"]);
        let listing = bed.list("p");
        assert_eq!((paths(&listing), &listing.git_problem), (set(&["a.ts", "in/b.ts"]), &None));
        assert_eq!(changed(&listing), [""; 0]);
    }
}

#[test]
fn states_of_the_head_are_told() {
    let bed = Bed::repository();
    bed.files(&["a.ts"]);
    let git = bed.same_as_git("p").git.unwrap();
    assert_eq!((git.branch.as_deref(), git.head), (Some("main"), None));
    bed.commit("p");
    let head = String::from_utf8(bed.git("p", &["rev-parse", "HEAD"])).unwrap().trim().to_owned();
    assert_eq!(bed.list("p").git.unwrap().head.as_ref(), Some(&head));
    bed.git("p", &["pack-refs", "--all"]);
    assert_eq!(bed.list("p").git.unwrap().head.as_ref(), Some(&head));
    bed.git("p", &["checkout", "-q", "--detach"]);
    let git = bed.same_as_git("p").git.unwrap();
    assert_eq!((git.branch, git.head), (None, Some(head)));
    // A name that would leave the directory is not followed.
    fs::write(bed.at("p/.git/HEAD"), "ref: refs/heads/../../../secret\n").unwrap();
    bed.write("p/secret", "0123456789012345678901234567890123456789");
    assert_eq!(bed.list("p").git.unwrap().head, None);
}

#[test]
fn conflicts_list_each_file_once_and_as_modified() {
    let bed = Bed::repository();
    bed.write("p/a.ts", "one\n");
    bed.commit("p");
    bed.git("p", &["checkout", "-qb", "side"]);
    bed.write("p/a.ts", "two\n");
    bed.commit("p");
    bed.git("p", &["checkout", "-q", "main"]);
    bed.write("p/a.ts", "three\n");
    bed.commit("p");
    assert!(!bed.command("p", &["merge", "-q", "side"]).status.success());
    let listing = bed.list("p");
    assert_eq!((listing.entries.len(), listing.entries[0].modified, changed(&listing)), (1, true, vec!["a.ts"]));
}

#[test]
fn changes_are_seen_by_stat() {
    let bed = Bed::repository();
    bed.files(&["clean.ts", "edited.ts", "gone.ts", "replaced.ts", "assumed.ts"]);
    bed.commit("p");
    bed.git("p", &["update-index", "--assume-unchanged", "assumed.ts"]);
    bed.write("p/edited.ts", "other and longer");
    bed.write("p/assumed.ts", "other and longer");
    fs::remove_file(bed.at("p/gone.ts")).unwrap();
    fs::remove_file(bed.at("p/replaced.ts")).unwrap();
    symlink("clean.ts", bed.at("p/replaced.ts")).unwrap();
    bed.files(&["intended.ts", "new.ts"]);
    bed.git("p", &["add", "-N", "intended.ts"]);
    let listing = bed.same_as_git("p");
    assert_eq!(changed(&listing), ["edited.ts", "gone.ts", "intended.ts", "new.ts", "replaced.ts"]);
    let modified: BTreeSet<_> = listing.entries.iter().filter(|entry| entry.modified).map(|entry| entry.path.as_str().to_owned()).collect();
    assert_eq!(modified, set(&["edited.ts", "intended.ts", "new.ts"]));
    assert_eq!(listing.excluded["path/link"], 1);
}

#[test]
fn a_subfolder_obeys_the_rules_above_it() {
    let bed = Bed::repository();
    bed.write("p/.gitignore", "*.log\n/pkg/secret-dir\nignored/\n");
    bed.write("p/pkg/.gitignore", "*.tmp\n/app/x\n");
    bed.files(&["pkg/app/a.ts", "pkg/app/b.log", "pkg/app/c.tmp", "pkg/app/x", "pkg/app/d/x", "other.ts", "ignored/a.ts", "ignored/in/b.ts"]);
    bed.git("p", &["add", "-f", "ignored/a.ts"]);
    assert_eq!(paths(&bed.same_as_git("p/pkg/app")), set(&["a.ts", "d/x"]));
    assert_eq!(paths(&bed.same_as_git("p/ignored")), set(&["a.ts"]));
    assert_eq!(paths(&bed.same_as_git("p/ignored/in")), set(&[]));
}

#[test]
fn a_configured_work_tree_is_honoured() {
    let bed = Bed::repository();
    bed.files(&["a.ts"]);
    bed.git("p", &["config", "core.worktree", "../sub"]);
    fs::create_dir(bed.at("p/sub")).unwrap();
    bed.write("p/sub/b.ts", "");
    assert!(bed.list("p").git_problem.unwrap().contains("work tree"));
    bed.same_as_git("p/sub");
}

#[test]
fn the_environment_does_not_redirect() {
    const CHILD: &str = "DISCOVER_TEST_PROJECT";
    if let Some(project) = std::env::var_os(CHILD) {
        let root = Root::open(Path::new(&project), Trust::granted(TrustSource::Api)).unwrap();
        let listing = list(&root, &Bounds::default(), Asked::default(), &Cancel::default()).unwrap().unwrap();
        assert_eq!((paths(&listing), listing.source), (set(&["a.ts"]), Source::Git));
        return;
    }
    let bed = Bed::repository();
    bed.files(&["a.ts"]);
    bed.commit("p");
    bed.git(".", &["init", "-q", "other"]);
    let mut child = Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "discover::tests::git::the_environment_does_not_redirect"]).env(CHILD, bed.at("p")).env("HOME", bed.at("home"));
    child.env("GIT_DIR", bed.at("other/.git")).env("GIT_WORK_TREE", bed.at("other")).env("GIT_INDEX_FILE", bed.at("none"));
    let output = child.output().unwrap();
    let report = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && report.contains("1 passed"), "{report}");
}

#[test]
fn the_users_conditional_includes_hold() {
    let bed = Bed::repository();
    bed.files(&["a.one", "b.two", "c.three", "d.ts"]);
    bed.write("home/work.config", "[core]\n excludesFile = ~/work-rules\n");
    bed.write("home/work-rules", "*.one\n");
    let config = fs::read_to_string(bed.at("home/.gitconfig")).unwrap();
    let top = bed.at("p").canonicalize().unwrap();
    for condition in [format!("gitdir:{}/", top.parent().unwrap().display()), format!("gitdir:{}/.git", top.display()), "onbranch:main".to_owned()] {
        bed.write("home/.gitconfig", &format!("{config}[includeIf \"{condition}\"]\n path = work.config\n[include]\n path = ~/missing\n"));
        assert_eq!(paths(&bed.same_as_git("p")), set(&["b.two", "c.three", "d.ts"]), "{condition}");
    }
    bed.write("home/.gitconfig", &format!("{config}[core]\n excludesFile = ~/work-rules\n[includeIf \"gitdir:/elsewhere/\"]\n path = x\n"));
    assert_eq!(paths(&bed.same_as_git("p")), set(&["b.two", "c.three", "d.ts"]));
}
