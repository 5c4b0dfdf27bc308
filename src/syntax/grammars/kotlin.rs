//! Kotlin: which nodes are declarations, imports and references.

use std::borrow::Cow;

use tree_sitter::Node;

use super::common::{child_of_kind, children, has_modifier};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("line_comment", Role::Comment),
    ("block_comment", Role::Comment),
    ("class_declaration", Role::Look(class)),
    ("object_declaration", Role::Look(class)),
    ("companion_object", Role::Look(companion)),
    ("class_parameter", Role::Look(class_parameter)),
    ("enum_entry", Role::Look(enum_entry)),
    ("function_declaration", Role::Look(function)),
    ("secondary_constructor", Role::Look(constructor)),
    ("property_declaration", Role::Look(property)),
    ("type_alias", Role::Look(alias)),
    ("package_header", Role::Look(package)),
    ("import", Role::Look(import)),
    ("function_body", Role::Local),
    ("anonymous_initializer", Role::Local),
    ("lambda_literal", Role::Local),
    ("anonymous_function", Role::Local),
    ("object_literal", Role::Look(object_literal)),
    ("function_value_parameters", Role::Local),
    ("getter", Role::Local),
    ("setter", Role::Local),
    ("call_expression", Role::Look(call)),
    ("user_type", Role::Look(types)),
    ("string_literal", Role::Skip),
    ("multiline_string_literal", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let modifiers = [
        "public",
        "internal",
        "private",
        "protected",
        "open",
        "abstract",
        "final",
        "sealed",
        "data",
        "enum",
        "annotation",
        "inner",
        "value",
        "inline",
        "suspend",
        "override",
        "operator",
        "infix",
        "tailrec",
        "external",
        "expect",
        "actual",
        "const",
        "lateinit",
    ];
    let keywords = [("class", SymbolKind::Class), ("interface", SymbolKind::Interface), ("object", SymbolKind::Class), ("typealias", SymbolKind::Type)];
    let line = line.trim_start();
    let (start, hidden) = (line.strip_prefix("fun interface ").map_or(line, |_| &line[4..]), line.starts_with("private"));
    if let Some(plain) = by_words(start, &modifiers, &keywords) {
        return Some(Plain { exported: !hidden, ..plain });
    }
    let plain = by_words(start, &modifiers, &[("fun", SymbolKind::Function)])?;
    // Not of `fun Receiver.name()`.
    let after = &start[start.find(plain.name)? + plain.name.len()..];
    after.starts_with('(').then_some(Plain { exported: !hidden, ..plain })
}

/// Bytes before a constructor in which its class is named.
const MAX_HEAD_BYTES: usize = 500;

/// The text with blanks for the line ends between the name of a class and `@Inject constructor(`: the grammar ends the class there.
pub(in crate::syntax) fn with_constructors(text: &str) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    for at in memchr::memmem::find_iter(text.as_bytes(), "constructor") {
        let from = at.saturating_sub(MAX_HEAD_BYTES);
        let before = &text.as_bytes()[from..at];
        let Some(class) = memchr::memmem::rfind(before, b"class ") else { continue };
        let line = &before[memchr::memrchr2(b'\n', b'\r', &before[..class]).map_or(0, |end| end + 1)..class];
        let head = &before[class + "class ".len()..];
        let name = head.iter().position(|byte| !byte.is_ascii_alphanumeric() && *byte != b'_').unwrap_or(head.len());
        let rest = head[name..].trim_ascii_start();
        let starts = ["<", "@", "internal", "private", "protected", "public"].iter().any(|word| rest.starts_with(word.as_bytes()));
        let ends = head.iter().any(|byte| matches!(byte, b'{' | b'}' | b';')) || memchr::memmem::find(head, b"//").is_some();
        let is_comment = line.iter().any(|byte| matches!(byte, b'/' | b'*' | b'"'));
        if (rest.is_empty() || starts) && !ends && !is_comment {
            let start = from + class + "class ".len();
            for at in (start..at).filter(|at| matches!(text.as_bytes()[*at], b'\n' | b'\r')) {
                bytes.to_mut()[at] = b' ';
            }
        }
    }
    bytes
}

