//! The one tokenizer of index and request: identifiers whole and split, stems, CJK bigrams, case and accents folded.
//!
//! A word is a run of letters, digits, marks and `_`; runs of scripts that write no spaces are words of their own. Each word gives these terms:
//! - its *whole*: all parts glued, folded and stemmed, so that `parse_http_request`, `parseHTTPRequest` and `parsehttprequest` share one;
//! - each *part* of at least two characters, folded and stemmed, if there are several; digits stay with the letters before them (`http2`), and
//!   those letters are a term too (`http`);
//! - words joined by `-` give the whole of the chain as well (`utf-8` and `utf8` meet).
//!
//! Runs of unspaced scripts give their bigrams, and a lone character itself.

mod fold;
mod split;
mod stem;

use std::collections::HashSet;

pub use fold::fold;
pub use split::split_identifier;
pub use stem::stem;

use fold::Script;
use split::for_each_part;
use stem::Stems;

/// Bytes beyond which a run of letters is data, not a word, and gives no term.
const MAX_WORD_BYTES: usize = 128;
/// Parts beyond which a run of letters is data (a hash, base64): it is a term as a whole only.
const MAX_PARTS: usize = 10;
/// Words of one chain joined by `-`.
const MAX_CHAIN: usize = 6;

/// One occurrence of a word in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'text> {
    /// As written.
    pub text: &'text str,
    /// The byte offset in the text.
    pub start: usize,
}

/// How the bytes of a word are cased: what decides, without a second look, whether it can have several parts.
#[derive(Debug, Clone, Copy, Default)]
struct Shape {
    /// Bit set of byte classes.
    classes: u8,
    /// Capital ASCII letters after the first byte.
    inner_capitals: u32,
    unspaced: bool,
}

const LOWER: u8 = 1;
const UPPER: u8 = 2;
const DIGIT: u8 = 4;
const UNDERSCORE: u8 = 8;
const WIDE: u8 = 16;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' => LOWER,
            b'A'..=b'Z' => UPPER,
            b'0'..=b'9' => DIGIT,
            b'_' => UNDERSCORE,
            0x80..=0xff => WIDE,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// The words of a text in order, each with its shape.
struct Scan<'text> {
    text: &'text str,
    at: usize,
}

impl<'text> Iterator for Scan<'text> {
    type Item = (Word<'text>, Shape);

    fn next(&mut self) -> Option<Self::Item> {
        let bytes = self.text.as_bytes();
        let mut shape = Shape::default();
        let mut script = None;
        while self.at < bytes.len() && CLASSES[bytes[self.at] as usize] == 0 {
            self.at += 1;
        }
        let mut start = self.at;
        while self.at < bytes.len() {
            let class = CLASSES[bytes[self.at] as usize];
            if class == WIDE {
                let char = self.text[self.at..].chars().next().unwrap_or_default();
                let width = char.len_utf8();
                match (fold::script(char), script) {
                    (Script::None, None) => {
                        self.at += width;
                        while self.at < bytes.len() && CLASSES[bytes[self.at] as usize] == 0 {
                            self.at += 1;
                        }
                        start = self.at;
                        continue;
                    }
                    (Script::None, Some(_)) | (Script::Spaced, Some(Script::Unspaced)) | (Script::Unspaced, Some(Script::Spaced)) => break,
                    (Script::Mark, _) => script = script.or(Some(Script::Spaced)),
                    (found, _) => script = Some(found),
                }
                self.at += width;
            } else if class == 0 || script == Some(Script::Unspaced) {
                break;
            } else {
                script = Some(Script::Spaced);
                shape.inner_capitals += u32::from(class == UPPER && self.at > start);
                self.at += 1;
            }
            shape.classes |= class;
        }
        shape.unspaced = script == Some(Script::Unspaced);
        script.map(|_| (Word { text: &self.text[start..self.at], start }, shape))
    }
}

/// The words of `text` as written, with their places: runs of letters, digits, marks and `_`, apart by script.
pub fn words(text: &str) -> impl Iterator<Item = Word<'_>> {
    Scan { text, at: 0 }.map(|(word, _)| word)
}

/// The terms of `text` as the full-text index holds them: folded, each identifier whole and split, stemmed,
/// separated by one space. Holds letters, digits, `_` and non-ASCII letters and marks only.
pub fn index_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 4);
    stem::with(|stems| index_into(&mut out, text, stems));
    out.truncate(out.trim_end_matches(' ').len());
    out
}

/// Calls `each` with the terms of `text` as [`index_text`] gives them; `buffer` is used on the way.
pub fn for_each_term(text: &str, buffer: &mut String, each: impl FnMut(&str)) {
    buffer.clear();
    stem::with(|stems| index_into(buffer, text, stems));
    buffer.split(' ').filter(|term| !term.is_empty()).for_each(each);
}

