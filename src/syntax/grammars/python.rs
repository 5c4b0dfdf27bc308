//! Python: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::value_end;
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("decorator", Role::Prefix),
    ("class_definition", Role::Look(class)),
    ("function_definition", Role::Look(function)),
    ("assignment", Role::Look(assignment)),
    ("type_alias_statement", Role::Look(alias)),
    ("import_statement", Role::Look(import)),
    ("import_from_statement", Role::Look(import_from)),
    ("call", Role::Look(call)),
    ("type", Role::Look(annotation)),
    ("lambda", Role::Local),
    ("attribute", Role::Expression),
    ("binary_operator", Role::Expression),
    ("comparison_operator", Role::Expression),
    ("string", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let plain = by_words(line, &["async"], &[("def", SymbolKind::Function), ("class", SymbolKind::Class)])?;
    Some(Plain { exported: is_public(plain.name), ..plain })
}

/// Names that start with an underscore are private, except those with two on each side.
fn is_public(name: &str) -> bool {
    !name.starts_with('_') || (name.starts_with("__") && name.ends_with("__"))
}

/// The string that a body starts with.
fn docstring(body: Option<Node<'_>>) -> Option<(usize, usize)> {
    let statement = body?.named_child(0).filter(|first| first.kind() == "expression_statement")?;
    statement.named_child(0).filter(|first| first.kind() == "string").map(|string| (string.start_byte(), string.end_byte()))
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, name: Node<'tree>, found: Found<'tree>) {
    let public = is_public(found.name);
    walk.declare(node, name, Found { exported: public, private: !public, ..found });
}

fn class<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let body = walk.field(node, "body");
    let end = body.map_or(node.end_byte(), |body| signature_end(node, body));
    declare(walk, node, name, Found { doc: docstring(body), ..Found::new(SymbolKind::Class, walk.text_of(name), end, Scope::Members) });
    if let Some(bases) = walk.field(node, "superclasses") {
        walk.refer_capitalised(bases);
    }
}

/// Where the colon before the body stands: comments may come between.
fn signature_end(node: Node<'_>, body: Node<'_>) -> usize {
    let mut cursor = node.walk();
    let colon = node.children(&mut cursor).take_while(|child| child.start_byte() < body.start_byte()).filter(|child| child.kind() == ":").last();
    colon.map_or(body.start_byte(), |colon| colon.start_byte())
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let text = walk.text_of(name);
    let kind = match walk.scope() {
        Scope::Members if text == "__init__" => SymbolKind::Constructor,
        Scope::Members if is_accessor(walk.prefix_text()) => SymbolKind::Accessor,
        Scope::Members => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let body = walk.field(node, "body");
    let end = body.map_or(node.end_byte(), |body| signature_end(node, body));
    declare(walk, node, name, Found { doc: docstring(body), ..Found::new(kind, text, end, Scope::Local) });
}

fn is_accessor(decorators: &str) -> bool {
    decorators.lines().map(|line| line.trim().trim_start_matches('@')).any(|decorator| {
        let last = decorator.split('(').next().unwrap_or_default().trim().rsplit('.').next().unwrap_or_default();
        matches!(last, "property" | "cached_property" | "setter" | "getter" | "deleter" | "abstractproperty")
    })
}

/// Names at the top level and in classes.
fn assignment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(left) = walk.field(node, "left") else { return };
    let scope = walk.scope();
    if scope == Scope::Local {
        return own_field(walk, node, left);
    }
    let right = walk.field(node, "right");
    let end = value_end(walk, node, right);
    let chained = right.is_some_and(|right| right.kind() == "assignment");
    match left.kind() {
        "identifier" if !chained => {
            let name = walk.text_of(left);
            let kind = kind_of(walk, scope, name, right);
            declare(walk, node, left, Found::new(kind, name, end, Scope::Local));
        }
        "identifier" | "pattern_list" | "tuple_pattern" | "list_pattern" => {
            let mut open = vec![left];
            while let Some(next) = open.pop() {
                match next.kind() {
                    "identifier" => {
                        let name = walk.text_of(next);
                        let public = is_public(name);
                        let found = Found { exported: public, private: !public, ..Found::new(kind_of(walk, scope, name, None), name, end, Scope::Local) };
                        walk.declare_aside(node, next, found);
                    }
                    "pattern_list" | "tuple_pattern" | "list_pattern" | "list_splat_pattern" => {
                        let mut cursor = next.walk();
                        let inside: Vec<_> = next.named_children(&mut cursor).collect();
                        open.extend(inside.into_iter().rev());
                    }
                    _ => {}
                }
            }
        }
        _ => {}
    }
}

