//! What Git knows of the project: its index, HEAD and ignore rules. The only user of gix; reads only, runs nothing, locks nothing.
//!
//! But for the object database (see [`commits`]) gix parses bytes here and opens no file: each file of a repository is first checked to be a plain one (see [`control`]), as others wrote it.

mod commits;
mod config;
mod control;
mod glob;
mod head;
mod ignore;
mod index;
mod locate;

use std::sync::Arc;

use gix::glob::pattern::Case;
use gix::hash::Kind;

pub use commits::{Commit, History, Touched};
pub(crate) use config::UserFiles;
pub use ignore::Patterns;

use crate::error::{Code, Error, Result};
use crate::limits::MAX_IGNORE_FILE_BYTES;
use crate::rel_path::RelPath;
use crate::root::{Facts, Root, path_text};
use crate::secrets;

/// Where the project stands in Git. Paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GitState {
    /// The work tree's top directory.
    pub root: String,
    /// The branch's short name; `None` when detached, unknown (reftable), or with a secret in it.
    pub branch: Option<String>,
    /// The commit at HEAD in hexadecimal; `None` before the first commit, or unknown.
    pub head: Option<String>,
}

/// One index entry below the project's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tracked {
    /// Relative to the project's root.
    pub path: RelPath,
    /// What the index remembers of the file's stat, to tell a clean file without reading it: the size modulo 2^32,
    pub size: u32,
    /// the last change in nanoseconds since the epoch,
    pub mtime_ns: i64,
    /// and the inode modulo 2^32.
    pub inode: u32,
    /// Whether it is a regular file, and no link or submodule.
    pub regular: bool,
    /// Whether it is left out of a sparse checkout: it need not be on disk.
    pub absent: bool,
    /// Whether Git was told not to look for changes.
    pub assumed_clean: bool,
    /// Whether it differs from HEAD whatever its stat says: in conflict, or only intended to be added.
    pub always_modified: bool,
}

/// An opened repository, as far as the project below `Root` is concerned.
#[derive(Debug)]
pub struct Repository {
    state: GitState,
    tracked: Arc<Vec<Tracked>>,
}

/// How paths of the project are named and compared in ignore rules.
#[derive(Debug)]
pub struct Base {
    /// The project's path relative to the work tree's top, `/`-separated; empty at the top and outside Git.
    prefix: Vec<u8>,
    case: Case,
}

/// What holds for a project from above it in its work tree, whether or not the repository can be read; nothing outside Git.
#[derive(Debug, Default)]
pub struct Above {
    pub base: Base,
    /// The rules that stand above the project's own ignore files, weakest first.
    pub rules: Vec<Patterns>,
    /// Those of `.agentignore` files in the folders above the project, weakest first.
    pub agent_rules: Vec<Patterns>,
    /// Whether the project's folder is itself ignored, so that nothing untracked in it belongs to the work tree.
    pub is_project_ignored: bool,
    /// Why an ignore file in a folder above the project can't be read, which leaves the project out.
    pub unreadable: Option<String>,
}

/// What was found of Git for a project.
#[derive(Debug)]
pub struct Seen {
    pub above: Above,
    /// `None` where there is no repository; an error says why an existing one can't be read.
    pub repository: Result<Option<Repository>>,
}

/// Looks for the repository whose work tree holds the project's root.
pub(crate) fn look(root: &Root, user: &UserFiles) -> Seen {
    let location = match locate::locate(root.path(), user) {
        Ok(Some(location)) => location,
        Ok(None) => return Seen { above: Above::default(), repository: Ok(None) },
        Err(error) => return Seen { above: Above::default(), repository: Err(error) },
    };
    let Ok(below) = root.path().strip_prefix(&location.top) else {
        return Seen { above: Above::default(), repository: Err(Error::new(Code::Internal, "a project outside its work tree")) };
    };
    let prefix = slashed(below);
    let head = head::read(&location);
    let branch = head.as_ref().ok().and_then(|(branch, _)| branch.as_deref());
    let case = if user.ignores_case(&location, branch) { Case::Fold } else { Case::Sensitive };
    let (above, problem) = Above::read(Base { prefix, case }, &location, user, branch);
    let repository = problem.map_or(Ok(()), Err).and_then(|()| Repository::read(&location, &above.base.prefix, head?));
    Seen { above, repository: repository.map(Some) }
}

impl Repository {
    fn read(location: &locate::Location, prefix: &[u8], (branch, head): (Option<String>, Option<String>)) -> Result<Repository> {
        let hash = Repository::hash_of(location)?;
        let index_prefix = if prefix.is_empty() { Vec::new() } else { [prefix, b"/"].concat() };
        let branch = branch.filter(|branch| secrets::scan(branch).is_empty());
        let tracked = index::read(&location.git_dir, hash, &index_prefix)?;
        Ok(Repository { state: GitState { root: path_text(&location.top), branch, head }, tracked })
    }

