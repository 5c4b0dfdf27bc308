//! PHP: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{body_start, child_of_kind, children, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("namespace_definition", Role::Look(namespace)),
    ("class_declaration", Role::Look(type_declaration)),
    ("interface_declaration", Role::Look(type_declaration)),
    ("trait_declaration", Role::Look(type_declaration)),
    ("enum_declaration", Role::Look(type_declaration)),
    ("enum_case", Role::Look(enum_case)),
    ("function_definition", Role::Look(function)),
    ("method_declaration", Role::Look(method)),
    ("property_declaration", Role::Look(properties)),
    ("property_promotion_parameter", Role::Look(promoted)),
    ("const_declaration", Role::Look(constants)),
    ("assignment_expression", Role::Look(assignment)),
    ("compound_statement", Role::Look(block)),
    ("anonymous_function", Role::Local),
    ("arrow_function", Role::Local),
    ("anonymous_class", Role::Look(anonymous_class)),
    ("arguments", Role::Arguments),
    ("namespace_use_declaration", Role::Look(import)),
    ("include_expression", Role::Look(include)),
    ("include_once_expression", Role::Look(include)),
    ("require_expression", Role::Look(include)),
    ("require_once_expression", Role::Look(include)),
    ("function_call_expression", Role::Look(call)),
    ("member_call_expression", Role::Look(call)),
    ("nullsafe_member_call_expression", Role::Look(call)),
    ("scoped_call_expression", Role::Look(call)),
    ("object_creation_expression", Role::Look(new)),
    ("base_clause", Role::Look(types)),
    ("class_interface_clause", Role::Look(types)),
    ("use_declaration", Role::Look(types)),
    ("named_type", Role::Look(types)),
    ("attribute_list", Role::Look(types)),
    ("string", Role::Skip),
    ("text", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let keywords = [
        ("class", SymbolKind::Class),
        ("interface", SymbolKind::Interface),
        ("trait", SymbolKind::Trait),
        ("enum", SymbolKind::Enum),
        ("function", SymbolKind::Function),
        ("namespace", SymbolKind::Namespace),
    ];
    let plain = by_words(line, &["abstract", "final", "readonly", "public", "protected", "private", "static"], &keywords)?;
    Some(Plain { exported: true, ..plain })
}

fn namespace<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        let kind = if walk.field(node, "body").is_some() { SymbolKind::Namespace } else { SymbolKind::Package };
        walk.declare(node, name, Found { exported: true, ..Found::new(kind, walk.text_of(name), body_start(node), Scope::Module) });
    }
}

/// Blocks at the top level and those of namespaces hide nothing.
fn block<'tree>(walk: &mut Walk<'tree>, _: Node<'tree>) {
    walk.open(walk.scope());
}

fn type_declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = match node.kind() {
        "interface_declaration" => SymbolKind::Interface,
        "trait_declaration" => SymbolKind::Trait,
        "enum_declaration" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    walk.declare(node, name, Found { exported: true, ..Found::new(kind, walk.text_of(name), body_start(node), Scope::Members) });
}

fn anonymous_class<'tree>(walk: &mut Walk<'tree>, _: Node<'tree>) {
    walk.open(Scope::Members);
}

fn enum_case<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found::new(SymbolKind::EnumMember, walk.text_of(name), node.end_byte(), Scope::Local));
    }
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Function, walk.text_of(name), body_start(node), Scope::Local) });
    }
}

fn is_private(walk: &Walk<'_>, node: Node<'_>) -> bool {
    child_of_kind(node, &["visibility_modifier"]).is_some_and(|modifier| walk.text_of(modifier) == "private")
}

fn method<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let text = walk.text_of(name);
    let kind = if text == "__construct" { SymbolKind::Constructor } else { SymbolKind::Method };
    walk.declare(node, name, Found { private: is_private(walk, node), ..Found::new(kind, text, body_start(node), Scope::Local) });
}

/// A name without its dollar sign.
fn bare<'tree>(walk: &Walk<'tree>, name: Node<'tree>) -> &'tree str {
    walk.text_of(name).trim_start_matches(['&', '$'])
}

