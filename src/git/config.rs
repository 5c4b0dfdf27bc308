//! Settings: the repository's own, and those of the user that decide about ignore rules and ownership.

use std::path::{Path, PathBuf};

use gix::config::Source;
use gix::config::file::{Metadata, init::Options};

use super::control::{self, MAX_SMALL, path_of};
use super::locate::Location;
use crate::error::{Code, Error, Result};

type File = gix::config::File;

/// Files that one of the user's includes, directly and not, each time counted anew; with more it is read without what it includes.
const MAX_INCLUDED_FILES: usize = 100;

/// Parsed configuration files, the later ones stronger.
#[derive(Debug, Default)]
pub(super) struct Config(Vec<File>);

impl Config {
    /// A repository's file, without what it includes: a repository may not make us read other files as configuration.
    pub(super) fn of_repository(path: &Path) -> Result<Self> {
        let mut config = Config::default();
        config.add(path)?;
        Ok(config)
    }

    pub(super) fn add(&mut self, path: &Path) -> Result<()> {
        if let Some(bytes) = control::read(path, MAX_SMALL)? {
            let parsed = File::from_bytes_no_includes(&bytes, Metadata::from(Source::Local).at(path), Options::default());
            self.0.push(parsed.map_err(|_| malformed(path))?);
        }
        Ok(())
    }

    pub(super) fn string(&self, key: &str) -> Option<Vec<u8>> {
        self.0.iter().rev().find_map(|file| file.string(key)).map(|value| value.to_vec())
    }

    /// A boolean; one that is none counts as unset.
    pub(super) fn boolean(&self, key: &str) -> Option<bool> {
        self.0.iter().rev().find_map(|file| file.boolean(key).ok().flatten())
    }

    fn strings(&self, key: &str) -> Vec<Vec<u8>> {
        self.0.iter().flat_map(|file| file.strings(key).unwrap_or_default()).map(|value| value.to_vec()).collect()
    }
}

fn malformed(path: &Path) -> Error {
    Error::new(Code::Io, format!("{} is no valid configuration", path.display()))
}

/// Where the user's and the machine's settings are.
#[derive(Debug, Clone, Default)]
pub(crate) struct UserFiles {
    /// The home directory.
    pub(crate) home: Option<PathBuf>,
    /// `$XDG_CONFIG_HOME`, if set.
    pub(crate) xdg_config: Option<PathBuf>,
    /// The machine's file.
    pub(crate) system: Option<PathBuf>,
}

