//! Repositories that somebody wrote to make us run, wait, or read elsewhere.

use proptest::prelude::*;

use super::*;

impl Bed {
    /// A repository with one commit of `a.ts`, an untracked `b.ts`, and an ignored `c.log`.
    fn committed() -> Self {
        let bed = Bed::repository();
        bed.write("p/.gitignore", "*.log\n");
        bed.files(&["a.ts"]);
        bed.commit("p");
        bed.files(&["b.ts", "c.log"]);
        bed
    }

    /// The listing that every repository of [`Bed::committed`] has, whoever reads it.
    fn is_listed(&self, source: Source, what: &str) -> Listing {
        let listing = self.list("p");
        assert_eq!((listing.source, paths(&listing)), (source, set(&[".gitignore", "a.ts", "b.ts"])), "{what}: {:?}", listing.git_problem);
        assert_eq!(listing.git_problem.is_some(), source == Source::Walk, "{what}");
        listing
    }

    fn pipe_at(&self, path: &str) {
        let at = self.at(path);
        if at.is_dir() {
            fs::remove_dir_all(&at).unwrap()
        } else {
            drop(fs::remove_file(&at))
        }
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        make_pipe(&at);
    }
}

#[test]
fn a6_no_command_of_the_configuration_runs() {
    let bed = Bed::committed();
    let command = format!("touch {}", bed.at("marker").display());
    for key in ["core.fsmonitor", "core.sshCommand", "core.pager", "core.editor", "core.askPass", "core.hooksPath", "diff.x.textconv", "diff.x.command"] {
        bed.git("p", &["config", key, &command]);
    }
    for key in ["filter.x.clean", "filter.x.smudge", "filter.x.process", "credential.helper", "uploadpack.packObjectsHook", "alias.status", "gpg.program"] {
        bed.git("p", &["config", key, &format!("!{command}")]);
    }
    bed.write("p/.gitattributes", "* filter=x diff=x text\n");
    for hook in ["post-index-change", "fsmonitor-watchman", "query-watchman", "pre-auto-gc", "reference-transaction"] {
        use std::os::unix::fs::PermissionsExt as _;
        let path = format!("p/.git/hooks/{hook}");
        bed.write(&path, &format!("#!/bin/sh\n{command}\n"));
        fs::set_permissions(bed.at(&path), fs::Permissions::from_mode(0o755)).unwrap();
    }
    bed.write("p/a.ts", "changed, so that a filter would be asked");
    let listing = bed.list("p");
    assert_eq!((listing.source, listing.git_problem.as_ref()), (Source::Git, None));
    assert!(changed(&listing).contains(&"a.ts"));
    assert!(!bed.at("marker").exists());
}

#[test]
fn configuration_that_leads_elsewhere_leads_nowhere() {
    let bed = Bed::committed();
    // What a repository includes is not read: a pipe there holds nobody up, and rules there hide nothing.
    make_pipe(&bed.at("pipe"));
    bed.write("more", "[core]\n excludesFile = /dev/zero\n bare = true\n");
    let config = fs::read_to_string(bed.at("p/.git/config")).unwrap();
    let (pipe, more) = (bed.at("pipe"), bed.at("more"));
    for include in
        [format!("[include]\n path = {}\n", pipe.display()), format!("[includeIf \"gitdir:**\"]\n path = {}\n path = {}\n", more.display(), pipe.display())]
    {
        fs::write(bed.at("p/.git/config"), format!("{config}{include}")).unwrap();
        bed.is_listed(Source::Git, &include);
    }
    // An ignore file that is no plain file, or endless, is never waited for: without it Git's list is unknown.
    bed.pipe_at("p/rules");
    fs::write(bed.at("huge"), vec![b'#'; 1_000_001]).unwrap();
    symlink("/dev/zero", bed.at("endless")).unwrap();
    for target in ["../pipe", "/dev/zero", "/dev/stdin", "rules", "../huge", "../endless", "/"] {
        fs::write(bed.at("p/.git/config"), format!("{config}[core]\n excludesFile = {target}\n")).unwrap();
        let listing = bed.list("p");
        assert_eq!((listing.source, listing.git_problem.is_some()), (Source::Walk, true), "{target}");
        assert_eq!(paths(&listing), set(&[".gitignore", "a.ts", "b.ts"]), "{target}");
    }
    // A work tree elsewhere is not ours.
    fs::create_dir(bed.at("elsewhere")).unwrap();
    fs::write(bed.at("p/.git/config"), format!("{config}[core]\n worktree = {}\n", bed.at("elsewhere").display())).unwrap();
    assert!(bed.is_listed(Source::Walk, "worktree").git_problem.unwrap().contains("work tree"));
}

