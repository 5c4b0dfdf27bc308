//! Declarations, from what a rule found to symbols.

use std::borrow::Cow;
use std::collections::HashSet;

use tree_sitter::Node;

use super::{Draft, MAX_NAME_BYTES, MAX_NESTING, MAX_QUALIFIED_NAME_BYTES, Walk, Walked};
use crate::syntax::excerpt::{signature, span};
use crate::syntax::roles::{Found, Scope};
use crate::syntax::{Outline, Span, Symbol};

impl<'tree> Walk<'tree> {
    /// Records a declaration, and makes the inside of the current node its scope.
    pub(in crate::syntax) fn declare(&mut self, node: Node<'tree>, name: Node<'tree>, found: Found<'tree>) {
        self.declared_at = name.start_byte();
        let wrap = self.wrapper().unwrap_or_default();
        let (mut start, end) = wrap.span.unwrap_or((node.start_byte(), node.end_byte()));
        let mut head = if wrap.span.is_some() { wrap.head } else { self.head(node) };
        if let Some(earlier) = found.start.filter(|earlier| *earlier < start) {
            (start, head) = (earlier, earlier);
        }
        // A comment documents one declaration only.
        let mut comments = self.comments.take();
        if let Some((prefix, before)) = self.prefix.take()
            && self.is_blank(prefix.end, start)
        {
            start = prefix.start;
            comments = before;
        }
        let (name, whole) = names(name, found.name);
        let top = self.top();
        let parent = found.parent.or(top.symbol);
        let mut qualified_name = parent.map_or(String::new(), |parent| format!("{}.", self.drafts[parent as usize].symbol.qualified_name));
        if let (None, Some(owner)) = (found.parent, found.owner) {
            qualified_name.extend([owner, "."]);
        }
        qualified_name.push_str(&whole);
        if name.is_empty() || name.len() > MAX_NAME_BYTES || qualified_name.len() > MAX_QUALIFIED_NAME_BYTES || top.nesting >= MAX_NESTING {
            return self.push(found.inside, top.symbol, None);
        }
        let visible = match top.scope {
            Scope::Module => (found.exported || wrap.exported || top.global || (top.ambient && top.symbol.is_some())) && !top.hidden,
            Scope::Members | Scope::Object | Scope::InnerObject => !found.private && !top.hidden,
            Scope::Local => found.exported && found.parent.is_some(),
        };
        let symbol = Symbol {
            kind: found.kind,
            name: name.to_owned(),
            qualified_name,
            parent,
            span: self.span(start, end),
            doc: found
                .doc
                .or(comments.filter(|before| self.documents(*before, start)).map(|before| (before.start, before.end)))
                .map(|doc| self.span(doc.0, doc.1)),
            signature: signature(&self.text[head.min(found.signature_end)..found.signature_end]),
            exported: false,
            references: Vec::new(),
        };
        let index = self.drafts.len() as u32;
        let scope = top.scope;
        if scope == Scope::Module && found.owner.is_none() {
            self.top_level.insert(name, index);
        }
        if let Some(parent) = parent.filter(|_| scope == Scope::Members || found.parent.is_some()) {
            self.members.insert((parent, name));
        }
        self.drafts.push(Draft { symbol, visible, references: Vec::new() });
        self.push(found.inside, Some(index), None);
    }

    /// Records a declaration that the walk will not enter: a name in a pattern, a member of a list.
    pub(in crate::syntax) fn declare_aside(&mut self, node: Node<'tree>, name: Node<'tree>, found: Found<'tree>) {
        self.declare(node, name, found);
        self.leave();
    }

    /// Ends the scope of the declaration made last.
    pub(in crate::syntax) fn leave(&mut self) {
        self.frames.pop();
    }

    /// The text of a name: literals without their quotes.
    pub(in crate::syntax) fn key(&self, name: Node<'tree>) -> &'tree str {
        let text = self.text_of(name);
        if name.kind() == "string" { text.trim_matches(['"', '\'']) } else { text }
    }

    pub(super) fn finish(self) -> Walked {
        let listed_exports: HashSet<&str> = self.listed_exports.into_iter().collect();
        let mut symbols: Vec<Symbol> = Vec::with_capacity(self.drafts.len());
        for Draft { mut symbol, visible, references } in self.drafts {
            symbol.exported = match symbol.parent {
                Some(parent) => visible && symbols[parent as usize].exported,
                None => visible || listed_exports.contains(symbol.name.as_str()),
            };
            symbol.references = references.into_iter().map(str::to_owned).collect();
            symbols.push(symbol);
        }
        let outline = Outline { symbols, imports: self.imports.into_iter().map(str::to_owned).collect() };
        Walked { outline, broken: self.broken, inner: self.inner }
    }

    fn span(&self, start: usize, end: usize) -> Span {
        span(self.lines, start, end)
    }
}

/// The simple name, and the whole one with dots, of a name that may be a path.
fn names<'tree>(node: Node<'tree>, text: &'tree str) -> (&'tree str, Cow<'tree, str>) {
    let is_path = matches!(
        node.kind(),
        "nested_identifier"
            | "nested_namespace_specifier"
            | "scope_resolution"
            | "qualified_name"
            | "namespace_name"
            | "scoped_identifier"
            | "dotted_name"
            | "dotted_key"
            | "qualified_identifier"
            | "package_identifier"
    );
    if !is_path {
        return (text, Cow::Borrowed(text));
    }
    let parts: Vec<&str> = text.split(['.', ':', '\\']).map(str::trim).filter(|part| !part.is_empty()).collect();
    (parts.last().copied().unwrap_or_default(), Cow::Owned(parts.join(".")))
}
