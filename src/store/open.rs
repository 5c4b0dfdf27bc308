//! Opens an index: whose file it is, how new, how sound. A file that is not certainly ours is never changed.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags};

use super::lock::{Lock, lock_file};
use super::read_only::{self, is_read_only};
use super::{Opened, housekeeping, now_ms, schema};
use crate::error::{Code, Error, Result};
use crate::limits::{BUSY_TIMEOUT_MS, MAX_JOURNAL_BYTES};
use crate::places::INDEX_VERSION;

/// Bytes of a page: a file's places take about 1 KB, and SQLite's usual pages of 4 KB would leave a tenth more of the file unused.
const PAGE_BYTES: u32 = 16_384;

/// What stands at the index's path.
enum Found {
    /// Nothing, or an empty file.
    Nothing,
    /// An index of this package, of the given schema version.
    Ours(u32),
    /// What was an index of this package.
    Damaged,
}

/// Makes sure that `file` is a sound index of `project` and of this schema.
pub(super) fn prepare(file: &Path, project: &str) -> Result<Opened> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).ok_or_else(|| unavailable(file, "it has no folder"))?;
    if is_read_only(file) {
        return prepare_read_only(file, project);
    }
    make_private_folders(folder).map_err(|error| unavailable(file, error))?;
    let mut opened = Opened::Existing;
    let Some(lock) = lock_to_mend(file, project)? else {
        return private(file).map(|()| opened).map_err(|error| unavailable(file, error));
    };
    // Another process may have made it just before this one took the lock.
    if is_sound(file, project)? {
        return Ok(Opened::Existing);
    }
    let sound = match inspect(file)? {
        Found::Ours(version) => version != schema::VERSION,
        Found::Nothing => {
            opened = Opened::Created;
            create(file, &lock).map_err(|error| unavailable(file, error))?;
            true
        }
        Found::Damaged => false,
    };
    if sound {
        match migrate(file, project) {
            Ok(()) => return private(file).map(|()| opened).map_err(|error| unavailable(file, error)),
            Err(Trouble::Damage) => {}
            Err(Trouble::Other(error)) => return Err(error),
        }
    }
    let aside = set_aside(file).map_err(|error| unavailable(file, error))?;
    create(file, &lock).map_err(|error| unavailable(file, error))?;
    migrate(file, project).map_err(|trouble| match trouble {
        Trouble::Damage => unavailable(file, "a new index can't be read back; check the disk"),
        Trouble::Other(error) => error,
    })?;
    Ok(Opened::SetAside(aside.to_string_lossy().into_owned()))
}

/// An index that can't be written is served as it is, or not at all.
fn prepare_read_only(file: &Path, project: &str) -> Result<Opened> {
    if is_sound(file, project)? {
        return Ok(Opened::ReadOnly);
    }
    Err(unavailable(file, "it is empty, damaged or of an older version, and its folder is read-only"))
}

/// A connection with the settings that all of them share.
pub(super) fn connect(file: &Path) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(file, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    configure(&connection)?;
    Ok(connection)
}

pub(super) fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_millis(BUSY_TIMEOUT_MS.into()))?;
    connection.set_prepared_statement_cache_capacity(64);
    // Otherwise a statement is prepared anew whenever another value is bound to it.
    connection.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    // Sorting in memory: a temporary file would hold text outside the index.
    connection.execute_batch(&format!(
        "PRAGMA foreign_keys = ON; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON; PRAGMA synchronous = NORMAL;
         PRAGMA temp_store = MEMORY; PRAGMA cell_size_check = ON; PRAGMA journal_size_limit = {MAX_JOURNAL_BYTES};
         PRAGMA wal_autocheckpoint = {};",
        MAX_JOURNAL_BYTES / u64::from(PAGE_BYTES)
    ))
}

/// As [`connect`], for reading: also where nothing can be written.
pub(super) fn connect_to_read(file: &Path) -> rusqlite::Result<Connection> {
    if is_read_only(file) { read_only::connect(file) } else { connect(file) }
}

