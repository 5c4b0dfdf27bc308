//! What directives hide from the grammar.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem;

use super::macros::{blank, brackets_end, capitals};
use super::plain::is_word;

/// Bytes between `enum` and its bracket.
const MAX_ENUM_HEAD_BYTES: usize = 200;
/// Bytes of an `enum`'s body that is looked into.
const MAX_ENUM_BYTES: usize = 100_000;

/// Hides comments in a `#define` over several lines, and the start of a comment in a string of any: the grammar ends the definition there.
pub(super) fn definitions(text: &str, bytes: &mut Cow<'_, [u8]>) {
    let source = text.as_bytes();
    for word in memmem::find_iter(source, "define") {
        let before = source[..word].trim_ascii_end();
        if !before.ends_with(b"#") || line_of(source, word).trim_ascii_start().first() != Some(&b'#') {
            continue;
        }
        let end = directive_end(source, word);
        let body = &source[word..end];
        let is_long = memchr::memchr(b'\n', body).is_some();
        if is_long || memmem::find(body, b"/*").is_some() {
            definition(source, word..end, is_long, bytes);
        }
    }
}

fn definition(source: &[u8], range: Range<usize>, is_long: bool, bytes: &mut Cow<'_, [u8]>) {
    let mut at = range.start;
    while at < range.end {
        match source[at] {
            b'"' => {
                let string = string_end(&source[at..range.end]);
                for start in memmem::find_iter(&source[at..at + string], "/*") {
                    bytes.to_mut()[at + start + 1] = b'+';
                }
                at += string;
            }
            b'\'' => at += if source.get(at + 1) == Some(&b'\\') { 4 } else { 3 },
            b'/' if source[at..range.end].starts_with(b"//") => return,
            b'/' if source[at..range.end].starts_with(b"/*") => {
                // One that ends on a later line keeps the definition open by itself.
                let Some(length) = memmem::find(&source[at..range.end], b"*/").filter(|_| is_long) else { return };
                for byte in at..at + length + 2 {
                    let keeps = matches!(source[byte], b'\n' | b'\r') || (source[byte] == b'\\' && matches!(source.get(byte + 1), Some(b'\n' | b'\r')));
                    if !keeps {
                        bytes.to_mut()[byte] = b'+';
                    }
                }
                at += length + 2;
            }
            _ => at += 1,
        }
    }
}

/// Hides what the grammar does not know between the members of an `enum`: directives other than conditions, and calls of macros.
pub(super) fn enums(text: &str, bytes: &mut Cow<'_, [u8]>) {
    let source = text.as_bytes();
    for word in memmem::find_iter(source, "enum") {
        let Some(body) = enum_body(text, word) else { continue };
        let is_directive = |line: &[u8]| [b"#include".as_slice(), b"#define", b"#undef"].iter().any(|word| line.starts_with(word));
        let lines = || memchr::memchr_iter(b'\n', &source[body.clone()]).map(|end| body.start + end + 1);
        if !lines().any(|start| is_directive(source[start..body.end].trim_ascii_start())) {
            continue;
        }
        for start in lines() {
            let line = line_of(source, start);
            let trimmed = line.trim_ascii();
            if trimmed.starts_with(b"#define") {
                // A comment to the grammar, a definition to the rules.
                let hash = start + line.len() - line.trim_ascii_start().len();
                bytes.to_mut()[hash..hash + 2].copy_from_slice(b"//");
            } else if is_directive(trimmed) {
                blank(bytes, start..start + line.len());
            } else if let Some(arguments) = Some(capitals(trimmed).len()).filter(|name| *name > 3).and_then(|name| brackets_end(&trimmed[name..]))
                && capitals(trimmed).len() + arguments == trimmed.len()
            {
                blank(bytes, start..start + line.len());
            }
        }
    }
}

/// Lines between an `#if` and its `#endif` up to which its branches are compared.
const MAX_BRANCH_LINES: usize = 40;

/// Blanks all branches of an `#if` but the first where each opens a bracket that is closed after the `#endif`, such as two heads of one function.
pub(super) fn branches(text: &str, bytes: &mut Cow<'_, [u8]>) {
    let source = text.as_bytes();
    for at in memmem::find_iter(source, "#if").filter(|at| *at == 0 || source[at - 1] == b'\n') {
        let Some(group) = group(source, at) else { continue };
        let opens = |range: &Range<usize>| {
            let count = |bracket| memchr::memchr_iter(bracket, &source[range.clone()]).count();
            count(b'{').checked_sub(count(b'}')).filter(|open| *open > 0)
        };
        let first = opens(&group[0].1);
        if group.len() > 1 && first.is_some() && group.iter().all(|(_, branch)| opens(branch) == first) {
            let end = group[group.len() - 1].1.end;
            blank(bytes, group[0].0.clone());
            blank(bytes, group[1].0.start..end + line_of(source, end).len());
        }
    }
}

/// The branches of an `#if` without others in them: the line of the directive, and what follows it.
fn group(source: &[u8], at: usize) -> Option<Vec<(Range<usize>, Range<usize>)>> {
    let mut found: Vec<(Range<usize>, Range<usize>)> = Vec::new();
    let mut start = at;
    for _ in 0..MAX_BRANCH_LINES {
        let line = line_of(source, start);
        let end = start + line.len();
        if line.starts_with(b"#") {
            let word = line[1..].trim_ascii_start();
            if let Some((_, last)) = found.last_mut() {
                last.end = start;
                match word {
                    _ if word.starts_with(b"endif") => return Some(found),
                    _ if word.starts_with(b"el") => {}
                    _ => return None,
                }
            }
            found.push((start..end, end..end));
        }
        start = end + 1;
        if start >= source.len() {
            return None;
        }
    }
    None
}

/// The inside of the brackets of an `enum` at a place.
fn enum_body(text: &str, word: usize) -> Option<Range<usize>> {
    let source = text.as_bytes();
    let head = &source[word + 4..source.len().min(word + 4 + MAX_ENUM_HEAD_BYTES)];
    let open = memchr::memchr(b'{', head)?;
    let is_head = head[..open].iter().all(|byte| byte.is_ascii_alphanumeric() || byte.is_ascii_whitespace() || matches!(byte, b'_' | b':'));
    if !is_head || text[..word].ends_with(is_word) || head.first().is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_') {
        return None;
    }
    let start = word + 4 + open + 1;
    let rest = &source[start..source.len().min(start + MAX_ENUM_BYTES)];
    // Members hold no brackets of this kind.
    let close = memchr::memchr2(b'}', b'{', rest)?;
    (rest[close] == b'}').then_some(start..start + close)
}

/// The line that a place stands on, without its end.
fn line_of(source: &[u8], at: usize) -> &[u8] {
    let start = memchr::memrchr(b'\n', &source[..at]).map_or(0, |end| end + 1);
    &source[start..memchr::memchr(b'\n', &source[at..]).map_or(source.len(), |length| at + length)]
}

/// Where the line ends that a place stands on, and those that it is continued by.
fn directive_end(source: &[u8], at: usize) -> usize {
    let ends = memchr::memchr_iter(b'\n', &source[at..]).map(|end| at + end);
    ends.into_iter().find(|end| !source[..*end].strip_suffix(b"\r").unwrap_or(&source[..*end]).ends_with(b"\\")).unwrap_or(source.len())
}

/// The length of the string that a text starts with.
fn string_end(source: &[u8]) -> usize {
    let mut at = 1;
    while at < source.len() {
        match source[at] {
            b'\\' => at += 2,
            b'"' => return at + 1,
            b'\n' => return at,
            _ => at += 1,
        }
    }
    source.len()
}
