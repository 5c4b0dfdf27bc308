//! An index that this process may read and not write: its folder is on a read-only file system, or belongs to somebody else.

use std::path::Path;

use rusqlite::Connection;

/// Whether a file is there and neither it nor what SQLite keeps beside it can be written.
#[cfg(unix)]
pub(super) fn is_read_only(file: &Path) -> bool {
    use rustix::fs::{Access, access};
    let denied = |path: &Path| access(path, Access::WRITE_OK).is_err();
    std::fs::symlink_metadata(file).is_ok_and(|metadata| metadata.is_file()) && (denied(file) || file.parent().is_some_and(denied))
}

#[cfg(not(unix))]
pub(super) fn is_read_only(_file: &Path) -> bool {
    false
}

/// A connection that writes nothing, also not beside the file.
#[cfg(unix)]
pub(super) fn connect(file: &Path) -> rusqlite::Result<Connection> {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    use rusqlite::OpenFlags;

    let mut uri = b"file:".to_vec();
    for &byte in file.as_os_str().as_bytes() {
        match byte {
            b'%' | b'?' | b'#' => uri.extend(format!("%{byte:02x}").bytes()),
            _ => uri.push(byte),
        }
    }
    // SQLite reads a log only through shared memory. Without a log nobody writes, and it needs none.
    let [log, _] = super::open::side_files(file);
    if std::fs::metadata(log).map_or(true, |metadata| metadata.len() == 0) {
        uri.extend(b"?immutable=1");
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(OsStr::from_bytes(&uri), flags)?;
    super::open::configure(&connection)?;
    Ok(connection)
}

#[cfg(not(unix))]
pub(super) fn connect(file: &Path) -> rusqlite::Result<Connection> {
    super::open::connect(file)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_odd_characters_is_opened_by_its_name() {
        let scratch = tempfile::tempdir().unwrap();
        let folder = scratch.path().join("a ?b#c%20d\n'é");
        std::fs::create_dir(&folder).unwrap();
        let file = folder.join("x?immutable=0.db");
        Connection::open(&file).unwrap().execute_batch("CREATE TABLE t (n); INSERT INTO t VALUES (7)").unwrap();
        let connection = connect(&file).unwrap();
        assert_eq!(connection.query_row("SELECT n FROM t", [], |row| row.get::<_, i64>(0)).unwrap(), 7);
        assert!(connection.execute_batch("INSERT INTO t VALUES (8)").is_err());
        assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
    }
}
