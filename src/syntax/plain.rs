//! Declarations that one line shows: what is left to find where a grammar understands nothing.

use std::ops::Range;

use super::excerpt::{signature, span};
use super::{Symbol, SymbolKind};
use crate::lines::LineIndex;

/// Lines after a declaration in which its end is looked for.
const MAX_BODY_LINES: u32 = 400;
/// Characters of a line that is looked at: a longer one is no plain declaration.
const MAX_LINE_BYTES: usize = 2_000;
/// Declarations inside each other.
const MAX_NESTING: usize = 8;
/// Symbols before a new one among which the one around it is looked for.
const MAX_CONTAINER_DISTANCE: usize = 500;

/// The symbols of a range of a text.
pub(super) type Read<'reader> = &'reader mut dyn FnMut(Range<usize>) -> Vec<Symbol>;

/// Reads a declaration off its first line.
pub(super) type PlainRule = for<'text> fn(&'text str) -> Option<Plain<'text>>;

/// A declaration as its first line shows it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Plain<'text> {
    pub(super) kind: SymbolKind,
    pub(super) name: &'text str,
    pub(super) exported: bool,
}

/// Reads declarations such as `pub async fn name(` by their words: any number of `modifiers`, one of `keywords`, a name.
///
/// A modifier that ends in `!` makes the declaration exported.
pub(super) fn by_words<'text>(line: &'text str, modifiers: &[&str], keywords: &[(&str, SymbolKind)]) -> Option<Plain<'text>> {
    let mut rest = line.trim_start();
    let mut exported = false;
    loop {
        let (word, after) = rest.split_at(rest.find(|char: char| !is_word(char)).unwrap_or(rest.len()));
        let after_space = after.trim_start();
        let exports = modifiers.iter().any(|modifier| modifier.strip_suffix('!') == Some(word));
        if exports || modifiers.contains(&word) {
            exported |= exports;
            // `pub(crate)`
            rest = after_space.strip_prefix('(').and_then(|inner| inner.split_once(')')).map_or(after_space, |(_, rest)| rest.trim_start());
            continue;
        }
        let kind = keywords.iter().find(|(keyword, _)| *keyword == word)?.1;
        let name = &after_space[..after_space.find(|char: char| !is_word(char)).unwrap_or(after_space.len())];
        let is_name = !name.is_empty() && !name.starts_with(|char: char| char.is_ascii_digit());
        return (is_name && after.len() > after_space.len()).then_some(Plain { kind, name, exported });
    }
}

/// For languages whose declarations no single line shows.
pub(super) fn none(_: &str) -> Option<Plain<'_>> {
    None
}

fn is_word(char: char) -> bool {
    char.is_alphanumeric() || matches!(char, '_' | '$')
}

/// The plain declarations of a whole text, in order.
pub(super) fn symbols(rule: PlainRule, text: &str, lines: &LineIndex) -> Vec<Symbol> {
    let mut found = Vec::new();
    scan(rule, text, lines, 1, lines.count(), &mut |_| Vec::new(), &mut found);
    found
}

/// Adds the plain declarations in the broken ranges that `symbols` do not have, and keeps the order.
///
/// `read` gives the symbols of a range that is understood by itself: a container in a broken range may be whole.
pub(super) fn rescue(rule: PlainRule, text: &str, lines: &LineIndex, broken: &[Range<usize>], read: Read<'_>, symbols: &mut Vec<Symbol>) {
    let mut found = Vec::new();
    let mut next = 1;
    for range in broken {
        let (first, last) = (lines.line_at(range.start).max(next), lines.line_at(range.end.saturating_sub(1).max(range.start)));
        if first <= last {
            scan(rule, text, lines, first, last, read, &mut found);
            next = last + 1;
        }
    }
    if found.is_empty() {
        return;
    }
    let known = symbols.len();
    // Where each one found is, or the known one that it is.
    let mut places: Vec<u32> = Vec::with_capacity(found.len());
    for mut new in found {
        let from = symbols[..known].partition_point(|symbol| symbol.span.start_line < new.span.start_line);
        let same_line = symbols[from..known].iter().take_while(|symbol| symbol.span.start_line == new.span.start_line);
        if let Some(at) = same_line.into_iter().position(|symbol| symbol.name == new.name) {
            places.push((from + at) as u32);
            continue;
        }
        let around = around(&symbols[..from], &new);
        // A known one starts on an earlier line where attributes or decorators stand before its own words.
        if let Some(known) =
            around.filter(|around| symbols[*around as usize].name == new.name && is_container(symbols[*around as usize].kind) == is_container(new.kind))
        {
            places.push(known);
            continue;
        }
        new.parent = new.parent.map(|parent| places[parent as usize]).or(around.filter(|around| is_container(symbols[*around as usize].kind)));
        if let Some(parent) = new.parent {
            new.qualified_name = format!("{}.{}", symbols[parent as usize].qualified_name, new.name);
            new.exported &= symbols[parent as usize].exported;
            if new.kind == SymbolKind::Function && is_container(symbols[parent as usize].kind) {
                new.kind = SymbolKind::Method;
            }
        }
        places.push(symbols.len() as u32);
        symbols.push(new);
    }
    merge(symbols, Vec::new());
}

