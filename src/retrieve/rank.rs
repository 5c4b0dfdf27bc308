//! Candidate files to scored candidate quotes: named features, fused with the one table of weights.

use super::features::{self, Explained, Title};
use super::offer::candidates_of;
use super::prove::Prover;
use super::recall::Recalled;
use super::role::{Asked, Role};
use super::term::Terms;
use super::weights::{Weights, bounds};
use super::window::Around;
use super::{Ranking, Reason, cut};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::rel_path::RelPath;
use crate::store::{FileRow, Reader, SymbolHit};
use crate::task::{FileMention, RequestKind, TaskDescriptor};

/// A range of a file that could be quoted.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) row: FileRow,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    /// Lines that hold a phrase of the request: a reason, if the quote has one of them.
    pub(super) phrases: Vec<(u32, String)>,
    /// What the lines are to be cut around: until then they are those that the quote has at most.
    pub(super) around: Option<Around>,
    pub(super) score: f64,
    /// Whether the request names it: its score is that of a tier, and does not fall with further snippets of its file.
    pub(super) named: bool,
    pub(super) test: bool,
    pub(super) cut: bool,
    /// The declaration that it quotes, or a part of it.
    pub(super) symbol: Option<SymbolHit>,
    pub(super) reasons: Vec<Reason>,
    /// Bytes of the quote, about.
    pub(super) bytes: usize,
}

/// Scores what was recalled; best first. Unless ungated, a candidate needs evidence that ties it to the request.
pub(super) fn rank(
    reader: &Reader<'_>,
    task: &TaskDescriptor,
    recalled: Recalled,
    ranking: &Ranking,
    prover: &mut Prover<'_>,
    cancel: &Cancel,
) -> Result<(Vec<Candidate>, Vec<Explained>)> {
    let (weights, gated) = (&ranking.weights, !ranking.ungated);
    let asked = Asked::of(task);
    let Recalled { terms: query, files, .. } = recalled;
    let terms = Terms::new(&query);
    let title = Title::of(&task.title, &terms);
    let total: f64 = query.iter().map(|term| term.worth).sum();
    let mut scored = Vec::with_capacity(files.len());
    for found in files {
        cancel.check()?;
        if cancel.is_late() {
            break;
        }
        let places = reader.places(found.row.id, &terms.numbers(found.holds))?;
        scored.push(features::of(found, places, &terms, total, &title, weights));
    }
    features::fuse(&mut scored, &query, asked, weights);
    let lookup = task.kind == RequestKind::Lookup;
    let mut candidates = Vec::new();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.found.row.path.cmp(&b.found.row.path)));
    for (place, file) in scored.iter().enumerate() {
        let named = file.found.path.is_some() || !file.found.symbols.is_empty();
        if place >= bounds::OFFERED && !named && !lookup {
            continue;
        }
        if cancel.is_late() {
            break;
        }
        candidates_of(file, place, reader, prover, task, &query, weights, gated, &mut candidates)?;
    }
    for (order, mention) in task.files.iter().enumerate() {
        if cancel.is_late() {
            break;
        }
        candidates.extend(unindexed(mention, order, reader, prover, weights)?);
    }
    candidates.sort_by(order);
    if lookup && candidates.iter().any(|candidate| candidate.named) {
        candidates.retain(|candidate| candidate.named);
    }
    let explained = scored.iter().map(|file| features::explain(file, weights)).collect();
    Ok((candidates, explained))
}

/// The lines that a request names in a file that the index does not know yet, or its beginning; `None` for a path of which it knows all that there is.
fn unindexed(mention: &FileMention, order: usize, reader: &Reader<'_>, prover: &mut Prover<'_>, weights: &Weights) -> Result<Option<Candidate>> {
    let Ok(path) = RelPath::parse(&mention.path) else { return Ok(None) };
    if reader.file_at(&path)?.is_some() || reader.refusal_of(&path)?.is_some() || !prover.is_listed(&path)? {
        return Ok(None);
    }
    let (start_line, end_line) = mention.line.map_or((1, bounds::WINDOW), |line| cut::around(line, u32::MAX));
    Ok(Some(Candidate {
        test: Role::of(&path, false) == Role::Test,
        score: weights.path - order as f64 / 100.0,
        reasons: vec![Reason { code: "exact-path", text: format!("exact path {path}") }],
        row: FileRow::unknown(path),
        start_line,
        end_line,
        phrases: Vec::new(),
        around: None,
        named: true,
        cut: false,
        symbol: None,
        bytes: 0,
    }))
}

/// Score, then modified first, path, line.
pub(super) fn order(a: &Candidate, b: &Candidate) -> std::cmp::Ordering {
    b.score
        .total_cmp(&a.score)
        .then(b.row.modified.cmp(&a.row.modified))
        .then(a.row.path.cmp(&b.row.path))
        .then(a.start_line.cmp(&b.start_line))
        .then(a.end_line.cmp(&b.end_line))
}
