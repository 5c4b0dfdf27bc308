//! The walk through the project: breadth first, by sorted names, through the confined root alone.

use std::collections::{HashSet, VecDeque};

use super::rules::{self, Chain};
use super::{Excludes, Listing, MAX_UNREADABLE};
use crate::cancel::Cancel;
use crate::error::{Error, Result};
use crate::exclude::{
    self, DIRECTORY_NESTED_REPOSITORY, DIRECTORY_VCS, DirectoryVerdict, NAME_CREDENTIALS, PATH_LINK, PATH_SETTINGS, PATH_SPECIAL, PATH_UNREADABLE, RuleId,
    SIZE_FILE,
};
use crate::git::{Repository, Tracked, is_modified};
use crate::limits::{Bounds, MAX_IGNORE_FILE_BYTES, MAX_LISTED_NAMES, WALKED_NAMES_PER_FILE};
use crate::rel_path::RelPath;
use crate::root::{DirectoryEntry, Facts, Kind, Root};
use crate::secrets;

use super::Entry;

/// A folder to look into.
struct Folder {
    /// Its path; `None` for the project's root.
    path: Option<RelPath>,
    /// The rules that hold in it, without those of its own ignore file.
    rules: Chain,
    /// Whether only what Git tracks counts in it: it is ignored, or another repository's.
    tracked_only: bool,
}

/// The files, by device and inode, that have a name of credentials.
pub(super) type Credentials = HashSet<(u64, u64)>;

/// What a walk goes by.
#[derive(Clone, Copy)]
pub(super) struct Guide<'a> {
    pub(super) root: &'a Root,
    pub(super) repository: Option<&'a Repository>,
    /// The rules that stand above the project.
    pub(super) rules: &'a Chain,
    /// What the settings keep out.
    pub(super) excludes: &'a Excludes,
    pub(super) bounds: &'a Bounds,
    /// Only this path counts: nothing else is looked into or listed, and no cap holds.
    pub(super) only: Option<&'a RelPath>,
}

struct Walk<'a> {
    root: &'a Root,
    excludes: &'a Excludes,
    repository: Option<&'a Repository>,
    tracked: &'a [Tracked],
    seen: Vec<bool>,
    only: Option<&'a RelPath>,
    max_file_bytes: u64,
    max_directories: usize,
    max_names: usize,
    directories: usize,
    names: usize,
    /// Whether the walk stopped at its cap on names.
    is_full: bool,
    credentials: Credentials,
    changed: Vec<RelPath>,
    cancel: &'a Cancel,
    listing: &'a mut Listing,
}

/// Fills the listing with all files, in no particular order and beyond the bound on their number.
pub(super) fn walk(guide: Guide<'_>, cancel: &Cancel, listing: &mut Listing) -> Result<Credentials> {
    let Guide { root, repository, rules, excludes, bounds, only } = guide;
    let tracked = repository.map_or(&[][..], Repository::tracked);
    let walked_names = bounds.max_files.saturating_mul(WALKED_NAMES_PER_FILE);
    let mut walk = Walk {
        root,
        excludes,
        repository,
        tracked,
        seen: vec![false; tracked.len()],
        only,
        max_file_bytes: bounds.max_file_bytes,
        max_directories: if only.is_some() { usize::MAX } else { bounds.max_directories },
        max_names: match (only, repository) {
            (Some(_), _) => usize::MAX,
            (None, Some(_)) => MAX_LISTED_NAMES,
            (None, None) => walked_names,
        },
        directories: 0,
        names: 0,
        is_full: false,
        credentials: HashSet::new(),
        changed: Vec::new(),
        cancel,
        listing,
    };
    let tracked_only = repository.is_some_and(Repository::is_project_ignored);
    let mut queue = VecDeque::from([Folder { path: None, rules: rules.clone(), tracked_only }]);
    while let Some(folder) = queue.pop_front() {
        cancel.check()?;
        if walk.names >= walk.max_names {
            walk.is_full = true;
            break;
        }
        // The folders that hold tracked files are bounded by the index, and are never missed.
        if walk.directories >= walk.max_directories && !walk.is_bounded_by_index(&folder) {
            walk.listing.cut_at.get_or_insert(walk.names);
            continue;
        }
        walk.look_into(&folder, &mut queue)?;
    }
    walk.finish();
    Ok(walk.credentials)
}

