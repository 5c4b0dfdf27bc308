//! Notebooks: their code cells in the language of their kernel and their Markdown cells, with the lines of the file.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::excerpt::span;
use super::grammars;
use super::tree;
use super::{Outline, Span};
use crate::language::Language;
use crate::lines::LineIndex;

/// The ids of the grammars that notebooks are mostly in are part of it: a test compares them.
pub(super) const ID: &str = "notebook/2 tree-sitter-python@0.25.0/3 tree-sitter-markdown@0.5.4/2";

#[derive(Deserialize)]
struct Notebook<'text> {
    #[serde(borrow)]
    cells: Vec<Cell<'text>>,
    #[serde(default)]
    metadata: Metadata,
}

#[derive(Deserialize)]
struct Cell<'text> {
    cell_type: String,
    #[serde(borrow)]
    source: &'text RawValue,
}

#[derive(Default, Deserialize)]
struct Metadata {
    language_info: Option<LanguageInfo>,
}

#[derive(Deserialize)]
struct LanguageInfo {
    name: String,
}

/// Whether files of this language are notebooks.
pub(super) fn knows(language: Option<&'static Language>) -> bool {
    language.is_some_and(|language| language.name == "notebook")
}

/// What the cells declare; `None` if the text is no notebook.
pub(super) fn outline(text: &str, lines: &LineIndex) -> Option<Outline> {
    let notebook: Notebook<'_> = serde_json::from_str(text).ok()?;
    let kernel = notebook.metadata.language_info.map_or_else(|| "python".to_owned(), |info| info.name.to_lowercase());
    let mut whole = Outline::default();
    let mut code = Decoded::default();
    for cell in &notebook.cells {
        let at = cell.source.get().as_ptr() as usize - text.as_ptr() as usize;
        match cell.cell_type.as_str() {
            "code" => code.add(text, at, cell.source.get().len()),
            "markdown" => {
                let mut prose = Decoded::default();
                prose.add(text, at, cell.source.get().len());
                prose.outline("markdown", lines, &mut whole);
            }
            _ => {}
        }
    }
    code.outline(&kernel, lines, &mut whole);
    Some(whole)
}

/// The text of JSON strings, and where each of its bytes comes from.
#[derive(Default)]
struct Decoded {
    text: String,
    origins: Vec<u32>,
}

impl Decoded {
    /// Adds a source: a JSON string, or an array of them.
    fn add(&mut self, file: &str, start: usize, len: usize) {
        let bytes = &file.as_bytes()[start..start + len];
        let (mut at, mut inside) = (0, false);
        while at < bytes.len() {
            match (inside, bytes[at]) {
                (_, b'"') => {
                    inside = !inside;
                    at += 1;
                }
                (true, b'\\') => {
                    let (char, taken) = unescape(&file[start + at..start + len]);
                    self.push(char, (start + at) as u32, false);
                    at += taken;
                }
                (true, _) => {
                    let char = file[start + at..].chars().next().unwrap_or(' ');
                    self.push(char, (start + at) as u32, true);
                    at += char.len_utf8();
                }
                (false, _) => at += 1,
            }
        }
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            let last = self.origins.last().copied().unwrap_or(start as u32);
            self.push('\n', last, false);
        }
    }

    fn push(&mut self, char: char, origin: u32, verbatim: bool) {
        self.text.push(char);
        self.origins.extend((0..char.len_utf8() as u32).map(|byte| origin + if verbatim { byte } else { 0 }));
    }

    /// Adds what the text declares in a language, with the places of the file.
    fn outline(&self, language: &str, file_lines: &LineIndex, whole: &mut Outline) {
        let Some(grammar) = grammars::named(language) else { return };
        let lines = LineIndex::new(&self.text);
        let Some(mut part) = tree::outline(grammar, &self.text, &lines) else { return };
        let in_file = |own: Span| {
            let start = self.origins.get(own.start_byte as usize).copied().unwrap_or_default() as usize;
            let last = self.origins.get((own.end_byte as usize).saturating_sub(1)).copied().unwrap_or_default() as usize;
            span(file_lines, start, (last + 1).max(start))
        };
        for symbol in &mut part.symbols {
            symbol.span = in_file(symbol.span);
            symbol.doc = symbol.doc.map(in_file);
        }
        tree::adopt(whole, part);
        super::plain::merge(&mut whole.symbols, Vec::new());
    }
}

/// The character of an escape, and the bytes that it takes.
fn unescape(escape: &str) -> (char, usize) {
    match escape.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b' | b'f') => (' ', 2),
        Some(b'u') => {
            let code = |at: usize| escape.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
            match (code(2), code(8)) {
                (Some(high @ 0xd800..=0xdbff), Some(low @ 0xdc00..=0xdfff)) => {
                    (char::from_u32(0x1_0000 + ((high - 0xd800) << 10) + (low - 0xdc00)).unwrap_or('\u{fffd}'), 12)
                }
                (Some(code), _) => (char::from_u32(code).unwrap_or('\u{fffd}'), 6),
                (None, _) => ('\u{fffd}', 2),
            }
        }
        Some(byte) => (char::from(*byte), 2),
        None => ('\\', 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_names_the_parsers() {
        for name in ["python", "markdown"] {
            assert!(ID.contains(grammars::named(name).expect("a row").id), "{name}");
        }
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescape("\\n"), ('\n', 2));
        assert_eq!(unescape("\\\"x"), ('"', 2));
        assert_eq!(unescape("\\u00e4"), ('ä', 6));
        assert_eq!(unescape("\\ud83d\\ude00"), ('😀', 12));
        assert_eq!(unescape("\\ud83d"), ('\u{fffd}', 6));
    }
}
