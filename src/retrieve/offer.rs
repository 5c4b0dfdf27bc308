//! What a scored file offers to be quoted, with the reasons.

use super::features::Scored;
use super::rank::Candidate;
use super::recall::Near;
use super::role::Role;
use super::term::Term;
use super::weights::{Weights, bounds};
use super::window::{self, Window};
use super::{Reason, cut};
use crate::declaration;
use crate::error::Result;
use crate::lines::LineIndex;
use crate::places::Found;
use crate::store::{Reader, SymbolHit};
use crate::task::{RequestKind, TaskDescriptor};

fn reason(code: &'static str, text: impl Into<String>) -> Reason {
    Reason { code, text: text.into() }
}

/// Lines of one file that are quoted for declaring the same name.
const DECLARED_PER_FILE: usize = 3;
/// Chunks of one file that are quoted for their meaning alone.
const NEAR_PER_FILE: usize = 2;
/// The best files, of which declarations around the evidence are looked up.
const ENCLOSED_FILES: usize = 12;

/// The text of a file as it is in the index.
pub(super) struct Text {
    pub(super) text: String,
    pub(super) lines: LineIndex,
}

impl Text {
    pub(super) fn new(text: String) -> Self {
        Text { lines: LineIndex::new(&text), text }
    }

    fn declares(&self, line: u32, name: &str) -> bool {
        declaration::declared_name(self.lines.slice(&self.text, line, line)).is_some_and(|(declared, _)| declared == name)
    }
}

