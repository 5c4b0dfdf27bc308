//! Ignore files along one branch of the tree, the nearest strongest.

use std::sync::Arc;

use crate::git::{Base, Patterns};
use crate::rel_path::RelPath;

/// The rules of one ignore file, and those above it.
#[derive(Debug)]
pub(crate) struct Rules {
    own: Patterns,
    above: Chain,
}

/// The rules that hold in a folder.
pub(crate) type Chain = Option<Arc<Rules>>;

/// The rules that stand above the project in Git, weakest first.
pub(super) fn above(rules: Vec<Patterns>) -> Chain {
    rules.into_iter().fold(None, |above, own| Some(Arc::new(Rules { own, above })))
}

/// The chain with the rules of an ignore file in `folder` put before it.
pub(crate) fn with(above: &Chain, bytes: &[u8], folder: Option<&RelPath>, base: &Base) -> Chain {
    Some(Arc::new(Rules { own: base.patterns(bytes, folder), above: above.clone() }))
}

/// Whether the nearest rule that matches says to ignore.
pub(crate) fn ignores(chain: &Chain, base: &Base, path: &RelPath, is_directory: bool) -> bool {
    let full = base.full(path);
    let mut next = chain;
    while let Some(rules) = next {
        if let Some(verdict) = rules.own.verdict(&full, is_directory) {
            return verdict;
        }
        next = &rules.above;
    }
    false
}
