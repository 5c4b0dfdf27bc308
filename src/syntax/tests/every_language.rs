//! What holds for each language, whatever the text.

use std::path::Path;

use super::*;
use crate::language::LANGUAGES;
use crate::syntax::grammars;
use crate::syntax::registry;

/// The languages that something here outlines.
fn outlined() -> impl Iterator<Item = &'static Language> {
    LANGUAGES.iter().filter(|language| registry::first(Some(language)).id(Some(language)) != "windows/1")
}

/// Our own files, by language.
pub(super) fn sources() -> Vec<(&'static Language, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/conformance");
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let folder = entry.unwrap().path();
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let language = LANGUAGES.iter().find(|language| language.name == name).expect("a language of that name");
            let file = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.file_stem().unwrap() == "source").unwrap();
            (language, std::fs::read_to_string(file).unwrap())
        })
        .collect();
    found.sort_by_key(|(language, _)| language.name);
    found
}

#[test]
fn every_language_called_parsed_has_a_parser() {
    for language in LANGUAGES {
        let outlined = registry::first(Some(language)).id(Some(language)) != "windows/1";
        assert!(language.value != Use::Parsed || outlined, "{}", language.name);
    }
    assert!(outlined().count() >= 28);
}

#[test]
fn hostile_texts_end_in_every_language() {
    let texts = [
        "(".repeat(10000),
        "{".repeat(1000) + &"}".repeat(1000),
        "[".repeat(4000),
        "a<".repeat(4000),
        "if a:\n ".repeat(600),
        "\0".repeat(1_000),
        ")) ((\n".to_owned() + &"class A {\n  b() {}\n}\n".repeat(300),
        "class A {\0 b() {} }\rclass C {}\r".repeat(3),
        "def a\r\nclass B\n  end\rmodule C\r\n".repeat(50),
        "namespace a { class b { ".repeat(300),
        "/*".repeat(2000),
        "\"".repeat(2000),
        "'''".repeat(1000),
        "`".repeat(1999),
        "#".repeat(2000) + "\n" + &"# ".repeat(1000),
        "> ".repeat(400) + "x",
        "- ".repeat(400) + "x",
        "  ".repeat(400) + "- a:\n",
        (1..400).map(|depth| " ".repeat(depth) + "a:\n").collect::<String>(),
        "<".repeat(2000) + "script>",
        "<<EOF\n".repeat(400),
        "${".repeat(2000),
        "x=>".repeat(1000),
        " ".repeat(20000) + "\r\n\r\n\t",
        "\u{feff}class A {}".to_owned(),
        "é\u{301}😀\u{2028}".repeat(400),
    ];
    for language in outlined() {
        for text in &texts {
            parse_checked(language, text);
        }
    }
}

#[test]
fn deep_nesting_asks_no_grammar_and_takes_a_small_stack() {
    let pieces =
        ["(", "{", "[", "a(", "if a { ", "a.b(c, ", "((a", "{a:", "namespace a { class b { ", "f(function() {", "`${", "\"#{", "$((", "<a>", "- ", "> "];
    let thread = std::thread::Builder::new().stack_size(1_024 * 1_024).spawn(move || {
        for language in outlined() {
            for piece in pieces {
                let text = piece.repeat(6_000) + "\nfunction after() {}\n";
                let parsed = parse(Some(language), &text);
                check(&text, &parsed);
                let brackets = piece.matches(['(', '[', '{']).count();
                assert!(brackets == 0 || !parsed.parser.starts_with("tree-sitter"), "{}: {piece}", language.name);
            }
        }
    });
    thread.unwrap().join().unwrap();
}

#[test]
fn one_line_of_five_megabytes_ends_in_every_language() {
    let word = "a".repeat(5_000_000);
    let code = "a = [1, 2];".repeat(10_000);
    for language in outlined() {
        check(&word, &parse(Some(language), &word));
        check(&code, &parse(Some(language), &code));
    }
}

#[test]
fn cut_files_are_covered_in_every_language() {
    for (language, text) in sources() {
        for at in (0..text.len()).step_by(97).filter(|at| text.is_char_boundary(*at)) {
            check(&text[..at], &parse(Some(language), &text[..at]));
            check(&text[at..], &parse(Some(language), &text[at..]));
        }
    }
}

#[test]
fn a_language_is_one_row_and_one_table_of_roles() {
    use crate::syntax::roles::{Role, Scope};
    const TOY: &[(&str, Role)] =
        &[("comment", Role::Comment), ("function_declaration", Role::Declares(SymbolKind::Function, Scope::Local)), ("type_identifier", Role::TypeName)];
    static ROW: grammars::Grammar = grammars::Grammar::new(&["toy"], "toy@1/1", tree_sitter_go::LANGUAGE, TOY, crate::syntax::plain::none);
    let text = "package a\n\n// Says go.\nfunc goNow(to Place) {\n\ttype inner int\n}\n\ntype T int\n";
    let found = crate::syntax::tree::outline(&ROW, text, &LineIndex::new(text)).expect("an outline");
    let [function] = found.symbols.as_slice() else { panic!("{:?}", found.symbols) };
    assert_eq!((function.name.as_str(), function.span.start_line, function.span.end_line), ("goNow", 4, 6));
    assert_eq!(
        (function.signature.as_str(), function.references.as_slice()),
        ("func goNow(to Place)", &["Place".to_owned(), "inner".to_owned(), "int".to_owned()][..])
    );
    assert_eq!(function.doc.map(|doc| doc.start_line), Some(3));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn any_text_is_covered_in_every_language(text in "(?s:.{0,120})|[ \\r\\n\\t{}();:=a-c/*'\"`<>#@$!|&~^+\\-\\[\\]\\\\.,?%0-9]{0,160}") {
        for language in outlined() {
            parse_checked(language, &text);
        }
    }

    #[test]
    fn mutated_files_are_covered(
        which in 0usize..18,
        cuts in prop::collection::vec((any::<prop::sample::Index>(), 0usize..60, "(?s:.{0,6})|[{}()`'\"\\r\\n/*#:]{0,3}"), 1..8),
    ) {
        let sources = sources();
        let (language, mut text) = sources[which % sources.len()].clone();
        for (at, remove, insert) in cuts {
            let boundary = |at: usize| (0..=at.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
            let at = at.index(text.len().max(1));
            let (at, end) = (boundary(at), boundary(at + remove));
            text.replace_range(at..end, &insert);
        }
        parse_checked(language, &text);
    }
}
