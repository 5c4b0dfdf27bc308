//! Shell scripts: which nodes are declarations, imports and references.

use std::borrow::Cow;

use tree_sitter::Node;

use super::common::{body_start, children, value_end};
use crate::syntax::SymbolKind;
use crate::syntax::plain::Plain;
use crate::syntax::roles::{Found, Role, Scope};
use crate::syntax::walk::Walk;

pub(super) const ROLES: &[(&str, Role)] = &[
    ("comment", Role::Comment),
    ("function_definition", Role::Look(function)),
    ("variable_assignment", Role::Look(variable)),
    ("declaration_command", Role::Look(declaration)),
    ("command", Role::Look(command)),
    ("subshell", Role::Local),
    ("command_substitution", Role::Local),
    ("string", Role::Skip),
    ("raw_string", Role::Skip),
    ("heredoc_body", Role::Skip),
];

pub(in crate::syntax) fn plain_declaration(line: &str) -> Option<Plain<'_>> {
    let rest = line.trim_start();
    let (rest, said) = rest.strip_prefix("function ").map_or((rest, false), |rest| (rest.trim_start(), true));
    let name = &rest[..rest.find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | ':' | '.'))).unwrap_or(rest.len())];
    let after = rest[name.len()..].trim_start();
    let fits = !name.is_empty() && (after.starts_with("()") || (said && (after.is_empty() || after.starts_with('{'))));
    fits.then_some(Plain { kind: SymbolKind::Function, name, exported: true })
}

fn function<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    if let Some(name) = walk.field(node, "name") {
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Function, walk.text_of(name), body_start(node), Scope::Local) });
    }
}

/// The first assignment to a variable of the script.
fn variable<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name").filter(|name| name.kind() == "variable_name") else { return };
    let text = walk.text_of(name);
    if walk.scope() == Scope::Module && walk.top_level(text).is_none() {
        let end = value_end(walk, node, walk.field(node, "value"));
        walk.declare(node, name, Found { exported: true, ..Found::new(SymbolKind::Variable, text, end, Scope::Local) });
    }
}

/// `readonly` and the like; what is inside has no further role.
fn declaration<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let text = walk.text_of(node);
    let constant = text.starts_with("readonly") || text.split_whitespace().take(2).any(|word| word.starts_with('-') && word.contains('r'));
    if walk.scope() == Scope::Module && constant {
        for assignment in children(node) {
            if let Some(name) = walk.field(assignment, "name").filter(|name| name.kind() == "variable_name") {
                let end = value_end(walk, assignment, walk.field(assignment, "value"));
                walk.declare_aside(node, name, Found { exported: true, ..Found::new(SymbolKind::Constant, walk.text_of(name), end, Scope::Local) });
            }
        }
        walk.open(Scope::Local);
    }
}

fn command<'tree>(walk: &mut Walk<'tree>, node: Node<'tree>) {
    let Some(name) = walk.field(node, "name") else {
        // `X=1 command` sets it for that command only.
        return;
    };
    match walk.text_of(name) {
        "source" | "." => {
            if let Some(file) = walk.field(node, "argument") {
                walk.import(walk.text_of(file).trim_matches(['"', '\'']));
            }
        }
        "alias" => {
            let mut cursor = node.walk();
            let arguments: Vec<_> = node.children_by_field_name("argument", &mut cursor).collect();
            for argument in arguments {
                if let Some((alias, _)) = walk.text_of(argument).split_once('=').filter(|(alias, _)| !alias.is_empty() && !alias.contains(['$', '"'])) {
                    walk.declare_aside(node, argument, Found { exported: true, ..Found::new(SymbolKind::Function, alias, node.end_byte(), Scope::Local) });
                }
            }
        }
        called => walk.refer(called),
    }
    walk.open(Scope::Local);
}

/// The text with each character beyond ASCII as as many letters, or spaces, as it has bytes: the grammar's scanner looks
/// characters up in the C library's tables, which end at 255.
pub(super) fn in_ascii(text: &str) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    for char in text.chars() {
        let blank = char.is_whitespace() || matches!(char, '\u{feff}' | '\u{200b}');
        match u8::try_from(char).ok().filter(u8::is_ascii) {
            Some(byte) => bytes.push(byte),
            None => bytes.extend(std::iter::repeat_n(if blank { b' ' } else { b'x' }, char.len_utf8())),
        }
    }
    Cow::Owned(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn characters_beyond_ascii_keep_their_bytes() {
        assert_eq!(in_ascii("a\u{e4}\u{1f600}\u{a0}b"), Cow::Borrowed(b"axxxxxx  b".as_slice()));
    }
}
