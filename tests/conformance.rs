//! Our own files in each language: which declarations are found, with kinds, ranges, parents and visibility, and which names are none.
//!
//! `expected.txt` holds a line for each symbol: kind, qualified name, first and last line, and `exported`. `forbidden.txt` holds names of
//! locals, parameters, and of words in strings and comments. `UPDATE_EXPECTED=1` writes the table anew, to be read before it is committed.

use std::fs;
use std::path::{Path, PathBuf};

use pi_context_engine::language;
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::syntax::{self, Parsed, SymbolKind};

/// Declarations that a programming language's file has at the least.
const LEAST: usize = 40;

fn rows(parsed: &Parsed) -> Vec<String> {
    parsed
        .symbols
        .iter()
        .map(|symbol| {
            let exported = if symbol.exported { " exported" } else { "" };
            format!("{} {} {}-{}{exported}", symbol.kind.as_str(), symbol.qualified_name, symbol.span.start_line, symbol.span.end_line)
        })
        .collect()
}

fn parse(path: &Path, text: &str) -> Parsed {
    let name = RelPath::parse(path.file_name().unwrap().to_str().unwrap()).unwrap();
    let language = language::of(&name, text.lines().next().unwrap_or_default());
    let parsed = syntax::parse(language, text);
    assert_eq!(parsed.parser, syntax::parser_id(language), "{}", path.display());
    parsed
}

fn folders() -> Vec<PathBuf> {
    let mut folders: Vec<_> = fs::read_dir("tests/conformance").unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    folders
}

fn source(folder: &Path) -> (PathBuf, String) {
    let file = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).find(|path| path.file_stem().is_some_and(|stem| stem == "source"));
    let file = file.unwrap_or_else(|| panic!("{} has no source", folder.display()));
    let text = fs::read_to_string(&file).unwrap();
    (file, text)
}

#[test]
#[allow(clippy::print_stdout)]
fn each_language_finds_what_its_file_declares() {
    let mut report = String::new();
    let mut wrong = Vec::new();
    for folder in folders() {
        let language = folder.file_name().unwrap().to_str().unwrap().to_owned();
        let (file, text) = source(&folder);
        let parsed = parse(&file, &text);
        let found = rows(&parsed);
        if std::env::var_os("UPDATE_EXPECTED").is_some() {
            fs::write(folder.join("expected.txt"), found.join("\n") + "\n").unwrap();
        }
        let expected: Vec<String> = fs::read_to_string(folder.join("expected.txt")).unwrap().lines().map(str::to_owned).collect();
        let missing: Vec<_> = expected.iter().filter(|row| !found.contains(row)).collect();
        let extra: Vec<_> = found.iter().filter(|row| !expected.contains(row)).collect();
        let forbidden = fs::read_to_string(folder.join("forbidden.txt")).unwrap();
        let named: Vec<_> = forbidden.split_whitespace().filter(|name| parsed.symbols.iter().any(|symbol| symbol.name == *name)).collect();
        report += &format!("{language}: {} of {} found, {} more, {} forbidden\n", expected.len() - missing.len(), expected.len(), extra.len(), named.len());
        if !missing.is_empty() || !extra.is_empty() || !named.is_empty() || found != expected {
            wrong.push(format!("{language}: missing {missing:#?}, more {extra:#?}, forbidden {named:?}"));
        }
        if expected.len() < LEAST {
            wrong.push(format!("{language}: only {} declarations", expected.len()));
        }
    }
    println!("{report}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(report.lines().count(), 18, "a folder for each programming language");
}

/// Kind, name and lines, with the signature: what line ends must not change.
fn shape(parsed: &Parsed) -> Vec<(String, String)> {
    rows(parsed).into_iter().zip(parsed.symbols.iter().map(|symbol| symbol.signature.clone())).collect()
}

#[test]
#[allow(clippy::print_stdout)]
fn line_ends_change_nothing() {
    let mut differing = Vec::new();
    for folder in folders() {
        let (file, text) = source(&folder);
        // In a shell script a carriage return is part of the words before it.
        if folder.ends_with("bash") {
            continue;
        }
        let plain = parse(&file, &text);
        let windows = text.replace('\n', "\r\n");
        let crlf = parse(&file, &windows);
        differing.extend(shape(&crlf).into_iter().zip(shape(&plain)).filter(|(one, other)| one != other).map(|pair| format!("{}: {pair:?}", folder.display())));
        assert_eq!(crlf.symbols.len(), plain.symbols.len(), "{}", folder.display());
        for symbol in &crlf.symbols {
            let own = &windows[symbol.span.start_byte as usize..symbol.span.end_byte as usize];
            assert!(own.contains(&symbol.name), "{}: {}", folder.display(), symbol.name);
        }
    }
    // The addon's panic hook is silent.
    println!("{}", differing.join("\n"));
    assert!(differing.is_empty());
}

#[test]
fn mixed_line_ends_change_nothing() {
    for folder in folders().iter().filter(|folder| !folder.ends_with("bash")) {
        let (file, text) = source(folder);
        let mixed: String =
            text.split_inclusive('\n').enumerate().map(|(at, line)| if at % 3 == 0 { line.replace('\n', "\r\n") } else { line.to_owned() }).collect();
        assert_eq!(shape(&parse(&file, &mixed)), shape(&parse(&file, &text)), "{}", folder.display());
    }
}

/// Where a carriage return alone ends a line, a grammar may read on: what it finds still has its place, and each line a chunk.
#[test]
fn carriage_returns_alone_keep_every_line_and_place() {
    for folder in folders() {
        let (file, text) = source(&folder);
        let text = text.replace('\n', "\r");
        let parsed = parse(&file, &text);
        let mut next = 0;
        for chunk in &parsed.chunks {
            assert!(chunk.span.start_byte <= next, "{}", folder.display());
            next = next.max(chunk.span.end_byte);
        }
        assert_eq!(next as usize, text.len());
        assert_eq!(parsed.chunks.last().map(|chunk| chunk.span.end_line as usize), Some(text.trim_end_matches('\r').split('\r').count()));
        for symbol in &parsed.symbols {
            assert!(text[symbol.span.start_byte as usize..symbol.span.end_byte as usize].contains(&symbol.name), "{}: {}", folder.display(), symbol.name);
        }
    }
}

#[test]
fn every_kind_of_declaration_of_programs_is_in_a_file() {
    let all: Vec<String> = folders().iter().map(|folder| fs::read_to_string(folder.join("expected.txt")).unwrap()).collect();
    let is_found = |kind: &str| all.iter().any(|rows| rows.lines().any(|row| row.split(' ').next() == Some(kind)));
    let missing: Vec<&str> = SymbolKind::ALL.iter().map(|kind| kind.as_str()).filter(|kind| !is_found(kind)).collect();
    assert_eq!(missing, ["section", "key"], "those of prose and data");
}

#[test]
fn parents_hold_their_members() {
    for folder in folders() {
        let (file, text) = source(&folder);
        let parsed = parse(&file, &text);
        for symbol in &parsed.symbols {
            let Some(parent) = symbol.parent.map(|parent| &parsed.symbols[parent as usize]) else { continue };
            assert!(symbol.qualified_name.starts_with(&format!("{}.", parent.qualified_name)), "{}: {}", folder.display(), symbol.qualified_name);
        }
    }
}
