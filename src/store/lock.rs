//! The right to write, and which file it is for.

use std::fs::{self, File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::FileIdentity;
use super::open::{make_private_folders, owner_only, with_suffix};

/// The side file whose lock is the right to write, and whose text names the database file that was made beside it.
pub(super) fn lock_file(file: &Path) -> PathBuf {
    with_suffix(file, ".lock")
}

/// The operating system's lock on the side file: the right to change the database.
///
/// It is given back by name: a child process that is being started holds a copy of the handle for a moment, and with it would hold the lock.
pub(super) struct Lock(pub(super) File);

impl Lock {
    /// `None` while somebody else holds it. Ends with the process at the latest.
    pub(super) fn take(file: &Path) -> std::io::Result<Option<Self>> {
        let path = lock_file(file);
        if let Some(folder) = path.parent() {
            // It may have been removed since the index was opened.
            make_private_folders(folder)?;
        }
        if fs::symlink_metadata(&path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err(std::io::Error::new(ErrorKind::InvalidInput, format!("{} is no regular file", path.display())));
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        owner_only(&mut options);
        let lock = options.open(&path)?;
        match lock.try_lock() {
            // Who removes an index removes this file, too: the lock of a file without a name bars nobody.
            Ok(()) if is_at(&lock, &path) => Ok(Some(Lock(lock))),
            Ok(()) | Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing the handle unlocks as well, if not at once.
        let _ = self.0.unlock();
    }
}

/// Whether an open file is the one at the path.
fn is_at(opened: &File, path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        opened.metadata().is_ok_and(|metadata| Some((metadata.dev(), metadata.ino())) == file_at(path))
    }
    #[cfg(not(unix))]
    {
        let _ = opened;
        file_at(path).is_some()
    }
}

/// Which file stands at a path; `None` if none does. Where the platform tells no inode, all files are one: there an open one can't be removed.
pub(super) fn file_at(file: &Path) -> Option<FileIdentity> {
    let metadata = fs::symlink_metadata(file).ok()?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        Some((metadata.dev(), metadata.ino()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        Some((0, 0))
    }
}
