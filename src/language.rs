//! The table of languages: which files are written in which, how their tests and generated files are named, and how useful each kind is when
//! bounds force a choice.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use crate::rel_path::RelPath;

/// What a file is good for, most useful first: the order in which bounds keep files.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Source in a language with a grammar here.
    Parsed,
    /// Prose and configuration.
    Text,
    /// Source in a language without a grammar here.
    Source,
    /// Everything else.
    Other,
}

/// One row of the table.
#[derive(Debug, PartialEq, Eq)]
pub struct Language {
    /// The label stored with the file, lower case.
    pub name: &'static str,
    /// Extensions without the dot, lower case.
    pub extensions: &'static [&'static str],
    /// Whole file names, lower case.
    pub file_names: &'static [&'static str],
    /// Interpreters named by a first line that starts with `#!`.
    pub interpreters: &'static [&'static str],
    /// What it is good for.
    pub value: Use,
    /// How its tests are named: names without their last extension, in which one `*` stands for any characters.
    pub tests: &'static [&'static str],
    /// How its generated files are named, in the same form.
    pub generated: &'static [&'static str],
}

const fn row(
    name: &'static str,
    value: Use,
    extensions: &'static [&'static str],
    file_names: &'static [&'static str],
    interpreters: &'static [&'static str],
) -> Language {
    Language { name, extensions, file_names, interpreters, value, tests: &[], generated: &[] }
}

impl Language {
    const fn tests(mut self, names: &'static [&'static str]) -> Self {
        self.tests = names;
        self
    }

    const fn generated(mut self, names: &'static [&'static str]) -> Self {
        self.generated = names;
        self
    }

    /// Whether a file of that name holds tests.
    pub fn is_test(&self, file_name: &str) -> bool {
        is_named(file_name, self.tests)
    }

    /// Whether a file of that name is one that a tool writes.
    pub fn is_generated(&self, file_name: &str) -> bool {
        is_named(file_name, self.generated)
    }
}

fn is_named(file_name: &str, patterns: &[&str]) -> bool {
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    patterns.iter().any(|pattern| match pattern.split_once('*') {
        Some((start, end)) => stem.len() > start.len() + end.len() && stem.starts_with(start) && stem.ends_with(end),
        None => stem == *pattern,
    })
}

/// Of languages whose files have the name of their class.
const CLASS_TESTS: &[&str] = &["*Test", "*Tests", "*Spec"];
/// Of languages whose file names are words joined by `_`.
const WORD_TESTS: &[&str] = &["test_*", "*_test", "*_tests", "*_spec"];
/// Of the scripts of a web page.
const SCRIPT_TESTS: &[&str] = &["*.test", "*.spec", "*.e2e", "*_test", "*_spec", "*Test", "*Tests", "*Spec"];

use Use::{Other, Parsed, Source, Text};