/// The innermost of the symbols before it that holds the new one.
fn around(before: &[Symbol], new: &Symbol) -> Option<u32> {
    let near = before.len().saturating_sub(MAX_CONTAINER_DISTANCE);
    before[near..].iter().rposition(|symbol| symbol.span.end_byte >= new.span.end_byte).map(|at| (near + at) as u32)
}

fn is_container(kind: SymbolKind) -> bool {
    use SymbolKind::{Class, Enum, Impl, Interface, Namespace, Struct, Trait};
    matches!(kind, Class | Struct | Interface | Trait | Enum | Impl | Namespace)
}

/// Puts the parentless `new` symbols among `symbols` in the order of their start; the parents of these move with them.
pub(super) fn merge(symbols: &mut Vec<Symbol>, new: Vec<Symbol>) {
    let mut merged: Vec<(Option<u32>, Symbol)> = std::mem::take(symbols).into_iter().enumerate().map(|(old, symbol)| (Some(old as u32), symbol)).collect();
    let known = merged.len();
    merged.extend(new.into_iter().map(|symbol| (None, symbol)));
    merged.sort_by_key(|(_, symbol)| symbol.span.start_byte);
    let mut moved = vec![0; known];
    for (now, (old, _)) in merged.iter().enumerate() {
        if let Some(old) = old {
            moved[*old as usize] = now as u32;
        }
    }
    symbols.extend(merged.into_iter().map(|(_, mut symbol)| {
        symbol.parent = symbol.parent.map(|parent| moved[parent as usize]);
        symbol
    }));
}

fn scan(rule: PlainRule, text: &str, lines: &LineIndex, first: u32, last: u32, read: Read<'_>, found: &mut Vec<Symbol>) {
    // The last lines of the declarations around, and their places if members count.
    let mut open: Vec<(u32, Option<u32>)> = Vec::new();
    let mut in_comment = false;
    for line in first..=last {
        let source = lines.slice(text, line, line);
        if in_comment || source.trim_start().starts_with("/*") {
            in_comment = !source.contains("*/");
            continue;
        }
        while open.last().is_some_and(|(end, _)| *end < line) {
            open.pop();
        }
        let around = open.last().map(|(_, container)| *container);
        if around == Some(None) || open.len() >= MAX_NESTING || source.len() > MAX_LINE_BYTES {
            continue;
        }
        let Some(plain) = rule(source) else { continue };
        let end_line = end_line(rule, text, lines, line, last);
        let start = lines.bytes(line, line).start + (source.len() - source.trim_start().len());
        let end = lines.bytes(line, end_line).start + lines.slice(text, line, end_line).len();
        let parent = around.flatten();
        if end_line > line && is_container(plain.kind) {
            let whole = read(start..end);
            if whole.len() > 1 && whole[0].name == plain.name && whole[1..].iter().all(|symbol| symbol.parent.is_some()) {
                let offset = found.len() as u32;
                found.extend(whole.into_iter().map(|symbol| Symbol { parent: symbol.parent.map(|own| own + offset).or(parent), ..symbol }));
                open.push((end_line, None));
                continue;
            }
        }
        let (mut kind, mut qualified_name, mut exported) = (plain.kind, plain.name.to_owned(), plain.exported);
        if let Some(parent) = parent {
            let parent = &found[parent as usize];
            qualified_name = format!("{}.{qualified_name}", parent.qualified_name);
            exported &= parent.exported;
            if kind == SymbolKind::Function && parent.kind != SymbolKind::Namespace {
                kind = SymbolKind::Method;
            }
        }
        open.push((end_line, is_container(kind).then_some(found.len() as u32)));
        found.push(Symbol {
            kind,
            name: plain.name.to_owned(),
            qualified_name,
            parent,
            span: span(lines, start, end),
            doc: None,
            signature: signature(source),
            exported,
            references: Vec::new(),
        });
    }
}

