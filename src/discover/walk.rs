//! The walk through the project: breadth first, by sorted names, through the confined root alone.

use std::collections::{HashSet, VecDeque};

use super::rules::{self, Chain};
use super::{Listing, MAX_UNREADABLE, names};
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::exclude::{
    self, DIRECTORY_NESTED_REPOSITORY, DIRECTORY_VCS, DirectoryVerdict, NAME_CREDENTIALS, PATH_AGENTIGNORE, PATH_LINK, PATH_SETTINGS, PATH_SPECIAL,
    PATH_UNREADABLE, RuleId, SIZE_FILE,
};
use crate::git::{Base, Repository, Tracked, is_modified};
use crate::limits::{Bounds, MAX_IGNORE_FILE_BYTES, MAX_LISTED_NAMES, WALKED_NAMES_PER_FILE};
use crate::patterns::{Excludes, Includes};
use crate::rel_path::RelPath;
use crate::root::{DirectoryEntry, Facts, Kind, Root};
use crate::secrets;

use super::Entry;

/// A folder to look into.
struct Folder {
    /// Its path; `None` for the project's root.
    path: Option<RelPath>,
    /// The rules of `.gitignore` files that hold in it, without those of its own.
    rules: Chain,
    /// Those of `.agentignore` files, which can only keep out.
    agent_rules: Chain,
    /// Whether only what Git tracks, or the user takes in, counts in it: it is ignored, or another repository's.
    tracked_only: bool,
    /// Whether it is another repository's, so that nothing untracked is taken in.
    nested: bool,
    /// The rule that keeps it out by its name, where the user takes in something below it.
    barred: Option<RuleId>,
}

/// The files, by device and inode, that have a name of credentials.
pub(super) type Credentials = HashSet<(u64, u64)>;

/// What a walk goes by.
#[derive(Clone, Copy)]
pub(super) struct Guide<'a> {
    pub(super) root: &'a Root,
    pub(super) repository: Option<&'a Repository>,
    pub(super) base: &'a Base,
    /// The rules that stand above the project.
    pub(super) rules: &'a Chain,
    pub(super) agent_rules: &'a Chain,
    /// Whether those rules ignore the project's own folder.
    pub(super) is_ignored: bool,
    /// Why an ignore file above the project can't be read.
    pub(super) unreadable: Option<&'a str>,
    pub(super) bounds: &'a Bounds,
    /// Only this path counts: nothing else is looked into or listed, and no cap holds.
    pub(super) only: Option<&'a RelPath>,
}

struct Walk<'a> {
    root: &'a Root,
    excludes: &'a Excludes,
    includes: &'a Includes,
    repository: Option<&'a Repository>,
    base: &'a Base,
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

