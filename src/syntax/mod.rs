//! Admitted text to symbols and chunks. Pure: no file system, no database.
//!
//! A chain of parsers outlines the text: an adapter that finds the parts of it, the language's grammar, else its plain declarations line by
//! line, else nothing. One that fails falls through. Chunks are cut from the outline in the same way whoever made it. A language is one row of [`grammars`] and one file beside it.

mod allocator;
mod chunks;
mod component;
mod excerpt;
mod grammars;
mod lines;
mod notebook;
mod plain;
mod registry;
mod roles;
mod tree;
mod walk;

use serde::{Deserialize, Serialize};

use crate::classify;
use crate::hash::Hash;
use crate::language::Language;
use crate::lines::LineIndex;

/// What a declaration declares.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SymbolKind {
    Class,
    Interface,
    Enum,
    EnumMember,
    Namespace,
    Type,
    Function,
    Method,
    Constructor,
    Accessor,
    Property,
    Variable,
    Constant,
    Struct,
    /// A name bound to what another module exports.
    Import,
    Trait,
    /// A block that gives a type its members; it has the type's name.
    Impl,
    Macro,
    /// A heading of prose with what stands below it.
    Section,
    /// A top-level key of a configuration file; a selector of a style sheet.
    Key,
    /// The clause that says which package a file is of.
    Package,
}

impl SymbolKind {
    /// Every kind.
    pub const ALL: [SymbolKind; 21] = [
        SymbolKind::Class,
        SymbolKind::Interface,
        SymbolKind::Enum,
        SymbolKind::EnumMember,
        SymbolKind::Namespace,
        SymbolKind::Type,
        SymbolKind::Function,
        SymbolKind::Method,
        SymbolKind::Constructor,
        SymbolKind::Accessor,
        SymbolKind::Property,
        SymbolKind::Variable,
        SymbolKind::Constant,
        SymbolKind::Struct,
        SymbolKind::Import,
        SymbolKind::Trait,
        SymbolKind::Impl,
        SymbolKind::Macro,
        SymbolKind::Section,
        SymbolKind::Key,
        SymbolKind::Package,
    ];

    /// The form in ids, the store and the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            SymbolKind::Class => "class",
            SymbolKind::Interface => "interface",
            SymbolKind::Enum => "enum",
            SymbolKind::EnumMember => "enum-member",
            SymbolKind::Namespace => "namespace",
            SymbolKind::Type => "type",
            SymbolKind::Function => "function",
            SymbolKind::Method => "method",
            SymbolKind::Constructor => "constructor",
            SymbolKind::Accessor => "accessor",
            SymbolKind::Property => "property",
            SymbolKind::Variable => "variable",
            SymbolKind::Constant => "constant",
            SymbolKind::Struct => "struct",
            SymbolKind::Import => "import",
            SymbolKind::Trait => "trait",
            SymbolKind::Impl => "impl",
            SymbolKind::Macro => "macro",
            SymbolKind::Section => "section",
            SymbolKind::Key => "key",
            SymbolKind::Package => "package",
        }
    }
}

/// A range of a text: bytes half-open, lines 1-based and inclusive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    pub start_byte: u32,
    pub end_byte: u32,
    pub start_line: u32,
    pub end_line: u32,
}

/// A declaration.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Symbol {
    pub kind: SymbolKind,
    /// The simple name.
    pub name: String,
    /// The names of the enclosing declarations and its own, joined by `.`.
    pub qualified_name: String,
    /// The index of the enclosing symbol in [`Parsed::symbols`].
    pub parent: Option<u32>,
    /// The declaration itself, with its decorators and its `export`.
    pub span: Span,
    /// The comment before it, if it is a doc comment or touches it; in Python the string that its body starts with.
    pub doc: Option<Span>,
    /// The declaration up to its body, white space collapsed, at most [`crate::limits::MAX_SIGNATURE_CHARS`] characters.
    pub signature: String,
    /// Whether other files can name it.
    pub exported: bool,
    /// Names that it calls or uses as types, without duplicates, at most [`crate::limits::MAX_REFERENCES`].
    pub references: Vec<String>,
}

/// A piece of a file; together the chunks of a file hold each of its lines at least once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    pub span: Span,
    /// The symbol that it is (a part of), as an index into [`Parsed::symbols`]; `None` for text between declarations and windows.
    pub symbol: Option<u32>,
    /// Every symbol declared in the chunk, except what functions declare for themselves: merged small siblings have several.
    pub declares: Vec<u32>,
}

/// What a parser made of one text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parsed {
    /// Which parser, with its version: part of the key under which the result is reused.
    pub parser: String,
    pub symbols: Vec<Symbol>,
    /// In order of their start.
    pub chunks: Vec<Chunk>,
    /// What the file imports: module specifiers as written, without duplicates, at most [`crate::limits::MAX_REFERENCES`].
    pub imports: Vec<String>,
}

/// The id of the parser that [`parse`] uses first for a language: the key of reuse.
pub fn parser_id(language: Option<&'static Language>) -> &'static str {
    registry::first(language).id(language)
}

/// Symbols and chunks of a text: by the language's grammar, and by windows where there is none, it fails, or the text holds class markers.
pub fn parse(language: Option<&'static Language>, text: &str) -> Parsed {
    let lines = LineIndex::new(text);
    let language = language.filter(|_| !classify::is_marked(text));
    let (parser, Outline { symbols, imports }) = registry::outline(language, text, &lines);
    let chunks = chunks::cut(text, &lines, &symbols);
    Parsed { parser: parser.to_owned(), symbols, chunks, imports }
}

/// What a parser finds in a text; chunks are cut from it.
#[derive(Debug, Default)]
struct Outline {
    /// In order of their start, so that a parent stands before its members.
    symbols: Vec<Symbol>,
    imports: Vec<String>,
}

/// SHA-256 over project, path, file hash, start line, end line, kind and qualified name, joined by NUL.
pub fn symbol_id(project: &str, path: &str, file: &Hash, start_line: u32, end_line: u32, kind: SymbolKind, qualified_name: &str) -> Hash {
    Hash::of_joined(&[project, path, &file.to_hex(), &start_line.to_string(), &end_line.to_string(), kind.as_str(), qualified_name])
}

/// The id of a quoted range that is no whole chunk of one symbol: SHA-256 over project, path, file hash, start and end line, joined by NUL.
pub fn text_snippet_id(project: &str, path: &str, file: &Hash, start_line: u32, end_line: u32) -> Hash {
    Hash::of_joined(&[project, path, &file.to_hex(), &start_line.to_string(), &end_line.to_string()])
}

/// The id of a chunk of a symbol: SHA-256 over symbol id, start and end line, joined by NUL.
pub fn symbol_snippet_id(symbol: &Hash, start_line: u32, end_line: u32) -> Hash {
    Hash::of_joined(&[&symbol.to_hex(), &start_line.to_string(), &end_line.to_string()])
}

#[cfg(test)]
mod tests;
