//! C#: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{body_start, child_of_kind, children, has_modifier};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("namespace_declaration", Role::Look(namespace)),
    ("file_scoped_namespace_declaration", Role::Look(file_namespace)),
    ("class_declaration", Role::Look(type_declaration)),
    ("struct_declaration", Role::Look(type_declaration)),
    ("interface_declaration", Role::Look(type_declaration)),
    ("record_declaration", Role::Look(type_declaration)),
    ("enum_declaration", Role::Look(type_declaration)),
    ("enum_member_declaration", Role::Look(enum_member)),
    ("delegate_declaration", Role::Look(delegate)),
    ("method_declaration", Role::Look(method)),
    ("constructor_declaration", Role::Look(method)),
    ("destructor_declaration", Role::Look(method)),
    ("operator_declaration", Role::Look(operator)),
    ("conversion_operator_declaration", Role::Look(operator)),
    ("indexer_declaration", Role::Look(indexer)),
    ("property_declaration", Role::Look(property)),
    ("event_declaration", Role::Look(property)),
    ("field_declaration", Role::Look(fields)),
    ("event_field_declaration", Role::Look(fields)),
    ("local_function_statement", Role::Look(method)),
    ("block", Role::Local),
    ("accessor_list", Role::Local),
    ("lambda_expression", Role::Local),
    ("arrow_expression_clause", Role::Local),
    ("using_directive", Role::Look(import)),
    ("invocation_expression", Role::Look(call)),
    ("object_creation_expression", Role::Look(new)),
    ("base_list", Role::Look(types)),
    ("attribute", Role::Look(types)),
    ("member_access_expression", Role::Expression),
    ("qualified_name", Role::Expression),
    ("string_literal", Role::Skip),
    ("verbatim_string_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
    ("predefined_type", Role::Skip),
    ("modifier", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let modifiers = ["public!", "internal!", "protected", "private", "static", "sealed", "abstract", "partial", "readonly", "ref", "unsafe", "file", "new"];
    let keywords = [
        ("class", SymbolKind::Class),
        ("struct", SymbolKind::Struct),
        ("interface", SymbolKind::Interface),
        ("enum", SymbolKind::Enum),
        ("record", SymbolKind::Class),
        ("namespace", SymbolKind::Namespace),
    ];
    by_words(line, &modifiers, &keywords)
}

/// Seen from other files: types unless they are said to be private, members if they are said not to be.
fn is_public<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>) -> bool {
    match walk.scope() {
        Scope::Members => {
            let around = walk.enclosing().map(|around| walk.kind_of(around));
            matches!(around, Some(SymbolKind::Interface | SymbolKind::Enum)) || has_modifier(walk, node, name, &["public", "internal", "protected"])
        }
        _ => !has_modifier(walk, node, name, &["private", "file"]),
    }
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, name: Node<'tree>, kind: SymbolKind, end: usize, inside: Scope) {
    let public = is_public(walk, node, name);
    walk.declare(node, name, Found { exported: public, private: !public, ..Found::new(kind, walk.text_of(name), end, inside) });
}

fn namespace<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Namespace, walk.text_of(name), body_start(node), Scope::Module) });
    }
}

/// What follows is not inside its node.
fn file_namespace<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Package, walk.text_of(name), node.end_byte(), Scope::Module) });
    }
}

fn type_declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = match node.kind() {
        "struct_declaration" => SymbolKind::Struct,
        "interface_declaration" => SymbolKind::Interface,
        "enum_declaration" => SymbolKind::Enum,
        _ => SymbolKind::Class,
    };
    declare(walk, node, name, kind, body_start(node), Scope::Members);
    if node.kind() != "record_declaration" {
        return;
    }
    // The parameters of a record are its properties.
    for parameter in child_of_kind(node, &["parameter_list"]).into_iter().flat_map(children) {
        if let Some(name) = walk.field(parameter, "name") {
            walk.declare_aside(parameter, name, Found::new(SymbolKind::Property, walk.text_of(name), parameter.end_byte(), Scope::Local));
        }
    }
}