/// The terms of a request, in order and each once; the same forms as in [`index_text`].
pub fn query_terms(text: &str) -> Vec<String> {
    let mut seen = HashSet::new();
    index_text(text).split(' ').filter(|term| !term.is_empty() && seen.insert(*term)).map(str::to_owned).collect()
}

fn index_into(out: &mut String, text: &str, stems: &mut Stems) {
    for_each_piece(text, |piece| index_piece(out, piece, stems));
}

/// Calls `each` with the pieces of `text` that give terms, in order: words, and words joined by `-`. Equal pieces give equal terms.
pub fn for_each_piece<'text>(text: &'text str, mut each: impl FnMut(&'text str)) {
    let bytes = text.as_bytes();
    let mut chain_start = 0;
    let mut chain_words = 0;
    let mut scan = Scan { text, at: 0 };
    while let Some((word, shape)) = scan.next() {
        if word.text.len() <= MAX_WORD_BYTES || shape.unspaced {
            each(word.text);
        }
        if chain_words == 0 {
            chain_start = word.start;
        }
        chain_words += 1;
        let end = scan.at;
        let goes_on = bytes.get(end) == Some(&b'-') && bytes.get(end + 1).is_some_and(|&next| CLASSES[next as usize] & (LOWER | UPPER | DIGIT) != 0);
        if goes_on && !shape.unspaced {
            continue;
        }
        let begins_with_letter = CLASSES[bytes[chain_start] as usize] & (LOWER | UPPER | WIDE) != 0;
        if (2..=MAX_CHAIN).contains(&chain_words) && begins_with_letter && end - chain_start <= MAX_WORD_BYTES {
            each(&text[chain_start..end]);
        }
        chain_words = 0;
    }
}

/// Calls `each` with the terms of a piece; `buffer` is used on the way.
pub fn for_each_term_of_piece(piece: &str, buffer: &mut String, each: impl FnMut(&str)) {
    buffer.clear();
    stem::with(|stems| index_piece(buffer, piece, stems));
    buffer.split(' ').filter(|term| !term.is_empty()).for_each(each);
}

fn index_piece(out: &mut String, piece: &str, stems: &mut Stems) {
    match (Scan { text: piece, at: 0 }).next() {
        Some((word, shape)) if word.text.len() == piece.len() => index_word(out, piece, shape, stems),
        _ => push_term(out, piece, stems),
    }
}

fn index_word(out: &mut String, word: &str, shape: Shape, stems: &mut Stems) {
    if shape.unspaced {
        return push_bigrams(out, word);
    }
    push_term(out, word, stems);
    let one_case = shape.classes == LOWER || shape.classes == UPPER || (shape.classes == LOWER | UPPER && shape.inner_capitals == 0);
    // What begins with a digit is a number or a hash, not a name.
    if one_case || word.as_bytes()[0].is_ascii_digit() {
        return;
    }
    let mut parts = [""; MAX_PARTS];
    let mut count = 0;
    for_each_part(word, |part| {
        if let Some(place) = parts.get_mut(count) {
            *place = part;
        }
        count += 1;
    });
    if count > MAX_PARTS {
        return;
    }
    for part in &parts[..count] {
        if count > 1 && part.len() > 1 {
            push_term(out, part, stems);
        }
        let letters = part.trim_end_matches(|char: char| char.is_ascii_digit());
        if letters.len() > 1 && letters.len() < part.len() {
            push_term(out, letters, stems);
        }
    }
}

/// Appends `text` as one term and a space: folded, without what is no letter, digit or mark, stemmed.
fn push_term(out: &mut String, text: &str, stems: &mut Stems) {
    let start = out.len();
    if text.is_ascii() {
        text.split(['_', '-']).for_each(|run| out.push_str(run));
        out[start..].make_ascii_lowercase();
        stems.stem_from(out, start);
    } else {
        fold::fold_into(out, text, |char| fold::script(char) != Script::None && char != '_');
    }
    if out.len() > start {
        out.push(' ');
    }
}

fn push_bigrams(out: &mut String, run: &str) {
    let mut folded = String::with_capacity(run.len());
    fold::fold_into(&mut folded, run, |char| fold::script(char) != Script::None && char != '_');
    let mut chars = folded.chars();
    let Some(mut before) = chars.next() else { return };
    let mut alone = true;
    for char in chars {
        out.extend([before, char, ' ']);
        before = char;
        alone = false;
    }
    if alone {
        out.extend([before, ' ']);
    }
}

#[cfg(test)]
mod tests;