fn is_private<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>) -> bool {
    has_modifier(walk, node, name, &["private"])
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, name: Node<'tree>, kind: SymbolKind, end: usize, inside: Scope) {
    let private = is_private(walk, node, name);
    walk.declare(node, name, Found { exported: !private, private, ..Found::new(kind, walk.text_of(name), end, inside) });
}

const BODIES: &[&str] = &["class_body", "enum_class_body", "function_body", "block"];

fn end(node: Node<'_>) -> usize {
    child_of_kind(node, BODIES).map_or(node.end_byte(), |body| body.start_byte())
}

fn class<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let before = walk.between(node.start_byte(), name.start_byte());
    let kind = match () {
        () if before.split_whitespace().any(|word| word == "interface") => SymbolKind::Interface,
        () if before.split_whitespace().any(|word| word == "enum") => SymbolKind::Enum,
        () => SymbolKind::Class,
    };
    declare(walk, node, name, kind, end(node), Scope::Members);
}

/// A nameless one lends its members to the class around it.
fn companion<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    match walk.field(node, "name") {
        Some(name) => declare(walk, node, name, SymbolKind::Class, end(node), Scope::Members),
        None => walk.open(Scope::Members),
    }
}

fn object_literal<'tree>(walk: &mut Walk<'tree>, _: Node<'tree>) {
    walk.open(Scope::Members);
}

/// A parameter with `val` or `var` is a property.
fn class_parameter<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = child_of_kind(node, &["identifier"]) else { return };
    if has_modifier(walk, node, name, &["val", "var"]) {
        declare(walk, node, name, SymbolKind::Property, node.end_byte(), Scope::Local);
    }
}

fn enum_entry<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = child_of_kind(node, &["identifier"]) {
        declare(walk, node, name, SymbolKind::EnumMember, end(node), Scope::Members);
    }
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = if walk.scope() == Scope::Members { SymbolKind::Method } else { SymbolKind::Function };
    declare(walk, node, name, kind, end(node), Scope::Local);
}

fn constructor<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    let word = node.children(&mut cursor).find(|child| child.kind() == "constructor");
    if let Some(word) = word {
        declare(walk, node, word, SymbolKind::Constructor, end(node), Scope::Local);
    }
}

fn property<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let scope = walk.scope();
    if scope == Scope::Local {
        return;
    }
    let names: Vec<_> = children(node)
        .into_iter()
        .flat_map(|child| match child.kind() {
            "variable_declaration" => vec![child],
            "multi_variable_declaration" => children(child),
            _ => Vec::new(),
        })
        .filter_map(|variable| child_of_kind(variable, &["identifier"]))
        .collect();
    for name in &names {
        let kind = match scope {
            _ if has_modifier(walk, node, *name, &["const"]) => SymbolKind::Constant,
            Scope::Members => SymbolKind::Property,
            _ if has_modifier(walk, node, *name, &["val"]) => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let private = is_private(walk, node, *name);
        let end = match walk.text_of(node).find(['\n', '\r']) {
            Some(line_end) => (node.start_byte() + line_end).max(name.end_byte()),
            None => node.end_byte(),
        };
        let found = Found { exported: !private, private, ..Found::new(kind, walk.text_of(*name), end, Scope::Local) };
        match names.as_slice() {
            [_] => walk.declare(node, *name, found),
            _ => walk.declare_aside(node, *name, found),
        }
    }
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "type").or_else(|| child_of_kind(node, &["identifier"])) {
        declare(walk, node, name, SymbolKind::Type, node.end_byte(), Scope::Local);
    }
}

fn package<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = child_of_kind(node, &["qualified_identifier", "identifier"]) {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Package, walk.text_of(name), name.end_byte(), Scope::Local) });
    }
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = child_of_kind(node, &["qualified_identifier", "identifier"]) {
        walk.import(walk.text_of(source));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(function) = node.named_child(0).filter(|function| matches!(function.kind(), "identifier" | "navigation_expression")) {
        walk.refer_last(function);
    }
}

fn types<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.refer_capitalised(node);
}