fn enum_member<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::EnumMember, node.end_byte(), Scope::Local);
    }
}

fn delegate<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        declare(walk, node, name, SymbolKind::Type, node.end_byte(), Scope::Local);
    }
}

fn method<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    if node.kind() == "destructor_declaration" {
        let name = walk.text_of(node).split('(').next().unwrap_or_default().rsplit(char::is_whitespace).next().unwrap_or_default();
        return walk.declare(node, node, Found { private: true, ..Found::new(SymbolKind::Method, name, body_start(node), Scope::Local) });
    }
    let kind = match node.kind() {
        "constructor_declaration" => SymbolKind::Constructor,
        "local_function_statement" => SymbolKind::Function,
        _ => SymbolKind::Method,
    };
    let end = child_of_kind(node, &["constructor_initializer"]).map_or(body_start(node), |initializer| initializer.start_byte());
    declare(walk, node, name, kind, end, Scope::Local);
}

fn operator<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(last) = walk.field(node, "operator").or_else(|| walk.field(node, "type")) else { return };
    let mut cursor = node.walk();
    let word = node.children(&mut cursor).find(|child| child.kind() == "operator");
    if let Some(word) = word {
        let public = is_public(walk, node, word);
        let name = walk.between(word.start_byte(), last.end_byte());
        walk.declare(node, word, Found { private: !public, ..Found::new(SymbolKind::Method, name, body_start(node), Scope::Local) });
    }
}

/// Its name is `this`.
fn indexer<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    let this = node.children(&mut cursor).find(|child| child.kind() == "this");
    if let Some(this) = this {
        let end = walk.field(node, "parameters").map_or(node.end_byte(), |parameters| parameters.end_byte());
        declare(walk, node, this, SymbolKind::Property, end, Scope::Local);
    }
}

fn property<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let rest = walk.field(node, "accessors").or_else(|| walk.field(node, "value"));
    let end = rest.map_or(node.end_byte(), |rest| rest.start_byte());
    declare(walk, node, name, SymbolKind::Property, end, Scope::Local);
}

fn fields<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(list) = child_of_kind(node, &["variable_declaration"]) else { return };
    let declarators: Vec<_> = children(list).into_iter().filter(|child| child.kind() == "variable_declarator").collect();
    for declarator in &declarators {
        let Some(name) = walk.field(*declarator, "name") else { continue };
        let constant =
            has_modifier(walk, node, name, &["const"]) || (has_modifier(walk, node, name, &["static"]) && has_modifier(walk, node, name, &["readonly"]));
        let kind = if constant { SymbolKind::Constant } else { SymbolKind::Property };
        let public = is_public(walk, node, name);
        let several_lines = walk.text_of(*declarator).contains(['\n', '\r']);
        let end = if several_lines { name.end_byte() } else { declarator.end_byte() };
        let found = Found { private: !public, ..Found::new(kind, walk.text_of(name), end, Scope::Local) };
        if declarators.len() > 1 {
            walk.declare_aside(*declarator, name, found);
        } else {
            walk.declare(node, name, found);
        }
    }
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let named = walk.field(node, "name").map(|name| name.id());
    if let Some(source) = children(node).into_iter().rfind(|child| Some(child.id()) != named) {
        walk.import(walk.text_of(source));
    }
    if let Some(alias) = walk.field(node, "name") {
        walk.declare(node, alias, Found::new(SymbolKind::Import, walk.text_of(alias), node.end_byte(), Scope::Local));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(mut function) = walk.field(node, "function") else { return };
    if function.kind() == "member_access_expression" {
        function = walk.field(function, "name").unwrap_or(function);
    }
    if function.kind() == "generic_name" {
        function = function.named_child(0).unwrap_or(function);
    }
    walk.refer_last(function);
}

fn new<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(created) = walk.field(node, "type") {
        walk.refer_capitalised(created);
    }
}

fn types<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.refer_capitalised(node);
}
