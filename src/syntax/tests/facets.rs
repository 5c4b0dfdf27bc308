//! What is known of a declaration in each programming language: its comment, its signature over several lines, whether others can name it, what it
//! calls and which types it names, and what its file imports.

use super::*;
use crate::language;

struct Case {
    language: &'static str,
    text: &'static str,
    /// The qualified name of the documented declaration, the first and last line of its comment, and its signature.
    shown: (&'static str, (u32, u32), &'static str),
    /// The qualified name of one that other files cannot name.
    hidden: Option<&'static str>,
    references: &'static [&'static str],
    imports: &'static [&'static str],
}

const CASES: &[Case] = &[
    Case {
        language: "typescript",
        text: "import { Place } from './place';\n/**\n * Goes.\n */\nexport async function go<T>(\n  to: Place,\n): Promise<T> {\n  return walk(new Step());\n}\nfunction own() {}\n",
        shown: ("go", (2, 4), "export async function go<T>( to: Place, ): Promise<T>"),
        hidden: Some("own"),
        references: &["Place", "Promise", "walk", "Step"],
        imports: &["./place"],
    },
    Case {
        language: "tsx",
        text: "import Main from './main';\n// Shows.\nexport const App = (\n  props: Props,\n) => <Main a={make()} />;\nconst own = () => <p />;\n",
        shown: ("App", (2, 2), "export const App = ( props: Props, ) =>"),
        hidden: Some("own"),
        references: &["Props", "Main", "make"],
        imports: &["./main"],
    },
    Case {
        language: "javascript",
        text: "const fs = require('fs');\n/* Goes. */\nexports.go = function (\n  to,\n) {\n  return fs.read(new Step());\n};\nfunction own() {}\n",
        shown: ("go", (2, 2), "exports.go = function ( to, )"),
        hidden: Some("own"),
        references: &["read", "Step"],
        imports: &["fs"],
    },
    Case {
        language: "jsx",
        text: "export { a } from './a';\n// Shows.\nexport function App({\n  size,\n}) {\n  return <Main>{make(size)}</Main>;\n}\nconst own = 1;\n",
        shown: ("App", (2, 2), "export function App({ size, })"),
        hidden: Some("own"),
        references: &["Main", "make"],
        imports: &["./a"],
    },
    Case {
        language: "python",
        text: "import os.path\nfrom .place import Place\n@cached\ndef go(\n    to: Place,\n) -> Way:\n    \"\"\"Goes.\n    Far.\"\"\"\n    return walk(Step())\ndef _own(): pass\n",
        shown: ("go", (7, 8), "def go( to: Place, ) -> Way"),
        hidden: Some("_own"),
        references: &["Place", "Way", "walk", "Step"],
        imports: &["os.path", ".place"],
    },
    Case {
        language: "go",
        text: "package a\nimport \"fmt\"\nimport x \"net/http\"\n// Go goes.\n// Far.\nfunc (s *Store) Go(\n\tto Place,\n) error {\n\treturn walk(x.Step{})\n}\nfunc own() {}\n",
        shown: ("Store.Go", (4, 5), "func (s *Store) Go( to Place, ) error"),
        hidden: Some("own"),
        references: &["Place", "walk", "Step"],
        imports: &["fmt", "net/http"],
    },
    Case {
        language: "rust",
        text: "use std::io::{self, Read};\nuse super::place;\n/// Goes.\n/// Far.\n#[inline]\npub fn go<T>(\n    to: Place,\n) -> Way {\n    walk(Step::new())\n}\nfn own() {}\n",
        shown: ("go", (3, 4), "pub fn go<T>( to: Place, ) -> Way"),
        hidden: Some("own"),
        references: &["Place", "Way", "walk", "new"],
        imports: &["std::io", "super::place"],
    },
    Case {
        language: "java",
        text: "import java.util.List;\nimport static a.B.*;\npublic class A {\n  /** Goes. */\n  @Override\n  public Way go(\n      Place to) throws Lost {\n    return walk(new Step());\n  }\n  private void own() {}\n}\n",
        shown: ("A.go", (4, 4), "@Override public Way go( Place to) throws Lost"),
        hidden: Some("A.own"),
        references: &["Way", "Place", "walk", "Step"],
        imports: &["java.util.List", "a.B"],
    },
    Case {
        language: "c",
        text: "#include <stdio.h>\n#include \"place.h\"\n/* Goes. */\nway_t *go(\n    place_t *to,\n    int far)\n{\n  return walk(to);\n}\nstatic int own(void) { return 1; }\n",
        shown: ("go", (3, 3), "way_t *go( place_t *to, int far)"),
        hidden: Some("own"),
        references: &["way_t", "place_t", "walk"],
        imports: &["stdio.h", "place.h"],
    },
    Case {
        language: "cpp",
        text: "#include <vector>\nclass A {\n public:\n  /// Goes.\n  template <typename T>\n  Way go(\n      const Place& to) const {\n    return walk(Step());\n  }\n private:\n  void own();\n};\n",
        shown: ("A.go", (4, 4), "template <typename T> Way go( const Place& to) const"),
        hidden: Some("A.own"),
        references: &["Way", "Place", "walk", "Step"],
        imports: &["vector"],
    },
    Case {
        language: "csharp",
        text: "using System.Text;\nnamespace N {\n  public class A : Base {\n    /// <summary>Goes.</summary>\n    [Obsolete]\n    public Way Go(\n        Place to) {\n      return Walk(new Step());\n    }\n    private void Own() {}\n  }\n}\n",
        shown: ("N.A.Go", (4, 4), "[Obsolete] public Way Go( Place to)"),
        hidden: Some("N.A.Own"),
        references: &["Walk", "Step"],
        imports: &["System.Text"],
    },
    Case {
        language: "ruby",
        text: "require 'json'\nrequire_relative 'place'\nclass A < Base\n  # Goes.\n  # Far.\n  def go(to,\n         far: 1)\n    walk(Step.new)\n  end\n  private\n  def own; end\nend\n",
        shown: ("A.go", (4, 5), "def go(to, far: 1)"),
        hidden: Some("A.own"),
        references: &["walk", "Step"],
        imports: &["json", "place"],
    },
    Case {
        language: "php",
        text: "<?php\nuse App\\Place;\nrequire 'far.php';\nclass A extends Base {\n  /** Goes. */\n  #[Pure]\n  public function go(\n    Place $to,\n  ): Way {\n    return walk(new Step());\n  }\n  private function own() {}\n}\n",
        shown: ("A.go", (5, 5), "#[Pure] public function go( Place $to, ): Way"),
        hidden: Some("A.own"),
        references: &["Place", "Way", "walk", "Step"],
        imports: &["App\\Place", "far.php"],
    },
    Case {
        language: "kotlin",
        text: "import a.b.Place\nclass A {\n  /** Goes. */\n  @Pure\n  suspend fun go(\n    to: Place,\n  ): Way {\n    return walk(Step())\n  }\n  private fun own() {}\n}\n",
        shown: ("A.go", (3, 3), "@Pure suspend fun go( to: Place, ): Way"),
        hidden: Some("A.own"),
        references: &["Place", "Way", "walk", "Step"],
        imports: &["a.b.Place"],
    },
    Case {
        language: "swift",
        text: "import Foundation\npublic class A {\n  /// Goes.\n  @discardableResult\n  public func go(\n    to place: Place\n  ) throws -> Way {\n    return walk(Step())\n  }\n  private func own() {}\n}\n",
        shown: ("A.go", (3, 3), "@discardableResult public func go( to place: Place ) throws -> Way"),
        hidden: Some("A.own"),
        references: &["Place", "Way", "walk", "Step"],
        imports: &["Foundation"],
    },
    Case {
        language: "scala",
        text: "import a.b.Place\nclass A {\n  /** Goes. */\n  def go(\n    to: Place\n  ): Way = {\n    walk(new Step())\n  }\n  private def own() = 1\n}\n",
        shown: ("A.go", (3, 3), "def go( to: Place ): Way"),
        hidden: Some("A.own"),
        references: &["Place", "Way", "walk", "Step"],
        imports: &["a.b.Place"],
    },
    Case {
        language: "lua",
        text: "local json = require('json')\n-- Goes.\n-- Far.\nfunction M.go(to,\n  far)\n  return walk(to)\nend\nlocal function own() end\n",
        shown: ("M.go", (2, 3), "function M.go(to, far)"),
        hidden: Some("own"),
        references: &["walk"],
        imports: &["json"],
    },
    Case {
        language: "bash",
        text: "source ./lib.sh\n. \"place.sh\"\n# Goes.\n# Far.\nfunction go() {\n  walk \"$1\"\n}\n",
        shown: ("go", (3, 4), "function go()"),
        hidden: None,
        references: &["walk"],
        imports: &["./lib.sh", "place.sh"],
    },
];