/// Every language that is known by name.
#[rustfmt::skip]
pub const LANGUAGES: &[Language] = &[
    row("typescript", Parsed, &["ts", "mts", "cts"], &[], &["ts-node", "tsx", "deno"]).tests(SCRIPT_TESTS).generated(&["*.generated", "*.gen", "*_pb"]),
    row("tsx", Parsed, &["tsx"], &[], &[]).tests(SCRIPT_TESTS),
    row("javascript", Parsed, &["js", "mjs", "cjs"], &["jakefile"], &["node", "nodejs", "bun"]).tests(SCRIPT_TESTS).generated(&["*.generated", "*.gen", "*_pb"]),
    row("jsx", Parsed, &["jsx"], &[], &[]).tests(SCRIPT_TESTS),

    row("ada", Source, &["adb", "ads"], &[], &[]),
    row("assembly", Source, &["asm", "s"], &[], &[]),
    row("astro", Source, &["astro"], &[], &[]),
    row("bash", Parsed, &["sh", "bash", "zsh", "ksh", "bats"], &[".bashrc", ".bash_profile", ".profile", ".zshrc", "pkgbuild"], &["sh", "bash", "zsh", "ksh", "dash"]).tests(WORD_TESTS),
    row("c", Parsed, &["c", "h"], &[], &[]).tests(WORD_TESTS).generated(&["*.pb-c", "*.tab", "*.yy"]),
    row("clojure", Source, &["clj", "cljs", "cljc", "edn"], &[], &["bb"]).tests(&["*_test"]),
    row("cmake", Source, &["cmake"], &["cmakelists.txt"], &[]),
    row("cpp", Parsed, &["cc", "cpp", "cxx", "c++", "hh", "hpp", "hxx", "h++", "ipp", "inl", "tpp", "cppm", "ixx"], &[], &[]).tests(&["test_*", "*_test", "*_tests", "*_unittest", "*Test", "*Tests"]).generated(&["*.pb", "*.grpc.pb", "moc_*"]),
    row("crystal", Source, &["cr"], &[], &["crystal"]),
    row("csharp", Parsed, &["cs", "csx"], &[], &[]).tests(CLASS_TESTS).generated(&["*.g", "*.g.i", "*.designer", "*.Designer", "*.generated", "*.Generated"]),
    row("css", Parsed, &["css"], &[], &[]),
    row("cuda", Source, &["cu", "cuh"], &[], &[]),
    row("d", Source, &["d"], &[], &[]),
    row("dart", Source, &["dart"], &[], &["dart"]).tests(&["*_test"]).generated(&["*.g", "*.freezed", "*.pb"]),
    row("dockerfile", Source, &["dockerfile", "containerfile"], &["dockerfile", "containerfile"], &[]),
    row("elixir", Source, &["ex", "exs"], &[], &["elixir"]).tests(&["*_test"]),
    row("elm", Source, &["elm"], &[], &[]),
    row("erlang", Source, &["erl", "hrl"], &["rebar.config"], &["escript"]).tests(&["*_SUITE", "*_tests"]),
    row("fish", Source, &["fish"], &[], &["fish"]),
    row("fortran", Source, &["f", "for", "f90", "f95", "f03", "f08"], &[], &[]),
    row("fsharp", Source, &["fs", "fsi", "fsx"], &[], &[]),
    row("gdscript", Source, &["gd"], &[], &[]),
    row("glsl", Source, &["glsl", "vert", "frag", "comp", "wgsl", "hlsl"], &[], &[]),
    row("go", Parsed, &["go"], &[], &[]).tests(&["*_test"]).generated(&["*.pb", "*.pb.gw", "zz_generated*"]),
    row("go-module", Text, &[], &["go.mod", "go.work"], &[]),
    row("gradle", Source, &["gradle"], &[], &[]),
    row("graphql", Source, &["graphql", "gql", "graphqls"], &[], &[]),
    row("groovy", Source, &["groovy", "gvy"], &["jenkinsfile"], &["groovy"]).tests(CLASS_TESTS),
    row("haskell", Source, &["hs", "lhs"], &[], &["runhaskell"]).tests(CLASS_TESTS),
    row("hcl", Source, &["tf", "tfvars", "hcl"], &[], &[]),
    row("html", Parsed, &["html", "htm", "xhtml"], &[], &[]),
    row("java", Parsed, &["java"], &[], &[]).tests(CLASS_TESTS),
    row("julia", Source, &["jl"], &[], &["julia"]),
    row("just", Source, &["just"], &["justfile", ".justfile"], &["just"]),
    row("kotlin", Parsed, &["kt", "kts"], &[], &["kotlin"]).tests(CLASS_TESTS),
    row("less", Source, &["less"], &[], &[]),
    row("lisp", Source, &["lisp", "lsp", "cl", "el"], &[], &["sbcl"]),
    row("lua", Parsed, &["lua"], &[], &["lua", "luajit"]).tests(WORD_TESTS),
    row("makefile", Source, &["mk", "mak"], &["makefile", "gnumakefile"], &["make"]),
    row("matlab", Source, &["matlab"], &[], &["octave"]),
    row("meson", Source, &[], &["meson.build", "meson_options.txt"], &[]),
    row("nim", Source, &["nim", "nims"], &[], &[]),
    row("nix", Source, &["nix"], &[], &[]),
    row("objective-c", Source, &["m", "mm"], &[], &[]).tests(CLASS_TESTS).generated(&["*.pbobjc"]),
    row("ocaml", Source, &["ml", "mli"], &[], &["ocaml"]),
    row("pascal", Source, &["pas", "pp", "dpr"], &[], &[]),
    row("perl", Source, &["pl", "pm", "t"], &[], &["perl"]),
    row("php", Parsed, &["php", "phtml", "php5", "php7", "php8"], &[], &["php"]).tests(CLASS_TESTS),
    row("powershell", Source, &["ps1", "psm1", "psd1"], &[], &["pwsh", "powershell"]),
    row("prisma", Source, &["prisma"], &[], &[]),
    row("protobuf", Source, &["proto"], &[], &[]),
    row("python", Parsed, &["py", "pyi", "pyw", "pyx"], &["sconstruct", "sconscript", "wscript"], &["python", "pypy"]).tests(&["test_*", "*_test", "*_tests", "conftest"]).generated(&["*_pb2", "*_pb2_grpc"]),
    row("r", Source, &["r", "rmd"], &[".rprofile"], &["rscript"]),
    row("ruby", Parsed, &["rb", "rake", "gemspec", "ru", "podspec"], &["gemfile", "rakefile", "podfile", "fastfile", "vagrantfile", "brewfile", "guardfile"], &["ruby"]).tests(&["*_spec", "*_test", "test_*"]).generated(&["*_pb"]),
    row("rust", Parsed, &["rs"], &[], &["rust-script"]).tests(&["tests", "*_test", "*_tests", "test_*"]),
    row("scala", Parsed, &["scala", "sc", "sbt"], &[], &["scala"]).tests(CLASS_TESTS),
    row("scheme", Source, &["scm", "ss", "rkt"], &[], &["guile", "racket"]),
    row("scss", Source, &["scss", "sass"], &[], &[]),
    row("solidity", Source, &["sol"], &[], &[]),
    row("sql", Source, &["sql", "ddl", "dml", "psql"], &[], &[]),
    row("starlark", Source, &["bzl", "bazel", "star"], &["build", "workspace", "tiltfile"], &[]),
    row("svelte", Parsed, &["svelte"], &[], &[]).tests(SCRIPT_TESTS),
    row("swift", Parsed, &["swift"], &[], &["swift"]).tests(CLASS_TESTS).generated(&["*.pb", "*.generated"]),
    row("tcl", Source, &["tcl"], &[], &["tclsh", "wish"]),
    row("thrift", Source, &["thrift"], &[], &[]),
    row("twig", Source, &["twig", "jinja", "jinja2", "j2", "liquid", "hbs", "mustache", "ejs", "erb", "haml", "pug"], &[], &[]),
    row("verilog", Source, &["v", "sv", "svh", "vh"], &[], &[]),
    row("vhdl", Source, &["vhd", "vhdl"], &[], &[]),
    row("vim", Source, &["vim"], &[".vimrc"], &[]),
    row("visual-basic", Source, &["vb", "bas", "vbs"], &[], &[]),
    row("vue", Parsed, &["vue"], &[], &[]).tests(SCRIPT_TESTS),
    row("xml", Text, &["xml", "xsd", "xsl", "xslt", "wsdl", "xaml", "csproj", "fsproj", "vbproj", "props", "targets", "plist", "storyboard", "xib"], &[], &[]),
    row("zig", Source, &["zig", "zon"], &[], &[]),
    row("awk", Source, &["awk"], &[], &["awk", "gawk"]),
    row("batch", Source, &["bat", "cmd"], &[], &[]),

    row("markdown", Text, &["md", "markdown", "mdx", "mkd"], &[], &[]),
    row("rst", Text, &["rst"], &[], &[]),
    row("asciidoc", Text, &["adoc", "asciidoc"], &[], &[]),
    row("org", Text, &["org"], &[], &[]),
    row("latex", Text, &["tex", "sty", "bib"], &[], &[]),
    row("text", Text, &["txt", "text"], &["readme", "license", "licence", "copying", "notice", "authors", "contributors", "changelog", "changes", "news", "todo", "install", "codeowners", "version"], &[]),
    row("json", Text, &["json", "jsonc", "json5", "webmanifest", "code-workspace"], &[".babelrc", ".eslintrc", ".prettierrc", ".swcrc"], &[]),
    row("yaml", Text, &["yaml", "yml"], &[".clang-format", ".clang-tidy"], &[]),
    row("toml", Text, &["toml"], &["pipfile"], &[]),
    row("ini", Text, &["ini", "cfg", "conf", "config", "cnf", "service", "desktop"], &[".editorconfig", ".gitconfig", ".gitmodules", ".flake8", ".pylintrc"], &[]),
    row("properties", Text, &["properties"], &[], &[]),
    row("ignore", Text, &[], &[".gitignore", ".dockerignore", ".npmignore", ".eslintignore", ".prettierignore", ".gitattributes", ".agentignore", ".helmignore"], &[]),
    row("procfile", Text, &[], &["procfile"], &[]),

    row("csv", Other, &["csv", "tsv"], &[], &[]),
    row("diff", Other, &["diff", "patch"], &[], &[]),
    row("json-lines", Other, &["jsonl", "ndjson"], &[], &[]),
    row("log", Other, &["log"], &[], &[]),
    row("notebook", Parsed, &["ipynb"], &[], &[]),
    row("svg", Other, &["svg"], &[], &[]),
];