fn properties<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let elements: Vec<_> = children(node).into_iter().filter(|child| child.kind() == "property_element").collect();
    for element in &elements {
        let Some(name) = walk.field(*element, "name") else { continue };
        let private = is_private(walk, node);
        let end = value_end(walk, *element, walk.field(*element, "default_value"));
        let found = Found { private, ..Found::new(SymbolKind::Property, bare(walk, name), end, Scope::Local) };
        match elements.as_slice() {
            [_] => walk.declare(node, name, found),
            _ => walk.declare_aside(*element, name, found),
        }
    }
}

/// A constructor's parameter that is a property of its class.
fn promoted<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let (Some(name), Some(constructor)) = (walk.field(node, "name"), walk.enclosing()) else { return };
    let parent = walk.parent_of(constructor);
    let exported = !is_private(walk, node);
    walk.declare(node, name, Found { exported, parent, ..Found::new(SymbolKind::Property, bare(walk, name), node.end_byte(), Scope::Local) });
}

fn constants<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let elements: Vec<_> = children(node).into_iter().filter(|child| child.kind() == "const_element").collect();
    for element in &elements {
        let Some(name) = element.named_child(0) else { continue };
        let found = Found {
            exported: true,
            private: is_private(walk, node),
            ..Found::new(SymbolKind::Constant, walk.text_of(name), value_end(walk, *element, element.named_child(1)), Scope::Local)
        };
        match elements.as_slice() {
            [_] => walk.declare(node, name, found),
            _ => walk.declare_aside(*element, name, found),
        }
    }
}

/// Variables of the top level.
fn assignment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let (Some(left), Some(right)) = (walk.field(node, "left"), walk.field(node, "right")) else { return };
    if walk.scope() != Scope::Module || left.kind() != "variable_name" {
        return;
    }
    let is_function = matches!(right.kind(), "anonymous_function" | "arrow_function");
    let kind = if is_function { SymbolKind::Function } else { SymbolKind::Variable };
    let end = if is_function { body_start(right) } else { value_end(walk, node, Some(right)) };
    walk.declare(node, left, Found { exported: true, ..Found::new(kind, bare(walk, left), end, Scope::Local) });
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let prefix = child_of_kind(node, &["namespace_name"]);
    if let Some(prefix) = prefix {
        walk.import(walk.text_of(prefix));
    }
    let group = walk.field(node, "body").unwrap_or(node);
    for clause in children(group).into_iter().filter(|clause| clause.kind() == "namespace_use_clause") {
        let Some(source) = clause.named_child(0) else { continue };
        if prefix.is_none() {
            walk.import(walk.text_of(source));
        }
        let name = walk.field(clause, "alias").unwrap_or(source);
        let text = walk.text_of(name);
        let own = text.rsplit('\\').next().unwrap_or(text);
        walk.declare_aside(clause, name, Found::new(SymbolKind::Import, own, clause.end_byte(), Scope::Local));
    }
}

fn include<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = node.named_child(0).filter(|source| source.kind() == "string") {
        walk.import(walk.text_of(source).trim_matches(['"', '\'']));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "function").or_else(|| walk.field(node, "name")) else { return };
    let text = walk.text_of(name);
    if text == "define" {
        let argument = walk.field(node, "arguments").and_then(|arguments| arguments.named_child(0)).and_then(|argument| argument.named_child(0));
        if let Some(constant) = argument.filter(|argument| argument.kind() == "string" || argument.kind() == "encapsed_string") {
            let own = walk.text_of(constant).trim_matches(['"', '\'']);
            return walk.declare(node, constant, Found { exported: true, ..Found::new(SymbolKind::Constant, own, node.end_byte(), Scope::Local) });
        }
    }
    walk.refer_last(name);
}

fn new<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(created) = child_of_kind(node, &["name", "qualified_name"]) {
        walk.refer_last(created);
    }
}

fn types<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.refer_capitalised(node);
}
