//! Ruby: which nodes are declarations, imports and references.

use tree_sitter::Node;

use super::common::{children, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("class", Role::Look(class)),
    ("module", Role::Look(class)),
    ("singleton_class", Role::Look(singleton_class)),
    ("method", Role::Look(method)),
    ("singleton_method", Role::Look(method)),
    ("assignment", Role::Look(assignment)),
    ("alias", Role::Look(alias)),
    ("call", Role::Look(call)),
    ("identifier", Role::Look(word)),
    ("superclass", Role::Look(types)),
    ("lambda", Role::Local),
    ("string", Role::Skip),
    ("simple_symbol", Role::Skip),
    ("method_parameters", Role::Local),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let line = line.trim_start();
    if let Some(rest) = line.strip_prefix("def self.") {
        let name = &rest[..rest.find(|char: char| !(char.is_alphanumeric() || char == '_')).unwrap_or(rest.len())];
        return (!name.is_empty()).then_some(Plain { kind: SymbolKind::Method, name, exported: true });
    }
    let plain = by_words(line, &[], &[("class", SymbolKind::Class), ("module", SymbolKind::Namespace), ("def", SymbolKind::Function)])?;
    Some(Plain { exported: true, ..plain })
}

fn class<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let kind = if node.kind() == "module" { SymbolKind::Namespace } else { SymbolKind::Class };
    let end = walk.field(node, "superclass").unwrap_or(name).end_byte();
    walk.declare(node, name, Found { exported: true, ..Found::new(kind, walk.text_of(name), end, Scope::Members) });
}

/// `class << self`: its members are those of the class around it, and visible anew.
fn singleton_class<'tree>(walk: &mut Walk<'tree>, _: Node<'tree>) {
    walk.open(Scope::Members);
    walk.hide(false);
}

fn method<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else { return };
    let text = walk.text_of(name);
    let kind = match walk.scope() {
        Scope::Members if text == "initialize" => SymbolKind::Constructor,
        Scope::Members => SymbolKind::Method,
        _ => SymbolKind::Function,
    };
    let end = walk.field(node, "parameters").unwrap_or(name).end_byte();
    walk.declare(node, name, Found { exported: true, ..Found::new(kind, text, end, Scope::Local) });
}

/// Constants, and classes made by a call with a block.
fn assignment<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(left) = walk.field(node, "left") else { return };
    if walk.scope() == Scope::Local {
        return;
    }
    if left.kind() == "left_assignment_list" {
        for name in children(left).into_iter().filter(|name| name.kind() == "constant") {
            walk.declare_aside(node, name, Found { exported: true, ..Found::new(SymbolKind::Constant, walk.text_of(name), node.end_byte(), Scope::Local) });
        }
    }
    if !matches!(left.kind(), "constant" | "scope_resolution") {
        return;
    }
    let value = walk.field(node, "right");
    let makes_class = value.is_some_and(|value| {
        let text = walk.text_of(value);
        ["Struct.new", "Class.new", "Data.define", "Module.new"].iter().any(|start| text.starts_with(start))
    });
    let (kind, inside) = if makes_class { (SymbolKind::Class, Scope::Members) } else { (SymbolKind::Constant, Scope::Local) };
    walk.declare(node, left, Found { exported: true, ..Found::new(kind, walk.text_of(left), value_end(walk, node, value), inside) });
}

fn alias<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        let kind = if walk.scope() == Scope::Members { SymbolKind::Method } else { SymbolKind::Function };
        walk.declare(node, name, Found { exported: true, ..Found::new(kind, walk.text_of(name).trim_start_matches(':'), node.end_byte(), Scope::Local) });
    }
}

/// Calls that declare (`attr_accessor :a`), that import, that hide what follows, and others.
fn call<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(method) = walk.field(node, "method") else { return };
    let name = walk.text_of(method);
    let first = walk.field(node, "arguments").and_then(|arguments| arguments.named_child(0));
    let is_bare = walk.field(node, "receiver").is_none();
    match name {
        "require" | "require_relative" | "load" | "autoload" if is_bare => {
            let source = first.filter(|first| first.kind() == "string").map(|first| walk.text_of(first).trim_matches(['"', '\'']));
            if let Some(source) = source {
                walk.import(source);
            }
        }
        "attr_accessor" | "attr_reader" | "attr_writer" | "attr" if is_bare && walk.scope() == Scope::Members => {
            for argument in walk.field(node, "arguments").into_iter().flat_map(children) {
                if argument.kind() == "simple_symbol" {
                    let found = Found::new(SymbolKind::Accessor, walk.text_of(argument).trim_start_matches(':'), node.end_byte(), Scope::Local);
                    walk.declare_aside(node, argument, found);
                }
            }
        }
        "alias_method" | "define_method" | "define_singleton_method" if is_bare && walk.scope() == Scope::Members => {
            if let Some(first) = first.filter(|first| matches!(first.kind(), "simple_symbol" | "string")) {
                let own = walk.text_of(first).trim_matches([':', '"', '\'']);
                walk.declare(node, first, Found::new(SymbolKind::Method, own, first.end_byte(), Scope::Local));
            }
        }
        "include" | "extend" | "prepend" if is_bare => {
            if let Some(arguments) = walk.field(node, "arguments") {
                walk.refer_capitalised(arguments);
            }
        }
        "private" | "protected" | "private_class_method" if is_bare => {
            // `private def name`
            if walk.scope() == Scope::Members {
                walk.open(Scope::Members);
                walk.hide(name != "protected");
            }
        }
        // The class that is made.
        "new" => {
            if let Some(receiver) = walk.field(node, "receiver") {
                walk.refer_capitalised(receiver);
            }
        }
        _ => walk.refer(name),
    }
}

/// `private` alone hides the members that follow.
fn word<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() != Scope::Members {
        return;
    }
    match walk.text_of(node) {
        "private" if !walk.is_followed_by_more(node) => walk.hide(true),
        "public" | "protected" if !walk.is_followed_by_more(node) => walk.hide(false),
        _ => {}
    }
}

fn types<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    walk.refer_capitalised(node);
}
