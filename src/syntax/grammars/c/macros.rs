//! Macros that hide declarations from the grammar.

use std::borrow::Cow;

use super::plain::is_word;

/// The text with blanks for macros that hide declarations from the grammar: a line that is one name in capitals, such as `BEGIN_DECLS`, and
/// what is around the type in `EXTERN(int) name(`.
pub(in crate::syntax) fn without_macros(text: &str) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    let mut start = 0;
    // A list goes on after these, and its last member may be a name alone.
    let mut in_list = false;
    for line in text.split_inclusive(['\n', '\r']) {
        let name = &line[..line.find(|char: char| !(char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_')).unwrap_or(line.len())];
        let rest = line[name.len()..].trim_end();
        if name.len() > 3 && name.contains('_') {
            if rest.is_empty() && !in_list {
                bytes.to_mut()[start..start + name.len()].fill(b' ');
            } else if let Some((kind, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
                && kind.starts_with(|char: char| char.is_ascii_alphabetic())
                && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' ' | b'*'))
                && after.strip_prefix(' ').is_some_and(plain_call)
            {
                let close = start + name.len() + 1 + kind.len();
                bytes.to_mut()[start..=start + name.len()].fill(b' ');
                bytes.to_mut()[close] = b' ';
            }
        }
        let trimmed = line.trim_end();
        if !trimmed.is_empty() {
            in_list = trimmed.ends_with([',', '{', '\\', '=', '|', '(']);
        }
        start += line.len();
    }
    bytes
}

/// Whether a text starts with a name and a bracket.
fn plain_call(text: &str) -> bool {
    let name = text.find(|char: char| !is_word(char)).unwrap_or(text.len());
    name > 0 && text[name..].starts_with('(')
}
