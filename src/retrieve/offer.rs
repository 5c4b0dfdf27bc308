//! What a scored file offers to be quoted, with the reasons.

use std::collections::HashSet;

use super::features::Scored;
use super::prove::Prover;
use super::rank::Candidate;
use super::recall::Near;
use super::role::Role;
use super::term::Term;
use super::weights::{Weights, bounds};
use super::window::{self, Around, Window, Worth};
use super::{Reason, cut};
use crate::declaration;
use crate::error::Result;
use crate::places::Found;
use crate::store::{Reader, SymbolHit};
use crate::task::{RequestKind, TaskDescriptor};
use crate::terms::query_terms;

fn reason(code: &'static str, text: impl Into<String>) -> Reason {
    Reason { code, text: text.into() }
}

/// Lines of one file that are quoted for declaring the same name.
const DECLARED_PER_FILE: usize = 3;
/// Chunks of one file that are quoted for their meaning alone.
const NEAR_PER_FILE: usize = 2;
/// The best files, of which declarations around the evidence are looked up.
const ENCLOSED_FILES: usize = 12;

/// The quotes that a file offers.
#[allow(clippy::too_many_arguments)]
pub(super) fn candidates_of(
    file: &Scored,
    place: usize,
    reader: &Reader<'_>,
    prover: &mut Prover<'_>,
    task: &TaskDescriptor,
    terms: &[Term],
    weights: &Weights,
    gated: bool,
    out: &mut Vec<Candidate>,
) -> Result<()> {
    let lookup = task.kind == RequestKind::Lookup;
    let inside = |share: f64| weights.inside_tier * (0.25 * file.score + 0.75 * share * file.factor);
    let start = out.len();
    let count = file.found.row.lines;
    let a_line = f64::from(file.places.bytes) / f64::from(count.max(1));
    let make = |lines: (u32, u32), score: f64, named: bool, reasons: Vec<Reason>, symbol: Option<SymbolHit>, cut: bool| Candidate {
        row: file.found.row.clone(),
        start_line: lines.0,
        end_line: lines.1,
        around: None,
        phrases: Vec::new(),
        score,
        named,
        test: file.role == Role::Test,
        cut,
        symbol,
        reasons,
        bytes: (f64::from((lines.1 + 1).saturating_sub(lines.0)) * a_line) as usize,
    };
    let make_around = |around: Around, score: f64, named: bool, reasons: Vec<Reason>, symbol: Option<SymbolHit>| Candidate {
        around: Some(around.clone()),
        ..make(around.most(count), score, named, reasons, symbol, false)
    };
    let same_names: Vec<SymbolHit> = file.found.symbols.iter().map(|symbol| symbol.hit.clone()).collect();
    for symbol in &file.found.symbols {
        let qualified = symbol.wanted.contains('.');
        let tier = match () {
            () if symbol.qualified => weights.qualified_symbol,
            () if lookup && symbol.same_case && !qualified && !is_minor(&symbol.hit) => weights.symbol,
            () if lookup => weights.declared,
            () => continue,
        };
        let code = if symbol.qualified {
            "exact-qualified-symbol"
        } else if symbol.same_case {
            "exact-symbol"
        } else {
            "symbol"
        };
        let (lines, cut) = cut::declaration_with_its_like(&symbol.hit, &same_names, count);
        let share = kind_share(&symbol.hit) * if is_alias(&symbol.hit) { ALIAS } else { 1.0 };
        let why = format!("{} {}", code.replace('-', " "), symbol.hit.qualified_name);
        out.push(make(lines, tier + inside(share), true, vec![reason(code, why)], Some(symbol.hit.clone()), cut));
    }
    let lines_of_symbols: Vec<(u32, u32)> = out[start..].iter().map(|candidate| (candidate.start_line, candidate.end_line)).collect();
    if lookup {
        for name in &task.symbols {
            let simple = name.rsplit('.').next().unwrap_or(name);
            let is_of_symbol = |line: u32| lines_of_symbols.iter().any(|(start, end)| (*start..=*end).contains(&line));
            let whole = query_terms(simple).into_iter().next();
            let is_named = |term: u16| whole.as_ref().is_some_and(|whole| terms[usize::from(term)].text == *whole);
            let declared = file.places.declared.iter().filter(|declared| is_named(declared.term) && !is_of_symbol(declared.line));
            let mut declared: Vec<_> = declared.collect();
            if declared.is_empty() {
                continue;
            }
            let text = prover.as_indexed(&file.found.row)?;
            // The index knows names without their case. Of a file that it does not know as it is now, the proof will tell.
            declared.retain(|declared| text.is_none_or(|(text, lines)| declares(lines.slice(text, declared.line, declared.line), simple)));
            declared.sort_by(|a, b| b.strength().total_cmp(&a.strength()).then(a.line.cmp(&b.line)));
            for declared in declared.into_iter().take(DECLARED_PER_FILE) {
                let lines = text.map_or_else(|| cut::around(declared.line, count), |(text, lines)| cut::from_line(declared.line, lines, text));
                out.push(make(
                    lines,
                    weights.declared + inside(declared.strength()),
                    true,
                    vec![reason("declared-symbol", format!("declares {simple}"))],
                    None,
                    false,
                ));
            }
        }
    }
    let windows = window::best(&file.places, &Worth::among_lines(terms, &file.places, weights), weights, bounds::WINDOWS_PER_FILE);
    let (best, beginning) = (windows.first(), (1, bounds::WINDOW.min(count).max(1)));
    if lookup && task.symbols.is_empty() && task.files.is_empty() && file.spelled_name > 0 {
        let (score, named) = (weights.base_name + inside((file.spelled_name as f64 / 40.0).min(1.0)), true);
        let why = vec![reason("file-name", format!("file name {}", file.found.row.path))];
        out.push(match best {
            Some(window) => make_around(Around::new(*window, &file.places.hits, bounds::WINDOW), score, named, why, None),
            None => make(beginning, score, named, why, None, false),
        });
    }
    if let Some(path) = file.found.path {
        let tier = if path.exact { weights.path } else { weights.base_name };
        let code = if path.exact { "exact-path" } else { "file-name" };
        if path.exact || lookup {
            let symbol = path.line.map(|line| innermost(reader, file, line)).transpose()?.flatten();
            let share = 1.0 / (1.0 + 0.25 * path.order.min(100) as f64);
            let nearer = path.depth as f64 / 100.0 - file.found.row.path.depth() as f64 / 1000.0;
            let (score, named) = (tier + inside(share) * 0.9 + nearer, true);
            let why = vec![reason(code, format!("{} {}", code.replace('-', " "), file.found.row.path))];
            let (lines, cut) = match (&symbol, path.line, best) {
                (Some(symbol), Some(line), _) => cut::declaration_around(symbol, line, count),
                (None, Some(line), _) => (cut::around(line, count), false),
                _ => (beginning, false),
            };
            out.push(match best.filter(|window| path.line.is_none() && words_in(window, &file.places).len() > path_only_terms(file)) {
                Some(window) => make_around(Around::new(*window, &file.places.hits, bounds::WINDOW), score, named, why, None),
                None => make(lines, score, named, why, symbol, cut),
            });
        }
    }
    let sure = file.score * weights.quote_lines_decay.powi(place as i32);
    let length = (weights.quote_lines + weights.quote_lines_best * sure).round() as u32;
    let best_score = best.map_or(1.0, |window| window.score);
    for (at, window) in windows.iter().enumerate() {
        let found = words_in(window, &file.places);
        if gated && !has_evidence(&found, file, terms) {
            continue;
        }
        let symbol = if at < 2 && place < ENCLOSED_FILES { enclosing(reader, file, window)? } else { None };
        let share = file.score * if best_score > 0.0 { window.score / best_score } else { 1.0 };
        let mut reasons = Vec::new();
        if let Some(symbol) = file.found.symbols.iter().find(|symbol| symbol.same_case) {
            reasons.push(reason("symbol", format!("declares {}", symbol.hit.name)));
        }
        if let Some(hash) = file.found.commit.as_ref().filter(|_| file.found.commits >= SIMILAR) {
            reasons.push(reason("similar-commit", format!("touched by similar commit {}", &hash[..hash.len().min(10)])));
        }
        let words: Vec<&str> = found.iter().take(6).map(|&term| terms[usize::from(term)].text.as_str()).collect();
        reasons.push(reason("full-text", format!("matches {}", words.join(", "))));
        let around = Around::new(*window, &file.places.hits, length);
        out.push(Candidate { phrases: file.found.phrase_lines.clone(), ..make_around(around, weights.lexical_most * share, false, reasons, symbol) });
    }
    let shown: Vec<(u32, u32)> = out[start..].iter().map(|candidate| (candidate.start_line, candidate.end_line)).collect();
    let Some(closest) = file.found.near.first() else { return Ok(()) };
    let is_shown = |near: &Near| shown.iter().any(|(start, end)| near.start_line <= *end && *start <= near.end_line);
    for near in file.found.near.iter().filter(|near| !is_shown(near)).take(NEAR_PER_FILE) {
        if gated && near.similarity < weights.near_evidence {
            continue;
        }
        let window = Window { first: near.start_line, last: near.end_line, centre: near.start_line, score: near.similarity };
        let share = file.score * near.similarity / closest.similarity * if shown.is_empty() { 1.0 } else { weights.near_beside_words };
        out.push(make_around(Around::new(window, &[], length), weights.lexical_most * share, false, vec![reason("semantic", "close in meaning")], None));
    }
    Ok(())
}