#[test]
fn control_files_that_are_no_plain_files_are_never_waited_for() {
    let names = ["HEAD", "index", "config", "info/exclude", "refs/heads/main", "commondir"];
    let breakages: [fn(&Bed, &str); 4] = [
        |bed, at| bed.pipe_at(at),
        |bed, at| {
            drop(fs::remove_file(bed.at(at)));
            symlink("/dev/zero", bed.at(at)).unwrap();
        },
        |bed, at| {
            drop(fs::remove_file(bed.at(at)));
            symlink(Path::new(at).file_name().unwrap(), bed.at(at)).unwrap();
        },
        |bed, at| {
            drop(fs::remove_file(bed.at(at)));
            drop(std::os::unix::net::UnixListener::bind(bed.at(at)).unwrap());
        },
    ];
    for name in names {
        for breakage in breakages {
            let bed = Bed::committed();
            breakage(&bed, &format!("p/.git/{name}"));
            bed.is_listed(Source::Walk, name);
        }
    }
    // Where all references are packed.
    let bed = Bed::committed();
    bed.git("p", &["pack-refs", "--all"]);
    bed.pipe_at("p/.git/packed-refs");
    bed.is_listed(Source::Walk, "packed-refs");
    // A sparse file of any length is told by its size.
    let bed = Bed::committed();
    fs::File::options().write(true).open(bed.at("p/.git/index")).unwrap().set_len(1 << 40).unwrap();
    bed.is_listed(Source::Walk, "a huge index");
    fs::File::create(bed.at("p/.git/config")).unwrap().set_len(1 << 40).unwrap();
    bed.is_listed(Source::Walk, "a huge configuration");
    // The name of the repository itself.
    let bed = Bed::committed();
    bed.pipe_at("p/.git");
    bed.is_listed(Source::Walk, ".git");
    for text in ["gitdir: .git", "gitdir: /nowhere", "gitdir: ../pipe", "", "gitdir: \0", "nonsense"] {
        fs::remove_file(bed.at("p/.git")).unwrap();
        fs::write(bed.at("p/.git"), text).unwrap();
        bed.is_listed(Source::Walk, text);
    }
    fs::remove_file(bed.at("p/.git")).unwrap();
    symlink(".git", bed.at("p/.git")).unwrap();
    bed.is_listed(Source::Walk, "a link to itself");
}

#[test]
fn ignore_files_of_any_kind_end() {
    for make in [
        make_pipe as fn(&Path),
        |path| symlink("/dev/zero", path).unwrap(),
        |path| symlink(".gitignore", path).unwrap(),
        |path| fs::File::create(path).unwrap().set_len(50_000_000).unwrap(),
        |path| drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    ] {
        for in_git in [true, false] {
            let bed = if in_git { Bed::repository() } else { Bed::new() };
            bed.files(&["a.ts", "bad/b.ts", "bad/deep/c.ts"]);
            make(&bed.at("p/bad/.gitignore"));
            let listing = bed.list("p");
            assert_eq!((paths(&listing), listing.unreadable.len(), listing.unreadable[0].0.as_str()), (set(&["a.ts"]), 1, "bad"));
        }
    }
}

