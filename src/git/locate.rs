//! Finds the work tree that holds the project, by looking upward for `.git`. No `GIT_*` variable is asked.

use std::path::{Path, PathBuf};

use super::config::{Config, UserFiles};
use super::control::{self, MAX_SMALL, path_of, trimmed};
use crate::error::{Code, Error, Result};

/// Where a repository keeps what.
#[derive(Debug)]
pub(super) struct Location {
    /// The top of the work tree.
    pub(super) top: PathBuf,
    /// What belongs to this work tree: HEAD and index.
    pub(super) git_dir: PathBuf,
    /// What all work trees share: configuration, references, `info/exclude`.
    pub(super) common_dir: PathBuf,
    /// The repository's own configuration; nothing that it includes.
    pub(super) config: Config,
}

pub(super) fn locate(project: &Path, user: &UserFiles) -> Result<Option<Location>> {
    let device = device(project);
    for folder in project.ancestors() {
        if self::device(folder) != device {
            // As git does: a repository is not looked for on another file system.
            return Ok(None);
        }
        let dot_git = folder.join(".git");
        let Ok(found) = std::fs::metadata(&dot_git) else {
            if dot_git.symlink_metadata().is_ok() {
                return Err(Error::new(Code::Io, format!("{} leads nowhere", dot_git.display())));
            }
            continue;
        };
        let git_dir = if found.is_dir() {
            if !is_git_directory(&dot_git) {
                continue;
            }
            dot_git.clone()
        } else {
            follow_pointer(folder, &dot_git)?
        };
        return open(project, folder, &dot_git, git_dir, user).map(Some);
    }
    Ok(None)
}

fn open(project: &Path, folder: &Path, dot_git: &Path, git_dir: PathBuf, user: &UserFiles) -> Result<Location> {
    let pointer = control::read(&git_dir.join("commondir"), MAX_SMALL)?;
    let common_dir = match &pointer {
        Some(text) => git_dir.join(path_of(trimmed(text))),
        None => git_dir.clone(),
    };
    user.check_owner(&[dot_git, &git_dir, folder], &git_dir, folder)?;

    let mut config = Config::of_repository(&common_dir.join("config"))?;
    if config.boolean("extensions.worktreeConfig") == Some(true) {
        config.add(&git_dir.join("config.worktree"))?;
    }
    let mut top = folder.to_path_buf();
    // A linked work tree stands where its pointer is, whatever the main one's configuration says.
    if pointer.is_none() {
        if let Some(elsewhere) = config.string("core.worktree") {
            let path = git_dir.join(path_of(&elsewhere));
            top = path.canonicalize().map_err(|error| Error::io(path.display(), &error))?;
        } else if config.boolean("core.bare") == Some(true) {
            return Err(Error::new(Code::Io, format!("{} is a bare repository", git_dir.display())));
        }
    }
    if !project.starts_with(&top) {
        return Err(Error::new(Code::Io, format!("the work tree of {} is {}", git_dir.display(), top.display())));
    }
    Ok(Location { top, git_dir, common_dir, config })
}

/// The git directory that a `.git` file of a linked work tree or submodule names.
fn follow_pointer(folder: &Path, dot_git: &Path) -> Result<PathBuf> {
    let text = control::read(dot_git, MAX_SMALL)?.unwrap_or_default();
    let wrong = || Error::new(Code::Io, format!("{} names no git directory", dot_git.display()));
    let target = text.strip_prefix(b"gitdir:").ok_or_else(wrong)?;
    let git_dir = folder.join(path_of(trimmed(target)));
    if is_git_directory(&git_dir) { Ok(git_dir) } else { Err(wrong()) }
}

/// Whether a directory has the form of a git directory, by the names in it.
fn is_git_directory(path: &Path) -> bool {
    let shared = path.join("commondir").is_file() || (path.join("objects").is_dir() && path.join("refs").is_dir());
    shared && path.join("HEAD").symlink_metadata().is_ok()
}

fn device(path: &Path) -> u64 {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        path.metadata().map_or(0, |metadata| metadata.dev())
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        0
    }
}
