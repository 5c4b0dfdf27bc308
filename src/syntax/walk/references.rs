//! Uses of names, and imports.

use tree_sitter::Node;

use super::{Draft, MAX_NAME_BYTES, MAX_QUALIFIED_NAME_BYTES, Walk};
use crate::limits::MAX_REFERENCES;
use crate::syntax::SymbolKind;

/// Bytes up to which an expression is searched for brackets, so that nested ones are not read again and again.
const MAX_PLAIN_BYTES: usize = 64;

impl<'tree> Walk<'tree> {
    /// Records a use of a name in the declaration around it, and in the function around a function.
    pub(in crate::syntax) fn refer(&mut self, name: &'tree str) {
        if name.len() > MAX_NAME_BYTES || name.is_empty() {
            return;
        }
        let mut next = self.top().symbol;
        while let Some(symbol) = next {
            let Draft { symbol, references, .. } = &mut self.drafts[symbol as usize];
            if references.len() < MAX_REFERENCES && !references.contains(&name) {
                references.push(name);
            }
            next = symbol.parent.filter(|_| symbol.kind == SymbolKind::Function);
        }
    }

    /// Records the last name of a path, such as `c` of `a::b.c`.
    pub(in crate::syntax) fn refer_last(&mut self, path: Node<'tree>) {
        let text = self.text_of(path);
        let name = text.rsplit(|char: char| !is_word(char)).next().unwrap_or_default();
        if !name.starts_with(|char: char| char.is_ascii_digit()) {
            self.refer(name);
        }
    }

    /// Records the capitalised names of a type as a text, such as `dict[str, Thing]`.
    pub(in crate::syntax) fn refer_capitalised(&mut self, node: Node<'tree>) {
        let text = self.text_of(node);
        if text.len() <= MAX_QUALIFIED_NAME_BYTES {
            for word in text.split(|char: char| !is_word(char)).filter(|word| word.len() > 1 && word.starts_with(char::is_uppercase)) {
                self.refer(word);
            }
        }
    }

    /// Records an import of a module.
    pub(in crate::syntax) fn import(&mut self, source: &'tree str) {
        if self.imports.len() < MAX_REFERENCES && source.len() <= MAX_NAME_BYTES && !source.is_empty() && !self.imports.contains(&source) {
            self.imports.push(source);
        }
    }

    /// Whether the node is the name declared last.
    pub(in crate::syntax) fn is_declared_at(&self, node: Node<'tree>) -> bool {
        node.start_byte() == self.declared_at
    }
}

/// Whether an expression may call, make or declare anything or name a type: it holds a bracket, or two words side by side as in `new Thing`.
pub(super) fn says_something(expression: &str) -> bool {
    let bytes = expression.as_bytes();
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || !byte.is_ascii();
    bytes.len() > MAX_PLAIN_BYTES
        || bytes.iter().any(|byte| matches!(byte, b'(' | b'[' | b'{' | b'<' | b'`'))
        || bytes.windows(3).any(|three| three[1].is_ascii_whitespace() && is_word(&three[0]) && is_word(&three[2]))
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}
