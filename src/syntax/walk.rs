//! One pass over a syntax tree that collects declarations, imports and references by a table of node kinds.

mod comments;
mod declare;
mod references;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use references::says_something;
use tree_sitter::{Node, Tree};

use super::grammars::Compiled;
use super::roles::{Found, Role, Scope, Wrap};
use super::{Outline, Symbol, SymbolKind};
use crate::lines::LineIndex;

/// Declarations inside each other that count; deeper ones are text.
const MAX_NESTING: usize = 64;
/// Bytes of a name; a longer one is data.
const MAX_NAME_BYTES: usize = 200;
/// Bytes of a name with those around it.
const MAX_QUALIFIED_NAME_BYTES: usize = 1_000;

/// The kind of the nodes that hold what a grammar did not understand, in every grammar.
const ERROR: u16 = u16::MAX;

struct Frame {
    depth: u32,
    scope: Scope,
    symbol: Option<u32>,
    nesting: usize,
    wrap: Option<Wrap>,
    ambient: bool,
    global: bool,
    /// Whether members that follow are hidden, as after `private:`.
    hidden: bool,
}

/// A part that the grammar took for mere tokens, such as what is given to a macro: it is parsed once more by itself.
pub(super) struct Inner {
    pub(super) range: Range<usize>,
    pub(super) scope: Scope,
    /// The symbol around it.
    pub(super) parent: Option<u32>,
}

/// What a walk found.
pub(super) struct Walked {
    pub(super) outline: Outline,
    /// The ranges that the grammar did not understand.
    pub(super) broken: Vec<Range<usize>>,
    pub(super) inner: Vec<Inner>,
}

struct Draft<'tree> {
    symbol: Symbol,
    /// Said to be exported, or a member that nothing hides.
    visible: bool,
    references: Vec<&'tree str>,
}

#[derive(Clone, Copy)]
struct Before {
    start: usize,
    end: usize,
    /// Whether a blank line may follow.
    doc: bool,
}

/// The state of a pass.
pub(super) struct Walk<'tree> {
    grammar: &'tree Compiled,
    pub(super) text: &'tree str,
    lines: &'tree LineIndex,
    depth: u32,
    frames: Vec<Frame>,
    drafts: Vec<Draft<'tree>>,
    imports: Vec<&'tree str>,
    /// Top-level names that an export list names.
    pub(super) listed_exports: Vec<&'tree str>,
    top_level: HashMap<&'tree str, u32>,
    members: HashSet<(u32, &'tree str)>,
    comments: Option<Before>,
    /// Decorators that wait for their declaration, and the comments before them.
    prefix: Option<(Before, Option<Before>)>,
    /// The start of the name declared last: it is no reference.
    declared_at: usize,
    /// The start of the value of the declaration made last: its scope is already known.
    value_at: usize,
    /// Whether the variables being declared are constants.
    pub(super) constant: bool,
    /// Whether the inside of the current node is passed over.
    passes: bool,
    broken: Vec<Range<usize>>,
    inner: Vec<Inner>,
}

impl<'tree> Walk<'tree> {
    pub(super) fn new(grammar: &'tree Compiled, scope: Scope, text: &'tree str, lines: &'tree LineIndex) -> Self {
        let root = Frame { depth: 0, scope, symbol: None, nesting: 0, wrap: None, ambient: false, global: false, hidden: false };
        Walk {
            grammar,
            text,
            lines,
            depth: 0,
            frames: vec![root],
            drafts: Vec::new(),
            imports: Vec::new(),
            listed_exports: Vec::new(),
            top_level: HashMap::new(),
            members: HashSet::new(),
            comments: None,
            prefix: None,
            declared_at: usize::MAX,
            value_at: usize::MAX,
            constant: false,
            passes: false,
            broken: Vec::new(),
            inner: Vec::new(),
        }
    }

    /// The same for a part that stands in a symbol, which becomes the first one of what is found.
    pub(super) fn inside(mut self, around: Option<&Symbol>) -> Self {
        if let Some(around) = around {
            let symbol = Symbol {
                kind: around.kind,
                name: around.name.clone(),
                qualified_name: around.qualified_name.clone(),
                parent: None,
                span: around.span,
                doc: None,
                signature: around.signature.clone(),
                exported: around.exported,
                references: Vec::new(),
            };
            self.frames[0].symbol = Some(0);
            self.drafts.push(Draft { symbol, visible: around.exported, references: Vec::new() });
        }
        self
    }

