//! What is given to a macro where declarations stand: the items among its tokens.
//!
//! An item is told by its first words and ends at its `;` or its braces. The grammar then reads it by itself, so that what else the macro takes, such as a
//! condition around it, does it no harm.

use std::ops::Range;

use tree_sitter::Node;

use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Scope};
use crate::syntax::walk::Walk;

/// Braces and calls inside each other in which items are looked for.
const MAX_NESTING: usize = 4;

/// A part of what is given to a macro.
enum Part<'tree> {
    Item(Range<usize>),
    Flags(Flags<'tree>),
    /// What is given to another macro.
    Call(Node<'tree>),
    /// Braces behind anything else.
    Braces(Node<'tree>),
    Other,
}

/// A `struct` or an `enum` whose body lists constants: no Rust, so that only its tokens tell.
struct Flags<'tree> {
    /// From its first comment up to its braces.
    tokens: Vec<Node<'tree>>,
    head: Head,
    body: Node<'tree>,
}

/// The first words of an item, as indices of tokens.
struct Head {
    /// Behind comments and attributes.
    start: usize,
    keyword: usize,
    /// Whether it ends at braces, if not at a `;` before them.
    ends_at_braces: bool,
}

/// Has the items in a group of tokens read.
pub(super) fn read_items<'tree>(walk: &mut Walk<'tree>, group: Node<'tree>) {
    if mentions_items(walk.text_of(group)) {
        read(walk, group, true, MAX_NESTING);
    }
}

/// Whether any of the words that items begin with is there: to go through the tokens takes far longer.
fn mentions_items(text: &str) -> bool {
    text.starts_with('{') || text.split(|char: char| !char.is_alphanumeric() && char != '_').any(is_keyword)
}

fn is_keyword(word: &str) -> bool {
    matches!(word, "fn" | "struct" | "enum" | "union" | "trait" | "mod" | "impl" | "static" | "const" | "type" | "use" | "extern" | "macro_rules")
}

/// Reads the items in a group if they `count`, and in any case those in braces that hold nothing else: what stands between statements is local.
fn read<'tree>(walk: &mut Walk<'tree>, group: Node<'tree>, count: bool, depth: usize) {
    for part in parts(walk, group) {
        match part {
            Part::Item(range) if count => walk.parse_inner(range),
            Part::Flags(flags) if count => declare(walk, &flags),
            Part::Call(inner) if count && depth > 1 => read(walk, inner, true, depth - 1),
            Part::Braces(inner) if depth > 1 => read(walk, inner, are_items(walk, inner, depth - 1), depth - 1),
            _ => {}
        }
    }
}

/// Whether a group of tokens holds nothing but items, calls of macros, and braces that do.
fn are_items<'tree>(walk: &Walk<'tree>, group: Node<'tree>, depth: usize) -> bool {
    parts(walk, group).into_iter().all(|part| match part {
        Part::Item(_) | Part::Flags(_) | Part::Call(_) => true,
        Part::Braces(inner) => depth > 1 && are_items(walk, inner, depth - 1),
        Part::Other => false,
    })
}

fn parts<'tree>(walk: &Walk<'tree>, group: Node<'tree>) -> Vec<Part<'tree>> {
    let tokens = inside(group);
    let (mut rest, mut parts) = (tokens.as_slice(), Vec::new());
    while !rest.is_empty() {
        let (part, length) = first_part(walk, rest);
        parts.extend(part);
        rest = &rest[length..];
    }
    parts
}

/// The tokens between the brackets of a group.
fn inside(group: Node<'_>) -> Vec<Node<'_>> {
    let tokens: Vec<_> = group.children(&mut group.walk()).collect();
    tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default().to_vec()
}

/// The first part, if there is more than comments and separators, and how many tokens it takes.
fn first_part<'tree>(walk: &Walk<'tree>, tokens: &[Node<'tree>]) -> (Option<Part<'tree>>, usize) {
    let text = |at: usize| tokens.get(at).map_or("", |token| walk.text_of(*token));
    let start = prefix_end(walk, tokens);
    if matches!(text(start), "" | ";" | ",") {
        return (None, (start + 1).min(tokens.len()));
    }
    if let Some(given) = call(text, start) {
        return (Some(Part::Call(tokens[given])), given + 1);
    }
    let head = head(text, start);
    let ends_at_braces = head.as_ref().is_none_or(|head| head.ends_at_braces);
    let last = (start..tokens.len()).find(|at| text(*at) == ";" || (ends_at_braces && text(*at).starts_with('{'))).unwrap_or(tokens.len() - 1);
    let body = tokens[last];
    let has_braces = text(last).starts_with('{');
    let part = match head {
        Some(head) if has_braces && matches!(text(head.keyword), "struct" | "enum") && lists_constants(walk, body) => {
            Part::Flags(Flags { tokens: tokens[..last].to_vec(), head, body })
        }
        Some(_) => Part::Item(tokens[0].start_byte()..body.end_byte()),
        None if has_braces => Part::Braces(body),
        None => Part::Other,
    };
    (Some(part), last + 1)
}

/// How many of the tokens are comments and attributes before anything else.
fn prefix_end<'tree>(walk: &Walk<'tree>, tokens: &[Node<'tree>]) -> usize {
    let text = |at: usize| tokens.get(at).map_or("", |token| walk.text_of(*token));
    let mut at = 0;
    loop {
        at += match (text(at), text(at + 1), text(at + 2)) {
            (comment, ..) if is_comment(comment) => 1,
            ("#", attribute, _) if attribute.starts_with('[') => 2,
            ("#", "!", attribute) if attribute.starts_with('[') => 3,
            _ => return at,
        };
    }
}

/// What is given to a macro that is called here.
fn call<'text>(text: impl Fn(usize) -> &'text str, mut at: usize) -> Option<usize> {
    while is_name(text(at)) && text(at + 1) == "::" {
        at += 2;
    }
    (is_name(text(at)) && text(at + 1) == "!" && text(at + 2).starts_with(['(', '[', '{'])).then_some(at + 2)
}