#[test]
fn each_language_knows_comment_signature_visibility_references_and_imports() {
    let mut wrong = Vec::new();
    for Case { language, text, shown: (name, doc, signature), hidden, references, imports } in CASES {
        let parsed = parse_checked(language::named(language).unwrap(), text);
        let of = |name: &str| parsed.symbols.iter().find(|symbol| symbol.qualified_name == name);
        let Some(found) = of(name) else {
            wrong.push(format!("{language}: {name} of {:?}", parsed.symbols.iter().map(|symbol| &symbol.qualified_name).collect::<Vec<_>>()));
            continue;
        };
        let lines = found.doc.map(|doc| (doc.start_line, doc.end_line));
        if (lines, found.signature.as_str(), found.exported) != (Some(*doc), signature, true) {
            wrong.push(format!("{language}: {lines:?} {:?} {}", found.signature, found.exported));
        }
        if hidden.is_some_and(|hidden| of(hidden).is_none_or(|symbol| symbol.exported)) {
            wrong.push(format!("{language}: {hidden:?} is not hidden"));
        }
        if !references.iter().all(|reference| found.references.iter().any(|known| known == reference)) {
            wrong.push(format!("{language}: {:?}", found.references));
        }
        if parsed.imports != *imports {
            wrong.push(format!("{language}: {:?}", parsed.imports));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert_eq!(CASES.len(), 18, "each programming language");
}
