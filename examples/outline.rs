//! The symbols of files as JSON lines, and what parsing them costs: what `npm run bench:symbols` compares with another tool.
//!
//! `cargo run --release --example outline -- <list of paths>` reads the paths from a file, one a line.
//! Each line also says what a bare tree of the grammar tells: where scopes are (`[kind, line, column, last line, last column]`, the kind `f` for
//! what has locals, `m` for what has members and `o` for objects), which lines it did not understand, and which names a line declares. That tells
//! locals and mere uses, whatever the engine's own rules make of them. The last line of all is
//! `{"bytes": …, "parseMs": …, "bareMs": …}`: the time of parsing and cutting, and of a bare parse with one reused parser (its tree made and
//! freed), on one thread, without reading and printing. Both are the sum over the files of the shortest of [`ROUNDS`] alternating runs, so that
//! neither has the warmer cache.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use pi_context_engine::admit::{Verdict, admit};
use pi_context_engine::exclude::{CONTENT_MINIFIED, NAME_MINIFIED};
use pi_context_engine::limits::Bounds;
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::root::{Root, Trust, TrustSource};
use pi_context_engine::{language, syntax};

#[path = "grammars/mod.rs"]
mod grammars;

/// Runs of each kind per file.
const ROUNDS: usize = 5;

fn main() {
    let list = std::env::args().nth(1).expect("usage: outline <list of paths>");
    let paths = std::fs::read_to_string(list).expect("the list can be read");
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let (mut time, mut bare, mut bytes) = (Duration::ZERO, Duration::ZERO, 0);
    let mut parser = tree_sitter::Parser::new();
    for path in paths.lines() {
        if is_minified(Path::new(path)) {
            continue;
        }
        let Ok(content) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&content);
        let Ok(relative) = RelPath::parse(path.trim_start_matches('/')) else { continue };
        let language = language::of(&relative, text.lines().next().unwrap_or_default());
        let grammar = grammars::of(Path::new(path));
        if let Some(grammar) = &grammar {
            parser.set_language(grammar).expect("the grammar loads");
            let (own, other): (Vec<_>, Vec<_>) =
                (0..ROUNDS).map(|_| (timed(|| drop(syntax::parse(language, &text))), timed(|| drop(parser.parse(text.as_bytes(), None))))).unzip();
            time += own.into_iter().min().unwrap_or_default();
            bare += other.into_iter().min().unwrap_or_default();
        }
        let seen = grammar.and_then(|_| parser.parse(text.as_bytes(), None)).map(|tree| seen_in(&tree, &text)).unwrap_or_default();
        let parsed = syntax::parse(language, &text);
        bytes += text.len();
        let symbols: Vec<_> = parsed
            .symbols
            .iter()
            .map(|symbol| {
                serde_json::json!({
                    "name": symbol.name, "qualifiedName": symbol.qualified_name, "kind": symbol.kind.as_str(), "exported": symbol.exported,
                    "line": symbol.span.start_line, "endLine": symbol.span.end_line, "signature": symbol.signature,
                    "doc": symbol.doc.map(|doc| [doc.start_line, doc.end_line]), "references": symbol.references,
                })
            })
            .collect();
        let row = serde_json::json!({
            "path": path, "parser": parsed.parser, "imports": parsed.imports, "symbols": symbols,
            "scopes": seen.scopes, "broken": seen.broken, "declared": seen.declared,
        });
        writeln!(out, "{row}").expect("standard output takes it");
    }
    let total = serde_json::json!({ "bytes": bytes, "parseMs": time.as_secs_f64() * 1_000.0, "bareMs": bare.as_secs_f64() * 1_000.0 });
    writeln!(out, "{total}").expect("standard output takes it");
}

