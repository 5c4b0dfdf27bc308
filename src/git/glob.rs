//! Git's wildcards, matched in time proportional to pattern times name: a matcher that backtracks can be held up for ever by whoever writes both.

/// A pattern of Git's path matching, in which no wildcard but `**` crosses a `/`.
#[derive(Debug)]
pub(super) struct Glob {
    steps: Vec<Step>,
    fold: bool,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    Byte(u8),
    /// One of these bytes.
    Set(Box<[bool; 256]>),
    /// Any number of bytes: also `/`, or none but it.
    Any {
        slash: bool,
    },
    /// `**/` at the start of a component: any number of whole components. Its `/` is the next step, left out with it where it stands for none.
    Components,
    /// What git never matches, such as a set without end.
    Never,
}

impl Glob {
    pub(super) fn new(pattern: &[u8], fold: bool) -> Self {
        let mut steps = Vec::new();
        let mut at = 0;
        while let Some(&byte) = pattern.get(at) {
            let start = at;
            at += 1;
            steps.push(match byte {
                b'*' => {
                    while pattern.get(at) == Some(&b'*') {
                        at += 1;
                    }
                    let opens = start.checked_sub(1).is_none_or(|before| pattern[before] == b'/');
                    match &pattern[at..] {
                        _ if at - start == 1 || !opens => Step::Any { slash: false },
                        [b'/', ..] => Step::Components,
                        [] | [b'\\', b'/', ..] => Step::Any { slash: true },
                        _ => Step::Any { slash: false },
                    }
                }
                b'?' => Step::Set(Box::new(std::array::from_fn(|byte| byte != usize::from(b'/')))),
                b'[' => match set(pattern, at, fold) {
                    Some((set, end)) => {
                        at = end;
                        Step::Set(set)
                    }
                    None => Step::Never,
                },
                b'\\' => match pattern.get(at) {
                    Some(&byte) => {
                        at += 1;
                        Step::Byte(folded(byte, fold))
                    }
                    None => Step::Never,
                },
                byte => Step::Byte(folded(byte, fold)),
            });
        }
        Glob { steps, fold }
    }

    /// Whether the whole name matches.
    pub(super) fn matches(&self, name: &[u8]) -> bool {
        let end = self.steps.len();
        // Where in the pattern one may stand after each byte of the name.
        let mut now = vec![false; end + 1];
        let mut next = vec![false; end + 1];
        self.stand(&mut now, 0);
        for &byte in name {
            let byte = folded(byte, self.fold);
            next.fill(false);
            let mut is_alive = false;
            for at in (0..end).filter(|&at| now[at]) {
                let (stays, goes_on) = match &self.steps[at] {
                    Step::Byte(expected) => (false, *expected == byte),
                    Step::Set(set) => (false, set[usize::from(byte)]),
                    Step::Any { slash } => (*slash || byte != b'/', false),
                    Step::Components => (true, false),
                    Step::Never => (false, false),
                };
                if stays || goes_on {
                    is_alive = true;
                    if stays { self.stay(&mut next, at) } else { self.stand(&mut next, at + 1) }
                }
            }
            if !is_alive {
                return false;
            }
            std::mem::swap(&mut now, &mut next);
        }
        now[end]
    }

    /// Reaches a place of the pattern, and those behind it that need no byte.
    fn stand(&self, places: &mut [bool], at: usize) {
        let mut at = at;
        loop {
            if std::mem::replace(&mut places[at], true) {
                return;
            }
            match self.steps.get(at) {
                Some(Step::Any { .. }) => at += 1,
                Some(Step::Components) => {
                    // Either way on: with the `/` still to come, or without both.
                    places[at + 1] = true;
                    at += 2;
                }
                _ => return,
            }
        }
    }

    /// Stays at a wildcard that has taken a byte: from here on, whole components are no longer left out.
    fn stay(&self, places: &mut [bool], at: usize) {
        places[at] = true;
        match self.steps[at] {
            Step::Components => places[at + 1] = true,
            _ => self.stand(places, at + 1),
        }
    }
}

fn folded(byte: u8, fold: bool) -> u8 {
    if fold { byte.to_ascii_lowercase() } else { byte }
}

