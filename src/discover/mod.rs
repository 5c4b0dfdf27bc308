//! Which paths belong to the project. Facts only: no file's content is read but that of ignore files.

mod judge;
mod names;
pub(crate) mod rules;
#[cfg(all(test, unix))]
mod tests;
mod walk;

use std::collections::{BTreeMap, BTreeSet};

use crate::cancel::Cancel;
use crate::error::Result;
use crate::exclude::{LIMIT_FILES, RuleId};
use crate::git::{GitState, UserFiles};
use crate::language;
use crate::limits::{Bounds, MAX_PATHS_PER_PAGE, MAX_PATHS_PER_RULE};
use crate::rel_path::RelPath;
use crate::root::{Facts, Root};
use crate::secrets;

/// A file that may be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub path: RelPath,
    /// What stat says.
    pub facts: Facts,
    /// Whether it is in Git's index.
    pub tracked: bool,
    /// Whether it differs from the index by stat, or is untracked. Always true outside Git's sight, as no revision holds it.
    pub modified: bool,
}

pub use judge::{Judge, Standing};
pub use names::by_name;

/// How the listing was made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// From Git's index and ignore rules.
    Git,
    /// By a walk that honours `.gitignore` files.
    Walk,
}

/// The files of a project at one moment.
#[derive(Debug)]
pub struct Listing {
    /// The files to read, most useful first (see [`crate::language::Use`]; then tracked, shallow, path).
    pub entries: Vec<Entry>,
    /// How they were found.
    pub source: Source,
    /// Where the project stands in Git.
    pub git: Option<GitState>,
    /// Why Git was not used although a repository is there.
    pub git_problem: Option<String>,
    /// Listed names that a rule keeps out (or a bound: `limit/...`), counted by rule.
    pub excluded: BTreeMap<RuleId, u64>,
    /// Of those, the first paths by rule, at most [`crate::limits::MAX_PATHS_PER_RULE`] each. A folder that was not looked into stands for what is in it.
    pub excluded_paths: BTreeMap<RuleId, Vec<String>>,
    /// Those of one rule that were asked for.
    pub page: Option<Page>,
    /// Folders and files that could not be looked at, with the reason; at most 100, the rest is counted in `excluded`.
    pub unreadable: Vec<(String, String)>,
    /// The number of names at which a walk stopped at its cap; `None` if it saw everything.
    pub cut_at: Option<usize>,
    /// All tracked paths that differ from the index by stat or are gone, and untracked ones; sorted, at most [`crate::limits::MAX_CHANGED_PATHS`].
    pub changed: Vec<RelPath>,
}

/// Folders and files named one by one in [`Listing::unreadable`].
const MAX_UNREADABLE: usize = 100;

/// What a listing is for.
#[derive(Debug, Default)]
pub struct Asked {
    /// Paths, or the last parts of paths, that come before all others and so within the bound on the number of files.
    pub first: Vec<RelPath>,
    /// What of one rule is to be named.
    pub page: Option<Page>,
}

/// Of the paths that one rule keeps out, those that follow another in their order, at most [`MAX_PATHS_PER_PAGE`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    rule: String,
    after: String,
    paths: BTreeSet<String>,
}

impl Page {
    /// An empty page: the paths after `after`, which may be empty for the first page.
    pub fn new(rule: &str, after: &str) -> Self {
        Page { rule: rule.to_owned(), after: after.to_owned(), paths: BTreeSet::new() }
    }

    /// Takes a path if it belongs on this page, in place of the last one where the page is full.
    pub fn offer(&mut self, rule: &str, path: &str) {
        if self.rule != rule || path <= self.after.as_str() {
            return;
        }
        self.paths.insert(path.to_owned());
        if self.paths.len() > MAX_PATHS_PER_PAGE {
            self.paths.pop_last();
        }
    }

    /// The rule and its paths, sorted.
    pub fn into_parts(self) -> (String, Vec<String>) {
        (self.rule, self.paths.into_iter().collect())
    }
}

/// Lists the project; `None` once the deadline in `cancel` has passed, as of a part nobody could say what is gone.
///
/// The bound on the number of files is applied here, by use, and the one on a file's size by stat. The bound on all bytes together is left to who
/// reads the files in this order, as only a read tells which ones are accepted.
///
/// # Errors
/// `Cancelled`; `RootReplaced`; `Io` if the root itself can't be listed. Trouble below it is counted in the listing.
pub fn list(root: &Root, bounds: &Bounds, asked: Asked, cancel: &Cancel) -> Result<Option<Listing>> {
    list_for(root, bounds, asked, cancel, &UserFiles::here())
}

fn list_for(root: &Root, bounds: &Bounds, asked: Asked, cancel: &Cancel, user: &UserFiles) -> Result<Option<Listing>> {
    let judge = Judge::new_for(root, bounds, user)?;
    let mut listing = Listing { page: asked.page, ..judge.empty_listing() };
    if walk::walk(judge.guide(None), cancel, &mut listing)?.is_none() {
        return Ok(None);
    }
    choose(&mut listing, bounds, &asked.first);
    Ok(Some(listing))
}

/// Orders the files by use, after those that are to come first, and keeps the first of them.
fn choose(listing: &mut Listing, bounds: &Bounds, first: &[RelPath]) {
    listing.entries.sort_by_cached_key(|entry| {
        let is_named = first.iter().any(|named| entry.path.ends_with(named));
        (!is_named, language::use_of(&entry.path, &bounds.languages), !entry.tracked, entry.path.depth(), entry.path.clone())
    });
    for left_out in listing.entries.split_off(listing.entries.len().min(bounds.max_files)) {
        listing.exclude(LIMIT_FILES, left_out.path.as_str(), 1);
    }
}

impl Listing {
    /// Counts what a rule keeps out: as many names as stand behind the path.
    fn exclude(&mut self, rule: RuleId, path: &str, names: u64) {
        *self.excluded.entry(rule).or_default() += names;
        let paths = self.excluded_paths.entry(rule).or_default();
        if paths.len() >= MAX_PATHS_PER_RULE && self.page.is_none() {
            return;
        }
        // A path that holds a secret is counted and never named.
        if !RelPath::parse(path).is_ok_and(|path| secrets::in_path(&path).is_none()) {
            return;
        }
        if paths.len() < MAX_PATHS_PER_RULE {
            paths.push(path.to_owned());
        }
        if let Some(page) = &mut self.page {
            page.offer(rule, path);
        }
    }
}