impl Walk<'_> {
    fn is_bounded_by_index(&self, folder: &Folder) -> bool {
        folder.path.as_ref().is_some_and(|path| self.holds_tracked(path))
    }

    fn look_into(&mut self, folder: &Folder, queue: &mut VecDeque<Folder>) -> Result<()> {
        let mut names = match self.names_in(folder.path.as_ref()) {
            Ok(names) => names,
            // Nothing can be said of a project whose own folder can't be listed.
            Err(error) if folder.path.is_none() => return Err(error),
            Err(error) => {
                self.unreadable(folder.path.as_ref(), &error);
                return Ok(());
            }
        };
        self.directories += usize::from(!self.is_bounded_by_index(folder));
        if is_git_directory(&names) {
            self.exclude_folder(folder.path.as_ref(), DIRECTORY_VCS);
            return Ok(());
        }
        names.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let nested = folder.path.is_some() && self.is_repository(folder.path.as_ref(), &names);
        if nested {
            self.count(DIRECTORY_NESTED_REPOSITORY, 1);
        }
        let mut rules = folder.rules.clone();
        let tracked_only = folder.tracked_only || nested;
        if !tracked_only && let Some(file) = names.iter().find(|entry| entry.name.as_str() == ".gitignore") {
            let path = child(folder.path.as_ref(), &file.name);
            match self.root.read(&path, MAX_IGNORE_FILE_BYTES) {
                Ok((bytes, _)) => rules = rules::with(&rules, &bytes, folder.path.as_ref(), self.repository),
                Err(error) => {
                    self.unreadable(folder.path.as_ref(), &Error::new(error.code, format!("its ignore file can't be read: {}", error.message)));
                    return Ok(());
                }
            }
        }
        for DirectoryEntry { name, kind } in names {
            self.cancel.check()?;
            if self.names >= self.max_names {
                self.is_full = true;
                return Ok(());
            }
            self.names += 1;
            let path = child(folder.path.as_ref(), &name);
            // A file above the one path that counts only means that there is no such path.
            let counts = |only: &RelPath| if matches!(kind, Kind::File(_) | Kind::Special) { path == *only } else { leads_to(&path, only) };
            if !self.only.is_none_or(counts) {
                continue;
            }
            match kind {
                Kind::Directory => {
                    if let Some(folder) = self.folder(path, &name, &rules, tracked_only) {
                        queue.push_back(folder);
                    }
                }
                Kind::File(facts) => self.file(path, facts, &rules, tracked_only),
                Kind::Link => self.no_file(&path, PATH_LINK, &rules, tracked_only),
                Kind::Special => self.no_file(&path, PATH_SPECIAL, &rules, tracked_only),
            }
        }
        Ok(())
    }

    /// The names in a folder: all, or those that decide about the one path that counts.
    fn names_in(&self, folder: Option<&RelPath>) -> Result<Vec<DirectoryEntry>> {
        let Some(only) = self.only else { return self.root.list(folder) };
        let next = only.components().nth(folder.map_or(0, |folder| folder.depth() + 1));
        self.root.list_only(folder, |name| next == Some(name.as_str()) || CONTROL_NAMES.contains(&name.as_str()))
    }

    /// The folder to look into; `None` if it is left out.
    fn folder(&mut self, path: RelPath, name: &RelPath, rules: &Chain, tracked_only: bool) -> Option<Folder> {
        if name.as_str() == ".git" {
            return None;
        }
        if let Some(at) = self.find(&path) {
            // A submodule, or a folder that took a tracked file's place: that file is gone.
            if !self.tracked[at].regular {
                self.seen[at] = true;
                self.count(DIRECTORY_NESTED_REPOSITORY, 1);
                return None;
            }
        }
        let holds_tracked = self.holds_tracked(&path);
        let ignored = tracked_only || rules::ignores(rules, self.repository, &path, true);
        if ignored && !holds_tracked {
            return None;
        }
        if let Some(rule) = secrets::in_path(&path) {
            self.exclude_folder(Some(&path), rule);
            return None;
        }
        match exclude::directory(name.as_str()) {
            DirectoryVerdict::Enter | DirectoryVerdict::ExcludeUntracked(_) if self.excludes.hold(&path, true) => {
                self.exclude_folder(Some(&path), PATH_SETTINGS)
            }
            DirectoryVerdict::Exclude(rule) => self.exclude_folder(Some(&path), rule),
            DirectoryVerdict::ExcludeUntracked(rule) if !holds_tracked => self.exclude_folder(Some(&path), rule),
            DirectoryVerdict::Enter | DirectoryVerdict::ExcludeUntracked(_) => {
                return Some(Folder { path: Some(path), rules: rules.clone(), tracked_only: ignored });
            }
        }
        None
    }

    fn file(&mut self, path: RelPath, facts: Facts, rules: &Chain, tracked_only: bool) {
        let rule = exclude::file_name(&path);
        if rule == Some(NAME_CREDENTIALS) && facts.inode != 0 {
            // Even if Git ignores it, another name of it may be listed.
            self.credentials.insert((facts.device, facts.inode));
        }
        let secret = secrets::in_path(&path);
        let rule = rule.or(secret).or_else(|| self.excludes.hold(&path, false).then_some(PATH_SETTINGS));
        let tracked = self.find(&path);
        let modified = match tracked {
            Some(at) => {
                self.seen[at] = true;
                is_modified(&self.tracked[at], &facts)
            }
            None if tracked_only || path.file_name() == ".git" || rules::ignores(rules, self.repository, &path, false) => return,
            None => true,
        };
        if modified && self.repository.is_some() && secret.is_none() {
            self.changed.push(path.clone());
        }
        match rule {
            Some(rule) => self.count(rule, 1),
            None if facts.size > self.max_file_bytes => self.count(SIZE_FILE, 1),
            None => self.listing.entries.push(Entry { path, facts, tracked: tracked.is_some(), modified }),
        }
    }

    /// A link or a special file: counted if Git would list it.
    fn no_file(&mut self, path: &RelPath, rule: RuleId, rules: &Chain, tracked_only: bool) {
        match self.find(path) {
            // What took a regular file's place makes that file gone.
            Some(at) => self.seen[at] = !self.tracked[at].regular,
            None if tracked_only || rules::ignores(rules, self.repository, path, false) => return,
            None => {}
        }
        self.count(rule, 1);
    }

    /// Counts a folder that is never looked into: its tracked files, or itself.
    fn exclude_folder(&mut self, folder: Option<&RelPath>, rule: RuleId) {
        let range = self.range_below(folder);
        self.count(rule, range.len().max(1) as u64);
        self.seen[range].fill(true);
    }

    fn unreadable(&mut self, folder: Option<&RelPath>, error: &Error) {
        let range = self.range_below(folder);
        self.seen[range].fill(true);
        if self.listing.unreadable.len() < MAX_UNREADABLE {
            self.listing.unreadable.push((folder.map_or(".", RelPath::as_str).to_owned(), error.message.clone()));
        } else {
            self.count(PATH_UNREADABLE, 1);
        }
    }

    /// Whether a folder is the top of another repository or work tree, as Git would judge it.
    fn is_repository(&self, folder: Option<&RelPath>, names: &[DirectoryEntry]) -> bool {
        names.iter().find(|entry| entry.name.as_str() == ".git").is_some_and(|dot_git| match dot_git.kind {
            Kind::File(_) | Kind::Link => true,
            Kind::Directory => self.root.list(Some(&child(folder, &dot_git.name))).is_ok_and(|names| is_git_directory(&names)),
            Kind::Special => false,
        })
    }

    fn find(&self, path: &RelPath) -> Option<usize> {
        self.tracked.binary_search_by(|entry| entry.path.cmp(path)).ok()
    }

    fn holds_tracked(&self, folder: &RelPath) -> bool {
        let prefix = format!("{folder}/");
        let start = self.tracked.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        self.tracked.get(start).is_some_and(|entry| entry.path.as_str().starts_with(&prefix))
    }

    /// Where the tracked files below a folder stand.
    fn range_below(&self, folder: Option<&RelPath>) -> std::ops::Range<usize> {
        let Some(folder) = folder else { return 0..self.tracked.len() };
        let prefix = format!("{folder}/");
        let start = self.tracked.partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let length = match self.tracked.get(start) {
            Some(entry) if entry.path.as_str().starts_with(&prefix) => self.tracked[start..].partition_point(|entry| entry.path.as_str().starts_with(&prefix)),
            _ => 0,
        };
        start..start + length
    }

    fn count(&mut self, rule: RuleId, by: u64) {
        *self.listing.excluded.entry(rule).or_default() += by;
    }

    /// Settles what only the whole walk can tell: other names of credential files, and tracked files that are gone.
    fn finish(&mut self) {
        let before = self.listing.entries.len();
        let credentials = &self.credentials;
        self.listing.entries.retain(|entry| entry.facts.inode == 0 || !credentials.contains(&(entry.facts.device, entry.facts.inode)));
        let removed = before - self.listing.entries.len();
        if removed > 0 {
            self.count(NAME_CREDENTIALS, removed as u64);
        }
        if self.only.is_some() {
            return;
        }
        if self.is_full {
            self.listing.cut_at.get_or_insert(self.names);
        } else {
            let gone = self.tracked.iter().zip(&self.seen).filter(|(entry, seen)| !**seen && !entry.absent && secrets::in_path(&entry.path).is_none());
            self.changed.extend(gone.map(|(entry, _)| entry.path.clone()));
        }
        self.changed.sort_unstable();
        self.changed.truncate(crate::limits::MAX_CHANGED_PATHS);
        self.listing.changed = std::mem::take(&mut self.changed);
    }
}

/// Whether `path` is `goal` or a folder above it.
fn leads_to(path: &RelPath, goal: &RelPath) -> bool {
    goal.as_str().strip_prefix(path.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn child(folder: Option<&RelPath>, name: &RelPath) -> RelPath {
    folder.map_or_else(|| name.clone(), |folder| folder.join(name))
}

/// The names that decide about the others in their folder.
const CONTROL_NAMES: [&str; 5] = [".git", ".gitignore", "HEAD", "objects", "refs"];

/// Whether names are those of a git directory, whatever it is called.
fn is_git_directory(names: &[DirectoryEntry]) -> bool {
    let has = |name: &str, directory: bool| names.iter().any(|entry| entry.name.as_str() == name && (entry.kind == Kind::Directory) == directory);
    has("HEAD", false) && has("objects", true) && has("refs", true)
}