/// The line of the closing bracket at the indentation of the first line, if it comes before the next declaration there; the last indented
/// line where a colon opens the body, and of a recipe; else the first line.
fn end_line(rule: PlainRule, text: &str, lines: &LineIndex, line: u32, last: u32) -> u32 {
    let indentation = |source: &str| source.len() - source.trim_start().len();
    let own = indentation(lines.slice(text, line, line));
    let by_indentation = lines.slice(text, line, line).trim_end().ends_with([':', '|']) || (line < last && is_recipe(lines.slice(text, line, line + 1)));
    let mut end = line;
    for next in line + 1..=last.min(line.saturating_add(MAX_BODY_LINES)) {
        let source = lines.slice(text, next, next);
        if source.len() > MAX_LINE_BYTES || source.trim().is_empty() {
            continue;
        }
        if indentation(source) > own {
            end = next;
            continue;
        }
        let closes = source.trim_start().starts_with(['}', ')', ']']);
        let opens_again = source.trim_end().ends_with(['{', '(', '[']);
        if by_indentation && !closes {
            return end;
        }
        if closes && !opens_again && !by_indentation {
            return next;
        }
        if indentation(source) < own || rule(source).is_some() {
            break;
        }
    }
    if by_indentation { end } else { line }
}

/// Whether two lines are a target of a makefile and the first of its recipe.
fn is_recipe(lines: &str) -> bool {
    let Some((target, _)) = lines.split_once('\n').filter(|(_, next)| next.starts_with('\t')) else { return false };
    target.split_once(':').is_some_and(|(names, rest)| !names.contains(['(', '{', '=', '"']) && !rest.starts_with([':', '=']))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::grammars;
    use crate::syntax::tests::TYPESCRIPT;

    fn rule() -> PlainRule {
        grammars::of(Some(&TYPESCRIPT)).expect("a row").plain
    }

    fn rows(text: &str) -> Vec<(SymbolKind, String, u32, u32, bool)> {
        let found = symbols(rule(), text, &LineIndex::new(text));
        found.into_iter().map(|symbol| (symbol.kind, symbol.name, symbol.span.start_line, symbol.span.end_line, symbol.exported)).collect()
    }

    #[test]
    fn declarations_are_read_off_their_first_lines() {
        let text = "export default class A extends B {\n  method() {}\n}\n/*\nclass Commented {}\n*/\n// function no() {}\nasync function* go(\n  a,\n) {\n  const local = 1;\n}\nconst enum E {\n}\ntype T<X> = X;\nclassy = 1;\nlet x = 2\nreturn function (a) {}\nfunction(a) {}\ntype of thing\n";
        let expected = [
            (SymbolKind::Class, "A", 1, 3, true),
            (SymbolKind::Function, "go", 8, 12, false),
            (SymbolKind::Enum, "E", 13, 14, false),
            (SymbolKind::Type, "T", 15, 15, false),
            (SymbolKind::Variable, "x", 17, 17, false),
        ];
        assert_eq!(rows(text), expected.map(|(kind, name, first, last, exported)| (kind, name.to_owned(), first, last, exported)));
    }

    #[test]
    fn rescued_symbols_keep_the_order_and_the_parents() {
        let text = "class A {\n}\nfunction b() {\n}\nclass C {\n  d\n}\n";
        let lines = LineIndex::new(text);
        let mut known = symbols(rule(), text, &lines);
        known.remove(1);
        let mut member = known[1].clone();
        member.name = "d".to_owned();
        member.span = span(&lines, 41, 42);
        member.parent = Some(1);
        known.push(member);
        let broken = std::ops::Range { start: 0, end: text.len() };
        rescue(rule(), text, &lines, &[broken], &mut |_| Vec::new(), &mut known);
        let found: Vec<_> = known.iter().map(|symbol| (symbol.name.as_str(), symbol.parent)).collect();
        assert_eq!(found, [("A", None), ("b", None), ("C", None), ("d", Some(2))]);
    }
}
