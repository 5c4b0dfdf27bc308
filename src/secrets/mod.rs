//! Secrets in text: a table of rules, each found by a keyword, shaped by a pattern, and settled by a check of the value.

mod assignment;
mod key_block;
mod manifest;
mod rules;
#[cfg(test)]
mod tests;
mod value;
mod words;

use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::{Captures, Regex};

use crate::exclude::{RuleId, SECRET_ASSIGNMENT};
use crate::rel_path::RelPath;
use assignment::Kind;
use rules::{Check, RULES, Rule};

/// A secret's place in a text. Never hold on to the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that found it.
    pub rule: RuleId,
    /// The bytes of the secret itself, without quotes and names.
    pub range: Range<usize>,
}

struct Scanner {
    keywords: AhoCorasick,
    /// For each keyword its rule; `None` for the names of secrets.
    rules: Vec<Option<usize>>,
    /// Of each rule, compiled when its keyword is first seen.
    patterns: Vec<OnceLock<Regex>>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let names = rules::names();
    let of_rules: Vec<_> = RULES.iter().enumerate().flat_map(|(at, rule)| rule.keywords.iter().map(move |keyword| (*keyword, at))).collect();
    let keywords = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .kind(Some(AhoCorasickKind::DFA))
        .build(of_rules.iter().map(|(keyword, _)| *keyword).chain(names.iter().map(String::as_str)))
        .expect("the table's keywords fit an automaton");
    let rules = of_rules.iter().map(|(_, at)| Some(*at)).chain(names.iter().map(|_| None)).collect();
    let patterns = RULES.iter().map(|_| OnceLock::new()).collect();
    Scanner { keywords, rules, patterns }
});

/// Bytes of a text that a pattern may look at from its keyword on.
const WINDOW: usize = 16_384;
/// Bytes before a keyword that a pattern may look at.
const BEHIND: usize = 200;

/// The rule of a secret that stands in a path itself: such a path is neither stored nor shown.
pub fn in_path(path: &RelPath) -> Option<RuleId> {
    scan(path.as_str()).first().map(|finding| finding.rule)
}

/// All secrets in a text, by position, none within another.
pub fn scan(text: &str) -> Vec<Finding> {
    let scanner = &*SCANNER;
    let mut findings: Vec<Finding> = Vec::new();
    let mut name_end = 0;
    for hit in scanner.keywords.find_overlapping_iter(text) {
        match scanner.rules[hit.pattern().as_usize()] {
            Some(at) => find(&RULES[at], &scanner.patterns[at], text, hit.range(), &mut findings),
            None if hit.end() <= name_end => {}
            None => {
                if let Some(found) = assignment::find(text, hit.range()) {
                    name_end = found.name_end;
                    if value::is_assigned(found.kind, &text[found.value.clone()], found.quoted) {
                        findings.push(Finding { rule: SECRET_ASSIGNMENT, range: found.value });
                    }
                }
            }
        }
    }
    // Where a provider's rule and the name agree, the provider's says more.
    findings.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end), finding.rule == SECRET_ASSIGNMENT));
    let mut end = 0;
    findings.retain(|finding| {
        let outside = finding.range.end > end;
        end = end.max(finding.range.end);
        outside
    });
    findings
}

fn find(rule: &Rule, pattern: &OnceLock<Regex>, text: &str, hit: Range<usize>, findings: &mut Vec<Finding>) {
    let bytes = text.as_bytes();
    let behind = if let Check::Behind(length) = rule.check { length } else { 0 };
    let Some(start) = hit.start.checked_sub(behind).filter(|start| text.is_char_boundary(*start)) else { return };
    let starts_word = start == 0 || !is_word(bytes[start - 1]);
    let run = bytes[hit.end..].iter().take(rule.run).take_while(|byte| is_token(**byte)).count();
    if (rule.starts_word && !starts_word) || run < rule.run {
        return;
    }
    let pattern = || pattern.get_or_init(|| Regex::new(rule.pattern).expect("the table's patterns are valid"));
    let mut push = |range: Range<usize>| findings.push(Finding { rule: rule.id, range });
    match rule.check {
        Check::Manifest => manifest::values(text, hit.start).into_iter().for_each(push),
        Check::DataSource => {
            let window = window(text, hit.start.saturating_sub(BEHIND), hit.start);
            let Some(password) = pattern().captures(window).and_then(|captures| captures.get(1)) else { return };
            if value::is_password(password.as_str()) {
                let offset = hit.start - window.len();
                push(offset + password.start()..offset + password.end());
            }
        }
        _ => {
            let window = window(text, start, start + WINDOW);
            if let Some(range) = pattern().captures(window).and_then(|captures| judged(rule, &captures, window)) {
                push(start + range.start..start + range.end);
            }
        }
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

fn is_token(byte: u8) -> bool {
    is_word(byte) || matches!(byte, b'-' | b'.' | b'/' | b'+' | b'=' | b'~')
}

/// The part of a text between two places, a little less where one of them is within a character.
fn window(text: &str, mut start: usize, end: usize) -> &str {
    let mut end = text.len().min(end);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start.min(end)..end]
}

/// The place of the secret in a window, if the check agrees.
fn judged(rule: &Rule, captures: &Captures<'_>, window: &str) -> Option<Range<usize>> {
    let whole = captures.get(0)?;
    let value = captures.get(1).unwrap_or(whole);
    let is_secret = match rule.check {
        Check::PrivateKey => return key_block::end(window, whole.end()).map(|end| 0..end),
        Check::Url => return url_secret(captures),
        Check::Shape | Check::Behind(_) => !value::is_shown_token(value.as_str()),
        Check::KeyMaterial => true,
        Check::Password => value::is_password(value.as_str()),
        Check::Random => value::is_assigned(Kind::Key, value.as_str(), true),
        Check::Claims => !value::is_shown_claims(value.as_str()),
        Check::Manifest | Check::DataSource => false,
    };
    is_secret.then(|| value.range())
}

/// The secret of a URL with a password: where that is a fixed word, the user is the token.
fn url_secret(captures: &Captures<'_>) -> Option<Range<usize>> {
    let [user, password, host] = [1, 2, 3].map(|group| captures.get(group));
    let (user, password, host) = (user?, password?, host?);
    let secret = if password.as_str() == "x-oauth-basic" { user } else { password };
    value::is_password_of_url(secret.as_str(), host.as_str()).then(|| secret.range())
}