impl UserFiles {
    /// Those of this process.
    pub(crate) fn here() -> Self {
        UserFiles {
            home: std::env::home_dir(),
            xdg_config: std::env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).filter(|path| path.is_absolute()),
            system: cfg!(unix).then(|| PathBuf::from("/etc/gitconfig")),
        }
    }

    fn git_folder(&self) -> Option<PathBuf> {
        let config = self.xdg_config.clone().or_else(|| self.home.as_ref().map(|home| home.join(".config")))?;
        Some(config.join("git"))
    }

    /// The machine's and the user's settings, with what they include for such a repository. Files that can't be read count as empty.
    fn config(&self, git_dir: &Path, branch: Option<&str>) -> Config {
        let branch = branch.and_then(|branch| gix::refs::FullName::try_from(format!("refs/heads/{branch}")).ok());
        let conditional = gix::config::file::includes::conditional::Context { git_dir: Some(git_dir), branch_name: branch.as_ref().map(|name| name.as_ref()) };
        let paths = [self.system.clone(), self.git_folder().map(|folder| folder.join("config")), self.home.as_ref().map(|home| home.join(".gitconfig"))];
        let parse = |path: PathBuf| {
            let mut bytes = control::read_of_user(&path, MAX_SMALL).ok().flatten()?;
            let mut options = Options { ignore_io_errors: true, ..Options::default() };
            if self.includes_end(&bytes, &path, &mut { MAX_INCLUDED_FILES }) {
                let home = gix::config::path::interpolate::Context { home_dir: self.home.as_deref(), ..Default::default() };
                options.includes = gix::config::file::includes::Options::follow(home, conditional);
            }
            File::from_bytes_owned(&mut bytes, Metadata::from(Source::User).at(path), options).ok()
        };
        Config(paths.into_iter().flatten().filter_map(parse).collect())
    }

    /// Whether what a file includes, whatever its condition, is small and not too much: gix reads included files to their end.
    fn includes_end(&self, bytes: &[u8], path: &Path, left: &mut usize) -> bool {
        let Ok(file) = File::from_bytes_no_includes(bytes, Metadata::from(Source::User).at(path), Options::default()) else { return true };
        let home = || gix::config::path::interpolate::Context { home_dir: self.home.as_deref(), ..Default::default() };
        let sections = ["include", "includeIf"].into_iter().flat_map(|name| file.sections_by_name(name).into_iter().flatten());
        let values: Vec<_> = sections.flat_map(|section| section.values("path")).collect();
        values.into_iter().all(|value| {
            let Ok(named) = gix::config::Path::from(std::borrow::Cow::Owned(value)).interpolate(home()) else { return true };
            let named = path.parent().map_or_else(|| named.clone(), |folder| folder.join(&named));
            // What is no file is skipped by gix, too.
            if !named.is_file() {
                return true;
            }
            *left = left.saturating_sub(1);
            *left > 0 && control::read_of_user(&named, MAX_SMALL).ok().flatten().is_some_and(|bytes| self.includes_end(&bytes, &named, left))
        })
    }

    /// Whether file names are compared without regard to case, by the repository's setting or else the user's.
    pub(super) fn ignores_case(&self, location: &Location, branch: Option<&str>) -> bool {
        location.config.boolean("core.ignoreCase").or_else(|| self.config(&location.git_dir, branch).boolean("core.ignoreCase")).unwrap_or(false)
    }

    /// The user's own ignore file, whether it exists or not.
    pub(super) fn excludes_file(&self, location: &Location, branch: Option<&str>) -> Option<PathBuf> {
        match location.config.string("core.excludesFile").or_else(|| self.config(&location.git_dir, branch).string("core.excludesFile")) {
            Some(value) if value.is_empty() => None,
            Some(value) => Some(match value.strip_prefix(b"~/") {
                Some(rest) => self.home.as_ref()?.join(path_of(rest)),
                None => location.top.join(path_of(&value)),
            }),
            None => self.git_folder().map(|folder| folder.join("ignore")),
        }
    }

    /// Git's own rule: all of these belong to the user, or the user's settings call the work tree safe.
    pub(super) fn check_owner(&self, paths: &[&Path], git_dir: &Path, top: &Path) -> Result<()> {
        match paths.iter().find(|path| !is_own(path)) {
            Some(path) if !self.is_safe(git_dir, top) => Err(Error::new(
                Code::Io,
                format!("{} belongs to another user; to use it, run: git config --global --add safe.directory {}", path.display(), top.display()),
            )),
            _ => Ok(()),
        }
    }

    fn is_safe(&self, git_dir: &Path, top: &Path) -> bool {
        let mut safe = false;
        for value in self.config(git_dir, None).strings("safe.directory") {
            safe = match value.as_slice() {
                b"" => false,
                b"*" => true,
                value => {
                    let (folder, is_tree) = value.strip_suffix(b"/*").map_or((value, false), |folder| (folder, true));
                    let path = match (folder.strip_prefix(b"~/"), &self.home) {
                        (Some(rest), Some(home)) => home.join(path_of(rest)),
                        _ => path_of(folder),
                    };
                    let path = path.canonicalize().unwrap_or(path);
                    safe || path == top || (is_tree && top.starts_with(path))
                }
            };
        }
        safe
    }
}

#[cfg(unix)]
fn is_own(path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    let user = rustix::process::geteuid().as_raw();
    let Ok(metadata) = path.symlink_metadata() else { return false };
    // As git does: under sudo the files of the user who called it are one's own.
    let caller = || std::env::var("SUDO_UID").ok().and_then(|id| id.parse::<u32>().ok());
    metadata.uid() == user || (user == 0 && caller() == Some(metadata.uid()))
}

