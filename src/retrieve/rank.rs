//! Candidate files to scored candidate quotes: named features, fused with the one table of weights.

use std::collections::{HashMap, HashSet};

use super::offer::{Text, candidates_of};
use super::recall::{Found, NamedSymbol, Recalled};
use super::role::{Asked, Role};
use super::term::{Term, Terms};
use super::weights::{Weights, bounds};
use super::window::{self, Window};
use super::{Ranking, Reason};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::places;
use crate::store::{FileRow, Reader, SymbolHit};
use crate::task::{RequestKind, TaskDescriptor};
use crate::terms;

/// A range of a file that could be quoted.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) row: FileRow,
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    pub(super) score: f64,
    /// Whether the request names it: its score is that of a tier, and does not fall with further snippets of its file.
    pub(super) named: bool,
    pub(super) test: bool,
    pub(super) cut: bool,
    /// The declaration that it quotes, or a part of it.
    pub(super) symbol: Option<SymbolHit>,
    pub(super) reasons: Vec<Reason>,
    /// Bytes of the quote in the index.
    pub(super) bytes: usize,
}

/// A file with its features, each from 0 to 1 but `windows` and `whole`, which are scaled by the best file's.
pub(super) struct Scored {
    pub(super) found: Found,
    pub(super) role: Role,
    /// Where the terms stand.
    pub(super) places: places::Found,
    pub(super) windows: Vec<Window>,
    pub(super) window_sum: f64,
    pub(super) whole: f64,
    pub(super) path_coverage: f64,
    pub(super) definitions: f64,
    pub(super) named_symbols: f64,
    /// Whether the request spells the file's name as words, and how many letters it has.
    pub(super) spelled_name: usize,
    /// The worth of the term that is the file's own name, as a share of the greatest.
    pub(super) own_name: f64,
    /// What the file's role makes of its score.
    pub(super) factor: f64,
    pub(super) score: f64,
}

/// Scores what was recalled; best first. Unless ungated, a candidate needs evidence that ties it to the request.
pub(super) fn rank(reader: &Reader<'_>, task: &TaskDescriptor, recalled: Recalled, ranking: &Ranking, cancel: &Cancel) -> Result<Vec<Candidate>> {
    let (weights, gated) = (&ranking.weights, !ranking.ungated);
    let asked = Asked::of(task);
    let Recalled { terms: query, files, .. } = recalled;
    let spelled = spelled_names(&task.title);
    let terms = Terms::new(&query);
    let total: f64 = query.iter().map(|term| term.worth).sum();
    let mut scored = Vec::with_capacity(files.len());
    for found in files {
        cancel.check()?;
        if cancel.is_late() {
            break;
        }
        let places = reader.places(found.row.id, &terms.numbers(found.holds))?;
        scored.push(features(found, places, &terms, total, &spelled, weights));
    }
    definitions(&mut scored, &query);
    fuse(&mut scored, asked, weights);
    let lookup = task.kind == RequestKind::Lookup;
    let mut candidates = Vec::new();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.found.row.path.cmp(&b.found.row.path)));
    for (place, file) in scored.iter().enumerate() {
        let named = file.found.path.is_some() || !file.found.symbols.is_empty();
        if place >= bounds::OFFERED && !named && !lookup {
            continue;
        }
        let text = Text::new(reader.text(file.found.row.id)?);
        candidates_of(file, &text, place, reader, task, &query, weights, gated, &mut candidates)?;
    }
    candidates.sort_by(order);
    if lookup && candidates.iter().any(|candidate| candidate.named) {
        candidates.retain(|candidate| candidate.named);
    }
    Ok(candidates)
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

fn features(found: Found, places: places::Found, query: &Terms<'_>, total: f64, spelled: &HashSet<String>, weights: &Weights) -> Scored {
    let terms = query.all;
    let windows = window::best(&places, terms, weights, bounds::WINDOWS_PER_FILE);
    let in_path = query.within(found.row.path.as_str());
    let path_worth: f64 = in_path.iter().map(|&term| terms[usize::from(term)].worth).sum();
    let window_sum = windows.iter().enumerate().map(|(at, window)| window.score * weights.window_decay.powi(at as i32)).sum::<f64>();
    let whole = whole_file(&places, &in_path, terms, weights);
    let named_symbols = found.symbols.iter().map(symbol_share).fold(0.0, f64::max);
    Scored {
        role: Role::of(&found.row.path, found.row.generated),
        path_coverage: if total > 0.0 { path_worth / total } else { 0.0 },
        definitions: 0.0,
        named_symbols,
        spelled_name: spelled_name(&found, spelled),
        own_name: own_name(&found, query),
        factor: 1.0,
        score: 0.0,
        found,
        places,
        windows,
        window_sum,
        whole,
    }
}

/// Words of a file name that a request may spell apart.
const NAME_WORDS: usize = 6;

