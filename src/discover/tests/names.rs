//! What is left out, for which reason, and what does no harm.

use proptest::prelude::*;

use super::*;
use crate::error::Code;

#[test]
fn build_output_is_left_out_unless_it_is_source() {
    let bed = Bed::repository();
    bed.files(&["src/bin/main.rs", "dist/out.js", "node_modules/x/i.js", "node_modules/y/i.js"]);
    bed.git("p", &["add", "-f", "src/bin/main.rs", "node_modules/x/i.js", "node_modules/y/i.js"]);
    bed.files(&["src/bin/second.rs"]);
    let listing = bed.list("p");
    assert_eq!(paths(&listing), set(&["src/bin/main.rs", "src/bin/second.rs"]));
    assert_eq!((listing.excluded["directory/build-output"], listing.excluded["directory/dependencies"]), (1, 2));
}

#[test]
fn outside_git_a_bin_folder_is_source_if_its_own_files_are() {
    let bed = Bed::new();
    bed.files(&["pkg/bin/worker.py", "pkg/bin/sub/more.py", "app/bin/App.dll", "app/bin/App.deps.json", "app/bin/Debug/gen.cs", "dist/a.ts", "target/b.rs"]);
    let listing = bed.list("p");
    assert_eq!(paths(&listing), set(&["pkg/bin/worker.py", "pkg/bin/sub/more.py"]));
    assert_eq!(listing.excluded["directory/build-output"], 3);
    let bed = Bed::repository();
    bed.files(&["bin/a.py"]);
    assert_eq!((paths(&bed.list("p")), bed.list("p").excluded["directory/build-output"]), (set(&[]), 1));
}

#[test]
fn credential_files_are_left_out_under_each_name() {
    let bed = Bed::repository();
    bed.write("p/.gitignore", ".env\n");
    bed.files(&[".env", "a.ts"]);
    fs::hard_link(bed.at("p/.env"), bed.at("p/notes.txt")).unwrap();
    let listing = bed.list("p");
    assert_eq!((paths(&listing), listing.excluded["name/credentials"]), (set(&[".gitignore", "a.ts"]), 1));
}

#[test]
fn links_pipes_and_odd_names_do_no_harm() {
    use std::os::unix::ffi::OsStrExt as _;
    let bed = Bed::repository();
    bed.files(&["a.ts", "real/b.ts", "back\\slash.ts", "new\nline.ts"]);
    fs::write(bed.at("p").join(std::ffi::OsStr::from_bytes(b"\xff.ts")), "x").unwrap();
    symlink("real", bed.at("p/linked")).unwrap();
    symlink("/etc", bed.at("p/etc")).unwrap();
    make_pipe(&bed.at("p/pipe"));
    let listing = bed.same_as_git("p");
    assert_eq!((listing.excluded["path/link"], listing.excluded["path/special"]), (2, 1));
    assert!(paths(&listing).contains("\\xFF.ts") && paths(&listing).contains("back\\\\slash.ts"));
    bed.git("p", &["add", "-A"]);
    bed.same_as_git("p");
}

#[test]
fn an_ignore_file_that_cannot_be_read_costs_its_folder() {
    for make in [
        make_pipe as fn(&Path),
        |path| symlink("../a.ts", path).unwrap(),
        |path| fs::write(path, vec![b'#'; 1_000_001]).unwrap(),
        |path| fs::create_dir(path).unwrap(),
    ] {
        let bed = Bed::repository();
        bed.files(&["a.ts", "bad/b.ts", "bad/deep/c.ts"]);
        bed.git("p", &["add", "bad/b.ts"]);
        make(&bed.at("p/bad/.gitignore"));
        let listing = bed.list("p");
        assert_eq!((paths(&listing), listing.unreadable.len(), listing.unreadable[0].0.as_str()), (set(&["a.ts"]), 1, "bad"));
        assert_eq!(changed(&listing), ["a.ts"]);
        fs::rename(bed.at("p/bad/.gitignore"), bed.at("p/bad/.agentignore")).unwrap();
        let listing = bed.list("p");
        assert_eq!((paths(&listing), listing.unreadable.len(), listing.unreadable[0].0.as_str()), (set(&["a.ts"]), 1, "bad"));
        assert!(listing.unreadable[0].1.contains(".agentignore"), "{}", listing.unreadable[0].1);
    }
}

