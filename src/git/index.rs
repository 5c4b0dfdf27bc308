//! The index: which paths are tracked, and what Git remembers of each.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gix::bstr::ByteSlice as _;
use gix::hash::Kind;
use gix::index::entry::{Flags, Mode, Stage, Stat};
use gix::index::{State, decode};

use super::Tracked;
use super::control::{self, MAX_INDEX};
use crate::error::{Code, Error, Result};
use crate::limits::MAX_LISTED_NAMES;
use crate::rel_path::RelPath;

/// The facts of one entry, without its name.
#[derive(Clone, Copy)]
struct Row {
    stat: Stat,
    flags: Flags,
    mode: Mode,
}

/// Device, inode, size, and the seconds and nanoseconds of the last change of content and of inode.
type Facts = (u64, u64, u64, i64, i64, i64, i64);

/// What an index file is by its place and stat, and which part of it is wanted. Git replaces the file whenever it writes.
#[derive(PartialEq)]
struct Key {
    path: PathBuf,
    facts: Facts,
    prefix: Vec<u8>,
}

/// Indexes kept decoded, for a process that looks at a project at each prompt.
const KEPT: usize = 4;
static DECODED: Mutex<Vec<(Key, Arc<Vec<Tracked>>)>> = Mutex::new(Vec::new());

/// The entries below `prefix` (empty, or ending in `/`), each path once, sorted by path. Decoded once for each state of the file.
pub(super) fn read(git_dir: &Path, hash: Kind, prefix: &[u8]) -> Result<Arc<Vec<Tracked>>> {
    let path = git_dir.join("index");
    let Some(facts) = facts(&path) else { return decode_at(&path, git_dir, hash, prefix).map(Arc::new) };
    let key = Key { path, facts, prefix: prefix.to_vec() };
    let mut decoded = DECODED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(at) = decoded.iter().position(|(known, _)| *known == key) {
        let entry = decoded.remove(at);
        let tracked = Arc::clone(&entry.1);
        decoded.push(entry);
        return Ok(tracked);
    }
    drop(decoded);
    let tracked = Arc::new(decode_at(&key.path, git_dir, hash, prefix)?);
    // A file that was replaced in between is decoded again the next time.
    if self::facts(&key.path) == Some(key.facts) {
        let mut decoded = DECODED.lock().unwrap_or_else(PoisonError::into_inner);
        decoded.retain(|(known, _)| known.path != key.path || known.prefix != key.prefix);
        if decoded.len() == KEPT {
            decoded.remove(0);
        }
        decoded.push((key, Arc::clone(&tracked)));
    }
    Ok(tracked)
}

#[cfg(unix)]
fn facts(path: &Path) -> Option<Facts> {
    use std::os::unix::fs::MetadataExt as _;
    let found = std::fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino(), found.size(), found.mtime(), found.mtime_nsec(), found.ctime(), found.ctime_nsec()))
}

#[cfg(not(unix))]
fn facts(_: &Path) -> Option<Facts> {
    None
}

fn decode_at(path: &Path, git_dir: &Path, hash: Kind, prefix: &[u8]) -> Result<Vec<Tracked>> {
    // The decoder reads what others wrote: a fault in it may cost the index, never the process.
    catch_unwind(AssertUnwindSafe(|| read_unguarded(path, git_dir, hash, prefix))).unwrap_or_else(|_| Err(malformed(path)))
}

fn read_unguarded(path: &Path, git_dir: &Path, hash: Kind, prefix: &[u8]) -> Result<Vec<Tracked>> {
    let Some(bytes) = control::read(path, MAX_INDEX)? else { return Ok(Vec::new()) };
    let state = parse(path, &bytes, hash, None)?;
    let mut tracked = Vec::new();
    match state.link() {
        Some(link) => {
            let shared_path = git_dir.join(format!("sharedindex.{}", link.shared_index_checksum));
            let Some(bytes) = control::read(&shared_path, MAX_INDEX)? else { return Err(malformed(&shared_path)) };
            let shared = parse(&shared_path, &bytes, hash, Some(link.shared_index_checksum))?;
            for (name, row) in joined(&state, &shared).ok_or_else(|| malformed(path))? {
                add(&mut tracked, name, row, prefix);
            }
        }
        None => rows(&state).for_each(|(name, row)| add(&mut tracked, name, row, prefix)),
    }
    if tracked.len() > MAX_LISTED_NAMES {
        return Err(Error::new(Code::Io, format!("{} lists more than {MAX_LISTED_NAMES} files", path.display())));
    }
    // A conflict lists a file up to three times, and a split index its own files last. Sorting what is sorted costs nothing.
    tracked.sort_by(|a: &Tracked, b| a.path.cmp(&b.path));
    tracked.dedup_by(|later, first| later.path == first.path);
    Ok(tracked)
}

fn malformed(path: &Path) -> Error {
    Error::new(Code::Io, format!("{} is damaged, or of a newer format", path.display()))
}

