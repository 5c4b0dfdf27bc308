//! The symbols of files as JSON lines, and what parsing them costs: what `npm run bench:symbols` compares with another tool.
//!
//! `cargo run --release --example outline -- <list of paths>` reads the paths from a file, one a line.
//! Each line also says of a symbol whether its name stands in its range, and of one at the top level whether its range, parsed alone, declares that
//! name again. The last line of all is
//! `{"bytes": …, "parseMs": …, "bareMs": …}`: the time of parsing and cutting, and of a bare parse with one reused parser (its tree made and
//! freed), on one thread, without reading and printing. Both are the sum over the files of the shortest of [`ROUNDS`] alternating runs, so that
//! neither has the warmer cache.

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use pi_context_engine::admit::{Verdict, admit};
use pi_context_engine::exclude::{CONTENT_MINIFIED, NAME_MINIFIED};
use pi_context_engine::language::Language;
use pi_context_engine::limits::Bounds;
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::root::{Root, Trust, TrustSource};
use pi_context_engine::syntax::{Symbol, SymbolKind};
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
                    "named": is_named(&text, symbol), "alone": is_whole(&text, symbol).then(|| stands_alone(language, &text, symbol)),
                })
            })
            .collect();
        let row = serde_json::json!({ "path": path, "parser": parsed.parser, "imports": parsed.imports, "symbols": symbols });
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

fn own<'text>(text: &'text str, symbol: &Symbol) -> &'text str {
    &text[symbol.span.start_byte as usize..symbol.span.end_byte as usize]
}

/// Whether the name of a symbol stands in its range; what has none in the source has the brackets that its name is made of.
fn is_named(text: &str, symbol: &Symbol) -> bool {
    let name = if matches!(symbol.name.as_str(), "()" | "[]") { &symbol.name[..1] } else { &symbol.name };
    own(text, symbol).contains(name)
}

/// Whether a symbol can be read without what is around it: one at the top level whose range is all of its lines.
fn is_whole(text: &str, symbol: &Symbol) -> bool {
    let before = &text[..symbol.span.start_byte as usize];
    symbol.parent.is_none() && before.trim_end_matches([' ', '\t']).ends_with('\n') && symbol.kind != SymbolKind::Import
}

/// Whether the range of a symbol declares its name by itself.
fn stands_alone(language: Option<&'static Language>, text: &str, symbol: &Symbol) -> bool {
    syntax::parse(language, own(text, symbol)).symbols.iter().any(|found| found.name == symbol.name && found.kind == symbol.kind)
}

fn timed(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}
