//! Languages without a grammar here whose declarations one line shows.

use super::SymbolKind;
use super::plain::{Plain, PlainRule, by_words};
use crate::language::Language;

/// By name, as in the table of languages.
const RULES: &[(&str, PlainRule)] = &[("yaml", yaml), ("sql", sql), ("makefile", makefile), ("dockerfile", dockerfile)];

/// The rule of a language.
pub(super) fn of(language: Option<&'static Language>) -> Option<PlainRule> {
    let name = language?.name;
    RULES.iter().find(|(known, _)| *known == name).map(|(_, rule)| *rule)
}

/// `key: value` at the start of a line. (The grammar's scanner writes past its buffer on deep nesting.)
fn yaml(line: &str) -> Option<Plain<'_>> {
    let (key, rest) = line.split_once(':')?;
    let name = key.trim_end().trim_matches(['"', '\'']);
    let is_key = rest.is_empty() || rest.starts_with([' ', '\t']);
    let starts = key.starts_with(|char: char| char.is_alphanumeric() || matches!(char, '_' | '.' | '/' | '$' | '"' | '\''));
    (is_key && starts && !name.is_empty() && !name.contains(['{', '[', '#'])).then_some(Plain { kind: SymbolKind::Key, name, exported: true })
}

/// `CREATE TABLE IF NOT EXISTS schema.name (`
fn sql(line: &str) -> Option<Plain<'_>> {
    let mut words = line.split_whitespace();
    if !words.next()?.eq_ignore_ascii_case("create") {
        return None;
    }
    let mut kind = None;
    for word in words {
        let upper = word.to_ascii_uppercase();
        match (kind, upper.as_str()) {
            (None, "OR" | "REPLACE" | "TEMP" | "TEMPORARY" | "UNIQUE" | "MATERIALIZED" | "VIRTUAL" | "RECURSIVE" | "UNLOGGED" | "GLOBAL" | "LOCAL") => {}
            (None, "TABLE" | "VIEW") => kind = Some(SymbolKind::Struct),
            (None, "FUNCTION" | "PROCEDURE" | "TRIGGER") => kind = Some(SymbolKind::Function),
            (None, "TYPE" | "DOMAIN") => kind = Some(SymbolKind::Type),
            (None, "SCHEMA") => kind = Some(SymbolKind::Namespace),
            (None, "INDEX" | "SEQUENCE") => kind = Some(SymbolKind::Key),
            (None, _) => return None,
            (Some(_), "IF" | "NOT" | "EXISTS" | "CONCURRENTLY") => {}
            (Some(kind), _) => {
                let path = word.split('(').next()?.trim_end_matches(';');
                let name = path.rsplit('.').next()?.trim_matches(['"', '`', '[', ']']);
                return (!name.is_empty()).then_some(Plain { kind, name, exported: true });
            }
        }
    }
    None
}

/// `target: prerequisites`, and variables.
fn makefile(line: &str) -> Option<Plain<'_>> {
    if let Some(plain) = by_words(line, &[], &[("define", SymbolKind::Macro)]) {
        return Some(plain);
    }
    let name = &line[..line.find(|char: char| !(char.is_alphanumeric() || matches!(char, '_' | '-' | '.' | '/' | '%'))).unwrap_or(line.len())];
    let after = line[name.len()..].trim_start();
    let assigns = [":=", "::=", "?=", "+=", "!=", "="].iter().any(|sign| after.starts_with(sign));
    let kind = match () {
        () if name.is_empty() || name.starts_with('.') => return None,
        () if assigns => SymbolKind::Variable,
        () if after.starts_with(':') => SymbolKind::Function,
        () => return None,
    };
    Some(Plain { kind, name, exported: true })
}

/// `FROM image AS stage`, `ARG name` and `ENV name`.
fn dockerfile(line: &str) -> Option<Plain<'_>> {
    let words: Vec<&str> = line.split_whitespace().take(6).collect();
    let (kind, name) = match words.as_slice() {
        [from, .., r#as, stage] if from.eq_ignore_ascii_case("from") && r#as.eq_ignore_ascii_case("as") => (SymbolKind::Namespace, *stage),
        [word, name, ..] if word.eq_ignore_ascii_case("arg") || word.eq_ignore_ascii_case("env") => (SymbolKind::Variable, name.split('=').next()?),
        _ => return None,
    };
    (!name.is_empty()).then_some(Plain { kind, name, exported: true })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(rule: PlainRule, line: &str) -> Option<(SymbolKind, &str)> {
        rule(line).map(|plain| (plain.kind, plain.name))
    }

    #[test]
    fn declarations_are_read_off_their_lines() {
        assert_eq!(read(sql, "create or replace view \"a\".\"b\" as"), Some((SymbolKind::Struct, "b")));
        assert_eq!(read(sql, "CREATE TABLE IF NOT EXISTS users("), Some((SymbolKind::Struct, "users")));
        assert_eq!(read(sql, "CREATE UNIQUE INDEX by_name ON users (name);"), Some((SymbolKind::Key, "by_name")));
        assert_eq!(read(sql, "CREATE INDEX"), None);
        assert_eq!(read(sql, "INSERT INTO users"), None);
        assert_eq!(read(yaml, "\"a b\": x"), Some((SymbolKind::Key, "a b")));
        assert_eq!(read(yaml, "on:"), Some((SymbolKind::Key, "on")));
        assert_eq!(read(yaml, "  inner: x"), None);
        assert_eq!(read(yaml, "- a: x"), None);
        assert_eq!(read(yaml, "http://x"), None);
        assert_eq!(read(makefile, "build/%.o: %.c"), Some((SymbolKind::Function, "build/%.o")));
        assert_eq!(read(makefile, "CFLAGS ?= -O2"), Some((SymbolKind::Variable, "CFLAGS")));
        assert_eq!(read(makefile, "CC := cc"), Some((SymbolKind::Variable, "CC")));
        assert_eq!(read(makefile, "\tcc: no"), None);
        assert_eq!(read(makefile, ".PHONY: all"), None);
        assert_eq!(read(dockerfile, "FROM node:20 AS build"), Some((SymbolKind::Namespace, "build")));
        assert_eq!(read(dockerfile, "ARG VERSION=1"), Some((SymbolKind::Variable, "VERSION")));
        assert_eq!(read(dockerfile, "RUN make"), None);
    }
}