/// Whether the engine leaves the file unread as minified; such files are not measured.
fn is_minified(path: &Path) -> bool {
    let (Some(folder), Some(name)) = (path.parent(), path.file_name().and_then(|name| name.to_str())) else { return false };
    let verdict = Root::open(folder, Trust::granted(TrustSource::Api)).and_then(|root| admit(&root, &RelPath::parse(name)?, &Bounds::default()));
    matches!(verdict, Ok(Verdict::Refused { rule, .. }) if rule == CONTENT_MINIFIED || rule == NAME_MINIFIED)
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Kinds of nodes that have locals, in all grammars.
const FUNCTIONS: &[&str] = &[
    "function_definition",
    "function_declaration",
    "function_item",
    "closure_expression",
    "generator_function_declaration",
    "function_expression",
    "generator_function",
    "arrow_function",
    "method_definition",
    "class_static_block",
    "method_declaration",
    "func_literal",
    "constructor_declaration",
    "compact_constructor_declaration",
    "static_initializer",
    "lambda_expression",
    "lambda",
    "lambda_literal",
    "anonymous_method_expression",
    "anonymous_function",
    "local_function_statement",
    "accessor_declaration",
    "operator_declaration",
    "conversion_operator_declaration",
    "destructor_declaration",
    "method",
    "singleton_method",
    "getter",
    "setter",
    "secondary_constructor",
    "anonymous_initializer",
    "compound_statement",
];
/// Kinds of nodes that have members.
const CONTAINERS: &[&str] = &[
    "class_definition",
    "class_declaration",
    "class",
    "abstract_class_declaration",
    "interface_declaration",
    "enum_declaration",
    "object_type",
    "struct_item",
    "union_item",
    "enum_item",
    "trait_item",
    "impl_item",
    "mod_item",
    "struct_type",
    "interface_type",
    "class_body",
    "enum_class_body",
    "struct_specifier",
    "class_specifier",
    "union_specifier",
    "enum_specifier",
    "struct_declaration",
    "record_declaration",
    "trait_declaration",
    "singleton_class",
    "module",
];
/// Kinds of nodes that name what other files declare, and the package of a file.
const IMPORTS: &[&str] =
    &["import_statement", "import_declaration", "import_from_statement", "import_header", "import", "using_directive", "export_clause", "package_clause"];
/// Fields that hold the name of what is declared, or the pattern or declarator that holds it.
const NAME_FIELDS: &[&str] = &["name", "declarator", "pattern", "left", "key", "alias", "parameter"];
/// Nodes whose field `name` is that of something declared elsewhere.
const USES: &[&str] =
    &["nested_type_identifier", "nested_identifier", "generic_type", "qualified_name", "scoped_identifier", "method_invocation", "jsx_opening_element"];

/// What a bare tree tells.
#[derive(Default)]
struct Seen {
    scopes: Vec<(char, [usize; 4])>,
    /// First and last lines.
    broken: Vec<[usize; 2]>,
    declared: Vec<(usize, String)>,
}

fn seen_in(tree: &tree_sitter::Tree, text: &str) -> Seen {
    let mut seen = Seen::default();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        let (start, end) = (node.start_position(), node.end_position());
        let range = [start.row + 1, start.column, end.row + 1, end.column];
        let kind = node.kind();
        match kind {
            _ if node.is_error() || node.is_missing() => seen.broken.push([range[0], range[2]]),
            "object_type" if node.parent().is_some_and(|parent| parent.kind() != "type_alias_declaration") => seen.scopes.push(('t', range)),
            _ if IMPORTS.contains(&kind) => seen.scopes.push(('i', range)),
            _ if FUNCTIONS.contains(&kind) => seen.scopes.push(('f', range)),
            _ if CONTAINERS.contains(&kind) => seen.scopes.push(('m', range)),
            "object" => seen.scopes.push(('o', range)),
            _ => {}
        }
        let names = cursor.field_name().is_some_and(|field| NAME_FIELDS.contains(&field));
        if names && range[0] == range[2] && node.parent().is_some_and(|parent| !USES.contains(&parent.kind())) {
            seen.declared.push((range[0], text.get(node.byte_range()).unwrap_or_default().to_owned()));
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
    seen
}
