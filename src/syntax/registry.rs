//! The chain of parsers.

use super::Outline;
use super::component;
use super::grammars;
use super::lines as line_rules;
use super::notebook;
use super::plain;
use super::tree;
use crate::language::Language;
use crate::lines::LineIndex;

/// One way to outline a text.
pub(super) trait Parser: Sync {
    /// Its name and version for this language.
    fn id(&self, language: Option<&'static Language>) -> &'static str;

    /// Whether it is made for this language.
    fn knows(&self, language: Option<&'static Language>) -> bool;

    /// The outline, or `None` if it fails on this text.
    fn outline(&self, language: Option<&'static Language>, text: &str, lines: &LineIndex) -> Option<Outline>;
}

/// In the order in which they are tried; the last one never fails.
const CHAIN: [&dyn Parser; 5] = [&Components, &Notebooks, &ByGrammar, &ByLines, &Windows];

/// The parser that is tried first for a language.
pub(super) fn first(language: Option<&'static Language>) -> &'static dyn Parser {
    CHAIN.into_iter().find(|parser| parser.knows(language)).unwrap_or(&Windows)
}

/// The id of the first parser that succeeds, and its outline.
pub(super) fn outline(language: Option<&'static Language>, text: &str, lines: &LineIndex) -> (&'static str, Outline) {
    CHAIN
        .into_iter()
        .filter(|parser| parser.knows(language))
        .find_map(|parser| Some((parser.id(language), parser.outline(language, text, lines)?)))
        .unwrap_or((Windows.id(language), Outline::default()))
}

/// The scripts of a component file.
struct Components;

impl Parser for Components {
    fn id(&self, _: Option<&'static Language>) -> &'static str {
        component::ID
    }

    fn knows(&self, language: Option<&'static Language>) -> bool {
        component::knows(language)
    }

    fn outline(&self, language: Option<&'static Language>, text: &str, lines: &LineIndex) -> Option<Outline> {
        component::outline(language, text, lines)
    }
}

/// The cells of a notebook.
struct Notebooks;

impl Parser for Notebooks {
    fn id(&self, _: Option<&'static Language>) -> &'static str {
        notebook::ID
    }

    fn knows(&self, language: Option<&'static Language>) -> bool {
        notebook::knows(language)
    }

    fn outline(&self, _: Option<&'static Language>, text: &str, lines: &LineIndex) -> Option<Outline> {
        notebook::outline(text, lines)
    }
}

/// A tree-sitter grammar.
struct ByGrammar;

impl Parser for ByGrammar {
    fn id(&self, language: Option<&'static Language>) -> &'static str {
        grammars::of(language).map_or("", |grammar| grammar.id)
    }

    fn knows(&self, language: Option<&'static Language>) -> bool {
        // What the grammar of pages failed at, or was kept from, is not tried again.
        grammars::of(language).is_some() && !component::knows(language)
    }

    fn outline(&self, language: Option<&'static Language>, text: &str, lines: &LineIndex) -> Option<Outline> {
        tree::outline(grammars::for_text(language, text)?, text, lines)
    }
}

/// Plain declarations, line by line, for a text that is too much for the grammar, and for languages that have no other.
struct ByLines;

impl Parser for ByLines {
    fn id(&self, _: Option<&'static Language>) -> &'static str {
        "plain-declarations/4"
    }

    fn knows(&self, language: Option<&'static Language>) -> bool {
        grammars::of(language).is_some() || line_rules::of(language).is_some()
    }

    fn outline(&self, language: Option<&'static Language>, text: &str, lines: &LineIndex) -> Option<Outline> {
        let rule = grammars::of(language).map(|grammar| grammar.plain).or_else(|| line_rules::of(language))?;
        let symbols = plain::symbols(rule, text, lines);
        (!symbols.is_empty()).then(|| Outline { symbols, imports: Vec::new() })
    }
}

/// No outline: the text is cut into windows.
struct Windows;

impl Parser for Windows {
    fn id(&self, _: Option<&'static Language>) -> &'static str {
        "windows/1"
    }

    fn knows(&self, _: Option<&'static Language>) -> bool {
        true
    }

    fn outline(&self, _: Option<&'static Language>, _: &str, _: &LineIndex) -> Option<Outline> {
        Some(Outline::default())
    }
}
