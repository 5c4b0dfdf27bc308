//! Which symbols are found.

use super::*;

/// Kind, qualified name, first and last line, and whether exported.
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

fn symbol<'parsed>(parsed: &'parsed Parsed, qualified_name: &str) -> &'parsed Symbol {
    parsed.symbols.iter().find(|symbol| symbol.qualified_name == qualified_name).expect(qualified_name)
}

#[test]
fn a_method_knows_its_class() {
    let parsed = parse_checked(&TYPESCRIPT, "export class Service {\n  run(task: string): string {\n    return task;\n  }\n}\n");
    assert_eq!(rows(&parsed), ["class Service 1-5 exported", "method Service.run 2-4 exported"]);
    assert_eq!((parsed.symbols[0].parent, parsed.symbols[1].parent), (None, Some(0)));
    assert_eq!((parsed.symbols[0].signature.as_str(), parsed.symbols[1].signature.as_str()), ("export class Service", "run(task: string): string"));
    assert_eq!((parsed.symbols[1].span.start_byte, parsed.symbols[1].span.end_byte), (25, 73));
}

#[test]
fn members_of_a_class() {
    let text = r#"/** doc */
@Dec({a: 1})
export default abstract class A<T> extends B<C> implements Duty {
  // Shown.
  @Input() x: string = "a";
  static #y = () => 1;
  get z() { return this.foo(1); }
  constructor(private q: Q, r: string) { super(); }
  protected abstract foo(a: number): void;
  bar(): void;
  @Host()
  @Other() private bar(
    a?: string,
  ) { const local = () => new Thing(); }
  static { init(); }
  [Symbol.iterator]() {}
}
"#;
    let parsed = parse_checked(&TYPESCRIPT, text);
    assert_eq!(
        rows(&parsed),
        [
            "class A 2-17 exported",
            "property A.x 5-5 exported",
            "method A.#y 6-6",
            "accessor A.z 7-7 exported",
            "constructor A.constructor 8-8 exported",
            "property A.q 8-8",
            "method A.foo 9-9 exported",
            "method A.bar 10-10 exported",
            "method A.bar 11-14",
            "function A.bar.local 14-14",
            "method A.[Symbol.iterator] 16-16 exported",
        ]
    );
    assert!(parsed.symbols[1..].iter().all(|symbol| symbol.parent == Some(if symbol.name == "local" { 8 } else { 0 })));
    let class = symbol(&parsed, "A");
    assert_eq!(class.signature, "export default abstract class A<T> extends B<C> implements Duty");
    assert_eq!(class.doc.map(|doc| (doc.start_line, doc.end_line)), Some((1, 1)));
    assert_eq!(class.references, ["B", "Duty", "Host", "Other", "init"]);
    assert_eq!(symbol(&parsed, "A.x").doc.map(|doc| doc.start_line), Some(4));
    assert_eq!(symbol(&parsed, "A.z").references, ["foo"]);
    let bar = &parsed.symbols[8];
    assert_eq!((bar.signature.as_str(), bar.references.as_slice()), ("private bar( a?: string, )", &["Thing".to_owned()][..]));
    assert_eq!(&text[bar.span.start_byte as usize..][..7], "@Host()");
}

