//! Task descriptor to proven snippets: recall, rank, select, prove.

mod cut;
mod features;
mod offer;
mod outline;
mod prove;
mod rank;
mod recall;
mod recheck;
mod role;
mod term;
mod select;
mod weights;
mod window;

#[cfg(test)]
mod paraphrases;
#[cfg(test)]
mod robustness;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Instant;

use serde::Serialize;

use crate::cancel::Cancel;
use crate::classify::Class;
use crate::error::Result;
use crate::hash::Hash;
use crate::limits::Bounds;
use crate::rel_path::RelPath;
use crate::root::Root;
use crate::semantic::{Hit, QueryVector, Refusal, Semantic};
use crate::store::{Reader, Store};
use crate::sync;
use crate::task::{self, RequestKind, TaskDescriptor};

use prove::Prover;
use role::Asked;
use select::OnChange;

pub use features::{Explained, Share};
pub use outline::{Outline, definitions, outline, outline_of};
pub use prove::Proven;
#[cfg(any(test, feature = "fuzz"))]
pub(crate) use prove::proven_for_tests;
pub use recheck::{Change, Quoted, Recheck, Revoked, read, recheck};
pub use weights::Weights;

/// Text that the conversation already holds: it is pointed to, not repeated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Held {
    pub path: RelPath,
    pub hash: Hash,
    pub start_line: u32,
    pub end_line: u32,
}

/// What bounds one answer.
#[derive(Clone, Copy)]
pub struct Budget<'a> {
    /// Snippets.
    pub max_results: usize,
    /// Tokens of all snippets together, as `cost` counts them.
    pub max_tokens: usize,
    /// Tokens that a snippet costs in the form in which the caller will show it.
    pub cost: &'a dyn Fn(&Proven) -> usize,
    /// Whether the caller may show text of a class to whom it asks for.
    pub may_have: &'a dyn Fn(Class) -> bool,
}

/// Why a candidate was taken or left, as a stable code with its human form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Such as `exact-path`, `exact-symbol`, `full-text`, `duplicate`, `budget`, `held`, `privacy`.
    pub code: &'static str,
    /// A few words for people, without source text.
    pub text: String,
}

/// A candidate that was close and not taken.
#[derive(Debug, Clone, PartialEq)]
pub struct Excluded {
    pub path: RelPath,
    pub start_line: u32,
    pub end_line: u32,
    pub snippet_id: Hash,
    pub score: f64,
    pub tokens: usize,
    /// `None` for one whose file was not read.
    pub class: Option<Class>,
    pub reason: Reason,
}

/// Milliseconds spent in each stage.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Timings {
    pub task: f64,
    pub recall: f64,
    pub rank: f64,
    /// Choosing one candidate after the other.
    pub select: f64,
    /// Reading, hashing and judging the files of those.
    pub prove: f64,
    /// Making messages, to know what each costs.
    pub quote: f64,
    pub total: f64,
}

/// The answer to one request.
#[derive(Debug)]
pub struct Answer {
    pub task: TaskDescriptor,
    /// In rank order.
    pub snippets: Vec<Proven>,
    pub excluded: Vec<Excluded>,
    /// What the conversation holds of what would have been quoted, in rank order.
    pub held: Vec<Held>,
    /// Excluded candidates beyond those listed, counted by reason code.
    pub excluded_more: BTreeMap<&'static str, u64>,
    /// The files that were looked at closely, best first, with what each feature adds.
    pub explained: Vec<Explained>,
    /// Candidates looked at.
    pub candidates: u64,
    /// Files read: those that are quoted, and those that had to be looked into for it.
    pub files_read: u64,
    /// Files found changed, and indexed anew.
    pub reindexed: Vec<RelPath>,
    /// Whether a deadline shortened the answer.
    pub shortened: bool,
    /// What closeness in meaning added; `None` where it was not asked for, or the request names what it wants.
    pub semantic: Option<SemanticUse>,
    pub timings: Timings,
}

/// What closeness in meaning added to an answer.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SemanticUse {
    /// Chunks that have a vector.
    pub vectors: u64,
    /// Chunks close to the request.
    pub candidates: u64,
    /// Of their files, those that the words of the request lead to, too.
    pub fused: u64,
    /// Whether the request's vector was remembered.
    pub query_cached: bool,
    /// Rows of the index that are no vector.
    pub corrupt: u64,
    /// Milliseconds.
    pub ms: f64,
    /// Why the words of the request decided alone.
    pub refusal: Option<Refusal>,
}

/// How candidates are scored and which of them may be shown.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    pub weights: Weights,
    /// Whether to show the best matches even where a prompt would need more evidence: for a caller who asked for this very search.
    pub ungated: bool,
}

/// Answers a request from the index, each snippet proven against the live file.
///
/// # Errors
/// `Cancelled`; `RootReplaced`; store errors.
pub fn answer(root: &Root, store: &Store, bounds: &Bounds, request: &str, budget: &Budget<'_>, held: &[Held], cancel: &Cancel) -> Result<Answer> {
    Pass { root, store, bounds, semantic: None, budget, held, ranking: &Ranking::default(), cancel }.answer(request)
}

/// As [`answer`], ranked in another way: it obeys the same proof.
///
/// # Errors
/// Those of [`answer`].
pub fn search(root: &Root, store: &Store, bounds: &Bounds, request: &str, budget: &Budget<'_>, ranking: &Ranking, cancel: &Cancel) -> Result<Answer> {
    Pass { root, store, bounds, semantic: None, budget, held: &[], ranking, cancel }.answer(request)
}

