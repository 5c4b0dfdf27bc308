//! Macros that hide declarations from the grammar.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::directives;
use super::plain::{is_name, is_word};

/// The text with blanks for macros that hide declarations from the grammar: a line that is one name in capitals, such as `BEGIN_DECLS`;
/// what is around the type in `EXTERN(int) name(`; what is around the name in `int CALLBACK(name)(` and before it in `int (API *name)(`,
/// `int * FASTCALL name(` and `class API Name {`; beside a type as in `API type CALL name(`; after parameters as in
/// `name(int a) EXCLUDES(lock) {`; attributes, which the grammar knows in some places only; and what directives hide.
pub(in crate::syntax) fn without_macros(text: &str) -> Cow<'_, [u8]> {
    let mut bytes = Cow::Borrowed(text.as_bytes());
    directives::definitions(text, &mut bytes);
    directives::enums(text, &mut bytes);
    directives::branches(text, &mut bytes);
    lines_in_capitals(text, &mut bytes);
    for start in line_starts(text.as_bytes()) {
        for hidden in macros_beside_type(&text.as_bytes()[start..]) {
            blank(&mut bytes, start + hidden.start..start + hidden.end);
        }
    }
    for close in memchr::memchr_iter(b')', text.as_bytes()).filter(|close| matches!(text.as_bytes().get(close + 1), Some(b'(' | b'['))) {
        match macro_before(&text[..close]) {
            Some((hidden, true)) => {
                blank(&mut bytes, hidden);
                blank(&mut bytes, close..close + 1);
            }
            Some((hidden, false)) => blank(&mut bytes, hidden),
            None => {}
        }
    }
    for close in memchr::memchr_iter(b')', text.as_bytes()) {
        if let Some(hidden) = macro_after_parameters(&text.as_bytes()[close + 1..]) {
            blank(&mut bytes, close + 1 + hidden.start..close + 1 + hidden.end);
        }
    }
    for start in memmem::find_iter(text.as_bytes(), "__attribute__") {
        if let Some(end) = attribute_end(&text.as_bytes()[start..]).filter(|_| !text[..start].ends_with(is_word) && !is_directive(&text[..start])) {
            blank(&mut bytes, start..start + end);
        }
    }
    for star in memmem::find_iter(text.as_bytes(), "* ") {
        let name = capitals(&text.as_bytes()[star + 2..]);
        let after = &text[star + 2 + name.len()..];
        if is_macro(name) && after.strip_prefix(' ').or_else(|| after.strip_prefix('\n')).is_some_and(plain_call) {
            blank(&mut bytes, star + 2..star + 2 + name.len());
        }
    }
    for word in ["class ", "struct "] {
        for at in memmem::find_iter(text.as_bytes(), word) {
            if let Some(length) = macro_of_class(&text[at + word.len()..]).filter(|_| !text[..at].ends_with(is_word)) {
                blank(&mut bytes, at + word.len()..at + word.len() + length);
            }
        }
    }
    bytes
}

/// Puts blanks into a range, and keeps its line ends.
pub(super) fn blank(bytes: &mut Cow<'_, [u8]>, range: Range<usize>) {
    for byte in bytes.to_mut()[range].iter_mut().filter(|byte| !matches!(byte, b'\n' | b'\r')) {
        *byte = b' ';
    }
}

/// Blanks the macros that lines start with.
fn lines_in_capitals(text: &str, bytes: &mut Cow<'_, [u8]>) {
    let source = text.as_bytes();
    // Most lines are told by their first byte.
    for start in line_starts(source).filter(|start| source.get(*start).is_some_and(|byte| is_upper(*byte))) {
        let name = capitals(&source[start..]);
        if !is_macro(name) {
            continue;
        }
        let end = memchr::memchr2(b'\n', b'\r', &source[start..]).map_or(source.len(), |length| start + length);
        let rest = text[start + name.len()..end].trim_end();
        if rest.is_empty() {
            // A list goes on after these, and its last member may be a name alone, also after a directive.
            let in_list = text[..start].trim_end().ends_with([',', '{', '\\', '=', '|', '(']) || text[end..].trim_start().starts_with('}');
            if !in_list {
                blank(bytes, start..start + name.len());
            }
        } else if let Some((kind, after)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')'))
            && kind.starts_with(|char: char| char.is_ascii_alphabetic())
            && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b' ' | b'*'))
            && after.strip_prefix(' ').is_some_and(plain_call)
        {
            let close = start + name.len() + 1 + kind.len();
            blank(bytes, start..start + name.len() + 1);
            blank(bytes, close..close + 1);
        }
    }
}

fn line_starts(source: &[u8]) -> impl Iterator<Item = usize> {
    std::iter::once(0).chain(memchr::memchr2_iter(b'\n', b'\r', source).map(|end| end + 1))
}

/// Whether a name in capitals is long enough for that of a macro.
fn is_macro(name: &[u8]) -> bool {
    name.len() > 3 && name.contains(&b'_')
}

/// Words up to the name of a declaration.
const MAX_WORDS: usize = 5;
/// Words that stand before types and are none.
const QUALIFIERS: [&[u8]; 13] =
    [b"extern", b"static", b"inline", b"const", b"volatile", b"register", b"unsigned", b"signed", b"long", b"short", b"virtual", b"constexpr", b"typedef"];
/// Words after which no type of two words begins.
const OTHERS: [&[u8]; 16] = [
    b"struct",
    b"union",
    b"enum",
    b"class",
    b"return",
    b"else",
    b"case",
    b"goto",
    b"new",
    b"delete",
    b"throw",
    b"using",
    b"namespace",
    b"typename",
    b"template",
    b"friend",
];

