//! Secrets in text: a table of rules, each found by a keyword, shaped by a pattern, and settled by a check of the value.

mod key_block;
mod rules;
#[cfg(test)]
mod tests;
mod value;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use regex::Regex;

use crate::exclude::RuleId;
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
    /// For each keyword its text and its rule.
    rows: Vec<(&'static str, usize)>,
    patterns: Vec<Regex>,
}

static SCANNER: LazyLock<Scanner> = LazyLock::new(|| {
    let rows: Vec<_> = RULES.iter().enumerate().flat_map(|(at, rule)| rule.keywords.iter().map(move |&keyword| (keyword, at))).collect();
    let keywords = AhoCorasick::builder()
        .match_kind(MatchKind::Standard)
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(rows.iter().map(|(keyword, _)| keyword))
        .expect("the table's keywords fit an automaton");
    let patterns = RULES.iter().map(|rule| Regex::new(rule.pattern).expect("the table's patterns are valid")).collect();
    Scanner { keywords, rows, patterns }
});

/// Characters of a text that a pattern may look at from its keyword on.
const WINDOW: usize = 16_384;

/// All secrets in a text, by position, none within another.
pub fn scan(text: &str) -> Vec<Finding> {
    let scanner = &*SCANNER;
    let mut findings: Vec<Finding> = Vec::new();
    for hit in scanner.keywords.find_overlapping_iter(text) {
        let (keyword, at) = scanner.rows[hit.pattern().as_usize()];
        let rule = &RULES[at];
        let exact = rule.any_case || &text[hit.range()] == keyword;
        if !exact || (rule.starts_word && continues_word(text, hit.start())) {
            continue;
        }
        let window = window(text, hit.start());
        if let Some(range) = found(rule, &scanner.patterns[at], window) {
            let range = hit.start() + range.start..hit.start() + range.end;
            findings.push(Finding { rule: rule.id, range });
        }
    }
    findings.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
    let mut end = 0;
    findings.retain(|finding| {
        let outside = finding.range.end > end;
        end = end.max(finding.range.end);
        outside
    });
    findings
}

/// Whether the byte before continues a word, so that the keyword is only its tail.
fn continues_word(text: &str, at: usize) -> bool {
    at > 0 && matches!(text.as_bytes()[at - 1], b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_')
}

fn window(text: &str, start: usize) -> &str {
    let mut end = text.len().min(start + WINDOW);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[start..end]
}

/// The place of the secret in a window that starts with the rule's keyword.
fn found(rule: &Rule, pattern: &Regex, window: &str) -> Option<Range<usize>> {
    let captures = pattern.captures(window)?;
    let whole = captures.get(0)?;
    if let Check::PrivateKey = rule.check {
        return key_block::end(window, whole.end()).map(|end| 0..end);
    }
    let value = captures.get(1).unwrap_or(whole);
    let is_secret = match rule.check {
        Check::Shape => !value::is_shown_token(value.as_str()),
        Check::KeyMaterial | Check::PrivateKey => true,
        Check::Url => value::is_password_of_url(value.as_str(), captures.get(2).map_or("", |host| host.as_str())),
        Check::Password => !value::is_placeholder(value.as_str()) && !value::is_weak(value.as_str()),
        Check::Quoted => value::is_random(value.as_str(), 3.0) && !value::is_harmless_name(whole.as_str()),
        Check::Bare => value::is_random(value.as_str(), 3.5) && value::digits(value.as_str()) >= 3 && !value::is_harmless_name(whole.as_str()),
    };
    is_secret.then(|| value.range())
}