#[test]
fn a_repository_that_cannot_be_read_is_walked_with_its_rules() {
    type Damage = fn(&Bed);
    let damages: [(&str, Damage); 7] = [
        ("info/exclude", |bed| {
            fs::remove_file(bed.at("p/.git/info/exclude")).unwrap();
            make_pipe(&bed.at("p/.git/info/exclude"));
        }),
        ("config", |bed| {
            fs::remove_file(bed.at("p/.git/config")).unwrap();
            make_pipe(&bed.at("p/.git/config"));
        }),
        ("config", |bed| fs::write(bed.at("p/.git/config"), "[core\n").unwrap()),
        ("HEAD", |bed| {
            fs::remove_file(bed.at("p/.git/HEAD")).unwrap();
            symlink("/etc/hostname", bed.at("p/.git/HEAD")).unwrap();
        }),
        ("index", |bed| fs::write(bed.at("p/.git/index"), "DIRC and nonsense").unwrap()),
        ("index", |bed| {
            let mut bytes = fs::read(bed.at("p/.git/index")).unwrap();
            bytes[20] ^= 0xff;
            fs::write(bed.at("p/.git/index"), bytes).unwrap();
        }),
        ("bare", |bed| drop(bed.git("p", &["config", "core.bare", "true"]))),
    ];
    for (named, damage) in damages {
        let bed = Bed::repository();
        bed.write("p/.gitignore", "*.log\n");
        bed.files(&["a.ts", "b.log"]);
        bed.commit("p");
        damage(&bed);
        let listing = bed.list("p");
        assert_eq!((listing.source, listing.git.is_none(), paths(&listing)), (Source::Walk, true, set(&[".gitignore", "a.ts"])));
        let problem = listing.git_problem.unwrap();
        assert!(problem.contains(named), "{problem}");
    }
}

#[test]
fn outside_git_a_walk_honours_gitignore_files() {
    let bed = Bed::new();
    bed.files(&["a.ts", "b.log", "keep.log", "src/c.ts", "src/d.gen", "src/x/d.gen", "dist/e.ts", "f/g.ts", "f/h.ts"]);
    bed.write("p/.gitignore", "\u{feff}*.log\n!keep.log\nf/*\n!f/g.ts\n");
    bed.write("p/src/.gitignore", "/d.gen\n");
    bed.write("p/.ignore", "*\n");
    let listing = bed.list("p");
    assert_eq!((listing.source, &listing.git, &listing.git_problem, listing.cut_at), (Source::Walk, &None, &None, None));
    assert_eq!(paths(&listing), set(&[".gitignore", ".ignore", "a.ts", "f/g.ts", "keep.log", "src/.gitignore", "src/c.ts", "src/x/d.gen"]));
    assert_eq!((listing.excluded["directory/build-output"], changed(&listing).len()), (1, 0));
    assert!(listing.entries.iter().all(|entry| entry.modified && !entry.tracked));
}

#[test]
fn settings_keep_out_what_git_tracks_and_what_it_does_not() {
    let bed = Bed::repository();
    bed.files(&["a.ts", "private/b.ts", "private/deep/c.ts", "src/d.gen.ts", "src/keep.gen.ts", "other.md"]);
    bed.git("p", &["add", "private/b.ts", "src"]);
    let exclude = Excludes::new(&["private/", "*.gen.ts", "!keep.gen.ts"].map(str::to_owned)).unwrap();
    let listing = bed.list_within("p", &Bounds { exclude, ..Bounds::default() });
    assert_eq!(paths(&listing), set(&["a.ts", "src/keep.gen.ts", "other.md"]));
    assert_eq!(listing.excluded["path/settings"], 2, "a folder counts by its tracked files");
    let none = crate::patterns::Excludes::new(&["src/[z-a]".to_owned()]).unwrap_err();
    assert_eq!(none.code, crate::error::Code::InvalidArgument);
    assert!(none.message.contains("\"src/[z-a]\""), "{}", none.message);
}