/// The bytes in the set that opens before `at`, and where it ends; `None` if it has no end or names an unknown class.
fn set(pattern: &[u8], mut at: usize, fold: bool) -> Option<(Box<[bool; 256]>, usize)> {
    let mut set = Box::new([false; 256]);
    let negated = matches!(pattern.get(at), Some(b'!' | b'^'));
    at += usize::from(negated);
    let mut before = None;
    // A `]` in the first place is one of the bytes.
    let first = at;
    loop {
        let mut byte = *pattern.get(at)?;
        if byte == b']' && at > first {
            break;
        }
        at += 1;
        match (byte, before, &pattern[at..]) {
            (b'-', Some(low), [high, ..]) if *high != b']' => {
                let mut high = *high;
                at += 1;
                if high == b'\\' {
                    high = *pattern.get(at)?;
                    at += 1;
                }
                (low..=high).for_each(|byte| set[usize::from(byte)] = true);
                before = None;
                continue;
            }
            (b'[', _, [b':', rest @ ..]) => {
                let length = rest.iter().position(|&byte| byte == b']')?;
                if let Some(name) = rest[..length].strip_suffix(b":") {
                    let is_in = class(name)?;
                    (0..=255).filter(is_in).for_each(|byte: u8| set[usize::from(byte)] = true);
                    at += length + 2;
                    before = None;
                    continue;
                }
            }
            (b'\\', _, [escaped, ..]) => {
                byte = *escaped;
                at += 1;
            }
            (b'\\', _, []) => return None,
            _ => {}
        }
        set[usize::from(byte)] = true;
        before = Some(byte);
    }
    if fold {
        // Names come in lower case; a range or class of capitals holds their lower case too.
        (b'A'..=b'Z').for_each(|byte| set[usize::from(byte.to_ascii_lowercase())] |= set[usize::from(byte)]);
    }
    if negated {
        set.iter_mut().for_each(|is_in| *is_in = !*is_in);
    }
    set[usize::from(b'/')] = false;
    Some((set, at + 1))
}

fn class(name: &[u8]) -> Option<fn(&u8) -> bool> {
    Some(match name {
        b"alnum" => u8::is_ascii_alphanumeric,
        b"alpha" => u8::is_ascii_alphabetic,
        b"blank" => |byte| matches!(byte, b' ' | b'\t'),
        b"cntrl" => u8::is_ascii_control,
        b"digit" => u8::is_ascii_digit,
        b"graph" => u8::is_ascii_graphic,
        b"lower" => u8::is_ascii_lowercase,
        b"print" => |byte| matches!(byte, b' '..=b'~'),
        b"punct" => u8::is_ascii_punctuation,
        b"space" => |byte| matches!(byte, b' ' | b'\t'..=b'\r'),
        b"upper" => u8::is_ascii_uppercase,
        b"xdigit" => u8::is_ascii_hexdigit,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gix::glob::wildmatch::Mode;
    use proptest::prelude::*;

    fn same(pattern: &[u8], name: &[u8], fold: bool) {
        let mode = Mode::NO_MATCH_SLASH_LITERAL | if fold { Mode::IGNORE_CASE } else { Mode::empty() };
        let expected = gix::glob::wildmatch(pattern.into(), name.into(), mode);
        assert_eq!(Glob::new(pattern, fold).matches(name), expected, "{:?} {:?}", String::from_utf8_lossy(pattern), String::from_utf8_lossy(name));
    }

    #[test]
    fn patterns_match_as_in_git() {
        let names = ["", "a", "b", "a/b", "a/b/c", "/a", "aXb", "ab", "-", "]", "[", "\\", "a/", "z", "Z", " ", "é"];
        let patterns = [
            "*",
            "**",
            "**/",
            "**/a",
            "a/**",
            "a/**/b",
            "**/**/b",
            "a**b",
            "a**/b",
            "*/b",
            "?",
            "a?b",
            "[ab]",
            "[!a]",
            "[a-c]",
            "[]]",
            "[]-a]",
            "[a-]",
            "[\\]]",
            "[[:alpha:]]",
            "[[:upper:]]",
            "[[:x:]]",
            "[[:alpha]",
            "[[:",
            "[",
            "[a",
            "\\a",
            "\\",
            "a\\*",
            "/**",
            "**\\/b",
            "[^/]",
            "a[/]b",
            "***/b",
            "*a*",
            "[a-\\z]",
        ];
        for pattern in patterns {
            for name in names {
                same(pattern.as_bytes(), name.as_bytes(), false);
            }
        }
    }

    #[test]
    fn a_range_that_ends_before_it_begins_holds_nothing() {
        assert!(!Glob::new(b"*[[--]", true).matches(b"B"));
        assert!(Glob::new(b"*[[--]", true).matches(b"["));
    }

    #[test]
    fn no_pattern_takes_for_ever() {
        let name = "d/".repeat(1_000) + "e";
        for pattern in ["**/d/".repeat(500), "**/".repeat(500), "*a".repeat(500), "?*".repeat(500), "**/d/**/d/**/d/**/".to_owned()] {
            assert!(!Glob::new(format!("{pattern}x").as_bytes(), false).matches(name.as_bytes()));
        }
        assert!(Glob::new(("**/d/".repeat(500) + "**/e").as_bytes(), false).matches(name.as_bytes()));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]
        #[test]
        fn random_patterns_match_as_in_git(pattern in "([ab/]|\\*|\\*\\*|\\*\\*/|\\?|\\[|\\]|-|!|\\\\[ab*]|\\[a-b\\]|\\[\\[:alpha:\\]\\]){0,8}", name in "[abB/-]{0,7}", fold: bool) {
            // gix, unlike git, turns a range around that ends before it begins, if case doesn't count.
            let is_reversed = pattern.as_bytes().windows(3).any(|range| range[1] == b'-' && range[0] > range[2]);
            same(pattern.as_bytes(), name.as_bytes(), fold && !is_reversed);
        }

        #[test]
        fn any_bytes_are_a_pattern(pattern: Vec<u8>, name: Vec<u8>) {
            let _ = Glob::new(&pattern, true).matches(&name);
        }
    }
}