/// Fills the listing with all files, in no particular order and beyond the bound on their number; `None` once the deadline has passed.
pub(super) fn walk(guide: Guide<'_>, cancel: &Cancel, listing: &mut Listing) -> Result<Option<Credentials>> {
    let Guide { root, repository, base, rules, agent_rules, is_ignored, unreadable, bounds, only } = guide;
    let tracked = repository.map_or(&[][..], Repository::tracked);
    let walked_names = bounds.max_files.saturating_mul(WALKED_NAMES_PER_FILE);
    let mut walk = Walk {
        root,
        excludes: &bounds.exclude,
        includes: &bounds.include,
        repository,
        base,
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
    let top = Folder { path: None, rules: rules.clone(), agent_rules: agent_rules.clone(), tracked_only: is_ignored, nested: false, barred: None };
    let mut queue = VecDeque::from([top]);
    if let Some(why) = unreadable {
        walk.unreadable(None, &Error::new(Code::Io, format!("an ignore file above the project can't be read: {why}")));
        queue.clear();
    }
    while let Some(folder) = queue.pop_front() {
        cancel.check()?;
        if cancel.is_late() {
            return Ok(None);
        }
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
    Ok(Some(walk.credentials))
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
            self.exclude(DIRECTORY_NESTED_REPOSITORY, folder.path.as_ref(), 1);
        }
        let mut here = Folder { path: folder.path.clone(), rules: folder.rules.clone(), agent_rules: folder.agent_rules.clone(), ..*folder };
        here.nested |= nested;
        here.tracked_only |= nested;
        let git_applies = !here.tracked_only;
        for (name, rules, applies) in [(".gitignore", &mut here.rules, git_applies), (".agentignore", &mut here.agent_rules, true)] {
            let Some(file) = names.iter().find(|entry| applies && entry.name.as_str() == name) else { continue };
            match self.root.read(&child(folder.path.as_ref(), &file.name), MAX_IGNORE_FILE_BYTES) {
                Ok((bytes, _)) => *rules = rules::with(rules, &bytes, folder.path.as_ref(), self.base),
                Err(error) => {
                    self.unreadable(folder.path.as_ref(), &Error::new(error.code, format!("its {name} can't be read: {}", error.message)));
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
                    if let Some(folder) = self.folder(path, &name, &here) {
                        queue.push_back(folder);
                    }
                }
                Kind::File(facts) => self.file(path, facts, &here),
                Kind::Link => self.no_file(&path, PATH_LINK, &here),
                Kind::Special => self.no_file(&path, PATH_SPECIAL, &here),
            }
        }
        Ok(())
    }

    /// The names in a folder: all, or those that decide about the one path that counts.
    fn names_in(&self, folder: Option<&RelPath>) -> Result<Vec<DirectoryEntry>> {
        let Some(only) = self.only else { return self.root.list(folder) };
        let next = only.components().nth(folder.map_or(0, |folder| folder.depth() + 1));
        self.root.list_only(folder, |name| next == Some(name) || CONTROL_NAMES.contains(&name))
    }

    /// The folder to look into; `None` if it is left out.
    fn folder(&mut self, path: RelPath, name: &RelPath, above: &Folder) -> Option<Folder> {
        if name.as_str() == ".git" {
            return None;
        }
        if let Some(at) = self.find(&path) {
            // A submodule, or a folder that took a tracked file's place: that file is gone.
            if !self.tracked[at].regular {
                self.seen[at] = true;
                self.exclude(DIRECTORY_NESTED_REPOSITORY, Some(&path), 1);
                return None;
            }
        }
        let holds_tracked = self.holds_tracked(&path);
        let ignored = above.tracked_only || rules::ignores(&above.rules, self.base, &path, true);
        let leads = !above.nested && self.includes.lead_into(&path);
        if ignored && !holds_tracked && !leads {
            return None;
        }
        if let Some(rule) = secrets::in_path(&path) {
            self.exclude_folder(Some(&path), rule);
            return None;
        }
        let by_name = match exclude::directory(name.as_str()) {
            DirectoryVerdict::Enter => None,
            DirectoryVerdict::Exclude(rule) => Some(rule),
            DirectoryVerdict::ExcludeUntracked(rule) => (!holds_tracked).then_some(rule),
            DirectoryVerdict::ExcludeWithoutSource(rule) => {
                let is_source = holds_tracked || self.repository.is_none() && self.holds_source(&path);
                (!is_source).then_some(rule)
            }
        };
        let rule = match by_name {
            Some(rule) if !names::may_be_taken_in(rule) || !leads => Some(rule),
            _ if rules::ignores(&above.agent_rules, self.base, &path, true) => Some(PATH_AGENTIGNORE),
            _ if self.excludes.hold(&path, true) => Some(PATH_SETTINGS),
            _ => None,
        };
        if let Some(rule) = rule {
            self.exclude_folder(Some(&path), rule);
            return None;
        }
        Some(Folder {
            path: Some(path),
            rules: above.rules.clone(),
            agent_rules: above.agent_rules.clone(),
            tracked_only: ignored,
            nested: above.nested,
            barred: names::stricter(above.barred, by_name),
        })
    }

    /// Whether the user takes a path in, whatever Git and the names of its folders say.
    fn is_included(&self, path: &RelPath, folder: &Folder) -> bool {
        !folder.nested && self.includes.hold(path, false)
    }

    fn file(&mut self, path: RelPath, facts: Facts, folder: &Folder) {
        let included = self.is_included(&path, folder);
        let rule = names::of_file(&path, folder.barred, || included);
        if rule == Some(NAME_CREDENTIALS) && facts.inode != 0 {
            // Even if Git ignores it, another name of it may be listed.
            self.credentials.insert((facts.device, facts.inode));
        }
        let rule = rule
            .or_else(|| rules::ignores(&folder.agent_rules, self.base, &path, false).then_some(PATH_AGENTIGNORE))
            .or_else(|| self.excludes.hold(&path, false).then_some(PATH_SETTINGS));
        let tracked = self.find(&path);
        let ignored = tracked.is_none() && (folder.tracked_only || path.file_name() == ".git" || rules::ignores(&folder.rules, self.base, &path, false));
        let modified = match tracked {
            Some(at) => {
                self.seen[at] = true;
                is_modified(&self.tracked[at], &facts)
            }
            None if ignored && !included => return,
            None => true,
        };
        if modified && !ignored && self.repository.is_some() && secrets::in_path(&path).is_none() {
            self.changed.push(path.clone());
        }
        match rule {
            Some(rule) => self.exclude(rule, Some(&path), 1),
            None if facts.size > self.max_file_bytes => self.exclude(SIZE_FILE, Some(&path), 1),
            None => self.listing.entries.push(Entry { path, facts, tracked: tracked.is_some(), modified }),
        }
    }

    /// A link or a special file: counted if Git would list it.
    fn no_file(&mut self, path: &RelPath, rule: RuleId, folder: &Folder) {
        match self.find(path) {
            // What took a regular file's place makes that file gone.
            Some(at) => self.seen[at] = !self.tracked[at].regular,
            None if folder.tracked_only || rules::ignores(&folder.rules, self.base, path, false) => return,
            None => {}
        }
        self.exclude(rule, Some(path), 1);
    }

    /// Counts a folder that is never looked into: its tracked files, or itself.
    fn exclude_folder(&mut self, folder: Option<&RelPath>, rule: RuleId) {
        let range = self.range_below(folder);
        self.exclude(rule, folder, range.len().max(1) as u64);
        self.seen[range].fill(true);
    }

    fn unreadable(&mut self, folder: Option<&RelPath>, error: &Error) {
        let range = self.range_below(folder);
        self.seen[range].fill(true);
        if self.listing.unreadable.len() < MAX_UNREADABLE {
            self.listing.unreadable.push((folder.map_or(".", RelPath::as_str).to_owned(), error.message.clone()));
        } else {
            self.exclude(PATH_UNREADABLE, folder, 1);
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

    fn holds_source(&self, folder: &RelPath) -> bool {
        let is_file = |entry: &DirectoryEntry| matches!(entry.kind, Kind::File(_));
        self.root.list(Some(folder)).is_ok_and(|entries| exclude::is_source_directory(entries.iter().filter(|entry| is_file(entry)).map(|entry| &entry.name)))
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

    fn exclude(&mut self, rule: RuleId, path: Option<&RelPath>, names: u64) {
        self.listing.exclude(rule, path.map_or(".", RelPath::as_str), names);
    }

    /// Settles what only the whole walk can tell: other names of credential files, and tracked files that are gone.
    fn finish(&mut self) {
        let credentials = &self.credentials;
        let is_credentials = |entry: &Entry| entry.facts.inode != 0 && credentials.contains(&(entry.facts.device, entry.facts.inode));
        let (left_out, kept) = std::mem::take(&mut self.listing.entries).into_iter().partition(is_credentials);
        self.listing.entries = kept;
        for entry in left_out {
            self.exclude(NAME_CREDENTIALS, Some(&entry.path), 1);
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
const CONTROL_NAMES: [&str; 6] = [".git", ".gitignore", ".agentignore", "HEAD", "objects", "refs"];

/// Whether names are those of a git directory, whatever it is called.
fn is_git_directory(names: &[DirectoryEntry]) -> bool {
    let has = |name: &str, directory: bool| names.iter().any(|entry| entry.name.as_str() == name && (entry.kind == Kind::Directory) == directory);
    has("HEAD", false) && has("objects", true) && has("refs", true)
}
