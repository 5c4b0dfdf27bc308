//! A text to an outline by a tree-sitter grammar, bounded by work.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::ops::{ControlFlow, Range};

use tree_sitter::{ParseOptions, ParseState, Parser, Point, Tree};

use super::grammars::Grammar;
use super::roles::Scope;
use super::walk::{Inner, Walk, Walked};
use super::{Outline, Symbol};
use super::{allocator, plain};
use crate::limits::MAX_REFERENCES;
use crate::lines::LineIndex;

/// Progress calls (one per 100 steps of the parser) that any text gets.
const BASE_CALLS: usize = 1_000;
/// Bytes that earn a text one more progress call; source code takes one call in 130 bytes, the densest files one in 46.
const BYTES_PER_CALL: usize = 16;
/// Progress calls that starting on a small part costs.
const CALLS_PER_PART: usize = 8;
/// Bytes that the parser may ask for with any text, and with each byte of it; source code takes 22 of them in the middle, the densest files 70. A recovery
/// from errors that copies all that was read at each step takes any number.
const BASE_MEMORY: usize = 8 << 20;
const MEMORY_PER_BYTE: usize = 200;
/// Bytes that the parser is given at once.
const CHUNK: usize = 4_096;
/// Chunks that any text gets, and bytes that earn it one more: that is sixteen times its length, source code is read twice.
const BASE_CHUNKS: usize = 1_000;
const BYTES_PER_CHUNK: usize = 256;
/// Brackets inside each other up to which a grammar is asked: in deeper ones, which no source has, it takes a thousand bytes of memory and more for each
/// byte of the text.
const MAX_NESTED_BRACKETS: usize = 5_000;
/// Macros in macros up to which the items in their arguments are read.
const MAX_INNER_DEPTH: usize = 4;

/// What the parser may still spend on one text.
struct Allowance {
    /// Progress calls.
    calls: usize,
    /// Bytes of memory.
    memory: usize,
    /// Chunks of the text, which a grammar's own scanner may read again and again.
    chunks: usize,
}

impl Allowance {
    fn of(bytes: usize) -> Allowance {
        Allowance { calls: BASE_CALLS + bytes / BYTES_PER_CALL, memory: BASE_MEMORY + bytes * MEMORY_PER_BYTE, chunks: BASE_CHUNKS + bytes / BYTES_PER_CHUNK }
    }

    /// Whether so many calls and bytes are left; they are taken from it.
    fn spend(&mut self, calls: usize, memory: usize) -> bool {
        let left = self.calls.checked_sub(calls).zip(self.memory.checked_sub(memory));
        (self.calls, self.memory) = left.unwrap_or_default();
        left.is_some()
    }
}

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// The outline of a text; `None` if the grammar cannot be loaded or the text takes too many steps.
pub(super) fn outline(grammar: &'static Grammar, text: &str, lines: &LineIndex) -> Option<Outline> {
    outline_of(grammar, text, lines, None)
}

/// The outline of a part of a text, or of the whole.
pub(super) fn outline_of(grammar: &'static Grammar, text: &str, lines: &LineIndex, part: Option<Range<usize>>) -> Option<Outline> {
    if nests_too_deep(text.as_bytes()) {
        return None;
    }
    // Before the parser takes memory for anything.
    allocator::asked();
    let compiled = grammar.compiled();
    let bytes = part.as_ref().map_or(text.len(), Range::len);
    let mut left = Allowance::of(bytes);
    let source = (grammar.readable)(text);
    let tree = parse(&compiled.language, &source, part, &mut left)?;
    let Walked { outline: mut found, mut broken, inner } = Walk::new(compiled, Scope::Module, text, lines).run(&tree);
    let mut open: VecDeque<(Inner, usize)> = inner.into_iter().map(|inner| (inner, 1)).collect();
    while let Some((Inner { range, scope, parent }, depth)) = open.pop_front() {
        let tree = if left.spend(1, 0) { parse(&compiled.language, &source, Some(range.clone()), &mut left) } else { None };
        // An item that cannot be read may still hold a plain declaration.
        let Some(tree) = tree.filter(is_one_item) else {
            broken.push(range);
            continue;
        };
        let around = parent.map(|parent| &found.symbols[parent as usize]);
        let known = around.iter().len();
        let walked = Walk::new(compiled, scope, text, lines).inside(around).run(&tree);
        let offset = found.symbols.len();
        let place = |own: u32| if (own as usize) < known { parent } else { Some(own + (offset - known) as u32) };
        let new = walked.outline.symbols.into_iter().skip(known);
        found.symbols.extend(new.map(|symbol| Symbol { parent: symbol.parent.map_or(parent, place), ..symbol }));
        add_imports(&mut found.imports, walked.outline.imports);
        broken.extend(walked.broken);
        if depth < MAX_INNER_DEPTH {
            open.extend(walked.inner.into_iter().map(|inner| (Inner { parent: inner.parent.map_or(parent, place), ..inner }, depth + 1)));
        }
    }
    // Where an error swallows a decorator, what its range declares is met before the declaration that starts with it.
    if !found.symbols.is_sorted_by_key(|symbol| symbol.span.start_byte) {
        plain::merge(&mut found.symbols, Vec::new());
    }
    broken.sort_by_key(|range| range.start);
    let mut read = |range: Range<usize>| {
        if !left.spend(CALLS_PER_PART, 0) {
            return Vec::new();
        }
        let tree = parse(&compiled.language, &source, Some(range), &mut left).filter(|tree| !tree.root_node().has_error());
        tree.map_or_else(Vec::new, |tree| Walk::new(compiled, Scope::Module, text, lines).run(&tree).outline.symbols)
    };
    plain::rescue(grammar.plain, text, lines, &broken, &mut read, &mut found.symbols);
    Some(found)
}