#[test]
fn agentignore_files_keep_out_and_never_bring_back() {
    for bed in [Bed::repository(), Bed::new()] {
        bed.write("p/.gitignore", "*.log\n");
        bed.write("p/.agentignore", "private/\n*.gen.ts\n!*.log\n!.env\n!node_modules/\n!src/keep.gen.ts\n");
        bed.write("p/src/.agentignore", "/local.ts\n!own.gen.ts\n");
        bed.files(&["a.ts", "a.log", ".env", "node_modules/m.ts", "private/b.ts", "private/deep/c.ts", "src/d.gen.ts", "src/keep.gen.ts", "src/own.gen.ts"]);
        bed.files(&["src/local.ts", "src/deep/local.ts"]);
        if bed.at("p/.git").exists() {
            bed.git("p", &["add", "-f", "private/b.ts", "src/d.gen.ts", "src/local.ts"]);
        }
        let listing = bed.list("p");
        let listed = [".gitignore", ".agentignore", "a.ts", "src/.agentignore", "src/keep.gen.ts", "src/own.gen.ts", "src/deep/local.ts"];
        assert_eq!(paths(&listing), set(&listed));
        assert_eq!(
            (listing.excluded["path/agentignore"], &listing.excluded_paths["path/agentignore"][..]),
            (3, &["private", "src/d.gen.ts", "src/local.ts"].map(str::to_owned)[..])
        );
    }
}

#[test]
fn a_path_that_holds_a_secret_is_counted_and_never_named() {
    let bed = Bed::repository();
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).chars().take(36).collect::<String>());
    bed.files(&["a.ts", &format!("{secret}.ts"), &format!("private/{secret}.lock.ts")]);
    bed.write("p/.agentignore", "private/*\n");
    let listing = bed.list("p");
    assert_eq!(listing.excluded.values().sum::<u64>(), 2, "{:?}", listing.excluded);
    assert!(!format!("{:?}", listing.excluded_paths).contains("ghp_"));
}

#[test]
fn an_agentignore_file_above_the_project_holds_in_its_repository() {
    let bed = Bed::repository();
    bed.files(&["sub/a.ts", "sub/secret/b.ts", "sub/c.gen.ts"]);
    bed.write("p/.agentignore", "/sub/secret/\n*.gen.ts\n");
    assert_eq!(paths(&bed.list("p/sub")), set(&["a.ts"]));
}

#[test]
fn an_ignore_file_above_the_project_that_cannot_be_read_costs_the_project() {
    for name in [".agentignore", ".gitignore"] {
        let bed = Bed::repository();
        bed.files(&["deep/sub/a.ts", "deep/sub/b.ts"]);
        bed.git("p", &["add", "deep/sub/a.ts"]);
        make_pipe(&bed.at("p").join(name));
        // No rule below it takes anything back.
        bed.write(&format!("p/deep/{name}"), "!*\n");
        bed.write(&format!("p/deep/sub/{name}"), "!*\n");
        let include = Includes::new(&["*.ts".to_owned()]).unwrap();
        let listing = bed.list_within("p/deep/sub", &Bounds { include, ..Bounds::default() });
        assert_eq!((paths(&listing), listing.source, changed(&listing)), (set(&[]), Source::Git, vec![]), "{name}");
        let [(path, why)] = &listing.unreadable[..] else { panic!("{:?}", listing.unreadable) };
        assert!(path == "." && why.contains(name) && why.contains("above the project"), "{path}: {why}");
    }
}

