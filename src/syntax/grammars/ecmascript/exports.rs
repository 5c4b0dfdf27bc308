//! What a module exports.

use tree_sitter::Node;

use super::import;
use super::values::{contents, function_or_class, inside, unwrap, value_start};
use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Scope, Wrap};
use crate::syntax::walk::Walk;

/// An `export` around a declaration, a value, a list or another module's names.
pub(super) fn export<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    import(walk, node);
    walk.wrap(Wrap { span: Some((node.start_byte(), node.end_byte())), head: walk.head(node), exported: true, ..Wrap::default() });
    if let Some(value) = walk.field(node, "value") {
        return default(walk, node, value);
    }
    if let Some(declaration) = walk.field(node, "declaration") {
        if walk.field(declaration, "name").is_none() && function_or_class(declaration).is_some() {
            default(walk, node, declaration);
        }
        return;
    }
    let from_here = walk.field(node, "source").is_none();
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            // `export = name`
            "identifier" => walk.listed_exports.push(walk.text_of(child)),
            "export_clause" => {
                let mut names = child.walk();
                for specifier in child.named_children(&mut names) {
                    let name = walk.field(specifier, "name");
                    match name {
                        Some(name) if from_here => walk.listed_exports.push(walk.text_of(name)),
                        _ => re_export(walk, specifier, walk.field(specifier, "alias").or(name)),
                    }
                }
            }
            // `export * as name from "module"`
            "namespace_export" => re_export(walk, child, child.named_child(0)),
            _ => {}
        }
    }
}

/// A name under which another module's export is exported once more.
fn re_export<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, name: Option<Node<'tree>>) {
    if let Some(name) = name {
        walk.declare_aside(node, name, Found { exported: true, ..Found::new(SymbolKind::Import, walk.key(name), node.end_byte(), Scope::Local) });
    }
}

/// The value of an `export default`.
fn default<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, value: Node<'tree>) {
    let value = unwrap(value);
    if value.kind() == "identifier" {
        return walk.listed_exports.push(walk.text_of(value));
    }
    let kind = function_or_class(value).unwrap_or(SymbolKind::Constant);
    if kind == SymbolKind::Constant && !matches!(value.kind(), "object" | "call_expression") {
        return;
    }
    let named = walk.field(value, "name");
    let name = named.map_or("default", |name| walk.text_of(name));
    walk.declare(node, named.unwrap_or(value), Found { exported: true, ..Found::new(kind, name, value_start(value), inside(value)) });
    walk.value_at(contents(value));
}
