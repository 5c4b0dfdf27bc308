use proptest::prelude::*;

use super::*;
use crate::language::Use;
use crate::limits::{MAX_CHUNK_CHARS, WINDOW_LINES, WINDOW_OVERLAP};

mod constructs;
mod every_language;
mod facets;
mod files;
mod hidden;
mod macros;
mod members;
mod pages;
mod symbols;

pub(super) static TYPESCRIPT: Language =
    Language { name: "typescript", extensions: &[], file_names: &[], interpreters: &[], value: Use::Parsed, tests: &[], generated: &[] };
static TSX: Language = Language { name: "tsx", extensions: &[], file_names: &[], interpreters: &[], value: Use::Parsed, tests: &[], generated: &[] };
static JAVASCRIPT: Language =
    Language { name: "javascript", extensions: &[], file_names: &[], interpreters: &[], value: Use::Parsed, tests: &[], generated: &[] };

const FUNCTIONS: [SymbolKind; 4] = [SymbolKind::Function, SymbolKind::Method, SymbolKind::Constructor, SymbolKind::Accessor];

/// What holds for every result, whatever the text.
fn check(text: &str, parsed: &Parsed) {
    let lines = LineIndex::new(text);
    let fits = |span: &Span| {
        let (start, end) = (span.start_byte as usize, span.end_byte as usize);
        assert!(start <= end && text.get(start..end).is_some(), "{span:?}");
        assert_eq!(span.start_line, lines.line_at(start), "{span:?}");
        assert_eq!(span.end_line, lines.line_at(end.saturating_sub(1).max(start)), "{span:?}");
    };
    for (index, symbol) in parsed.symbols.iter().enumerate() {
        fits(&symbol.span);
        symbol.doc.iter().for_each(fits);
        assert!(!symbol.name.is_empty());
        assert!(symbol.parent.is_none_or(|parent| (parent as usize) < index), "{symbol:?}");
        assert!(symbol.signature.chars().count() <= crate::limits::MAX_SIGNATURE_CHARS);
    }
    assert!(parsed.symbols.is_sorted_by_key(|symbol| symbol.span.start_byte));
    let mut covered = 0;
    for chunk in &parsed.chunks {
        fits(&chunk.span);
        assert!(chunk.span.start_byte <= covered, "a gap before {chunk:?}");
        assert!(chunk.span.end_byte > covered, "{chunk:?} adds nothing");
        covered = chunk.span.end_byte;
        assert!(text[chunk.span.start_byte as usize..chunk.span.end_byte as usize].chars().count() <= MAX_CHUNK_CHARS);
    }
    assert_eq!(covered as usize, text.len());
    let declared: Vec<u32> = parsed.chunks.iter().flat_map(|chunk| chunk.declares.iter().copied()).collect();
    let in_function = |symbol: &Symbol| symbol.parent.is_some_and(|parent| FUNCTIONS.contains(&parsed.symbols[parent as usize].kind));
    let expected: Vec<u32> = (0..parsed.symbols.len() as u32).filter(|index| !in_function(&parsed.symbols[*index as usize])).collect();
    assert_eq!(declared, expected, "each symbol in one chunk, in order");
}

fn parse_checked(language: &'static Language, text: &str) -> Parsed {
    let parsed = parse(Some(language), text);
    check(text, &parsed);
    assert_eq!(parsed, parse(Some(language), text));
    parsed
}

/// First line, last line, symbol and declared names of each chunk.
fn outline_of(parsed: &Parsed) -> Vec<(u32, u32, Option<&str>, Vec<&str>)> {
    let name = |index: u32| parsed.symbols[index as usize].qualified_name.as_str();
    parsed
        .chunks
        .iter()
        .map(|chunk| (chunk.span.start_line, chunk.span.end_line, chunk.symbol.map(name), chunk.declares.iter().copied().map(name).collect()))
        .collect()
}

#[test]
fn text_without_a_grammar_is_cut_into_windows() {
    let text = "line\n".repeat(200);
    let parsed = parse(None, &text);
    check(&text, &parsed);
    assert_eq!(parsed.parser, "windows/1");
    assert_eq!(parser_id(None), "windows/1");
    let step = WINDOW_LINES - WINDOW_OVERLAP;
    assert_eq!(outline_of(&parsed), [(1, 80, None, vec![]), (1 + step, 80 + step, None, vec![]), (1 + 2 * step, 200, None, vec![])]);
    assert!(parse(None, "").chunks.is_empty());
    assert_eq!(outline_of(&parse(None, "\n\n")), [(1, 2, None, vec![])]);
}

#[test]
fn each_language_has_its_parser() {
    assert_eq!(parser_id(Some(&TYPESCRIPT)), "tree-sitter-typescript@0.23.2/8");
    assert_eq!(parser_id(Some(&TSX)), "tree-sitter-tsx@0.23.2/8");
    assert_eq!(parser_id(Some(&JAVASCRIPT)), "tree-sitter-javascript@0.25.0/8");
    let parsed = parse_checked(&TSX, "export const App = () => <Main title=\"x\" />;\n");
    assert_eq!((parsed.parser.as_str(), parsed.symbols[0].references.as_slice()), ("tree-sitter-tsx@0.23.2/8", &["Main".to_owned()][..]));
}