#[test]
fn rules_above_the_project_hold_where_the_repository_cannot_be_read() {
    let bed = Bed::repository();
    bed.files(&["sub/a.ts", "sub/b.gen.ts", "sub/c.log", "sub/d.tmp", "sub/own.md"]);
    bed.write("p/.gitignore", "/sub/c.log\n");
    bed.write("p/.agentignore", "*.gen.ts\n");
    bed.write("p/.git/info/exclude", "*.tmp\n");
    bed.write("p/sub/.gitignore", "/own.md\n");
    bed.commit("p");
    assert_eq!(paths(&bed.list("p/sub")), set(&[".gitignore", "a.ts"]));
    fs::write(bed.at("p/.git/index"), "no index").unwrap();
    let listing = bed.list("p/sub");
    assert_eq!((listing.source, paths(&listing), listing.git_problem.is_some()), (Source::Walk, set(&[".gitignore", "a.ts"]), true));
}

#[test]
fn the_users_include_brings_back_what_git_ignores_and_what_names_of_folders_keep_out() {
    for bed in [Bed::repository(), Bed::new()] {
        bed.write("p/.gitignore", "/gen/\n*.log\n");
        bed.write("p/.agentignore", "*.private.ts\n");
        bed.files(&[
            "a.ts",
            "gen/b.ts",
            "gen/deep/c.ts",
            "gen/.env",
            "gen/x.private.ts",
            "x.log",
            "deep/y.log",
            "vendor/lib/d.go",
            "vendor/lib/e.md",
            "vendor/f.go",
        ]);
        bed.files(&[".pi/skill.md", "node_modules/m/i.ts", "node_modules/n/i.ts", "dist/o.ts"]);
        symlink("/etc/hostname", bed.at("p/gen/link.ts")).unwrap();
        bed.git("p/gen", &["init", "-q", "nested"]);
        bed.files(&["gen/nested/n.ts"]);
        let include = ["/gen/", "*.log", "vendor/lib/*.go", "node_modules/m/", ".pi/*.md", ".git/**"].map(str::to_owned);
        let include = Includes::new(&include).unwrap();
        let exclude = Excludes::new(&["y.log".to_owned()]).unwrap();
        let listing = bed.list_within("p", &Bounds { include, exclude, ..Bounds::default() });
        let expected =
            set(&[".gitignore", ".agentignore", "a.ts", "gen/b.ts", "gen/deep/c.ts", "x.log", "vendor/lib/d.go", "node_modules/m/i.ts", ".pi/skill.md"]);
        assert_eq!(paths(&listing), expected);
        let count = |rule| listing.excluded.get(rule).copied().unwrap_or(0);
        assert_eq!((count("directory/dependencies"), count("directory/build-output"), count("name/credentials")), (3, 1, 1));
        assert_eq!((count("path/agentignore"), count("path/settings"), count("directory/nested-repository")), (1, 1, 1));
    }
}

#[test]
fn bounds_keep_the_most_useful_files() {
    let bed = Bed::repository();
    bed.files(&["z.ts", "deep/er/a.ts", "a.md", "b.cr", "a.csv"]);
    bed.git("p", &["add", "deep/er/a.ts"]);
    bed.write("p/big.ts", &"x".repeat(2_000));
    let bounds = Bounds { max_files: 4, max_file_bytes: 1_000, ..Bounds::default() };
    let listing = bed.list_within("p", &bounds);
    let order: Vec<_> = listing.entries.iter().map(|entry| entry.path.as_str()).collect();
    assert_eq!(order, ["deep/er/a.ts", "z.ts", "a.md", "b.cr"]);
    assert_eq!((listing.excluded["limit/files"], listing.excluded["size/file"]), (1, 1));
    assert_eq!((&listing.excluded_paths["limit/files"], &listing.excluded_paths["size/file"]), (&vec!["a.csv".to_owned()], &vec!["big.ts".to_owned()]));
}

#[test]
fn a_walk_stops_at_its_caps() {
    let bed = Bed::new();
    (0..30).for_each(|number| bed.write(&format!("p/d{number:02}/f.ts"), ""));
    let listing = bed.list_within("p", &Bounds { max_directories: 4, ..Bounds::default() });
    assert_eq!((paths(&listing), listing.cut_at), (set(&["d00/f.ts", "d01/f.ts", "d02/f.ts"]), Some(33)));
    let listing = bed.list_within("p", &Bounds { max_files: 3, ..Bounds::default() });
    assert_eq!((listing.entries.len(), listing.cut_at), (0, Some(30)));
}

