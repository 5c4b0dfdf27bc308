//! What must hold for any bytes from outside: the bodies of the fuzz targets in `fuzz/`, and of their regressions in the tests.
//!
//! Each function takes arbitrary bytes, and panics only where the engine breaks a promise.

use serde_json::Value;

use crate::hash::Hash;
use crate::language::LANGUAGES;
use crate::lines::LineIndex;
use crate::manifest::Manifest;
use crate::rel_path::RelPath;
use crate::retrieve::{self, Reason};
use crate::secrets;
use crate::{admit, discover, limits, quote, syntax, task, terms};

/// A target: its name, and what it does with bytes.
pub type Target = (&'static str, fn(&[u8]));

/// Every target, by the name of its folder and binary in `fuzz/`.
pub const TARGETS: &[Target] =
    &[("text", text), ("parse", parse), ("task", task), ("ignore", ignore), ("secrets", secrets), ("quote", quote), ("manifest", manifest)];

/// Bytes decode to text with sound lines, or are refused by a rule.
pub fn text(data: &[u8]) {
    let Ok((text, _)) = admit::text::decode(data) else { return };
    let lines = LineIndex::new(&text);
    for line in 1..=lines.count() {
        assert!(!lines.slice(&text, line, line).contains('\n'), "a line holds a line end");
    }
    assert_eq!(lines.bytes(1, lines.count()), 0..text.len());
    for payload in admit::payload_spans(&text) {
        assert!(text.get(payload).is_some(), "a payload is cut inside a character");
    }
    terms::index_text(&text);
}

/// A text parses to chunks that hold each line, in the language that the first byte chooses.
pub fn parse(data: &[u8]) {
    let Some((&choice, rest)) = data.split_first() else { return };
    let text = String::from_utf8_lossy(rest);
    let language = LANGUAGES.get(usize::from(choice) % (LANGUAGES.len() + 1));
    let parsed = syntax::parse(language, &text);
    let lines = LineIndex::new(&text);
    let mut covered = vec![false; lines.count() as usize];
    for chunk in &parsed.chunks {
        let span = chunk.span;
        assert!(text.get(span.start_byte as usize..span.end_byte as usize).is_some(), "a chunk is cut inside a character: {span:?}");
        assert_eq!((lines.line_at(span.start_byte as usize), span.start_line <= span.end_line), (span.start_line, true), "{span:?}");
        covered[span.start_line as usize - 1..span.end_line as usize].fill(true);
    }
    assert!(covered.iter().all(|line| *line), "a line is in no chunk");
    for symbol in &parsed.symbols {
        assert!(text.get(symbol.span.start_byte as usize..symbol.span.end_byte as usize).is_some(), "{symbol:?}");
        assert!(symbol.signature.chars().count() <= limits::MAX_SIGNATURE_CHARS, "{symbol:?}");
    }
    assert_eq!(syntax::parse(language, &text), parsed, "the second parse differs");
}

/// Any request has a descriptor, the same each time.
pub fn task(data: &[u8]) {
    let request = String::from_utf8_lossy(data);
    let found = task::describe(&request);
    assert_eq!(found, task::describe(&request));
    assert!(found.title.chars().count() <= 500);
    assert!(found.keywords.iter().all(|keyword| keyword.weight.is_finite() && !keyword.term.contains(' ')), "{found:?}");
}

/// Ignore rules and a path, parted by NUL, have a verdict; a rule that names the path plainly holds.
pub fn ignore(data: &[u8]) {
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let rules = parts.next().unwrap_or_default();
    let Some(path) = RelPath::from_bytes(parts.next().unwrap_or_default()) else { return };
    let base = crate::git::Base::default();
    let chain = discover::rules::with(&None, rules, None, &base);
    let first = discover::rules::ignores(&chain, &base, &path, false);
    assert_eq!(first, discover::rules::ignores(&chain, &base, &path, false));
    discover::rules::ignores(&chain, &base, &path, true);
}

/// Findings are ranges of the text, in order, and name a rule.
pub fn secrets(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    for finding in secrets::scan(&text) {
        assert!(text.get(finding.range.clone()).is_some_and(|value| !value.is_empty()), "{finding:?}");
        assert!(finding.rule.starts_with("secret/"), "{finding:?}");
    }
}

/// A message parses back to its fields, whatever the path, the reason and the text (parted by NUL) hold.
pub fn quote(data: &[u8]) {
    let mut parts = data.splitn(3, |byte| *byte == 0);
    let Some(path) = RelPath::from_bytes(parts.next().unwrap_or_default()) else { return };
    let reason = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let text = String::from_utf8_lossy(parts.next().unwrap_or_default()).into_owned();
    let reasons = vec![Reason { code: "full-text", text: reason }];
    let snippet = retrieve::proven_for_tests(path.clone(), Hash::of(data), (3, 9), &text, reasons, true, false);
    let message = quote::message(&snippet, Some("0123abcd"));
    let lines: Vec<&str> = message.text.split('\n').collect();
    assert_eq!(lines.len(), 10, "{lines:?}");
    let json = |line: &str, label: &str| serde_json::from_str::<Value>(line.strip_prefix(label).expect("the label")).expect("a JSON string");
    assert_eq!(json(lines[1], "Path: "), Value::from(path.as_str()));
    assert_eq!(json(lines[8], "Quoted source JSON: "), Value::from(text));
    assert_eq!(message.text.matches("[DS4").count() + message.text.matches("[END DS4").count(), 2);
    assert!(!message.text.chars().any(|character| character != '\n' && character.is_control()));
}

/// A stored manifest is read or refused; one that is read stays the same when written again.
pub fn manifest(data: &[u8]) {
    let Ok(manifest) = serde_json::from_slice::<Manifest>(data) else { return };
    let Some(json) = manifest.to_bounded_json() else { return };
    assert!(json.len() <= limits::MAX_MANIFEST_BYTES);
    let again: Manifest = serde_json::from_str(&json).expect("what was written is read");
    assert_eq!(again.to_bounded_json().as_deref(), Some(json.as_str()));
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn what_fuzzing_has_found_stays_mended() {
        let mut ran = 0;
        for (name, target) in TARGETS {
            let folder = Path::new("fuzz/regressions").join(name);
            let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
            for entry in entries {
                target(&std::fs::read(entry.unwrap().path()).unwrap());
                ran += 1;
            }
        }
        assert!(ran >= TARGETS.len(), "each target has at least its seed");
    }
}
