//! The terms of a request, and where they stand in files.

use std::collections::HashMap;

use crate::places::{TermNumber, term_number};
use crate::terms;

/// A term of the request with what it is worth.
#[derive(Debug, Clone)]
pub(super) struct Term {
    pub(super) text: String,
    /// Files of the project that hold it.
    pub(super) count: u64,
    /// Inverse document frequency over the project's files times the weight in the request.
    pub(super) worth: f64,
}

/// The terms that files are searched for; each is known by its place among them.
#[derive(Debug)]
pub(super) struct Terms<'a> {
    pub(super) all: &'a [Term],
    places: HashMap<&'a str, u16>,
    /// By number.
    numbers: Vec<(TermNumber, u16)>,
}

impl<'a> Terms<'a> {
    pub(super) fn new(all: &'a [Term]) -> Self {
        let mut numbers: Vec<_> = all.iter().enumerate().map(|(at, term)| (term_number(&term.text), at as u16)).collect();
        numbers.sort_unstable();
        Terms { all, places: all.iter().enumerate().map(|(at, term)| (term.text.as_str(), at as u16)).collect(), numbers }
    }

    /// The terms in a short text such as a path, each once.
    pub(super) fn within(&self, text: &str) -> Vec<u16> {
        let mut found: Vec<u16> = terms::index_text(text).split(' ').filter_map(|term| self.places.get(term).copied()).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The term that a word is as a whole.
    pub(super) fn whole(&self, word: &str) -> Option<u16> {
        let terms = terms::index_text(word);
        self.places.get(terms.split(' ').next().unwrap_or_default()).copied()
    }

    /// The terms of which `holds` has the bit, by number.
    pub(super) fn numbers(&self, holds: u64) -> Vec<(TermNumber, u16)> {
        self.numbers.iter().filter(|(_, term)| holds >> term & 1 != 0).copied().collect()
    }
}
