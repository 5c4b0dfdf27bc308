//! Scala: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{body_start, children, has_modifier, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("block_comment", Role::Comment),
    ("package_clause", Role::Look(package)),
    ("class_definition", Role::Look(type_definition)),
    ("trait_definition", Role::Look(type_definition)),
    ("object_definition", Role::Look(type_definition)),
    ("package_object", Role::Look(type_definition)),
    ("enum_definition", Role::Look(type_definition)),
    ("simple_enum_case", Role::Look(enum_case)),
    ("full_enum_case", Role::Look(enum_case)),
    ("class_parameter", Role::Look(class_parameter)),
    ("function_definition", Role::Look(function)),
    ("function_declaration", Role::Look(function)),
    ("val_definition", Role::Look(values)),
    ("var_definition", Role::Look(values)),
    ("val_declaration", Role::Look(values)),
    ("var_declaration", Role::Look(values)),
    ("type_definition", Role::Look(alias)),
    ("given_definition", Role::Look(given)),
    ("import_declaration", Role::Look(import)),
    ("block", Role::Local),
    ("indented_block", Role::Local),
    ("lambda_expression", Role::Local),
    ("case_clause", Role::Local),
    ("arguments", Role::Local),
    ("parameters", Role::Local),
    ("call_expression", Role::Look(call)),
    ("type_identifier", Role::TypeName),
    ("field_expression", Role::Expression),
    ("string", Role::Skip),
    ("access_modifier", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let modifiers = ["private", "protected", "abstract", "final", "sealed", "implicit", "lazy", "case", "override", "inline", "open", "transparent"];
    let keywords =
        [("class", SymbolKind::Class), ("object", SymbolKind::Class), ("trait", SymbolKind::Trait), ("enum", SymbolKind::Enum), ("def", SymbolKind::Function)];
    let plain = by_words(line, &modifiers, &keywords)?;
    Some(Plain { exported: !line.trim_start().starts_with("private"), ..plain })
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, name: Node<'tree>, kind: SymbolKind, end: usize, inside: Scope) {
    let private = has_modifier(walk, node, name, &["private"]);
    walk.declare(node, name, Found { exported: !private, private, ..Found::new(kind, walk.text_of(name), end, inside) });
}

fn package<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    if walk.field(node, "body").is_none() {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Package, walk.text_of(name), name.end_byte(), Scope::Local) });
    }
}

fn type_definition<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = match node.kind() {
        "trait_definition" => SymbolKind::Trait,
        "enum_definition" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    declare(walk, node, name, kind, body_start(node), Scope::Members);
}

fn enum_case<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::EnumMember, node.end_byte(), Scope::Members);
    }
}

/// A parameter with `val` or `var`, and each of a case class, is a property.
fn class_parameter<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let of_case = walk.enclosing().is_some_and(|class| walk.signature_of(class).split_whitespace().any(|word| word == "case"));
    if of_case || has_modifier(walk, node, name, &["val", "var"]) {
        declare(walk, node, name, SymbolKind::Property, node.end_byte(), Scope::Local);
    }
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = match walk.scope() {
        Scope::Members if walk.text_of(name) == "this" => SymbolKind::Constructor,
        Scope::Members => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let end = walk.field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
    declare(walk, node, name, kind, end, Scope::Local);
}

fn values<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let scope = walk.scope();
    let Some(pattern) = walk.field(node, "pattern").or_else(|| walk.field(node, "name")) else { return };
    if scope == Scope::Local {
        return;
    }
    let names: Vec<_> = match pattern.kind() {
        "identifier" => vec![pattern],
        "identifiers" | "tuple_pattern" => children(pattern).into_iter().filter(|name| name.kind() == "identifier").collect(),
        _ => return,
    };
    for name in &names {
        let kind = match scope {
            Scope::Members => SymbolKind::Property,
            _ if node.kind().starts_with("val") => SymbolKind::Constant,
            _ => SymbolKind::Variable,
        };
        let private = has_modifier(walk, node, *name, &["private"]);
        let end = value_end(walk, node, walk.field(node, "value"));
        let found = Found { exported: !private, private, ..Found::new(kind, walk.text_of(*name), end, Scope::Local) };
        match names.as_slice() {
            [_] => walk.declare(node, *name, found),
            _ => walk.declare_aside(node, *name, found),
        }
    }
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::Type, node.end_byte(), Scope::Local);
    }
}

fn given<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    match walk.field(node, "name") {
        Some(name) => declare(walk, node, name, SymbolKind::Constant, body_start(node), Scope::Members),
        None => walk.open(Scope::Members),
    }
}

/// The path before any list.
fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let text = walk.text_of(node).trim_start_matches("import").split(['{', ',']).next().unwrap_or_default();
    walk.import(text.trim().trim_end_matches(['.', '_', '*']).trim_end_matches('.'));
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(mut function) = walk.field(node, "function") else { return };
    if function.kind() == "generic_function" {
        function = walk.field(function, "function").unwrap_or(function);
    }
    walk.refer_last(function);
}
