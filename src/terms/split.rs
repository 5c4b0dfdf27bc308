//! Identifiers to their parts.

use super::fold::fold;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Lower,
    Upper,
    Digit,
    Separator,
}

fn case(char: char) -> Case {
    match char {
        'a'..='z' => Case::Lower,
        'A'..='Z' => Case::Upper,
        '0'..='9' => Case::Digit,
        _ if char.is_ascii() => Case::Separator,
        _ if char.is_uppercase() => Case::Upper,
        _ => Case::Lower,
    }
}

/// The folded parts of an identifier in camel, snake or kebab case: `parseHTTPRequest` gives `parse`, `http`, `request`.
///
/// Digits stay with the letters before them (`http2`, `server`), a part that begins with digits keeps the letters after them (`3d`),
/// and the `s` of a plural acronym stays with it (`getURLs` gives `get`, `urls`). ASCII punctuation separates.
pub fn split_identifier(identifier: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for_each_part(identifier, |part| parts.push(fold(part)));
    parts
}

/// Calls `each` with the parts of an identifier, as written.
pub(super) fn for_each_part<'text>(identifier: &'text str, mut each: impl FnMut(&'text str)) {
    let mut start = 0;
    let mut before = Case::Separator;
    let mut letters = false;
    for (at, char) in identifier.char_indices() {
        let now = case(char);
        let rest = &identifier[at + char.len_utf8()..];
        let cuts = match (before, now) {
            (Case::Separator, _) | (_, Case::Separator | Case::Digit) => false,
            (Case::Lower, Case::Upper) => true,
            (Case::Upper, Case::Upper) => case_at(rest, 0) == Some(Case::Lower) && !is_plural(rest),
            (Case::Digit, Case::Upper) => letters,
            (Case::Digit, Case::Lower) => letters && case_at(rest, 0) == Some(Case::Lower) && case_at(rest, 1) == Some(Case::Lower),
            (Case::Lower | Case::Upper, Case::Lower) => false,
        };
        if now == Case::Separator || cuts {
            if at > start {
                each(&identifier[start..at]);
            }
            start = if cuts { at } else { at + char.len_utf8() };
            letters = false;
        }
        letters |= matches!(now, Case::Lower | Case::Upper);
        before = now;
    }
    if start < identifier.len() {
        each(&identifier[start..]);
    }
}

fn case_at(text: &str, index: usize) -> Option<Case> {
    text.chars().nth(index).map(case)
}

/// Whether what follows the last capital of an acronym is its plural `s` and no word.
fn is_plural(rest: &str) -> bool {
    rest.starts_with('s') && case_at(rest, 1) != Some(Case::Lower)
}
