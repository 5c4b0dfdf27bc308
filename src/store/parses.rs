//! The stored form of a parse: offsets and kinds, no text. What a parse says in words stands in the text that it was made of, so each word is stored as its
//! place there; a deleted text leaves nothing behind in the parses. What the index makes nothing of is left out: signatures, imports, references, and what a chunk declares.

use serde::{Deserialize, Serialize};

use super::packed;
use crate::hash::Hash;
use crate::syntax::{Chunk, Parsed, Span, Symbol, SymbolKind};

/// Bytes of one decompressed parse: a bound against a damaged file, far above what a file of the largest size gives.
const MAX_DECODED_BYTES: u64 = 64_000_000;
/// Bytes of a key.
const KEY_BYTES: usize = 16;

#[derive(Serialize, Deserialize)]
struct StoredParse {
    /// Of the text.
    bytes: u32,
    symbols: Vec<StoredSymbol>,
    /// The first span is told from the text's beginning, each other one from the span before it; so are those of the symbols.
    chunks: Vec<(Distance, Option<u32>)>,
}

#[derive(Serialize, Deserialize)]
struct StoredSymbol {
    kind: SymbolKind,
    name: Place,
    qualified_name: Qualified,
    /// How many symbols before it.
    parent: Option<u32>,
    span: Distance,
    /// From the symbol's own span.
    doc: Option<Distance>,
    exported: bool,
}

/// A span told from another one: bytes to its start and of it, lines to its start and of it. Small numbers, of which there are few different ones, take less room.
type Distance = [i32; 4];

/// Where spans are told from if none stands before them.
const BEGINNING: Span = Span { start_byte: 0, end_byte: 0, start_line: 0, end_line: 0 };

fn distance(from: Span, to: Span) -> Distance {
    let far = |from: u32, to: u32| to.wrapping_sub(from) as i32;
    [far(from.start_byte, to.start_byte), far(to.start_byte, to.end_byte), far(from.start_line, to.start_line), far(to.start_line, to.end_line)]
}

fn at_distance(from: Span, [bytes, length, lines, more]: Distance) -> Span {
    let start_byte = from.start_byte.wrapping_add_signed(bytes);
    let start_line = from.start_line.wrapping_add_signed(lines);
    Span { start_byte, end_byte: start_byte.wrapping_add_signed(length), start_line, end_line: start_line.wrapping_add_signed(more) }
}

/// Where a word stands: bytes after the start of its symbol, and its length.
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

/// What the parse of a text is remembered under.
pub(super) fn key(text_hash: &Hash, parser: &str) -> [u8; KEY_BYTES] {
    let hash = Hash::of(&[text_hash.as_bytes(), parser.as_bytes()].concat());
    std::array::from_fn(|at| hash.as_bytes()[at])
}

/// The parse without text and not yet compressed; `None` if a name in it does not stand in the text: such a parse is not remembered.
pub(super) fn encode(parsed: &Parsed, text: &str) -> Option<Vec<u8>> {
    let symbols = parsed.symbols.iter().enumerate();
    let mut before = BEGINNING;
    let stored = StoredParse {
        bytes: text.len() as u32,
        symbols: symbols.map(|(at, symbol)| store_symbol(&parsed.symbols[..at], symbol, text)).collect::<Option<_>>()?,
        chunks: parsed.chunks.iter().map(|chunk| (distance(std::mem::replace(&mut before, chunk.span), chunk.span), chunk.symbol)).collect(),
    };
    postcard::to_stdvec(&stored).ok()
}

/// The parse with its names cut from the text, without what is left out; `None` if it is not one of this text.
pub(super) fn decode(stored: &[u8], text: &str, parser: &str) -> Option<Parsed> {
    let bytes = zstd::zstd_safe::get_frame_content_size(stored).ok()?.filter(|&bytes| bytes <= MAX_DECODED_BYTES)?;
    let stored: StoredParse = postcard::from_bytes(&packed::unpack(stored, bytes as usize).ok()?).ok()?;
    if stored.bytes as usize != text.len() {
        return None;
    }
    restore(stored, text, parser)
}

fn store_symbol(before: &[Symbol], symbol: &Symbol, text: &str) -> Option<StoredSymbol> {
    let own = text.get(symbol.span.start_byte as usize..symbol.span.end_byte as usize)?;
    let qualified_name = if symbol.qualified_name == symbol.name {
        Qualified::Name
    } else if is_in_parent(before, symbol) {
        Qualified::InParent
    } else {
        Qualified::Parts(symbol.qualified_name.split('.').map(|part| find(own, part)).collect::<Option<_>>()?)
    };
    Some(StoredSymbol {
        kind: symbol.kind,
        name: find(own, &symbol.name)?,
        qualified_name,
        parent: symbol.parent.map(|parent| (before.len() as u32).wrapping_sub(parent)),
        span: distance(before.last().map_or(BEGINNING, |before| before.span), symbol.span),
        doc: symbol.doc.map(|doc| distance(symbol.span, doc)),
        exported: symbol.exported,
    })
}

