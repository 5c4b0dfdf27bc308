//! The terms of one file, from its text and its parse.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;

use super::codec::{Declaring, encode};
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
    let mut seen = Seen::default();
    let lines = LineIndex::new(text);
    let payloads = payload_spans(text);
    let mut declaring = Vec::new();
    for line in 1..=lines.count() {
        let range = lines.bytes(line, line);
        let words = without(text, range.clone(), &payloads);
        let before = seen.occurrences.len();
        terms::for_each_term(&words, &mut seen.buffer, |term| {
            let place = place_of(&mut seen.places, &mut seen.flags, term);
            seen.occurrences.push((place, line));
        });
        if seen.occurrences.len() == before {
            continue;
        }
        let line_text = lines.slice(text, line, line);
        let Some((name, form)) = declared_name(line_text) else { continue };
        let mut whole = None;
        terms::for_each_term(name, &mut seen.buffer, |term| whole = whole.or(Some(term_number(term))));
        let term = whole.and_then(|number| seen.places.get(&number).copied());
        if let Some(term) = term {
            seen.flags[term as usize].1 |= Weight::DECLARED;
        }
        declaring.push(Declaring { line, outer: !line_text.starts_with([' ', '\t']), form, term });
    }
    seen.mark(path.as_str(), Weight::PATH);
    for symbol in symbols {
        seen.mark(&symbol.name, Weight::NAME);
        if symbol.parent.is_none() && symbol.qualified_name.len() > symbol.name.len() {
            seen.mark(&symbol.qualified_name, Weight::NAME);
        }
    }
    finish(seen, text.len() as u32, lines.count(), declaring)
}

/// What was seen of one file. Terms are known by the order in which they came.
#[derive(Default)]
struct Seen {
    places: HashMap<TermNumber, u32, BuildHasherDefault<ByNumber>>,
    flags: Vec<(TermNumber, u8)>,
    /// Term and line, in order of the lines.
    occurrences: Vec<(u32, u32)>,
    buffer: String,
}

fn place_of(places: &mut HashMap<TermNumber, u32, BuildHasherDefault<ByNumber>>, flags: &mut Vec<(TermNumber, u8)>, term: &str) -> u32 {
    let number = term_number(term);
    *places.entry(number).or_insert_with(|| {
        flags.push((number, 0));
        flags.len() as u32 - 1
    })
}

impl Seen {
    fn mark(&mut self, text: &str, flag: u8) {
        terms::for_each_term(text, &mut self.buffer, |term| {
            let place = place_of(&mut self.places, &mut self.flags, term);
            self.flags[place as usize].1 |= flag;
        });
    }
}

fn finish(seen: Seen, bytes: u32, lines: u32, mut declaring: Vec<Declaring>) -> FileTerms {
    let Seen { flags, occurrences, .. } = seen;
    let mut order: Vec<u32> = (0..flags.len() as u32).collect();
    order.sort_unstable_by_key(|&place| flags[place as usize].0);
    // Where the lines of each term end, once they stand one term after the other.
    let mut ends = vec![0; flags.len()];
    for &(place, _) in &occurrences {
        ends[place as usize] += 1;
    }
    let mut starts = vec![0; flags.len()];
    let mut start = 0;
    for &place in &order {
        starts[place as usize] = start;
        start += ends[place as usize];
        ends[place as usize] = starts[place as usize];
    }
    let mut sorted = vec![0; occurrences.len()];
    for (place, line) in occurrences {
        sorted[ends[place as usize]] = line;
        ends[place as usize] += 1;
    }
    let norm = 1.0 - LENGTH_NORM + LENGTH_NORM * f64::from(bytes) / TYPICAL_BYTES;
    let mut weights = Vec::with_capacity(order.len());
    let mut terms = Vec::with_capacity(order.len());
    let mut ranks = vec![None; flags.len()];
    for place in order {
        let (number, flags) = flags[place as usize];
        let lines = &sorted[starts[place as usize]..ends[place as usize]];
        weights.push((number, Weight::new(lines.len() as f64 / norm, flags)));
        if !lines.is_empty() {
            ranks[place as usize] = Some(terms.len() as u32);
            terms.push((number, lines));
        }
    }
    for declaring in &mut declaring {
        declaring.term = declaring.term.and_then(|place| ranks[place as usize]);
    }
    FileTerms { places: encode(bytes, lines, &terms, &declaring), weights }
}

/// A range of the text without the encoded payloads in it, which are no words.
fn without<'text>(text: &'text str, range: Range<usize>, payloads: &[Range<usize>]) -> Cow<'text, str> {
    let first = payloads.partition_point(|payload| payload.end <= range.start);
    let mut inside = payloads[first..].iter().take_while(|payload| payload.start < range.end).peekable();
    if inside.peek().is_none() {
        return Cow::Borrowed(&text[range]);
    }
    let mut words = String::with_capacity(range.len());
    let mut from = range.start;
    for payload in inside {
        words.push_str(&text[from..payload.start.max(from)]);
        words.push(' ');
        from = payload.end.min(range.end);
    }
    words.push_str(&text[from..range.end]);
    Cow::Owned(words)
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
