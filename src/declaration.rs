//! Tells from a single line, in any common language, what it declares: evidence where no grammar has looked.

/// Words before a declaring word.
const MODIFIERS: &[&str] = &[
    "export",
    "default",
    "declare",
    "pub",
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "async",
    "unsafe",
    "extern",
    "const",
    "override",
    "virtual",
    "inline",
    "sealed",
    "open",
    "partial",
    "readonly",
    "data",
    "suspend",
    "local",
    "global",
    "mutable",
    "constexpr",
    "volatile",
    "synchronized",
    "native",
    "lazy",
    "implicit",
    "case",
    "crate",
];
/// How a line declares a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// With a word such as `class` or `fn`.
    Definition,
    /// The block that implements a type: `impl X`.
    Implementation,
    /// By its form alone: `name(…) {`.
    Method,
    /// `const`, `let`, `var`, or `NAME = …`.
    Variable,
    /// `name: …`.
    Property,
}

impl Form {
    /// How sure it is that this is the declaration that people mean, from 0 to 1.
    pub fn strength(self) -> f64 {
        match self {
            Form::Definition => 1.0,
            Form::Implementation => 0.7,
            Form::Method => 0.8,
            Form::Variable => 0.6,
            Form::Property => 0.3,
        }
    }
}

/// Words that declare variables.
const VARIABLES: &[&str] = &["const", "let", "var", "val", "static"];
/// Words that declare the name after them.
const DECLARING: &[&str] = &[
    "def",
    "class",
    "fn",
    "func",
    "function",
    "fun",
    "struct",
    "enum",
    "trait",
    "type",
    "interface",
    "mod",
    "module",
    "namespace",
    "const",
    "let",
    "var",
    "val",
    "record",
    "union",
    "protocol",
    "object",
    "static",
    "sub",
    "defmodule",
    "defp",
    "defmacro",
    "macro_rules!",
    "macro",
    "#define",
    "typedef",
    "actor",
    "extension",
    "typealias",
    "newtype",
    "table",
    "view",
    "procedure",
];
/// Words that open a block and name nothing.
const CONTROL: &[&str] = &[
    "if", "for", "while", "switch", "catch", "return", "with", "match", "else", "elif", "await", "yield", "throw", "raise", "except", "echo", "impl", "where",
    "new", "do", "try", "super", "assert", "print", "import", "require", "from", "use", "in", "not", "and", "or", "typeof", "delete", "case",
];

/// The name that a line declares; `None` if it seems to declare nothing.
pub fn declared_name(line: &str) -> Option<(&str, Form)> {
    let mut rest = line.trim_start();
    if rest.starts_with("//") || rest.starts_with("/*") || rest.starts_with('*') || rest.starts_with("--") {
        return None;
    }
    loop {
        let word = rest.split(|c: char| c.is_whitespace() || c == '(' || c == '*').next().unwrap_or_default();
        let tail = &rest[word.len()..];
        if DECLARING.contains(&word) {
            let after = tail.trim_start().trim_start_matches('*').trim_start();
            let after = after.strip_prefix("mut ").unwrap_or(after);
            // Go writes the receiver between the word and the name.
            let after = if word == "func" && after.starts_with('(') { after.split_once(')').map_or(after, |(_, name)| name.trim_start()) } else { after };
            let name = identifier(after);
            // `static int parse(`: what follows is the type, not the name.
            let typed = MODIFIERS.contains(&word) && !identifier(after[name.len()..].trim_start_matches(['*', '&', ' '])).is_empty();
            if !name.is_empty() && !typed && !(MODIFIERS.contains(&word) && (DECLARING.contains(&name) || MODIFIERS.contains(&name))) {
                return Some((name, form_of(word, rest)));
            }
        }
        let visibility = word == "pub" && tail.starts_with('(');
        if visibility {
            rest = tail.split_once(')').map_or("", |(_, after)| after.trim_start());
        } else if MODIFIERS.contains(&word) && !tail.trim_start().is_empty() {
            rest = tail.trim_start();
        } else {
            break;
        }
    }
    implemented(rest).or_else(|| plain(rest, line))
}

fn form_of(word: &str, rest: &str) -> Form {
    // `mod x;` only says that the module is elsewhere.
    let elsewhere = word == "mod" && rest.trim_end().ends_with(';');
    match word {
        _ if elsewhere || VARIABLES.contains(&word) => Form::Variable,
        _ => Form::Definition,
    }
}

