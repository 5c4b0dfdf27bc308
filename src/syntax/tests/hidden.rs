//! Declarations of C and C++ that the preprocessor hides from the grammar.

use super::parse_checked;
use crate::language;

/// Kind, qualified name and lines of each symbol.
fn rows(language: &str, text: &str) -> Vec<String> {
    let parsed = parse_checked(language::named(language).unwrap(), text);
    let row =
        |symbol: &crate::syntax::Symbol| format!("{} {} {}-{}", symbol.kind.as_str(), symbol.qualified_name, symbol.span.start_line, symbol.span.end_line);
    parsed.symbols.iter().map(row).collect()
}

#[test]
fn behind_comments_in_definitions() {
    let text =
        "#define TABLE \\\n  1, /* one */ \\\n  2, '\"', /* two */ \\\n  3\n\nint after(void);\n#define EMPTY \\\n  /* nothing */\n\nenum { ONE, TWO };\n";
    assert_eq!(rows("c", text), ["macro TABLE 1-4", "function after 6-6", "macro EMPTY 7-8", "enum-member ONE 10-10", "enum-member TWO 10-10"]);
    let windows = text.replace('\n', "\r\n");
    assert_eq!(rows("c", &windows), rows("c", text));
}

#[test]
fn behind_the_start_of_a_comment_in_a_string() {
    let text = "#define GLOB \"refs/*:\\\"refs/*\"\nint first(int a);\n#define PLAIN 1 /* said\n  on two lines */\nint second(void);\n";
    assert_eq!(rows("c", text), ["macro GLOB 1-1", "function first 2-2", "macro PLAIN 3-4", "function second 5-5"]);
}

#[test]
fn members_of_an_enum_beside_directives_and_macros() {
    let text = "typedef enum {\n  FIRST = 1,\n#define MAKE(name) ID_##name,\n#include \"list.h\"\nEVERY_ID(MAKE)\n#undef MAKE\n  LAST = ID_x,\n  ALIAS\n} Ids;\nenum Plain {\n#if A\n  SOME,\n#endif\n  OTHER\n};\n";
    let expected = [
        "enum Ids 1-9",
        "enum-member Ids.FIRST 2-2",
        "macro Ids.MAKE 3-3",
        "enum-member Ids.LAST 7-7",
        "enum-member Ids.ALIAS 8-8",
        "enum Plain 10-15",
        "enum-member Plain.SOME 12-12",
        "enum-member Plain.OTHER 14-14",
    ];
    assert_eq!(rows("c", text), expected);
}

#[test]
fn heads_of_one_function_in_two_branches() {
    let text = "#ifdef A\nint open(int create) {\n#else\nint open(int) {\n#endif\n  if (create) {\n    go();\n  }\n}\nint after;\n";
    assert_eq!(rows("cpp", text), ["function open 2-9", "variable after 10-10"]);
    let whole = "#ifdef A\nint one(int a) {\n}\n#else\nint two(int) {\n}\n#endif\n";
    assert_eq!(rows("cpp", whole), ["function one 2-3", "function two 5-6"]);
}

#[test]
fn beside_macros_around_types_and_parameters() {
    let text = "API_DECL stack *alloc(int, int);\nvoid LIB_INTERNAL init(state *s);\nEXTERN_C HEADER base;\n  extern int LIB_LOCAL level[2];\nAPI_DECL extra * API_CALL\nstudy(int a)\n{\n}\nstruct MY_TYPE plain(int);\nreturn FOO_BAR baz(1);\n";
    let expected = [
        "function alloc 1-1",
        "function init 2-2",
        "variable base 3-3",
        "variable level 4-4",
        "function study 5-8",
        "function plain 9-9",
        "function baz 10-10",
    ];
    assert_eq!(rows("c", text)[..6], expected[..6]);
    let locked = "Trace::~Trace()\n    LOCKS_EXCLUDED_(&mutex) {\n  int a;\n}\nvoid Trace::Go() EXCLUSIVE_LOCKS(mu) {}\nnamespace a {\n}  // (b)\nTEST_F(Suite, Case) {\n}\n";
    assert_eq!(rows("cpp", locked), ["method Trace.~Trace 1-4", "method Trace.Go 5-5", "namespace a 6-7", "function TEST_F 8-9"]);
}

#[test]
fn beside_several_macros_the_signature_has_them() {
    let text = "LJ_FUNC TRef LJ_FASTCALL emit(int a);\nZEXTERN int ZEXPORT reset(int a);\nGIT_EXTERN(int) make(int a);\nULONG STDCALL release(int a);\nFOO_API BAR_T open(int a);\n";
    let parsed = parse_checked(language::named("c").unwrap(), text);
    let found: Vec<_> = parsed.symbols.iter().map(|symbol| (symbol.name.as_str(), symbol.signature.as_str())).collect();
    let expected = [
        ("emit", "LJ_FUNC TRef LJ_FASTCALL emit(int a)"),
        ("reset", "ZEXTERN int ZEXPORT reset(int a)"),
        ("make", "GIT_EXTERN(int) make(int a)"),
        ("release", "ULONG STDCALL release(int a)"),
        ("open", "FOO_API BAR_T open(int a)"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn lists_of_macros_declare_nothing() {
    let text = "const char names[] =\n  STRING_One\n  STRING_Two\n  STRING_Three\n  STRING_Four;\nint after;\n";
    let found = rows("c", text);
    assert!(found.iter().all(|row| !row.contains("STRING_")) && found.contains(&"variable after 6-6".to_owned()), "{found:?}");
}

#[test]
fn locals_of_a_function_whose_head_is_broken() {
    let text = "#if A\nint work(int a)\n#else\nint work(int b)\n#endif\n{\n  int stray = 1;\n  if (a) {\n    return;\n  } }\n  int other = 2;\n}\nint plain;\n";
    let found = rows("c", text);
    assert!(found.iter().all(|row| !row.contains("stray") && !row.contains("other")) && found.iter().any(|row| row.contains("plain")), "{found:?}");
    assert_eq!(rows("cpp", "namespace a {\n  int inner = 1;\n}\n  int indented = 2;\n"), ["namespace a 1-3", "variable a.inner 2-2", "variable indented 4-4"]);
}

#[test]
fn pointers_to_members() {
    let text = "struct Job {\n  void (Runner::*method)(int);\n};\ntypedef void (Runner::*Step)();\n";
    assert_eq!(rows("cpp", text), ["struct Job 1-3", "property Job.method 2-2", "type Step 4-4"]);
}
