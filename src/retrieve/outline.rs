//! Declarations for callers who name a file or a name: read from the files as they are now, under the rules of every other read.

use super::prove::{Prover, excluded};
use crate::admit::Admitted;
use crate::cancel::Cancel;
use crate::error::Result;
use crate::exclude::RuleId;
use crate::hash::Hash;
use crate::language;
use crate::limits::Bounds;
use crate::rel_path::RelPath;
use crate::root::Root;
use crate::secrets;
use crate::store::Store;
use crate::syntax::{self, Parsed, Symbol};
use crate::terms;

/// The declarations of one file as it is now.
#[derive(Debug, Clone, PartialEq)]
pub struct Outline {
    pub path: RelPath,
    /// Of the whole file's raw bytes.
    pub hash: Hash,
    /// The label of the file's language; `None` if no row of the table knows it.
    pub language: Option<&'static str>,
    pub parsed: Parsed,
}

/// The outline of a file; one with markers of classes is cut into windows, and has no declarations.
///
/// # Errors
/// `NotFound`; `Excluded` naming the rule; `RootReplaced`; `Io`.
pub fn outline(root: &Root, bounds: &Bounds, path: &RelPath) -> Result<Outline> {
    root.verify()?;
    let mut prover = Prover::new(root, bounds, &Cancel::default());
    let outline = parse(path, prover.demanded(path)?, bounds);
    match secret_in(&outline.parsed.imports).or_else(|| outline.parsed.symbols.iter().find_map(secret_of)) {
        Some(rule) => Err(excluded(path, rule)),
        None => Ok(outline),
    }
}

/// The outline of a text that need not be a file of any project.
pub fn outline_of(path: &RelPath, text: &str) -> Outline {
    let language = language_of(path, text, &Bounds::default());
    Outline { path: path.clone(), hash: Hash::of(text.as_bytes()), language: language.map(|row| row.name), parsed: syntax::parse(language, text) }
}

/// The declarations of a simple or qualified name, in order of path and line, at most `limit`: each looked up in the index, and taken from
/// its file as it is now. Names are compared without regard to case, those of the very case first.
///
/// # Errors
/// `RootReplaced`; store errors; `Io`.
pub fn definitions(root: &Root, store: &Store, bounds: &Bounds, name: &str, limit: usize) -> Result<Vec<(RelPath, Hash, Symbol)>> {
    root.verify()?;
    let simple = name.rsplit('.').next().unwrap_or(name);
    let wanted = |symbol: &Symbol| {
        let known = if name.contains('.') { &symbol.qualified_name } else { &symbol.name };
        terms::fold(known) == terms::fold(name) || symbol.qualified_name.ends_with(&format!(".{name}"))
    };
    let mut paths = Vec::new();
    {
        let reader = store.reader()?;
        for hit in reader.symbols_named(&terms::fold(simple), limit)? {
            if let Some(file) = reader.file(hit.file)?
                && !paths.contains(&file.path)
            {
                paths.push(file.path);
            }
        }
    }
    let mut prover = Prover::new(root, bounds, &Cancel::default());
    let mut found = Vec::new();
    for path in paths {
        // A file that is gone or may not be read any more defines nothing.
        let Ok(admitted) = prover.admitted(&path)? else { continue };
        let outline = parse(&path, admitted, bounds);
        found.extend(
            outline
                .parsed
                .symbols
                .into_iter()
                .filter(|symbol| wanted(symbol) && secret_of(symbol).is_none())
                .map(|symbol| (path.clone(), outline.hash, symbol)),
        );
    }
    found.sort_by_key(|(_, _, symbol)| symbol.name != simple);
    found.truncate(limit);
    Ok(found)
}

fn parse(path: &RelPath, admitted: &Admitted, bounds: &Bounds) -> Outline {
    let language = language_of(path, &admitted.text, bounds);
    Outline { path: path.clone(), hash: admitted.hash, language: language.map(|row| row.name), parsed: syntax::parse(language, &admitted.text) }
}

/// The last look at what leaves, as at a quotation: a signature has its white space collapsed, and may read otherwise than its lines.
fn secret_of(symbol: &Symbol) -> Option<RuleId> {
    secret_in([&symbol.signature, &symbol.qualified_name]).or_else(|| secret_in(&symbol.references))
}

fn secret_in<'a>(texts: impl IntoIterator<Item = &'a String>) -> Option<RuleId> {
    texts.into_iter().find_map(|text| secrets::scan(text).first().map(|finding| finding.rule))
}

fn language_of(path: &RelPath, text: &str, bounds: &Bounds) -> Option<&'static language::Language> {
    language::of_mapped(path, text.lines().next().unwrap_or_default(), &bounds.languages)
}
