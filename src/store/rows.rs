//! What the full-text index holds of a chunk.

use std::borrow::Cow;
use std::ops::Range;

use super::IndexRow;
use crate::admit::payload_spans;
use crate::rel_path::RelPath;
use crate::syntax::{Chunk, Parsed, Span};
use crate::terms;

/// The form of the rows. Raise it whenever [`index_rows`] or [`crate::terms`] gives other terms for the same input: an index of another form is emptied and
/// filled anew, because its rows could no longer be deleted exactly.
pub const INDEX_VERSION: u32 = 1;

/// The full-text rows of a file's chunks. Pure, so that a deletion can feed the index exactly what was inserted.
pub fn index_rows(path: &RelPath, parsed: &Parsed, text: &str) -> Vec<IndexRow> {
    let path = terms::index_text(path.as_str());
    let payloads = payload_spans(text);
    parsed
        .chunks
        .iter()
        .map(|chunk| IndexRow {
            path: path.clone(),
            symbols: terms::index_text(&names(parsed, chunk)),
            body: terms::index_text(&without(text, chunk.span, &payloads)),
        })
        .collect()
}

/// The names and qualified names of what the chunk declares and is part of, each once, one a line.
fn names(parsed: &Parsed, chunk: &Chunk) -> String {
    let mut names: Vec<&str> = Vec::new();
    for index in chunk.declares.iter().chain(&chunk.symbol) {
        let Some(symbol) = parsed.symbols.get(*index as usize) else { continue };
        for name in [symbol.name.as_str(), symbol.qualified_name.as_str()] {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    names.join("\n")
}

/// The text of a span without the encoded payloads in it, which are no words.
fn without<'text>(text: &'text str, span: Span, payloads: &[Range<usize>]) -> Cow<'text, str> {
    let (start, end) = (span.start_byte as usize, text.len().min(span.end_byte as usize));
    let first = payloads.partition_point(|payload| payload.end <= start);
    let mut inside = payloads[first..].iter().take_while(|payload| payload.start < end).peekable();
    if inside.peek().is_none() {
        return Cow::Borrowed(&text[start.min(end)..end]);
    }
    let mut words = String::with_capacity(end - start);
    let mut from = start;
    for payload in inside {
        words.push_str(&text[from..payload.start.max(from)]);
        words.push(' ');
        from = payload.end.min(end);
    }
    words.push_str(&text[from..end]);
    Cow::Owned(words)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_give_no_terms_and_the_words_around_them_do() {
        let payload = "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVphYmNkZWZnaGlqa2xtbm9wcXJzdHV2d3h5ejAxMjM0NTY3ODkrLw".repeat(20);
        let text = format!("const icon = \"data:image/png;base64,{payload}\"; // zebra\n");
        let span = Span { start_byte: 0, end_byte: text.len() as u32, start_line: 1, end_line: 1 };
        let chunk = Chunk { span, symbol: None, declares: vec![] };
        let parsed = Parsed { parser: "none".into(), symbols: vec![], chunks: vec![chunk], imports: vec![] };
        let rows = index_rows(&RelPath::parse("src/user-icon.ts").unwrap(), &parsed, &text);
        assert!(rows[0].body.starts_with("const icon ") && rows[0].body.ends_with(" zebra"), "{}", rows[0].body);
        assert!(rows[0].body.len() < 80, "{}", rows[0].body);
        assert!(rows[0].path.split(' ').any(|term| term == "src") && rows[0].path.split(' ').any(|term| term == "icon"), "{}", rows[0].path);
    }

    #[test]
    fn spans_of_payloads_are_cut_to_the_chunk() {
        let span = |start_byte, end_byte| Span { start_byte, end_byte, start_line: 1, end_line: 1 };
        let text = "one two three four";
        assert_eq!(without(text, span(4, 13), &[0..6, 8..10, 11..18]), " o  r ");
        assert_eq!(without(text, span(4, 7), &[4..7, 9..10]), " ");
        assert_eq!(without(text, span(4, 7), &[0..4, 7..9]), "two");
    }
}
