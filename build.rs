//! Makes what is compiled in: the o200k vocabulary as a map that is used as it lies in the binary, and the kinds of characters that texts are split by.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::{env, fs};

use regex_syntax::hir::{Class, HirKind};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var_os("CARGO_FEATURE_BINDING").is_some() {
        napi_build::setup();
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo names the folder of output"));
    fs::write(out.join("o200k.fst"), vocabulary()).expect("the folder of output can be written");
    fs::write(out.join("kinds.rs"), kinds()).expect("the folder of output can be written");
}

/// Each token's bytes with its rank.
fn vocabulary() -> Vec<u8> {
    let tokenizer = bpe_openai::o200k_base();
    let count = u32::try_from(tokenizer.bpe.num_tokens()).expect("a rank has 32 bits");
    let mut tokens: Vec<(&[u8], u64)> = (0..count).map(|rank| (tokenizer.bpe.token_bytes(rank), u64::from(rank))).collect();
    tokens.sort_unstable();
    fst::Map::from_iter(tokens).expect("tokens are sorted and different").into_fst().into_inner()
}

/// The starts of the runs of characters of one kind, in order, as an expression of Rust.
fn kinds() -> String {
    const KINDS: [(&str, &str); 7] = [
        ("Upper", r"[\p{Lu}\p{Lt}]"),
        ("Lower", r"\p{Ll}"),
        ("Letter", r"[\p{Lm}\p{Lo}]"),
        ("Mark", r"\p{M}"),
        ("Number", r"\p{N}"),
        ("LineEnd", r"[\r\n]"),
        ("Space", r"[\s--[\r\n]]"),
    ];
    let mut runs: Vec<(u32, u32, &str)> = Vec::new();
    for (kind, expression) in KINDS {
        let parsed = regex_syntax::parse(expression).expect("the expression is sound");
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else { panic!("{expression} is no class of characters") };
        runs.extend(class.ranges().iter().map(|range| (u32::from(range.start()), u32::from(range.end()) + 1, kind)));
    }
    runs.sort_unstable();
    let mut text = "&[".to_owned();
    let mut at = 0;
    for (start, end, kind) in runs {
        if at < start {
            write!(text, "({at}, Kind::Other),").expect("a string takes all");
        }
        write!(text, "({start}, Kind::{kind}),").expect("a string takes all");
        at = end;
    }
    write!(text, "({at}, Kind::Other)]").expect("a string takes all");
    text
}
