//! Java: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{body_start, children, has_modifier, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope, Wrap};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("line_comment", Role::Comment),
    ("block_comment", Role::Comment),
    ("class_declaration", Role::Look(type_declaration)),
    ("interface_declaration", Role::Look(type_declaration)),
    ("enum_declaration", Role::Look(type_declaration)),
    ("record_declaration", Role::Look(record)),
    ("annotation_type_declaration", Role::Look(type_declaration)),
    ("enum_constant", Role::Look(enum_constant)),
    ("method_declaration", Role::Look(method)),
    ("annotation_type_element_declaration", Role::Look(method)),
    ("constructor_declaration", Role::Look(constructor)),
    ("compact_constructor_declaration", Role::Look(constructor)),
    ("field_declaration", Role::Look(fields)),
    ("constant_declaration", Role::Look(fields)),
    ("local_variable_declaration", Role::Local),
    ("formal_parameters", Role::Local),
    ("lambda_expression", Role::Local),
    ("block", Role::Local),
    ("import_declaration", Role::Look(import)),
    ("module_declaration", Role::Look(module)),
    ("method_invocation", Role::Look(call)),
    ("object_creation_expression", Role::Look(new)),
    ("marker_annotation", Role::Look(annotation)),
    ("annotation", Role::Look(annotation)),
    ("type_identifier", Role::TypeName),
    ("field_access", Role::Expression),
    ("string_literal", Role::Skip),
    ("package_declaration", Role::Look(package)),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let modifiers = ["public!", "protected", "private", "static", "final", "abstract", "sealed", "strictfp"];
    let keywords = [("class", SymbolKind::Class), ("interface", SymbolKind::Interface), ("enum", SymbolKind::Enum), ("record", SymbolKind::Class)];
    by_words(line, &modifiers, &keywords)
}

fn kind_of(node: Node<'_>) -> SymbolKind {
    match node.kind() {
        "interface_declaration" | "annotation_type_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    }
}

/// Seen from other packages: said so, or a member of an interface or an enum constant.
fn is_public<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>) -> bool {
    let in_interface = walk.scope() == Scope::Members && walk.enclosing().is_some_and(|around| walk.kind_of(around) == SymbolKind::Interface);
    in_interface || has_modifier(walk, node, name, &["public", "protected"])
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, kind: SymbolKind, end: usize, inside: Scope) {
    let Some(name) = walk.field(node, "name") else { return };
    let public = is_public(walk, node, name);
    walk.declare(node, name, Found { exported: public, private: !public, ..Found::new(kind, walk.text_of(name), end, inside) });
}

fn type_declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, kind_of(node), body_start(node), Scope::Members);
}

/// A class with its parameters as fields.
fn record<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Class, body_start(node), Scope::Members);
    let Some(parameters) = walk.field(node, "parameters") else { return };
    for parameter in children(parameters) {
        if let Some(name) = walk.field(parameter, "name") {
            walk.declare_aside(parameter, name, Found::new(SymbolKind::Property, walk.text_of(name), parameter.end_byte(), Scope::Local));
        }
    }
}

fn enum_constant<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found::new(SymbolKind::EnumMember, walk.text_of(name), body_start(node), Scope::Members));
    }
}

fn method<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Method, body_start(node), Scope::Local);
}

fn constructor<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    declare(walk, node, SymbolKind::Constructor, body_start(node), Scope::Local);
}

fn fields<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() == Scope::Local {
        return;
    }
    let mut cursor = node.walk();
    let declarators: Vec<_> = node.children_by_field_name("declarator", &mut cursor).collect();
    for declarator in &declarators {
        let Some(name) = walk.field(*declarator, "name") else { continue };
        let constant = node.kind() == "constant_declaration" || (has_modifier(walk, node, name, &["static"]) && has_modifier(walk, node, name, &["final"]));
        let kind = if constant { SymbolKind::Constant } else { SymbolKind::Property };
        let public = is_public(walk, node, name);
        let end = value_end(walk, *declarator, walk.field(*declarator, "value"));
        let found = Found { private: !public, ..Found::new(kind, walk.text_of(name), end, Scope::Local) };
        match declarators.as_slice() {
            [_] => walk.declare(node, name, found),
            _ => walk.declare_aside(*declarator, name, found),
        }
    }
    if declarators.len() > 1 {
        walk.wrap(Wrap::default());
    }
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = children(node).into_iter().find(|child| matches!(child.kind(), "scoped_identifier" | "identifier")) {
        walk.import(walk.text_of(source));
    }
}

fn package<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = children(node).into_iter().find(|child| matches!(child.kind(), "scoped_identifier" | "identifier")) {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Package, walk.text_of(name), node.end_byte(), Scope::Local) });
    }
}

fn module<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Namespace, walk.text_of(name), body_start(node), Scope::Local) });
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.refer(walk.text_of(name));
    }
}

/// The class body that may follow is a scope of its own, without a name.
fn new<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let is_local = walk.scope() == Scope::Local;
    if !is_local || node.named_child_count() > 2 {
        walk.open(Scope::Members);
    }
}

fn annotation<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.refer_last(name);
    }
}
