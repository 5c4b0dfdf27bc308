//! Candidate files to scored candidate quotes: named features, fused with the one table of weights.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::recall::{Found, NamedSymbol, Recalled};
use super::role::{Asked, Role};
use super::scan::{Scan, Scanner, Term};
use super::weights::{Weights, bounds};
use super::window::{self, Window};
use super::{Reason, cut};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::store::{FileRow, Reader, SymbolHit};
use crate::syntax::Span;
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
struct Scored {
    found: Found,
    role: Role,
    text: String,
    scan: Scan,
    windows: Vec<Window>,
    window_sum: f64,
    whole: f64,
    path_coverage: f64,
    definitions: f64,
    named_symbols: f64,
    /// Whether the request spells the file's name as words, and how many letters it has.
    spelled_name: usize,
    /// The worth of the term that is the file's own name, as a share of the greatest.
    own_name: f64,
    phrase_lines: Vec<(u32, String)>,
    /// What the file's role makes of its score.
    factor: f64,
    score: f64,
}

/// Scores what was recalled; best first. With `gated`, a candidate needs evidence that ties it to the request.
pub(super) fn rank(reader: &Reader<'_>, task: &TaskDescriptor, recalled: Recalled, weights: &Weights, gated: bool, cancel: &Cancel) -> Result<Vec<Candidate>> {
    let asked = Asked::of(task);
    let Recalled { terms: query, files, .. } = recalled;
    let spelled = spelled_names(&task.title);
    let mut scanner = Scanner::new(&query);
    let total: f64 = query.iter().map(|term| term.worth).sum();
    let mut scored = Vec::with_capacity(files.len());
    for found in files {
        cancel.check()?;
        if cancel.is_late() {
            break;
        }
        let text = reader.text(found.row.id)?;
        scored.push(features(found, text, task, &mut scanner, total, &spelled, weights));
    }
    definitions(&mut scored, &query);
    fuse(&mut scored, asked, weights);
    let lookup = task.kind == RequestKind::Lookup;
    let mut candidates = Vec::new();
    scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.found.row.path.cmp(&b.found.row.path)));
    for (place, file) in scored.iter().enumerate() {
        candidates_of(file, place, reader, task, &query, weights, gated, &mut candidates)?;
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

/// What of a file is looked at: all of it, or of a large one the chunks that the full-text index named.
fn ranges(found: &Found, text: &str) -> Vec<Range<usize>> {
    if text.len() <= bounds::WHOLE_FILE_BYTES || found.spans.is_empty() {
        return std::iter::once(0..text.len()).collect();
    }
    let lines = |span: &Span| {
        let start = text[..(span.start_byte as usize).min(text.len())].rfind('\n').map_or(0, |at| at + 1);
        let end = (span.end_byte as usize).min(text.len());
        start..text[end..].find('\n').map_or(text.len(), |at| end + at + 1)
    };
    let mut all: Vec<Range<usize>> = found.spans.iter().map(lines).collect();
    all.sort_by_key(|range| (range.start, range.end));
    let mut merged: Vec<Range<usize>> = Vec::new();
    for range in all {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

fn features(found: Found, text: String, task: &TaskDescriptor, scanner: &mut Scanner<'_>, total: f64, spelled: &HashSet<String>, weights: &Weights) -> Scored {
    let scan = scanner.scan(&text, &ranges(&found, &text));
    let terms = scanner.terms;
    let windows = window::best(&scan, terms, weights, bounds::WINDOWS_PER_FILE);
    let in_path = scanner.terms_in(found.row.path.as_str());
    let path_worth: f64 = in_path.iter().map(|&term| terms[usize::from(term)].worth).sum();
    let window_sum = windows.iter().enumerate().map(|(at, window)| window.score * weights.window_decay.powi(at as i32)).sum::<f64>();
    let whole = whole_file(&scan, &in_path, terms, weights);
    let named_symbols = found.symbols.iter().map(symbol_share).fold(0.0, f64::max);
    let phrase_lines = task.phrases.iter().chain(&task.errors).flat_map(|phrase| lines_with(&text, &scan, phrase)).collect();
    Scored {
        role: Role::of(&found.row.path, found.row.generated),
        path_coverage: if total > 0.0 { path_worth / total } else { 0.0 },
        definitions: 0.0,
        named_symbols,
        spelled_name: spelled_name(&found, spelled),
        own_name: own_name(&found, scanner),
        phrase_lines,
        factor: 1.0,
        score: 0.0,
        found,
        text,
        scan,
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
fn own_name(found: &Found, scanner: &Scanner<'_>) -> f64 {
    let path = &found.row.path;
    let mut stem = path.file_name().split('.').next().unwrap_or_default();
    if matches!(stem, "index" | "mod" | "__init__" | "main" | "lib") {
        stem = path.components().rev().nth(1).unwrap_or(stem);
    }
    let whole = terms::index_text(stem);
    let whole = whole.split(' ').next().unwrap_or_default();
    let most = scanner.terms.iter().map(|term| term.worth).fold(f64::MIN_POSITIVE, f64::max);
    scanner.terms.iter().find(|term| term.text == whole).map_or(0.0, |term| term.worth / most)
}

/// BM25F of the whole file: body, declaration lines and path.
fn whole_file(scan: &Scan, in_path: &[u16], terms: &[Term], weights: &Weights) -> f64 {
    let mut counts = vec![0.0; terms.len()];
    for hit in &scan.hits {
        counts[usize::from(hit.term)] += if hit.declaring { weights.declaration_line } else { 1.0 };
    }
    let norm = 1.0 - weights.length_norm + weights.length_norm * f64::from(scan.words) / TYPICAL_WORDS;
    let sum = |at: usize, count: f64| {
        let tf = count / norm + if in_path.binary_search(&(at as u16)).is_ok() { weights.path_term } else { 0.0 };
        terms[at].worth * tf * (weights.k1 + 1.0) / (tf + weights.k1)
    };
    counts.iter().enumerate().map(|(at, &count)| sum(at, count)).sum()
}

/// Words of a typical source file: the unit of length normalisation.
const TYPICAL_WORDS: f64 = 1000.0;

/// A name that many files declare says less.
fn symbol_share(symbol: &NamedSymbol) -> f64 {
    let case = if symbol.same_case { 1.0 } else { 0.4 };
    case / (symbol.files as f64).sqrt()
}

/// The lines that hold the phrase between word boundaries, ASCII case aside; at most eight.
fn lines_with(text: &str, scan: &Scan, phrase: &str) -> Vec<(u32, String)> {
    let needle = phrase.as_bytes();
    let bytes = text.as_bytes();
    let word = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let mut lines: Vec<(u32, String)> = Vec::new();
    let mut at = 0;
    while at + needle.len() <= bytes.len() && lines.len() < 8 && !needle.is_empty() {
        if bytes[at].eq_ignore_ascii_case(&needle[0]) && bytes[at..at + needle.len()].eq_ignore_ascii_case(needle) {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            if !word(before) && !word(bytes.get(at + needle.len())) {
                lines.push((scan.lines.line_at(at), phrase.to_owned()));
            }
            at += needle.len();
        } else {
            at += 1;
        }
    }
    lines
}

/// For each term that is a declared name: the file's share of it, less where many files declare it.
fn definitions(scored: &mut [Scored], terms: &[Term]) {
    let mut files: HashMap<u16, f64> = HashMap::new();
    for file in scored.iter() {
        let mut own: Vec<u16> = file.scan.declared.iter().map(|declared| declared.term).collect();
        own.sort_unstable();
        own.dedup();
        for term in own {
            *files.entry(term).or_default() += 1.0;
        }
    }
    for file in scored.iter_mut() {
        let mut own: HashMap<u16, f64> = HashMap::new();
        for declared in &file.scan.declared {
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
            + weights.phrases * if file.phrase_lines.is_empty() { 0.0 } else { 1.0 }
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

fn reason(code: &'static str, text: impl Into<String>) -> Reason {
    Reason { code, text: text.into() }
}

/// Lines of one file that are quoted for declaring the same name.
const DECLARED_PER_FILE: usize = 3;
/// The best files, of which declarations around the evidence are looked up.
const ENCLOSED_FILES: usize = 12;

/// The quotes that a file offers.
#[allow(clippy::too_many_arguments)]
fn candidates_of(
    file: &Scored,
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
        bytes: file.scan.lines.bytes(lines.0, lines.1).len(),
    };
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
        let (lines, cut) = cut::declaration(&symbol.hit, &file.scan.lines);
        let share = kind_share(&symbol.hit);
        let text = format!("{} {}", code.replace('-', " "), symbol.hit.qualified_name);
        out.push(make(lines, tier + inside(share), true, vec![reason(code, text)], Some(symbol.hit.clone()), cut));
    }
    let lines_of_symbols: Vec<(u32, u32)> = out[start..].iter().map(|candidate| (candidate.start_line, candidate.end_line)).collect();
    if lookup {
        for name in &task.symbols {
            let simple = name.rsplit('.').next().unwrap_or(name);
            let mut declared: Vec<_> = file.scan.declared.iter().filter(|declared| declared.name == simple).collect();
            declared.sort_by(|a, b| b.strength().total_cmp(&a.strength()).then(a.line.cmp(&b.line)));
            for declared in declared
                .into_iter()
                .filter(|declared| !lines_of_symbols.iter().any(|(start, end)| (*start..=*end).contains(&declared.line)))
                .take(DECLARED_PER_FILE)
            {
                let lines = cut::from_line(declared.line, &file.scan.lines, &file.text);
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
        let lines = best.map_or((1, bounds::WINDOW.min(file.scan.lines.count()).max(1)), |window| window::lines_around(window, &file.scan, &file.text));
        let share = (file.spelled_name as f64 / 40.0).min(1.0);
        out.push(make(lines, weights.base_name + inside(share), true, vec![reason("file-name", format!("file name {}", file.found.row.path))], None, false));
    }
    if let Some(path) = file.found.path {
        let tier = if path.exact { weights.path } else { weights.base_name };
        let code = if path.exact { "exact-path" } else { "file-name" };
        if path.exact || lookup {
            let symbol = path.line.map(|line| innermost(reader, file, line)).transpose()?.flatten();
            let (lines, cut) = match (&symbol, path.line, best) {
                (Some(symbol), Some(line), _) => cut::declaration_around(symbol, line, &file.scan.lines),
                (None, Some(line), _) => (cut::around(line, &file.scan.lines), false),
                (_, None, Some(window)) if window_terms(window, &file.scan) > path_only_terms(file) => {
                    (window::lines_around(window, &file.scan, &file.text), false)
                }
                _ => ((1, bounds::WINDOW.min(file.scan.lines.count()).max(1)), false),
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
    let best_score = best.map_or(1.0, |window| window.score);
    for (at, window) in file.windows.iter().enumerate() {
        let found = distinct_terms(window, &file.scan, terms);
        if gated && !has_evidence(&found, file, terms) {
            continue;
        }
        let symbol = if at < 2 && place < ENCLOSED_FILES { enclosing(reader, file, window)? } else { None };
        let (lines, cut) = match &symbol {
            Some(symbol) => cut::around_window(symbol, window, &file.scan, &file.text),
            None => (window::lines_around(window, &file.scan, &file.text), false),
        };
        let share = file.score * if best_score > 0.0 { window.score / best_score } else { 1.0 };
        let mut reasons = Vec::new();
        if let Some((_, phrase)) = file.phrase_lines.iter().find(|(line, _)| (lines.0..=lines.1).contains(line)) {
            reasons.push(reason("phrase", format!("exact phrase {phrase}")));
        }
        if let Some(symbol) = file.found.symbols.iter().find(|symbol| symbol.same_case) {
            reasons.push(reason("symbol", format!("declares {}", symbol.hit.name)));
        }
        let words: Vec<&str> = found.iter().take(6).map(|&term| terms[usize::from(term)].text.as_str()).collect();
        reasons.push(reason("full-text", format!("matches {}", words.join(", "))));
        out.push(make(lines, weights.lexical_most * share, false, reasons, symbol, cut));
    }
    Ok(())
}

/// A property or variable is rarely what a name asks for where something else bears it.
fn is_minor(hit: &SymbolHit) -> bool {
    use crate::syntax::SymbolKind as Kind;
    matches!(hit.kind, Kind::Property | Kind::EnumMember | Kind::Impl | Kind::Section | Kind::Key | Kind::Package)
        || (hit.kind == Kind::Variable && !hit.exported)
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

fn distinct_terms(window: &Window, scan: &Scan, terms: &[Term]) -> Vec<u16> {
    let mut found: Vec<u16> = scan.hits.iter().filter(|hit| (window.first..=window.last).contains(&hit.line)).map(|hit| hit.term).collect();
    found.sort_unstable();
    found.dedup();
    found.retain(|&term| usize::from(term) < terms.len());
    found
}

fn window_terms(window: &Window, scan: &Scan) -> usize {
    let mut found: Vec<u16> = scan.hits.iter().filter(|hit| (window.first..=window.last).contains(&hit.line)).map(|hit| hit.term).collect();
    found.sort_unstable();
    found.dedup();
    found.len()
}

/// How many different terms a file has to hold before its words, and not its beginning, are quoted for its path.
fn path_only_terms(file: &Scored) -> usize {
    usize::from(file.path_coverage > 0.0) * 2
}

/// Chunks in which a term may stand and still be rare: one such term is evidence.
const RARE: u64 = 12;

/// What ties a window to the request: two of its words, one rare word, or something named.
fn has_evidence(found: &[u16], file: &Scored, terms: &[Term]) -> bool {
    if !file.phrase_lines.is_empty() || file.found.path.is_some() || file.found.symbols.iter().any(|symbol| symbol.same_case) {
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
