//! The indexes of a data directory: what is there, and the removal of one.

use std::fs;
use std::path::{Path, PathBuf};

use super::lock::{Lock, lock_file};
use super::open::{connect_to_read, is_index, side_files};
use super::{disk_bytes, file_for};
use crate::error::{Code, Error, Result};

/// An index in a data directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredIndex {
    pub file: PathBuf,
    /// The project's id: its canonical path.
    pub project: String,
    /// Bytes of the file, its side files and what was set aside of it as damaged.
    pub bytes: u64,
    /// Milliseconds since the epoch; 0 if it was never filled.
    pub indexed_at: i64,
    /// Whether nothing stands at the project's path any more.
    pub orphaned: bool,
}

/// The indexes of this package in a data directory, by project; files that are none, or damaged, are left out.
///
/// # Errors
/// `StoreUnavailable` if the directory is there and can't be listed.
pub fn indexes(data_directory: &Path) -> Result<Vec<StoredIndex>> {
    let folder = data_directory.join("projects");
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::new(Code::StoreUnavailable, format!("the indexes in {} can't be listed: {error}", folder.display()))),
    };
    let files = entries.flatten().map(|entry| entry.path()).filter(|file| file.extension().is_some_and(|extension| extension == "db"));
    let mut found: Vec<StoredIndex> = files.filter_map(|file| describe(&file)).collect();
    found.sort_by(|a, b| a.project.cmp(&b.project));
    Ok(found)
}

fn describe(file: &Path) -> Option<StoredIndex> {
    if !is_index(file) {
        return None;
    }
    let connection = connect_to_read(file).ok()?;
    let sql = "SELECT project, indexed_at FROM project_states";
    let (project, indexed_at): (String, i64) = connection.query_row(sql, [], |row| Ok((row.get(0)?, row.get(1)?))).ok()?;
    let orphaned = matches!(Path::new(&project).try_exists(), Ok(false));
    Some(StoredIndex { file: file.to_owned(), project, bytes: disk_bytes(file) + set_aside_bytes(file), indexed_at, orphaned })
}

/// Removes the index of a project with its side files and those that were set aside as damaged; false if there is none.
///
/// # Errors
/// `StoreUnavailable` while a process indexes into it, for a file that is no index of this package, or if it can't be removed.
pub fn remove_index(data_directory: &Path, project: &str) -> Result<bool> {
    let file = file_for(data_directory, project);
    let failed = |why: &dyn std::fmt::Display| Error::new(Code::StoreUnavailable, format!("the index {} can't be removed: {why}", file.display()));
    if fs::symlink_metadata(&file).is_err() {
        let earlier = set_aside(&file);
        return earlier.iter().try_for_each(fs::remove_file).map(|()| !earlier.is_empty()).map_err(|error| failed(&error));
    }
    if !is_index(&file) {
        return Err(failed(&"it is no index of this package"));
    }
    let lock = Lock::take(&file).map_err(|error| failed(&error))?.ok_or_else(|| failed(&"a process is indexing into it"))?;
    // The database goes first: side files without it hold nothing that anybody would read.
    for path in [file.clone()].into_iter().chain(side_files(&file)) {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(&error)),
            _ => {}
        }
    }
    // What was set aside as damaged holds text of the project, too.
    for path in set_aside(&file) {
        fs::remove_file(&path).map_err(|error| failed(&error))?;
    }
    // Before the lock is given back, lest somebody takes the lock of a file without a name.
    fs::remove_file(lock_file(&file)).map_err(|error| failed(&error))?;
    drop(lock);
    Ok(true)
}

/// Bytes of [`set_aside`].
pub(super) fn set_aside_bytes(file: &Path) -> u64 {
    set_aside(file).iter().filter_map(|aside| fs::symlink_metadata(aside).ok()).map(|metadata| metadata.len()).sum()
}

/// Earlier files of an index that were damaged, with their side files.
pub(super) fn set_aside(file: &Path) -> Vec<PathBuf> {
    let (Some(folder), Some(name)) = (file.parent(), file.file_name().and_then(|name| name.to_str())) else { return Vec::new() };
    let is_aside = |entry: &fs::DirEntry| {
        entry.file_name().to_str().and_then(|other| other.strip_prefix(name)).is_some_and(|rest| rest.starts_with('.') && rest.contains(".damaged-index"))
    };
    fs::read_dir(folder).map(|entries| entries.flatten().filter(is_aside).map(|entry| entry.path()).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Store;

    #[test]
    fn indexes_are_listed_with_their_projects_and_removed_whole() {
        let scratch = tempfile::tempdir().unwrap();
        let data = scratch.path().join("data");
        assert_eq!(indexes(&data).unwrap(), []);
        let here = scratch.path().to_str().unwrap();
        let stores = [here, "/no/such/folder"].map(|project| Store::open(&file_for(&data, project), project).unwrap().0);
        fs::write(data.join("projects/other.db"), "not ours").unwrap();
        let found = indexes(&data).unwrap();
        let seen: Vec<_> = found.iter().map(|index| (index.project.as_str(), index.orphaned, index.indexed_at)).collect();
        assert_eq!(seen, [("/no/such/folder", true, 0), (here, false, 0)]);
        assert!(found.iter().all(|index| index.bytes > 0));

        for side in ["", "-wal"] {
            let gone = file_for(&data, "/no/such/folder");
            fs::write(gone.with_file_name(format!("{}.1.damaged-index{side}", gone.file_name().unwrap().to_str().unwrap())), "text of the project").unwrap();
        }
        let writer = stores[1].writer().unwrap();
        assert_eq!(remove_index(&data, "/no/such/folder").unwrap_err().code, Code::StoreUnavailable);
        drop(writer);
        assert!(remove_index(&data, "/no/such/folder").unwrap());
        assert!(!remove_index(&data, "/no/such/folder").unwrap());
        assert_eq!(indexes(&data).unwrap().len(), 1);
        let name = file_for(&data, "/no/such/folder").file_stem().unwrap().to_owned();
        let left: Vec<_> = fs::read_dir(data.join("projects")).unwrap().flatten().map(|entry| entry.file_name()).collect();
        assert!(left.iter().all(|file| !file.to_str().unwrap().starts_with(name.to_str().unwrap())), "{left:?}");
    }
}
