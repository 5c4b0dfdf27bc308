//! Where the terms of a request stand in a text, line by line.

use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, AhoCorasickKind, Input};

use super::declaration::{self, Form};
use crate::lines::LineIndex;
use crate::terms;

/// A term of the request with what it is worth.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) text: String,
    /// Chunks of the project that hold it.
    pub(super) count: u64,
    /// Inverse document frequency over the project's chunks times the weight in the request.
    pub(super) worth: f64,
}

/// The terms that texts are searched for, with a memory of the words already looked at: code repeats few words very often.
#[derive(Debug)]
pub(super) struct Scanner<'a> {
    pub(super) terms: &'a [Term],
    places: HashMap<&'a str, u16, foldhash::fast::RandomState>,
    known: HashMap<Box<str>, usize, foldhash::fast::RandomState>,
    /// The lists that `known` points to; the first is empty, as most words hold no term.
    lists: Vec<Vec<u16>>,
    /// What a word that holds a term has in it.
    roots: Option<AhoCorasick>,
}

/// One occurrence.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    pub(super) line: u32,
    pub(super) term: u16,
    /// Whether the line declares something.
    pub(super) declaring: bool,
}

/// A line that declares a name which is one of the terms as a whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Declared {
    pub(super) line: u32,
    pub(super) term: u16,
    pub(super) name: String,
    /// Whether it stands without indentation.
    pub(super) outer: bool,
    pub(super) form: Form,
}

impl Declared {
    /// How sure it is that this is the declaration that people mean, from 0 to 1.
    pub(super) fn strength(&self) -> f64 {
        self.form.strength() * if self.outer { 1.0 } else { 0.8 }
    }
}

/// What was found in one text.
#[derive(Debug)]
pub(super) struct Scan {
    pub(super) lines: LineIndex,
    /// In order of their lines.
    pub(super) hits: Vec<Hit>,
    pub(super) declared: Vec<Declared>,
    /// Bytes that were looked at.
    pub(super) bytes: u32,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(terms: &'a [Term]) -> Self {
        let places = terms.iter().enumerate().map(|(at, term)| (term.text.as_str(), at as u16)).collect();
        let roots: Vec<&str> = terms.iter().map(|term| root(&term.text)).filter(|root| root.is_ascii()).collect();
        // Without an automaton each word is looked at.
        let roots = AhoCorasick::builder().ascii_case_insensitive(true).kind(Some(AhoCorasickKind::DFA)).build(roots).ok();
        Scanner { terms, places, known: HashMap::default(), lists: vec![Vec::new()], roots }
    }

    /// The place in `lists` of the terms that a word as written holds; 0 for none.
    fn of_word(&mut self, word: &str) -> usize {
        match self.known.get(word) {
            Some(&at) => at,
            None => {
                let found = self.terms_in(word);
                let at = if found.is_empty() { 0 } else { self.lists.len() };
                if at > 0 {
                    self.lists.push(found);
                }
                self.known.insert(word.into(), at);
                at
            }
        }
    }

    /// The terms in a short text such as a path, each once.
    pub(super) fn terms_in(&self, text: &str) -> Vec<u16> {
        let mut found: Vec<u16> = terms::index_text(text).split(' ').filter_map(|term| self.places.get(term).copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Looks through a text, or the given byte ranges of it, which start and end at lines, in order and apart.
    pub(super) fn scan(&mut self, text: &str, ranges: &[Range<usize>]) -> Scan {
        let mut scan = Scan { lines: LineIndex::new(text), hits: Vec::new(), declared: Vec::new(), bytes: 0 };
        for range in ranges {
            self.scan_range(text, range.clone(), &mut scan);
        }
        scan
    }

    fn scan_range(&mut self, text: &str, range: Range<usize>, scan: &mut Scan) {
        let Scan { lines, hits, declared, bytes } = scan;
        *bytes += range.len() as u32;
        let (mut line, mut line_end, mut first_of_line) = (0, 0, hits.len());
        let mut next = range.start;
        let mut promising = Promising::default();
        while let Some(run) = promising.run(self.roots.as_ref(), text, next..range.end) {
            next = run.end;
            for word in terms::words(&text[run.clone()]) {
                let list = self.of_word(word.text);
                if list == 0 {
                    continue;
                }
                let at = run.start + word.start;
                if at >= line_end {
                    self.finish_line(text, lines, line, &mut hits[first_of_line..], declared);
                    line = lines.line_at(at);
                    line_end = lines.bytes(line, line).end;
                    first_of_line = hits.len();
                }
                hits.extend(self.lists[list].iter().map(|&term| Hit { line, term, declaring: false }));
            }
        }
        self.finish_line(text, lines, line, &mut hits[first_of_line..], declared);
    }

    fn finish_line(&self, text: &str, lines: &LineIndex, line: u32, hits: &mut [Hit], declared: &mut Vec<Declared>) {
        if hits.is_empty() {
            return;
        }
        let slice = lines.slice(text, line, line);
        let Some((name, form)) = declaration::declared_name(slice) else { return };
        for hit in hits.iter_mut() {
            hit.declaring = true;
        }
        let whole = terms::index_text(name);
        let whole = whole.split(' ').next().unwrap_or_default();
        if let Some(&term) = self.places.get(whole) {
            declared.push(Declared { line, term, name: name.to_owned(), outer: !slice.starts_with([' ', '\t']), form });
        }
    }
}

/// The part of a term that stands in the words with this stem: a stem may end in another letter than its words.
fn root(term: &str) -> &str {
    if term.len() > 3 { term.strip_suffix(['i', 'e', 'y']).unwrap_or(term) } else { term }
}

/// Finds the runs of word bytes that may hold a term: those with a root in them, and those that are not ASCII, as they are folded first.
#[derive(Default)]
struct Promising {
    /// The next place of each kind, once it is known.
    root: Option<Option<usize>>,
    wide: Option<Option<usize>>,
}

impl Promising {
    /// The first such run in the range.
    fn run(&mut self, roots: Option<&AhoCorasick>, text: &str, range: Range<usize>) -> Option<Range<usize>> {
        let bytes = text.as_bytes();
        let Some(roots) = roots else { return (!range.is_empty()).then_some(range) };
        let ahead = |known: Option<Option<usize>>| known.filter(|place| place.is_none_or(|at| at >= range.start));
        let root = ahead(self.root).unwrap_or_else(|| roots.find(Input::new(text).range(range.clone())).map(|found| found.start()));
        let wide = ahead(self.wide).unwrap_or_else(|| bytes[range.clone()].iter().position(|byte| !byte.is_ascii()).map(|at| range.start + at));
        (self.root, self.wide) = (Some(root), Some(wide));
        let at = root.into_iter().chain(wide).min()?;
        let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
        let start = bytes[range.start..at].iter().rposition(|byte| !of_word(byte)).map_or(range.start, |before| range.start + before + 1);
        let end = bytes[at..range.end].iter().position(|byte| !of_word(byte)).map_or(range.end, |after| at + after);
        Some(start..end)
    }
}
