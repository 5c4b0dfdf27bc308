//! Component files (Vue, Svelte) and pages (HTML): their script parts, with the lines of the whole file, and the elements of pages.

use std::ops::Range;

use super::Outline;
use super::grammars;
use super::plain;
use super::tree;
use crate::language::Language;
use crate::lines::LineIndex;

/// The grammars' ids are part of it: a test compares them.
pub(super) const ID: &str =
    "component-scripts/2 tree-sitter-typescript@0.23.2/8 tree-sitter-tsx@0.23.2/8 tree-sitter-javascript@0.25.0/8 tree-sitter-html@0.23.2/1";

/// Elements inside each other up to which the grammar of pages is used: it copies the list of those that are open with each of its tokens.
const MAX_OPEN_ELEMENTS: usize = 500;
/// Elements without an end.
const VOID: [&str; 15] = ["area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"];

/// Whether files of this language have script parts.
pub(super) fn knows(language: Option<&'static Language>) -> bool {
    language.is_some_and(|language| matches!(language.name, "vue" | "svelte" | "html"))
}

/// What the scripts declare, and the elements of a page; `None` without any.
pub(super) fn outline(language: Option<&'static Language>, text: &str, lines: &LineIndex) -> Option<Outline> {
    let page = grammars::of(language).filter(|_| !is_too_deep(text)).and_then(|grammar| tree::outline(grammar, text, lines));
    let mut any = page.is_some();
    let mut whole = page.unwrap_or_default();
    for (range, language) in scripts(text) {
        let Some(part) = tree::outline_of(grammars::named(language)?, text, lines, Some(range)) else { continue };
        any = true;
        tree::adopt(&mut whole, part);
    }
    plain::merge(&mut whole.symbols, Vec::new());
    any.then_some(whole)
}

/// The contents of the `script` elements and their languages.
fn scripts(text: &str) -> Vec<(Range<usize>, &'static str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|next| at + next) {
        at = open + 1;
        if text[open..].starts_with("<!--") {
            at = text[open..].find("-->").map_or(text.len(), |end| open + end + 3);
            continue;
        }
        let is_script = text.get(at..at + 6).is_some_and(|name| name.eq_ignore_ascii_case("script"));
        if !is_script || !text[at + 6..].starts_with(|char: char| char.is_whitespace() || char == '>') {
            continue;
        }
        let Some(start) = tag_end(text, at + 6) else { break };
        let attributes = &text[at + 6..start - 1];
        at = start;
        if attributes.ends_with('/') {
            continue;
        }
        let end = closing(text, start);
        at = end;
        if let Some(language) = language_of(attributes) {
            found.push((start..end, language));
        }
    }
    found
}

/// Whether more elements are open at once than the grammar can take.
fn is_too_deep(text: &str) -> bool {
    let mut open: Vec<String> = Vec::new();
    let (mut at, mut has_ends) = (0, true);
    while let Some(start) = memchr::memchr(b'<', &text.as_bytes()[at..]).map(|next| at + next) {
        if text[start..].starts_with("<!--") {
            at = text[start..].find("-->").map_or(text.len(), |end| start + end + 3);
            continue;
        }
        let is_end = text[start + 1..].starts_with('/');
        let from = start + 1 + usize::from(is_end);
        at = text[from..].find(|char: char| !(char.is_alphanumeric() || matches!(char, '-' | ':'))).map_or(text.len(), |end| from + end);
        let name = text[from..at].to_lowercase();
        if is_end {
            if let Some(place) = open.iter().rposition(|other| *other == name) {
                open.truncate(place);
            }
            continue;
        }
        // One tag that never ends is enough to know that none behind it does.
        let end = if has_ends { tag_end(text, at) } else { None };
        has_ends = end.is_some();
        let is_closed = end.is_some_and(|end| text[..end - 1].ends_with('/'));
        at = end.unwrap_or(at);
        if name.is_empty() || is_closed || VOID.contains(&name.as_str()) {
            continue;
        }
        if name == "script" {
            at = closing(text, at);
        }
        while open.last().is_some_and(|last| is_ended_by(last, &name)) {
            open.pop();
        }
        open.push(name);
        if open.len() > MAX_OPEN_ELEMENTS {
            return true;
        }
    }
    false
}

/// Whether an element ends where another one begins.
fn is_ended_by(element: &str, next: &str) -> bool {
    match element {
        "dt" | "dd" => matches!(next, "dt" | "dd"),
        "td" | "th" => matches!(next, "td" | "th" | "tr"),
        "li" | "p" | "tr" | "optgroup" => element == next,
        _ => false,
    }
}

/// Behind the `>` of a tag; those in quotes do not count.
fn tag_end(text: &str, from: usize) -> Option<usize> {
    let mut quote = None;
    for (at, char) in text[from..].char_indices() {
        match (quote, char) {
            (None, '>') => return Some(from + at + 1),
            (None, '"' | '\'') => quote = Some(char),
            (Some(open), _) if open == char => quote = None,
            _ => {}
        }
    }
    None
}

fn closing(text: &str, from: usize) -> usize {
    let ends = |at: &usize| text.get(at + 2..at + 8).is_some_and(|name| name.eq_ignore_ascii_case("script"));
    text[from..].match_indices("</").map(|(at, _)| from + at).find(ends).unwrap_or(text.len())
}

/// The language of a script by its tag's attributes; `None` for data.
fn language_of(attributes: &str) -> Option<&'static str> {
    let value = |name: &str| {
        let (_, rest) = attributes.split_once(name)?;
        let rest = rest.trim_start().trim_start_matches(['"', '\'']);
        Some(rest[..rest.find(|char: char| char.is_whitespace() || matches!(char, '"' | '\'')).unwrap_or(rest.len())].to_lowercase())
    };
    match value("lang=").or_else(|| value("type=")).as_deref() {
        None | Some("js" | "javascript" | "text/javascript" | "module" | "application/javascript" | "jsx") => Some("javascript"),
        Some("ts" | "typescript" | "text/typescript") => Some("typescript"),
        Some("tsx") => Some("tsx"),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_id_names_the_parsers() {
        for name in ["typescript", "tsx", "javascript", "html"] {
            assert!(ID.contains(grammars::named(name).expect("a row").id), "{name}");
        }
    }

    #[test]
    fn scripts_are_found_by_their_tags() {
        let text = "<!-- <script>no</script> --><SCRIPT setup lang=\"ts\" generic=\"T extends a>b\">one</SCRIPT><script/><scripts>no</scripts><script type=\"application/json\">{}</script><script>two";
        let found: Vec<_> = scripts(text).into_iter().map(|(range, language)| (&text[range], language)).collect();
        assert_eq!(found, [("one", "typescript"), ("two", "javascript")]);
    }
}
