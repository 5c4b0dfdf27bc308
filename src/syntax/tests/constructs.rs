//! Recent and rare constructs: what a grammar does not know may cost that range, and not the function after it.

use super::*;
use crate::language;

/// A language, a function named `after`, and constructs that may stand before it.
type Table = (&'static str, &'static str, &'static [&'static str]);

#[rustfmt::skip]
const TABLES: &[Table] = &[
    ("typescript", "export function after(): void {}\n", &[
        "using file = open();", "await using file = open();", "const a = b satisfies C;", "type A<in out T> = T;", "function f<const T>(a: T) {}",
        "class A { accessor b = 1; }", "enum A { B = `x${1}` }", "import a from './a.json' with { type: 'json' };", "import type { A } from './a';",
        "export type * as b from './b';", "type A = `a${string}`;", "abstract class A { abstract accessor b: number; }", "class A { static { go(); } }",
        "function isA(a: unknown): asserts a is string {}", "let a!: number;", "type A = typeof import('./a');", "const a = <T,>(b: T) => b;",
        "import defer * as a from './a';", "class A { declare readonly b: unique symbol; }", "type A = new <T>(...a: T[]) => asserts a;",
        "const a = b!?.c ?? d ??= 1;", "type A<T> = T extends infer U extends string ? U : never;",
    ]),
    ("javascript", "export function after() {}\n", &[
        "using file = open();", "await using file = open();", "class A { #a; static #b() {} has(o) { return #a in o; } }", "import a from './a.json' with { type: 'json' };",
        "const re = /[a&&b]/v;", "a ||= b; c &&= d; e ??= f;", "label: for await (const a of b) {}", "const a = 1_000n ** 2n;", "export * as a from './a';",
        "class A { static { go(); } }", "const a = async function* () { yield* b; };", "@dec class A { @dec accessor b = 1; }", "import source a from './a.wasm';",
        "const a = new.target ?? import.meta.url;", "try { go(); } catch { stop(); }", "const { a, ...b } = c;", "a?.[0]?.(b);", "export { a as 'a b' };",
        "const t = <div {...a}>{/* b */}</div>;", "a = b |> c(%);", "const r = #{ a: 1 };",
    ]),
    ("python", "def after():\n    pass\n", &[
        "match a:\n    case [1, *rest] if rest: pass\n    case {'a': b, **c}: pass", "type A[T: int = str] = list[T]", "def f[T, *U, **P](a: T) -> U: ...",
        "class A[T: (int, str)]: pass", "try:\n    go()\nexcept* (A, B) as e:\n    pass", "with (open(a) as b, open(c) as d):\n    pass",
        "if (n := len(a)) > 1: pass", "def f(a, /, b, *, c): ...", "x = f'{a!r:>{width}} {b[\"c\"]}'", "async with a as b, c as d:\n    pass",
        "def f(*args: *Ts): ...", "a[*b, 1:2] = c", "@(lambda f: f)\ndef g(): pass", "print(f'{x=}')", "async def f():\n    return [x async for x in y]",
        "x = t'{a}'", "try:\n    go()\nexcept A, B:\n    pass", "print 'old'", "exec 'old' in a", "lambda *a, **k: (yield)", "global a; nonlocal b",
    ]),
    ("go", "func After() {}\n", &[
        "type A[T any] struct{}", "type A[K comparable, V int | ~string] map[K]V", "type A = B[int]", "type A[P any] = []P", "func f[T any](a T) {}",
        "func g() { for i := range 10 { _ = i } }", "func g() { for x := range func(yield func(int) bool) {} { _ = x } }", "func g() { clear(m); min(1, 2) }",
        "var a = [...]int{1: 2}", "const (\n\ta = iota\n\t_\n\tb\n)", "func (a *A[T]) M() {}", "type I interface { ~int | ~string; M() }", "//go:embed a\nvar b string",
        "var a = 0b1_0 + 0o7 + 0x1p-2", "func g() { select { case a := <-b: _ = a; default: } }", "func g() { switch a := b.(type) { case int: _ = a } }",
        "var _ = f[int, string](1)", "func g() { goto L; L: }", "type ( A int; B string )", "func f(a ...int) (b int, err error) { return }", "func g() { defer func() { recover() }() }",
    ]),
    ("rust", "pub fn after() {}\n", &[
        "async fn a() { b().await?; }", "fn a() { let Some(b) = c else { return }; }", "fn a() { if let Some(b) = c && d {} }", "fn a() -> impl Iterator<Item = u8> + use<'_> { b }",
        "const fn a<const N: usize>() {}", "trait A { type B<'a> where Self: 'a; }", "fn a() { let b = async move |c| d; }", "unsafe extern \"C\" { safe fn b(); }",
        "let_chains! { a }", "fn a() { let b = c\"d\"; }", "fn a() { let b = &raw const c; }", "static mut A: u8 = 0;", "impl<T> !Send for A<T> {}", "#[unsafe(no_mangle)] fn a() {}",
        "trait A = B + C;", "fn a() { for await b in c {} }", "macro a($b:expr) { $b }", "gen fn a() { yield 1; }", "fn a() { match b { 0..=9 | ..5 => {}, x @ 1.. => {} } }",
        "pub(in super::a) struct A<T = ()>(T) where T: Copy;", "fn a() { let _ = const { 1 }; 'b: { break 'b; } }", "impl const A for B {}",
    ]),
    ("java", "class B { void after() {} }\n", &[
        "record A<T>(int b, T... c) implements D { A { } }", "sealed interface A permits B, C {}", "non-sealed class A extends B {}",
        "class A { void f(Object o) { if (o instanceof String s && s.isEmpty()) {} } }", "class A { int f(Object o) { return switch (o) { case String s when s.isEmpty() -> 1; default -> 2; }; } }",
        "class A { String s = \"\"\"\n  a \"b\"\n  \"\"\"; }", "class A { void f() { var a = 1; } }", "@interface A { int b() default 1; }", "class A { void f(Object o) { if (o instanceof P(int x, var y)) {} } }",
        "enum A { B { void c() {} }, D; }", "class A { <T> A(T t) { this.<T>f(t); } }", "class A { Runnable r = () -> {}; Supplier<A> s = A::new; }",
        "import module java.base;", "class A { void f() { try (a; var b = c()) {} } }", "class A { void f(Object o) { switch (o) { case P(var _) -> {} case null, default -> {} } } }",
        "class A { static { } { } }", "class A { int[] b[] = {{1}, {2}}; }", "class A { void f(@C final int... a) throws D, E {} }", "interface A { private void f() {} static void g() {} default void h() {} }",
        "class A { A() { int x = 1; super(x); } }", "void main() { println(1); }",
    ]),
    ("kotlin", "fun after() {}\n", &[
        "data object A", "sealed interface A<out T>", "value class A(val b: Int)", "fun interface A { fun b() }", "typealias A<T> = (T) -> Unit", "context(A) fun b() {}",
        "fun <reified T> a() {}", "val a by lazy { 1 }", "inline fun a(crossinline b: () -> Unit) {}", "enum class A { B { override fun c() {} }; abstract fun c() }",
        "suspend fun a() = coroutineScope { }", "val a: Int get() = 1", "fun A.b() = when (this) { is C -> 1; in 1..<5 -> 2; else -> 3 }", "object A : B by c",
        "annotation class A(val b: KClass<*>)", "operator fun A.invoke() {}", "val (a, b) = c", "val a = $$\"\"\"$b\"\"\"", "fun a() { b@ for (c in d) break@b }",
        "fun <T : Any> a(b: T & Any) {}", "fun a() { when (b) { is C if d -> {} else -> {} } }", "expect class A()", "val a = b?.c ?: d!!",
    ]),
    ("swift", "func after() {}\n", &[
        "actor A { nonisolated func b() {} }", "func a() async throws(E) -> B {}", "let a = if b { 1 } else { 2 }", "@resultBuilder struct A {}", "func a(_ b: some C) -> any D {}",
        "if let a { }", "guard let a else { return }", "struct A: ~Copyable { consuming func b() {} }", "func a<each T>(_ b: repeat each T) {}", "#Preview { A() }",
        "@attached(member) macro a() = #externalMacro(module: \"b\", type: \"C\")", "protocol A<B> { associatedtype B: C }", "let a = /b+/", "enum A: Int { case b = 1, c }",
        "extension A where B == C {}", "var a: Int { get async throws { 1 } }", "let a = #\"b\\#(c)\"#", "#if os(macOS)\nlet a = 1\n#endif", "subscript(a: Int) -> B { c }",
        "let a = \\B.c", "indirect enum A { case b(A) }", "defer { a() }",
    ]),
    ("scala", "def after(): Unit = ()\n", &[
        "enum A:\n  case B, C", "given A[Int] with {}", "extension (a: Int) def b = a", "opaque type A = Int", "trait A(b: Int)", "def a(using b: C): D = ???", "type A = [T] =>> List[T]",
        "type A = B | C & D", "export a.*", "import a.{b as c, given}", "@main def a() = ()", "case class A[+T](b: T*) derives C", "inline def a(inline b: Int) = b",
        "object A { implicit class B(c: Int) }", "val a = if b then 1 else 2", "val f: (a: Int) ?=> B = c", "a match { case b: C if d => e }", "val a = s\"$b ${c.d}\"",
        "lazy val a, b = 1", "sealed abstract class A private (b: Int)", "val a = '{ b }", "for a <- b; c = d if e yield f",
    ]),
    ("csharp", "class B { void After() {} }\n", &[
        "record A(int B) { }", "record struct A(int B);", "class A(int b) : C(b) { }", "file class A { }", "class A { required public int B { get; init; } }", "global using static A.B;",
        "class A { void F(object o) { if (o is { B: > 1 and < 5 } c) { } } }", "class A { int F(object o) => o switch { int i when i > 1 => 1, [1, .., 2] => 2, _ => 3 }; }",
        "class A { string s = \"\"\"\n  a\n  \"\"\"; }", "class A { int[] b = [1, ..c]; }", "interface A<T> where T : A<T> { static abstract T operator +(T a, T b); }", "class A { ref readonly int F(in int a) => ref b; }",
        "class A { void F() { using var a = b; await foreach (var c in d) { } } }", "class A { public int B { get => field; set => field = value; } }", "using A = (int B, string C);",
        "class A { delegate*<int, void> f; }", "class A { void F(params ReadOnlySpan<int> a) { } }", "#nullable enable\nclass A { string? b; }", "class A { event E F { add { } remove { } } }",
        "static class A { extension(string s) { int B => 1; } }", "partial class A { partial void F(); public partial int B { get; }}", "class A { int this[Index a] => b[^1]; }",
    ]),
    ("cpp", "int after() { return 0; }\n", &[
        "template <typename T> concept A = requires(T t) { t.b(); };", "auto a = [b = 1]<typename T>(T&& c) mutable -> int { return 0; };", "export module a;", "import <b>;", "struct A { auto operator<=>(const A&) const = default; };",
        "consteval int a() { return 1; }", "constinit int a = 1;", "void a(auto... b) requires C<decltype(b)...> {}", "template <> struct A<int> {};", "auto [a, b] = c;", "int a() noexcept(true) { return 0; }",
        "enum class A : int { B [[deprecated]] = 1 };", "namespace a::inline b {}", "struct A { void f(this A& self) {} };", "co_yield_t a() { co_await b; co_return; }", "template <auto N, template <class> class T> struct A;",
        "int a() { if constexpr (b) {} if (int c = 1; c) {} return 0; }", "using enum A;", "A operator\"\"_b(unsigned long long);", "class A final : public virtual B<C> { ~A() override = default; };", "[[nodiscard(\"x\")]] int a();", "static_assert(sizeof(int) == 4);",
        "extern template class A<int>;", "int a = b<c>(d) ? e : f;",
    ]),
    ("c", "int after(void) { return 0; }\n", &[
        "_Static_assert(1, \"a\");", "static inline int a(int b[static 1]) { return 0; }", "struct a { int b : 1; union { int c; }; };", "int a = _Generic(b, int: 1, default: 2);", "typeof(int) a;", "constexpr int a = 1;",
        "int a[] = { [1] = 2, };", "[[nodiscard]] int a(void);", "__attribute__((unused)) static int a;", "typedef int (*a)(int);", "enum a : int { B };", "int a(b) int b; { return b; }", "_Noreturn void a(void);",
        "#define A(b, ...) c(b, __VA_ARGS__)", "auto a = 1;", "int *a = nullptr;", "_Atomic(int) a;", "thread_local int a;", "extern \"C\" {", "int a = ({ int b = 1; b; });", "asm(\"nop\");", "#if A\nint b;\n#else\nint c;\n#endif", "bool a = true; int b = 0b1'0;",
    ]),
    ("php", "function after() {}\n", &[
        "enum A: string { case B = 'b'; const C = self::B; }", "readonly class A { public function __construct(private int $b) {} }", "#[A(1)] function b() {}", "function a(int|string|null $b): never {}", "$a = match (true) { $b => 1, default => 2 };",
        "$a = fn (int ...$b): int => $b;", "$a = b(...);", "class A { public int $b { get => 1; set { $this->b = $value; } } }", "function a((B&C)|null $d) {}", "$a?->b?->c();", "b(name: 1);", "class A { final const string B = 'c'; }",
        "abstract class A { abstract protected function b(): static; }", "trait A { use B, C { B::d insteadof C; } }", "namespace A { const B = 1; }", "$a = new class(1) extends B {};", "$a = <<<EOT\n  b {$c}\n  EOT;", "class A { public private(set) int $b; }",
        "$a = $b |> c(...);", "goto a; a:", "declare(strict_types=1);", "[$a, 'b' => $c] = $d;",
    ]),
    ("ruby", "def after\nend\n", &[
        "def a = 1", "def a(b:, **nil) = b", "case a\nin { b: Integer => c } then d\nin [*, 1, *] then e\nend", "a => { b: }", "def a(*, **, &) = b(*, **, &)", "a = ->(b) { it + _1 }", "Data.define(:a) do\n  def b = 1\nend",
        "class A < Struct.new(:b); end", "a&.b ||= c", "private def a; end", "a = <<~EOS\n  b #{c}\nEOS", "def self.a; end", "class << self; attr_accessor :a; end", "module A refine B do end end", "def a(...) = b(...)", "h = { x:, y: }",
        "%w[a b].each { |c; d| }", "BEGIN { a }", "def ==(o) = true", "a = b rescue c", "alias a b", "in_pattern = (a in [x])", "begin; a; rescue B => e; retry; ensure; c; end",
    ]),
    ("lua", "function after() end\n", &[
        "local a <const> = 1", "local a <close> = b", "goto c ::c::", "local a = 1 // 2 ~ 3 << 4", "local function a(...) return ... end", "a.b.c = function() end", "function a.b:c() end", "local t = { [1] = 2, b = 3; 4 }", "for i = 1, 2, 3 do end", "for k, v in pairs(t) do end",
        "repeat local a until a", "local s = [==[ b ]] ]==]", "a 'b'", "a { b }", "local a = #b .. c", "while true do break end", "local a: number = 1", "type A = { b: number }", "global a", "a += 1", "continue = 1", "return",
    ]),
    ("bash", "after() {\n  :\n}\n", &[
        "function a { :; }", "function a() ( : )", "declare -A a=([b]=c)", "a=(b c)", "[[ $a =~ ^b ]] && c", "case $a in b|c) d ;;& e) f ;& esac", "cat <<'EOF'\nb\nEOF", "a=${b:-${c}}", "for ((i = 0; i < 1; i++)); do :; done", "while read -r a; do :; done < <(b)", "a=$((1 + 2))", "coproc a { b; }",
        "select a in b c; do break; done", "local -n a=b", "a+=b", "{ a; b; } 2>&1 | c &", "trap 'a' EXIT", "mapfile -t a <<< \"$b\"", "echo \"${a[@]@Q}\" ${a^^}", "if ! a; then b; elif c; then d; fi", "a=${ b; }",
    ]),
];

#[test]
fn a_function_after_any_construct_is_found() {
    let mut lost = Vec::new();
    for (name, after, constructs) in TABLES {
        assert!(constructs.len() >= 20, "{name}");
        let language = language::named(name).unwrap();
        let start = if *name == "php" { "<?php\n" } else { "" };
        for construct in *constructs {
            let parsed = parse_checked(language, &format!("{start}{construct}\n{after}"));
            if !parsed.symbols.iter().any(|symbol| symbol.name.eq_ignore_ascii_case("after")) {
                lost.push(format!("{name}: {construct}"));
            }
        }
    }
    assert_eq!(lost, Vec::<String>::new());
}

#[test]
fn a_function_after_all_constructs_is_found() {
    for (name, after, constructs) in TABLES {
        let start = if *name == "php" { "<?php\n" } else { "" };
        let parsed = parse_checked(language::named(name).unwrap(), &format!("{start}{}\n{after}", constructs.join("\n")));
        assert!(parsed.symbols.iter().any(|symbol| symbol.name.eq_ignore_ascii_case("after")), "{name}");
    }
}