/// Remembers that the database was found damaged, so that the next opening sets it aside.
pub(super) fn mark_damaged(file: &Path) {
    // What a newer version has made of it in the meantime is no damage.
    if !is_index(file) {
        return;
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    owner_only(&mut options);
    // Without the mark the damage is met again later.
    let _ = options.open(damage_mark(file));
}

/// The database's side files.
pub(super) fn side_files(file: &Path) -> [PathBuf; 2] {
    [with_suffix(file, "-wal"), with_suffix(file, "-shm")]
}

fn damage_mark(file: &Path) -> PathBuf {
    with_suffix(file, ".damaged")
}

pub(super) fn with_suffix(file: &Path, suffix: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn unavailable(file: &Path, why: impl std::fmt::Display) -> Error {
    Error::new(Code::StoreUnavailable, format!("the index {} can't be used: {why}", file.display()))
}

/// Why a file that claims to be ours can't be used.
enum Trouble {
    Damage,
    Other(Error),
}

fn trouble(file: &Path, error: &rusqlite::Error) -> Trouble {
    match error {
        _ if is_damage(error) => Trouble::Damage,
        _ if is_busy(error) => Trouble::Other(unavailable(file, "another process holds it; try again later")),
        _ => Trouble::Other(unavailable(file, error)),
    }
}

/// Whether the file is no sound index: SQLite says so, or what it gives is not what this package ever writes.
pub(super) fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    match error {
        E::InvalidColumnType(..) | E::IntegralValueOutOfRange(..) | E::FromSqlConversionFailure(..) | E::Utf8Error(..) | E::QueryReturnedNoRows => true,
        // The statements of this package are right: it is the schema that is not what its header promises.
        E::SqliteFailure(error, _) | E::SqlInputError { error, .. } if error.extended_code == rusqlite::ffi::SQLITE_ERROR => true,
        _ => matches!(
            error.sqlite_error_code(),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase | ErrorCode::ConstraintViolation | ErrorCode::TypeMismatch | ErrorCode::TooBig)
        ),
    }
}

/// Whether somebody else held the database for longer than was waited.
pub(super) fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(error.sqlite_error_code(), Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked))
}

/// Reads the header alone: opening the file by SQLite could already write to it.
fn inspect(file: &Path) -> Result<Found> {
    let metadata = match fs::symlink_metadata(file) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Found::Nothing),
        Err(error) => return Err(unavailable(file, error)),
    };
    if !metadata.is_file() {
        return Err(unavailable(file, "it is no regular file; move it away"));
    }
    if metadata.len() == 0 {
        return Ok(Found::Nothing);
    }
    let mut header = Vec::with_capacity(100);
    File::open(file).and_then(|opened| opened.take(100).read_to_end(&mut header)).map_err(|error| unavailable(file, error))?;
    let number = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    if header.len() < 100 || !header.starts_with(b"SQLite format 3\0") || number(68) != schema::APPLICATION_ID {
        return if is_the_file_we_made(file, &metadata) {
            Ok(Found::Damaged)
        } else {
            Err(unavailable(file, "it is no index of this package and was left as it is; move it away"))
        };
    }
    match number(60) {
        newer if newer > schema::VERSION => Err(newer_schema(file, newer)),
        // A format of which SQLite knows none: it would only read it.
        _ if header[18].max(header[19]) > 2 || damage_mark(file).exists() => Ok(Found::Damaged),
        version => Ok(Found::Ours(version)),
    }
}

/// Whether a sound index of this package, of a schema that it knows, stands at the path.
pub(super) fn is_index(file: &Path) -> bool {
    matches!(inspect(file), Ok(Found::Ours(_)))
}

fn newer_schema(file: &Path, version: u32) -> Error {
    let message = format!(
        "the index {} is of schema {version} and this package knows up to {}: update it, or let it use another data directory",
        file.display(),
        schema::VERSION
    );
    Error::new(Code::StoreNewer, message)
}

/// Looks at an index of this schema through SQLite.
fn check(file: &Path, project: &str) -> Result<(), Trouble> {
    let look = || -> rusqlite::Result<(u32, bool, String)> {
        let connection = connect_to_read(file)?;
        // The header on disk may be older than what the write-ahead log holds.
        let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version > schema::VERSION {
            return Ok((version, false, String::new()));
        }
        let ours = schema::history_is_ours(&connection, schema::VERSION)?;
        let owner = connection.query_row("SELECT project FROM project_states", [], |row| row.get(0))?;
        Ok((version, ours, owner))
    };
    match look() {
        Ok((newer, ..)) if newer > schema::VERSION => Err(Trouble::Other(newer_schema(file, newer))),
        Ok((_, true, owner)) if owner == project => Ok(()),
        Ok((_, true, _)) if !fs::symlink_metadata(file).is_ok_and(|metadata| is_the_file_we_made(file, &metadata)) => {
            Err(Trouble::Other(unavailable(file, "it belongs to another project; move it away")))
        }
        Ok(_) => Err(Trouble::Damage),
        Err(error) => Err(trouble(file, &error)),
    }
}

/// Whether a sound index of this project and schema stands there; an error where what stands there is none of ours to mend.
fn is_sound(file: &Path, project: &str) -> Result<bool> {
    let Found::Ours(schema::VERSION) = inspect(file)? else { return Ok(false) };
    match check(file, project) {
        Ok(()) => Ok(true),
        Err(Trouble::Damage) => Ok(false),
        Err(Trouble::Other(error)) => Err(error),
    }
}