/// A property, a variable or a module that stands elsewhere (`mod x;`) is rarely what a name asks for where something else bears it.
fn is_minor(hit: &SymbolHit) -> bool {
    use crate::syntax::SymbolKind as Kind;
    (hit.kind == Kind::Namespace && hit.elsewhere)
        || matches!(hit.kind, Kind::Property | Kind::EnumMember | Kind::Impl | Kind::Section | Kind::Key | Kind::Package)
        || (hit.kind == Kind::Variable && !hit.exported)
}

/// What an export of a name under itself (`exports.x = x`, `type X = typeof X`) counts beside its declaration.
const ALIAS: f64 = 0.2;

fn is_alias(hit: &SymbolHit) -> bool {
    hit.kind != crate::syntax::SymbolKind::Namespace && hit.elsewhere
}

/// Whether a line declares the very name.
fn declares(line: &str, name: &str) -> bool {
    declaration::declared_name(line).is_some_and(|(declared, _)| declared == name)
}

/// The declaration of a kind that people ask for stands before a member of the same name.
fn kind_share(hit: &SymbolHit) -> f64 {
    use crate::syntax::SymbolKind as Kind;
    let kind = match hit.kind {
        Kind::Class | Kind::Interface | Kind::Trait | Kind::Enum | Kind::Struct | Kind::Type | Kind::Function | Kind::Macro | Kind::Namespace => 0.8,
        Kind::Method | Kind::Constructor | Kind::Accessor | Kind::Constant => 0.6,
        Kind::Variable | Kind::Property | Kind::EnumMember | Kind::Impl | Kind::Section | Kind::Key | Kind::Package | Kind::Import => 0.3,
    };
    kind + if hit.exported { 0.2 } else { 0.0 }
}