/// Each run of two to six words of the title, glued and folded.
fn spelled_names(title: &str) -> HashSet<String> {
    let words: Vec<String> = terms::words(title).map(|word| squash(word.text)).collect();
    let mut names = HashSet::new();
    for start in 0..words.len() {
        for end in start + 2..=(start + NAME_WORDS).min(words.len()) {
            names.insert(words[start..end].concat());
        }
    }
    names
}

fn squash(text: &str) -> String {
    terms::fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn spelled_name(found: &Found, spelled: &HashSet<String>) -> usize {
    let stem = found.row.path.file_name().split('.').next().unwrap_or_default();
    let name = squash(stem);
    if spelled.contains(&name) { name.len() } else { 0 }
}

/// Whether one word of the request is the file's name, or its folder's where files are named alike (`index`, `mod`, `__init__`).
fn own_name(found: &Found, query: &Terms<'_>) -> f64 {
    let path = &found.row.path;
    let mut stem = path.file_name().split('.').next().unwrap_or_default();
    if matches!(stem, "index" | "mod" | "__init__" | "main" | "lib") {
        stem = path.components().rev().nth(1).unwrap_or(stem);
    }
    let whole = terms::index_text(stem);
    let whole = whole.split(' ').next().unwrap_or_default();
    let most = query.all.iter().map(|term| term.worth).fold(f64::MIN_POSITIVE, f64::max);
    query.all.iter().find(|term| term.text == whole).map_or(0.0, |term| term.worth / most)
}

/// BM25F of the whole file: body, declaration lines and path.
fn whole_file(places: &places::Found, in_path: &[u16], terms: &[Term], weights: &Weights) -> f64 {
    let mut counts = vec![0.0; terms.len()];
    for hit in &places.hits {
        counts[usize::from(hit.term)] += if hit.declaring { weights.declaration_line } else { 1.0 };
    }
    let norm = 1.0 - weights.length_norm + weights.length_norm * f64::from(places.bytes) / TYPICAL_BYTES;
    let sum = |at: usize, count: f64| {
        let tf = count / norm + if in_path.binary_search(&(at as u16)).is_ok() { weights.path_term } else { 0.0 };
        terms[at].worth * tf * (weights.k1 + 1.0) / (tf + weights.k1)
    };
    counts.iter().enumerate().map(|(at, &count)| sum(at, count)).sum()
}

/// Bytes of a typical source file: the unit of length normalisation.
const TYPICAL_BYTES: f64 = 8000.0;

/// A name that many files declare says less.
fn symbol_share(symbol: &NamedSymbol) -> f64 {
    let case = if symbol.same_case { 1.0 } else { 0.4 };
    case / (symbol.files as f64).sqrt()
}

/// For each term that is a declared name: the file's share of it, less where many files declare it.
fn definitions(scored: &mut [Scored], terms: &[Term]) {
    let mut files: HashMap<u16, f64> = HashMap::new();
    for file in scored.iter() {
        let mut own: Vec<u16> = file.places.declared.iter().map(|declared| declared.term).collect();
        own.sort_unstable();
        own.dedup();
        for term in own {
            *files.entry(term).or_default() += 1.0;
        }
    }
    for file in scored.iter_mut() {
        let mut own: HashMap<u16, f64> = HashMap::new();
        for declared in &file.places.declared {
            let strength = own.entry(declared.term).or_default();
            *strength = strength.max(declared.strength());
        }
        let mut parts: Vec<f64> = own.iter().map(|(term, strength)| strength * terms[usize::from(*term)].worth / files[term].sqrt()).collect();
        parts.sort_by(f64::total_cmp);
        file.definitions = parts.iter().sum();
    }
}

fn fuse(scored: &mut [Scored], asked: Asked, weights: &Weights) {
    let most = |value: fn(&Scored) -> f64, scored: &[Scored]| scored.iter().map(value).fold(f64::MIN_POSITIVE, f64::max);
    let windows = most(|file| file.window_sum, scored);
    let whole = most(|file| file.whole, scored);
    let definitions = most(|file| file.definitions, scored);
    let full_text = most(|file| file.found.full_text, scored);
    for file in scored.iter_mut() {
        let sum = weights.windows * file.window_sum / windows
            + weights.whole_file * file.whole / whole
            + weights.path_coverage * file.path_coverage
            + weights.definitions * file.definitions / definitions
            + weights.named_symbols * file.named_symbols
            + weights.own_name * file.own_name
            + weights.spelled_name * if file.spelled_name > 0 { 1.0 } else { 0.0 }
            + weights.phrases * if file.found.phrase_lines.is_empty() { 0.0 } else { 1.0 }
            + weights.commits * file.found.commits
            + weights.full_text * file.found.full_text / full_text
            + weights.modified * f64::from(u8::from(file.found.row.modified))
            + weights.tracked * f64::from(u8::from(file.found.row.tracked));
        file.factor = file.role.factor(asked, weights);
        file.score = sum * file.factor;
    }
    let greatest = most(|file| file.score, scored);
    for file in scored.iter_mut() {
        file.score /= greatest;
    }
}
