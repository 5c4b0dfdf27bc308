//! Members of what a local, a macro, a line end or broken code stands around.

use super::*;

fn rows(language: &str, text: &str) -> Vec<String> {
    let language = crate::language::LANGUAGES.iter().find(|row| row.name == language).expect("a row");
    let parsed = parse_checked(language, text);
    let row = |symbol: &Symbol| format!("{} {} {}-{}", symbol.kind.as_str(), symbol.qualified_name, symbol.span.start_line, symbol.span.end_line);
    parsed.symbols.iter().map(row).collect()
}

#[test]
fn methods_of_an_object_that_a_function_makes() {
    let text = "function make(id) {\n  const hot = {\n    state: 1,\n    accept() {},\n    decline: function () {},\n  };\n  const other = { no() {} };\n  return hot;\n}\nconst top = { go() {} };\n";
    let expected = [
        "function make 1-9",
        "constant make.hot 2-6",
        "method make.hot.accept 4-4",
        "method make.hot.decline 5-5",
        "constant top 10-10",
        "method top.go 10-10",
    ];
    assert_eq!(rows("javascript", text), expected);
    assert_eq!(
        rows("javascript", "function f() {\n  const a = { b() {} };\n  return a.b;\n}\nfunction g() { return a; }\n"),
        ["function f 1-4", "function g 5-5"]
    );
}

#[test]
fn what_a_call_makes_for_a_table_of_lua() {
    let text =
        "local M = {\n  run = wrap(function() end),\n  size = 1,\n  [\"key\"] = make({ no = call() }),\n}\nlocal function f() return { none = call() } end\n";
    assert_eq!(rows("lua", text), ["variable M 1-5", "property M.run 2-2", "property M.key 4-4", "function f 6-6"]);
}

#[test]
fn members_of_a_class_of_kotlin_with_its_constructor_on_another_line() {
    let text = "class Store<T>\n@Inject\ninternal constructor(\n    private val client: Client,\n    plain: Int,\n) : Base(), Closeable {\n    val size = 1\n    override fun close() {\n    }\n}\n\nclass Other\nprivate constructor(val a: Int) {\n    constructor(b: String) : this(1)\n}\n";
    let expected = [
        "class Store 1-10",
        "property Store.client 4-4",
        "property Store.size 7-7",
        "method Store.close 8-9",
        "class Other 12-15",
        "property Other.a 13-13",
        "constructor Other.constructor 14-14",
    ];
    assert_eq!(rows("kotlin", text), expected);
    let comment = "class A {\n    // Of a class that\n    private constructor(b: Int)\n}\n";
    assert_eq!(rows("kotlin", comment), ["class A 1-4", "constructor A.constructor 3-3"]);
}

#[test]
fn members_of_an_interface_in_broken_code() {
    let text = "const broken = {{{ @@ ;\nexport interface Options<T> extends Base {\n  name: string;\n  run(task: T): void;\n}\n)) (( nothing\n";
    let found = rows("typescript", text);
    for row in ["interface Options 2-5", "property Options.name 3-3", "method Options.run 4-4"] {
        assert!(found.iter().any(|found| found == row), "{row}: {found:?}");
    }
}

#[test]
fn members_of_nameless_types_in_an_alias() {
    let text = "type Shape = Base & {\n  size: number;\n  inner: { deep: string };\n  draw(): void;\n};\ntype List = Array<{ item: string }>;\n";
    let expected = [
        "type Shape 1-5",
        "property Shape.size 2-2",
        "property Shape.inner 3-3",
        "property Shape.inner.deep 3-3",
        "method Shape.draw 4-4",
        "type List 6-6",
        "property List.item 6-6",
    ];
    assert_eq!(rows("typescript", text), expected);
}

#[test]
fn members_of_a_class_behind_a_macro() {
    let text = "class API_EXPORT Store : public Base {\n public:\n  int size;\n  void put(int key);\n  int get() { return size; }\n};\nstruct EXPORT Pair final {\n  int first;\n};\nclass CAPABILITY(\"mutex\") Mutex {\n  void Lock();\n};\nclass PLAIN final {\n  int a;\n};\n";
    let expected = [
        "class Store 1-6",
        "property Store.size 3-3",
        "method Store.put 4-4",
        "method Store.get 5-5",
        "struct Pair 7-9",
        "property Pair.first 8-8",
        "class Mutex 10-12",
        "method Mutex.Lock 11-11",
        "class PLAIN 13-15",
        "property PLAIN.a 14-14",
    ];
    assert_eq!(rows("cpp", text), expected);
}

#[test]
fn members_that_the_type_of_a_constant_lists() {
    let text = "export declare const Code: {\n  readonly unknown: \"unknown\";\n  parse(text: string): void;\n};\nexport declare const both: { <A>(a: A): A; (b: string): void };\n";
    assert_eq!(rows("typescript", text), ["constant Code 1-4", "property Code.unknown 2-2", "method Code.parse 3-3", "constant both 5-5"]);
}

#[test]
fn entries_of_a_table_at_the_top_level() {
    let text = "const PRESETS = {\n  verbose: { hash: true, deep: { no: 1 } },\n};\nfunction make() {\n  const local = { a: { b: 1 } };\n  return { c: 1 };\n}\nuse({ d: 1 });\n";
    let expected =
        ["constant PRESETS 1-3", "property PRESETS.verbose 2-2", "property PRESETS.verbose.hash 2-2", "property PRESETS.verbose.deep 2-2", "function make 4-7"];
    assert_eq!(rows("javascript", text), expected);
}

#[test]
fn functions_under_computed_names() {
    let text = "methods.forEach((method) => {\n  Route.prototype[method] = function () {};\n  app[names.all] = () => 1;\n  cache[key] = 1;\n  list[0] = function () {};\n});\nRoute[\"all\"] = function () {};\n";
    assert_eq!(rows("javascript", text), ["method Route.[method] 2-2", "method app.[names.all] 3-3", "method Route.all 7-7"]);
}

#[test]
fn fields_that_methods_and_statements_give() {
    let text = "class Module extends Base {\n  constructor() {\n    super();\n    this.first = 1;\n  }\n  build() {\n    this.first = 2;\n    this.info = {};\n    other.no = 1;\n    const object = { run() { this.none = 1; } };\n  }\n}\nModule.defaults = { a: 1 };\nunknown.defaults = 1;\n";
    let expected = [
        "class Module 1-12",
        "constructor Module.constructor 2-5",
        "property Module.first 4-4",
        "method Module.build 6-11",
        "property Module.info 8-8",
        "property Module.defaults 13-13",
    ];
    assert_eq!(rows("javascript", text), expected);
}

#[test]
fn what_a_variable_of_lua_is_given_later() {
    let text = "local text = read()\ntext = text:gsub(\"a\", \"b\")\nother = 1\nfunction text.show() end\n";
    assert_eq!(rows("lua", text), ["variable text 1-1", "variable other 3-3", "method text.show 4-4"]);
}

#[test]
fn a_broken_declaration_below_its_attributes_is_one() {
    assert_eq!(rows("rust", "#[test]\nfn works(ref jh in any::<Join<u8>>()) {\n    work();\n}\n"), ["function works 1-4"]);
    assert_eq!(rows("rust", "#[attribute]\npub struct Full #full {\n    a: u8,\n}\n"), ["struct Full 1-4", "property Full.a 3-3"]);
    assert_eq!(rows("typescript", "@Injectable()\nexport class Service # {\n  run() {}\n}\n"), ["class Service 1-4", "method Service.run 3-3"]);
}
