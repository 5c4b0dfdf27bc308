//! The root by paths alone, for platforms without directory handles: each component is looked at before use, and what was opened again after it.
//! Somebody who swaps a directory for a link between the two looks can mislead it; the status says so.

use std::fs::{File, Metadata, OpenOptions, symlink_metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::{DirectoryEntry, Facts, Found, Identity, Kind, read_bounded, refusal};
use crate::exclude::PATH_LINK;
use crate::rel_path::RelPath;

#[derive(Debug)]
pub(super) struct Handle(PathBuf);

/// What a path below the root leads to.
enum Place {
    At(PathBuf, Metadata),
    BehindLink,
    Nowhere,
}

impl Handle {
    pub(super) const LIMITATIONS: &[&str] = &[
        "links are looked for before and after a file is opened: who swaps a folder for a link in between can mislead a read",
        "another name (hard link) of a file of credentials is not recognised",
        "the owners of a repository are not checked",
        "the index has the access rights of the folder that it is kept in",
    ];

    pub(super) fn open(path: &Path) -> io::Result<Self> {
        match symlink_metadata(path)?.is_dir() {
            true => Ok(Handle(path.to_path_buf())),
            false => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    pub(super) fn identity(&self) -> io::Result<Identity> {
        Handle::identity_at(&self.0)?.ok_or_else(|| io::ErrorKind::NotADirectory.into())
    }

    /// The standard library tells no inode here, so the time of creation stands for it.
    pub(super) fn identity_at(path: &Path) -> io::Result<Option<Identity>> {
        let metadata = symlink_metadata(path)?;
        Ok(metadata.is_dir().then(|| Identity { device: 0, inode: metadata.created().map_or(0, nanoseconds) as u64 }))
    }

    pub(super) fn stat(&self, path: &RelPath) -> io::Result<Option<Kind>> {
        Ok(match self.place(path)? {
            Place::At(_, metadata) => Some(kind(&metadata)),
            Place::BehindLink | Place::Nowhere => None,
        })
    }

    /// The standard library does not tell.
    pub(super) fn has_other_names(&self, _path: &RelPath) -> io::Result<bool> {
        Ok(false)
    }

    pub(super) fn list(&self, directory: Option<&RelPath>, wanted: impl Fn(&str) -> bool) -> io::Result<Vec<DirectoryEntry>> {
        let path = match directory.map(|path| self.place(path)).transpose()? {
            None => self.0.clone(),
            Some(Place::At(path, metadata)) if metadata.is_dir() => path,
            Some(_) => return Err(io::ErrorKind::NotADirectory.into()),
        };
        let mut entries = Vec::new();
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let Some(name) = RelPath::from_bytes(entry.file_name().as_encoded_bytes()).filter(|name| wanted(name.as_str())) else { continue };
            let metadata = match entry.metadata() {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            entries.push(DirectoryEntry { name, kind: kind(&metadata) });
        }
        Ok(entries)
    }

    pub(super) fn read(&self, path: &RelPath, max_bytes: u64) -> io::Result<Found> {
        let (place, before) = match self.place(path)? {
            Place::At(place, metadata) => (place, kind(&metadata)),
            Place::BehindLink => return Ok(Found::Refused(PATH_LINK, None)),
            Place::Nowhere => return Ok(Found::Nothing),
        };
        if let Some(refused) = refusal(before, max_bytes) {
            return Ok(refused);
        }
        let file: File = OpenOptions::new().read(true).open(place)?;
        let opened = kind(&file.metadata()?);
        let same = match self.place(path)? {
            Place::At(_, metadata) => kind(&metadata) == opened && before == opened,
            Place::BehindLink | Place::Nowhere => false,
        };
        match (refusal(opened, max_bytes), opened) {
            (None, Kind::File(facts)) if same => read_bounded(file, facts, max_bytes),
            (Some(refused), _) => Ok(refused),
            _ => Err(io::Error::other("the file was replaced while it was opened")),
        }
    }

    fn place(&self, path: &RelPath) -> io::Result<Place> {
        let mut place = self.0.clone();
        let mut found = None;
        for component in path.to_os().components() {
            match found {
                Some(ref above) if is_link(above) => return Ok(Place::BehindLink),
                Some(ref above) if !above.is_dir() => return Ok(Place::Nowhere),
                _ => {}
            }
            place.push(component);
            match symlink_metadata(&place) {
                Ok(metadata) => found = Some(metadata),
                Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => return Ok(Place::Nowhere),
                Err(error) => return Err(error),
            }
        }
        Ok(found.map_or(Place::Nowhere, |metadata| Place::At(place, metadata)))
    }
}

/// A symbolic link, or on Windows any other reparse point, such as a junction.
fn is_link(metadata: &Metadata) -> bool {
    #[cfg(windows)]
    {
        use std::os::windows::fs::MetadataExt as _;
        const REPARSE_POINT: u32 = 0x400;
        metadata.is_symlink() || metadata.file_attributes() & REPARSE_POINT != 0
    }
    #[cfg(not(windows))]
    {
        metadata.is_symlink()
    }
}

fn kind(metadata: &Metadata) -> Kind {
    if is_link(metadata) {
        Kind::Link
    } else if metadata.is_dir() {
        Kind::Directory
    } else if metadata.is_file() {
        Kind::File(Facts { size: metadata.len(), mtime_ns: metadata.modified().map_or(0, nanoseconds), ..Facts::default() })
    } else {
        Kind::Special
    }
}

fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |time| -time),
    }
}
