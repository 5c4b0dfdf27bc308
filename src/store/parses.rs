//! The stored form of a parse: offsets and kinds, no text. What a parse says in words stands in the text that it was made of, so each word is stored as its
//! place there; a deleted text leaves nothing behind in the parses.

use serde::{Deserialize, Serialize};

use crate::syntax::{Chunk, Parsed, Span, Symbol, SymbolKind};

/// Bytes of one decompressed parse: a bound against a damaged file, far above what a file of the largest size gives.
const MAX_DECODED_BYTES: u64 = 64_000_000;
/// Places at which a signature is tried.
const MAX_SIGNATURE_STARTS: usize = 4_096;

#[derive(Serialize, Deserialize)]
struct StoredParse {
    parser: String,
    symbols: Vec<StoredSymbol>,
    chunks: Vec<Chunk>,
    imports: Vec<Place>,
}

#[derive(Serialize, Deserialize)]
struct StoredSymbol {
    kind: SymbolKind,
    name: Place,
    qualified_name: Qualified,
    parent: Option<u32>,
    span: Span,
    doc: Option<Span>,
    /// White space is collapsed after it is cut.
    signature: Place,
    exported: bool,
    references: Vec<Place>,
}

/// Where a word stands: bytes after the start of its symbol (of the text, for imports), and its length.
#[derive(Serialize, Deserialize)]
struct Place {
    at: u32,
    bytes: u32,
}

#[derive(Serialize, Deserialize)]
enum Qualified {
    Name,
    InParent,
    Parts(Vec<Place>),
}

/// The parse without text; `None` if a word of it does not stand in the text: such a parse is not remembered.
pub(super) fn encode(parsed: &Parsed, text: &str) -> Option<Vec<u8>> {
    let stored = StoredParse {
        parser: parsed.parser.clone(),
        symbols: parsed.symbols.iter().map(|symbol| store_symbol(parsed, symbol, text)).collect::<Option<_>>()?,
        chunks: parsed.chunks.clone(),
        imports: parsed.imports.iter().map(|import| find(text, import)).collect::<Option<_>>()?,
    };
    // Whatever the search above missed shows here, and never as another parse later.
    if restore(&stored, text).as_ref() != Some(parsed) {
        return None;
    }
    zstd::bulk::compress(&postcard::to_stdvec(&stored).ok()?, 1).ok()
}

/// The parse with its words cut from the text; `None` if it is not one of this text.
pub(super) fn decode(stored: &[u8], text: &str) -> Option<Parsed> {
    let bytes = zstd::zstd_safe::get_frame_content_size(stored).ok()?.filter(|&bytes| bytes <= MAX_DECODED_BYTES)?;
    let stored: StoredParse = postcard::from_bytes(&zstd::bulk::decompress(stored, bytes as usize).ok()?).ok()?;
    restore(&stored, text)
}

fn store_symbol(parsed: &Parsed, symbol: &Symbol, text: &str) -> Option<StoredSymbol> {
    let own = text.get(symbol.span.start_byte as usize..symbol.span.end_byte as usize)?;
    let parent = symbol.parent.and_then(|parent| parsed.symbols.get(parent as usize));
    let qualified_name = if symbol.qualified_name == symbol.name {
        Qualified::Name
    } else if parent.is_some_and(|parent| symbol.qualified_name == format!("{}.{}", parent.qualified_name, symbol.name)) {
        Qualified::InParent
    } else {
        Qualified::Parts(symbol.qualified_name.split('.').map(|part| find(own, part)).collect::<Option<_>>()?)
    };
    Some(StoredSymbol {
        kind: symbol.kind,
        name: find(own, &symbol.name)?,
        qualified_name,
        parent: symbol.parent,
        span: symbol.span,
        doc: symbol.doc,
        signature: find_collapsed(own, &symbol.signature)?,
        exported: symbol.exported,
        references: symbol.references.iter().map(|reference| find(own, reference)).collect::<Option<_>>()?,
    })
}

fn find(text: &str, word: &str) -> Option<Place> {
    text.find(word).map(|at| Place { at: at as u32, bytes: word.len() as u32 })
}

/// Where `words` stand if each of their spaces may be any run of white space.
fn find_collapsed(text: &str, words: &str) -> Option<Place> {
    let Some(first) = words.chars().next() else { return Some(Place { at: 0, bytes: 0 }) };
    text.match_indices(first).take(MAX_SIGNATURE_STARTS).find_map(|(at, _)| {
        let mut rest = &text[at..];
        for wanted in words.chars() {
            let after = if wanted == ' ' { rest.trim_start() } else { rest.strip_prefix(wanted)? };
            if after.len() == rest.len() {
                return None;
            }
            rest = after;
        }
        Some(Place { at: at as u32, bytes: (text.len() - at - rest.len()) as u32 })
    })
}