#[test]
fn functions_values_and_types() {
    let text = r#"export const o = {
  a() {},
  b: function () {},
  c: { d: () => 1, e: 2 },
} satisfies X, { p, q: [r = 2], ...s } = z;
export async function* gen<T extends Y>(x: T) {}
let arrow = async (x) => x, plain = 1;
export type F = { a: string; m(x: { inner: number }): void } & Good;
interface I { a: string; readonly m: () => void; (call: number): void; new (x): I }
enum E { A, B = 2, "c" }
export { E as Renamed, arrow };
if (arrow) { function inner() {} }
for (let i = 0; i < 2; i++) { const local = 1; }
function outer() { const local = 1; function nested() { call(); } class Local { go() {} } }
const K = class Named { m() {} };
"#;
    let parsed = parse_checked(&TYPESCRIPT, text);
    assert_eq!(
        rows(&parsed),
        [
            "constant o 1-5 exported",
            "method o.a 2-2 exported",
            "method o.b 3-3 exported",
            "property o.c 4-4 exported",
            "method o.c.d 4-4 exported",
            "property o.c.e 4-4 exported",
            "constant p 5-5 exported",
            "constant r 5-5 exported",
            "constant s 5-5 exported",
            "function gen 6-6 exported",
            "function arrow 7-7 exported",
            "variable plain 7-7",
            "type F 8-8 exported",
            "property F.a 8-8 exported",
            "method F.m 8-8 exported",
            "interface I 9-9",
            "property I.a 9-9",
            "property I.m 9-9",
            "method I.() 9-9",
            "constructor I.new 9-9",
            "enum E 10-10 exported",
            "enum-member E.A 10-10 exported",
            "enum-member E.B 10-10 exported",
            "enum-member E.c 10-10 exported",
            "function inner 12-12",
            "function outer 14-14",
            "function outer.nested 14-14",
            "class outer.Local 14-14",
            "method outer.Local.go 14-14",
            "class K 15-15",
            "class K.Named 15-15",
            "method K.m 15-15",
        ]
    );
    assert_eq!(symbol(&parsed, "gen").signature, "export async function* gen<T extends Y>(x: T)");
    assert_eq!(symbol(&parsed, "o").signature, "o");
    assert_eq!(symbol(&parsed, "outer.nested").references, ["call"]);
    assert_eq!(symbol(&parsed, "F").references, ["Good"]);
}

#[test]
fn namespaces_and_ambient_declarations() {
    let text = r#"declare module "x" { export function f(): void; }
declare global { var g: number }
namespace A.B { const v = 1; export const w = 2; export namespace C { export class D {} } }
declare const k: number;
export declare function dd(): void;
declare namespace N { const free: string }
export = N;
namespace A.B { export const w = 3 }
"#;
    let parsed = parse_checked(&TYPESCRIPT, text);
    assert_eq!(
        rows(&parsed),
        [
            "namespace x 1-1 exported",
            "function x.f 1-1 exported",
            "variable g 2-2 exported",
            "namespace A.B 3-3",
            "constant A.B.v 3-3",
            "constant A.B.w 3-3",
            "namespace A.B.C 3-3",
            "class A.B.C.D 3-3",
            "constant k 4-4",
            "function dd 5-5 exported",
            "namespace N 6-6 exported",
            "constant N.free 6-6 exported",
            "namespace A.B 8-8",
            "constant A.B.w 8-8",
        ]
    );
    assert_eq!((parsed.symbols[5].parent, parsed.symbols[13].parent), (Some(3), Some(12)));
    assert_eq!(symbol(&parsed, "A.B").name, "B");
    assert_eq!(symbol(&parsed, "dd").signature, "export declare function dd(): void");
}

#[test]
fn imports_and_re_exports() {
    let text = r#"import a, { b } from "./a";
import "./side";
import x = require("y");
export * as ns from "./m";
export { c as d } from 'c';
const r = require("cj");
async function lazy() { return import("./dyn"); }
import again from "./a";
import(variable);
"#;
    assert_eq!(parse_checked(&TYPESCRIPT, text).imports, ["./a", "./side", "y", "./m", "c", "cj", "./dyn"]);
}

#[test]
fn what_another_module_exports_is_an_import_and_an_exported_class_has_its_own_name() {
    let text = "const a = require('a');\nconst { b, c: d } = require('b').inner;\nmodule.exports = class Plugin {\n  apply() {}\n};\n";
    assert_eq!(
        rows(&parse_checked(&JAVASCRIPT, text)),
        ["import a 1-1", "import b 2-2", "import d 2-2", "class Plugin 3-5 exported", "method Plugin.apply 4-4 exported"]
    );
    assert_eq!(
        rows(&parse_checked(&JAVASCRIPT, "module.exports = class {};\nmodule.exports = function named() {};\n")),
        ["class exports 1-1 exported", "function named 2-2 exported"]
    );
}

