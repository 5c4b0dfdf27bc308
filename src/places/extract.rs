//! The terms of one file, from its text and its parse.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use foldhash::fast::RandomState;

use super::codec::{Declaring, encode, sum_of};
use super::{TermNumber, Weight, term_number};
use crate::admit::payload_spans;
use crate::declaration::declared_name;
use crate::lines::LineIndex;
use crate::rel_path::RelPath;
use crate::syntax::Symbol;
use crate::terms;

/// The form of terms and places. Raise it whenever [`file_terms`] or [`crate::terms`] gives something else for the same input: an index of another form is
/// emptied and filled anew, because what it holds of a file could no longer be deleted exactly.
pub const INDEX_VERSION: u32 = 3;

/// What the index holds of a file's terms.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileTerms {
    /// By number, each once.
    pub weights: Vec<(TermNumber, Weight)>,
    /// Where they stand, as [`super::find`] reads it.
    pub places: Vec<u8>,
}

/// Bytes of a typical source file: the unit of length normalisation.
pub(crate) const TYPICAL_BYTES: f64 = 8_000.0;
/// How much a file's length lowers what each occurrence counts.
const LENGTH_NORM: f64 = 0.6;

/// The terms of a file: those of its path, of the names that it declares, and of its text. Pure, so that a deletion knows exactly what was inserted.
pub fn file_terms(path: &RelPath, symbols: &[Symbol], text: &str) -> FileTerms {
    let mut terms = Terms::default();
    let mut pieces = Pieces { known: HashMap::with_capacity_and_hasher(text.len() / 32, RandomState::default()), ..Pieces::default() };
    let lines = LineIndex::new(text);
    let payloads = payload_spans(text);
    let mut declaring = Vec::new();
    for line in 1..=lines.count() {
        let before = pieces.spots.len();
        for_each_outside(lines.bytes(line, line), &payloads, |range| {
            terms::for_each_piece(&text[range], |piece| pieces.add(piece, line, &mut terms));
        });
        if pieces.spots.len() == before {
            continue;
        }
        let line_text = lines.slice(text, line, line);
        let Some((name, form)) = declared_name(line_text) else { continue };
        let mut whole = None;
        terms::for_each_term(name, &mut terms.buffer, |term| whole = whole.or(Some(term_number(term))));
        let term = whole.and_then(|number| terms.places.get(&number).copied());
        if let Some(term) = term {
            terms.flags[term as usize].1 |= Weight::DECLARED;
        }
        declaring.push(Declaring { line, outer: !line_text.starts_with([' ', '\t']), form, term });
    }
    terms.mark(path.as_str(), Weight::PATH);
    for symbol in symbols {
        terms.mark(&symbol.name, Weight::NAME);
        if symbol.parent.is_none() && symbol.qualified_name.len() > symbol.name.len() {
            terms.mark(&symbol.qualified_name, Weight::NAME);
        }
    }
    finish(&terms, &pieces, text.len() as u32, lines.count(), declaring)
}

/// The different terms of one file, known by the order in which they came.
#[derive(Default)]
struct Terms {
    places: HashMap<TermNumber, u32, BuildHasherDefault<ByNumber>>,
    flags: Vec<(TermNumber, u8)>,
    buffer: String,
}

impl Terms {
    fn place_of(places: &mut HashMap<TermNumber, u32, BuildHasherDefault<ByNumber>>, flags: &mut Vec<(TermNumber, u8)>, term: &str) -> u32 {
        let number = term_number(term);
        *places.entry(number).or_insert_with(|| {
            flags.push((number, 0));
            flags.len() as u32 - 1
        })
    }

    fn mark(&mut self, text: &str, flag: u8) {
        terms::for_each_term(text, &mut self.buffer, |term| {
            let place = Terms::place_of(&mut self.places, &mut self.flags, term);
            self.flags[place as usize].1 |= flag;
        });
    }
}

/// The different pieces of one text: a text repeats few, and each is taken apart once.
#[derive(Default)]
struct Pieces<'text> {
    known: HashMap<&'text str, u32, RandomState>,
    /// The terms of all pieces, one piece after the other, and where each one's end.
    terms: Vec<u32>,
    ends: Vec<u32>,
    /// Pieces that have terms and their lines, in order of the lines.
    spots: Vec<(u32, u32)>,
}

