//! Single paths are judged as a listing would judge them.

use super::*;

fn standing(bed: &Bed, folder: &str, path: &str) -> Standing {
    let (root, bounds) = (bed.root(folder), Bounds { max_directories: 1, max_files: 1, max_file_bytes: 100, ..Bounds::default() });
    let judge = Judge::new_for(&root, &bounds, &bed.user()).unwrap();
    judge.standing(&RelPath::parse(path).unwrap(), &Cancel::default()).unwrap()
}

#[test]
fn each_reason_to_leave_a_path_out_is_named() {
    let bed = Bed::repository();
    bed.write("p/.gitignore", "*.log\n/private/\n");
    bed.files(&["a.ts", "a/b/c/d/e.ts", "x.log", "kept.log", "private/p.ts", "private/kept.ts", "build/o.ts", "bin/t.ts", "node_modules/m.ts", ".env"]);
    bed.files(&["bad/b.ts", "sub/n.ts", "dir/f.ts"]);
    bed.write("p/big.ts", &"x".repeat(200));
    bed.git("p", &["add", "-f", "kept.log", "private/kept.ts", "bin/t.ts"]);
    bed.git("p/sub", &["init", "-q"]);
    fs::create_dir(bed.at("p/bad/.gitignore")).unwrap();
    symlink("a.ts", bed.at("p/link.ts")).unwrap();
    symlink("dir", bed.at("p/way")).unwrap();
    make_pipe(&bed.at("p/pipe.ts"));
    fs::hard_link(bed.at("p/.env"), bed.at("p/notes.ts")).unwrap();
    fs::hard_link(bed.at("p/a.ts"), bed.at("p/twin.ts")).unwrap();
    let excluded = |rule| Standing::Excluded(rule);
    let cases = [
        ("a.ts", Standing::Listed),
        ("twin.ts", Standing::Listed),
        ("a/b/c/d/e.ts", Standing::Listed),
        ("kept.log", Standing::Listed),
        ("private/kept.ts", Standing::Listed),
        ("bin/t.ts", Standing::Listed),
        ("x.log", excluded("path/ignored")),
        ("private/p.ts", excluded("path/ignored")),
        ("build/o.ts", excluded("directory/build-output")),
        ("node_modules/m.ts", excluded("directory/dependencies")),
        ("sub/n.ts", excluded("directory/nested-repository")),
        ("bad/b.ts", excluded("path/unreadable")),
        ("big.ts", excluded("size/file")),
        ("link.ts", excluded("path/link")),
        ("way/f.ts", excluded("path/link")),
        ("pipe.ts", excluded("path/special")),
        (".env", excluded("name/credentials")),
        ("none/.env", excluded("name/credentials")),
        ("notes.ts", excluded("name/credentials")),
        (".git/config", excluded("directory/vcs")),
        ("none.ts", Standing::Absent),
        ("none/x.ts", Standing::Absent),
        ("a.ts/x", Standing::Absent),
        ("dir", Standing::Absent),
    ];
    for (path, expected) in cases {
        assert_eq!(standing(&bed, "p", path), expected, "{path}");
    }
    // A folder of the repository obeys the rules above it.
    assert_eq!(standing(&bed, "p/private", "p.ts"), excluded("path/ignored"));
    assert_eq!(standing(&bed, "p/private", "kept.ts"), Standing::Listed);
}

#[test]
fn a_path_that_the_user_takes_in_is_listed_and_one_of_agentignore_is_not() {
    let bed = Bed::repository();
    bed.write("p/.gitignore", "/gen/\n");
    bed.write("p/.agentignore", "/gen/no.ts\n/tracked.ts\n");
    bed.files(&["gen/a.ts", "gen/no.ts", "gen/.env", "vendor/lib/a.go", "vendor/b.go", "tracked.ts"]);
    bed.git("p", &["add", "tracked.ts"]);
    let include = Includes::new(&["/gen/", "/vendor/lib/", ".git/"].map(str::to_owned)).unwrap();
    let bounds = Bounds { include, ..Bounds::default() };
    let root = bed.root("p");
    let judge = Judge::new_for(&root, &bounds, &bed.user()).unwrap();
    let cases = [
        ("gen/a.ts", Standing::Listed),
        ("vendor/lib/a.go", Standing::Listed),
        ("gen/no.ts", Standing::Excluded("path/agentignore")),
        ("tracked.ts", Standing::Excluded("path/agentignore")),
        ("gen/.env", Standing::Excluded("name/credentials")),
        ("vendor/b.go", Standing::Excluded("directory/dependencies")),
        ("vendor/none.go", Standing::Excluded("directory/dependencies")),
        (".git/config", Standing::Excluded("directory/vcs")),
        ("gen/none.ts", Standing::Absent),
    ];
    for (path, expected) in cases {
        assert_eq!(judge.standing(&RelPath::parse(path).unwrap(), &Cancel::default()).unwrap(), expected, "{path}");
    }
}

#[test]
fn outside_git_a_path_in_a_bin_folder_is_judged_as_the_listing_does() {
    let bed = Bed::new();
    bed.files(&["pkg/bin/worker.py", "pkg/bin/sub/more.py", "app/bin/App.dll", "app/bin/Debug/gen.cs"]);
    assert_eq!(standing(&bed, "p", "pkg/bin/sub/more.py"), Standing::Listed);
    assert_eq!(standing(&bed, "p", "app/bin/Debug/gen.cs"), Standing::Excluded("directory/build-output"));
}

/// On a file system that takes names for equal, a rule may not be passed by another spelling: names are compared with those that it lists.
#[test]
fn a_name_that_is_not_listed_as_written_is_absent() {
    let bed = Bed::new();
    bed.files(&["a.ts", "\u{e9}.ts"]);
    assert_eq!(standing(&bed, "p", "A.ts"), Standing::Absent);
    assert_eq!(standing(&bed, "p", "e\u{301}.ts"), Standing::Absent);
    assert_eq!(standing(&bed, "p", "\u{e9}.ts"), Standing::Listed);
}
