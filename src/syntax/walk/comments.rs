//! Which comments and decorators belong to a declaration.

use tree_sitter::Node;

use super::{Before, Walk};
use crate::syntax::roles::Role;

impl<'tree> Walk<'tree> {
    /// Keeps a comment for the declaration that it may document.
    pub(in crate::syntax) fn comment(&mut self, node: Node<'tree>) {
        let start = node.start_byte();
        let end = start + self.text_of(node).trim_end().len();
        let line_before = self.text[..start].trim_end_matches([' ', '\t']);
        if !(line_before.is_empty() || line_before.ends_with(['\n', '\r'])) {
            return;
        }
        if let Some((prefix, comments)) = &self.prefix
            && self.is_blank(prefix.end, start)
        {
            // Between decorators and their declaration.
            self.prefix = Some((Before { end, ..*prefix }, comments.or(Some(Before { start, end, doc: true }))));
            return;
        }
        let doc = self.text[start..].starts_with("/**");
        let start = self.comments.filter(|before| !doc && !before.doc && self.touches(before.end, start)).map_or(start, |before| before.start);
        self.comments = Some(Before { start, end, doc });
    }

    pub(super) fn prefix(&mut self, node: Node<'tree>) {
        self.prefix_between(node.start_byte(), node.end_byte());
    }

    /// Keeps what stands between two places for the declaration behind it, as a decorator.
    pub(in crate::syntax) fn prefix_between(&mut self, start: usize, end: usize) {
        self.prefix = match self.prefix {
            Some((before, comments)) if self.is_blank(before.end, start) => Some((Before { end, ..before }, comments)),
            _ => Some((Before { start, end, doc: false }, self.comments)),
        };
    }

    /// The decorators that wait for their declaration.
    pub(in crate::syntax) fn prefix_text(&self) -> &'tree str {
        self.prefix.map_or("", |(before, _)| &self.text[before.start..before.end])
    }

    /// Where a node starts, not counting decorators and comments before its own words.
    pub(in crate::syntax) fn head(&self, node: Node<'tree>) -> usize {
        let is_before = |child: &Node| matches!(self.grammar.roles.get(child.kind_id() as usize), Some(Role::Prefix | Role::Comment));
        if node.child(0).is_none_or(|first| !is_before(&first)) {
            return node.start_byte();
        }
        node.children(&mut node.walk()).find(|child| !is_before(child)).map_or(node.start_byte(), |child| child.start_byte())
    }

    pub(super) fn documents(&self, comments: Before, start: usize) -> bool {
        if comments.end > start {
            // Between its decorators and itself.
            return true;
        }
        if comments.doc { self.is_blank(comments.end, start) } else { self.touches(comments.end, start) }
    }

    pub(super) fn is_blank(&self, from: usize, to: usize) -> bool {
        from <= to && self.text[from..to].trim_start().is_empty()
    }

    /// Whether nothing but white space and one line end is between two places.
    fn touches(&self, from: usize, to: usize) -> bool {
        self.is_blank(from, to) && self.lines.line_at(to) <= self.lines.line_at(from.saturating_sub(1)) + 1
    }
}
