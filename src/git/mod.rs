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
    prefix: Vec<u8>,
    case: Case,
    rules: Vec<Patterns>,
    agent_rules: Vec<Patterns>,
    project_ignored: bool,
}

impl Repository {
    /// The repository whose work tree holds the project's root.
    ///
    /// # Errors
    /// Never for "no repository" (`Ok(None)`); an error says why an existing one can't be read.
    pub fn open(root: &Root) -> Result<Option<Repository>> {
        Repository::open_for(root, &UserFiles::here())
    }

    pub(crate) fn open_for(root: &Root, user: &UserFiles) -> Result<Option<Repository>> {
        let Some(location) = locate::locate(root.path(), user)? else { return Ok(None) };
        let below = root.path().strip_prefix(&location.top).map_err(|_| Error::new(Code::Internal, "a project outside its work tree"))?;
        let prefix = slashed(below);
        let hash = Repository::hash_of(&location)?;
        let (branch, head) = head::read(&location)?;
        let index_prefix = if prefix.is_empty() { Vec::new() } else { [prefix.as_slice(), b"/"].concat() };
        let case = if user.ignores_case(&location, branch.as_deref()) { Case::Fold } else { Case::Sensitive };
        let mut repository = Repository {
            state: GitState { root: path_text(&location.top), branch, head },
            tracked: index::read(&location.git_dir, hash, &index_prefix)?,
            prefix,
            case,
            rules: Vec::new(),
            agent_rules: Vec::new(),
            project_ignored: false,
        };
        repository.read_rules_above(&location, user)?;
        repository.state.branch = repository.state.branch.filter(|branch| secrets::scan(branch).is_empty());
        Ok(Some(repository))
    }

    fn hash_of(location: &locate::Location) -> Result<Kind> {
        match location.config.string("extensions.objectFormat").as_deref() {
            None | Some(b"sha1") => Ok(Kind::Sha1),
            Some(b"sha256") => Ok(Kind::Sha256),
            Some(_) => Err(Error::new(Code::Io, format!("{} uses an unknown object format", location.git_dir.display()))),
        }
    }

    /// The rules that stand above the project, weakest first: the user's, the repository's, and those of the folders down to the project.
    fn read_rules_above(&mut self, location: &locate::Location, user: &UserFiles) -> Result<()> {
        if let Some(path) = user.excludes_file(location, self.state.branch.as_deref())
            && let Some(bytes) = control::read_of_user(&path, MAX_IGNORE_FILE_BYTES)?
        {
            self.rules.push(Patterns::parse(&bytes, b"", self.case));
        }
        if let Some(bytes) = control::read(&location.common_dir.join("info").join("exclude"), MAX_IGNORE_FILE_BYTES)? {
            self.rules.push(Patterns::parse(&bytes, b"", self.case));
        }
        let ends = self.prefix.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(at, _)| at);
        let folders: Vec<usize> = ends.chain((!self.prefix.is_empty()).then_some(self.prefix.len())).collect();
        for folder in std::iter::once(0).chain(folders.iter().copied()).take(folders.len()).map(|end| &self.prefix[..end]) {
            let path = location.top.join(control::path_of(folder)).join(".agentignore");
            // One that can't be read keeps all of its folder out.
            if let Some(bytes) = control::read(&path, MAX_IGNORE_FILE_BYTES).unwrap_or_else(|_| Some(b"*".to_vec())) {
                self.agent_rules.push(Patterns::parse(&bytes, folder, self.case));
            }
        }
        let mut above = 0;
        for end in folders {
            let folder = &self.prefix[..above];
            if let Some(bytes) = control::read(&location.top.join(control::path_of(folder)).join(".gitignore"), MAX_IGNORE_FILE_BYTES)? {
                self.rules.push(Patterns::parse(&bytes, folder, self.case));
            }
            let name = &self.prefix[..end];
            if self.rules.iter().rev().find_map(|rules| rules.verdict(name, true)) == Some(true) {
                self.project_ignored = true;
                break;
            }
            above = end;
        }
        Ok(())
    }

    /// Where the project stands.
    pub fn state(&self) -> &GitState {
        &self.state
    }

    /// The index entries below the project's root, each path once, sorted by path.
    pub fn tracked(&self) -> &[Tracked] {
        &self.tracked
    }

    /// The project's path relative to the work tree's top, `/`-separated; empty at the top.
    pub fn prefix(&self) -> &[u8] {
        &self.prefix
    }

    /// Takes the rules that stand above the project's own ignore files, weakest first.
    pub fn take_rules_above(&mut self) -> Vec<Patterns> {
        std::mem::take(&mut self.rules)
    }

    /// Takes the rules of the `.agentignore` files in the folders above the project, weakest first.
    pub fn take_agent_rules_above(&mut self) -> Vec<Patterns> {
        std::mem::take(&mut self.agent_rules)
    }

    /// Whether the project's folder is itself ignored, so that nothing untracked in it belongs to the work tree.
    pub fn is_project_ignored(&self) -> bool {
        self.project_ignored
    }

    /// The rules in the bytes of a `.gitignore` in `folder` of the project (`None`: its root).
    pub fn patterns(&self, bytes: &[u8], folder: Option<&RelPath>) -> Patterns {
        let base = match folder.map(RelPath::to_bytes) {
            None => self.prefix.clone(),
            Some(folder) if self.prefix.is_empty() => folder,
            Some(folder) => [self.prefix.as_slice(), b"/", &folder].concat(),
        };
        Patterns::parse(bytes, &base, self.case)
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