/// Whether the qualified name is the name below that of the parent, which stands before it.
pub(super) fn is_in_parent(before: &[Symbol], symbol: &Symbol) -> bool {
    let parent = symbol.parent.and_then(|parent| before.get(parent as usize));
    let rest = parent.and_then(|parent| symbol.qualified_name.strip_prefix(&parent.qualified_name)).and_then(|rest| rest.strip_prefix('.'));
    rest == Some(&symbol.name)
}

fn find(text: &str, word: &str) -> Option<Place> {
    text.find(word).map(|at| Place { at: at as u32, bytes: word.len() as u32 })
}

fn restore(stored: StoredParse, text: &str, parser: &str) -> Option<Parsed> {
    let mut symbols: Vec<Symbol> = Vec::with_capacity(stored.symbols.len());
    for symbol in &stored.symbols {
        let span = at_distance(symbols.last().map_or(BEGINNING, |before| before.span), symbol.span);
        let parent = symbol.parent.map(|before| (symbols.len() as u32).wrapping_sub(before));
        let own = text.get(span.start_byte as usize..span.end_byte as usize)?;
        let name = cut(own, &symbol.name)?;
        let qualified_name = match &symbol.qualified_name {
            Qualified::Name => name.to_owned(),
            Qualified::InParent => format!("{}.{name}", symbols.get(parent? as usize)?.qualified_name),
            Qualified::Parts(parts) => parts.iter().map(|part| cut(own, part)).collect::<Option<Vec<_>>>()?.join("."),
        };
        symbols.push(Symbol {
            kind: symbol.kind,
            name: name.to_owned(),
            qualified_name,
            parent,
            span,
            doc: symbol.doc.map(|doc| at_distance(span, doc)),
            signature: String::new(),
            exported: symbol.exported,
            references: Vec::new(),
        });
    }
    let mut before = BEGINNING;
    let chunks = stored.chunks.into_iter().map(|(span, symbol)| {
        before = at_distance(before, span);
        Chunk { span: before, symbol, declares: Vec::new() }
    });
    Some(Parsed { parser: parser.to_owned(), symbols, chunks: chunks.collect(), imports: Vec::new() })
}

fn cut<'text>(text: &'text str, place: &Place) -> Option<&'text str> {
    text.get(place.at as usize..(place.at as usize).checked_add(place.bytes as usize)?)
}

/// As much of a parse as comes back.
#[cfg(test)]
pub(super) fn remembered(mut parsed: Parsed) -> Parsed {
    parsed.imports.clear();
    parsed.chunks.iter_mut().for_each(|chunk| chunk.declares.clear());
    for symbol in &mut parsed.symbols {
        symbol.references.clear();
        symbol.signature.clear();
    }
    parsed
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

    fn stored(parsed: &Parsed, text: &str) -> Option<Vec<u8>> {
        encode(parsed, text).map(|stored| zstd::bulk::compress(&stored, 1).unwrap())
    }

    #[test]
    fn a_parse_comes_back_and_holds_no_text() {
        let stored = stored(&sample(), TEXT).unwrap();
        assert_eq!(decode(&stored, TEXT, "test 1"), Some(remembered(sample())));
        let plain = zstd::bulk::decompress(&stored, 10_000).unwrap();
        for word in ["Größe", "area", "alpha", "scale", "number"] {
            assert!(!plain.windows(word.len()).any(|bytes| bytes == word.as_bytes()), "{word}");
        }
    }

    #[test]
    fn a_parse_with_words_that_are_not_in_the_text_is_not_kept() {
        let mut parsed = sample();
        parsed.symbols[0].name = "default".into();
        assert_eq!(stored(&parsed, TEXT), None);
        // A parent that stands after its child could not be cut before it.
        parsed = sample();
        parsed.symbols[1].parent = Some(1);
        parsed.symbols[1].qualified_name = "area.area".into();
        assert!(stored(&parsed, TEXT).is_none_or(|stored| decode(&stored, TEXT, "test 1") == Some(remembered(parsed.clone()))));
    }

    #[test]
    fn parses_of_every_language_come_back() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
        let (mut kept, mut all) = (0, 0);
        for language in std::fs::read_dir(folder).unwrap() {
            for file in std::fs::read_dir(language.unwrap().path()).unwrap().map(|file| file.unwrap().path()) {
                let Some(name) = file.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with("source.")) else { continue };
                let text = std::fs::read_to_string(&file).unwrap();
                let parsed = crate::syntax::parse(crate::language::of(&crate::rel_path::RelPath::parse(name).unwrap(), &text), &text);
                all += 1;
                if let Some(stored) = stored(&parsed, &text) {
                    kept += 1;
                    assert_eq!(decode(&stored, &text, &parsed.parser), Some(remembered(parsed)), "{}", file.display());
                }
            }
        }
        assert!(kept * 10 >= all * 8, "{kept} of {all} are kept");
    }

    #[test]
    fn a_parse_of_another_text_is_refused() {
        let stored = stored(&sample(), TEXT).unwrap();
        assert_eq!(decode(&stored, "short", "test 1"), None);
        assert_eq!(decode(&stored[..stored.len() / 2], TEXT, "test 1"), None);
        assert_eq!(decode(b"", TEXT, "test 1"), None);
    }
}