struct Lookup {
    extensions: HashMap<&'static str, &'static Language>,
    file_names: HashMap<&'static str, &'static Language>,
    interpreters: HashMap<&'static str, &'static Language>,
}

static LOOKUP: LazyLock<Lookup> = LazyLock::new(|| {
    fn by(keys: fn(&'static Language) -> &'static [&'static str]) -> HashMap<&'static str, &'static Language> {
        LANGUAGES.iter().flat_map(|language| keys(language).iter().map(move |&key| (key, language))).collect()
    }
    Lookup {
        extensions: by(|language| language.extensions),
        file_names: by(|language| language.file_names),
        interpreters: by(|language| language.interpreters),
    }
});

/// The language of a file, by its name and else by its first line; `None` if no row knows it.
///
/// A whole file name counts more than an extension, an extension more than the first line. `Dockerfile.dev` is a Dockerfile.
pub fn of(path: &RelPath, first_line: &str) -> Option<&'static Language> {
    let name = path.file_name().to_lowercase();
    LOOKUP
        .file_names
        .get(name.as_str())
        .or_else(|| LOOKUP.extensions.get(path.extension().as_str()))
        .or_else(|| LOOKUP.file_names.get(name.split('.').next().filter(|stem| matches!(*stem, "dockerfile" | "containerfile" | "makefile"))?))
        .copied()
        .or_else(|| by_interpreter(first_line))
}

/// The language that a first line such as `#!/usr/bin/env -S python3.12 -u` names.
fn by_interpreter(first_line: &str) -> Option<&'static Language> {
    let command = first_line.trim_start_matches('\u{feff}').strip_prefix("#!")?;
    let mut words = command.split_whitespace().map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word));
    let mut program = words.next()?;
    if program == "env" {
        program = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    }
    let program = program.trim_end_matches(".exe").to_lowercase();
    let bare = program.trim_end_matches(|character: char| character.is_ascii_digit() || character == '.');
    LOOKUP.interpreters.get(program.as_str()).or_else(|| LOOKUP.interpreters.get(bare)).copied()
}

