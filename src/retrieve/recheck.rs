//! What became of quotations since they were made, and single reads for callers who name what they want.

use std::collections::BTreeMap;

use super::Weights;
use super::prove::{Claim, Named, Outcome, Proven, Prover, excluded};
use super::term::Term;
use super::{Budget, Reason, recall};
use crate::cancel::Cancel;
use crate::classify::{Class, PRIVACY};
use crate::error::{Code, Error, Result};
use crate::exclude::RuleId;
use crate::hash::Hash;
use crate::limits::Bounds;
use crate::rel_path::RelPath;
use crate::root::Root;
use crate::store::{Reader, Store};
use crate::sync;
use crate::task;

/// A quotation that is part of the conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Quoted {
    pub snippet_id: Hash,
    pub path: RelPath,
    pub hash: Hash,
    pub start_line: u32,
    pub end_line: u32,
    /// The qualified name of the declaration that was quoted.
    pub symbol: Option<String>,
}

/// A quoted file that is another now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    pub path: RelPath,
    pub old: Hash,
    /// `None` if the file is gone.
    pub new: Option<Hash>,
}

/// A quotation that may not stay: a rule keeps its file out now, or its class from the destination.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    pub snippet_id: Hash,
    pub path: RelPath,
    /// The id of the rule, or [`PRIVACY`].
    pub rule: RuleId,
    /// The class that forbids it, for [`PRIVACY`].
    pub class: Option<Class>,
}

/// What became of quotations.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Recheck {
    /// Each changed file once, in order of its path.
    pub changed: Vec<Change>,
    pub revoked: Vec<Revoked>,
    /// New quotations for the old ones of changed files, within the budget.
    pub renewed: Vec<Proven>,
}

/// Proves quotations again. Changed files are indexed anew, and what was quoted of them is quoted again as it is now: the declaration of the
/// same name, else the lines that hold most of the request's words.
///
/// # Errors
/// `Cancelled`; `RootReplaced`; store errors.
#[allow(clippy::too_many_arguments)]
pub fn recheck(root: &Root, store: &Store, bounds: &Bounds, request: &str, quoted: &[Quoted], budget: &Budget<'_>, cancel: &Cancel) -> Result<Recheck> {
    root.verify()?;
    let mut prover = Prover::new(root, bounds, cancel);
    let mut result = Recheck::default();
    let mut changes: BTreeMap<RelPath, Change> = BTreeMap::new();
    let mut stale = Vec::new();
    for quote in quoted {
        cancel.check()?;
        match prover.hash_of(&quote.path)? {
            Ok(hash) => {
                // What was quoted of another version may stand anywhere in this one.
                let lines = if hash == quote.hash { (quote.start_line, quote.end_line) } else { (1, u32::MAX) };
                let class = prover.class_of(&quote.path, lines)?.filter(|class| !(budget.may_have)(*class));
                if class.is_some() {
                    result.revoked.push(Revoked { snippet_id: quote.snippet_id, path: quote.path.clone(), rule: PRIVACY, class });
                }
                if hash != quote.hash {
                    changes.entry(quote.path.clone()).or_insert_with(|| Change { path: quote.path.clone(), old: quote.hash, new: Some(hash) });
                    stale.push(quote);
                }
            }
            Err(Some(rule)) => result.revoked.push(Revoked { snippet_id: quote.snippet_id, path: quote.path.clone(), rule, class: None }),
            Err(None) => {
                changes.entry(quote.path.clone()).or_insert_with(|| Change { path: quote.path.clone(), old: quote.hash, new: None });
            }
        }
    }
    if stale.is_empty() {
        result.changed = changes.into_values().collect();
        return Ok(result);
    }
    let task = task::describe(request);
    let (terms, claims) = {
        let reader = store.reader_within(cancel)?;
        let terms: Vec<Term> = recall::query_terms(&reader, &task, &Weights::default())?.0;
        let mut claims = Vec::new();
        for quote in &stale {
            claims.push(claim_of(&reader, quote)?);
        }
        (terms, claims)
    };
    for change in changes.values().filter(|change| change.new.is_some()) {
        sync::reindex(root, store, bounds, &change.path)?;
    }
    let mut tokens = 0;
    for claim in &claims {
        if result.renewed.len() == budget.max_results || cancel.should_stop() {
            break;
        }
        let Outcome::Proven(proven) = prover.recut(claim, &terms)? else { continue };
        if !(budget.may_have)(proven.class()) {
            continue;
        }
        let cost = (budget.cost)(&proven);
        let known = result.renewed.iter().any(|known| known.snippet_id() == proven.snippet_id());
        if !known && tokens + cost <= budget.max_tokens {
            tokens += cost;
            result.renewed.push(*proven);
        }
    }
    result.changed = changes.into_values().collect();
    Ok(result)
}

