//! Git's ignore rules, parsed from bytes that were read elsewhere.

use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::glob::pattern::{Case, Mode};
use gix::glob::search::pattern::{List, Mapping};
use gix::glob::{Pattern, wildmatch};
use gix::ignore::search::Ignore;

use crate::rel_path::RelPath;

/// The rules of one ignore file.
#[derive(Debug)]
pub struct Patterns {
    list: List<Ignore>,
    case: Case,
}

impl Patterns {
    /// The rules in `bytes`, of a file in the folder `base`: `/`-separated, relative to the work tree's top, empty for the top itself.
    pub(super) fn parse(bytes: &[u8], base: &[u8], case: Case) -> Self {
        let patterns = gix::ignore::parse(bytes, false).map(|(pattern, line, kind)| Mapping { pattern, value: kind, sequence_number: line }).collect();
        let base = (!base.is_empty()).then(|| {
            let mut base = BString::from(base);
            base.push(b'/');
            base
        });
        Patterns { list: List { patterns, source: None, base }, case }
    }

    /// The rules in the bytes of a `.gitignore` in `folder` of a project outside Git (`None`: its root).
    pub fn outside_git(bytes: &[u8], folder: Option<&RelPath>) -> Self {
        Patterns::parse(bytes, &folder.map(RelPath::to_bytes).unwrap_or_default(), Case::Sensitive)
    }

    /// What the last rule that matches says of a path relative to the work tree's top: `Some(true)` to ignore it, `Some(false)` to keep it.
    pub fn verdict(&self, path: &[u8], is_directory: bool) -> Option<bool> {
        let path: &BStr = path.as_bstr();
        let name_at = path.rfind_byte(b'/').map(|at| at + 1);
        let (path, name_at) = self.list.strip_base_handle_recompute_basename_pos(path, name_at, self.case)?;
        let found = self.list.patterns.iter().rev().find(|mapping| self.matches(&mapping.pattern, path, name_at, is_directory))?;
        Some(!found.pattern.is_negative())
    }

    fn matches(&self, pattern: &Pattern, path: &BStr, name_at: Option<usize>, is_directory: bool) -> bool {
        if pattern.mode.contains(Mode::NO_SUB_DIR) && !pattern.mode.contains(Mode::ABSOLUTE) {
            return pattern.matches_repo_relative_path(path, name_at, Some(is_directory), self.case, wildmatch::Mode::NO_MATCH_SLASH_LITERAL);
        }
        if pattern.mode.contains(Mode::MUST_BE_DIR) && !is_directory {
            return false;
        }
        // As in git, what stands before the first wildcard is compared and cut off: so the `**` of `/a**/b` stands at a start, and crosses folders.
        let (start, wild) = pattern.text.split_at(pattern.first_wildcard_pos.unwrap_or(pattern.text.len()));
        let Some((head, rest)) = path.split_at_checked(start.len()) else { return false };
        let (is_start, fold) = match self.case {
            Case::Sensitive => (head == start, wildmatch::Mode::empty()),
            Case::Fold => (head.eq_ignore_ascii_case(start), wildmatch::Mode::IGNORE_CASE),
        };
        is_start && if wild.is_empty() { rest.is_empty() } else { gix::glob::wildmatch(wild.into(), rest.into(), wildmatch::Mode::NO_MATCH_SLASH_LITERAL | fold) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_rules_have_a_verdict(rules in proptest::collection::vec(prop_oneof![Just(b'*'), Just(b'/'), Just(b'!'), Just(b'['), Just(b'\\'), Just(b'a'), Just(b'\n'), any::<u8>()], 0..60), name in "[a!*]{1,4}", fold: bool) {
            let case = if fold { Case::Fold } else { Case::Sensitive };
            for base in [&b""[..], b"folder"] {
                let patterns = Patterns::parse(&rules, base, case);
                for path in [name.clone(), format!("folder/{name}/a")] {
                    prop_assert_eq!(patterns.verdict(path.as_bytes(), true), patterns.verdict(path.as_bytes(), true));
                }
            }
        }
    }
}
