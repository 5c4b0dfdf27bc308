//! What several languages ask of their nodes.

use tree_sitter::Node;

use crate::syntax::walk::Walk;

/// Where the body of a declaration starts, else its end.
pub(super) fn body_start(node: Node<'_>) -> usize {
    node.child_by_field_name("body").map_or(node.end_byte(), |body| body.start_byte())
}

/// The first direct child of one of the kinds.
pub(super) fn child_of_kind<'tree>(node: Node<'tree>, kinds: &[&str]) -> Option<Node<'tree>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).find(|child| kinds.contains(&child.kind()))
}

/// The named children in a list, for loops that also change the walk.
pub(super) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}

/// Whether one of the words stands between the start of a declaration and its name.
pub(super) fn has_modifier<'tree>(walk: &Walk<'tree>, node: Node<'tree>, name: Node<'tree>, words: &[&str]) -> bool {
    let before = walk.between(node.start_byte(), name.start_byte());
    before.split(|char: char| !(char.is_alphanumeric() || char == '_')).any(|word| words.contains(&word))
}

/// The end of a declaration whose value is left out of the signature if it has several lines.
pub(super) fn value_end<'tree>(walk: &Walk<'tree>, node: Node<'tree>, value: Option<Node<'tree>>) -> usize {
    value.filter(|value| walk.text_of(*value).trim_end().contains(['\n', '\r'])).map_or(node.end_byte(), |value| value.start_byte())
}
