//! Git's ignore rules, parsed from bytes that were read elsewhere.

use gix::glob::pattern::{Case, Mode};

use super::glob::Glob;

/// The rules of one ignore file.
#[derive(Debug)]
pub struct Patterns {
    rules: Vec<Rule>,
    /// The folder that they stand in, with a `/` at its end; empty for the work tree's top.
    base: Vec<u8>,
    fold: bool,
}

#[derive(Debug)]
struct Rule {
    mode: Mode,
    /// What stands before the first wildcard.
    start: Vec<u8>,
    /// The rest, if there is a wildcard.
    wild: Option<Glob>,
}

impl Patterns {
    /// The rules in `bytes`, of a file in the folder `base`: `/`-separated, relative to the work tree's top, empty for the top itself.
    pub(super) fn parse(bytes: &[u8], base: &[u8], case: Case) -> Self {
        let fold = case == Case::Fold;
        let lines: Vec<&[u8]> = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).split(|byte| *byte == b'\n').collect();
        let rule = |pattern: gix::glob::Pattern, line: usize| {
            // As in git, the literal start is compared and cut off: so the `**` of `/a**/b` stands at a start, and crosses folders.
            // An escape counts as a wildcard to it, also the one before `#` and `!` that the parser takes away.
            let is_escaped = line.checked_sub(1).and_then(|at| lines.get(at)).is_some_and(|line| line.starts_with(b"\\"));
            let literal = if is_escaped { 0 } else { pattern.first_wildcard_pos.unwrap_or(pattern.text.len()) };
            let (start, wild) = pattern.text.split_at(literal);
            Rule { mode: pattern.mode, start: start.to_vec(), wild: (!wild.is_empty()).then(|| Glob::new(wild, fold)) }
        };
        let rules = gix::ignore::parse(bytes, false).map(|(pattern, line, _)| rule(pattern, line)).collect();
        let base = if base.is_empty() { Vec::new() } else { [base, b"/"].concat() };
        Patterns { rules, base, fold }
    }

    /// What the last rule that matches says of a path relative to the work tree's top: `Some(true)` to ignore it, `Some(false)` to keep it.
    pub fn verdict(&self, path: &[u8], is_directory: bool) -> Option<bool> {
        let path = self.after(&self.base, path)?;
        let name = path.rsplit(|&byte| byte == b'/').next().unwrap_or(path);
        let found = self.rules.iter().rev().find(|rule| {
            let is_name = rule.mode.contains(Mode::NO_SUB_DIR) && !rule.mode.contains(Mode::ABSOLUTE);
            let rest = self.after(&rule.start, if is_name { name } else { path });
            (is_directory || !rule.mode.contains(Mode::MUST_BE_DIR))
                && rest.is_some_and(|rest| rule.wild.as_ref().map_or(rest.is_empty(), |wild| wild.matches(rest)))
        })?;
        Some(!found.mode.contains(Mode::NEGATIVE))
    }

    /// What follows `start` in a path; `None` if the path does not start so.
    fn after<'path>(&self, start: &[u8], path: &'path [u8]) -> Option<&'path [u8]> {
        let (head, rest) = path.split_at_checked(start.len())?;
        (head == start || self.fold && head.eq_ignore_ascii_case(start)).then_some(rest)
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
