//! What a grammar's bare tree has at places of files, as JSON lines: by what `npm run bench:symbols` judges names that only the other tool has.
//!
//! `cargo run --release --example tokens -- <list of places>` reads the places from a file, one a line: path, line and name, parted by tabs.
//! A line of the answer is `{"inside": …, "tokens": […]}`: the kind of the smallest node around the name where it first stands on the line, and for
//! each token that is the name, its column, whether it is one of the grammar's fixed words, and the nodes from it upwards as `kind` or `kind:field`;
//! `same` counts those that hold nothing but the name.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;

use tree_sitter::{Node, Parser, Point, Tree};

#[path = "grammars/mod.rs"]
mod grammars;

/// What stands at a place.
#[derive(Default)]
struct Place {
    line: usize,
    name: String,
    inside: Option<String>,
    tokens: Vec<serde_json::Value>,
}

fn main() {
    let list = std::env::args().nth(1).expect("usage: tokens <list of places>");
    let list = std::fs::read_to_string(list).expect("the list can be read");
    let mut files: BTreeMap<&str, Vec<(usize, Place)>> = BTreeMap::new();
    for (number, place) in list.lines().enumerate() {
        let mut parts = place.splitn(3, '\t');
        let (path, line, name) = (parts.next().expect("a path"), parts.next().expect("a line"), parts.next().expect("a name"));
        let place = Place { line: line.parse().expect("a number"), name: name.to_owned(), ..Place::default() };
        files.entry(path).or_default().push((number, place));
    }
    let mut answers: Vec<(usize, Place)> = Vec::new();
    let mut parser = Parser::new();
    for (path, mut places) in files {
        let content = std::fs::read(path).expect("the file can be read");
        let text = String::from_utf8_lossy(&content);
        parser.set_language(&grammars::of(Path::new(path)).expect("a grammar")).expect("the grammar loads");
        look(&parser.parse(text.as_bytes(), None).expect("a tree"), &text, &mut places);
        answers.extend(places);
    }
    answers.sort_by_key(|(number, _)| *number);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for (_, place) in answers {
        writeln!(out, "{}", serde_json::json!({ "inside": place.inside, "tokens": place.tokens })).expect("standard output takes it");
    }
}

fn look(tree: &Tree, text: &str, places: &mut [(usize, Place)]) {
    let lines: Vec<&str> = text.split('\n').collect();
    for (_, place) in places.iter_mut() {
        let at = lines.get(place.line - 1).and_then(|line| line.find(&place.name)).map(|column| Point::new(place.line - 1, column));
        place.inside = at.and_then(|at| tree.root_node().descendant_for_point_range(at, at)).map(|node| node.kind().to_owned());
    }
    let mut cursor = tree.walk();
    // The nodes from the root to the current one, with their fields.
    let mut path: Vec<(Node<'_>, Option<&str>)> = Vec::new();
    'walk: loop {
        let node = cursor.node();
        path.push((node, cursor.field_name()));
        let (first, last) = (node.start_position().row + 1, node.end_position().row + 1);
        for (_, place) in places.iter_mut() {
            let is_name = node.child_count() == 0 || (first == last && node.end_byte() - node.start_byte() < 200);
            if first == place.line
                && is_name
                && text.get(node.byte_range()) == Some(&place.name)
                && !node.children(&mut node.walk()).any(|child| child.byte_range() == node.byte_range())
            {
                place.tokens.push(token(&path));
            }
        }
        if cursor.goto_first_child() {
            continue;
        }
        loop {
            path.pop();
            if cursor.goto_next_sibling() {
                continue 'walk;
            }
            if !cursor.goto_parent() {
                break 'walk;
            }
        }
    }
}

fn token(path: &[(Node<'_>, Option<&str>)]) -> serde_json::Value {
    let node = path[path.len() - 1].0;
    let up: Vec<String> =
        path.iter().rev().map(|(node, field)| field.map_or_else(|| node.kind().to_owned(), |field| format!("{}:{field}", node.kind()))).collect();
    let same = path.iter().rev().take_while(|(around, _)| around.byte_range() == node.byte_range()).count();
    serde_json::json!({ "column": node.start_position().column, "fixed": !node.is_named(), "same": same, "up": up })
}
