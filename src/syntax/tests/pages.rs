//! Pages: elements and scripts.

use super::*;
use crate::language;

#[test]
fn a_page_has_headings_ids_and_what_its_scripts_declare() {
    let text = r#"<!DOCTYPE html>
<html>
<head>
  <link rel="stylesheet" href="main.css">
  <script src='lib.js'></script>
</head>
<body>
  <!-- <p id="no"> -->
  <main ID=app class="wide">
    <h1>The <em>title</em></h1>
    <form id="login">
      <input id="name">
    </form>
  </main>
  <script>
    import { a } from "./a.js";
    /** Goes. */
    function go() {
      const local = "<p id='none'>";
    }
  </script>
  <h2 id="end">End</h2>
</body>
</html>
"#;
    let parsed = parse_checked(language::named("html").unwrap(), text);
    let found: Vec<_> = parsed
        .symbols
        .iter()
        .map(|symbol| format!("{} {} {}-{} {}", symbol.kind.as_str(), symbol.qualified_name, symbol.span.start_line, symbol.span.end_line, symbol.signature))
        .collect();
    assert_eq!(
        found,
        [
            "key app 9-14 <main ID=app class=\"wide\">",
            "section app.The 10-10 <h1>The",
            "key app.login 11-13 <form id=\"login\">",
            "key app.login.name 12-12 <input id=\"name\">",
            "function go 18-20 function go()",
            "section End 22-22 <h2 id=\"end\">End",
        ]
    );
    assert_eq!(parsed.imports, ["main.css", "lib.js", "./a.js"]);
    assert_eq!(parsed.symbols[4].doc.map(|doc| doc.start_line), Some(17));
    assert_eq!(parsed.symbols[2].parent, Some(0));
}

#[test]
fn a_page_without_scripts_or_with_broken_tags_still_has_its_ids() {
    let parsed = parse_checked(language::named("html").unwrap(), "<p id=\"a\">x\n<div id='b'>\n</span>\n<ul><li id=c>\n");
    assert_eq!(parsed.symbols.iter().map(|symbol| symbol.name.as_str()).collect::<Vec<_>>(), ["a", "b", "c"]);
}

#[test]
fn a_page_whose_elements_nest_too_deep_for_its_grammar_keeps_only_what_its_scripts_declare() {
    let names = |page: &str| parse_checked(language::named("html").unwrap(), page).symbols.iter().map(|symbol| symbol.name.clone()).collect::<Vec<_>>();
    let script = "<script>function after() {}</script>";
    for (piece, times) in
        [("<div id=a>", 600), ("<p id=a><b><i", 600), ("<a id=\"", 2_000), ("<b></x><i></y>", 600), ("<b c=\"</b>\">", 600), ("<!--<b>--><i></b>", 600)]
    {
        assert_eq!(names(&(script.to_owned() + &piece.repeat(times))), ["after"], "{piece}");
        assert_eq!(names(&piece.repeat(times)), [""; 0], "{piece}");
    }
    // As deep as the grammar takes them, all of these are flat.
    for piece in [
        "<p id=a>x",
        "<li>x",
        "<tr><td>x<td>y",
        "<dt>x<dd>y",
        "<br>",
        "<path d=\"a>b\"/>",
        "<div><p>x<option>y</div>",
        "<script>'<b>'</script>",
        "<x></y>x</x>",
    ] {
        assert_eq!(names(&format!("{}<h1>Last words</h1>", piece.repeat(600))).last().map(String::as_str), Some("Last words"), "{piece}");
    }
}
