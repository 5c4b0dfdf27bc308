//! Swift: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{body_start, child_of_kind, children, has_modifier};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("multiline_comment", Role::Comment),
    ("class_declaration", Role::Look(type_declaration)),
    ("protocol_declaration", Role::Look(protocol)),
    ("function_declaration", Role::Look(function)),
    ("protocol_function_declaration", Role::Look(function)),
    ("init_declaration", Role::Look(initializer)),
    ("deinit_declaration", Role::Look(deinitializer)),
    ("subscript_declaration", Role::Look(deinitializer)),
    ("property_declaration", Role::Look(property)),
    ("protocol_property_declaration", Role::Look(property)),
    ("enum_entry", Role::Look(enum_entry)),
    ("typealias_declaration", Role::Look(alias)),
    ("associatedtype_declaration", Role::Look(alias)),
    ("macro_declaration", Role::Look(macro_declaration)),
    ("operator_declaration", Role::Skip),
    ("import_declaration", Role::Look(import)),
    ("function_body", Role::Local),
    ("lambda_literal", Role::Local),
    ("computed_property", Role::Local),
    ("parameter", Role::Local),
    ("call_expression", Role::Look(call)),
    ("type_identifier", Role::TypeName),
    ("line_string_literal", Role::Skip),
    ("multi_line_string_literal", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let modifiers = ["public!", "open!", "internal", "private", "fileprivate", "final", "static", "indirect", "override", "mutating", "async", "package"];
    let keywords = [
        ("class", SymbolKind::Class),
        ("struct", SymbolKind::Struct),
        ("enum", SymbolKind::Enum),
        ("protocol", SymbolKind::Interface),
        ("actor", SymbolKind::Class),
        ("func", SymbolKind::Function),
        ("typealias", SymbolKind::Type),
    ];
    let plain = by_words(line, &modifiers, &keywords)?;
    Some(Plain { exported: !line.contains("private "), ..plain })
}

/// `private(set)` hides the setter only.
fn is_private<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>) -> bool {
    let before = walk.between(node.start_byte(), name.start_byte());
    has_modifier(walk, node, name, &["private", "fileprivate"]) && !before.contains("private(set)")
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, name: Node<'tree>, kind: SymbolKind, end: usize, inside: Scope) {
    let private = is_private(walk, node, name);
    walk.declare(node, name, Found { exported: !private, private, ..Found::new(kind, walk.text_of(name), end, inside) });
}

/// `class`, `struct`, `enum`, `actor` and `extension`, which gives members to a type of its name.
fn type_declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(mut name) = walk.field(node, "name") else { return };
    let kind = match walk.field(node, "declaration_kind").map_or("", |word| word.kind()) {
        "struct" => SymbolKind::Struct,
        "enum" => SymbolKind::Enum,
        "extension" => SymbolKind::Impl,
        _ => SymbolKind::Class,
    };
    if name.kind() == "user_type" {
        let Some(last) = children(name).into_iter().rfind(|part| part.kind() == "type_identifier") else { return walk.open(Scope::Members) };
        name = last;
    }
    declare(walk, node, name, kind, body_start(node), Scope::Members);
}

fn protocol<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::Interface, body_start(node), Scope::Members);
    }
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = if walk.scope() == Scope::Members { SymbolKind::Method } else { SymbolKind::Function };
    declare(walk, node, name, kind, body_start(node), Scope::Local);
}

fn initializer<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::Constructor, body_start(node), Scope::Local);
    }
}

/// Named by their own word.
fn deinitializer<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    let word = node.children(&mut cursor).find(|child| matches!(child.kind(), "deinit" | "subscript"));
    if let Some(word) = word {
        let body = child_of_kind(node, &["function_body", "computed_property"]);
        declare(walk, node, word, SymbolKind::Method, body.map_or(node.end_byte(), |body| body.start_byte()), Scope::Local);
    }
}

fn property<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let scope = walk.scope();
    if scope == Scope::Local {
        return;
    }
    let mut cursor = node.walk();
    let names: Vec<_> = node
        .children_by_field_name("name", &mut cursor)
        .filter(|pattern| pattern.kind() == "pattern")
        .filter_map(|pattern| walk.field(pattern, "bound_identifier"))
        .collect();
    for name in &names {
        let kind = match scope {
            Scope::Members => SymbolKind::Property,
            _ if has_modifier(walk, node, *name, &["let"]) => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let private = is_private(walk, node, *name);
        let end = match walk.text_of(node).find(['\n', '\r']) {
            Some(line_end) => (node.start_byte() + line_end).max(name.end_byte()),
            None => walk.field(node, "computed_value").map_or(node.end_byte(), |computed| computed.start_byte()),
        };
        let found = Found { exported: !private, private, ..Found::new(kind, walk.text_of(*name), end, Scope::Local) };
        match names.as_slice() {
            [_] => walk.declare(node, *name, found),
            _ => walk.declare_aside(node, *name, found),
        }
    }
}

fn enum_entry<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    let names: Vec<_> = node.children_by_field_name("name", &mut cursor).filter(|name| name.kind() == "simple_identifier").collect();
    for name in names {
        walk.declare_aside(node, name, Found::new(SymbolKind::EnumMember, walk.text_of(name), node.end_byte(), Scope::Local));
    }
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::Type, node.end_byte(), Scope::Local);
    }
}

fn macro_declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = child_of_kind(node, &["simple_identifier"]) {
        declare(walk, node, name, SymbolKind::Macro, node.end_byte(), Scope::Local);
    }
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = child_of_kind(node, &["identifier"]) {
        walk.import(walk.text_of(source));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(function) = node.named_child(0).filter(|function| matches!(function.kind(), "simple_identifier" | "navigation_expression")) {
        walk.refer_last(function);
    }
}
