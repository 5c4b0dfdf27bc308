//! Holds the crate to its layering: a module imports only modules that stand before it in `src/lib.rs`.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The modules in the order of their declaration.
fn declared() -> Vec<String> {
    let lib = fs::read_to_string("src/lib.rs").unwrap();
    lib.lines().filter_map(|line| line.trim().trim_start_matches("pub ").strip_prefix("mod ")).map(|rest| rest.trim_end_matches(';').to_owned()).collect()
}

fn rust_files(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The first path segment after each `crate::` in code, for `crate::a::…` and `crate::{a::…, b}` alike.
fn imports(source: &str) -> Vec<String> {
    let code: String = source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
    let mut found = Vec::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        let word = |text: &str| text.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect::<String>();
        match rest.strip_prefix('{') {
            Some(group) => {
                let (mut depth, mut start) = (0, true);
                for (index, character) in group.char_indices() {
                    match character {
                        '{' => depth += 1,
                        '}' if depth == 0 => break,
                        '}' => depth -= 1,
                        ',' if depth == 0 => start = true,
                        _ if start && !character.is_whitespace() => {
                            found.push(word(&group[index..]));
                            start = false;
                        }
                        _ => {}
                    }
                }
            }
            None => found.push(word(rest)),
        }
    }
    found
}

#[test]
fn modules_import_only_what_stands_before_them() {
    let order: BTreeMap<String, usize> = declared().into_iter().enumerate().map(|(index, name)| (name, index)).collect();
    assert!(order.len() > 15, "the module list was not understood: {order:?}");
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    let mut edges = 0;
    for file in files {
        let relative = file.strip_prefix("src").unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_str().unwrap().trim_end_matches(".rs").to_owned();
        let Some(&from) = order.get(&module) else { continue };
        for imported in imports(&fs::read_to_string(&file).unwrap()) {
            let Some(&to) = order.get(&imported) else { panic!("{}: `crate::{imported}` is no module of src/lib.rs", file.display()) };
            assert!(to <= from, "{}: `{module}` imports `{imported}`, which stands after it", file.display());
            edges += usize::from(to < from);
        }
    }
    assert!(edges > 30, "only {edges} imports were found: the test reads the sources wrongly");
}

#[test]
fn only_the_rooms_that_may_know_a_library_name_it() {
    let rules: [(&str, &[&str]); 4] = [("gix::", &["git"]), ("rusqlite::", &["store"]), ("napi", &["node"]), ("tree_sitter", &["syntax"])];
    let mut files = Vec::new();
    rust_files(Path::new("src"), &mut files);
    for file in files {
        let relative = file.strip_prefix("src").unwrap();
        let module = relative.components().next().unwrap().as_os_str().to_str().unwrap().to_owned();
        // Tests may look at the files that a room made.
        if relative.components().any(|part| matches!(part.as_os_str().to_str(), Some("tests" | "tests.rs"))) {
            continue;
        }
        let source = fs::read_to_string(&file).unwrap();
        for (name, rooms) in rules {
            let named = source.lines().any(|line| !line.trim_start().starts_with("//") && line.contains(name) && line.contains("::"));
            assert!(!named || rooms.contains(&module.as_str()), "{} names {name}", file.display());
        }
    }
}

#[test]
fn imports_are_read_in_both_forms() {
    assert_eq!(
        imports("use crate::error::Result;\nuse crate::{hash::Hash, lines::{a, b}, root};\n// crate::node\ncrate::git::x()"),
        ["error", "hash", "lines", "root", "git"]
    );
}
