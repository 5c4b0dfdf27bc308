//! Declarations of Rust that are given to a macro.

use proptest::prelude::*;

use super::{check, parse_checked};
use crate::language;
use crate::syntax::{Parsed, SymbolKind, parse};

fn parsed(text: &str) -> Parsed {
    parse_checked(language::named("rust").unwrap(), text)
}

/// Kind, qualified name, lines and visibility of each symbol.
fn rows(text: &str) -> Vec<String> {
    let row = |symbol: &crate::syntax::Symbol| {
        let exported = if symbol.exported { " exported" } else { "" };
        format!("{} {} {}-{}{exported}", symbol.kind.as_str(), symbol.qualified_name, symbol.span.start_line, symbol.span.end_line)
    };
    parsed(text).symbols.iter().map(row).collect()
}

/// Qualified names.
fn names(text: &str) -> Vec<String> {
    parsed(text).symbols.into_iter().map(|symbol| symbol.qualified_name).collect()
}

const GATED: &str = "pub struct Runtime;

cfg_metrics! {
    use other::metrics::Metrics;

    impl Runtime {
        /// Numbers.
        #[inline]
        pub fn metrics(&self) -> Metrics { self.handle() }
        fn own(&self) {}
    }

    /// Starts.
    pub fn spawn<T>(task: T) { let inner = vec![1]; }

    pub(crate) mod gated;

    pub enum Mode { One, Two(u8) }
}

trait Open {
    cfg_rt! {
        /// Waits.
        fn wait(&self);
    }
}

impl Open for Runtime {
    cfg_rt! {
        fn wait(&self) {}
    }
}

mod inner {
    cfg_rt!(pub fn deep() {});
}
";

#[test]
fn whole_items_are_what_they_would_be_outside() {
    let expected = [
        "struct Runtime 1-1 exported",
        "impl Runtime 6-11 exported",
        "method Runtime.metrics 8-9 exported",
        "method Runtime.own 10-10",
        "function spawn 14-14 exported",
        "namespace gated 16-16 exported",
        "enum Mode 18-18 exported",
        "enum-member Mode.One 18-18 exported",
        "enum-member Mode.Two 18-18 exported",
        "trait Open 21-26",
        "method Open.wait 24-24",
        "impl Runtime 28-32 exported",
        "method Runtime.wait 30-30 exported",
        "namespace inner 34-36",
        "function inner.deep 35-35",
    ];
    assert_eq!(rows(GATED), expected);
    let parsed = parsed(GATED);
    let find = |name: &str| parsed.symbols.iter().position(|symbol| symbol.qualified_name == name).unwrap();
    let metrics = &parsed.symbols[find("Runtime.metrics")];
    assert_eq!(metrics.doc.map(|doc| (doc.start_line, doc.end_line)), Some((7, 7)));
    assert_eq!(metrics.signature, "pub fn metrics(&self) -> Metrics");
    assert_eq!(metrics.references, ["Metrics", "handle"]);
    assert_eq!(metrics.parent, Some(1));
    assert_eq!(parsed.symbols[find("spawn")].doc.map(|doc| doc.start_line), Some(13));
    assert_eq!(parsed.symbols[find("Open.wait")].doc.map(|doc| doc.start_line), Some(23));
    assert_eq!(parsed.imports, ["other::metrics::Metrics"]);
}

#[test]
fn what_is_exported_follows_what_is_around() {
    let text = "pub trait Open {\n    cfg_rt! { fn wait(&self); }\n}\npub mod inner {\n    cfg_rt! { pub fn seen() {} fn hidden() {} }\n}\nimpl Own {\n    cfg_rt! { pub fn seen(&self) {} fn hidden(&self) {} }\n}\n";
    let expected = [
        "trait Open 1-3 exported",
        "method Open.wait 2-2 exported",
        "namespace inner 4-6 exported",
        "function inner.seen 5-5 exported",
        "function inner.hidden 5-5",
        "impl Own 7-9 exported",
        "method Own.seen 8-8 exported",
        "method Own.hidden 8-8",
    ];
    assert_eq!(rows(text), expected);
}

#[test]
fn branches_of_conditions() {
    let text = "cfg_if::cfg_if! {
    if #[cfg(unix)] {
        /// Of Unix.
        mod unix;
        pub use unix::Event;
    } else if #[cfg(windows)] {
        mod windows;
    } else {
        cfg_if! { if #[cfg(a)] { fn nested() {} } }
        pub const NONE: u32 = { 1 };
    }
}
cfg_select! {
    feature = \"api\" => { pub mod allocate; }
    _ => { pub(crate) mod allocate; }
}
cfg_sel!({
    #[cfg(a)]
    { pub(crate) fn chosen() {} }
    #[cfg(else)]
    { pub(crate) trait Chosen { fn address(self) -> usize; } }
});
dispatch!(machine, Mach, { fn refill(state: &mut State) { work(); } });
options! {
    names: Set { default: none, methods: { pub fn with_names(self) -> Self { self } } },
}
";
    let expected = [
        "namespace unix 4-4",
        "namespace windows 7-7",
        "function nested 9-9",
        "constant NONE 10-10 exported",
        "namespace allocate 14-14 exported",
        "namespace allocate 15-15 exported",
        "function chosen 19-19 exported",
        "trait Chosen 21-21 exported",
        "method Chosen.address 21-21 exported",
        "function refill 23-23",
        "function with_names 25-25 exported",
    ];
    assert_eq!(rows(text), expected);
    let parsed = parsed(text);
    assert_eq!(parsed.symbols[0].doc.map(|doc| doc.start_line), Some(3));
    assert_eq!(parsed.imports, ["unix::Event"]);
}

