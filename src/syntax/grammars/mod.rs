//! The table of grammars. A language is one row here and one file beside it that says which nodes are symbols.

mod bash;
mod c;
mod common;
mod csharp;
mod css;
mod data;
mod ecmascript;
mod go;
mod html;
mod java;
mod kotlin;
mod lua;
mod markdown;
mod php;
mod python;
mod ruby;
mod rust;
mod scala;
mod swift;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;

use tree_sitter_language::LanguageFn;

use super::plain::{self, PlainRule};
use super::roles::Role;
use crate::language::Language;

/// One row of the table.
pub(super) struct Grammar {
    /// Names of the languages that it parses, as in the table of languages.
    languages: &'static [&'static str],
    /// The grammar and its version, and after the slash the version of the rules: part of the key under which results are reused.
    pub(super) id: &'static str,
    grammar: LanguageFn,
    /// What the nodes of a kind are; kinds that are not named are looked into and mean nothing.
    roles: &'static [(&'static str, Role)],
    /// Declarations that one line shows.
    pub(super) plain: PlainRule,
    /// The text as the grammar can read it, each byte at its place; names are cut from the real text.
    pub(super) readable: for<'text> fn(&'text str) -> Cow<'text, [u8]>,
    compiled: OnceLock<Compiled>,
}

/// A grammar as the parser takes it.
pub(super) struct Compiled {
    pub(super) language: tree_sitter::Language,
    /// By kind id.
    pub(super) roles: Vec<Role>,
    pub(super) fields: Fields,
}

/// The ids of a grammar's fields: the library compares each of its names to find one.
pub(super) type Fields = HashMap<Box<str>, u16, foldhash::fast::FixedState>;

impl Grammar {
    pub(super) const fn new(
        languages: &'static [&'static str],
        id: &'static str,
        grammar: LanguageFn,
        roles: &'static [(&'static str, Role)],
        plain: PlainRule,
    ) -> Self {
        Grammar { languages, id, grammar, roles, plain, readable: |text| Cow::Borrowed(text.as_bytes()), compiled: OnceLock::new() }
    }

    /// The same for a grammar that cannot read every text of its language as it is.
    const fn reading(mut self, readable: for<'text> fn(&'text str) -> Cow<'text, [u8]>) -> Self {
        self.readable = readable;
        self
    }

    /// Made on first use.
    pub(super) fn compiled(&self) -> &Compiled {
        self.compiled.get_or_init(|| {
            let language = tree_sitter::Language::new(self.grammar);
            let mut roles = vec![Role::None; language.node_kind_count()];
            for (kind, role) in self.roles {
                // Rules serve several dialects: a kind that this one lacks has no id.
                let id = language.id_for_node_kind(kind, true);
                if id != 0 {
                    roles[id as usize] = *role;
                }
            }
            let ids = 1..=language.field_count() as u16;
            let fields = ids.filter_map(|id| Some((language.field_name_for_id(id)?.into(), id))).collect();
            Compiled { language, roles, fields }
        })
    }
}