/// `self.name = …` in `__init__`: a field that the class does not list.
fn own_field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, left: Node<'tree>) {
    let (Some(object), Some(field)) = (walk.field(left, "object"), walk.field(left, "attribute")) else { return };
    let Some(constructor) = walk.enclosing().filter(|around| walk.kind_of(*around) == SymbolKind::Constructor) else { return };
    let name = walk.text_of(field);
    if walk.text_of(object) != "self" {
        return;
    }
    let Some(class) = walk.parent_of(constructor).filter(|class| !walk.has_member(*class, name)) else { return };
    let end = value_end(walk, node, walk.field(node, "right"));
    let found = Found { exported: is_public(name), parent: Some(class), ..Found::new(SymbolKind::Property, name, end, Scope::Local) };
    walk.declare_aside(node, field, found);
}

fn kind_of(walk: &Walk<'_>, scope: Scope, name: &str, right: Option<Node<'_>>) -> SymbolKind {
    let is_function = right.is_some_and(|right| right.kind() == "lambda");
    let in_enum = scope == Scope::Members && right.is_some() && walk.enclosing().is_some_and(|class| is_enum(walk.signature_of(class)));
    match scope {
        Scope::Members if is_function => SymbolKind::Method,
        Scope::Members if in_enum && !name.starts_with('_') => SymbolKind::EnumMember,
        Scope::Members => SymbolKind::Property,
        _ if is_function => SymbolKind::Function,
        _ if is_constant(name) => SymbolKind::Constant,
        _ => SymbolKind::Variable,
    }
}

fn is_enum(signature: &str) -> bool {
    let bases = signature.split_once('(').map_or("", |(_, bases)| bases);
    bases
        .split([',', ')', '.'])
        .map(str::trim)
        .any(|base| matches!(base, "Enum" | "IntEnum" | "StrEnum" | "Flag" | "IntFlag" | "TextChoices" | "IntegerChoices"))
}

fn is_constant(name: &str) -> bool {
    name.chars().any(char::is_uppercase) && !name.chars().any(char::is_lowercase)
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(left) = walk.field(node, "left") else { return };
    let mut name = left;
    while name.kind() != "identifier" {
        let Some(inner) = name.named_child(0) else { return };
        name = inner;
    }
    declare(walk, node, name, Found::new(SymbolKind::Type, walk.text_of(name), node.end_byte(), Scope::Local));
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let mut cursor = node.walk();
    for imported in node.children_by_field_name("name", &mut cursor) {
        let source = walk.field(imported, "name").unwrap_or(imported);
        walk.import(walk.text_of(source));
        renamed(walk, imported);
    }
}

fn import_from<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = walk.field(node, "module_name") {
        walk.import(walk.text_of(source));
    }
    let mut cursor = node.walk();
    for imported in node.children_by_field_name("name", &mut cursor) {
        renamed(walk, imported);
    }
}

/// An import under a name of its own.
fn renamed<'tree>(walk: &mut Walk<'tree>, imported: Node<'tree>) {
    if let (Scope::Module, Some(alias)) = (walk.scope(), walk.field(imported, "alias")) {
        walk.declare_aside(imported, alias, Found::new(SymbolKind::Import, walk.text_of(alias), imported.end_byte(), Scope::Local));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(function) = walk.field(node, "function") {
        walk.refer_last(function);
    }
}

fn annotation<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.refer_capitalised(node);
}
