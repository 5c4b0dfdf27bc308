//! The trusted root: the one handle through which anything of a project is reached.

#[cfg(any(not(unix), test))]
mod portable;
#[cfg(all(test, unix))]
mod tests;
#[cfg(unix)]
mod unix;

use std::path::{Path, PathBuf};

use crate::error::{Code, Error, Result};
use crate::exclude::{PATH_LINK, PATH_SPECIAL, RuleId, SIZE_FILE};
use crate::rel_path::RelPath;

#[cfg(not(unix))]
use portable::Handle;
#[cfg(unix)]
use unix::Handle;

/// What this platform can't guarantee, for people; empty where every guarantee of this module holds.
pub const LIMITATIONS: &[&str] = Handle::LIMITATIONS;

/// Who said that the project may be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrustSource {
    /// The host program's own trust decision.
    Host,
    /// The user named the path on a command line.
    CommandLine,
    /// A program called the API with `trusted: true`.
    Api,
}

impl TrustSource {
    /// The form in manifests and statuses.
    pub const fn as_str(self) -> &'static str {
        match self {
            TrustSource::Host => "host",
            TrustSource::CommandLine => "command line",
            TrustSource::Api => "api",
        }
    }
}

/// A granted trust. A [`Root`] can't be opened without one, and nothing of a project can be read without a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Trust {
    source: TrustSource,
}

impl Trust {
    /// Records that somebody granted trust. Call this only on an explicit yes.
    pub fn granted(source: TrustSource) -> Self {
        Trust { source }
    }

    /// Who granted it.
    pub fn source(self) -> TrustSource {
        self.source
    }
}

/// What `stat` says of a regular file. Times are nanoseconds since the epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Facts {
    /// Size in bytes.
    pub size: u64,
    /// Last change of the content.
    pub mtime_ns: i64,
    /// Last change of the inode (0 where the platform has none).
    pub ctime_ns: i64,
    /// The inode (0 where the platform has none).
    pub inode: u64,
    /// The device that holds it.
    pub device: u64,
}

/// What a name in the project is, without following links.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File(Facts),
    /// A directory.
    Directory,
    /// A symbolic link, to whatever.
    Link,
    /// A pipe, socket, device or anything else.
    Special,
}

/// One name in a directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DirectoryEntry {
    /// The name, in the text form of [`RelPath`].
    pub name: RelPath,
    /// What it is.
    pub kind: Kind,
}

/// What a confined read found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A regular file: its bytes, and the facts of the handle that they came from.
    File(Vec<u8>, Facts),
    /// Something that may not be read, by the rule named (`path/link`, `path/special`, `size/file`).
    Refused(RuleId, Option<Facts>),
    /// No file: nothing, or a directory.
    Nothing,
}

/// Which directory it is, whatever its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
}

/// The canonical directory of a trusted project, held open.
#[derive(Debug)]
pub struct Root {
    path: PathBuf,
    id: String,
    trust: Trust,
    handle: Handle,
    identity: Identity,
}

impl Root {
    /// Opens the canonical directory at `path` and captures its identity.
    ///
    /// # Errors
    /// `RootRefused` for the file-system root, a drive root, the home directory, an ancestor of it, or what is no directory.
    pub fn open(path: &Path, trust: Trust) -> Result<Root> {
        Root::open_with_home(path, trust, std::env::home_dir().as_deref())
    }

    fn open_with_home(path: &Path, trust: Trust, home: Option<&Path>) -> Result<Root> {
        let refused = |why: String| Error::new(Code::RootRefused, format!("{} can't be a project: {why}; open a project's own folder", path.display()));
        let canonical = path.canonicalize().map_err(|error| refused(error.to_string()))?;
        if canonical.parent().is_none() {
            return Err(refused("it is the root of a file system or drive".to_owned()));
        }
        // Both spellings, as a home that can't be resolved must still be recognised.
        let homes = home.iter().flat_map(|home| [Some(home.to_path_buf()), home.canonicalize().ok()]).flatten();
        for home in homes.filter(|home| home.is_absolute()) {
            if home == canonical {
                return Err(refused("it is the home directory".to_owned()));
            }
            if home.starts_with(&canonical) {
                return Err(refused("the home directory lies below it".to_owned()));
            }
        }
        let handle = Handle::open(&canonical).map_err(|error| refused(error.to_string()))?;
        let identity = handle.identity().map_err(|error| Error::io(canonical.display(), &error))?;
        let id = path_text(&canonical);
        let root = Root { path: canonical, id, trust, handle, identity };
        root.verify()?;
        Ok(root)
    }

