//! Data directories on network file systems, which several machines can use at once.
//!
//! SQLite's write-ahead log is shared through memory, which two machines can't do, so each machine keeps an index of its own there.

use std::path::{Path, PathBuf};

/// What a status says of indexes below `data`, if it is on a network file system.
pub(super) fn notice(data: &Path) -> Option<String> {
    kind(data).map(|kind| format!("the data directory is on a network file system ({kind}): this machine keeps an index of its own there"))
}

/// `machines/<host name>` below a directory on a network file system; any other directory itself.
#[cfg(target_os = "linux")]
pub(super) fn own_part(directory: PathBuf) -> PathBuf {
    if kind(&directory).is_none() {
        return directory;
    }
    let host = rustix::system::uname().nodename().to_string_lossy().replace(|c: char| !c.is_ascii_alphanumeric() && c != '-', "_");
    directory.join("machines").join(if host.is_empty() { "_" } else { &host })
}

/// The network file system that holds a directory, or its nearest ancestor that exists.
#[cfg(target_os = "linux")]
fn kind(directory: &Path) -> Option<&'static str> {
    let found = directory.ancestors().find_map(|ancestor| rustix::fs::statfs(ancestor).ok())?;
    // The field's width differs between processors; the numbers have 32 bits.
    let number = found.f_type as u32;
    KINDS.iter().find(|(known, _)| *known == number).map(|(_, kind)| *kind)
}

/// Linux's numbers of file systems (statfs(2)). A `fuse` doesn't tell what is behind it.
#[cfg(target_os = "linux")]
const KINDS: [(u32, &str); 13] = [
    (0x6969, "nfs"),
    (0x517b, "smb"),
    (0xff53_4d42, "cifs"),
    (0xfe53_4d42, "smb"),
    (0x6573_5546, "fuse"),
    (0x0102_1997, "9p"),
    (0x00c3_6400, "ceph"),
    (0x5346_414f, "afs"),
    (0x6b41_4653, "afs"),
    (0x7375_7245, "coda"),
    (0x0bd0_0bd0, "lustre"),
    (0x4750_4653, "gpfs"),
    (0x1983_0326, "beegfs"),
];

#[cfg(not(target_os = "linux"))]
pub(super) fn own_part(directory: PathBuf) -> PathBuf {
    directory
}

#[cfg(not(target_os = "linux"))]
fn kind(_: &Path) -> Option<&'static str> {
    None
}
