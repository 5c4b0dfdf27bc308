//! Where the terms of a request stand in a text, line by line.

use std::collections::HashMap;
use std::ops::Range;

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
    /// Words in the text.
    pub(super) words: u32,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(terms: &'a [Term]) -> Self {
        let places = terms.iter().enumerate().map(|(at, term)| (term.text.as_str(), at as u16)).collect();
        Scanner { terms, places, known: HashMap::default(), lists: vec![Vec::new()] }
    }

    /// The terms that a word as written holds.
    fn of_word(&mut self, word: &str) -> &[u16] {
        let at = match self.known.get(word) {
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
        };
        &self.lists[at]
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
        let mut scan = Scan { lines: LineIndex::new(text), hits: Vec::new(), declared: Vec::new(), words: 0 };
        for range in ranges {
            self.scan_range(text, range.clone(), &mut scan);
        }
        scan
    }

    fn scan_range(&mut self, text: &str, range: Range<usize>, scan: &mut Scan) {
        let Scan { lines, hits, declared, words } = scan;
        let mut line = lines.line_at(range.start);
        let mut line_end = lines.bytes(line, line).end;
        let mut first_of_line = hits.len();
        for word in terms::words(&text[range.clone()]) {
            let at = range.start + word.start;
            *words += 1;
            if at >= line_end {
                self.finish_line(text, lines, line, &mut hits[first_of_line..], declared);
                line = lines.line_at(at);
                line_end = lines.bytes(line, line).end;
                first_of_line = hits.len();
            }
            let found = self.of_word(word.text);
            hits.extend(found.iter().map(|&term| Hit { line, term, declaring: false }));
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
