//! The root as an open directory: every look-up is relative to it, and no component may be a link.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, fstat, open, openat, statat};
use rustix::io::Errno;

use super::{DirectoryEntry, Facts, Found, Identity, Kind, read_bounded, refusal};
use crate::exclude::{PATH_LINK, PATH_SPECIAL};
use crate::rel_path::RelPath;

const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);
/// Never waits for a pipe's other end, and never makes a terminal our own.
const FILE: OFlags = OFlags::RDONLY.union(OFlags::NONBLOCK).union(OFlags::NOFOLLOW).union(OFlags::NOCTTY).union(OFlags::CLOEXEC);

#[derive(Debug)]
pub(super) struct Handle(OwnedFd);

impl Handle {
    pub(super) const LIMITATIONS: &[&str] = &[];

    pub(super) fn open(path: &Path) -> io::Result<Self> {
        Ok(Handle(open(path, DIRECTORY, Mode::empty())?))
    }

    pub(super) fn identity(&self) -> io::Result<Identity> {
        Ok(identity(&fstat(&self.0)?))
    }

    /// The identity of the directory at a path; `None` if it is none.
    pub(super) fn identity_at(path: &Path) -> io::Result<Option<Identity>> {
        let stat = rustix::fs::lstat(path)?;
        Ok((FileType::from_raw_mode(stat.st_mode) == FileType::Directory).then(|| identity(&stat)))
    }

    pub(super) fn stat(&self, path: &RelPath) -> io::Result<Option<Kind>> {
        match self.with_parent(path, |parent, name| statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)) {
            Ok(stat) => Ok(Some(kind(&stat))),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP | Errno::NAMETOOLONG) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub(super) fn has_other_names(&self, path: &RelPath) -> io::Result<bool> {
        Ok(self.with_parent(path, |parent, name| statat(parent, name, AtFlags::SYMLINK_NOFOLLOW))?.st_nlink > 1)
    }