    fn hash_of(location: &locate::Location) -> Result<Kind> {
        match location.config.string("extensions.objectFormat").as_deref() {
            None | Some(b"sha1") => Ok(Kind::Sha1),
            Some(b"sha256") => Ok(Kind::Sha256),
            Some(_) => Err(Error::new(Code::Io, format!("{} uses an unknown object format", location.git_dir.display()))),
        }
    }

    /// Where the project stands.
    pub fn state(&self) -> &GitState {
        &self.state
    }

    /// The index entries below the project's root, each path once, sorted by path.
    pub fn tracked(&self) -> &[Tracked] {
        &self.tracked
    }
}

impl Default for Base {
    fn default() -> Self {
        Base { prefix: Vec::new(), case: Case::Sensitive }
    }
}

impl Base {
    /// The rules in the bytes of an ignore file in `folder` of the project (`None`: its root).
    pub fn patterns(&self, bytes: &[u8], folder: Option<&RelPath>) -> Patterns {
        Patterns::parse(bytes, &folder.map_or_else(|| self.prefix.clone(), |folder| self.full(folder)), self.case)
    }

    /// A path of the project as the rules name it.
    pub fn full(&self, path: &RelPath) -> Vec<u8> {
        if self.prefix.is_empty() { path.to_bytes() } else { [&self.prefix, &b"/"[..], &path.to_bytes()].concat() }
    }
}

impl Above {
    /// The rules above the project, the user's and the repository's first, and why those of the two can't be read.
    fn read(base: Base, location: &locate::Location, user: &UserFiles, branch: Option<&str>) -> (Above, Option<Error>) {
        let mut above = Above { base, ..Above::default() };
        let mut problem = None;
        let of_user = user.excludes_file(location, branch).map(|path| control::read_of_user(&path, MAX_IGNORE_FILE_BYTES));
        for read in of_user.into_iter().chain([control::read(&location.common_dir.join("info").join("exclude"), MAX_IGNORE_FILE_BYTES)]) {
            match read {
                Ok(bytes) => above.rules.extend(bytes.map(|bytes| Patterns::parse(&bytes, b"", above.base.case))),
                Err(error) => drop(problem.get_or_insert(error)),
            }
        }
        if let Err(error) = above.read_folders(location) {
            above.unreadable = Some(error.message);
        }
        (above, problem)
    }

    /// Those of the folders down to the project.
    fn read_folders(&mut self, location: &locate::Location) -> Result<()> {
        let prefix = self.base.prefix.clone();
        let ends = prefix.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let folders: Vec<usize> = ends.chain((!prefix.is_empty()).then_some(prefix.len())).collect();
        let mut start = 0;
        for end in folders {
            let folder = &prefix[..start];
            let read = |name| control::read(&location.top.join(control::path_of(folder)).join(name), MAX_IGNORE_FILE_BYTES);
            self.agent_rules.extend(read(".agentignore")?.map(|bytes| Patterns::parse(&bytes, folder, self.base.case)));
            // In an ignored folder Git asks no further rules; ours hold all the same.
            if !self.is_project_ignored {
                self.rules.extend(read(".gitignore")?.map(|bytes| Patterns::parse(&bytes, folder, self.base.case)));
                self.is_project_ignored = self.rules.iter().rev().find_map(|rules| rules.verdict(&prefix[..end], true)) == Some(true);
            }
            start = end;
        }
        Ok(())
    }
}

/// How a tracked file differs from the index, by stat alone.
///
/// A clean file that was touched counts as modified. Times are compared as finely as the index holds them.
pub fn is_modified(tracked: &Tracked, facts: &Facts) -> bool {
    const SECOND: i64 = 1_000_000_000;
    if tracked.assumed_clean || tracked.always_modified {
        return tracked.always_modified;
    }
    let same_time =
        if tracked.mtime_ns % SECOND == 0 { tracked.mtime_ns / SECOND == facts.mtime_ns.div_euclid(SECOND) } else { tracked.mtime_ns == facts.mtime_ns };
    let same_inode = tracked.inode == 0 || facts.inode == 0 || tracked.inode == facts.inode as u32;
    tracked.size != facts.size as u32 || !same_time || !same_inode
}

fn slashed(path: &std::path::Path) -> Vec<u8> {
    let parts: Vec<_> = path.components().map(|part| part.as_os_str().as_encoded_bytes()).collect();
    parts.join(&b'/')
}
