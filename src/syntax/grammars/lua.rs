//! Lua: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{body_start, children, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::plain::Plain;
use crate::syntax::roles::{Found, Role, Scope, Wrap};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("function_declaration", Role::Look(function)),
    ("variable_declaration", Role::Look(local)),
    ("assignment_statement", Role::Look(assignment)),
    ("field", Role::Look(field)),
    ("function_definition", Role::Local),
    ("arguments", Role::Arguments),
    ("function_call", Role::Look(call)),
    ("string", Role::Skip),
    ("parameters", Role::Skip),
    ("method_index_expression", Role::Expression),
    ("dot_index_expression", Role::Expression),
    ("binary_expression", Role::Expression),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let rest = line.trim_start();
    let (rest, local) = rest.strip_prefix("local ").map_or((rest, false), |rest| (rest.trim_start(), true));
    let rest = rest.strip_prefix("function ")?.trim_start();
    let path = &rest[..rest.find('(')?];
    let name = path.rsplit(['.', ':']).next()?.trim();
    let fits = !name.is_empty() && name.chars().all(|char| char.is_alphanumeric() || char == '_');
    fits.then_some(Plain { kind: SymbolKind::Function, name, exported: !local })
}

/// The last name of `a.b:c`, and what stands before it.
fn parts<'tree>(walk: &Walk<'tree>, path: Node<'tree>) -> Option<(Node<'tree>, Option<&'tree str>)> {
    match path.kind() {
        "identifier" => Some((path, None)),
        "dot_index_expression" => Some((walk.field(path, "field")?, Some(walk.text_of(walk.field(path, "table")?)))),
        "bracket_index_expression" => Some((walk.field(path, "field")?, Some(walk.text_of(walk.field(path, "table")?)))),
        "method_index_expression" => Some((walk.field(path, "method")?, Some(walk.text_of(walk.field(path, "table")?)))),
        _ => None,
    }
}

fn is_local(walk: &Walk<'_>, node: Node<'_>) -> bool {
    walk.text_of(node).starts_with("local")
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, path: Node<'tree>, kind: SymbolKind, end: usize, local: bool) {
    let Some((node_of_name, owner)) = parts(walk, path) else { return };
    let Some(name) = key(walk, path, node_of_name) else { return };
    let owner = owner.filter(|owner| owner.chars().all(|char| char.is_alphanumeric() || matches!(char, '_' | '.')));
    let parent = owner.and_then(|owner| walk.top_level(owner));
    let kind = if owner.is_some() && kind == SymbolKind::Function { SymbolKind::Method } else { kind };
    walk.declare(node, node_of_name, Found { exported: !local, owner, parent, ..Found::new(kind, name, end, Scope::Local) });
}

/// The name that a key gives: that of `t["name"]` is in the quotes, that of `t[name]` and `t[Other.key]` what stands in the brackets, with them.
fn key<'tree>(walk: &Walk<'tree>, around: Node<'tree>, name: Node<'tree>) -> Option<&'tree str> {
    let text = walk.text_of(name);
    match name.kind() {
        "string" => Some(text.trim_matches(['"', '\''])).filter(|text| !text.is_empty() && !text.contains(char::is_whitespace)),
        "identifier" if around.kind() == "field" && !walk.between(0, name.start_byte()).ends_with('[') => Some(text),
        "identifier" if !matches!(around.kind(), "field" | "bracket_index_expression") => Some(text),
        "dot_index_expression" | "identifier" => {
            let (start, end) = (walk.between(0, name.start_byte()), walk.between(name.end_byte(), around.end_byte()));
            (start.ends_with('[') && end.starts_with(']')).then(|| walk.between(name.start_byte() - 1, name.end_byte() + 1))
        }
        _ => None,
    }
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        let end = walk.field(node, "parameters").map_or(body_start(node), |parameters| parameters.end_byte());
        declare(walk, node, name, SymbolKind::Function, end, is_local(walk, node));
    }
}

fn local<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.wrap(Wrap { span: Some((node.start_byte(), node.end_byte())), head: node.start_byte(), ..Wrap::default() });
}

/// Functions wherever they are assigned, other values at the top level.
fn assignment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let lists = children(node);
    let [names, values] = lists.as_slice() else { return };
    let (names, values) = (children(*names), children(*values));
    let is_local = walk.wrapper().is_some_and(|wrap| wrap.span.is_some());
    for (index, name) in names.iter().enumerate() {
        let value = values.get(index).copied();
        let is_function = value.is_some_and(|value| value.kind() == "function_definition");
        if name.kind() == "bracket_index_expression" && !is_function {
            continue;
        }
        let is_table = value.is_some_and(|value| value.kind() == "table_constructor");
        let is_call = value.is_some_and(|value| value.kind() == "function_call");
        // What has been declared is given another value.
        let is_known = !is_local && name.kind() == "identifier" && walk.top_level(walk.text_of(*name)).is_some();
        if !is_function && (is_known || walk.scope() != Scope::Module || (!is_table && !is_call && name.kind() != "identifier")) {
            continue;
        }
        let kind = match value {
            _ if is_function => SymbolKind::Function,
            Some(value) if walk.text_of(value).starts_with("require") => SymbolKind::Import,
            _ => SymbolKind::Variable,
        };
        let end = match value {
            Some(value) if is_function => walk.field(value, "parameters").map_or(node.end_byte(), |parameters| parameters.end_byte()),
            _ => value_end(walk, node, value),
        };
        if names.len() > 1 {
            if name.kind() == "identifier" {
                walk.declare_aside(node, *name, Found { exported: !is_local, ..Found::new(kind, walk.text_of(*name), end, Scope::Local) });
            }
            continue;
        }
        declare(walk, node, *name, kind, end, is_local);
        if is_table {
            // Its functions are members.
            walk.open_again(Scope::Object);
        }
    }
}

/// Functions in any table, and what a call makes for a table that has a name.
fn field<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let (Some(name), Some(value)) = (walk.field(node, "name"), walk.field(node, "value")) else { return };
    let (kind, end) = match value.kind() {
        "function_definition" => (SymbolKind::Method, walk.field(value, "parameters").map_or(node.end_byte(), |parameters| parameters.end_byte())),
        "function_call" if walk.scope() == Scope::Object => (SymbolKind::Property, value_end(walk, node, Some(value))),
        _ => return,
    };
    if let Some(key) = key(walk, node, name) {
        walk.declare(node, name, Found::new(kind, key, end, Scope::Local));
    }
}

fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    if walk.text_of(name) == "require" {
        let argument =
            walk.field(node, "arguments").and_then(|arguments| if arguments.kind() == "string" { Some(arguments) } else { arguments.named_child(0) });
        if let Some(source) = argument.filter(|argument| argument.kind() == "string") {
            walk.import(walk.text_of(source).trim_matches(['"', '\'']));
        }
        return;
    }
    walk.refer_last(name);
}
