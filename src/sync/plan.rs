//! What is to be done with each path, by its facts alone.

use std::collections::HashMap;

use super::SyncOptions;
use crate::discover::{Entry, Listing};
use crate::exclude::{LIMIT_BYTES, RULES};
use crate::hash::Hash;
use crate::language::LANGUAGES;
use crate::limits::{BYTES_PER_BATCH, Bounds, FILES_PER_BATCH, RACY_MS};
use crate::places::INDEX_VERSION;
use crate::rel_path::RelPath;
use crate::root::Facts;
use crate::store::{FileId, KnownFile};
use crate::syntax;

/// Raise it whenever a rule judges files otherwise than before under the same id: every file is then judged again.
const JUDGEMENT_VERSION: u32 = 5;

/// One path of the listing, or one that is no longer in it.
#[derive(Debug)]
pub(super) enum Step<'listing> {
    File {
        entry: &'listing Entry,
        known: Option<KnownFile>,
        action: Action,
    },
    /// It is in the index and not in the listing; of an indexed file (true) or a refused one.
    Remove {
        id: FileId,
        indexed: bool,
    },
}

/// What to do with a listed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Nothing about it changed.
    Keep,
    /// Git thinks otherwise of it; its content is the same.
    Touch,
    /// It is new, or it may have changed, or it may now fit.
    Read,
}

impl Step<'_> {
    pub(super) fn changes_nothing(&self) -> bool {
        matches!(self, Step::File { action: Action::Keep, .. })
    }
}

/// The hash of all that a verdict and a parse of each file depend on besides its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rules {
    all: Hash,
    /// Of files whose language the user's settings name, by extension.
    mapped: HashMap<String, Hash>,
}

impl Rules {
    pub(super) fn new(bounds: &Bounds) -> Self {
        let all = rules_hash(bounds);
        let mapped = bounds.languages.iter().map(|(extension, language)| (extension.clone(), Hash::of_joined(&[&all.to_hex(), language.name])));
        Rules { all, mapped: mapped.collect() }
    }

    pub(super) fn of(&self, path: &RelPath) -> Hash {
        if self.mapped.is_empty() { self.all } else { self.mapped.get(&path.extension()).copied().unwrap_or(self.all) }
    }
}

fn rules_hash(bounds: &Bounds) -> Hash {
    let versions = [JUDGEMENT_VERSION.to_string(), INDEX_VERSION.to_string(), bounds.max_file_bytes.to_string(), bounds.secrets.as_str().to_owned()];
    let mut parts: Vec<&str> = versions.iter().map(String::as_str).collect();
    parts.extend(RULES.iter().map(|rule| rule.id));
    parts.extend(LANGUAGES.iter().map(|language| syntax::parser_id(Some(language))));
    parts.push(syntax::parser_id(None));
    Hash::of_joined(&parts)
}

/// The steps of a sync in their order: paths to look at first, what is gone, the others as listed.
pub(super) fn steps<'listing>(listing: &'listing Listing, mut known: HashMap<RelPath, KnownFile>, rules: &Rules, options: &SyncOptions) -> Vec<Step<'listing>> {
    let mut first = Vec::new();
    let mut others = Vec::with_capacity(listing.entries.len());
    for entry in &listing.entries {
        let known = known.remove(&entry.path);
        let action = if options.force || options.rebuild { Action::Read } else { action(entry, known.as_ref(), rules.of(&entry.path)) };
        let steps = if options.first.iter().any(|named| entry.path.ends_with(named)) { &mut first } else { &mut others };
        steps.push(Step::File { entry, known, action });
    }
    let mut gone: Vec<_> = known.into_iter().collect();
    gone.sort_by(|left, right| left.0.cmp(&right.0));
    first.extend(gone.into_iter().map(|(_, file)| Step::Remove { id: file.id, indexed: file.refused.is_none() }));
    first.extend(others);
    first
}

fn action(entry: &Entry, known: Option<&KnownFile>, rules: Hash) -> Action {
    let Some(known) = known else { return Action::Read };
    if known.rules != rules || !same_file(&known.facts, &entry.facts) || is_racy(&known.facts, known.read_at) || known.refused.as_deref() == Some(LIMIT_BYTES) {
        return Action::Read;
    }
    if (known.tracked, known.modified) != (entry.tracked, entry.modified) { Action::Touch } else { Action::Keep }
}

/// The device is left out: it may change when a volume is mounted again.
fn same_file(known: &Facts, found: &Facts) -> bool {
    (known.size, known.mtime_ns, known.ctime_ns, known.inode) == (found.size, found.mtime_ns, found.ctime_ns, found.inode)
}

/// Whether the file could have changed after its reading, at `read_at`, without a trace in its times.
fn is_racy(facts: &Facts, read_at: i64) -> bool {
    facts.mtime_ns.max(facts.ctime_ns) / 1_000_000 + RACY_MS > read_at
}

/// Consecutive steps that are read, and then written, together.
pub(super) fn batches<'steps, 'listing>(mut steps: &'steps [Step<'listing>]) -> impl Iterator<Item = &'steps [Step<'listing>]> {
    std::iter::from_fn(move || {
        let (mut files, mut bytes) = (0, 0);
        let fits = |step: &&Step<'_>| {
            match step {
                Step::File { action: Action::Read, entry, .. } => {
                    files += 1;
                    bytes += entry.facts.size;
                }
                Step::Remove { .. } => files += 1,
                Step::File { .. } => {}
            }
            files <= FILES_PER_BATCH && bytes <= BYTES_PER_BATCH
        };
        // A file larger than a batch is one of its own.
        let end = steps.iter().take_while(fits).count().max(1).min(steps.len());
        let (batch, rest) = steps.split_at(end);
        steps = rest;
        (!batch.is_empty()).then_some(batch)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_bounded_by_files_and_bytes_and_lose_nothing() {
        let entry = |size| Entry { path: RelPath::parse("a").unwrap(), facts: Facts { size, ..Facts::default() }, tracked: false, modified: false };
        let (small, large, huge) = (entry(1), entry(BYTES_PER_BATCH / 2), entry(BYTES_PER_BATCH * 2));
        let step = |entry, action| Step::File { entry, known: None, action };
        let steps: Vec<_> = (0..FILES_PER_BATCH * 2 + 1)
            .map(|_| step(&small, Action::Read))
            .chain([step(&huge, Action::Read), step(&huge, Action::Read)])
            .chain((0..5).map(|_| step(&large, Action::Read)))
            .chain((0..1_000).map(|_| step(&huge, Action::Keep)))
            .collect();
        let sizes: Vec<_> = batches(&steps).map(<[_]>::len).collect();
        assert_eq!(sizes, [FILES_PER_BATCH, FILES_PER_BATCH, 1, 1, 1, 2, 2, 1_001]);
        assert_eq!(batches(&[]).count(), 0);
    }

    #[test]
    fn a_file_modified_about_when_it_was_read_is_racy() {
        let facts = Facts { mtime_ns: 10_000_000_000, ctime_ns: 9_000_000_000, ..Facts::default() };
        assert!(is_racy(&facts, 10_000) && is_racy(&facts, 10_000 + RACY_MS - 1));
        assert!(!is_racy(&facts, 10_000 + RACY_MS));
        assert!(is_racy(&Facts { ctime_ns: 11_000_000_000, ..facts }, 10_000 + RACY_MS));
    }
}
