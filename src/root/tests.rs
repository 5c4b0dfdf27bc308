use super::*;
use std::fs;
use std::os::unix::fs::symlink;

fn trust() -> Trust {
    Trust::granted(TrustSource::Api)
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

/// A tree with one of everything.
fn tree() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("src/deep")).unwrap();
    fs::write(at("src/deep/a.ts"), "hello").unwrap();
    symlink("deep", at("src/link")).unwrap();
    symlink("/etc/hostname", at("outside")).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, at("pipe"), rustix::fs::Mode::RWXU).unwrap();
    std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    folder
}

macro_rules! answers_of {
    ($name:ident, $handle:ty) => {
        #[test]
        fn $name() {
            let folder = tree();
            let handle = <$handle>::open(folder.path()).unwrap();
            let read = |text: &str, max| handle.read(&path(text), max).unwrap();
            assert!(matches!(read("src/deep/a.ts", 5), Found::File(bytes, facts) if bytes == b"hello" && facts.size == 5));
            assert!(matches!(read("src/deep/a.ts", 4), Found::Refused("size/file", Some(facts)) if facts.size == 5));
            assert_eq!(read("src/link", 99), Found::Refused("path/link", None));
            assert_eq!(read("src/link/a.ts", 99), Found::Refused("path/link", None));
            assert_eq!(read("outside", 99), Found::Refused("path/link", None));
            assert_eq!(read("pipe", 99), Found::Refused("path/special", None));
            assert_eq!(read("socket", 99), Found::Refused("path/special", None));
            assert_eq!(read("src", 99), Found::Nothing);
            assert_eq!(read("none/x", 99), Found::Nothing);
            assert_eq!(read("src/deep/a.ts/x", 99), Found::Nothing);

            let stat = |text: &str| handle.stat(&path(text)).unwrap();
            assert!(matches!(stat("src/deep/a.ts"), Some(Kind::File(Facts { size: 5, .. }))));
            assert_eq!((stat("src"), stat("src/link"), stat("pipe")), (Some(Kind::Directory), Some(Kind::Link), Some(Kind::Special)));
            assert_eq!((stat("none"), stat("src/link/a.ts")), (None, None));

            let list = |text: Option<&str>| handle.list(text.map(path).as_ref(), |_| true);
            let mut names: Vec<_> = list(None).unwrap().into_iter().map(|entry| (entry.name.as_str().to_owned(), entry.kind)).collect();
            names.sort_by(|a, b| a.0.cmp(&b.0));
            let expected = [("outside", Kind::Link), ("pipe", Kind::Special), ("socket", Kind::Special), ("src", Kind::Directory)];
            assert_eq!(names, expected.map(|(name, kind)| (name.to_owned(), kind)));
            assert_eq!(handle.list(None, |name| name == "pipe").unwrap(), [DirectoryEntry { name: path("pipe"), kind: Kind::Special }]);
            assert_eq!(list(Some("src/deep")).unwrap().len(), 1);
            assert!(list(Some("src/link")).is_err() && list(Some("none")).is_err() && list(Some("src/deep/a.ts")).is_err());
        }
    };
}

answers_of!(handles_confine_each_look, unix::Handle);
answers_of!(paths_confine_each_look, portable::Handle);

#[test]
fn other_names_of_a_file_are_seen() {
    let folder = tree();
    let root = Root::open(folder.path(), trust()).unwrap();
    assert!(!root.has_other_names(&path("src/deep/a.ts")).unwrap());
    fs::hard_link(folder.path().join("src/deep/a.ts"), folder.path().join("b.ts")).unwrap();
    assert!(root.has_other_names(&path("src/deep/a.ts")).unwrap() && root.has_other_names(&path("b.ts")).unwrap());
    assert_eq!(root.has_other_names(&path("none")).unwrap_err().code, Code::Io);
    // The standard library does not tell.
    assert!(!portable::Handle::open(folder.path()).unwrap().has_other_names(&path("b.ts")).unwrap());
}

#[test]
fn paths_alone_tell_directories_apart_from_what_is_none() {
    let folder = tree();
    let handle = portable::Handle::open(folder.path()).unwrap();
    assert_eq!(portable::Handle::identity_at(folder.path()).unwrap(), Some(handle.identity().unwrap()));
    assert_eq!(portable::Handle::identity_at(&folder.path().join("src/link")).unwrap(), None);
    assert!(portable::Handle::open(&folder.path().join("src/link")).is_err());
}

#[test]
fn files_that_never_end_are_read_to_the_bound_only() {
    let Ok(file) = fs::File::open("/dev/zero") else { return };
    assert_eq!(read_bounded(file, Facts::default(), 10_000).unwrap(), Found::Refused("size/file", Some(Facts::default())));
}

#[test]
fn broad_roots_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("users/me");
    let project = home.join("project");
    fs::create_dir_all(&project).unwrap();
    fs::write(home.join("file"), "").unwrap();
    symlink(&home, folder.path().join("alias")).unwrap();
    let open = |path: &Path| Root::open_with_home(path, trust(), Some(&home)).map(|root| root.path().to_owned());
    assert_eq!(open(&project).unwrap(), project.canonicalize().unwrap());
    for refused in [Path::new("/"), &home, &folder.path().join("alias"), &folder.path().join("users"), &home.join("file"), &home.join("none")] {
        assert_eq!(open(refused).unwrap_err().code, Code::RootRefused, "{refused:?}");
    }
}

#[test]
fn a_replaced_root_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join("project");
    fs::create_dir(&project).unwrap();
    let root = Root::open(&project, trust()).unwrap();
    root.verify().unwrap();
    fs::rename(&project, folder.path().join("moved")).unwrap();
    assert_eq!(root.verify().unwrap_err().code, Code::RootReplaced);
    fs::create_dir(&project).unwrap();
    assert_eq!(root.verify().unwrap_err().code, Code::RootReplaced);
    fs::remove_dir(&project).unwrap();
    symlink(folder.path().join("moved"), &project).unwrap();
    assert_eq!(root.verify().unwrap_err().code, Code::RootReplaced);
}

#[test]
fn the_id_has_one_text_for_each_name() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = tempfile::tempdir().unwrap();
    let project = folder.path().join(std::ffi::OsStr::from_bytes(b"a\xff\\b"));
    fs::create_dir(&project).unwrap();
    let root = Root::open(&project, trust()).unwrap();
    assert!(root.id().starts_with('/') && root.id().ends_with("/a\\xFF\\\\b"), "{}", root.id());
}

#[test]
fn errors_name_the_rule() {
    let folder = tree();
    let root = Root::open(folder.path(), trust()).unwrap();
    for name in ["none", "src", &"long".repeat(100), "deep/".repeat(2_000).trim_end_matches('/')] {
        assert_eq!(root.read(&path(name), 9).unwrap_err().code, Code::NotFound);
    }
    let error = root.read(&path("src/link/a.ts"), 9).unwrap_err();
    assert_eq!(error.code, Code::Excluded);
    assert!(error.message.contains("path/link"));
    assert_eq!(root.read(&path("src/deep/a.ts"), 9).unwrap().0, b"hello");
}

#[test]
fn a_platform_without_directory_handles_says_what_it_cannot_guarantee() {
    assert_eq!((LIMITATIONS.len(), portable::Handle::LIMITATIONS.len()), (0, 4));
}
