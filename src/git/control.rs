//! Control files: read as plain small files or not at all, so that no pipe, device or link in a repository can hold or mislead us.

use std::fs::{Metadata, OpenOptions, metadata, symlink_metadata};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::error::{Code, Error, Result};

/// Bytes of a configuration file, HEAD or reference.
pub(super) const MAX_SMALL: u64 = 1_000_000;
/// Bytes of `packed-refs`.
pub(super) const MAX_PACKED_REFS: u64 = 100_000_000;
/// Bytes of an index: some times that of the largest public repositories.
pub(super) const MAX_INDEX: u64 = 300_000_000;

/// A file of the repository, which may not be a link; `None` if there is nothing.
pub(super) fn read(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>> {
    read_if_plain(path, max_bytes, false)
}

/// A file of the user, who may keep it behind a link; `None` if there is nothing.
pub(super) fn read_of_user(path: &Path, max_bytes: u64) -> Result<Option<Vec<u8>>> {
    read_if_plain(path, max_bytes, true)
}

fn read_if_plain(path: &Path, max_bytes: u64, may_be_link: bool) -> Result<Option<Vec<u8>>> {
    let refused = |why: &str| Error::new(Code::Io, format!("{} {why}", path.display()));
    let check = |metadata: &Metadata| match metadata {
        found if !found.is_file() => Err(refused("is no plain file")),
        found if found.len() > max_bytes => Err(refused("is too large")),
        _ => Ok(()),
    };
    let missing = |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    match if may_be_link { metadata(path) } else { symlink_metadata(path) } {
        Ok(metadata) => check(&metadata)?,
        Err(error) if missing(&error) => return Ok(None),
        Err(error) => return Err(Error::io(path.display(), &error)),
    }
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt as _;
        let link = if may_be_link { OFlags::empty() } else { OFlags::NOFOLLOW };
        options.custom_flags((OFlags::NONBLOCK | OFlags::NOCTTY | link).bits() as i32);
    }
    let file = match options.open(path) {
        Ok(file) => file,
        Err(error) if missing(&error) => return Ok(None),
        Err(error) => return Err(Error::io(path.display(), &error)),
    };
    check(&file.metadata().map_err(|error| Error::io(path.display(), &error))?)?;
    let mut bytes = Vec::new();
    file.take(max_bytes + 1).read_to_end(&mut bytes).map_err(|error| Error::io(path.display(), &error))?;
    if bytes.len() as u64 > max_bytes {
        return Err(refused("is too large"));
    }
    Ok(Some(bytes))
}

/// A file's content without the line end.
pub(super) fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.trim_ascii()
}

/// The path that a repository's file names.
pub(super) fn path_of(bytes: &[u8]) -> PathBuf {
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt as _;
        PathBuf::from(std::ffi::OsStr::from_bytes(bytes))
    }
    #[cfg(not(unix))]
    {
        PathBuf::from(String::from_utf8_lossy(bytes).into_owned())
    }
}
