//! Takes secrets out of a text, and leaves its lines where they are.

use std::ops::Range;

use crate::classify;
use crate::exclude::RuleId;
use crate::secrets::{Finding, scan};

/// How often a text is scanned anew: what stood beside a secret may only be seen as one when that is gone.
const ROUNDS: usize = 4;

/// The text with a marker in place of each secret, and where the markers stand. It keeps the line breaks
/// of what it replaces, and the markers of classes that were in it: no text may fall to a lower class.
///
/// # Errors
/// The rule of a secret that is still found after four rounds: such a text has to be kept out.
pub fn redact(text: String) -> Result<(String, Vec<Range<usize>>), RuleId> {
    let (mut text, mut marks) = (text, Vec::new());
    for _ in 0..ROUNDS {
        let findings = scan(&text);
        if findings.is_empty() {
            return Ok((text, marks));
        }
        (text, marks) = replaced(&text, &findings, &marks);
    }
    scan(&text).first().map_or(Ok((text, marks)), |finding| Err(finding.rule))
}

fn replaced(text: &str, findings: &[Finding], before: &[Range<usize>]) -> (String, Vec<Range<usize>>) {
    // Marks of the last round and new findings as one list of disjoint places.
    let mut places: Vec<(Range<usize>, Option<RuleId>)> = before.iter().map(|mark| (mark.clone(), None)).collect();
    places.extend(findings.iter().map(|finding| (finding.range.clone(), Some(finding.rule))));
    places.sort_by_key(|(range, rule)| (range.start, rule.is_none()));
    let classes: Vec<Range<usize>> = classify::markers(text).collect();
    let (mut made, mut marks) = (String::with_capacity(text.len()), Vec::new());
    let (mut from, mut next_class) = (0, 0);
    for (range, rule) in places {
        let range = range.start.max(from)..range.end;
        if range.is_empty() {
            continue;
        }
        made.push_str(&text[from..range.start]);
        let start = made.len();
        match rule {
            None => made.push_str(&text[range.clone()]),
            Some(rule) => {
                made.push_str("[redacted:");
                made.push_str(rule);
                made.push(']');
                let breaks = |part: Range<usize>| text[part].chars().filter(|character| matches!(character, '\n' | '\r'));
                let mut at = range.start;
                next_class += classes[next_class..].partition_point(|class| class.end <= range.start);
                while let Some(class) = classes.get(next_class).filter(|class| class.start < range.end) {
                    made.extend(breaks(at..class.start.max(at)));
                    made.push_str(&text[class.clone()]);
                    at = class.end.min(range.end);
                    next_class += 1;
                }
                made.extend(breaks(at..range.end));
                if range.end == text.len() && made.ends_with(['\n', '\r']) && !text.ends_with(['\n', '\r']) {
                    // The last line is still there, with nothing of it to show.
                    made.push(' ');
                }
            }
        }
        marks.push(start..made.len());
        from = range.end;
    }
    made.push_str(&text[from..]);
    (made, marks)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::lines::LineIndex;

    fn key(length: usize) -> String {
        "k9X2m4Qp7vR3".chars().cycle().take(length).collect()
    }

    #[test]
    fn a_marker_takes_the_place_of_each_secret_and_keeps_its_lines() {
        let text = format!(
            "let a = 1;\r\nconst password = \"{}\";\r\nconst k = `-----BEGIN {}\r\n{}\r\n{}\r\n-----END {}`;\r\nlet z = 2;\r\n",
            key(12),
            "PRIVATE KEY-----",
            key(64),
            key(64),
            "PRIVATE KEY-----"
        );
        let (redacted, marks) = redact(text.clone()).unwrap();
        let expected =
            "let a = 1;\r\nconst password = \"[redacted:secret/assignment]\";\r\nconst k = `[redacted:secret/private-key]\r\n\r\n\r\n`;\r\nlet z = 2;\r\n";
        assert_eq!(redacted, expected);
        assert_eq!(LineIndex::new(&redacted).count(), LineIndex::new(&text).count());
        let marked: Vec<_> = marks.iter().map(|mark| &redacted[mark.clone()]).collect();
        assert_eq!(marked, ["[redacted:secret/assignment]", "[redacted:secret/private-key]\r\n\r\n\r\n"]);
        assert_eq!(redact(expected.to_owned()).unwrap(), (expected.to_owned(), vec![]));
    }

    #[test]
    fn a_last_line_that_was_all_secret_is_still_a_line() {
        let (redacted, marks) = redact(format!("-----BEGIN {}-----\n{}", "PRIVATE KEY", key(20))).unwrap();
        assert_eq!(redacted, "[redacted:secret/private-key]\n ");
        assert_eq!(marks, vec![0..redacted.len()]);
    }

    #[test]
    fn a_marker_of_a_class_survives_the_secret_around_it() {
        let text = format!("-----BEGIN {0}-----\n{1}\n[ds4:local-only]\n{1}\n-----END {0}-----\nx\n[/ds4:local-only]\n", "PRIVATE KEY", key(64));
        let (redacted, _) = redact(text).unwrap();
        assert_eq!(redacted, "[redacted:secret/private-key]\n\n[ds4:local-only]\n\n\nx\n[/ds4:local-only]\n");
    }

    proptest! {
        #[test]
        fn nothing_is_found_in_what_was_redacted(parts in proptest::collection::vec("(password|api_key|token| = |: |\"|'|://u:|@h.io|k9x2m4qp7w|ghp_|[A-Za-z0-9]{8,40}|\r?\n|kind: Secret\n|data:\n| |\\[/?ds4:(internal|LOCAL-only)\\]|\\[ds4:|-----(BEGIN|END) PRIVATE KEY-----){1}", 0..60)) {
            let text = parts.concat();
            let named = |text: &str| classify::markers(text).map(|class| text[class].to_owned()).collect::<Vec<_>>();
            let classes = named(&text);
            let lines = LineIndex::new(&text).count();
            if let Ok((redacted, marks)) = redact(text) {
                prop_assert_eq!(scan(&redacted), vec![]);
                prop_assert_eq!(named(&redacted), classes);
                prop_assert_eq!(LineIndex::new(&redacted).count(), lines);
                prop_assert!(marks.is_sorted_by(|a, b| a.end <= b.start));
                prop_assert!(marks.iter().all(|mark| redacted[mark.clone()].starts_with("[redacted:secret/")));
            }
        }
    }
}