    pub(super) fn list(&self, directory: Option<&RelPath>, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<DirectoryEntry>> {
        let path = directory.map_or(b".".to_vec(), RelPath::to_bytes);
        let handle = self.open_directory(&path)?;
        let mut entries = Vec::new();
        for entry in Dir::read_from(&handle)? {
            let entry = entry?;
            let raw = entry.file_name();
            // Most names are spelled alike in both forms.
            let spelled = std::str::from_utf8(raw.to_bytes()).ok().filter(|name| !name.contains('\\'));
            if spelled.is_some_and(|name| !wanted(name)) {
                continue;
            }
            let Some(name) = RelPath::from_bytes(raw.to_bytes()).filter(|name| wanted(name.as_str())) else { continue };
            let kind = match entry.file_type() {
                FileType::Directory => Kind::Directory,
                FileType::Symlink => Kind::Link,
                // Some file systems tell no type here.
                FileType::RegularFile | FileType::Unknown => match statat(&handle, raw, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => kind(&stat),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                },
                _ => Kind::Special,
            };
            entries.push(DirectoryEntry { name, kind });
        }
        Ok(entries)
    }

    pub(super) fn read(&self, path: &RelPath, max_bytes: u64) -> io::Result<Found> {
        let opened = self.with_parent(path, |parent, name| {
            let found = kind(&statat(parent, name, AtFlags::SYMLINK_NOFOLLOW)?);
            if let Some(refused) = refusal(found, max_bytes) {
                return Ok(Err(refused));
            }
            openat(parent, name, FILE, Mode::empty()).map(Ok)
        });
        let file = match opened {
            Ok(Ok(file)) => file,
            Ok(Err(refused)) => return Ok(refused),
            Err(Errno::NOENT | Errno::NOTDIR | Errno::NAMETOOLONG) => return Ok(Found::Nothing),
            Err(Errno::LOOP) => return Ok(Found::Refused(PATH_LINK, None)),
            Err(Errno::NXIO) => return Ok(Found::Refused(PATH_SPECIAL, None)),
            Err(error) => return Err(error.into()),
        };
        // The name may have come to mean another thing between the look and the opening.
        let kind = kind(&fstat(&file)?);
        match (refusal(kind, max_bytes), kind) {
            (None, Kind::File(facts)) => read_bounded(File::from(file), facts, max_bytes),
            (refused, _) => Ok(refused.unwrap_or(Found::Nothing)),
        }
    }

    /// Acts in the directory that holds `path`, by its last component.
    fn with_parent<T>(&self, path: &RelPath, act: impl FnOnce(BorrowedFd<'_>, &OsStr) -> rustix::io::Result<T>) -> rustix::io::Result<T> {
        let bytes = path.to_bytes();
        match bytes.iter().rposition(|&byte| byte == b'/') {
            None => act(self.0.as_fd(), OsStr::from_bytes(&bytes)),
            Some(at) => act(self.open_directory(&bytes[..at])?.as_fd(), OsStr::from_bytes(&bytes[at + 1..])),
        }
    }

    fn open_directory(&self, path: &[u8]) -> rustix::io::Result<OwnedFd> {
        #[cfg(target_os = "linux")]
        if let Some(result) = open_directory_at_once(self.0.as_fd(), path) {
            return result;
        }
        open_directory_stepwise(self.0.as_fd(), path)
    }
}

/// One call for the whole path; `None` where the kernel is too old for it or a sandbox forbids it.
#[cfg(target_os = "linux")]
fn open_directory_at_once(root: BorrowedFd<'_>, path: &[u8]) -> Option<rustix::io::Result<OwnedFd>> {
    use rustix::fs::{ResolveFlags, openat2};
    use std::sync::atomic::{AtomicBool, Ordering};
    static UNAVAILABLE: AtomicBool = AtomicBool::new(false);

    if UNAVAILABLE.load(Ordering::Relaxed) {
        return None;
    }
    let confined = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // With NOFOLLOW a link in the last place would be refused as no directory, and not told apart.
    match openat2(root, path, DIRECTORY.difference(OFlags::NOFOLLOW), Mode::empty(), confined) {
        Err(Errno::NOSYS | Errno::PERM) => {
            UNAVAILABLE.store(true, Ordering::Relaxed);
            None
        }
        // The kernel could not be sure of a path that changes meanwhile.
        Err(Errno::AGAIN) => None,
        result => Some(result),
    }
}

fn open_directory_stepwise(root: BorrowedFd<'_>, path: &[u8]) -> rustix::io::Result<OwnedFd> {
    let mut components = path.split(|&byte| byte == b'/').map(OsStr::from_bytes);
    let step = |parent: BorrowedFd<'_>, name: &OsStr| match openat(parent, name, DIRECTORY, Mode::empty()) {
        // A link, refused as no directory on some systems, is told apart so that both ways answer alike.
        Err(Errno::NOTDIR) if statat(parent, name, AtFlags::SYMLINK_NOFOLLOW).is_ok_and(|stat| kind(&stat) == Kind::Link) => Err(Errno::LOOP),
        result => result,
    };
    let mut directory = step(root, components.next().unwrap_or_default())?;
    for name in components {
        directory = step(directory.as_fd(), name)?;
    }
    Ok(directory)
}

fn kind(stat: &Stat) -> Kind {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => Kind::File(facts(stat)),
        FileType::Directory => Kind::Directory,
        FileType::Symlink => Kind::Link,
        _ => Kind::Special,
    }
}

// The fields' types differ between platforms.
#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the fields' types differ between platforms")]
fn facts(stat: &Stat) -> Facts {
    let nanoseconds = |seconds: i64, rest: i64| seconds.saturating_mul(1_000_000_000).saturating_add(rest);
    Facts {
        size: stat.st_size as u64,
        mtime_ns: nanoseconds(stat.st_mtime as i64, stat.st_mtime_nsec as i64),
        ctime_ns: nanoseconds(stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        inode: stat.st_ino as u64,
        device: stat.st_dev as u64,
    }
}

#[allow(clippy::useless_conversion, clippy::unnecessary_cast, reason = "the fields' types differ between platforms")]
fn identity(stat: &Stat) -> Identity {
    Identity { device: stat.st_dev as u64, inode: stat.st_ino as u64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ways_to_open_a_directory_agree() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("a/b/c")).unwrap();
        std::fs::write(folder.path().join("a/file"), "x").unwrap();
        std::os::unix::fs::symlink("b", folder.path().join("a/link")).unwrap();
        let handle = Handle::open(folder.path()).unwrap();
        let cases: [(&[u8], Result<(), Errno>); 6] = [
            (b".", Ok(())),
            (b"a/b/c", Ok(())),
            (b"a/none", Err(Errno::NOENT)),
            (b"a/file", Err(Errno::NOTDIR)),
            (b"a/link", Err(Errno::LOOP)),
            (b"a/link/c", Err(Errno::LOOP)),
        ];
        for (path, expected) in cases {
            assert_eq!(open_directory_stepwise(handle.0.as_fd(), path).map(drop), expected, "{path:?}");
            #[cfg(target_os = "linux")]
            if let Some(result) = open_directory_at_once(handle.0.as_fd(), path) {
                assert_eq!(result.map(drop), expected, "{path:?}");
            }
        }
    }
}
