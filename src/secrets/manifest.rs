//! The values of a Kubernetes secret: every long one counts, whatever its key is called.

use std::ops::Range;

use super::value;

/// Bytes of a document around its kind that are looked at.
const REACH: usize = 8_192;
/// Bytes of a value below which it is a user name or a flag.
const MIN_VALUE: usize = 12;

/// The places of the values below `data:` and `stringData:` in the document whose kind stands at `hit`.
pub(super) fn values(text: &str, hit: usize) -> Vec<Range<usize>> {
    let (mut start, mut end) = (hit.saturating_sub(REACH), text.len().min(hit + REACH));
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    start = text[start..hit].rfind("\n---").map_or(start, |at| start + at + 1);
    end = text[hit..end].find("\n---").map_or(end, |at| hit + at);
    let mut found = Vec::new();
    let mut section = None;
    let mut at = start;
    for line in text[start..end].split_inclusive('\n') {
        let content = line.trim();
        let indent = line.len() - line.trim_start().len();
        if matches!(content, "data:" | "stringData:") {
            section = Some(indent);
        } else if section.is_some_and(|outer| indent <= outer && !content.is_empty()) {
            section = None;
        } else if section.is_some() {
            let part = content.split_once(": ").map_or(content, |(_, part)| part).trim_matches(['"', '\'']);
            if is_value(part) {
                let from = at + line.find(part).unwrap_or_default();
                found.push(from..from + part.len());
            }
        }
        at += line.len();
    }
    found
}

fn is_value(part: &str) -> bool {
    let digits = part.trim_end_matches('=');
    let encoded = digits.len() >= MIN_VALUE && digits.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_'));
    // A certificate is public.
    encoded && value::digits(part) > 0 && !part.starts_with("LS0tLS1CRUdJTiBDRVJU") && !value::is_placeholder(part)
}