#[test]
fn constants_of_flags() {
    let text = "bitflags! {
    /// Which.
    #[derive(Clone, Copy)]
    pub struct Flags: u32 {
        /// First.
        #[doc(alias = \"a\")]
        const A = 0b01;
        const B = Self::A.bits::<u8, u16>() | 2;
        // Not named.
        const _ = !0;
        const C = 4
    }

    struct Own: u8 { const X = 1; }
}
c_enum! {
    pub enum Kind {
        const KIND_ONE = 0,
        /// Two.
        const KIND_TWO = 1,
    }
}
";
    let expected = [
        "struct Flags 3-12 exported",
        "constant Flags.A 6-7 exported",
        "constant Flags.B 8-8 exported",
        "constant Flags.C 11-11 exported",
        "struct Own 14-14",
        "constant Own.X 14-14",
        "enum Kind 17-21 exported",
        "constant Kind.KIND_ONE 18-18 exported",
        "constant Kind.KIND_TWO 20-20 exported",
    ];
    assert_eq!(rows(text), expected);
    let parsed = parsed(text);
    let of = |at: usize| (parsed.symbols[at].signature.as_str(), parsed.symbols[at].doc.map(|doc| (doc.start_line, doc.end_line)));
    assert_eq!(of(0), ("pub struct Flags: u32", Some((2, 2))));
    assert_eq!(of(1), ("const A = 0b01", Some((5, 5))));
    assert_eq!(of(3), ("const C = 4", None));
    assert_eq!(of(7), ("const KIND_ONE = 0", None));
    assert_eq!(of(8), ("const KIND_TWO = 1", Some((19, 19))));
}