/// The different words of the request that a window holds, by their numbers in the scan.
fn words_in(window: &Window, places: &Found) -> Vec<u16> {
    let mut found: Vec<u16> = places.hits.iter().filter(|hit| (window.first..=window.last).contains(&hit.line)).map(|hit| hit.term).collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// How many different terms a file has to hold before its words, and not its beginning, are quoted for its path.
fn path_only_terms(file: &Scored) -> usize {
    usize::from(file.values.path_coverage > 0.0) * 2
}

/// The share of the commits' votes from which on they are a reason.
const SIMILAR: f64 = 0.25;

/// Files in which a term may stand and still be rare: one such term is evidence.
const RARE: u64 = 12;

/// What ties a window to the request: two of its words, of which one may stand in the path, one rare word, or something named. If the request has more words
/// that the project holds, the file's own name is enough, and the words that similar commits said count like those of its path.
fn has_evidence(found: &[u16], file: &Scored, terms: &[Term]) -> bool {
    let says_more = whole_words(terms.iter()).nth(1).is_some();
    let named = file.found.path.is_some() || file.found.symbols.iter().any(|symbol| symbol.same_case) || file.is_named_by_a_word(says_more);
    if named || !file.found.phrase_lines.is_empty() {
        return true;
    }
    let of_path = file.in_path.iter().filter(|term| !found.contains(term));
    let mut held = found.iter().chain(of_path).map(|&term| &terms[usize::from(term)]);
    let voted = file.found.said.iter().map(|&term| &terms[term]).filter(|_| says_more && file.found.commits >= SIMILAR);
    let is_tied = held.clone().next().is_some() && whole_words(held.clone().chain(voted)).map(|term| &term.text).collect::<HashSet<_>>().len() >= 2;
    is_tied || held.any(|term| term.count <= RARE && term.text.chars().count() >= 4)
}

/// Those of some words that are no part of another.
fn whole_words<'a>(terms: impl Iterator<Item = &'a Term> + Clone) -> impl Iterator<Item = &'a Term> {
    let is_part = |term: &Term, other: &Term| other.text.len() > term.text.len() && other.text.contains(&term.text);
    terms.clone().filter(move |term| !terms.clone().any(|other| is_part(term, other)))
}

/// The smallest declaration that holds the line.
fn innermost(reader: &Reader<'_>, file: &Scored, line: u32) -> Result<Option<SymbolHit>> {
    let symbols = reader.symbols_at(file.found.row.id, line)?;
    Ok(symbols.into_iter().min_by_key(|hit| hit.span.end_line - hit.span.start_line))
}

/// The smallest declaration that holds all evidence of a window and is worth quoting as a whole or in part.
fn enclosing(reader: &Reader<'_>, file: &Scored, window: &Window) -> Result<Option<SymbolHit>> {
    let symbols = reader.symbols_at(file.found.row.id, window.centre)?;
    let holds = |hit: &SymbolHit| hit.span.end_line > hit.span.start_line + 3;
    Ok(symbols.into_iter().filter(holds).min_by_key(|hit| hit.span.end_line - hit.span.start_line))
}