#[rustfmt::skip]
static GRAMMARS: [Grammar; 22] = [
    Grammar::new(
        &["typescript"],
        "tree-sitter-typescript@0.23.2/8",
        tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        ecmascript::ROLES,
        ecmascript::plain_declaration,
    ),
    Grammar::new(&["tsx"], "tree-sitter-tsx@0.23.2/8", tree_sitter_typescript::LANGUAGE_TSX, ecmascript::ROLES, ecmascript::plain_declaration),
    Grammar::new(&["javascript", "jsx"], "tree-sitter-javascript@0.25.0/8", tree_sitter_javascript::LANGUAGE, ecmascript::ROLES, ecmascript::plain_declaration),
    Grammar::new(&["bash"], "tree-sitter-bash@0.25.1/3", tree_sitter_bash::LANGUAGE, bash::ROLES, bash::plain_declaration).reading(bash::in_ascii),
    Grammar::new(&["c"], "tree-sitter-c@0.24.2 tree-sitter-cpp@0.23.4/7", tree_sitter_c::LANGUAGE, c::ROLES, c::plain_declaration).reading(c::without_macros),
    Grammar::new(&["cpp"], "tree-sitter-cpp@0.23.4/7", tree_sitter_cpp::LANGUAGE, c::ROLES, c::plain_declaration).reading(c::without_macros),
    Grammar::new(&["csharp"], "tree-sitter-c-sharp@0.23.5/3", tree_sitter_c_sharp::LANGUAGE, csharp::ROLES, csharp::plain_declaration),
    Grammar::new(&["css"], "tree-sitter-css@0.25.0/2", tree_sitter_css::LANGUAGE, css::ROLES, plain::none),
    Grammar::new(&["go"], "tree-sitter-go@0.25.0/3", tree_sitter_go::LANGUAGE, go::ROLES, go::plain_declaration),
    Grammar::new(&["html"], "tree-sitter-html@0.23.2/1", tree_sitter_html::LANGUAGE, html::ROLES, plain::none),
    Grammar::new(&["java"], "tree-sitter-java@0.23.5/3", tree_sitter_java::LANGUAGE, java::ROLES, java::plain_declaration),
    Grammar::new(&["json"], "tree-sitter-json@0.24.8/2", tree_sitter_json::LANGUAGE, data::JSON, plain::none),
    Grammar::new(&["kotlin"], "tree-sitter-kotlin-ng@1.1.0/4", tree_sitter_kotlin_ng::LANGUAGE, kotlin::ROLES, kotlin::plain_declaration).reading(kotlin::with_constructors),
    Grammar::new(&["lua"], "tree-sitter-lua@0.5.0/7", tree_sitter_lua::LANGUAGE, lua::ROLES, lua::plain_declaration),
    Grammar::new(&["markdown"], "tree-sitter-markdown@0.5.4/2", tree_sitter_md::LANGUAGE, markdown::ROLES, plain::none),
    Grammar::new(&["php"], "tree-sitter-php@0.25.1/3", tree_sitter_php::LANGUAGE_PHP, php::ROLES, php::plain_declaration),
    Grammar::new(&["python"], "tree-sitter-python@0.25.0/3", tree_sitter_python::LANGUAGE, python::ROLES, python::plain_declaration),
    Grammar::new(&["ruby"], "tree-sitter-ruby@0.23.1/3", tree_sitter_ruby::LANGUAGE, ruby::ROLES, ruby::plain_declaration),
    Grammar::new(&["rust"], "tree-sitter-rust@0.24.2/3", tree_sitter_rust::LANGUAGE, rust::ROLES, rust::plain_declaration),
    Grammar::new(&["scala"], "tree-sitter-scala@0.26.9/3", tree_sitter_scala::LANGUAGE, scala::ROLES, scala::plain_declaration),
    Grammar::new(&["swift"], "tree-sitter-swift@0.7.4/3", tree_sitter_swift::LANGUAGE, swift::ROLES, swift::plain_declaration),
    Grammar::new(&["toml"], "tree-sitter-toml@0.7.0/2", tree_sitter_toml_ng::LANGUAGE, data::TOML, plain::none),
];

/// The row of a language.
pub(super) fn of(language: Option<&'static Language>) -> Option<&'static Grammar> {
    named(language?.name)
}

/// The row of a language by its name.
pub(super) fn named(name: &str) -> Option<&'static Grammar> {
    GRAMMARS.iter().find(|grammar| grammar.languages.contains(&name))
}

/// The row for a text in a language: a header may be in either of two.
pub(super) fn for_text(language: Option<&'static Language>, text: &str) -> Option<&'static Grammar> {
    if language.is_some_and(|language| language.name == "c") && c::is_cpp(text) {
        return named("cpp");
    }
    of(language)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_the_rules_is_in_a_grammar() {
        for grammar in &GRAMMARS {
            for (kind, _) in grammar.roles {
                let dialects = GRAMMARS.iter().filter(|other| std::ptr::eq(other.roles, grammar.roles));
                assert!(dialects.into_iter().any(|grammar| grammar.compiled().language.id_for_node_kind(kind, true) != 0), "{}: {kind}", grammar.id);
            }
        }
    }
}