/// The quotes that a file offers.
#[allow(clippy::too_many_arguments)]
pub(super) fn candidates_of(
    file: &Scored,
    text: &Text,
    place: usize,
    reader: &Reader<'_>,
    task: &TaskDescriptor,
    terms: &[Term],
    weights: &Weights,
    gated: bool,
    out: &mut Vec<Candidate>,
) -> Result<()> {
    let lookup = task.kind == RequestKind::Lookup;
    let inside = |share: f64| weights.inside_tier * (0.25 * file.score + 0.75 * share * file.factor);
    let start = out.len();
    let make = |lines: (u32, u32), score: f64, named: bool, reasons: Vec<Reason>, symbol: Option<SymbolHit>, cut: bool| Candidate {
        row: file.found.row.clone(),
        start_line: lines.0,
        end_line: lines.1,
        score,
        named,
        test: file.role == Role::Test,
        cut,
        symbol,
        reasons,
        bytes: text.lines.bytes(lines.0, lines.1).len(),
    };
    let same_names: Vec<SymbolHit> = file.found.symbols.iter().map(|symbol| symbol.hit.clone()).collect();
    for symbol in &file.found.symbols {
        let qualified = symbol.wanted.contains('.');
        let tier = match () {
            () if symbol.qualified => weights.qualified_symbol,
            () if lookup && symbol.same_case && !qualified && !is_minor(text, &symbol.hit) => weights.symbol,
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
        let (lines, cut) = cut::declaration_with_its_like(&symbol.hit, &same_names, &text.lines);
        let share = kind_share(&symbol.hit) * if is_alias(text, &symbol.hit) { ALIAS } else { 1.0 };
        let why = format!("{} {}", code.replace('-', " "), symbol.hit.qualified_name);
        out.push(make(lines, tier + inside(share), true, vec![reason(code, why)], Some(symbol.hit.clone()), cut));
    }
    let lines_of_symbols: Vec<(u32, u32)> = out[start..].iter().map(|candidate| (candidate.start_line, candidate.end_line)).collect();
    if lookup {
        for name in &task.symbols {
            let simple = name.rsplit('.').next().unwrap_or(name);
            let mut declared: Vec<_> = file.places.declared.iter().filter(|declared| text.declares(declared.line, simple)).collect();
            declared.sort_by(|a, b| b.strength().total_cmp(&a.strength()).then(a.line.cmp(&b.line)));
            for declared in declared
                .into_iter()
                .filter(|declared| !lines_of_symbols.iter().any(|(start, end)| (*start..=*end).contains(&declared.line)))
                .take(DECLARED_PER_FILE)
            {
                let lines = cut::from_line(declared.line, &text.lines, &text.text);
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
    let best = file.windows.first();
    if lookup && task.symbols.is_empty() && task.files.is_empty() && file.spelled_name > 0 {
        let lines = best.map_or((1, bounds::WINDOW.min(text.lines.count()).max(1)), |window| {
            window::lines_around(window, &file.places.hits, &text.lines, &text.text, bounds::WINDOW)
        });
        let share = (file.spelled_name as f64 / 40.0).min(1.0);
        out.push(make(lines, weights.base_name + inside(share), true, vec![reason("file-name", format!("file name {}", file.found.row.path))], None, false));
    }
    if let Some(path) = file.found.path {
        let tier = if path.exact { weights.path } else { weights.base_name };
        let code = if path.exact { "exact-path" } else { "file-name" };
        if path.exact || lookup {
            let symbol = path.line.map(|line| innermost(reader, file, line)).transpose()?.flatten();
            let (lines, cut) = match (&symbol, path.line, best) {
                (Some(symbol), Some(line), _) => cut::declaration_around(symbol, line, &text.lines),
                (None, Some(line), _) => (cut::around(line, &text.lines), false),
                (_, None, Some(window)) if words_in(window, &file.places).len() > path_only_terms(file) => {
                    (window::lines_around(window, &file.places.hits, &text.lines, &text.text, bounds::WINDOW), false)
                }
                _ => ((1, bounds::WINDOW.min(text.lines.count()).max(1)), false),
            };
            let share = 1.0 / (1.0 + 0.25 * path.order.min(100) as f64);
            let nearer = path.depth as f64 / 100.0 - file.found.row.path.depth() as f64 / 1000.0;
            out.push(make(
                lines,
                tier + inside(share) * 0.9 + nearer,
                true,
                vec![reason(code, format!("{} {}", code.replace('-', " "), file.found.row.path))],
                symbol,
                cut,
            ));
        }
    }
    let length = (weights.quote_lines + weights.quote_lines_best * weights.quote_lines_decay.powi(place as i32)).round() as u32;
    let best_score = best.map_or(1.0, |window| window.score);
    for (at, window) in file.windows.iter().enumerate() {
        let found = distinct_terms(window, &file.places, terms);
        if gated && !has_evidence(&found, file, terms) {
            continue;
        }
        let symbol = if at < 2 && place < ENCLOSED_FILES { enclosing(reader, file, window)? } else { None };
        let (lines, cut) = match &symbol {
            Some(symbol) => cut::around_window(symbol, window, &file.places.hits, &text.lines, &text.text, length),
            None => (window::lines_around(window, &file.places.hits, &text.lines, &text.text, length), false),
        };
        let share = file.score * if best_score > 0.0 { window.score / best_score } else { 1.0 };
        let mut reasons = Vec::new();
        if let Some((_, phrase)) = file.found.phrase_lines.iter().find(|(line, _)| (lines.0..=lines.1).contains(line)) {
            reasons.push(reason("phrase", format!("exact phrase {phrase}")));
        }
        if let Some(symbol) = file.found.symbols.iter().find(|symbol| symbol.same_case) {
            reasons.push(reason("symbol", format!("declares {}", symbol.hit.name)));
        }
        if let Some(hash) = file.found.commit.as_ref().filter(|_| file.found.commits >= SIMILAR) {
            reasons.push(reason("similar-commit", format!("touched by similar commit {}", &hash[..hash.len().min(10)])));
        }
        let words: Vec<&str> = found.iter().take(6).map(|&term| terms[usize::from(term)].text.as_str()).collect();
        reasons.push(reason("full-text", format!("matches {}", words.join(", "))));
        out.push(make(lines, weights.lexical_most * share, false, reasons, symbol, cut));
    }
    let shown: Vec<(u32, u32)> = out[start..].iter().map(|candidate| (candidate.start_line, candidate.end_line)).collect();
    let Some(closest) = file.found.near.first() else { return Ok(()) };
    let is_shown = |near: &Near| shown.iter().any(|(start, end)| near.start_line <= *end && *start <= near.end_line);
    for near in file.found.near.iter().filter(|near| !is_shown(near)).take(NEAR_PER_FILE) {
        if gated && near.similarity < weights.near_evidence {
            continue;
        }
        let window = Window { first: near.start_line, last: near.end_line, centre: near.start_line, score: near.similarity };
        let lines = window::lines_around(&window, &[], &text.lines, &text.text, length);
        let share = file.score * near.similarity / closest.similarity * if shown.is_empty() { 1.0 } else { weights.near_beside_words };
        out.push(make(lines, weights.lexical_most * share, false, vec![reason("semantic", "close in meaning")], None, false));
    }
    Ok(())
}

/// A property, a variable or a module that stands elsewhere (`mod x;`) is rarely what a name asks for where something else bears it.
fn is_minor(text: &Text, hit: &SymbolHit) -> bool {
    use crate::syntax::SymbolKind as Kind;
    let stands_elsewhere = || {
        hit.span.start_line == hit.span.end_line
            && text.text.get(hit.span.start_byte as usize..hit.span.end_byte as usize).is_some_and(|text| text.ends_with(';'))
    };
    (hit.kind == Kind::Namespace && stands_elsewhere())
        || matches!(hit.kind, Kind::Property | Kind::EnumMember | Kind::Impl | Kind::Section | Kind::Key | Kind::Package)
        || (hit.kind == Kind::Variable && !hit.exported)
}

/// What an export of a name under itself (`exports.x = x`, `type X = typeof X`) counts beside its declaration.
const ALIAS: f64 = 0.2;

fn is_alias(text: &Text, hit: &SymbolHit) -> bool {
    let own = text.lines.slice(&text.text, hit.span.start_line, hit.span.end_line);
    own.split_once('=').is_some_and(|(_, value)| value.trim().trim_start_matches("typeof ").trim_end_matches([';', ',']) == hit.name)
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

fn distinct_terms(window: &Window, places: &Found, terms: &[Term]) -> Vec<u16> {
    let mut found = words_in(window, places);
    found.retain(|&term| usize::from(term) < terms.len());
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

/// What ties a window to the request: two of its words, one rare word, or something named.
fn has_evidence(found: &[u16], file: &Scored, terms: &[Term]) -> bool {
    if !file.found.phrase_lines.is_empty() || file.found.path.is_some() || file.found.symbols.iter().any(|symbol| symbol.same_case) {
        return true;
    }
    let texts: Vec<&Term> = found.iter().map(|&term| &terms[usize::from(term)]).collect();
    let own = |term: &&&Term| !texts.iter().any(|other| other.text.len() > term.text.len() && other.text.contains(&term.text));
    texts.iter().filter(own).count() >= 2 || texts.iter().any(|term| term.count <= RARE && term.text.chars().count() >= 4)
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