fn head<'text>(text: impl Fn(usize) -> &'text str, start: usize) -> Option<Head> {
    let mut at = start;
    if text(at) == "pub" {
        at += 1 + usize::from(text(at + 1).starts_with('('));
    }
    let found = |keyword: usize, ends_at_braces: bool| Some(Head { start, keyword, ends_at_braces });
    loop {
        let next = text(at + 1);
        match text(at) {
            "default" | "async" | "unsafe" | "safe" => at += 1,
            "const" if matches!(next, "fn" | "async" | "unsafe" | "safe" | "extern") => at += 1,
            "extern" if next == "crate" => return found(at, false),
            "extern" => {
                let after = at + 1 + usize::from(next.starts_with('"'));
                if text(after).starts_with('{') {
                    return found(at, true);
                }
                at = after;
            }
            "fn" | "struct" | "enum" | "union" | "trait" | "mod" if is_name(next) => return found(at, true),
            "impl" if next != ":" => return found(at, true),
            "macro_rules" if next == "!" => return found(at, true),
            "static" if is_name(if matches!(next, "mut" | "ref") { text(at + 2) } else { next }) => return found(at, false),
            "const" | "type" if is_name(next) => return found(at, false),
            "use" => return found(at, false),
            _ => return None,
        }
    }
}

fn is_comment(text: &str) -> bool {
    text.starts_with("//") || text.starts_with("/*")
}

fn is_name(text: &str) -> bool {
    text.starts_with(|char: char| char.is_alphabetic() || char == '_')
}

/// Whether the body of a type begins with a constant.
fn lists_constants<'tree>(walk: &Walk<'tree>, body: Node<'tree>) -> bool {
    let tokens = inside(body);
    let start = prefix_end(walk, &tokens);
    tokens.get(start).is_some_and(|token| walk.text_of(*token) == "const")
}

fn declare<'tree>(walk: &mut Walk<'tree>, flags: &Flags<'tree>) {
    let Flags { tokens, head, body } = flags;
    document(walk, &tokens[..head.start]);
    let [first, keyword, name] = [head.start, head.keyword, head.keyword + 1].map(|at| tokens[at]);
    let kind = if walk.text_of(keyword) == "struct" { SymbolKind::Struct } else { SymbolKind::Enum };
    let exported = walk.text_of(first) == "pub";
    let found = Found { exported, start: Some(first.start_byte()), ..Found::new(kind, walk.text_of(name), body.start_byte(), Scope::Members) };
    walk.declare(*body, name, found);
    let members = inside(*body);
    let members: Vec<_> = members.split_inclusive(|token| matches!(walk.text_of(*token), ";" | ",")).collect();
    for member in members {
        let constant = match member {
            [constant @ .., comma] if walk.text_of(*comma) == "," => constant,
            constant => constant,
        };
        let start = prefix_end(walk, constant);
        let [Some(first), Some(name), Some(last)] = [constant.get(start), constant.get(start + 1), constant.last()] else { continue };
        if walk.text_of(*first) != "const" || !is_name(walk.text_of(*name)) || walk.text_of(*name) == "_" {
            continue;
        }
        document(walk, &constant[..start]);
        let found = Found { start: Some(first.start_byte()), ..Found::new(SymbolKind::Constant, walk.text_of(*name), last.end_byte(), Scope::Local) };
        walk.declare_aside(*last, *name, found);
    }
    walk.leave();
}

/// Keeps comments and attributes for the declaration behind them.
fn document<'tree>(walk: &mut Walk<'tree>, prefix: &[Node<'tree>]) {
    let mut attribute = None;
    for token in prefix {
        let text = walk.text_of(*token);
        if is_comment(text) {
            walk.comment(*token);
        } else if text == "#" {
            attribute = Some(token.start_byte());
        } else if let Some(start) = attribute.filter(|_| text.starts_with('[')) {
            walk.prefix_between(start, token.end_byte());
        }
    }
}