    /// Walks the tree.
    pub(super) fn run(mut self, tree: &'tree Tree) -> Walked {
        let mut cursor = tree.walk();
        'walk: loop {
            let node = cursor.node();
            self.depth += 1;
            let kind = node.kind_id();
            let enters = if kind == ERROR {
                if self.broken.last().is_none_or(|last| node.start_byte() >= last.end) {
                    self.broken.push(node.byte_range());
                }
                true
            } else {
                self.visit(node, kind)
            };
            if enters && cursor.goto_first_child() {
                continue;
            }
            loop {
                if self.frames.last().is_some_and(|frame| frame.depth == self.depth) {
                    self.frames.pop();
                }
                self.depth -= 1;
                if cursor.goto_next_sibling() {
                    continue 'walk;
                }
                if !cursor.goto_parent() {
                    break 'walk;
                }
            }
        }
        self.finish()
    }

    /// Does what the node's role says; gives whether its children are of interest.
    fn visit(&mut self, node: Node<'tree>, kind: u16) -> bool {
        match self.grammar.roles.get(kind as usize).copied().unwrap_or(Role::None) {
            Role::None => {}
            Role::Comment => {
                self.comment(node);
                return false;
            }
            Role::Prefix => self.prefix(node),
            Role::Local => self.open_local(node),
            Role::Declares(kind, inside) => {
                if let Some(name) = self.field(node, "name") {
                    let end = self.field(node, "body").map_or(node.end_byte(), |body| body.start_byte());
                    self.declare(node, name, Found::new(kind, self.text_of(name), end, inside));
                }
            }
            Role::TypeName => {
                // Names of one letter are type parameters.
                if node.start_byte() != self.declared_at && node.end_byte() - node.start_byte() > 1 {
                    self.refer(self.text_of(node).rsplit('.').next().unwrap_or_default().trim());
                }
                return false;
            }
            Role::Skip => return false,
            Role::Expression => return says_something(self.text_of(node)),
            Role::Arguments => {
                let text = self.text_of(node);
                if !says_something(text.get(1..text.len().saturating_sub(1)).unwrap_or(text)) {
                    return false;
                }
                self.open_local(node);
            }
            Role::Look(look) => {
                look(self, node);
                return !std::mem::take(&mut self.passes);
            }
        }
        true
    }

    /// Says that nothing in the current node means anything.
    pub(super) fn pass(&mut self) {
        self.passes = true;
    }

    /// The child of a node in a field.
    pub(super) fn field<'node>(&self, node: Node<'node>, name: &str) -> Option<Node<'node>> {
        node.child_by_field_id(*self.grammar.fields.get(name)?)
    }

    /// The source of a node.
    pub(super) fn text_of(&self, node: Node<'tree>) -> &'tree str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// The scope that the current node stands in.
    pub(super) fn scope(&self) -> Scope {
        self.top().scope
    }

    /// The symbol that the current node stands in.
    pub(super) fn enclosing(&self) -> Option<u32> {
        self.top().symbol
    }

    /// Whether a symbol has a member of that name so far.
    pub(super) fn has_member(&self, symbol: u32, name: &'tree str) -> bool {
        self.members.contains(&(symbol, name))
    }

    /// The symbol around the given one.
    pub(super) fn parent_of(&self, symbol: u32) -> Option<u32> {
        self.drafts[symbol as usize].symbol.parent
    }

    /// The kind of a symbol.
    pub(super) fn kind_of(&self, symbol: u32) -> SymbolKind {
        self.drafts[symbol as usize].symbol.kind
    }

    /// The simple name of a symbol.
    pub(super) fn name_of(&self, symbol: u32) -> &str {
        &self.drafts[symbol as usize].symbol.name
    }

    /// Where a symbol ends.
    pub(super) fn end_of(&self, symbol: u32) -> usize {
        self.drafts[symbol as usize].symbol.span.end_byte as usize
    }

    /// Whether a symbol starts where the node does.
    pub(super) fn starts_at(&self, symbol: u32, node: Node<'tree>) -> bool {
        self.drafts[symbol as usize].symbol.span.start_byte as usize == node.start_byte()
    }

    /// The source between two places.
    pub(super) fn between(&self, start: usize, end: usize) -> &'tree str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// The signature of a symbol.
    pub(super) fn signature_of(&self, symbol: u32) -> &str {
        &self.drafts[symbol as usize].symbol.signature
    }

    /// Says whether the members that follow in the current scope are hidden.
    pub(super) fn hide(&mut self, hidden: bool) {
        if let Some(frame) = self.frames.last_mut() {
            frame.hidden = hidden;
        }
    }

    /// Has a part parsed once more by itself.
    pub(super) fn parse_inner(&mut self, range: Range<usize>) {
        if !range.is_empty() {
            self.inner.push(Inner { range, scope: self.scope(), parent: self.enclosing() });
        }
    }

    /// The latest symbol of that name so far that stands at the top level or in a namespace.
    pub(super) fn top_level(&self, name: &str) -> Option<u32> {
        self.top_level.get(name).copied()
    }

    fn top(&self) -> &Frame {
        // The root's frame is popped only at the end.
        &self.frames[self.frames.len() - 1]
    }

    /// Makes the inside of the current node one of `scope`.
    pub(super) fn open(&mut self, scope: Scope) {
        self.push(scope, self.top().symbol, None);
    }

    fn open_local(&mut self, node: Node<'tree>) {
        if self.scope() != Scope::Local && !self.is_value(node) {
            self.open(Scope::Local);
        }
    }

    /// Makes the inside of the current node one of `scope` whose declarations belong to `symbol`.
    pub(super) fn open_in(&mut self, scope: Scope, symbol: Option<u32>) {
        self.push(scope, symbol.or(self.top().symbol), None);
    }

    /// Whether the node is the value of the declaration made last, whose scope is known.
    pub(super) fn is_value(&self, node: Node<'tree>) -> bool {
        node.start_byte() == self.value_at && self.scope() != Scope::Local
    }

    /// Whether the node is the value of the declaration made last, in any scope.
    pub(super) fn is_bound(&self, node: Node<'tree>) -> bool {
        node.start_byte() == self.value_at
    }

    /// Has the plain declarations in a node found although the grammar understood it.
    pub(super) fn distrust(&mut self, node: Node<'tree>) {
        self.broken.push(node.byte_range());
    }

    /// Says that the given node is the value of the declaration made last, so that its inside is of that declaration's scope.
    pub(super) fn value_at(&mut self, value: Node<'tree>) {
        self.value_at = value.start_byte();
    }

    /// Makes the current node a wrapper of the declaration directly in it.
    pub(super) fn wrap(&mut self, wrap: Wrap) {
        self.push(self.top().scope, self.top().symbol, Some(wrap));
    }

    /// The wrapper directly around the current node.
    pub(super) fn wrapper(&self) -> Option<Wrap> {
        self.frames.last().filter(|frame| frame.depth + 1 == self.depth).and_then(|frame| frame.wrap)
    }

    fn push(&mut self, scope: Scope, symbol: Option<u32>, wrap: Option<Wrap>) {
        let top = self.top();
        let nesting = top.nesting + usize::from(symbol != top.symbol);
        let ambient = top.ambient || wrap.is_some_and(|wrap| wrap.ambient);
        let global = top.global || wrap.is_some_and(|wrap| wrap.global);
        let hidden = top.hidden && symbol == top.symbol;
        self.frames.push(Frame { depth: self.depth, scope, symbol, nesting, wrap, ambient, global, hidden });
    }

    /// Whether more stands on the same line after a node, other than a comment.
    pub(super) fn is_followed_by_more(&self, node: Node<'tree>) -> bool {
        let after = self.text[node.end_byte()..].trim_start_matches([' ', '\t']);
        !(after.is_empty() || after.starts_with(['\n', '\r', '#', ';']))
    }

    /// Makes the inside of the declaration made last one of `scope`.
    pub(super) fn open_again(&mut self, scope: Scope) {
        if let Some(frame) = self.frames.last_mut() {
            frame.scope = scope;
        }
    }
}
