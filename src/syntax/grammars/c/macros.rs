//! Macros that hide declarations from the grammar.

use std::borrow::Cow;
use std::ops::Range;

use super::plain::is_word;

/// The text with blanks for macros that hide declarations from the grammar: a line that is one name in capitals, such as `BEGIN_DECLS`;
/// what is around the type in `EXTERN(int) name(`; what is around the name in `int CALLBACK(name)(` and before it in `int (API *name)(` and
/// `int * FASTCALL name(`; and attributes, which the grammar knows in some places only.
pub(in crate::syntax) fn without_macros(text: &str) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    let mut start = 0;
    // A list goes on after these, and its last member may be a name alone.
    let mut in_list = false;
    for line in text.split_inclusive(['\n', '\r']) {
        let name = &line[..line.find(|char: char| !is_upper(char)).unwrap_or(line.len())];
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
    for close in memchr::memchr_iter(b')', text.as_bytes()).filter(|close| matches!(text.as_bytes().get(close + 1), Some(b'(' | b'['))) {
        match macro_before(&text[..close]) {
            Some((hidden, true)) => {
                let bytes = bytes.to_mut();
                bytes[hidden].fill(b' ');
                bytes[close] = b' ';
            }
            Some((hidden, false)) => bytes.to_mut()[hidden].fill(b' '),
            None => {}
        }
    }
    for start in memchr::memmem::find_iter(text.as_bytes(), "__attribute__") {
        if let Some(end) = attribute_end(&text.as_bytes()[start..]).filter(|_| !text[..start].ends_with(is_word) && !is_directive(&text[..start])) {
            for byte in bytes.to_mut()[start..start + end].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
                *byte = b' ';
            }
        }
    }
    for star in memchr::memmem::find_iter(text.as_bytes(), "* ") {
        let start = star + 2;
        let name = &text[start..start + text[start..].find(|char: char| !is_upper(char)).unwrap_or(text.len() - start)];
        if name.len() > 3 && name.contains('_') && text[start + name.len()..].strip_prefix(' ').is_some_and(plain_call) {
            bytes.to_mut()[start..start + name.len()].fill(b' ');
        }
    }
    bytes
}

/// Bytes up to which an attribute is looked at.
const MAX_ATTRIBUTE_BYTES: usize = 200;

/// Where `__attribute__((…))` at the start ends.
fn attribute_end(bytes: &[u8]) -> Option<usize> {
    let word = "__attribute__".len();
    let open = word + bytes[word..].iter().position(|byte| *byte != b' ')?;
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(open + MAX_ATTRIBUTE_BYTES).skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 1 => return Some(at + 1),
            b')' => depth = depth.checked_sub(1)?,
            _ if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Whether the line that a text ends with defines a macro: what it stands for is no declaration.
fn is_directive(before: &str) -> bool {
    before[before.rfind(['\n', '\r']).map_or(0, |end| end + 1)..].trim_start().starts_with('#')
}

fn is_upper(char: char) -> bool {
    char.is_ascii_uppercase() || char.is_ascii_digit() || char == '_'
}

/// Where the macro of `CALLBACK(name` or of `(API *name` stands at the end of a text, in the first case with its bracket, and whether it is that.
fn macro_before(text: &str) -> Option<(Range<usize>, bool)> {
    let before = text.trim_end_matches(is_word);
    if before.len() == text.len() {
        return None;
    }
    let (end, encloses) = match before.strip_suffix('(') {
        Some(before) => (before.len(), true),
        None => (before.strip_suffix('*')?.trim_end_matches(' ').len(), false),
    };
    let start = text[..end].trim_end_matches(is_upper).len();
    let is_macro = end - start > 2 && text[start..].starts_with(|char: char| char.is_ascii_uppercase());
    let fits = if encloses { !text[..start].ends_with(is_word) } else { text[..start].ends_with('(') };
    (is_macro && fits).then_some((start..end + usize::from(encloses), encloses))
}

/// Whether a text starts with a name and a bracket.
fn plain_call(text: &str) -> bool {
    let name = text.find(|char: char| !is_word(char)).unwrap_or(text.len());
    name > 0 && text[name..].starts_with('(')
}