fn parse(path: &Path, bytes: &[u8], hash: Kind, expected: Option<gix::ObjectId>) -> Result<State> {
    let options = decode::Options { thread_limit: Some(1), expected_checksum: expected, alloc_limit_bytes: Some(4 * MAX_INDEX as usize), ..Default::default() };
    let trailer = bytes.len().checked_sub(hash.len_in_bytes()).ok_or_else(|| malformed(path))?;
    let (content, checksum) = bytes.split_at(trailer);
    let mut hasher = gix::hash::hasher(hash);
    hasher.update(content);
    // All zeros are written where checksums are switched off.
    let intact = checksum.iter().all(|&byte| byte == 0) || hasher.try_finalize().is_ok_and(|actual| actual.as_bytes() == checksum);
    let decoded = intact.then(|| State::from_bytes(bytes, State::new(hash).timestamp(), hash, options).ok()).flatten();
    decoded.map(|(state, _)| state).ok_or_else(|| malformed(path))
}

fn rows(state: &State) -> impl Iterator<Item = (&[u8], Row)> {
    state.entries().iter().map(|entry| (entry.path(state).as_bytes(), Row { stat: entry.stat, flags: entry.flags, mode: entry.mode }))
}

/// A split index: the shared one, with entries replaced and deleted by position, and new ones added. `None` if they don't fit each other.
fn joined<'state>(split: &'state State, shared: &'state State) -> Option<Vec<(&'state [u8], Row)>> {
    let mut all: Vec<_> = rows(shared).map(Some).collect();
    let mut own = rows(split).peekable();
    if let Some(bitmaps) = split.link().and_then(|link| link.bitmaps.as_ref()) {
        bitmaps.replace.for_each_set_bit(|at| {
            let (_, row) = own.next_if(|(name, _)| name.is_empty())?;
            all.get_mut(at)?.as_mut()?.1 = row;
            Some(())
        })?;
        bitmaps.delete.for_each_set_bit(|at| {
            *all.get_mut(at)? = None;
            Some(())
        })?;
    }
    Some(all.into_iter().flatten().chain(own).collect())
}

fn add(tracked: &mut Vec<Tracked>, name: &[u8], row: Row, prefix: &[u8]) {
    // A directory entry of a sparse index stands for files that are not on disk.
    if row.mode == Mode::DIR {
        return;
    }
    let Some(path) = name.strip_prefix(prefix).and_then(RelPath::from_bytes) else { return };
    let unmerged = row.flags.stage() != Stage::Unconflicted;
    tracked.push(Tracked {
        path,
        size: row.stat.size,
        mtime_ns: i64::from(row.stat.mtime.secs) * 1_000_000_000 + i64::from(row.stat.mtime.nsecs),
        inode: row.stat.ino,
        regular: matches!(row.mode, Mode::FILE | Mode::FILE_EXECUTABLE),
        absent: row.flags.contains(Flags::SKIP_WORKTREE),
        assumed_clean: row.flags.intersects(Flags::SKIP_WORKTREE | Flags::ASSUME_VALID),
        always_modified: unmerged || row.flags.contains(Flags::INTENT_TO_ADD),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::process::Command;
    use std::sync::LazyLock;

    /// An index that git wrote, with its checksum switched off so that damage reaches the decoder.
    static INDEX: LazyLock<Vec<u8>> = LazyLock::new(|| {
        let folder = tempfile::tempdir().unwrap();
        let git = |args: &[&str]| assert!(Command::new("git").args(args).current_dir(folder.path()).output().unwrap().status.success());
        git(&["init", "-q"]);
        for name in ["a.ts", "b.ts", "folder-c.ts"] {
            std::fs::write(folder.path().join(name), name).unwrap();
        }
        git(&["add", "-A"]);
        let mut bytes = std::fs::read(folder.path().join(".git/index")).unwrap();
        let trailer = bytes.len() - 20;
        bytes[trailer..].fill(0);
        bytes
    });

    fn read_bytes(bytes: &[u8]) -> Result<Vec<Tracked>> {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("index"), bytes).unwrap();
        read(folder.path(), Kind::Sha1, b"").map(|tracked| tracked.to_vec())
    }

    #[test]
    fn an_index_without_a_checksum_is_read() {
        let names: Vec<_> = read_bytes(&INDEX).unwrap().into_iter().map(|entry| entry.path.to_string()).collect();
        assert_eq!(names, ["a.ts", "b.ts", "folder-c.ts"]);
    }

    proptest! {
        #[test]
        fn a_damaged_index_is_an_error_or_a_list(at in 0usize..10_000, length in 1usize..9, byte: u8, cut: bool) {
            let mut bytes = INDEX.clone();
            let at = at % bytes.len();
            let end = (at + length).min(bytes.len());
            bytes[at..end].fill(byte);
            if cut {
                bytes.drain(..at.min(4));
                bytes.truncate(end);
            }
            if let Ok(list) = read_bytes(&bytes) {
                prop_assert!(list.is_sorted_by(|a, b| a.path < b.path));
            }
        }
    }
}
