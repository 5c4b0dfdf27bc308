//! Go: which nodes are declarations, imports and references.

use tree_sitter::Node;

use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope, Wrap};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("function_declaration", Role::Look(function)),
    ("method_declaration", Role::Look(method)),
    ("type_declaration", Role::Look(group)),
    ("const_declaration", Role::Look(group)),
    ("var_declaration", Role::Look(group)),
    ("type_spec", Role::Look(type_spec)),
    ("type_alias", Role::Look(type_spec)),
    ("const_spec", Role::Look(value)),
    ("var_spec", Role::Look(value)),
    ("field_declaration", Role::Look(field)),
    ("method_elem", Role::Look(element)),
    ("func_literal", Role::Local),
    ("block", Role::Local),
    ("parameter_list", Role::Local),
    ("import_spec", Role::Look(import)),
    ("call_expression", Role::Look(call)),
    ("type_identifier", Role::Look(type_name)),
    ("selector_expression", Role::Expression),
    ("binary_expression", Role::Expression),
    ("interpreted_string_literal", Role::Skip),
    ("raw_string_literal", Role::Skip),
    ("package_clause", Role::Look(package)),
];

const BUILT_IN: &[&str] = &[
    "any",
    "bool",
    "byte",
    "comparable",
    "complex64",
    "complex128",
    "error",
    "float32",
    "float64",
    "int",
    "int8",
    "int16",
    "int32",
    "int64",
    "rune",
    "string",
    "uint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "uintptr",
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    if let Some(rest) = line.strip_prefix("func (") {
        let name = rest.split_once(") ")?.1;
        let name = &name[..name.find('(')?];
        let fits = !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_');
        return fits.then(|| Plain { kind: SymbolKind::Method, name, exported: is_exported(name) });
    }
    let keywords = [("func", SymbolKind::Function), ("type", SymbolKind::Type), ("const", SymbolKind::Constant), ("var", SymbolKind::Variable)];
    let plain = by_words(line, &[], &keywords).filter(|_| !line.starts_with(char::is_whitespace))?;
    Some(Plain { exported: is_exported(plain.name), ..plain })
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn found<'tree>(walk: &Walk<'tree>, kind: SymbolKind, name: Node<'tree>, end: usize, inside: Scope) -> Found<'tree> {
    let text = walk.text_of(name);
    Found { exported: is_exported(text), private: !is_exported(text), ..Found::new(kind, text, end, inside) }
}

fn body_start(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, found(walk, SymbolKind::Function, name, body_start(node), Scope::Local));
    }
}

/// A function with a receiver belongs to the receiver's type.
fn method<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let owner = walk.field(node, "receiver").and_then(|receiver| receiver_type(walk, receiver));
    let parent = owner.and_then(|owner| walk.top_level(owner));
    walk.declare(node, name, Found { owner, parent, ..found(walk, SymbolKind::Method, name, body_start(node), Scope::Local) });
}

/// The name of the type in `(s *Server[K, V])`.
fn receiver_type<'tree>(walk: &Walk<'tree>, receiver: Node<'tree>) -> Option<&'tree str> {
    let mut cursor = receiver.walk();
    let parameter = receiver.named_children(&mut cursor).find(|child| child.kind() == "parameter_declaration")?;
    let mut node = walk.field(parameter, "type")?;
    for _ in 0..8 {
        match node.kind() {
            "type_identifier" => return Some(walk.text_of(node)),
            "generic_type" => node = walk.field(node, "type")?,
            _ => node = node.named_child(0)?,
        }
    }
    None
}

/// `type`, `const` and `var`, with one declaration or several in brackets.
fn group<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let in_brackets = node.child(1).is_some_and(|second| matches!(second.kind(), "(" | "var_spec_list"));
    if !in_brackets {
        walk.wrap(Wrap { span: Some((node.start_byte(), node.end_byte())), head: node.start_byte(), ..Wrap::default() });
    }
}

fn type_spec<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let (Some(name), Some(value)) = (walk.field(node, "name"), walk.field(node, "type")) else { return };
    let kind = match value.kind() {
        "struct_type" => SymbolKind::Struct,
        "interface_type" => SymbolKind::Interface,
        _ => SymbolKind::Type,
    };
    let end = match kind {
        SymbolKind::Type if !walk.text_of(value).contains('\n') => node.end_byte(),
        SymbolKind::Type => value.start_byte(),
        // Up to the bracket.
        _ => value.start_byte() + walk.text_of(value).find('{').unwrap_or(0),
    };
    walk.declare(node, name, found(walk, kind, name, end, Scope::Members));
}

fn value<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() != Scope::Module {
        return;
    }
    let kind = if node.kind() == "const_spec" { SymbolKind::Constant } else { SymbolKind::Variable };
    let given = walk.field(node, "value");
    let end = given.filter(|given| walk.text_of(*given).contains('\n')).map_or(node.end_byte(), |given| given.start_byte());
    let mut cursor = node.walk();
    let names: Vec<_> = node.children_by_field_name("name", &mut cursor).filter(|name| name.kind() == "identifier" && walk.text_of(*name) != "_").collect();
    match names.as_slice() {
        [name] => walk.declare(node, *name, found(walk, kind, *name, end, Scope::Local)),
        _ => {
            for name in names {
                walk.declare_aside(node, name, found(walk, kind, name, end, Scope::Local));
            }
        }
    }
}

fn field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() != Scope::Members {
        return;
    }
    let mut cursor = node.walk();
    let names: Vec<_> = node.children_by_field_name("name", &mut cursor).collect();
    match names.as_slice() {
        // An embedded type lends its name.
        [] => {
            let Some(mut name) = walk.field(node, "type") else { return };
            while !matches!(name.kind(), "type_identifier") {
                let inner = match name.kind() {
                    "qualified_type" => walk.field(name, "name"),
                    "generic_type" => walk.field(name, "type"),
                    _ => name.named_child(0),
                };
                let Some(inner) = inner else { return };
                name = inner;
            }
            walk.refer(walk.text_of(name));
            walk.declare(node, name, found(walk, SymbolKind::Property, name, node.end_byte(), Scope::Members));
        }
        [name] => walk.declare(node, *name, found(walk, SymbolKind::Property, *name, node.end_byte(), Scope::Members)),
        _ => {
            for name in names {
                walk.declare_aside(node, name, found(walk, SymbolKind::Property, name, node.end_byte(), Scope::Members));
            }
        }
    }
}

fn element<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, found(walk, SymbolKind::Method, name, node.end_byte(), Scope::Local));
    }
}

fn package<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = node.named_child(0) {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Package, walk.text_of(name), node.end_byte(), Scope::Local) });
    }
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(path) = walk.field(node, "path") {
        walk.import(walk.text_of(path).trim_matches(['"', '`']));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(function) = walk.field(node, "function") {
        walk.refer_last(function);
    }
}

fn type_name<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let name = walk.text_of(node);
    if name.len() > 1 && !BUILT_IN.contains(&name) && !walk.is_declared_at(node) {
        walk.refer(name);
    }
}
