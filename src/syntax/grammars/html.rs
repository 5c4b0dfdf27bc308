//! HTML: headings, and elements with an `id`. What its scripts declare is found as in component files.

use tree_sitter::Node;

use super::common::{child_of_kind, children};
use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("element", Role::Look(element)),
    ("script_element", Role::Look(script)),
    ("style_element", Role::Skip),
    ("start_tag", Role::Look(tag)),
    ("self_closing_tag", Role::Look(tag)),
    ("end_tag", Role::Skip),
];

/// The value of an attribute of a tag.
fn attribute<'tree>(walk: &Walk<'tree>, tag: Node<'tree>, name: &str) -> Option<Node<'tree>> {
    let attribute = children(tag)
        .into_iter()
        .find(|child| child.kind() == "attribute" && walk.text_of(child.named_child(0).unwrap_or(*child)).eq_ignore_ascii_case(name))?;
    let value = child_of_kind(attribute, &["attribute_value", "quoted_attribute_value"])?;
    if value.kind() == "attribute_value" { Some(value) } else { child_of_kind(value, &["attribute_value"]) }
}

/// A heading has the name of its first words, another element that of its `id`.
fn element<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(tag) = child_of_kind(node, &["start_tag", "self_closing_tag"]) else { return };
    walk.value_at(tag);
    // An empty element of the grammar goes on to what follows.
    let whole = if node.named_child_count() == 1 { tag } else { node };
    let kind = child_of_kind(tag, &["tag_name"]).map_or("", |name| walk.text_of(name));
    if let [b'h' | b'H', b'1'..=b'6'] = kind.as_bytes()
        && let Some(words) = child_of_kind(node, &["text"])
    {
        let name = walk.text_of(words).lines().next().unwrap_or_default().trim();
        walk.declare(whole, words, Found { exported: true, ..Found::new(SymbolKind::Section, name, words.end_byte(), Scope::Module) });
    } else if let Some(id) = attribute(walk, tag, "id") {
        let name = walk.text_of(id).trim();
        walk.declare(whole, id, Found { exported: true, ..Found::new(SymbolKind::Key, name, tag.end_byte(), Scope::Module) });
    } else if kind.eq_ignore_ascii_case("link")
        && let Some(source) = attribute(walk, tag, "href")
    {
        walk.import(walk.text_of(source));
    }
}

/// A tag whose element the grammar could not make out.
fn tag<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if !walk.is_bound(node)
        && let Some(id) = attribute(walk, node, "id")
    {
        let name = walk.text_of(id).trim();
        walk.declare_aside(node, id, Found { exported: true, ..Found::new(SymbolKind::Key, name, node.end_byte(), Scope::Module) });
    }
    walk.pass();
}

fn script<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(source) = child_of_kind(node, &["start_tag"]).and_then(|tag| attribute(walk, tag, "src")) {
        walk.import(walk.text_of(source));
    }
    walk.pass();
}
