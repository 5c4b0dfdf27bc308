//! What single lines of C and C++ show.

use crate::syntax::SymbolKind;
use crate::syntax::plain::{Plain, by_words};

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    if let Some(rest) = line.strip_prefix('#') {
        let name = rest.trim_start().strip_prefix("define")?.trim_start();
        let name = &name[..name.find(|char: char| !is_word(char)).unwrap_or(name.len())];
        return (!name.is_empty()).then_some(Plain { kind: SymbolKind::Macro, name, exported: true });
    }
    let keywords = [
        ("class", SymbolKind::Class),
        ("struct", SymbolKind::Struct),
        ("union", SymbolKind::Struct),
        ("enum", SymbolKind::Enum),
        ("namespace", SymbolKind::Namespace),
    ];
    if let Some(plain) = by_words(line, &["typedef", "static", "inline", "const"], &keywords) {
        let after = line[line.find(plain.name).unwrap_or(0) + plain.name.len()..].trim();
        let opens = after.is_empty() || (after.starts_with(['{', ':']) && !after.starts_with("::")) || after.starts_with("final");
        return opens.then_some(Plain { exported: true, ..plain });
    }
    plain_type(line).or_else(|| plain_function(line))
}

/// `typedef int name;` and the `} name;` of one that began before.
fn plain_type(line: &str) -> Option<Plain<'_>> {
    let words = line.strip_prefix("typedef ").or_else(|| line.strip_prefix("} "))?;
    let (words, _) = words.split_once(';')?;
    let name = words.rsplit(|char: char| !is_word(char)).next()?;
    is_name(name).then_some(Plain { kind: SymbolKind::Type, name, exported: true })
}

/// Whether a text with the ending of C is C++: it has words that begin lines of C++ only.
pub(in crate::syntax) fn is_cpp(text: &str) -> bool {
    // Most lines are told by their first letter.
    text.lines().map(str::trim_start).filter(|line| line.starts_with(['t', 'p', 'u', 'e', 'n', 'c'])).any(|line| {
        let name_follows = |rest: &str| rest.trim_start().starts_with(|char: char| char.is_alphabetic() || char == '_') && !rest.contains(['=', '(', ',']);
        let starts = ["template <", "template<", "public:", "private:", "protected:", "using namespace ", "enum class "];
        starts.iter().any(|start| line.starts_with(start))
            || line.strip_prefix("namespace ").is_some_and(|rest| name_follows(rest) || rest.starts_with('{'))
            || line.strip_prefix("class ").is_some_and(name_follows)
    })
}

/// `static int name(int a) {`, `int (*name)(int);`, `API int (name) (int);` and `static int name =` at the start of a line.
fn plain_function(line: &str) -> Option<Plain<'_>> {
    if line.starts_with(char::is_whitespace) {
        return None;
    }
    let line = line.trim_end();
    let Some((before, rest)) = line.split_once('(') else { return plain_variable(line) };
    let exported = !line.starts_with("static");
    if before.ends_with([' ', '\t', '*']) && is_type(before) {
        let (pointer, rest) = rest.strip_prefix('*').map_or((false, rest), |rest| (true, rest));
        let name = &rest[..rest.find(|char: char| !is_word(char)).unwrap_or(rest.len())];
        let kind = if pointer { SymbolKind::Variable } else { SymbolKind::Function };
        let is_declarator = !name.is_empty() && rest[name.len()..].strip_prefix(')').is_some_and(|rest| rest.trim_start().starts_with('('));
        if is_declarator && !line.starts_with("typedef") {
            return Some(Plain { kind, name, exported });
        }
    }
    if before.contains('=') {
        return plain_variable(line);
    }
    let name = before.rsplit(|char: char| !is_word(char)).next()?;
    let words = before[..before.len() - name.len()].trim_end_matches(['*', '&', ' ', '\t']);
    // Without a type it is a definition, as the line before may hold the type, or a call.
    let fits = if words.is_empty() { line.ends_with('{') && !is_statement(name) } else { is_type(words) };
    (fits && is_name(name) && !is_statement(name)).then_some(Plain { kind: SymbolKind::Function, name, exported })
}

/// `static const int name =` and `int name[2] =`.
fn plain_variable(line: &str) -> Option<Plain<'_>> {
    let (before, _) = line.split_once('=')?;
    let before = before.split('[').next()?.trim_end();
    let name = before.rsplit(|char: char| !is_word(char)).next()?;
    let words = before[..before.len() - name.len()].trim_end_matches(['*', '&', ' ', '\t']);
    let fits = !words.is_empty() && is_type(words) && is_name(name);
    fits.then_some(Plain { kind: SymbolKind::Variable, name, exported: !line.starts_with("static") })
}

/// Whether the words before a name may be its type.
fn is_type(words: &str) -> bool {
    let first = words.split(|char: char| !is_word(char)).next().unwrap_or_default();
    let fits = |char: char| is_word(char) || matches!(char, ' ' | '\t' | '*' | '&' | ':' | '<' | '>' | ',');
    !first.is_empty() && !is_statement(first) && !words.ends_with("::") && words.chars().all(fits)
}

pub(super) fn is_statement(word: &str) -> bool {
    matches!(word, "return" | "else" | "if" | "while" | "for" | "switch" | "case" | "do" | "goto" | "new" | "delete" | "throw" | "sizeof" | "using" | "defined")
}

pub(super) fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit())
}

pub(super) fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
