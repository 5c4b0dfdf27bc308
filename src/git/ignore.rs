//! Git's ignore rules, parsed from bytes that were read elsewhere.

use gix::bstr::{BStr, BString, ByteSlice as _};
use gix::glob::pattern::Case;
use gix::glob::search::pattern::{List, Mapping};
use gix::ignore::search::{Ignore, pattern_matching_relative_path};

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
        pattern_matching_relative_path(&self.list, path, name_at, Some(is_directory), self.case).map(|found| !found.pattern.is_negative())
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