impl<'text> Pieces<'text> {
    fn add(&mut self, piece: &'text str, line: u32, terms: &mut Terms) {
        let number = *self.known.entry(piece).or_insert_with(|| {
            let Terms { places, flags, buffer } = terms;
            terms::for_each_term_of_piece(piece, buffer, |term| self.terms.push(Terms::place_of(places, flags, term)));
            self.ends.push(self.terms.len() as u32);
            self.ends.len() as u32 - 1
        });
        if !self.terms_of(number).is_empty() {
            self.spots.push((number, line));
        }
    }

    fn terms_of(&self, piece: u32) -> &[u32] {
        let start = piece.checked_sub(1).map_or(0, |before| self.ends[before as usize]);
        &self.terms[start as usize..self.ends[piece as usize] as usize]
    }

    /// Term and line of each occurrence, in order of the lines.
    fn occurrences(&self) -> impl Iterator<Item = (u32, u32)> {
        self.spots.iter().flat_map(|&(piece, line)| self.terms_of(piece).iter().map(move |&term| (term, line)))
    }
}

/// What occurrences in a text of so many bytes are divided by.
pub(super) fn norm(bytes: u32) -> f64 {
    1.0 - LENGTH_NORM + LENGTH_NORM * f64::from(bytes) / TYPICAL_BYTES
}

fn finish(terms: &Terms, pieces: &Pieces<'_>, bytes: u32, lines: u32, mut declaring: Vec<Declaring>) -> FileTerms {
    let flags = &terms.flags;
    let mut order: Vec<u32> = (0..flags.len() as u32).collect();
    order.sort_unstable_by_key(|&place| flags[place as usize].0);
    // Where the lines of each term end, once they stand one term after the other.
    let mut ends = vec![0; flags.len()];
    for (place, _) in pieces.occurrences() {
        ends[place as usize] += 1;
    }
    let mut starts = vec![0; flags.len()];
    let mut start = 0;
    for &place in &order {
        starts[place as usize] = start;
        start += ends[place as usize];
        ends[place as usize] = starts[place as usize];
    }
    let mut sorted = vec![0; start];
    for (place, line) in pieces.occurrences() {
        sorted[ends[place as usize]] = line;
        ends[place as usize] += 1;
    }
    let norm = norm(bytes);
    let mut weights = Vec::with_capacity(order.len());
    let mut placed = Vec::with_capacity(order.len());
    let mut ranks = vec![None; flags.len()];
    for place in order {
        let (number, flags) = flags[place as usize];
        let lines = &sorted[starts[place as usize]..ends[place as usize]];
        weights.push((number, Weight::new(lines.len() as f64 / norm, flags)));
        if !lines.is_empty() {
            ranks[place as usize] = Some(placed.len() as u32);
            placed.push((number, lines));
        }
    }
    for declaring in &mut declaring {
        declaring.term = declaring.term.and_then(|place| ranks[place as usize]);
    }
    let sum = sum_of(weights.iter().map(|(number, _)| *number));
    FileTerms { places: encode(sum, bytes, lines, &placed, &declaring), weights }
}

/// The parts of a range outside the encoded payloads, which are no words.
fn for_each_outside(range: Range<usize>, payloads: &[Range<usize>], mut each: impl FnMut(Range<usize>)) {
    let first = payloads.partition_point(|payload| payload.end <= range.start);
    let mut from = range.start;
    for payload in payloads[first..].iter().take_while(|payload| payload.start < range.end) {
        each(from..payload.start.max(from));
        from = payload.end.min(range.end);
    }
    each(from..range.end);
}

/// Term numbers are hashes already.
#[derive(Default)]
struct ByNumber(u64);

impl Hasher for ByNumber {
    fn finish(&self) -> u64 {
        // The table uses the highest bits, too, which a number of 47 bits has not.
        self.0 ^ self.0 << 16
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only numbers are hashed");
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = number;
    }
}