#[cfg(not(unix))]
fn is_own(_path: &Path) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::fs;

    proptest! {
        #[test]
        fn any_bytes_are_settings_or_an_error(bytes in "(\\[core\\]|\\[include|path = x|\"|\\\\|=|\n|;|[a-z.= \"\\\\\u{0}]{0,6}){0,30}") {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join("config"), bytes).unwrap();
            if let Ok(config) = Config::of_repository(&folder.path().join("config")) {
                let _ = (config.string("core.worktree"), config.boolean("core.bare"), config.strings("core.path"));
            }
        }
    }

    #[test]
    fn the_users_settings_decide_what_is_safe() {
        let home = tempfile::tempdir().unwrap();
        let top = home.path().canonicalize().unwrap().join("work/project");
        fs::create_dir_all(&top).unwrap();
        let user = UserFiles { home: Some(home.path().canonicalize().unwrap()), ..UserFiles::default() };
        let safe = |text: &str| {
            fs::write(home.path().join(".gitconfig"), text).unwrap();
            user.is_safe(&top.join(".git"), &top)
        };
        assert!(!safe(""));
        assert!(safe("[safe]\n directory = *\n"));
        assert!(safe(&format!("[safe]\n directory = {}\n", top.display())));
        assert!(safe("[safe]\n directory = ~/work/project\n"));
        assert!(safe("[safe]\n directory = ~/work/*\n"));
        assert!(!safe("[safe]\n directory = ~/elsewhere/*\n"));
        assert!(!safe("[safe]\n directory = *\n directory =\n"));
        fs::write(home.path().join("more"), "[safe]\n directory = *\n").unwrap();
        assert!(safe("[include]\n path = more\n"));
    }

    #[test]
    fn settings_that_never_end_are_not_waited_for() {
        use rustix::fs::{CWD, Mode, mkfifoat};
        let home = tempfile::tempdir().unwrap();
        let at = |name: &str| home.path().join(name);
        fs::create_dir_all(at("xdg/git")).unwrap();
        for pipe in ["pipe", "xdg/git/config", "system"] {
            mkfifoat(CWD, at(pipe), Mode::RWXU).unwrap();
        }
        fs::File::create(at("huge")).unwrap().set_len(1 << 40).unwrap();
        fs::write(at("loop"), "[include]\n path = loop\n path = loop\n path = loop\n path = loop\n").unwrap();
        fs::write(at("more"), "[core]\n excludesFile = from-more\n").unwrap();
        let user = UserFiles { home: Some(home.path().to_owned()), xdg_config: Some(at("xdg")), system: Some(at("system")) };
        let value = |text: &str| {
            fs::write(at(".gitconfig"), format!("[core]\n excludesFile = own\n{text}")).unwrap();
            user.config(Path::new("/p/.git"), None).string("core.excludesFile").map(|value| String::from_utf8(value).unwrap())
        };
        let include = |names: &[&str]| names.iter().map(|name| format!("[include]\n path = {name}\n")).collect::<String>();
        assert_eq!(value(&include(&["more"])).as_deref(), Some("from-more"));
        assert_eq!(value(&include(&["pipe", "more", "none", "/dev/zero", "xdg"])).as_deref(), Some("from-more"));
        // Without what it includes the file itself still holds.
        for endless in ["huge", "loop", "~/huge"] {
            assert_eq!(value(&include(&["more", endless])).as_deref(), Some("own"), "{endless}");
        }
        let nested = at("nested").display().to_string();
        fs::write(&nested, format!("[includeIf \"gitdir:/p/\"]\n path = {}\n", at("huge").display())).unwrap();
        assert_eq!(value(&include(&[&nested])).as_deref(), Some("own"));
        fs::remove_file(at(".gitconfig")).unwrap();
        mkfifoat(CWD, at(".gitconfig"), Mode::RWXU).unwrap();
        assert_eq!(user.config(Path::new("/p/.git"), None).string("core.excludesFile"), None);
    }

    #[test]
    fn what_belongs_to_others_is_refused_with_the_remedy() {
        let user = UserFiles::default();
        user.check_owner(&[Path::new(env!("CARGO_MANIFEST_DIR"))], Path::new("/p/.git"), Path::new("/p")).unwrap();
        if !rustix::process::geteuid().is_root() {
            let error = user.check_owner(&[Path::new("/")], Path::new("/p/.git"), Path::new("/p")).unwrap_err();
            assert!(error.message.contains("safe.directory /p"), "{error}");
        }
    }
}
