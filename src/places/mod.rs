//! Which terms a file holds, and where: what the index keeps of a text so that it need not be read again to be ranked.

mod bits;
mod codec;
mod extract;
#[cfg(test)]
mod tests;

pub use codec::{Damaged, Held, HeldTerm, find, held, sum_of};
pub(crate) use codec::{get, put};
pub(crate) use extract::TYPICAL_BYTES;
pub use extract::{FileTerms, INDEX_VERSION, file_terms};

use crate::declaration::Form;

/// A term in the index: the first 47 bits of a hash, which SQLite stores in six bytes. Two terms of one number are one term.
pub type TermNumber = u64;

/// The number of a term.
pub fn term_number(term: &str) -> TermNumber {
    hash(term.as_bytes()) >> 17
}

/// How much of a term a file holds, and in which of its parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Weight(u8);

impl Weight {
    const PATH: u8 = 1;
    const NAME: u8 = 2;
    const DECLARED: u8 = 4;

    /// `density` is how often the term stands in the text, for each of a text of typical length; 0 if it does not.
    fn new(density: f64, flags: u8) -> Self {
        let level = if density > 0.0 { (2.0 * density.log2() + 8.0).round().clamp(1.0, 15.0) as u8 } else { 0 };
        Weight(level << 4 | flags)
    }

    /// As it is stored.
    pub fn byte(self) -> u8 {
        self.0
    }

    /// Any byte is a weight.
    pub fn from_byte(byte: u8) -> Self {
        Weight(byte & !8)
    }

    /// What both say of one term.
    pub fn with(self, other: Weight) -> Self {
        Weight(self.0 | other.0)
    }

    /// Occurrences in the text against its length, from 0 to 11.3 in steps of half a doubling.
    pub fn density(self) -> f64 {
        match self.0 >> 4 {
            0 => 0.0,
            level => ((f64::from(level) - 8.0) / 2.0).exp2(),
        }
    }

    /// Whether it stands in the path.
    pub fn in_path(self) -> bool {
        self.0 & Self::PATH != 0
    }

    /// Whether it stands in the name of a declaration.
    pub fn in_name(self) -> bool {
        self.0 & Self::NAME != 0
    }

    /// Whether a line declares it as a whole.
    pub fn is_declared(self) -> bool {
        self.0 & Self::DECLARED != 0
    }
}

/// One occurrence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Hit {
    pub line: u32,
    /// The number that the caller gave the term.
    pub term: u16,
    /// Whether the line declares something.
    pub declaring: bool,
}

/// A line that declares a name which is one of the terms as a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Declared {
    pub line: u32,
    /// The number that the caller gave the term.
    pub term: u16,
    /// Whether it stands without indentation.
    pub outer: bool,
    pub form: Form,
}

impl Declared {
    /// How sure it is that this is the declaration that people mean, from 0 to 1.
    pub fn strength(&self) -> f64 {
        self.form.strength() * if self.outer { 1.0 } else { 0.8 }
    }
}

/// Where some terms stand in one text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// In order of their lines.
    pub hits: Vec<Hit>,
    /// In order of their lines.
    pub declared: Vec<Declared>,
    /// Lines of the text.
    pub lines: u32,
    /// Bytes of the text.
    pub bytes: u32,
}

/// A hash that is the same on every machine and in every version; no defence against chosen input, which could only make a file rank for words that it could
/// as well hold.
fn hash(bytes: &[u8]) -> u64 {
    const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut hash = (bytes.len() as u64 + 1).wrapping_mul(ODD);
    for chunk in bytes.chunks(8) {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        hash = (hash ^ u64::from_le_bytes(word)).wrapping_mul(ODD);
        hash ^= hash >> 32;
    }
    hash = (hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ hash >> 32
}
