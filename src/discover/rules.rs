//! Ignore files along one branch of the tree, the nearest strongest.

use std::sync::Arc;

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::git::{Patterns, Repository};
use crate::rel_path::RelPath;

/// The rules of one ignore file, and those above it.
#[derive(Debug)]
pub(crate) struct Rules {
    own: Matcher,
    above: Chain,
}

/// The rules that hold in a folder.
pub(crate) type Chain = Option<Arc<Rules>>;

#[derive(Debug)]
enum Matcher {
    /// Inside Git: its own reading of the rules.
    Git(Patterns),
    /// Outside Git: rules of a folder (`None`: the project's root).
    Plain(Gitignore, Option<RelPath>),
}

/// The rules that stand above the project in Git, weakest first.
pub(super) fn above(rules: Vec<Patterns>) -> Chain {
    rules.into_iter().fold(None, |above, patterns| Some(Arc::new(Rules { own: Matcher::Git(patterns), above })))
}

/// The chain with the rules of an ignore file in `folder` put before it.
pub(crate) fn with(above: &Chain, bytes: &[u8], folder: Option<&RelPath>, repository: Option<&Repository>) -> Chain {
    let own = match repository {
        Some(repository) => Matcher::Git(repository.patterns(bytes, folder)),
        None => Matcher::Plain(plain(bytes), folder.cloned()),
    };
    Some(Arc::new(Rules { own, above: above.clone() }))
}

fn plain(bytes: &[u8]) -> Gitignore {
    let mut builder = GitignoreBuilder::new("");
    let text = String::from_utf8_lossy(bytes);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // As in Git, a line that is no pattern has no effect.
        let _ = builder.add_line(None, line);
    }
    builder.build().unwrap_or_else(|_| Gitignore::empty())
}

/// Whether the nearest rule that matches says to ignore.
pub(crate) fn ignores(chain: &Chain, repository: Option<&Repository>, path: &RelPath, is_directory: bool) -> bool {
    let prefix = repository.map_or(&b""[..], Repository::prefix);
    let mut in_work_tree = None;
    let mut next = chain;
    while let Some(rules) = next {
        let verdict = match &rules.own {
            Matcher::Git(patterns) => {
                let full = in_work_tree.get_or_insert_with(|| match prefix {
                    b"" => path.to_bytes(),
                    prefix => [prefix, b"/", &path.to_bytes()].concat(),
                });
                patterns.verdict(full, is_directory)
            }
            Matcher::Plain(rules, folder) => {
                let os = path.to_os();
                let below = folder.as_ref().map_or(Ok(os.as_path()), |folder| os.strip_prefix(folder.to_os())).ok();
                below.and_then(|below| match rules.matched(below, is_directory) {
                    ignore::Match::None => None,
                    ignore::Match::Ignore(_) => Some(true),
                    ignore::Match::Whitelist(_) => Some(false),
                })
            }
        };
        if let Some(verdict) = verdict {
            return verdict;
        }
        next = &rules.above;
    }
    false
}
