//! Declarations and task descriptors.

use napi_derive::napi;

/// The declarations of a file or text.
#[napi(object, object_from_js = false)]
pub struct Outline {
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal; of a text, of its UTF-8 bytes.
    pub hash: String,
    /// The language's label; absent for a file of no known language.
    pub language: Option<String>,
    /// The parser and its version.
    pub parser: String,
    /// What is imported, as written.
    pub imports: Vec<String>,
    /// In order of their start.
    pub symbols: Vec<SymbolInfo>,
}

/// A declaration.
#[napi(object, object_from_js = false)]
pub struct SymbolInfo {
    /// Such as `class`, `function`, `method`, `constant`.
    pub kind: String,
    /// The simple name.
    pub name: String,
    /// The names of the enclosing declarations and its own, joined by `.`.
    pub qualified_name: String,
    /// The qualified name of the enclosing declaration; in an outline only.
    pub parent: Option<String>,
    /// The declaration up to its body, white space collapsed, at most 500 characters.
    pub signature: String,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// Where its doc comment starts.
    pub doc_start_line: Option<u32>,
    /// Whether other files can name it.
    pub exported: bool,
    /// Names that it calls or uses as types, at most 64.
    pub references: Vec<String>,
}

/// A declaration with its place.
#[napi(object, object_from_js = false)]
pub struct Definition {
    /// Relative to the root.
    pub path: String,
    /// SHA-256 of the whole file's bytes, hexadecimal.
    pub hash: String,
    /// What is declared.
    pub symbol: SymbolInfo,
}

/// What a request is about.
#[napi(object, object_from_js = false)]
pub struct TaskDescriptor {
    /// `empty`: nothing to look for. `lookup`: asks for a place by name. `question`: short. `report`: several sentences, a trace, code.
    #[napi(ts_type = "'empty' | 'lookup' | 'question' | 'report'")]
    pub kind: String,
    /// The first line, at most 500 characters.
    pub title: String,
    /// Files named, in order.
    pub files: Vec<FileMention>,
    /// Names that are certainly identifiers.
    pub symbols: Vec<String>,
    /// Error codes.
    pub errors: Vec<String>,
    /// Quoted phrases of two or more words.
    pub phrases: Vec<String>,
    /// Names of technologies: weak evidence.
    pub technologies: Vec<String>,
    /// The words left, weightiest first.
    pub keywords: Vec<Keyword>,
}

/// A file that a request names.
#[napi(object, object_from_js = false)]
pub struct FileMention {
    /// With forward slashes.
    pub path: String,
    /// The line named with it.
    pub line: Option<u32>,
}

/// A word to search for.
#[napi(object, object_from_js = false)]
pub struct Keyword {
    /// The folded term, as the index holds it.
    pub term: String,
    /// How much it counts in the request.
    pub weight: f64,
}
