//! From the name of a file to what it declares.

use super::every_language::sources;
use super::*;
use crate::language;
use crate::rel_path::RelPath;

fn language_of(path: &str, text: &str) -> Option<&'static Language> {
    language::of(&RelPath::parse(path).unwrap(), text.lines().next().unwrap_or_default())
}

/// Kind, qualified name, first and last line of what a file declares.
fn rows(path: &str, text: &str) -> Vec<String> {
    let parsed = parse_checked(language_of(path, text).expect(path), text);
    let row = |symbol: &Symbol| format!("{} {} {}-{}", symbol.kind.as_str(), symbol.qualified_name, symbol.span.start_line, symbol.span.end_line);
    parsed.symbols.iter().map(row).collect()
}

#[test]
fn every_ending_name_and_interpreter_of_a_language_finds_its_declarations() {
    for (language, text) in sources() {
        let expected = parse(Some(language), &text).symbols;
        let endings = language.extensions.iter().map(|ending| (format!("src/a.{ending}"), text.clone()));
        let names = language.file_names.iter().map(|name| (format!("src/{name}"), text.clone()));
        let comment = if matches!(language.name, "bash" | "python" | "ruby") { "" } else { "\n" };
        let scripts = language.interpreters.iter().flat_map(|program| {
            ["/bin/", "/usr/bin/env ", "/usr/bin/env -S "].map(|before| ("bin/run".to_owned(), format!("#!{before}{program} -x{comment}\n{text}")))
        });
        for (path, text) in endings.chain(names).chain(scripts) {
            let found = language_of(&path, &text);
            assert_eq!(found.map(|row| row.name), Some(language.name), "{path} {}", text.lines().next().unwrap_or_default());
            assert!(parse(found, &text).symbols.len() >= expected.len() - 1, "{path}");
        }
    }
}

#[test]
fn endings_of_dialects_find_what_is_their_own() {
    let cases = [
        ("a.mts", "export const one: number = 1;\n", "constant one 1-1"),
        ("a.cts", "export = class Two {};\n", "class Two 1-1"),
        ("a.d.ts", "declare module 'm' { export function three(): void }\n", "function m.three 1-1"),
        ("a.mjs", "export { four } from './x.js';\n", "import four 1-1"),
        ("a.cjs", "exports.five = () => 1;\n", "function five 1-1"),
        ("a.pyi", "def six(a: int) -> str: ...\n", "function six 1-1"),
        ("a.hh", "namespace a {\nclass Seven { int b; };\n}\n", "class a.Seven 2-2"),
        ("a.h", "class Eight {\npublic:\n  int b;\n};\n", "property Eight.b 3-3"),
        ("a.cxx", "int Nine::go() { return 1; }\n", "method Nine.go 1-1"),
        ("build.gradle.kts", "fun ten() = 1\nplugins { id(\"a\") }\n", "function ten 1-1"),
        ("a.tsx", "export const Eleven = () => <a.B c=\"d\" />;\n", "function Eleven 1-1"),
        ("a.jsx", "export const Twelve = () => <></>;\n", "function Twelve 1-1"),
    ];
    for (path, text, row) in cases {
        let found = rows(path, text);
        assert!(found.iter().any(|found| found == row), "{path}: {found:?}");
    }
}

#[test]
fn files_without_a_grammar_are_read_line_by_line() {
    assert_eq!(
        rows("docker/Dockerfile.dev", "ARG VERSION=1\nFROM node:${VERSION} AS build\nRUN npm ci\nFROM scratch\nENV HOME=/a\n"),
        ["variable VERSION 1-1", "namespace build 2-2", "variable HOME 5-5"]
    );
    assert_eq!(
        rows("Makefile", "CC := cc\n.PHONY: all\nall: a.o\n\t$(CC) a.o\n%.o: %.c\n\tcc $<\n"),
        ["variable CC 1-1", "function all 3-4", "function %.o 5-6"]
    );
    assert_eq!(rows("schema.sql", "CREATE TABLE users (\n  id int\n);\nCREATE VIEW active AS\n  SELECT 1;\n"), ["struct users 1-3", "struct active 4-4"]);
    assert_eq!(rows("ci.yaml", "on: push\njobs:\n  build:\n    steps: []\n"), ["key on 1-1", "key jobs 2-4"]);
    assert_eq!(rows("pyproject.toml", "[tool.ruff]\nline = 1\n"), ["key tool.ruff 1-2"]);
    assert_eq!(rows("a.json", "{\n  \"name\": \"a\",\n  \"scripts\": { \"test\": \"b\" }\n}\n"), ["key name 2-2", "key scripts 3-3"]);
    assert_eq!(rows("a.md", "# One\ntext\n## Two\ntext\n# Three\n"), ["section One 1-4", "section One.Two 3-4", "section Three 5-5"]);
    assert_eq!(rows("a.css", ".wide { margin: 0 }\n#top { color: red }\n"), ["key .wide 1-1", "key #top 2-2"]);
}

#[test]
fn cells_of_a_notebook_have_the_lines_of_the_file() {
    let text = r##"{
 "cells": [
  {
   "cell_type": "markdown",
   "source": [
    "# Load\n",
    "how it is read"
   ]
  },
  {
   "cell_type": "code",
   "source": [
    "import pandas as pd\n",
    "def load(path):\n",
    "    \"\"\"Reads \u00e4 table.\"\"\"\n",
    "    return pd.read_csv(path)"
   ]
  },
  { "cell_type": "code", "source": "%matplotlib inline\nclass Table:\n    def rows(self): pass\n" },
  { "cell_type": "raw", "source": ["def no(): pass"] }
 ],
 "metadata": { "language_info": { "name": "python" } }
}
"##;
    assert_eq!(rows("a.ipynb", text), ["section Load 6-7", "import pd 13-13", "function load 14-16", "class Table 19-19", "method Table.rows 19-19"]);
    let parsed = parse_checked(language_of("a.ipynb", "").unwrap(), text);
    assert_eq!((parsed.imports.as_slice(), parsed.symbols[2].doc.map(|doc| doc.start_line)), (&["pandas".to_owned()][..], Some(15)));
    let other = text.replace("\"name\": \"python\"", "\"name\": \"R\"");
    assert_eq!(rows("a.ipynb", &other), ["section Load 6-7"]);
    // What is no notebook is cut into windows.
    assert_eq!(parse_checked(language_of("a.ipynb", "").unwrap(), "{\"cells\": 1").parser, "windows/1");
}

#[test]
fn scripts_of_components_have_the_lines_of_the_file() {
    let vue = "<template>\n  <p id=\"shown\">{{ a }}</p>\n</template>\n\n<script setup lang=\"ts\">\nimport { a } from './a'\ninterface Props {\n  size: number\n}\nfunction go(): void {}\n</script>\n<script>\nexport default {\n  data() { return {} },\n}\n</script>\n<style>\n.no { margin: 0 }\n</style>\n";
    let expected = ["interface Props 7-9", "property Props.size 8-8", "function go 10-10", "constant default 13-15", "method default.data 14-14"];
    assert_eq!(rows("App.vue", vue), expected);
    let svelte = "<script context=\"module\">\n  export const load = async () => 1;\n</script>\n<script lang=\"ts\">\n  export let name: string;\n  $: double = name + name;\n</script>\n<h1>{name}</h1>\n";
    assert_eq!(rows("App.svelte", svelte), ["function load 2-2", "variable name 5-5"]);
    assert_eq!(parse_checked(language_of("App.vue", "").unwrap(), vue).imports, ["./a"]);
}
