//! JSON and TOML: their top-level keys.

use tree_sitter::Node;

use super::common::{child_of_kind, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const JSON: &[(&str, Role)] = &[("comment", Role::Comment), ("pair", Role::Look(pair)), ("array", Role::Local), ("string", Role::Skip)];

pub(super) const TOML: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("pair", Role::Look(pair)),
    ("table", Role::Look(table)),
    ("table_array_element", Role::Look(table)),
    ("array", Role::Skip),
    ("inline_table", Role::Skip),
    ("string", Role::Skip),
];

/// A key with its value, which is not looked into.
fn pair<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if walk.scope() != Scope::Module {
        return;
    }
    let Some(key) = walk.field(node, "key").or_else(|| node.named_child(0)) else { return };
    let value = walk.field(node, "value").or_else(|| node.named_child(1));
    let end = value_end(walk, node, value);
    let name = walk.text_of(key).trim_matches(['"', '\'']);
    walk.declare(node, key, Found { exported: true, ..Found::new(SymbolKind::Key, name, end, Scope::Local) });
}

fn table<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(key) = child_of_kind(node, &["dotted_key", "bare_key", "quoted_key"]) else { return };
    let header = walk.text_of(node).find(['\n', '\r']).map_or(node.end_byte(), |line_end| node.start_byte() + line_end);
    let name = walk.text_of(key).trim_matches(['"', '\'']);
    walk.declare(node, key, Found { exported: true, ..Found::new(SymbolKind::Key, name, header, Scope::Local) });
}