/// The macros of `API type name(`, `type API *name(`, `API type CALL name(` and `API type name;`, with which a text starts.
fn macros_beside_type(source: &[u8]) -> Vec<Range<usize>> {
    macros_and_types(source).map_or_else(Vec::new, |(mut macros, has_type)| {
        if !has_type && macros.len() > 1 {
            // One of them is the type: the second, unless only that one can be a macro.
            let kept = usize::from(is_macro(&source[macros[0].clone()]));
            macros.remove(kept);
        }
        macros.retain(|word| has_type || is_macro(&source[word.clone()]));
        macros
    })
}

/// The words in capitals before the name of a declaration, and whether there is another that may be its type.
fn macros_and_types(source: &[u8]) -> Option<(Vec<Range<usize>>, bool)> {
    let mut at = source.iter().position(|byte| !matches!(byte, b' ' | b'\t'))?;
    let mut words: Vec<Range<usize>> = Vec::new();
    let mut line_ends = 0;
    while words.len() < MAX_WORDS {
        let length = source[at..].iter().position(|byte| !(byte.is_ascii_alphanumeric() || *byte == b'_'))?;
        let word = &source[at..at + length];
        if word.is_empty() || word[0].is_ascii_digit() || OTHERS.contains(&word) {
            return None;
        }
        let after = source[at + length..].trim_ascii_start();
        let declares = after.first() == Some(&b'(') || (line_ends == 0 && matches!(after.first(), Some(b';' | b'[' | b'=')));
        if declares {
            let is_capital = |word: &Range<usize>| word.len() > 3 && capitals(&source[word.clone()]).len() == word.len();
            let (macros, types): (Vec<_>, Vec<_>) = words.into_iter().partition(is_capital);
            return (types.len() + macros.len() > 1 && types.len() < 2).then_some((macros, !types.is_empty()));
        }
        if !QUALIFIERS.contains(&word) {
            words.push(at..at + length);
        }
        let mut next = at + length;
        while let Some(byte) = source.get(next).filter(|byte| byte.is_ascii_whitespace() || **byte == b'*') {
            line_ends += usize::from(*byte == b'\n');
            next += 1;
        }
        if next == at + length || line_ends > 1 {
            return None;
        }
        at = next;
    }
    None
}

/// The name in capitals that a text starts with.
pub(super) fn capitals(source: &[u8]) -> &[u8] {
    &source[..source.iter().position(|byte| !is_upper(*byte)).unwrap_or(source.len())]
}

/// Bytes up to which an attribute is looked at.
const MAX_ATTRIBUTE_BYTES: usize = 200;

/// Where `__attribute__((…))` at the start ends.
fn attribute_end(bytes: &[u8]) -> Option<usize> {
    let word = "__attribute__".len();
    let open = word + bytes[word..].iter().position(|byte| *byte != b' ')?;
    open.checked_add(brackets_end(&bytes[open..])?)
}

/// Where the brackets that a text starts with are closed.
pub(super) fn brackets_end(bytes: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in bytes.iter().enumerate().take(MAX_ATTRIBUTE_BYTES) {
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

/// The macro of `name(int a) EXCLUDES(lock) {`, with whose space a text starts.
fn macro_after_parameters(source: &[u8]) -> Option<Range<usize>> {
    let start = source.iter().position(|byte| !byte.is_ascii_whitespace())?;
    // What a line starts with is no part of the declaration before it.
    if start == 0 || !matches!(source[start - 1], b' ' | b'\t') {
        return None;
    }
    let name = capitals(&source[start..]);
    let end = start + name.len() + Some(&source[start + name.len()..]).filter(|_| is_macro(name)).and_then(brackets_end)?;
    (source[end..].trim_ascii_start().first() == Some(&b'{')).then_some(start..end)
}

/// The length of the macro in `API Name {`, `API Name final : Base` or `API(1) Name {`, which stands after `class` or `struct`.
fn macro_of_class(text: &str) -> Option<usize> {
    let name = capitals(text.as_bytes());
    let arguments = if text[name.len()..].starts_with('(') { brackets_end(&text.as_bytes()[name.len()..])? } else { 0 };
    let length = name.len() + arguments;
    let class = text.get(length..)?.strip_prefix(' ')?.trim_start_matches(' ');
    let after = class.trim_start_matches(is_word);
    let class = &class[..class.len() - after.len()];
    let is_class = name.len() > 2 && name[0].is_ascii_alphabetic() && is_name(class) && class != "final";
    let after = after.trim_start();
    let opens = after.starts_with('{') || (after.starts_with(':') && !after.starts_with("::")) || after.starts_with("final ");
    (is_class && opens).then_some(length)
}

/// Whether the line that a text ends with defines a macro: what it stands for is no declaration.
fn is_directive(before: &str) -> bool {
    before[memchr::memrchr2(b'\n', b'\r', before.as_bytes()).map_or(0, |end| end + 1)..].trim_start().starts_with('#')
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
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
    let start = text[..end].trim_end_matches(|char: char| char.is_ascii() && is_upper(char as u8)).len();
    let is_macro = end - start > 2 && text[start..].starts_with(|char: char| char.is_ascii_uppercase());
    let fits = if encloses { !text[..start].ends_with(is_word) } else { text[..start].ends_with('(') };
    (is_macro && fits).then_some((start..end + usize::from(encloses), encloses))
}

/// Whether a text starts with a name and a bracket.
fn plain_call(text: &str) -> bool {
    let name = text.find(|char: char| !is_word(char)).unwrap_or(text.len());
    name > 0 && text[name..].starts_with('(')
}
