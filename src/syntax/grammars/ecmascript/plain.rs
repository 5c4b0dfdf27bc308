//! Declarations that one line shows.

use crate::syntax::SymbolKind;
use crate::syntax::plain::Plain;

/// A declaration that its first line shows, such as `export async function name(`.
pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let mut rest = line.trim_start();
    let indented = rest.len() < line.len();
    let mut exported = false;
    loop {
        let word_end = rest.find(|char: char| !is_word(char)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(word_end);
        let after_space = after.trim_start();
        let kind = match word {
            "export" | "default" | "declare" | "abstract" | "async" => {
                exported |= word == "export";
                rest = after_space;
                continue;
            }
            "class" => SymbolKind::Class,
            "interface" => SymbolKind::Interface,
            "enum" => SymbolKind::Enum,
            "namespace" | "module" => SymbolKind::Namespace,
            "type" => SymbolKind::Type,
            "function" => SymbolKind::Function,
            "const" if after_space.starts_with("enum ") => {
                rest = after_space;
                continue;
            }
            "const" if !indented => SymbolKind::Constant,
            "let" | "var" if !indented => SymbolKind::Variable,
            _ => return None,
        };
        let named = if kind == SymbolKind::Function { after_space.trim_start_matches(['*', ' ']) } else { after_space };
        let name = &named[..named.find(|char: char| !is_word(char)).unwrap_or(named.len())];
        let follows = named[name.len()..].trim_start();
        let fits = match kind {
            SymbolKind::Function => follows.starts_with(['(', '<']),
            SymbolKind::Type => follows.starts_with(['=', '<']),
            SymbolKind::Constant | SymbolKind::Variable => follows.starts_with(['=', ':', ';']) || follows.is_empty(),
            SymbolKind::Class | SymbolKind::Interface => follows.is_empty() || follows.starts_with(['{', '<', 'e', 'i']),
            _ => follows.is_empty() || follows.starts_with(['{', '.']),
        };
        let is_name = !name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit());
        return (fits && is_name && (after.len() > after_space.len() || after.starts_with('*'))).then_some(Plain { kind, name, exported });
    }
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}
