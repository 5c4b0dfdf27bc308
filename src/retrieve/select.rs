//! Ranked candidates to the few that are quoted: by marginal gain, without repetition, within the budget.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Instant;

use super::prove::{Claim, Outcome, Proven, Prover};
use super::rank::Candidate;
use super::term::Term;
use super::weights::Weights;
use super::{Budget, Excluded, Held, Reason, milliseconds};
use crate::cancel::Cancel;
use crate::classify::{Class, PRIVACY};
use crate::error::Result;
use crate::hash::Hash;
use crate::limits::MAX_MANIFEST_EXCLUDED;
use crate::rel_path::RelPath;

/// What was selected.
#[derive(Debug, Default)]
pub(super) struct Selection {
    pub(super) snippets: Vec<Proven>,
    pub(super) excluded: Vec<Excluded>,
    /// What the conversation holds of what would have been taken.
    pub(super) held: Vec<Held>,
    pub(super) excluded_more: BTreeMap<&'static str, u64>,
    /// Selected files that are not those of the index.
    pub(super) changed: Vec<RelPath>,
    pub(super) shortened: bool,
    /// Milliseconds of proofs, and of asking what quotes cost.
    pub(super) prove_ms: f64,
    pub(super) quote_ms: f64,
}

/// How to treat a selected file that has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OnChange {
    /// Report it, so that it is indexed and the request asked again.
    Report,
    /// Cut the quote anew from the live bytes.
    Recut,
}

/// What bounds a selection.
pub(super) struct Terms<'a> {
    pub(super) project: &'a str,
    pub(super) budget: &'a Budget<'a>,
    pub(super) held: &'a [Held],
    pub(super) terms: &'a [Term],
    pub(super) tests_asked: bool,
    pub(super) on_change: OnChange,
}

/// Takes candidates, best gain first, and proves each.
pub(super) fn select(candidates: Vec<Candidate>, with: &Terms<'_>, weights: &Weights, prover: &mut Prover<'_>, cancel: &Cancel) -> Result<Selection> {
    let mut selection = Selection::default();
    let mut left: Vec<Option<Candidate>> = candidates.into_iter().map(Some).collect();
    let mut taken_of_file: HashMap<RelPath, i32> = HashMap::new();
    let mut taken: Vec<(RelPath, u32, u32)> = Vec::new();
    let mut sources: HashSet<Hash> = HashSet::new();
    let (mut tokens, mut tests) = (0, 0);
    let (mut prove_ms, mut quote_ms) = (0.0, 0.0);
    while taken.len() < with.budget.max_results {
        cancel.check()?;
        if cancel.is_late() {
            selection.shortened = left.iter().any(Option::is_some);
            break;
        }
        let Some(best) = next(&left, &taken_of_file, weights) else { break };
        let mut candidate = left[best].take().expect("the next candidate is one that is left");
        let is_spare_test = candidate.test && tests > 0 && !with.tests_asked && !candidate.named;
        if !is_spare_test {
            timed(&mut prove_ms, || prover.cut(&mut candidate))?;
        }
        let mut exclude = |code: &'static str, text: &str, tokens: usize, class: Option<Class>| {
            selection.exclude(with.project, &candidate, Reason { code, text: text.to_owned() }, tokens, class);
        };
        if taken.iter().any(|(path, start, end)| *path == candidate.row.path && overlaps((*start, *end), (candidate.start_line, candidate.end_line))) {
            exclude("duplicate", "overlaps a quote of the same file", 0, None);
            continue;
        }
        if is_spare_test {
            exclude("test", "one test is enough unless the request asks for tests", 0, None);
            continue;
        }
        let claim = Claim::from(&candidate);
        let outcome = timed(&mut prove_ms, || match prover.prove(&claim)? {
            Outcome::Changed if with.on_change == OnChange::Recut => prover.recut(&claim, with.terms),
            outcome => Ok(outcome),
        })?;
        let proven = match outcome {
            Outcome::Proven(proven) => proven,
            Outcome::Changed => {
                selection.changed.push(candidate.row.path.clone());
                *taken_of_file.entry(candidate.row.path.clone()).or_default() += 1;
                taken.push((candidate.row.path, candidate.start_line, candidate.end_line));
                continue;
            }
            Outcome::Dropped(rule) => {
                exclude(rule.unwrap_or("gone"), "it is gone or may not be quoted any more", 0, None);
                continue;
            }
        };
        let class = Some(proven.class());
        if !(with.budget.may_have)(proven.class()) {
            exclude(PRIVACY, "the destination may not have text of its class", 0, class);
            continue;
        }
        if let Some(held) = holder(&proven, with.held) {
            exclude("held", "the conversation holds it already", 0, class);
            if selection.held.len() + taken.len() < with.budget.max_results && !selection.held.contains(held) {
                selection.held.push(held.clone());
            }
            continue;
        }
        if !sources.insert(source_hash(proven.text())) {
            exclude("duplicate", "the same text is quoted already", 0, class);
            continue;
        }
        let cost = timed(&mut quote_ms, || (with.budget.cost)(&proven));
        if tokens + cost > with.budget.max_tokens {
            exclude("budget", "it does not fit into the token budget", cost, class);
            continue;
        }
        tokens += cost;
        tests += usize::from(candidate.test);
        *taken_of_file.entry(candidate.row.path.clone()).or_default() += 1;
        taken.push((candidate.row.path, proven.start_line(), proven.end_line()));
        selection.snippets.push(*proven);
    }
    for candidate in left.into_iter().flatten() {
        let reason = Reason { code: "rank", text: "better candidates filled the answer".to_owned() };
        selection.exclude(with.project, &candidate, reason, candidate.bytes / 4, None);
    }
    (selection.prove_ms, selection.quote_ms) = (prove_ms, quote_ms);
    Ok(selection)
}