#[test]
fn small_siblings_merge_and_large_containers_open() {
    let method = |name: &str, lines: usize| format!("  {name}() {{\n{}  }}\n", "    work();\n".repeat(lines - 2));
    let text = format!(
        "import a from 'a';\n\nconst one = 1;\n/** Says two. */\nfunction two() {{}}\n\nclass Small {{\n  a() {{}}\n}}\nclass Large {{\n  field = 1;\n{}{}}}\nlast();\n",
        method("first", 60),
        method("second", 100)
    );
    let parsed = parse_checked(&TYPESCRIPT, &text);
    assert_eq!(
        outline_of(&parsed),
        [
            (1, 9, None, vec!["one", "two", "Small", "Small.a"]),
            (10, 11, Some("Large"), vec!["Large", "Large.field"]),
            (12, 71, Some("Large.first"), vec!["Large.first"]),
            (72, 151, Some("Large.second"), vec!["Large.second"]),
            (140, 172, Some("Large.second"), vec![]),
            (173, 173, None, vec![]),
        ]
    );
}

#[test]
fn a_declaration_alone_is_its_own_chunk_with_its_comment() {
    let text = format!("// why\nexport function big() {{\n{}}}\n\n{}", "  go();\n".repeat(50), "x();\n".repeat(40));
    let parsed = parse_checked(&TYPESCRIPT, &text);
    assert_eq!(outline_of(&parsed), [(1, 53, Some("big"), vec!["big"]), (54, 94, None, vec![])]);
    assert_eq!(parsed.symbols[0].doc.map(|doc| (doc.start_line, doc.end_line)), Some((1, 1)));
    let shared = parse_checked(&TYPESCRIPT, "class A {} class B {}\n");
    assert_eq!(outline_of(&shared), [(1, 1, None, vec!["A", "B"])]);
}

#[test]
fn one_very_long_line_gives_several_chunks() {
    let text = format!("const data = \"{}\";\nconst after = 1;\n", "ä".repeat(50_000));
    let parsed = parse_checked(&TYPESCRIPT, &text);
    assert_eq!(parsed.chunks.iter().map(|chunk| (chunk.span.start_line, chunk.span.end_line)).collect::<Vec<_>>(), [(1, 1), (1, 1), (1, 2)]);
    let long = "x".repeat(5_000_000);
    let parsed = parse(None, &long);
    check(&long, &parsed);
    assert_eq!(parsed.chunks.len(), 250);
}

#[test]
fn hostile_texts_end_and_are_covered() {
    let texts = [
        "(".repeat(200_000),
        "{".repeat(5_000) + &"}".repeat(5_000),
        "a<".repeat(50_000),
        "`${".repeat(20_000),
        "\0".repeat(1_000),
        "class A {\0 b() {} }\rclass C {}\r".repeat(3),
        "namespace a {".repeat(300) + &"}".repeat(300),
        "/*".repeat(10_000),
        "x=>".repeat(20_000),
        " ".repeat(100_000) + "\r\n\r\n\t",
        "\u{feff}class A {}".to_owned(),
    ];
    for text in &texts {
        parse_checked(&TYPESCRIPT, text);
        parse_checked(&TSX, text);
        parse_checked(&JAVASCRIPT, text);
    }
    // The parser of this thread goes on as new after texts that it gave up.
    assert_eq!(parse_checked(&TYPESCRIPT, "class After {}").symbols[0].name, "After");
}

const REAL: &str = r#"import { a } from "./a";
/** Doc. */
@Injectable()
export class Service<T> extends Base implements Api {
  @Input() name = "x";
  constructor(private readonly client: Client) { super(); }
  async run(task: Task): Promise<T> {
    return this.client.send(task);
  }
}
export const table = { one() {}, two: () => 1, three: { four: function () {} } };
export enum Color { Red, Green = 2 }
declare module "m" { export function f(): void }
export default function () { const inner = () => { return `a ${b}`; }; }
"#;

#[test]
fn declarations_stand_in_order_where_an_error_swallows_a_decorator() {
    // Found by the property below: the decorator's own range holds declarations that are met before the decorated one.
    let mut text = REAL.to_owned();
    text.replace_range(38..73, "A:<");
    parse_checked(&TYPESCRIPT, &text);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_covered(text in "(?s:.{0,200})|[ \\r\\n{}();=a-c/*'\"`<>]{0,200}") {
        check(&text, &parse(None, &text));
        parse_checked(&TYPESCRIPT, &text);
        parse_checked(&JAVASCRIPT, &text);
    }

    #[test]
    fn mutated_source_is_covered(cuts in prop::collection::vec((0usize..900, 0usize..40, "(?s:.{0,8})|[{}()`'\"\\r\\n/*]{0,3}"), 1..6), times in 1usize..12) {
        let mut text = REAL.repeat(times);
        for (at, remove, insert) in cuts {
            let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let (at, end) = (boundary(at), boundary(at + remove));
            text.replace_range(at..end, &insert);
        }
        parse_checked(&TYPESCRIPT, &text);
        parse_checked(&TSX, &text);
        parse_checked(&JAVASCRIPT, &text);
    }
}
