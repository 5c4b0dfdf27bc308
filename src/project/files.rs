//! What is in the index and what is not, for people who ask.

use std::collections::BTreeMap;

use super::{OpenProject, Project};
use crate::cancel::Cancel;
use crate::discover::{self, Asked, Judge, Listing, Page, Standing};
use crate::error::{Code, Error, Result};
use crate::exclude::{self, LIMIT_FILES};
use crate::limits::MAX_PATHS_PER_RULE;
use crate::rel_path::RelPath;
use crate::store::{FileRow, LanguageTotals};

/// The files of a project: those indexed by language, those left out by rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub languages: Vec<LanguageTotals>,
    /// By rule id.
    pub excluded: Vec<LeftOut>,
    /// What could not be looked at: path and reason.
    pub unreadable: Vec<(String, String)>,
    /// The number of names at which a walk stopped.
    pub cut_at: Option<u64>,
}

/// Which paths of one rule are to be named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OneRule {
    /// The rule's id.
    pub rule: String,
    /// The last path that is known already; empty for none.
    pub after: String,
}

/// What one rule leaves out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    pub rule: String,
    /// What the rule is for.
    pub summary: &'static str,
    pub files: u64,
    /// The first of them, at most [`MAX_PATHS_PER_RULE`], or the page that was asked for; a folder stands for what is in it.
    pub paths: Vec<String>,
}

/// Why a path is in the index, or is not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Explanation {
    /// It is in the index; its text may be quoted once it is proven.
    Indexed(Box<FileRow>),
    /// A rule keeps it out: its id.
    Excluded(String),
    /// It belongs to the project, and no sync has come to it yet.
    Pending,
    /// There is no such file.
    Absent,
}

impl Project {
    /// The files as a listing finds them now, with what the index holds of them. With `only` one rule is told of, and of its paths the next
    /// [`crate::limits::MAX_PATHS_PER_PAGE`], sorted.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `Cancelled`, `Io`, store errors.
    pub fn files(&self, only: Option<&OneRule>, cancel: &Cancel) -> Result<Files> {
        self.get()?.files(only, cancel)
    }

    /// Why one path is in the index, or is not, by the rules as they are now.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `Cancelled`, `Io`, store errors.
    pub fn explain(&self, path: &RelPath, cancel: &Cancel) -> Result<Explanation> {
        self.get()?.explain(path, cancel)
    }
}

impl OpenProject {
    /// The listing as it is now, however long it takes.
    fn list(&self, page: Option<Page>, cancel: &Cancel) -> Result<Listing> {
        let listing = discover::list(&self.root, &self.bounds, Asked { page, ..Asked::default() }, &cancel.without_deadline())?;
        listing.ok_or_else(|| Error::new(Code::Internal, "a listing without a deadline stopped at one"))
    }

    fn files(&self, only: Option<&OneRule>, cancel: &Cancel) -> Result<Files> {
        self.root.verify()?;
        let mut listing = self.list(only.map(|only| Page::new(&only.rule, &only.after)), cancel)?;
        let mut page = listing.page.take();
        let reader = self.store.reader()?;
        let mut by_rule: BTreeMap<String, (u64, Vec<String>)> = BTreeMap::new();
        for (&rule, &files) in &listing.excluded {
            by_rule.insert(rule.to_owned(), (files, listing.excluded_paths.get(rule).cloned().unwrap_or_default()));
        }
        for (path, rule) in reader.refused()? {
            if let Some(page) = &mut page {
                page.offer(&rule, path.as_str());
            }
            let (files, paths) = by_rule.entry(rule).or_default();
            *files += 1;
            if paths.len() < MAX_PATHS_PER_RULE {
                paths.push(path.as_str().to_owned());
            }
        }
        if let Some((rule, paths)) = page.map(Page::into_parts) {
            by_rule.retain(|other, _| *other == rule);
            if let Some((_, first)) = by_rule.get_mut(&rule) {
                *first = paths;
            }
        }
        let left_out = |(rule, (files, paths)): (String, _)| LeftOut { summary: exclude::summary(&rule), rule, files, paths };
        Ok(Files {
            languages: reader.languages()?,
            excluded: by_rule.into_iter().map(left_out).collect(),
            unreadable: listing.unreadable,
            cut_at: listing.cut_at.map(|names| names as u64),
        })
    }

    fn explain(&self, path: &RelPath, cancel: &Cancel) -> Result<Explanation> {
        match Judge::new(&self.root, &self.bounds)?.standing(path, cancel)? {
            Standing::Excluded(rule) => return Ok(Explanation::Excluded(rule.to_owned())),
            Standing::Absent => return Ok(Explanation::Absent),
            Standing::Listed => {}
        }
        let reader = self.store.reader()?;
        if let Some(row) = reader.file_at(path)? {
            return Ok(Explanation::Indexed(Box::new(row)));
        }
        if let Some(rule) = reader.refusal_of(path)? {
            return Ok(Explanation::Excluded(rule));
        }
        // Only the whole listing tells what its bounds leave out.
        let is_listed = self.list(None, cancel)?.entries.iter().any(|entry| entry.path == *path);
        Ok(if is_listed { Explanation::Pending } else { Explanation::Excluded(LIMIT_FILES.to_owned()) })
    }
}