/// As both, by words and meaning.
///
/// # Errors
/// Those of [`answer`]; trouble with the meaning is none, but is told in the answer.
#[allow(clippy::too_many_arguments, reason = "each is one of the two functions' before it")]
pub fn answer_by_meaning(
    root: &Root,
    store: &Store,
    bounds: &Bounds,
    semantic: Option<&Semantic>,
    request: &str,
    budget: &Budget<'_>,
    held: &[Held],
    ranking: &Ranking,
    cancel: &Cancel,
) -> Result<Answer> {
    Pass { root, store, bounds, semantic, budget, held, ranking, cancel }.answer(request)
}

/// What an answer is made with.
struct Pass<'a> {
    root: &'a Root,
    store: &'a Store,
    bounds: &'a Bounds,
    semantic: Option<&'a Semantic>,
    budget: &'a Budget<'a>,
    held: &'a [Held],
    ranking: &'a Ranking,
    cancel: &'a Cancel,
}

impl Pass<'_> {
    fn answer(&self, request: &str) -> Result<Answer> {
        let started = Instant::now();
        self.root.verify()?;
        let task = task::describe(request);
        let mut answer = Answer {
            snippets: Vec::new(),
            excluded: Vec::new(),
            held: Vec::new(),
            excluded_more: BTreeMap::new(),
            explained: Vec::new(),
            candidates: 0,
            files_read: 0,
            reindexed: Vec::new(),
            shortened: false,
            semantic: None,
            timings: Timings { task: milliseconds(started), ..Timings::default() },
            task,
        };
        if answer.task.kind != RequestKind::Empty {
            let meant = self.meant(&mut answer, request);
            self.cancel.check()?;
            let mut prover = Prover::new(self.root, self.bounds, self.cancel);
            let changed = self.run(&mut answer, meant.as_ref(), &mut prover, OnChange::Report)?;
            if !changed.is_empty() {
                for path in changed {
                    if sync::reindex(self.root, self.store, self.bounds, &path)?.written {
                        answer.reindexed.push(path);
                    }
                }
                self.run(&mut answer, meant.as_ref(), &mut prover, OnChange::Recut)?;
            }
            answer.files_read = prover.files_read();
        }
        answer.timings.total = milliseconds(started);
        Ok(answer)
    }

    /// The vector of the request, unless the request names what it wants.
    fn meant(&self, answer: &mut Answer, request: &str) -> Option<QueryVector> {
        let semantic = self.semantic.filter(|_| answer.task.kind != RequestKind::Lookup)?;
        let started = Instant::now();
        let outcome = semantic.query_vector(request, self.cancel);
        let query_cached = outcome.as_ref().is_ok_and(|vector| vector.cached);
        let refusal = outcome.as_ref().err().cloned();
        answer.semantic = Some(SemanticUse { query_cached, refusal, ms: milliseconds(started), ..SemanticUse::default() });
        outcome.ok()
    }

    /// The chunks closest to the request; none where that can't be said.
    fn nearest(&self, answer: &mut Answer, reader: &Reader<'_>, meant: Option<&QueryVector>) -> Vec<Hit> {
        let (Some(semantic), Some(meant), Some(used)) = (self.semantic, meant, &mut answer.semantic) else { return Vec::new() };
        let started = Instant::now();
        let outcome = semantic.nearest(reader, meant, self.cancel);
        used.ms += milliseconds(started);
        match outcome {
            Ok(nearest) => {
                (used.vectors, used.corrupt, used.candidates) = (nearest.vectors, nearest.corrupt, nearest.hits.len() as u64);
                nearest.hits
            }
            Err(refusal) => {
                used.refusal = Some(refusal);
                Vec::new()
            }
        }
    }

    /// Fills the answer, and returns the selected files that have changed since they were indexed.
    fn run(&self, answer: &mut Answer, meant: Option<&QueryVector>, prover: &mut Prover<'_>, on_change: OnChange) -> Result<Vec<RelPath>> {
        let started = Instant::now();
        let reader = self.store.reader_within(self.cancel)?;
        let (terms, postings) = recall::query_terms(&reader, &answer.task, &self.ranking.weights)?;
        if recall::asks_only_for_names(&answer.task, &terms) {
            answer.task.kind = RequestKind::Lookup;
        }
        let near = if answer.task.kind == RequestKind::Lookup { Vec::new() } else { self.nearest(answer, &reader, meant) };
        let task = &answer.task;
        let recalled = recall::recall(&reader, prover, task, (terms, postings), &near, &self.ranking.weights, self.bounds.max_commits > 0, self.cancel)?;
        if let Some(used) = &mut answer.semantic {
            used.fused = recalled.files.iter().filter(|found| !found.near.is_empty() && found.holds != 0).count() as u64;
        }
        let terms = recalled.terms.clone();
        answer.candidates = recalled.looked_at;
        answer.timings.recall += milliseconds(started);

        let started = Instant::now();
        let (ranked, explained) = rank::rank(&reader, task, recalled, self.ranking, prover, self.cancel)?;
        answer.timings.rank += milliseconds(started);

        let started = Instant::now();
        let with =
            select::Terms { project: self.root.id(), budget: self.budget, held: self.held, terms: &terms, tests_asked: Asked::of(task).tests, on_change };
        let selection = select::select(ranked, &with, &self.ranking.weights, prover, self.cancel)?;
        answer.timings.prove += selection.prove_ms;
        answer.timings.quote += selection.quote_ms;
        answer.timings.select += milliseconds(started) - selection.prove_ms - selection.quote_ms;
        answer.explained = explained;
        answer.snippets = selection.snippets;
        answer.excluded = selection.excluded;
        answer.held = selection.held;
        answer.excluded_more = selection.excluded_more;
        answer.shortened = selection.shortened || self.cancel.is_late();
        Ok(selection.changed)
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1000.0
}
