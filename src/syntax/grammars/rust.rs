//! Rust: which nodes are declarations, imports and references.

mod macros;

use tree_sitter::Node;

use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("line_comment", Role::Look(comment)),
    ("block_comment", Role::Look(comment)),
    ("attribute_item", Role::Prefix),
    ("inner_attribute_item", Role::Skip),
    ("function_item", Role::Look(function)),
    ("function_signature_item", Role::Look(function)),
    ("struct_item", Role::Look(structure)),
    ("union_item", Role::Look(structure)),
    ("enum_item", Role::Look(enumeration)),
    ("enum_variant", Role::Look(variant)),
    ("trait_item", Role::Look(trait_item)),
    ("impl_item", Role::Look(impl_item)),
    ("mod_item", Role::Look(module)),
    ("const_item", Role::Look(constant)),
    ("static_item", Role::Look(constant)),
    ("type_item", Role::Look(alias)),
    ("associated_type", Role::Look(alias)),
    ("macro_definition", Role::Look(macro_definition)),
    ("field_declaration", Role::Look(field)),
    ("use_declaration", Role::Look(import)),
    ("extern_crate_declaration", Role::Look(import)),
    ("call_expression", Role::Look(call)),
    ("macro_invocation", Role::Look(macro_invocation)),
    ("type_identifier", Role::TypeName),
    ("closure_expression", Role::Local),
    ("block", Role::Local),
    ("parameters", Role::Local),
    ("field_expression", Role::Expression),
    ("binary_expression", Role::Expression),
    ("arguments", Role::Arguments),
    ("scoped_identifier", Role::Expression),
    ("attribute", Role::Skip),
    ("lifetime", Role::Skip),
    ("string_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
    ("primitive_type", Role::Skip),
    ("visibility_modifier", Role::Skip),
    ("token_tree", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let keywords = [
        ("fn", SymbolKind::Function),
        ("struct", SymbolKind::Struct),
        ("enum", SymbolKind::Enum),
        ("union", SymbolKind::Struct),
        ("trait", SymbolKind::Trait),
        ("mod", SymbolKind::Namespace),
        ("type", SymbolKind::Type),
    ];
    by_words(line, &["pub!", "async", "const", "unsafe", "default"], &keywords).filter(|plain| !is_variable(plain.name))
}

/// Comments on what is around them document nothing after them.
fn comment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if !walk.text_of(node).starts_with("//!") && !walk.text_of(node).starts_with("/*!") {
        walk.comment(node);
    }
    walk.pass();
}

fn is_public(walk: &Walk<'_>, node: Node<'_>) -> bool {
    let modifier = node.child(0).filter(|child| child.kind() == "visibility_modifier");
    modifier.is_some_and(|modifier| walk.text_of(modifier) != "pub(self)")
}

/// Whether what stands here is seen wherever its trait or its enum is.
fn is_open(walk: &Walk<'_>) -> bool {
    walk.enclosing().is_some_and(|symbol| match walk.kind_of(symbol) {
        SymbolKind::Trait | SymbolKind::Enum | SymbolKind::EnumMember => true,
        SymbolKind::Impl => walk.signature_of(symbol).contains(" for "),
        _ => false,
    })
}

/// Whether a name is one that only a macro knows.
fn is_variable(name: &str) -> bool {
    name.starts_with('$')
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, kind: SymbolKind, end: usize, inside: Scope) {
    let Some(name) = walk.field(node, "name") else { return };
    if is_variable(walk.text_of(name)) {
        return walk.open(Scope::Local);
    }
    let public = is_public(walk, node) || (walk.scope() == Scope::Members && is_open(walk));
    walk.declare(node, name, Found { exported: public, private: !public, ..Found::new(kind, walk.text_of(name), end, inside) });
}

fn body_start(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let kind = if walk.scope() == Scope::Members { SymbolKind::Method } else { SymbolKind::Function };
    declare(walk, node, kind, body_start(node), Scope::Local);
}

fn structure<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let body = walk.field(node, "body").filter(|body| body.kind() == "field_declaration_list");
    declare(walk, node, SymbolKind::Struct, body.map_or(node.end_byte(), |body| body.start_byte()), Scope::Members);
}

fn enumeration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Enum, body_start(node), Scope::Members);
}

fn variant<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::EnumMember, node.end_byte(), Scope::Members);
}

fn trait_item<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Trait, body_start(node), Scope::Members);
}

/// A block with the name of its type: what it gives the type is `Type.name`.
fn impl_item<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(mut name) = walk.field(node, "type") else { return };
    for _ in 0..8 {
        let inner = match name.kind() {
            "generic_type" | "reference_type" | "pointer_type" | "array_type" => walk.field(name, "type").or_else(|| walk.field(name, "element")),
            "scoped_type_identifier" => walk.field(name, "name"),
            _ => None,
        };
        let Some(inner) = inner else { break };
        name = inner;
    }
    let text = walk.text_of(name);
    let is_name = text.chars().all(|char| char.is_alphanumeric() || char == '_');
    if !is_name {
        return walk.open(Scope::Members);
    }
    walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Impl, text, body_start(node), Scope::Members) });
}

fn module<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Namespace, body_start(node), Scope::Module);
}

fn constant<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let kind = if node.kind() == "static_item" { SymbolKind::Variable } else { SymbolKind::Constant };
    let value = walk.field(node, "value").filter(|value| walk.text_of(*value).contains('\n'));
    declare(walk, node, kind, value.map_or(node.end_byte(), |value| value.start_byte()), Scope::Local);
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Type, node.end_byte(), Scope::Local);
}

/// Exported by an attribute rather than by a word.
fn macro_definition<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let exported = walk.prefix_text().contains("macro_export");
    walk.declare(node, name, Found { exported, ..Found::new(SymbolKind::Macro, walk.text_of(name), name.end_byte(), Scope::Local) });
}

fn field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Property, node.end_byte(), Scope::Local);
}

/// The path before any list: `a::b` of `use a::b::{c, d}`.
fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(path) = walk.field(node, "argument").or_else(|| walk.field(node, "name")) {
        let text = walk.text_of(path).split(['{', '*']).next().unwrap_or_default();
        walk.import(text.split(" as ").next().unwrap_or_default().trim().trim_end_matches(':'));
    }
    walk.pass();
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(mut function) = walk.field(node, "function") else { return };
    if function.kind() == "generic_function" {
        let Some(inner) = walk.field(function, "function") else { return };
        function = inner;
    }
    walk.refer_last(function);
}

/// Where declarations stand, what is given to a macro may be declarations.
fn macro_invocation<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "macro") {
        walk.refer_last(name);
    }
    if !matches!(walk.scope(), Scope::Module | Scope::Members) {
        return;
    }
    let mut cursor = node.walk();
    if let Some(tokens) = node.named_children(&mut cursor).find(|child| child.kind() == "token_tree") {
        macros::read_items(walk, tokens);
    }
}