/// The byte range of a symbol's signature in the text, if [`cut_signature`] gives it back from there.
pub(super) fn place_of_signature(symbol: &Symbol, text: &str) -> Option<(u32, u32)> {
    let start = symbol.span.start_byte;
    let place = find_collapsed(text.get(start as usize..symbol.span.end_byte as usize)?, &symbol.signature)?;
    let (from, to) = (start + place.at, start + place.at + place.bytes);
    (cut_signature(text, from, to)? == symbol.signature).then_some((from, to))
}

/// A range of the text on one line.
pub(super) fn cut_signature(text: &str, start: u32, end: u32) -> Option<String> {
    text.get(start as usize..end as usize).map(collapse)
}

fn collapse(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn restore(stored: &StoredParse, text: &str) -> Option<Parsed> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(stored.symbols.len());
    for symbol in &stored.symbols {
        let own = text.get(symbol.span.start_byte as usize..symbol.span.end_byte as usize)?;
        let name = cut(own, &symbol.name)?;
        let qualified_name = match &symbol.qualified_name {
            Qualified::Name => name.to_owned(),
            Qualified::InParent => format!("{}.{name}", symbols.get(symbol.parent? as usize)?.qualified_name),
            Qualified::Parts(parts) => parts.iter().map(|part| cut(own, part)).collect::<Option<Vec<_>>>()?.join("."),
        };
        symbols.push(Symbol {
            kind: symbol.kind,
            name: name.to_owned(),
            qualified_name,
            parent: symbol.parent,
            span: symbol.span,
            doc: symbol.doc,
            signature: collapse(cut(own, &symbol.signature)?),
            exported: symbol.exported,
            references: words(own, &symbol.references)?,
        });
    }
    Some(Parsed { parser: stored.parser.clone(), symbols, chunks: stored.chunks.clone(), imports: words(text, &stored.imports)? })
}

fn words(text: &str, places: &[Place]) -> Option<Vec<String>> {
    places.iter().map(|place| cut(text, place).map(str::to_owned)).collect()
}

fn cut<'text>(text: &'text str, place: &Place) -> Option<&'text str> {
    text.get(place.at as usize..(place.at as usize).checked_add(place.bytes as usize)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "import a from \"./alpha\";\nexport class Größe {\n  area(\n    by: number,\n  ): number { return scale(by); }\n}\n";

    fn sample() -> Parsed {
        let span = |start: &str, end: &str, lines: (u32, u32)| {
            let start_byte = TEXT.find(start).unwrap() as u32;
            let end_byte = (TEXT.rfind(end).unwrap() + end.len()) as u32;
            Span { start_byte, end_byte, start_line: lines.0, end_line: lines.1 }
        };
        let class = Symbol {
            kind: SymbolKind::Class,
            name: "Größe".into(),
            qualified_name: "Größe".into(),
            parent: None,
            span: span("export", "}", (2, 6)),
            doc: None,
            signature: "export class Größe".into(),
            exported: true,
            references: vec![],
        };
        let method = Symbol {
            kind: SymbolKind::Method,
            name: "area".into(),
            qualified_name: "Größe.area".into(),
            parent: Some(0),
            span: span("area", "scale(by); }", (3, 5)),
            doc: None,
            signature: "area( by: number, ): number".into(),
            exported: false,
            references: vec!["number".into(), "scale".into()],
        };
        let chunk = Chunk { span: Span { start_byte: 0, end_byte: TEXT.len() as u32, start_line: 1, end_line: 6 }, symbol: None, declares: vec![0, 1] };
        Parsed { parser: "test 1".into(), symbols: vec![class, method], chunks: vec![chunk], imports: vec!["./alpha".into()] }
    }

    #[test]
    fn a_parse_comes_back_whole_and_holds_no_text() {
        let stored = encode(&sample(), TEXT).unwrap();
        assert_eq!(decode(&stored, TEXT), Some(sample()));
        let plain = zstd::bulk::decompress(&stored, 10_000).unwrap();
        for word in ["Größe", "area", "alpha", "scale", "number"] {
            assert!(!plain.windows(word.len()).any(|bytes| bytes == word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn a_parse_with_words_that_are_not_in_the_text_is_not_kept() {
        let mut parsed = sample();
        parsed.symbols[1].signature = "area(by: number): number".into();
        assert_eq!(encode(&parsed, TEXT), None);
        parsed = sample();
        parsed.symbols[0].name = "default".into();
        assert_eq!(encode(&parsed, TEXT), None);
    }

    #[test]
    fn a_parse_of_another_text_is_refused() {
        let stored = encode(&sample(), TEXT).unwrap();
        assert_eq!(decode(&stored, "short"), None);
        assert_eq!(decode(&stored[..stored.len() / 2], TEXT), None);
        assert_eq!(decode(b"", TEXT), None);
    }
}
