//! A text to an outline by a tree-sitter grammar, bounded by work.

use std::cell::RefCell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Parser, Tree};

use super::Outline;
use super::grammars::Grammar;
use super::plain;
use super::walk::Walk;
use crate::lines::LineIndex;

/// Progress calls (one per 100 steps of the parser) that any text gets.
const BASE_CALLS: usize = 20_000;
/// Bytes that earn a text one more progress call; source code takes one call in 130 bytes, the densest files one in 46.
const BYTES_PER_CALL: usize = 16;

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The outline of a text; `None` if the grammar cannot be loaded or the text takes too many steps.
pub(super) fn outline(grammar: &'static Grammar, text: &str, lines: &LineIndex) -> Option<Outline> {
    let tree = parse(&grammar.compiled().language, text, BASE_CALLS + text.len() / BYTES_PER_CALL)?;
    let (mut found, broken) = Walk::new(&grammar.compiled().roles, text, lines).run(&tree);
    // Where an error swallows a decorator, what its range declares is met before the declaration that starts with it.
    if !found.symbols.is_sorted_by_key(|symbol| symbol.span.start_byte) {
        plain::merge(&mut found.symbols, Vec::new());
    }
    plain::rescue(grammar.plain, text, lines, &broken, &mut found.symbols);
    Some(found)
}

/// The tree of a text, if the parser needs no more than the given number of progress calls.
fn parse(language: &tree_sitter::Language, text: &str, most_calls: usize) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(language).ok()?;
        let bytes = text.as_bytes();
        let mut calls = 0;
        let mut progress = |_: &ParseState| {
            calls += 1;
            if calls > most_calls { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let tree =
            parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(ParseOptions::new().progress_callback(&mut progress)));
        // A parser that was stopped would go on with the old text.
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parser_that_was_stopped_starts_anew() {
        let language = tree_sitter::Language::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT);
        let text = "const a = [1, 2, 3];\n".repeat(1_000);
        assert!(parse(&language, &text, 3).is_none());
        let tree = parse(&language, "class After {}", 3).expect("a short text");
        assert_eq!(tree.root_node().to_sexp(), "(program (class_declaration name: (type_identifier) body: (class_body)))");
        assert!(parse(&language, &text, BASE_CALLS).is_some());
    }
}