/// Whether nothing between its items, and no item as a whole, is broken.
fn is_one_item(tree: &Tree) -> bool {
    let root = tree.root_node();
    !root.has_error() || !(root.is_error() || root.children(&mut root.walk()).any(|child| child.is_error() || child.is_missing()))
}

/// Adds the outline of a part.
pub(super) fn adopt(whole: &mut Outline, part: Outline) {
    let offset = whole.symbols.len() as u32;
    whole.symbols.extend(part.symbols.into_iter().map(|symbol| Symbol { parent: symbol.parent.map(|own| own + offset), ..symbol }));
    add_imports(&mut whole.imports, part.imports);
}

fn add_imports(imports: &mut Vec<String>, new: Vec<String>) {
    for import in new {
        if imports.len() < MAX_REFERENCES && !imports.contains(&import) {
            imports.push(import);
        }
    }
}

/// Whether more brackets than [`MAX_NESTED_BRACKETS`] are open somewhere.
fn nests_too_deep(text: &[u8]) -> bool {
    let mut open = 0_usize;
    text.iter().any(|byte| {
        match byte {
            b'(' | b'[' | b'{' => open += 1,
            b')' | b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        open > MAX_NESTED_BRACKETS
    })
}

/// The tree of a text or a part of it, if the parser needs no more than is left; what it needs is taken from it.
fn parse(language: &tree_sitter::Language, bytes: &[u8], part: Option<Range<usize>>, left: &mut Allowance) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(language).ok()?;
        let ranges: Vec<tree_sitter::Range> = part
            .into_iter()
            .map(|part| tree_sitter::Range {
                start_byte: part.start,
                end_byte: part.end,
                start_point: Point::new(0, part.start),
                end_point: Point::new(0, part.end),
            })
            .collect();
        parser.set_included_ranges(&ranges).ok()?;

        let chunks = Cell::new(left.chunks);
        let mut before = allocator::asked();
        let mut progress = |_: &ParseState| {
            let asked = allocator::asked();
            let new = asked.wrapping_sub(std::mem::replace(&mut before, asked));
            if left.spend(1, new) && chunks.get() > 0 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        };
        // Where too much was read, the text is at its end.
        let mut read = |at: usize, _: Point| {
            chunks.set(chunks.get().saturating_sub(1));
            let rest = bytes.get(at..).filter(|_| chunks.get() > 0).unwrap_or_default();
            &rest[..rest.len().min(CHUNK)]
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, None, Some(options)).filter(|_| chunks.get() > 0);
        left.chunks = chunks.get();
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
    fn brackets_are_counted_by_how_many_are_open() {
        assert!(!nests_too_deep("({[".repeat(1_666).as_bytes()));
        assert!(nests_too_deep("({[".repeat(1_667).as_bytes()));
        assert!(!nests_too_deep(&[b"()[]{}".repeat(10_000), b")]}".repeat(10_000), b"(".repeat(5_000)].concat()));
    }

    #[test]
    fn a_recovery_that_copies_what_was_read_is_stopped() {
        let language = tree_sitter::Language::new(tree_sitter_c::LANGUAGE);
        let text = "a=>".repeat(20_000);
        let before = allocator::asked();
        let mut left = Allowance::of(text.len());
        assert!(parse(&language, text.as_bytes(), None, &mut left).is_none());
        assert_eq!(left.memory, 0);
        let asked = allocator::asked().wrapping_sub(before);
        assert!(asked < 2 * Allowance::of(text.len()).memory, "{asked}");
    }

    #[test]
    fn a_scanner_that_reads_to_the_end_again_and_again_is_stopped() {
        let language = tree_sitter::Language::new(tree_sitter_kotlin_ng::LANGUAGE);
        let text = "a=>".repeat(20_000);
        let mut left = Allowance::of(text.len());
        assert!(parse(&language, text.as_bytes(), None, &mut left).is_none());
        assert_eq!(left.chunks, 0);
        assert!(parse(&language, b"class After", None, &mut Allowance::of(0)).is_some_and(|tree| !tree.root_node().has_error()));
    }

    #[test]
    fn a_parser_that_was_stopped_starts_anew() {
        let language = tree_sitter::Language::new(tree_sitter_typescript::LANGUAGE_TYPESCRIPT);
        let text = "const a = [1, 2, 3];\n".repeat(1_000);
        let mut few = Allowance { calls: 3, ..Allowance::of(text.len()) };
        assert!(parse(&language, text.as_bytes(), None, &mut few).is_none());
        let tree = parse(&language, b"class After {}", None, &mut Allowance::of(0)).expect("a short text");
        assert_eq!(tree.root_node().to_sexp(), "(program (class_declaration name: (type_identifier) body: (class_body)))");
        assert!(parse(&language, text.as_bytes(), None, &mut Allowance::of(text.len())).is_some());
    }
}