#[test]
fn statics_and_pinned_types() {
    let text = "thread_local! {
    /// Of a thread.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
    pub static LAST: RefCell<Vec<u8>> = RefCell::new(Vec::new())
}
scoped_thread_local!(static CURRENT: Context);
lazy_static! {
    pub static ref TABLE: HashMap<u8, u8> = { let local = 1; build(local) };
}
pin_project! {
    #[project = Projection]
    /// Pinned.
    pub struct Foo<T> where T: Sized { #[pin] inner: T, pub count: usize }
    impl<T> PinnedDrop for Foo<T> { fn drop(this: Pin<&mut Self>) {} }
}
newtype!(
    struct Cpu(u32);
);
f! { pub const safe fn align(size: usize) -> usize { size } }
tests! { fn works(ref given in any::<Join<u8>>()) { let local = 1; } }
extern_fns!(extern \"C\" { fn of_c(a: i32) -> i32; });
";
    let expected = [
        "variable DEPTH 3-3",
        "variable LAST 4-4 exported",
        "variable CURRENT 6-6",
        "variable TABLE 8-8 exported",
        "struct Foo 11-13 exported",
        "property Foo.inner 13-13",
        "property Foo.count 13-13 exported",
        "impl Foo 14-14 exported",
        "method Foo.drop 14-14 exported",
        "struct Cpu 17-17",
        "function align 19-19 exported",
        "function works 20-20",
        "function of_c 21-21",
    ];
    assert_eq!(rows(text), expected);
    assert_eq!(parsed(text).symbols[0].doc.map(|doc| doc.start_line), Some(2));
}

#[test]
fn macros_in_macros_to_a_depth() {
    let mut text = "fn innermost() {}".to_owned();
    for _ in 0..4 {
        text = format!("cfg_rt! {{ mod a; {text} }}");
    }
    assert_eq!(names(&text), ["a", "a", "a", "a", "innermost"]);
    let deep = "m! { ".repeat(1_000) + "fn never() {}" + &" }".repeat(1_000);
    assert_eq!(names(&(deep + "\nfn after() {}")), ["after"]);
    assert_eq!(names("cfg_rt! { mod a { cfg_io! { impl B { cfg_net! { fn c() {} } } } } }"), ["a", "a.B", "a.B.c"]);
}

#[test]
fn what_declares_nothing() {
    let nothing = [
        "vec![fn_of(1), struct_of(2)];",
        "assert!(a.fn_b(), \"fn no() {}\");",
        "html! { <div class=\"x\">{ struct_view() }</div> }",
        "json!({ \"fn\": { \"struct\": [1, 2] }, \"type\": null });",
        "impl_from!(u8, fn(u8) -> u8, Foo<T>);",
        "macro_like! { $name:ident => { fn $name() {} } }",
        "rules! { fn $name() {} impl $kind { } struct $kind; static ref }",
        "make! { |x| { let y = 1; fn local() {} } }",
        "traits! { impl: Clone; }",
        "grammar! { rule struct() = \"fn no() {}\" }",
        "/* m! { fn no() {} } */ // m! { fn no() {} }",
        "m! {} m!(); m!{;} m!{,} m![ #[a] ] m! { pub } m! { const } m! { static mut } m! { extern } m! { use }",
    ];
    for text in nothing {
        assert_eq!(names(text), [""; 0], "{text}");
    }
    let text = "macro_rules! make { ($name:ident) => { fn not_me() {} struct $name; } }\nfn outer() -> Tokens { thread_local! { static LOCAL: u8 = 1; } quote! { fn not_me() {} struct NotMe; } }\nconst A: Tokens = quote! { fn not_me() {} };\n";
    assert_eq!(names(text), ["make", "outer", "A"]);
    // A name that only a macro knows is none, also where something else in the item is broken.
    assert_eq!(names("m! { impl Real { fn $name() {} fn real() {} } }"), ["Real", "Real.real"]);
    assert_eq!(names("m! {\n  impl Real => {\n    fn $name() {}\n  }\n  fn $other() {}\n}"), ["Real"]);
}

#[test]
fn an_item_that_cannot_be_read_costs_only_itself() {
    let text = "cfg_rt! {\n    /// One.\n    pub fn one() {}\n    pub struct Odd: Base + ! {\n        a\n    }\n    not an item;\n    /// Two.\n    pub fn two() { let broken = ; }\n    #[attribute]\n    pub struct Full #full { a: u8 }\n    pub struct Last { pub a: u8 }\n}\nfn after() {}\n";
    let expected = [
        "function one 3-3 exported",
        "struct Odd 4-6 exported",
        "function two 9-9 exported",
        "struct Full 10-11 exported",
        "property Full.a 11-11",
        "struct Last 12-12 exported",
        "property Last.a 12-12 exported",
        "function after 14-14",
    ];
    assert_eq!(rows(text), expected);
    assert_eq!(parsed(text).symbols[2].doc.map(|doc| doc.start_line), Some(8));
    assert!(names("cfg_rt! { pub fn one() {}\nfn after() {}\n").contains(&"after".to_owned()));
}

#[test]
fn an_item_in_a_macro_is_a_chunk_as_outside() {
    let body = "        work();\n".repeat(60);
    let text = format!("cfg_rt! {{\n    /// Long.\n    pub fn long() {{\n{body}    }}\n\n    pub fn other() {{\n{body}    }}\n}}\n");
    let parsed = parsed(&text);
    let long = parsed.chunks.iter().find(|chunk| chunk.symbol == Some(0)).unwrap();
    assert_eq!((long.span.start_line, long.span.end_line, long.declares.as_slice()), (2, 65, &[0][..]));
}

#[test]
fn calls_without_number_end() {
    let unit = ["m!{fn a(){}}", "m!{fn a(", "m!{struct A:B{const C=1;}}", "m!{if #[a] {", "m!{a;fn b();", "m!(m!{", "m!{#[a]", "m!{impl A{fn a(){}"];
    for unit in unit {
        parsed(&unit.repeat(4_000));
    }
    let many = format!("m! {{ {} }}", "fn a(); x ".repeat(20_000));
    parsed(&many);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn names_stand_where_they_are_said_to_be(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "cfg_rt! {", "cfg_if! { if #[cfg(a)] {", "m!(", "m![", "}", "})", ");", "]", "} else {", "impl A {", "trait B {", "mod c {", "fn d() {", "fn e();",
                "pub struct F { g: u8 }", "pub struct H: u32 { const I = 1; const J = 2; }", "enum K { L, M(u8) }", "static ref N: u8 = 1;", "const O: u8 = { 1 };",
                "/// Doc.\n", "// note\n", "#[attr]", "#![inner]", "\n", "\r\n", "$name", "fn $p() {}", "type Q = u8;", "use r::s;", "macro_rules! t {", "=>", ",", ";", "pub",
                "const", "ä", "\"", "'u", "=",
            ]),
            0..40,
        ),
    ) {
        let text = parts.join(" ");
        let parsed = parse(language::named("rust"), &text);
        check(&text, &parsed);
        for symbol in &parsed.symbols {
            let own = &text[symbol.span.start_byte as usize..symbol.span.end_byte as usize];
            prop_assert!(own.contains(&symbol.name), "{symbol:?}");
            prop_assert!(!symbol.name.contains('$'), "{symbol:?}");
            if let Some(parent) = symbol.parent {
                prop_assert!(symbol.qualified_name.starts_with(&format!("{}.", parsed.symbols[parent as usize].qualified_name)), "{symbol:?}");
                prop_assert!(parsed.symbols[parent as usize].kind != SymbolKind::Constant, "{symbol:?}");
            }
        }
    }
}
