//! Markdown: headings with what stands below them.

use tree_sitter::Node;

use crate::syntax::SymbolKind;
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("section", Role::Look(section)),
    ("setext_heading", Role::Look(heading)),
    ("paragraph", Role::Skip),
    ("list", Role::Skip),
    ("fenced_code_block", Role::Skip),
    ("indented_code_block", Role::Skip),
    ("html_block", Role::Skip),
    ("pipe_table", Role::Skip),
    ("block_quote", Role::Skip),
];

fn section<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(heading) = node.named_child(0).filter(|first| matches!(first.kind(), "atx_heading" | "setext_heading")) {
        declare(walk, node, heading);
    }
}

/// The grammar begins no section with an underlined heading that follows a deeper one.
fn heading<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let is_known = walk.enclosing().is_some_and(|around| walk.starts_at(around, node));
    if !is_known {
        declare(walk, node, node);
    }
}

fn declare<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>, heading: Node<'tree>) {
    let Some(content) = walk.field(heading, "heading_content") else { return };
    let line = walk.text_of(content).lines().next().unwrap_or_default().trim();
    let name = line.trim_end_matches('#').trim_end();
    let end = content.start_byte() + walk.text_of(content).trim_end().len();
    walk.declare(node, content, Found { exported: true, ..Found::new(SymbolKind::Section, name, end, Scope::Module) });
}
