//! Style sheets: selectors, custom properties and animations.

use tree_sitter::Node;

use super::common::child_of_kind;
use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

/// Bytes of a list of selectors that is a name; a longer one is not asked for.
const MAX_SELECTOR_BYTES: usize = 120;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("rule_set", Role::Look(rule)),
    ("keyframes_statement", Role::Look(keyframes)),
    ("declaration", Role::Look(declaration)),
    ("import_statement", Role::Look(import)),
    ("string_value", Role::Skip),
];

fn rule<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(selectors) = child_of_kind(node, &["selectors"]) else { return };
    let name = walk.text_of(selectors).trim();
    if name.len() <= MAX_SELECTOR_BYTES && !name.contains(['\n', '\r']) {
        walk.declare(node, selectors, Found { exported: true, ..Found::new(SymbolKind::Key, name, selectors.end_byte(), Scope::Members) });
    }
}

fn keyframes<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = child_of_kind(node, &["keyframes_name"]) {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Key, walk.text_of(name), name.end_byte(), Scope::Local) });
    }
}

/// Custom properties.
fn declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = child_of_kind(node, &["property_name"]).filter(|name| walk.text_of(*name).starts_with("--")) {
        walk.declare(node, name, Found::new(SymbolKind::Variable, walk.text_of(name), node.end_byte(), Scope::Local));
    }
}

fn import<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = child_of_kind(node, &["string_value"]) {
        walk.import(walk.text_of(source).trim_matches(['"', '\'']));
    }
}
