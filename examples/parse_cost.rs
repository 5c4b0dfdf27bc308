//! What callgrind counts for the speed of parsing: `parse_cost <none|bare|own> <list of paths>`.
//!
//! `none` reads the files and makes the parsers ready, `bare` parses each file besides with one reused parser, `own` finds its symbols and cuts it
//! into chunks. `(own - none) / (bare - none)` is the ratio, the same on a busy machine.

use std::path::Path;

use pi_context_engine::rel_path::RelPath;
use pi_context_engine::{language, syntax};

#[path = "grammars/mod.rs"]
mod grammars;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, list] = arguments.as_slice() else { panic!("usage: parse_cost <none|bare|own> <list of paths>") };
    let paths = std::fs::read_to_string(list).expect("the list can be read");
    let mut parser = tree_sitter::Parser::new();
    for path in paths.lines() {
        let text = std::fs::read(path).map(|content| String::from_utf8_lossy(&content).into_owned()).expect("the file can be read");
        let relative = RelPath::parse(path.trim_start_matches('/')).expect("a path");
        let language = language::of(&relative, text.lines().next().unwrap_or_default());
        let grammar = grammars::of(Path::new(path)).expect("a grammar");
        parser.set_language(&grammar).expect("the grammar loads");
        match mode.as_str() {
            "bare" => drop(std::hint::black_box(parser.parse(text.as_bytes(), None))),
            "own" => drop(std::hint::black_box(syntax::parse(language, &text))),
            _ => {}
        }
    }
}
