//! Whether single paths belong to the project, by the very walk that lists it.

use std::cell::OnceCell;

use super::rules::{self, Chain};
use super::walk::{self, Credentials, Guide};
use super::{Listing, Source, by_name};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::exclude::{NAME_CREDENTIALS, PATH_IGNORED, PATH_UNREADABLE, RuleId};
use crate::git::{self, Above, Repository, UserFiles};
use crate::limits::Bounds;
use crate::rel_path::RelPath;
use crate::root::{Kind, Root};

/// What a listing made now would say of a path, its bounds on the number of files and folders aside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It would list it as a file to read.
    Listed,
    /// A rule keeps it out.
    Excluded(RuleId),
    /// There is no such file.
    Absent,
}

/// The project's rules at one moment, and which of its files have a name of credentials. Ignore files in the project are read again for each path.
#[derive(Debug)]
pub struct Judge<'a> {
    root: &'a Root,
    bounds: &'a Bounds,
    repository: Option<Repository>,
    git_problem: Option<String>,
    above: Above,
    rules: Chain,
    agent_rules: Chain,
    /// The files that have a name of credentials, once they were asked for: finding them takes a walk through the whole project.
    credentials: OnceCell<Credentials>,
}

impl<'a> Judge<'a> {
    /// Reads what Git knows of the project. If that can't be read, the rules of a walk hold, as in a listing.
    ///
    /// # Errors
    /// `RootReplaced`.
    pub fn new(root: &'a Root, bounds: &'a Bounds) -> Result<Self> {
        Judge::new_for(root, bounds, &UserFiles::here())
    }

    pub(super) fn new_for(root: &'a Root, bounds: &'a Bounds, user: &UserFiles) -> Result<Self> {
        root.verify()?;
        let git::Seen { mut above, repository } = git::look(root, user);
        let (repository, git_problem) = match repository {
            Ok(repository) => (repository, None),
            Err(error) => (None, Some(error.message)),
        };
        let [rules, agent_rules] = [&mut above.rules, &mut above.agent_rules].map(|rules| rules::above(std::mem::take(rules)));
        Ok(Judge { root, bounds, repository, git_problem, above, rules, agent_rules, credentials: OnceCell::new() })
    }

    pub(super) fn guide<'b>(&'b self, only: Option<&'b RelPath>) -> Guide<'b> {
        Guide {
            root: self.root,
            repository: self.repository.as_ref(),
            base: &self.above.base,
            rules: &self.rules,
            agent_rules: &self.agent_rules,
            is_ignored: self.above.is_project_ignored,
            unreadable: self.above.unreadable.as_deref(),
            bounds: self.bounds,
            only,
        }
    }

    pub(super) fn empty_listing(&self) -> Listing {
        Listing {
            entries: Vec::new(),
            source: if self.repository.is_some() { Source::Git } else { Source::Walk },
            git: self.repository.as_ref().map(|repository| repository.state().clone()),
            git_problem: self.git_problem.clone(),
            excluded: Default::default(),
            excluded_paths: Default::default(),
            page: None,
            unreadable: Vec::new(),
            cut_at: None,
            changed: Vec::new(),
        }
    }

    /// What a listing made now would say of `path`.
    ///
    /// # Errors
    /// `Cancelled`; `Io` if the root itself can't be listed.
    pub fn standing(&self, path: &RelPath, cancel: &Cancel) -> Result<Standing> {
        // What a name alone forbids is not looked at, be it there or not.
        if let Some(rule) = by_name(path, &self.bounds.include) {
            return Ok(Standing::Excluded(rule));
        }
        // Half a look would give the wrong verdict.
        let cancel = &cancel.without_deadline();
        let mut listing = self.empty_listing();
        walk::walk(self.guide(Some(path)), cancel, &mut listing)?;
        let Some(entry) = listing.entries.first() else {
            let counted = listing.excluded.keys().next().copied().or((!listing.unreadable.is_empty()).then_some(PATH_UNREADABLE));
            return Ok(match (counted, self.root.stat(path)) {
                (Some(rule), _) => Standing::Excluded(rule),
                (None, Ok(None | Some(Kind::Directory))) => Standing::Absent,
                (None, _) => Standing::Excluded(PATH_IGNORED),
            });
        };
        // Only the whole project tells whether one of the other names is one of credentials.
        // A file that went away meanwhile is left to its reading.
        if self.root.has_other_names(path).unwrap_or(false) {
            let credentials = match self.credentials.get() {
                Some(known) => known,
                None => {
                    let found = walk::walk(self.guide(None), cancel, &mut self.empty_listing())?.unwrap_or_default();
                    self.credentials.get_or_init(|| found)
                }
            };
            if credentials.contains(&(entry.facts.device, entry.facts.inode)) {
                return Ok(Standing::Excluded(NAME_CREDENTIALS));
            }
        }
        Ok(Standing::Listed)
    }
}