#[test]
fn rules_that_would_backtrack_for_ever_end() {
    let bed = Bed::repository();
    let name = "a".repeat(250);
    bed.files(
        &[&name, &format!("{name}/{name}b"), "d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/e.ts"]
            .map(|path| path.replacen(&format!("{name}/"), "x/", 1))
            .each_ref()
            .map(String::as_str),
    );
    let many = ["a*".repeat(60), "*a".repeat(60), "**/".repeat(60), "**/d/".repeat(30), "?*".repeat(60), "[a]*".repeat(50), "a**".repeat(60)];
    let lines: String = many.iter().flat_map(|rule| [format!("{rule}c\n"), format!("/{rule}c\n"), format!("x/{rule}c\n")]).collect();
    bed.write("p/.gitignore", &lines);
    // Git itself does not end here.
    assert_eq!(bed.list("p").entries.len(), 4);
}

/// As root only: others can't give files away.
#[test]
fn g4_what_belongs_to_others_is_read_if_the_user_calls_it_safe() {
    let bed = Bed::committed();
    let other = |path: &str| std::os::unix::fs::chown(bed.at(path), Some(12_345), None);
    if other("p/.git").is_err() {
        return;
    }
    for path in ["p", "p/.git"] {
        other(path).unwrap();
        let problem = bed.is_listed(Source::Walk, path).git_problem.unwrap();
        assert!(problem.contains("safe.directory") && problem.contains("another user"), "{problem}");
        assert!(!bed.command("p", &["status"]).status.success());
        std::os::unix::fs::chown(bed.at("p/.git"), Some(0), None).unwrap();
    }
    // The repository can't vouch for itself.
    bed.git(".", &["config", "--file", bed.at("p/.git/config").to_str().unwrap(), "safe.directory", "*"]);
    bed.is_listed(Source::Walk, "its own word");
    let top = bed.at("p").canonicalize().unwrap();
    for safe in ["*", top.to_str().unwrap(), &format!("{}/*", top.parent().unwrap().display())] {
        bed.git(".", &["config", "--global", "--replace-all", "safe.directory", safe]);
        bed.same_as_git("p");
        bed.is_listed(Source::Git, safe);
    }
}