    /// The canonical path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The canonical path as text, separated by `/`: the project's identity in ids, the store and manifests.
    ///
    /// Bytes that are no UTF-8, and backslashes that are no separators, are escaped as in [`RelPath`], so that no two directories share a text.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The trust it was opened with.
    pub fn trust(&self) -> Trust {
        self.trust
    }

    /// # Errors
    /// `RootReplaced` if the directory at the path is no longer the one that was opened.
    pub fn verify(&self) -> Result<()> {
        match Handle::identity_at(&self.path) {
            Ok(Some(identity)) if identity == self.identity => Ok(()),
            _ => Err(Error::new(Code::RootReplaced, format!("{} is no longer the folder that was opened; open it again", self.id))),
        }
    }

    /// What stands at `path`, looked up component by component without following a link; `None` if nothing does or a component is a link.
    ///
    /// # Errors
    /// `Io` if the operating system refuses the look.
    pub fn stat(&self, path: &RelPath) -> Result<Option<Kind>> {
        self.handle.stat(path).map_err(|error| Error::io(path, &error))
    }

    /// Whether a file has other names (hard links), here or elsewhere; false where the platform does not tell.
    ///
    /// # Errors
    /// `Io` if the operating system refuses the look.
    pub fn has_other_names(&self, path: &RelPath) -> Result<bool> {
        self.handle.has_other_names(path).map_err(|error| Error::io(path, &error))
    }

    /// The names in a directory (`None`: the root itself), unsorted. A name that vanishes meanwhile is left out.
    ///
    /// # Errors
    /// `Io` if it can't be listed, is no directory, or a component of it is a link.
    pub fn list(&self, directory: Option<&RelPath>) -> Result<Vec<DirectoryEntry>> {
        self.list_only(directory, |_| true)
    }

    /// Those names of [`Root::list`] for which `wanted` holds; the others are not looked at.
    ///
    /// # Errors
    /// Those of [`Root::list`].
    pub fn list_only(&self, directory: Option<&RelPath>, wanted: impl Fn(&str) -> bool) -> Result<Vec<DirectoryEntry>> {
        self.handle.list(directory, wanted).map_err(|error| Error::io(directory.map_or(self.id.as_str(), RelPath::as_str), &error))
    }

    /// The bytes of a regular file of at most `max_bytes`, read once from one handle, with the facts of that handle.
    ///
    /// # Errors
    /// `NotFound` if there is nothing; `Excluded` naming the rule (`path/link`, `path/special`, `size/file`) where it may not be read; `Io` otherwise.
    pub fn read(&self, path: &RelPath, max_bytes: u64) -> Result<(Vec<u8>, Facts)> {
        match self.find(path, max_bytes)? {
            Found::File(bytes, facts) => Ok((bytes, facts)),
            Found::Nothing => Err(Error::new(Code::NotFound, format!("there is no file {path}"))),
            Found::Refused(rule, _) => Err(Error::new(Code::Excluded, format!("{path} is kept out by the rule {rule}"))),
        }
    }

    /// Like [`Root::read`], with what may not be read or is not there as values.
    ///
    /// # Errors
    /// `Io` if the operating system refuses the read.
    pub fn find(&self, path: &RelPath, max_bytes: u64) -> Result<Found> {
        self.handle.read(path, max_bytes).map_err(|error| Error::io(path, &error))
    }
}

/// An absolute path as text, separated by `/`, with other bytes escaped.
pub(crate) fn path_text(path: &Path) -> String {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        let bytes = path.as_os_str().as_bytes();
        let escaped = bytes.strip_prefix(b"/").and_then(RelPath::from_bytes);
        escaped.map_or_else(|| path.to_string_lossy().into_owned(), |below| format!("/{below}"))
    }
    #[cfg(not(unix))]
    {
        let text = path.to_string_lossy();
        text.strip_prefix(r"\\?\").unwrap_or(&text).replace('\\', "/")
    }
}

/// The verdict on what is no regular file within the bound, before it is opened.
fn refusal(kind: Kind, max_bytes: u64) -> Option<Found> {
    match kind {
        Kind::File(facts) if facts.size > max_bytes => Some(Found::Refused(SIZE_FILE, Some(facts))),
        Kind::File(_) => None,
        Kind::Directory => Some(Found::Nothing),
        Kind::Link => Some(Found::Refused(PATH_LINK, None)),
        Kind::Special => Some(Found::Refused(PATH_SPECIAL, None)),
    }
}

/// Reads to the end, but refuses a file that has grown past the bound meanwhile.
fn read_bounded(file: std::fs::File, facts: Facts, max_bytes: u64) -> std::io::Result<Found> {
    use std::io::Read as _;
    let mut bytes = Vec::with_capacity(facts.size as usize + 1);
    file.take(max_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Ok(Found::Refused(SIZE_FILE, Some(facts)));
    }
    Ok(Found::File(bytes, facts))
}
