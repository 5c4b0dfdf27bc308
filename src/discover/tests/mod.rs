//! Listings of real folders and repositories.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

mod differential;
mod git;
mod hostile;
mod judge;
mod names;

use super::*;
use crate::patterns::{Excludes, Includes};
use crate::root::{Trust, TrustSource};

/// A folder for one test, with a home of its own.
struct Bed {
    folder: tempfile::TempDir,
}

impl Bed {
    fn new() -> Self {
        let bed = Bed { folder: tempfile::tempdir().unwrap() };
        fs::create_dir(bed.at("home")).unwrap();
        bed.write("home/.gitconfig", "[user]\n name = T\n email = t@example.invalid\n[protocol \"file\"]\n allow = always\n[init]\n defaultBranch = main\n");
        bed
    }

    /// With a repository in `p`.
    fn repository() -> Self {
        let bed = Bed::new();
        bed.git(".", &["init", "-q", "p"]);
        bed
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().join(path)
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn files(&self, paths: &[&str]) {
        paths.iter().for_each(|path| self.write(&format!("p/{path}"), path));
    }

    fn git(&self, folder: &str, args: &[&str]) -> Vec<u8> {
        let output = self.command(folder, args);
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn command(&self, folder: &str, args: &[&str]) -> std::process::Output {
        let mut command = Command::new("git");
        command.args(args).current_dir(self.at(folder)).env_clear().env("PATH", std::env::var_os("PATH").unwrap());
        command.env("HOME", self.at("home")).env("GIT_CONFIG_NOSYSTEM", "1").output().unwrap()
    }

    fn commit(&self, folder: &str) {
        self.git(folder, &["add", "-A"]);
        self.git(folder, &["commit", "-qm", "x"]);
    }

    fn user(&self) -> UserFiles {
        UserFiles { home: Some(self.at("home")), ..UserFiles::default() }
    }

    fn root(&self, folder: &str) -> Root {
        Root::open(&self.at(folder), Trust::granted(TrustSource::Api)).unwrap()
    }

    fn list(&self, folder: &str) -> Listing {
        self.list_within(folder, &Bounds::default())
    }

    fn list_within(&self, folder: &str, bounds: &Bounds) -> Listing {
        list_for(&self.root(folder), bounds, Asked::default(), &Cancel::default(), &self.user()).unwrap().unwrap()
    }

    /// Lists the folder, checks that git lists the same regular files, and returns the listing.
    fn same_as_git(&self, folder: &str) -> Listing {
        let listing = self.list(folder);
        assert_eq!((listing.source, &listing.git_problem), (Source::Git, &None));
        let out = self.git(folder, &["ls-files", "-co", "--exclude-standard", "-z", "--", "."]);
        let names = out.split(|byte| *byte == 0).filter_map(RelPath::from_bytes);
        let regular = |path: &RelPath| self.at(folder).join(path.to_os()).symlink_metadata().is_ok_and(|metadata| metadata.is_file());
        let expected: BTreeSet<_> = names.filter(regular).map(|path| path.as_str().to_owned()).collect();
        assert_eq!(paths(&listing), expected);
        assert_eq!(listing.entries.len(), expected.len());
        listing
    }
}

fn paths(listing: &Listing) -> BTreeSet<String> {
    listing.entries.iter().map(|entry| entry.path.as_str().to_owned()).collect()
}

fn set(paths: &[&str]) -> BTreeSet<String> {
    paths.iter().map(|path| (*path).to_owned()).collect()
}

fn changed(listing: &Listing) -> Vec<&str> {
    listing.changed.iter().map(RelPath::as_str).collect()
}

fn make_pipe(path: &Path) {
    rustix::fs::mkfifoat(rustix::fs::CWD, path, rustix::fs::Mode::RWXU).unwrap();
}