#[test]
fn a_cap_on_untracked_folders_spares_tracked_ones() {
    let bed = Bed::repository();
    bed.files(&["z/tracked.ts"]);
    bed.commit("p");
    (0..30).for_each(|number| bed.write(&format!("p/d{number:02}/f.ts"), ""));
    let listing = bed.list_within("p", &Bounds { max_directories: 4, ..Bounds::default() });
    assert!(paths(&listing).contains("z/tracked.ts") && listing.cut_at.is_some());
}

#[test]
fn a_cancelled_listing_says_so() {
    let bed = Bed::new();
    bed.files(&["a.ts"]);
    let cancel = Cancel::default();
    cancel.cancel();
    assert_eq!(list(&bed.root("p"), &Bounds::default(), Asked::default(), &cancel).unwrap_err().code, Code::Cancelled);
    let late = Cancel::default().within(std::time::Duration::ZERO);
    assert!(list(&bed.root("p"), &Bounds::default(), Asked::default(), &late).unwrap().is_none());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]
    #[test]
    fn every_name_on_disk_is_listed_and_can_be_read(names in proptest::collection::btree_set(proptest::collection::vec(1u8.., 1..12), 1..8)) {
        use std::os::unix::ffi::OsStrExt as _;
        let bed = Bed::new();
        fs::create_dir(bed.at("p")).unwrap();
        let mut expected = BTreeSet::new();
        for name in names.iter().filter(|name| !name.contains(&b'/')) {
            // The start keeps it clear of all name rules.
            let name = [b"a ".as_slice(), name, b" z"].concat();
            fs::write(bed.at("p").join(std::ffi::OsStr::from_bytes(&name)), &name).unwrap();
            expected.insert(RelPath::from_bytes(&name).unwrap().as_str().to_owned());
        }
        let listing = bed.list("p");
        prop_assert_eq!(paths(&listing), expected);
        let root = bed.root("p");
        for entry in &listing.entries {
            prop_assert_eq!(root.read(&entry.path, 99).unwrap(), (entry.path.to_bytes(), entry.facts));
        }
    }
}

#[test]
fn all_paths_of_a_rule_are_given_page_by_page_in_their_order() {
    let bed = Bed::repository();
    let names: BTreeSet<String> = (0..1_203).map(|number| format!("d{}/{number}.lock/yarn.lock", number % 7)).collect();
    names.iter().for_each(|name| bed.write(&format!("p/{name}"), ""));
    let page = |rule: &str, after: &str| {
        let asked = Asked { page: Some(Page::new(rule, after)), ..Asked::default() };
        let listing = list_for(&bed.root("p"), &Bounds::default(), asked, &Cancel::default(), &bed.user()).unwrap().unwrap();
        assert_eq!((listing.excluded["name/lock-file"], listing.excluded_paths["name/lock-file"].len()), (1_203, 100));
        listing.page.unwrap().into_parts().1
    };
    let first = page("name/lock-file", "");
    let second = page("name/lock-file", &first[999]);
    assert_eq!((first.len(), second.len(), page("name/lock-file", &second[202]).len(), page("name/minified", "").len()), (1_000, 203, 0, 0));
    assert_eq!(first.into_iter().chain(second).collect::<Vec<_>>(), names.into_iter().collect::<Vec<_>>());
}

#[test]
fn what_is_asked_for_first_is_within_the_bound_on_files() {
    let bed = Bed::new();
    bed.files(&["a.ts", "b.ts", "deep/data.csv", "deep/more.csv"]);
    let listed = |first: &str| {
        let asked = Asked { first: vec![RelPath::parse(first).unwrap()], ..Asked::default() };
        paths(&list_for(&bed.root("p"), &Bounds { max_files: 2, ..Bounds::default() }, asked, &Cancel::default(), &bed.user()).unwrap().unwrap())
    };
    assert_eq!((listed("none.ts"), listed("data.csv"), listed("ata.csv")), (set(&["a.ts", "b.ts"]), set(&["a.ts", "deep/data.csv"]), set(&["a.ts", "b.ts"])));
}
