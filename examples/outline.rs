//! The symbols of files as JSON lines, and what parsing them costs: what `npm run bench:symbols` compares with another tool.
//!
//! `cargo run --release --example outline -- <list of paths>` reads the paths from a file, one a line.
//! Each line also says where functions are, as `[line, column, last line]`: that tells locals. The last line of all is
//! `{"bytes": …, "parseMs": …, "bareMs": …}`: the time of parsing and cutting, and of a bare parse with one reused parser (its tree made and
//! freed), on one thread, without reading and printing. Both are the sum over the files of the shortest of [`ROUNDS`] alternating runs, so that
//! neither has the warmer cache.

use std::io::Write;
use std::time::{Duration, Instant};

use pi_context_engine::rel_path::RelPath;
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
        let Ok(content) = std::fs::read(path) else { continue };
        let text = String::from_utf8_lossy(&content);
        let Ok(relative) = RelPath::parse(path.trim_start_matches('/')) else { continue };
        let language = language::of(&relative, text.lines().next().unwrap_or_default());
        let grammar = grammars::of(std::path::Path::new(path));
        if let Some(grammar) = &grammar {
            parser.set_language(grammar).expect("the grammar loads");
            let (own, other): (Vec<_>, Vec<_>) =
                (0..ROUNDS).map(|_| (timed(|| drop(syntax::parse(language, &text))), timed(|| drop(parser.parse(text.as_bytes(), None))))).unzip();
            time += own.into_iter().min().unwrap_or_default();
            bare += other.into_iter().min().unwrap_or_default();
        }
        let functions = grammar.and_then(|_| parser.parse(text.as_bytes(), None)).map(|tree| functions_of(&tree)).unwrap_or_default();
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
        let row = serde_json::json!({ "path": path, "parser": parsed.parser, "imports": parsed.imports, "symbols": symbols, "functions": functions });
        writeln!(out, "{row}").expect("standard output takes it");
    }
    let total = serde_json::json!({ "bytes": bytes, "parseMs": time.as_secs_f64() * 1_000.0, "bareMs": bare.as_secs_f64() * 1_000.0 });
    writeln!(out, "{total}").expect("standard output takes it");
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// First line, column in bytes and last line of everything that has locals.
fn functions_of(tree: &tree_sitter::Tree) -> Vec<[usize; 3]> {
    let is_function = |kind: &str| {
        ["function", "method", "lambda", "arrow", "closure", "constructor", "do_block", "getter", "setter", "accessor", "local_function"]
            .iter()
            .any(|part| kind.contains(part))
    };
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    'walk: loop {
        let node = cursor.node();
        if node.is_named() && node.child_count() > 2 && is_function(node.kind()) {
            found.push([node.start_position().row + 1, node.start_position().column, node.end_position().row + 1]);
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
    found
}
