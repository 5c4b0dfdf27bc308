//! What a language's file says about its nodes.

use tree_sitter::Node;

use super::SymbolKind;
use super::walk::Walk;

/// What the nodes of a kind are.
#[derive(Clone, Copy)]
pub(super) enum Role {
    /// Nothing by themselves.
    None,
    /// Comments: what precedes a declaration documents it.
    Comment,
    /// Decorators and the like: they belong to the declaration after or around them.
    Prefix,
    /// Names inside are local.
    Local,
    /// Declarations with the field `name`; a field `body` ends their signature, and their inside is of the given scope.
    Declares(SymbolKind, Scope),
    /// Names of types, also with dots.
    TypeName,
    /// Nothing in them means anything.
    Skip,
    /// Expressions that say nothing unless there is something in them: they are looked into if they hold a bracket, or two words side by side.
    Expression,
    /// The same with brackets around it, and names inside are local: what is given to a call.
    Arguments,
    /// What takes a closer look. It may declare, import, refer, or open a scope.
    Look(for<'tree> fn(&mut Walk<'tree>, Node<'tree>)),
}

/// Where declarations stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// The top level or a namespace.
    Module,
    /// The body of a class, interface, enum or type.
    Members,
    /// An object literal that is the value of a declaration.
    Object,
    /// An object literal in such an object.
    InnerObject,
    /// A function's inside: variables and properties are no symbols here.
    Local,
}

/// A declaration as a rule sees it.
pub(super) struct Found<'tree> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'tree str,
    /// Where the signature ends.
    pub(super) signature_end: usize,
    /// The scope of its inside.
    pub(super) inside: Scope,
    /// Hidden although it stands where others are visible.
    pub(super) private: bool,
    /// Exported by what it is, without a wrapper that says so.
    pub(super) exported: bool,
    /// Where it belongs, if not where it stands.
    pub(super) parent: Option<u32>,
    /// The name of an owner around it that the text shows where it stands, as in `Owner.prototype.name = …`.
    pub(super) owner: Option<&'tree str>,
    /// Where it starts, if before its node.
    pub(super) start: Option<usize>,
    /// Its documentation, if that is not the comment before it.
    pub(super) doc: Option<(usize, usize)>,
}

/// A node that wraps a declaration, such as its `export`, and lends it span and visibility.
#[derive(Clone, Copy, Default)]
pub(super) struct Wrap {
    /// Start and end of the whole; `None` if several declarations share it.
    pub(super) span: Option<(usize, usize)>,
    /// Where the signature starts.
    pub(super) head: usize,
    pub(super) exported: bool,
    /// What is declared in a namespace in it is visible without saying so.
    pub(super) ambient: bool,
    /// What is declared in it is visible everywhere.
    pub(super) global: bool,
}

impl<'tree> Found<'tree> {
    /// A declaration that belongs where it stands.
    pub(super) fn new(kind: SymbolKind, name: &'tree str, signature_end: usize, inside: Scope) -> Self {
        Found { kind, name, signature_end, inside, private: false, exported: false, parent: None, owner: None, start: None, doc: None }
    }
}