#[test]
fn common_js_and_prototypes() {
    let text = r#"function Foo() {}
Foo.prototype.bar = function (a) { this.baz(a); };
Foo.create = () => new Foo();
Other.prototype.run = function () {};
exports.one = function () {};
module.exports.two = 2;
class Base {}
class Sub extends Base { #hidden() {} field = 1; static run = async () => {}; }
module.exports = { Sub, base: Base, inline() {} };
"#;
    let parsed = parse_checked(&JAVASCRIPT, text);
    assert_eq!(
        rows(&parsed),
        [
            "function Foo 1-1",
            "method Foo.bar 2-2",
            "method Foo.create 3-3",
            "method Other.run 4-4",
            "function one 5-5 exported",
            "constant two 6-6 exported",
            "class Base 7-7 exported",
            "class Sub 8-8 exported",
            "method Sub.#hidden 8-8",
            "property Sub.field 8-8 exported",
            "method Sub.run 8-8 exported",
            "constant exports 9-9 exported",
            "property exports.base 9-9 exported",
            "method exports.inline 9-9 exported",
        ]
    );
    assert_eq!((symbol(&parsed, "Foo.bar").parent, symbol(&parsed, "Other.run").parent), (Some(0), None));
    assert_eq!(symbol(&parsed, "Foo.bar").signature, "Foo.prototype.bar = function (a)");
    assert_eq!(symbol(&parsed, "Foo.create").references, ["Foo"]);
    assert_eq!(symbol(&parsed, "Sub").references, ["Base"]);
}

#[test]
fn what_is_given_to_prototypes_and_exports_of_others() {
    let text = "function Foo() {}\nFoo.prototype = {\n  bar() {},\n  baz: function () {},\n};\n(function () {\n  Foo.prototype.late = function () { const local = 1; };\n  const helper = () => 1;\n})();\n";
    let parsed = parse_checked(&JAVASCRIPT, text);
    assert_eq!(rows(&parsed), ["function Foo 1-1", "method Foo.bar 3-3", "method Foo.baz 4-4", "method Foo.late 7-7", "function helper 8-8"]);
    assert_eq!(symbol(&parsed, "Foo.late").parent, Some(0));
    let text = "export { a, b as c } from './d';\nexport * as e from \"./f\";\nexport * from './g';\ninterface I {\n  [key: string]: number;\n}\n";
    let parsed = parse_checked(&TYPESCRIPT, text);
    assert_eq!(rows(&parsed), ["import a 1-1 exported", "import c 1-1 exported", "import e 2-2 exported", "interface I 4-6", "property I.[] 5-5"]);
    assert_eq!(parsed.imports, ["./d", "./f", "./g"]);
}

#[test]
fn declarations_behind_macros_of_c() {
    let c = crate::language::LANGUAGES.iter().find(|language| language.name == "c").unwrap();
    let text = "LUALIB_API int (luaL_error) (lua_State *L, int n);\ntypedef unsigned int uint32_t;\nstatic const bool purge_lazy =\n#ifdef A\n  true\n#else\n  false\n#endif\n  ;\n";
    let names: Vec<_> = parse_checked(c, text).symbols.into_iter().map(|symbol| symbol.name).collect();
    let macros = "API_BEGIN_DECL\n\ntypedef enum {\n  A_ONE,\nA_TWO\n} numbers;\n\nAPI_EXTERN(int) api_go(int a);\n";
    let found: Vec<_> = parse_checked(c, macros).symbols.into_iter().map(|symbol| symbol.qualified_name).collect();
    assert_eq!(found, ["numbers", "numbers.A_ONE", "numbers.A_TWO", "api_go"]);
    let last = "enum roots {\n#if A\n  ROOT_ONE,\n#endif\nROOT_MAX\n};\n";
    let found: Vec<_> = parse_checked(c, last).symbols.into_iter().map(|symbol| symbol.qualified_name).collect();
    assert_eq!(found, ["roots", "roots.ROOT_ONE", "roots.ROOT_MAX"]);
    let around = "typedef int GIT_CALLBACK(git_notify)(int a);\ntypedef long (WINAPI *open_fn)(int a);\nint PRIV(find)(int a)\n{\n  return 1;\n}\nconst int PRIV(list)[] = { 1 };\n";
    let found: Vec<_> = parse_checked(c, around).symbols.into_iter().map(|symbol| (symbol.kind, symbol.name)).collect();
    let expected = [(SymbolKind::Type, "git_notify"), (SymbolKind::Type, "open_fn"), (SymbolKind::Function, "find"), (SymbolKind::Constant, "list")];
    assert_eq!(found, expected.map(|(kind, name)| (kind, name.to_owned())));
    for name in ["luaL_error", "uint32_t", "purge_lazy"] {
        assert!(names.iter().any(|found| found == name), "{name}: {names:?}");
    }
}

#[test]
fn declarations_beside_attributes_of_c() {
    let c = crate::language::LANGUAGES.iter().find(|language| language.name == "c").unwrap();
    let macros = "#if A\n  #define pure_one __attribute__((const))\n#endif\n";
    assert_eq!(rows(&parse_checked(c, macros)), ["macro pure_one 2-2 exported"]);
    let text = "typedef union __attribute__((packed)) Pair {\n  int u;\n} Pair;\nBuffer * API_FASTCALL put(int a)\n{\n  return 0;\n}\nstatic const int flag __attribute__ ((__unused__)) =\n    1;\nint last(void) __attribute__((cold));\nint a = b * SIZE_OF (c);\n";
    let expected = [
        "struct Pair 1-3 exported",
        "property Pair.u 2-2 exported",
        "type Pair 3-3 exported",
        "function put 4-7 exported",
        "constant flag 8-9",
        "function last 10-10 exported",
        "variable a 11-11 exported",
    ];
    assert_eq!(rows(&parse_checked(c, text)), expected);
}

#[test]
fn functions_of_lua_under_keys() {
    let lua = crate::language::LANGUAGES.iter().find(|language| language.name == "lua").unwrap();
    let text = "Map = {}\nMap.prototype[\"then\"] = function(self) end\nMap[Symbol.iterator] = function() end\nMap[name] = function() end\nMap[1] = 2\nlocal ops = {\n  [\"add_2\"] = function() end,\n  [\"\"] = function() end,\n  [Symbol.key] = function() end,\n  plain = function() end,\n}\n";
    assert_eq!(
        rows(&parse_checked(lua, text)),
        [
            "variable Map 1-1 exported",
            "method Map.prototype.then 2-2 exported",
            "method Map.[Symbol.iterator] 3-3 exported",
            "method Map.[name] 4-4 exported",
            "variable ops 6-11",
            "method ops.add_2 7-7",
            "method ops.[Symbol.key] 9-9",
            "method ops.plain 10-10",
        ]
    );
}

#[test]
fn objects_that_a_call_makes_something_of() {
    let text = "export const store = define('s', { state: () => 1, go() { const x = call({ no() {} }); } }, (local) => ({ none() {} }));\nexport default component({ data() {} });\nconst n = a({ hidden: 1 }).b(c({ deep() {} }));\n";
    let parsed = parse_checked(&TYPESCRIPT, text);
    assert_eq!(
        rows(&parsed),
        [
            "constant store 1-1 exported",
            "method store.state 1-1 exported",
            "method store.go 1-1 exported",
            "constant default 2-2 exported",
            "method default.data 2-2 exported",
            "constant n 3-3",
        ]
    );
}

#[test]
fn defaults_without_a_name() {
    for (text, row) in [
        ("export default function () {}\n", "function default 1-1 exported"),
        ("export default () => 1;\n", "function default 1-1 exported"),
        ("export default class extends A {}\n", "class default 1-1 exported"),
        ("export default {\n  data() {},\n};\n", "constant default 1-3 exported"),
        ("const a = 1;\nexport default a;\n", "constant a 1-1 exported"),
    ] {
        assert_eq!(rows(&parse_checked(&TYPESCRIPT, text))[0], row);
        assert_eq!(rows(&parse_checked(&JAVASCRIPT, text))[0], row);
    }
    assert_eq!(rows(&parse_checked(&JAVASCRIPT, "export default {\n  data() {},\n};\n"))[1], "method default.data 2-2 exported");
}

#[test]
fn comments_that_touch_document() {
    let text = "// a\n// b\nfunction one() {}\nx(); // no\nfunction two() {}\n// far\n\nfunction three() {}\n/** doc */\n\nfunction four() {}\n/* block */\nexport const five = 1;\n";
    let parsed = parse_checked(&TYPESCRIPT, text);
    let docs: Vec<_> = parsed.symbols.iter().map(|symbol| symbol.doc.map(|doc| (doc.start_line, doc.end_line))).collect();
    assert_eq!(docs, [Some((1, 2)), None, None, Some((9, 9)), Some((12, 12))]);
}

#[test]
fn broken_code_costs_only_its_range() {
    let text = "export function before() {\n  ok();\n}\nconst broken = {{{ @@ ;\nexport class Rescued<T> {\n  go() {}\n}\n)) (( export async function late(\n";
    let parsed = parse_checked(&TYPESCRIPT, text);
    let rows = rows(&parsed);
    assert_eq!(rows[0], "function before 1-3 exported");
    assert!(rows.iter().any(|row| row.starts_with("class Rescued 5-7 exported")), "{rows:?}");
    let parsed = parse_checked(&TYPESCRIPT, "class A {\n  one() {}\n  <<<<<<< HEAD\n  two() {}\n  >>>>>>> x\n  three() {}\n}\nfunction after() {}\n");
    for name in ["one", "two", "three", "after"] {
        assert!(parsed.symbols.iter().any(|symbol| symbol.name == name), "{name}: {:?}", parsed.symbols);
    }
}

#[test]
fn functions_and_classes_that_are_values_have_their_own_names() {
    let text =
        "define(app, 'ip', function ip() { return 1; });\nOwner.Template = class OwnerTemplate extends Base {\n  apply() {}\n};\nconst a = function b() {};\n";
    let expected =
        ["function ip 1-1", "property Owner.Template 2-4", "class Owner.Template.OwnerTemplate 2-4", "method Owner.Template.apply 3-3", "function a 5-5"];
    assert_eq!(rows(&parse_checked(&JAVASCRIPT, text)), expected);
}

#[test]
fn a_stray_quote_hides_no_plain_declaration() {
    let text = "declare const a: <A>() => [A] extends [never] ? B<\"A\", `\"Tag\", `> : C<A, {}>;\nexport interface D<A> extends B<A> {\n  readonly e: A;\n}\ndeclare const f: () => [A] extends [never] ? B<`>;\nfunction after() {}\n";
    let names: Vec<_> = parse_checked(&TYPESCRIPT, text).symbols.into_iter().map(|symbol| symbol.name).collect();
    assert!(names.iter().any(|name| name == "D") && names.iter().any(|name| name == "after"), "{names:?}");
}

#[test]
fn names_in_names_are_counted_only_so_deep() {
    let depth = 100;
    let parsed = parse_checked(&TYPESCRIPT, &("namespace a {\n".repeat(depth) + &"}\n".repeat(depth)));
    assert_eq!(parsed.symbols.len(), 64);
    assert_eq!(parsed.symbols[63].parent, Some(62));
}
