//! Past commits of the branch: what was said and which files were touched. Opens the object database read-only; blobs are never read.

use std::collections::{BinaryHeap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use gix::bstr::ByteSlice as _;
use gix::diff::tree::{Recorder, recorder};
use gix::hash::{Kind, ObjectId, oid};
use gix::objs::{CommitRef, Data, Find, Kind as ObjectKind, TreeRefIter};
use gix::odb::Handle;
use gix::odb::pack::cache::{lru::MemoryCappedHashmap as PackCache, object::MemoryCappedHashmap as ObjectCache};

use super::control::{self, MAX_SMALL};
use super::{Repository, UserFiles, head, locate, slashed};
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::rel_path::RelPath;
use crate::root::Root;

/// Bytes of the caches of unpacked objects, each.
const CACHE_BYTES: usize = 16_000_000;
/// Bytes of one object: a commit or a folder's list of names is far smaller.
const MAX_OBJECT_BYTES: usize = 32_000_000;
/// Characters of a commit's body that are looked at.
const MAX_BODY_CHARS: usize = 300;
/// Characters of a commit's subject.
const MAX_SUBJECT_CHARS: usize = 300;
/// Folders of objects that a repository has and borrows from.
const MAX_ALTERNATES: usize = 32;
/// Commits that are looked at for each that is wanted, as merges are none of those.
const VISITS_PER_COMMIT: usize = 3;

/// A commit with one parent or none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The object id, in hexadecimal.
    pub id: String,
    pub subject: String,
    /// The first characters of what follows the subject, without trailers.
    pub body: String,
    tree: ObjectId,
    parent: Option<ObjectId>,
}

/// What a commit did to the project's files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touched {
    /// Files that it changed and that were there after it, relative to the project; sorted.
    pub files: Vec<RelPath>,
    /// Files that it moved without a change: the old and the new name.
    pub renames: Vec<(RelPath, RelPath)>,
    /// Files that it touched in all of the repository.
    pub all: usize,
}

/// The commits that HEAD builds on.
pub struct History {
    objects: Objects,
    head: ObjectId,
    prefix: Vec<u8>,
}

impl History {
    /// The history below HEAD of the repository that holds the project; `None` outside Git, before the first commit, or where its objects can't be read safely.
    ///
    /// # Errors
    /// Says why an existing repository can't be read.
    pub fn open(root: &Root) -> Result<Option<History>> {
        let Some(location) = locate::locate(root.path(), &UserFiles::here())? else { return Ok(None) };
        let hash = Repository::hash_of(&location)?;
        let (_, head) = head::read(&location)?;
        let Some(head) = head.and_then(|head| ObjectId::from_hex(head.as_bytes()).ok()) else { return Ok(None) };
        let below = root.path().strip_prefix(&location.top).map_err(|_| Error::new(Code::Internal, "a project outside its work tree"))?;
        let mut prefix = slashed(below);
        if !prefix.is_empty() {
            prefix.push(b'/');
        }
        Ok(Objects::open(&location.common_dir.join("objects"), hash).map(|objects| History { objects, head, prefix }))
    }

    /// The commit at HEAD, in hexadecimal.
    pub fn head(&self) -> String {
        self.head.to_string()
    }