/// The type of `impl X`, `impl<T> X<T>` and `impl Trait for X`.
fn implemented(rest: &str) -> Option<(&str, Form)> {
    let mut rest = rest.strip_prefix("impl")?;
    if rest.starts_with('<') {
        let mut depth = 0;
        let end = rest.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        })?;
        rest = &rest[end + 1..];
    }
    let own = rest.split(" for ").nth(1).unwrap_or(rest).trim_start();
    let own = own.split(['<', ' ', '{']).next()?;
    let name = identifier(own.rsplit("::").next()?);
    (!name.is_empty()).then_some((name, Form::Implementation))
}

/// A method or member by its form alone: `name(…) {`, `type name(…) {`, `NAME = …` and `name: …` without indentation.
fn plain<'a>(rest: &'a str, line: &str) -> Option<(&'a str, Form)> {
    let rest = rest.trim_start_matches(['*', '#']).trim_start();
    let rest = rest.strip_prefix("get ").or_else(|| rest.strip_prefix("set ")).unwrap_or(rest);
    let name = identifier(rest);
    if name.is_empty() || CONTROL.contains(&name) {
        return None;
    }
    let tail = rest[name.len()..].trim_start();
    let opens = line.trim_end().ends_with(['{', ',', '(']) || line.trim_end().ends_with("=>");
    if tail.starts_with('(') && line.trim_end().ends_with('{') && !is_call_with_callback(tail) {
        return Some((name, Form::Method));
    }
    let outer = !line.starts_with([' ', '\t']);
    if tail.starts_with('=') && !tail.starts_with("==") && !tail.starts_with("=>") && (outer || opens) {
        return Some((name, Form::Variable));
    }
    if tail.starts_with(':') && !tail.starts_with("::") && opens {
        return Some((name, Form::Property));
    }
    // C, C++, Java, C#: `type name(` at the start of a declaration.
    let second = identifier(tail.trim_start_matches(['*', '&']).trim_start());
    if !second.is_empty() && !CONTROL.contains(&second) && line.trim_end().ends_with(['{', ')']) {
        let at = second.as_ptr() as usize - rest.as_ptr() as usize + second.len();
        if rest[at..].starts_with('(') {
            return Some((second, Form::Method));
        }
    }
    None
}

/// Whether the brackets after a name are still open where the line opens a block: `read(path, (error) => {`.
fn is_call_with_callback(tail: &str) -> bool {
    let depth = tail.chars().fold(0_i32, |depth, char| depth + i32::from(char == '(') - i32::from(char == ')'));
    depth > 0
}

fn identifier(text: &str) -> &str {
    let end = text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len());
    let name = &text[..end];
    if name.starts_with(|c: char| c.is_ascii_digit()) { "" } else { name }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn declarations_of_many_languages_are_seen() {
        let cases = [
            ("def run(self):", Some("run")),
            ("    async def fetch(url):", Some("fetch")),
            ("class Worker(Base):", Some("Worker")),
            ("pub(crate) async fn ref_dec(&self) -> bool {", Some("ref_dec")),
            ("pub struct OrphanQueue<T> {", Some("OrphanQueue")),
            ("macro_rules! try_join {", Some("try_join")),
            ("func (s *Server) Serve(l net.Listener) error {", Some("Serve")),
            ("func main() {", Some("main")),
            ("export default class Foo extends Bar {", Some("Foo")),
            ("export const effectDiscard: {", Some("effectDiscard")),
            ("  setUsed(exportName, runtime) {", Some("setUsed")),
            ("  get size() {", Some("size")),
            ("#define MAX_LEN 10", Some("MAX_LEN")),
            ("static int parse_line(char *line) {", Some("parse_line")),
            ("public static void main(String[] args) {", Some("main")),
            ("DEFAULT_TIMEOUT = 5", Some("DEFAULT_TIMEOUT")),
            ("fun greet(name: String) = 1", Some("greet")),
            ("const fn zero() -> u8 {", Some("zero")),
            ("let mut total = 0;", Some("total")),
            ("impl<T: Into<u8>> Stream for BroadcastStream<T> {", Some("BroadcastStream")),
            ("unsafe impl Wait {", Some("Wait")),
            ("if (ready) {", None),
            ("} else if (a) {", None),
            ("// def nothing", None),
            ("return call(x)", None),
            ("\t\tresolve(context, path, {}, (error, _, result) => {", None),
            ("    each(list, function (item) {", None),
            ("for (const a of b) {", None),
            ("", None),
        ];
        for (line, expected) in cases {
            assert_eq!(declared_name(line).map(|(name, _)| name), expected, "{line:?}");
        }
    }
}