/// What was quoted, with its declaration: the one that the caller names, else the one that the index knew at its place.
fn claim_of(reader: &Reader<'_>, quote: &Quoted) -> Result<Claim> {
    let mut symbol = None;
    if let Some(row) = reader.file_at(&quote.path)? {
        let mut symbols = reader.symbols_of(row.id)?;
        match &quote.symbol {
            Some(name) => symbols.retain(|hit| hit.qualified_name == *name),
            None if row.hash == quote.hash => {}
            // The lines of another version say nothing about this one's declarations.
            None => symbols.clear(),
        }
        symbol = symbols
            .into_iter()
            .map(|hit| (likeness((hit.span.start_line, hit.span.end_line), (quote.start_line, quote.end_line)), hit))
            .filter(|(likeness, _)| quote.symbol.is_some() || *likeness > 0.0)
            .max_by(|(a, _), (b, _)| a.total_cmp(b))
            .map(|(_, hit)| Named { kind: hit.kind, qualified_name: hit.qualified_name, span: hit.span });
    }
    Ok(Claim {
        path: quote.path.clone(),
        hash: quote.hash,
        lines: (quote.start_line, quote.end_line),
        cut: false,
        score: 0.0,
        reasons: vec![Reason { code: "renewed", text: "quoted before, and changed since".to_owned() }],
        modified: true,
        asked_for: false,
        symbol,
    })
}

/// The lines of a file (`None`: all of it) as it is now, proven like every quotation, and how many lines the file has. Only what a listing would
/// list is read.
///
/// # Errors
/// `NotFound`; `Excluded` naming the rule; `Changed` if `expected` is given and is not the file's hash; `InvalidArgument` for lines that it
/// does not have; `RootReplaced`; `Io`.
pub fn read(root: &Root, bounds: &Bounds, path: &RelPath, lines: Option<(u32, u32)>, expected: Option<Hash>) -> Result<(Proven, u32)> {
    root.verify()?;
    if lines.is_some_and(|(start, end)| start == 0 || end < start) {
        return Err(Error::new(Code::InvalidArgument, "lines: give a first line of at least 1 and a last line that is not before it"));
    }
    let mut prover = Prover::new(root, bounds, &Cancel::default());
    let hash = prover.demanded(path)?.hash;
    if expected.is_some_and(|expected| expected != hash) {
        return Err(Error::new(Code::Changed, format!("{path}: the file is another than the given hash names; its hash is {hash}")));
    }
    prover.exactly(path, lines, false)?.map_err(|rule| match rule {
        Some(rule) => excluded(path, rule),
        None => Error::new(Code::InvalidArgument, format!("lines: {path} does not have them")),
    })
}

/// The share of lines that two ranges have in common, of all lines that either has.
fn likeness(a: (u32, u32), b: (u32, u32)) -> f64 {
    let shared = (a.1.min(b.1) + 1).saturating_sub(a.0.max(b.0));
    let all = a.1.max(b.1) + 1 - a.0.min(b.0);
    f64::from(shared) / f64::from(all)
}