    /// The newest `limit` commits that are no merges, newest first, and whether `other` is HEAD or an ancestor of it, as far as was looked. A missing object
    /// ends its line of history.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn commits(&self, limit: usize, other: Option<&str>, cancel: &Cancel) -> Result<(Vec<Commit>, bool)> {
        let other = other.and_then(|other| ObjectId::from_hex(other.as_bytes()).ok());
        let mut found = Vec::new();
        let mut buffer = Vec::new();
        let mut seen = HashSet::from([self.head]);
        let mut open = BinaryHeap::new();
        let mut visits = 0;
        let mut others = false;
        let push = |id: ObjectId, open: &mut BinaryHeap<(i64, ObjectId, Visited)>, buffer: &mut Vec<u8>| {
            if let Some((time, visited)) = self.visit(&id, buffer) {
                open.push((time, id, visited));
            }
        };
        push(self.head, &mut open, &mut buffer);
        while let Some((_, id, visited)) = open.pop() {
            cancel.check()?;
            visits += 1;
            others |= Some(id) == other;
            for parent in &visited.parents {
                if seen.insert(*parent) {
                    push(*parent, &mut open, &mut buffer);
                }
            }
            if visited.parents.len() < 2 {
                let Visited { subject, body, tree, parents } = visited;
                found.push(Commit { id: id.to_string(), subject, body, tree, parent: parents.first().copied() });
            }
            if found.len() == limit || visits == limit.saturating_mul(VISITS_PER_COMMIT) || cancel.is_late() {
                break;
            }
        }
        Ok((found, others))
    }

    /// What a commit did; `None` if an object is missing or damaged, or the commit touched more than `most` entries.
    pub fn touched(&self, commit: &Commit, most: usize) -> Option<Touched> {
        catch_unwind(AssertUnwindSafe(|| self.diff(commit, most))).ok().flatten()
    }

    fn diff(&self, commit: &Commit, most: usize) -> Option<Touched> {
        let (mut old, mut new) = (Vec::new(), Vec::new());
        let kind = self.head.kind();
        if let Some(parent) = &commit.parent {
            let mut buffer = Vec::new();
            let tree = CommitRef::from_bytes(self.objects.of_kind(parent, &mut buffer, ObjectKind::Commit)?, kind).ok()?.tree();
            self.objects.of_kind(&tree, &mut old, ObjectKind::Tree)?;
        }
        self.objects.of_kind(&commit.tree, &mut new, ObjectKind::Tree)?;
        let mut changes = Bounded { recorder: Recorder::default(), most };
        let state = gix::diff::tree::State::default();
        gix::diff::tree(TreeRefIter::from_bytes(&old, kind), TreeRefIter::from_bytes(&new, kind), state, &self.objects, &mut changes).ok()?;
        Some(self.sort_out(changes.recorder.records))
    }

    fn sort_out(&self, changes: Vec<recorder::Change>) -> Touched {
        let mut touched = Touched::default();
        let (mut added, mut deleted) = (Vec::new(), Vec::new());
        for change in changes {
            let (mode, id, path, list) = match change {
                recorder::Change::Addition { entry_mode, oid, path, .. } => (entry_mode, oid, path, Some(&mut added)),
                recorder::Change::Deletion { entry_mode, oid, path, .. } => (entry_mode, oid, path, Some(&mut deleted)),
                recorder::Change::Modification { entry_mode, oid, path, .. } => (entry_mode, oid, path, None),
            };
            if !mode.is_blob() {
                continue;
            }
            touched.all += 1;
            let own = path.strip_prefix(self.prefix.as_slice()).and_then(|own| own.to_str().ok()).and_then(|own| RelPath::parse(own).ok());
            match (own, list) {
                (Some(path), Some(list)) => list.push((id, path)),
                (Some(path), None) => touched.files.push(path),
                (None, _) => {}
            }
        }
        for (id, path) in added {
            if let Some(at) = deleted.iter().position(|(old, _)| *old == id) {
                touched.renames.push((deleted.swap_remove(at).1, path.clone()));
            }
            touched.files.push(path);
        }
        touched.files.sort();
        touched
    }

    fn visit(&self, id: &oid, buffer: &mut Vec<u8>) -> Option<(i64, Visited)> {
        let read = || {
            let bytes = self.objects.of_kind(id, buffer, ObjectKind::Commit)?;
            let commit = CommitRef::from_bytes(bytes, self.head.kind()).ok()?;
            let time = commit.committer().ok()?.time().ok()?.seconds;
            let message = commit.message.to_str_lossy();
            let (subject, body) = message.trim_start().split_once('\n').unwrap_or((message.trim(), ""));
            let visited = Visited {
                subject: beginning(subject.trim(), MAX_SUBJECT_CHARS).to_owned(),
                body: beginning(without_trailers(body), MAX_BODY_CHARS).to_owned(),
                tree: commit.tree(),
                parents: commit.parents().collect(),
            };
            Some((time, visited))
        };
        catch_unwind(AssertUnwindSafe(read)).ok().flatten()
    }
}

/// What a walk keeps of a commit.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Visited {
    subject: String,
    body: String,
    tree: ObjectId,
    parents: Vec<ObjectId>,
}