fn timed<T>(spent: &mut f64, work: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let done = work();
    *spent += milliseconds(started);
    done
}

/// The place of the candidate that adds most: a further quote of one file is worth less, unless the request names it.
fn next(left: &[Option<Candidate>], taken: &HashMap<RelPath, i32>, weights: &Weights) -> Option<usize> {
    let gain = |candidate: &Candidate| {
        let times = taken.get(&candidate.row.path).copied().unwrap_or(0);
        if candidate.named { candidate.score } else { candidate.score * weights.same_file.powi(times) }
    };
    let mut best: Option<(usize, f64)> = None;
    for (at, candidate) in left.iter().enumerate() {
        let Some(candidate) = candidate else { continue };
        let gain = gain(candidate);
        if best.is_none_or(|(_, most)| gain > most) {
            best = Some((at, gain));
        }
    }
    best.map(|(at, _)| at)
}

/// Whether two ranges share at least half of the smaller one.
fn overlaps(a: (u32, u32), b: (u32, u32)) -> bool {
    let shared = (a.1.min(b.1) + 1).saturating_sub(a.0.max(b.0));
    let smaller = (a.1 - a.0).min(b.1 - b.0) + 1;
    shared * 2 >= smaller
}

/// What the conversation holds of a quote, whole and unchanged.
fn holder<'a>(proven: &Proven, held: &'a [Held]) -> Option<&'a Held> {
    held.iter()
        .find(|held| held.path == *proven.path() && held.hash == proven.hash() && held.start_line <= proven.start_line() && proven.end_line() <= held.end_line)
}

/// The hash of a text with its white space collapsed.
fn source_hash(text: &str) -> Hash {
    Hash::of(text.split_whitespace().collect::<Vec<_>>().join(" ").as_bytes())
}

impl Selection {
    fn exclude(&mut self, project: &str, candidate: &Candidate, reason: Reason, tokens: usize, class: Option<Class>) {
        if self.excluded.len() == MAX_MANIFEST_EXCLUDED {
            *self.excluded_more.entry(reason.code).or_default() += 1;
            return;
        }
        self.excluded.push(Excluded {
            path: candidate.row.path.clone(),
            start_line: candidate.start_line,
            end_line: candidate.end_line,
            snippet_id: Claim::from(candidate).snippet_id(project, (candidate.start_line, candidate.end_line)),
            score: candidate.score,
            tokens,
            class,
            reason,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_overlap_from_half_of_the_smaller_on() {
        assert!(overlaps((1, 10), (6, 15)));
        assert!(!overlaps((1, 10), (7, 16)));
        assert!(overlaps((1, 100), (50, 52)));
        assert!(!overlaps((1, 3), (4, 9)));
    }

    #[test]
    fn white_space_does_not_make_a_source_another() {
        assert_eq!(source_hash("a  b\n\tc"), source_hash("a b c"));
        assert_ne!(source_hash("ab c"), source_hash("a b c"));
    }
}