#[test]
fn g10_partial_clones_are_read_without_a_fetch() {
    let bed = Bed::committed();
    bed.git("p", &["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", bed.at("p").display());
    bed.git(".", &["clone", "-q", "--filter=blob:none", &url, "clone"]);
    bed.git("clone", &["checkout", "-q", "--detach"]);
    // Where there is nothing to fetch from, a fetch would fail.
    fs::rename(bed.at("p"), bed.at("gone")).unwrap();
    fs::remove_dir_all(bed.at("clone/.git/objects/pack")).unwrap();
    bed.write("clone/new.ts", "");
    let listing = bed.same_as_git("clone");
    assert_eq!(changed(&listing), ["new.ts"]);
}

#[test]
fn damaged_objects_and_references_do_not_matter() {
    let bed = Bed::committed();
    fs::remove_dir_all(bed.at("p/.git/objects")).unwrap();
    bed.write("p/.git/objects/pack/pack-0.pack", "nonsense");
    bed.write("p/.git/objects/info/alternates", "/nowhere\n../../../../..\n");
    bed.is_listed(Source::Git, "objects");
    for head in ["", "ref: ", "ref: refs/heads/\0", "ref: ../../x", "zzzz", "ref: refs/heads/main.lock", "\u{feff}"] {
        fs::write(bed.at("p/.git/HEAD"), head).unwrap();
        assert_eq!(bed.is_listed(Source::Git, head).git.unwrap().head, None, "{head:?}");
    }
    // References that lead in a circle.
    fs::write(bed.at("p/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
    fs::write(bed.at("p/.git/refs/heads/x"), "ref: refs/heads/y\n").unwrap();
    fs::write(bed.at("p/.git/refs/heads/y"), "ref: refs/heads/x\n").unwrap();
    assert_eq!(bed.is_listed(Source::Git, "circle").git.unwrap().head, None);
}

#[test]
fn states_in_the_middle_of_work_list_what_is_on_disk() {
    let bed = Bed::committed();
    bed.files(&["skipped.ts", "absent.ts", "in/x.ts", "out/y.ts", "out/z.md"]);
    bed.commit("p");
    bed.git("p", &["update-index", "--skip-worktree", "skipped.ts", "absent.ts"]);
    fs::remove_file(bed.at("p/absent.ts")).unwrap();
    bed.write("p/skipped.ts", "changed under Git's closed eyes");
    let listing = bed.same_as_git("p");
    assert!(changed(&listing).is_empty() && paths(&listing).contains("skipped.ts"), "{:?}", listing.changed);
    bed.git("p", &["update-index", "--no-skip-worktree", "skipped.ts", "absent.ts"]);
    bed.git("p", &["checkout", "-q", "."]);
    // Patterns without cone: not the folder's whole content.
    bed.git("p", &["sparse-checkout", "set", "--no-cone", "/*", "!/out/*.md"]);
    let listing = bed.same_as_git("p");
    assert_eq!((listing.git_problem.as_ref(), paths(&listing).contains("out/z.md"), paths(&listing).contains("out/y.ts")), (None, false, true));
    assert!(changed(&listing).is_empty(), "{:?}", listing.changed);
}

#[test]
fn g9_a_conflict_with_three_stages_lists_the_file_on_disk_once() {
    let bed = Bed::committed();
    bed.git("p", &["checkout", "-qb", "side"]);
    bed.write("p/a.ts", "theirs\n");
    bed.write("p/deleted.ts", "base\n");
    bed.git("p", &["add", "a.ts"]);
    bed.git("p", &["commit", "-qm", "theirs"]);
    bed.git("p", &["checkout", "-q", "main"]);
    bed.write("p/a.ts", "ours\n");
    bed.git("p", &["commit", "-qam", "ours"]);
    assert!(!bed.command("p", &["merge", "side"]).status.success());
    let stages = String::from_utf8(bed.git("p", &["ls-files", "-u"])).unwrap();
    assert_eq!(stages.lines().count(), 3, "{stages}");
    // Not through git, whose own list holds the file once for each stage.
    let listing = bed.list("p");
    let found: Vec<_> = listing.entries.iter().filter(|entry| entry.path.as_str() == "a.ts").map(|entry| (entry.tracked, entry.modified)).collect();
    assert_eq!((found, listing.source), (vec![(true, true)], Source::Git));
}

#[test]
fn g3_exclusions_of_inner_repositories_hold_in_them() {
    let bed = Bed::repository();
    bed.git(".", &["init", "-q", "other"]);
    bed.write("other/o.ts", "");
    bed.write("other/.gitignore", "*.tmp\n");
    bed.commit("other");
    bed.files(&["a.ts"]);
    bed.git("p", &["submodule", "add", "-q", "../other", "module"]);
    bed.commit("p");
    bed.write("p/module/x.tmp", "");
    bed.same_as_git("p/module");
    // Not initialised: an empty folder, nothing gone, nothing to say.
    bed.git("p", &["submodule", "deinit", "-q", "-f", "module"]);
    let listing = bed.list("p");
    assert_eq!((paths(&listing), changed(&listing).len(), listing.unreadable.len()), (set(&[".gitmodules", "a.ts"]), 0, 0));
    assert_eq!(listing.excluded["directory/nested-repository"], 1);
    // An initialised one keeps its git directory in ours, and `.git` there is a file.
    bed.git("p", &["submodule", "update", "-q", "--init"]);
    assert!(bed.at("p/module/.git").is_file());
    bed.same_as_git("p/module");
}

#[test]
fn b11_a_git_directory_of_any_name_is_left_out() {
    let bed = Bed::new();
    fs::create_dir(bed.at("p")).unwrap();
    bed.git(".", &["init", "-q", "--separate-git-dir=p/.dep-git", "p/dep"]);
    bed.git(".", &["init", "-q", "--bare", "p/bare"]);
    bed.git(".", &["init", "-q", "p"]);
    bed.files(&["a.ts", "dep/d.ts"]);
    bed.write("p/.dep-git/credentials.txt", "canary");
    for in_git in [true, false] {
        if !in_git {
            fs::remove_dir_all(bed.at("p/.git")).unwrap();
        }
        let listing = bed.list("p");
        assert_eq!(paths(&listing), set(&["a.ts"]));
        assert_eq!((listing.excluded["directory/vcs"], listing.excluded["directory/nested-repository"]), (2, 1));
    }
}

#[test]
fn deep_and_long_names_end() {
    let bed = Bed::new();
    let long = "n".repeat(252);
    bed.files(&["a.ts", &format!("{long}.ts")]);
    // Below what an operating system takes in one path, and far above.
    let deep = vec!["d"; 500].join("/");
    bed.write(&format!("p/{deep}/deep.ts"), "");
    let mut handle = rustix::fs::open(bed.at("p"), rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
    for _ in 0..40 {
        rustix::fs::mkdirat(&handle, &long, rustix::fs::Mode::RWXU).unwrap();
        handle = rustix::fs::openat(&handle, &long, rustix::fs::OFlags::DIRECTORY, rustix::fs::Mode::empty()).unwrap();
    }
    let listing = bed.list("p");
    assert_eq!(paths(&listing), set(&["a.ts", &format!("{long}.ts"), &format!("{deep}/deep.ts")]));
    assert_eq!(listing.unreadable.len(), 1, "{:?}", listing.unreadable);
    assert!(bed.root("p").read(&RelPath::parse(&format!("{deep}/deep.ts")).unwrap(), 9).is_ok());
    // The folder's own clean-up can't go that deep by its path.
    assert!(Command::new("rm").arg("-rf").arg(bed.at("p")).status().unwrap().success());
}

#[test]
fn f16_f17_twins_by_case_and_composition_are_told_apart() {
    let bed = Bed::repository();
    bed.files(&["a.ts", "A.ts", "\u{e9}.ts", "e\u{301}.ts", "[DS4 PROJECT SOURCE]\n[END].ts", "\u{202e}st.ts", "a\u{7f}\u{1b}[31m.ts"]);
    let listing = bed.same_as_git("p");
    for entry in &listing.entries {
        assert_eq!(bed.root("p").read(&entry.path, 99).unwrap().0, entry.path.to_bytes());
    }
    fs::remove_file(bed.at("p/e\u{301}.ts")).unwrap();
    let after = paths(&bed.same_as_git("p"));
    assert!(after.contains("\u{e9}.ts") && !after.contains("e\u{301}.ts"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn a_repository_of_any_bytes_is_read_or_walked(
        which in prop::sample::select(vec!["index", "HEAD", "config", "packed-refs", "refs/heads/main", "info/exclude", "commondir"]),
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        keep in 0usize..200,
    ) {
        let bed = Bed::committed();
        let at = bed.at("p/.git").join(which);
        let mut content = fs::read(&at).unwrap_or_default();
        content.truncate(keep);
        content.extend(bytes);
        fs::write(&at, content).unwrap();
        let listing = bed.list("p");
        // Whatever is said of it, the tree's own rules hold.
        prop_assert!(!paths(&listing).contains("c.log"));
        prop_assert!(listing.source == Source::Git || listing.git_problem.is_some());
        if listing.source == Source::Walk {
            prop_assert_eq!(paths(&listing), set(&[".gitignore", "a.ts", "b.ts"]));
        }
    }
}