/// The body without the last paragraph if that holds trailers only, such as `Signed-off-by: …`: names of people are no words of a change.
fn without_trailers(body: &str) -> &str {
    let body = body.trim();
    let (before, last) = body.rsplit_once("\n\n").unwrap_or(("", body));
    let trailer = |line: &str| line.split_once(": ").is_some_and(|(key, _)| key.contains('-') && !key.contains(' '));
    if !last.is_empty() && last.lines().all(trailer) { before.trim_end() } else { body }
}

/// At most the first characters of a text, without the word that they would cut in two: a part of a secret would not be known for one.
fn beginning(text: &str, most: usize) -> &str {
    text.char_indices().nth(most).map_or(text, |(end, _)| text[..end].trim_end_matches(|char: char| char.is_ascii_graphic()))
}

/// Records changes until there are too many of them.
struct Bounded {
    recorder: Recorder,
    most: usize,
}

impl gix::diff::tree::Visit for Bounded {
    fn pop_front_tracked_path_and_set_current(&mut self) {
        self.recorder.pop_front_tracked_path_and_set_current();
    }

    fn push_back_tracked_path_component(&mut self, component: &gix::bstr::BStr) {
        self.recorder.push_back_tracked_path_component(component);
    }

    fn push_path_component(&mut self, component: &gix::bstr::BStr) {
        self.recorder.push_path_component(component);
    }

    fn pop_path_component(&mut self) {
        self.recorder.pop_path_component();
    }

    fn visit(&mut self, change: gix::diff::tree::visit::Change) -> gix::diff::tree::visit::Action {
        if self.recorder.records.len() == self.most {
            return std::ops::ControlFlow::Break(());
        }
        self.recorder.visit(change)
    }
}

/// The object database, of which only plain files are opened: another kind of file under such a name could block or lead elsewhere.
struct Objects {
    handle: Handle,
    /// The folders of loose objects: the repository's own and those that it borrows from.
    folders: Vec<PathBuf>,
}

impl Objects {
    fn open(folder: &Path, hash: Kind) -> Option<Objects> {
        let folders = with_alternates(folder)?;
        if !folders.iter().all(|folder| is_plain_folder(folder) && has_plain_packs(folder)) {
            return None;
        }
        let options = gix::odb::store::init::Options { alloc_limit_bytes: Some(MAX_OBJECT_BYTES), ..Default::default() };
        let mut handle = gix::odb::at_opts(folder, hash, None, options).ok()?;
        handle.refresh_never();
        handle.set_pack_cache(|| Box::new(PackCache::new(CACHE_BYTES)));
        handle.set_object_cache(|| Box::new(ObjectCache::new(CACHE_BYTES)));
        Some(Objects { handle, folders })
    }

    fn of_kind<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>, kind: ObjectKind) -> Option<&'a [u8]> {
        let data = self.try_find(id, buffer).ok()??;
        (data.kind == kind).then_some(data.data)
    }
}

impl Find for Objects {
    fn try_find<'a>(&self, id: &oid, buffer: &'a mut Vec<u8>) -> gix::Result<Option<Data<'a>>> {
        let name = id.to_hex().to_string();
        let special = |folder: &PathBuf| folder.join(&name[..2]).join(&name[2..]).symlink_metadata().is_ok_and(|metadata| !metadata.is_file());
        if self.folders.iter().any(special) {
            return Ok(None);
        }
        self.handle.try_find(id, buffer)
    }
}

/// A folder of objects and those that it borrows from; `None` if one of the files that name them is not a plain small one, or they are too many.
fn with_alternates(objects: &Path) -> Option<Vec<PathBuf>> {
    let mut folders = vec![objects.to_owned()];
    let mut at = 0;
    while let Some(folder) = folders.get(at) {
        if let Some(bytes) = control::read(&folder.join("info").join("alternates"), MAX_SMALL).ok()? {
            for borrowed in gix::odb::alternate::parse(&bytes).ok()? {
                let borrowed = objects.join(borrowed);
                if !folders.contains(&borrowed) {
                    folders.push(borrowed);
                }
            }
        }
        at += 1;
        if folders.len() > MAX_ALTERNATES {
            return None;
        }
    }
    Some(folders)
}

fn is_plain_folder(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.is_dir())
}

fn has_plain_packs(objects: &Path) -> bool {
    let Ok(entries) = std::fs::read_dir(objects.join("pack")) else { return true };
    entries.flatten().all(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()))
}