/// The language of a file: the user's word on its extension, else that of the table (see [`of`]).
pub fn of_mapped(path: &RelPath, first_line: &str, mapped: &BTreeMap<String, &'static Language>) -> Option<&'static Language> {
    mapped.get(&path.extension()).copied().or_else(|| of(path, first_line))
}

/// The language of a name in the table.
pub fn named(name: &str) -> Option<&'static Language> {
    LANGUAGES.iter().find(|language| language.name == name)
}

/// What a file is good for by its name alone, the order in which bounds keep files.
pub fn use_of(path: &RelPath, mapped: &BTreeMap<String, &'static Language>) -> Use {
    of_mapped(path, "", mapped).map_or(Other, |language| language.value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(path: &str, first_line: &str) -> Option<&'static str> {
        of(&RelPath::parse(path).unwrap(), first_line).map(|language| language.name)
    }

    #[test]
    fn names_extensions_and_first_lines_decide_in_this_order() {
        let cases = [
            ("src/a.ts", "", Some("typescript")),
            ("src/a.d.ts", "", Some("typescript")),
            ("src/A.TSX", "", Some("tsx")),
            ("a.mjs", "", Some("javascript")),
            ("a.jsx", "", Some("jsx")),
            ("Dockerfile", "", Some("dockerfile")),
            ("Dockerfile.dev", "", Some("dockerfile")),
            ("CMakeLists.txt", "", Some("cmake")),
            ("Makefile", "", Some("makefile")),
            ("bin/run", "#!/usr/bin/env -S python3.12 -u", Some("python")),
            ("bin/run", "#!/usr/bin/env FOO=1 node", Some("javascript")),
            ("bin/run", "#!/bin/sh -e", Some("bash")),
            ("bin/run", "#!/usr/local/bin/unheard-of", None),
            ("bin/run", "#!", None),
            ("bin/run", "# !python", None),
            ("run.rb", "#!/usr/bin/env python", Some("ruby")),
            ("README", "", Some("text")),
            ("data.bin2", "", None),
        ];
        for (path, first_line, expected) in cases {
            assert_eq!(name(path, first_line), expected, "{path} {first_line}");
        }
    }

    #[test]
    fn the_users_word_on_an_extension_comes_first() {
        let mapped = BTreeMap::from([("inc".to_owned(), named("php").unwrap()), ("ts".to_owned(), named("xml").unwrap())]);
        let of = |path: &str| of_mapped(&RelPath::parse(path).unwrap(), "#!/bin/sh", &mapped).map(|language| language.name);
        assert_eq!(
            [of("a.INC"), of("a.ts"), of("a.rs"), of("run"), named("klingon").map(|language| language.name)],
            [Some("php"), Some("xml"), Some("rust"), Some("bash"), None]
        );
        assert_eq!(use_of(&RelPath::parse("a.inc").unwrap(), &mapped), Parsed);
    }

    #[test]
    fn no_key_stands_in_two_rows() {
        type Keys = fn(&'static Language) -> &'static [&'static str];
        let columns: [Keys; 3] = [|language| language.extensions, |language| language.file_names, |language| language.interpreters];
        for keys in columns {
            let mut all: Vec<_> = LANGUAGES.iter().flat_map(|language| keys(language).iter().copied()).collect();
            assert!(all.iter().all(|key| *key == key.to_lowercase()));
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        }
    }

    #[test]
    fn a_row_says_how_tests_and_generated_files_are_named() {
        const TOY: Language = row("toy", Parsed, &["toy"], &["toyfile"], &["toy"]).tests(&["*_check", "checks"]).generated(&["gen_*"]);
        assert_eq!(["a_check.toy", "checks.toy", "_check.toy", "a_checks.toy", "Toyfile"].map(|name| TOY.is_test(name)), [true, true, false, false, false]);
        assert_eq!(["gen_a.toy", "gen_", "regen_a.toy"].map(|name| TOY.is_generated(name)), [true, false, false]);
        let of = |path: &str| of(&RelPath::parse(path).unwrap(), "").map(|row| (row.is_test(path), row.is_generated(path)));
        let cases = [
            ("a_test.go", (true, false)),
            ("a.pb.go", (false, true)),
            ("latest.py", (false, false)),
            ("conftest.py", (true, false)),
            ("a_pb2.py", (false, true)),
            ("FooTest.java", (true, false)),
            ("a.spec.ts", (true, false)),
            ("Form.Designer.cs", (false, true)),
            ("tests.rs", (true, false)),
        ];
        for (path, expected) in cases {
            assert_eq!(of(path), Some(expected), "{path}");
        }
    }

    #[test]
    fn uses_are_ordered_by_usefulness() {
        let uses: Vec<_> = ["a.ts", "a.md", "a.cr", "a.csv"].iter().map(|path| use_of(&RelPath::parse(path).unwrap(), &BTreeMap::new())).collect();
        assert_eq!(uses, [Parsed, Text, Source, Other]);
        assert!(uses.is_sorted());
    }
}