fn migrate(file: &Path, project: &str) -> Result<(), Trouble> {
    let work = || -> rusqlite::Result<()> {
        let mut connection = connect(file)?;
        // Has effect in an empty file only.
        connection.execute_batch(&format!("PRAGMA page_size = {PAGE_BYTES}; PRAGMA auto_vacuum = INCREMENTAL"))?;
        schema::migrate(&mut connection, project, INDEX_VERSION, now_ms())?;
        // A full-text table may still be read by the connection that altered the schema, and then the log can't be emptied.
        drop(connection);
        connect(file)?.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint (TRUNCATE);")
    };
    work().map_err(|error| trouble(file, &error))?;
    check(file, project)
}

/// The lock, where the file has to be made, migrated or replaced; `None` once a sound index stands there, which another process may make meanwhile and then
/// keep the lock for as long as it indexes.
fn lock_to_mend(file: &Path, project: &str) -> Result<Option<Lock>> {
    let end = Instant::now() + Duration::from_millis(BUSY_TIMEOUT_MS.into());
    loop {
        if is_sound(file, project)? {
            return Ok(None);
        }
        match Lock::take(file).map_err(|error| unavailable(file, error))? {
            Some(lock) => return Ok(Some(lock)),
            None if Instant::now() < end => std::thread::sleep(Duration::from_millis(10)),
            None => return Err(unavailable(file, "another process is changing it; try again later")),
        }
    }
}

/// Makes the empty database file and notes its identity beside it: how it is known for ours once its header is destroyed.
fn create(file: &Path, lock: &Lock) -> std::io::Result<()> {
    let mut lock = &lock.0;
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false);
    owner_only(&mut options);
    let made = options.open(file)?;
    let note = identity(&made.metadata()?).unwrap_or_default();
    lock.set_len(0)?;
    lock.write_all(note.as_bytes())?;
    lock.sync_all()
}

fn is_the_file_we_made(file: &Path, metadata: &fs::Metadata) -> bool {
    let note = fs::read_to_string(lock_file(file)).unwrap_or_default();
    !note.is_empty() && identity(metadata).is_some_and(|identity| identity == note)
}

/// Names one file of this machine for good; `None` where the file system can't.
fn identity(metadata: &fs::Metadata) -> Option<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        // An inode's number is used again once its file is deleted; the time of birth tells the two apart.
        let born = metadata.created().ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
        Some(format!("pi-context-engine index {} {} {}\n", metadata.dev(), metadata.ino(), born.as_nanos()))
    }
    #[cfg(not(unix))]
    {
        let _ = metadata;
        None
    }
}

/// Renames the database and its side files. What was set aside before goes, and the mark.
fn set_aside(file: &Path) -> std::io::Result<PathBuf> {
    let mut number = now_ms();
    let aside = loop {
        let aside = with_suffix(file, &format!(".{number}.damaged-index"));
        if !aside.exists() {
            break aside;
        }
        number += 1;
    };
    for (side, moved) in side_files(file).iter().zip(side_files(&aside)) {
        match fs::rename(side, moved) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    let earlier = housekeeping::set_aside(file);
    fs::rename(file, &aside)?;
    for old in earlier.iter().filter(|old| !side_files(&aside).contains(old)) {
        // One that can't be removed is still counted and shown.
        let _ = fs::remove_file(old);
    }
    match fs::remove_file(damage_mark(file)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => Ok(aside),
    }
}

/// Makes the missing folders, each for its owner alone whatever the process's mask; existing ones stay as they are.
pub(super) fn make_private_folders(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    if let Some(parent) = folder.parent() {
        make_private_folders(parent)?;
    }
    match fs::create_dir(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists && folder.is_dir() => Ok(()),
        Err(error) => Err(error),
        Ok(()) => set_mode(folder, 0o700),
    }
}

/// Takes others' rights from the files that hold text.
fn private(file: &Path) -> std::io::Result<()> {
    for path in [file, &lock_file(file)].into_iter().chain(side_files(file).iter().map(PathBuf::as_path)) {
        match set_mode(path, 0o600) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_mode(_path: &Path, _mode: u32) -> std::io::Result<()> {
    Ok(())
}

#[cfg(unix)]
pub(super) fn owner_only(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt as _;
    options.mode(0o600).custom_flags(rustix::fs::OFlags::NOFOLLOW.bits() as i32);
}

#[cfg(not(unix))]
pub(super) fn owner_only(_options: &mut OpenOptions) {}
