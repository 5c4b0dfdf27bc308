//! What a request puts between marks: code spans, fences, quoted phrases; and the links that it is read without.

use std::borrow::Cow;
use std::ops::Range;

/// Characters of a quoted phrase.
const PHRASE_CHARS: std::ops::RangeInclusive<usize> = 4..=200;

/// Marked ranges of a request, in bytes.
#[derive(Debug, Default)]
pub(super) struct Quoted {
    code: Vec<Range<usize>>,
    words: Vec<Range<usize>>,
    /// Phrases of two or more words.
    pub(super) phrases: Vec<String>,
    /// Whether there is a fenced block.
    pub(super) fenced: bool,
}

impl Quoted {
    /// Whether the byte stands in code.
    pub(super) fn is_code(&self, at: usize) -> bool {
        self.code.iter().any(|range| range.contains(&at))
    }

    /// Whether the byte stands in code or in quotation marks.
    pub(super) fn is_quoted(&self, at: usize) -> bool {
        self.is_code(at) || self.words.iter().any(|range| range.contains(&at))
    }

    /// Whether the range is all that a code span or a pair of quotation marks holds, call brackets aside.
    pub(super) fn is_span(&self, start: usize, end: usize) -> bool {
        self.code.iter().chain(&self.words).any(|range| range.start == start && (range.end == end || range.end == end + 2))
    }
}

/// Finds what is marked. An apostrophe opens nothing: only a `'` after a space or bracket does, and only one before a space or punctuation closes.
pub(super) fn read(text: &str) -> Quoted {
    let mut quoted = Quoted::default();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let rest = &text[at..];
        let next = at + character.len_utf8();
        if let Some(body) = rest.strip_prefix("```") {
            let length = body.find("```").unwrap_or(body.len());
            quoted.code.push(at + 3..at + 3 + length);
            quoted.fenced = true;
            at = (at + 6 + length).min(text.len());
            continue;
        }
        let close = match character {
            '`' => Some('`'),
            '"' => Some('"'),
            '\'' if opens(text, at) => Some('\''),
            '“' | '„' | '‟' => Some('”'),
            '«' => Some('»'),
            '「' => Some('」'),
            '『' => Some('』'),
            '‘' if opens(text, at) => Some('’'),
            _ => None,
        };
        let end = close.and_then(|close| closing(text, next, character, close));
        let Some(end) = end else {
            at = next;
            continue;
        };
        let inner = &text[next..end];
        if character == '`' {
            quoted.code.push(next..end);
        } else {
            quoted.words.push(next..end);
            if PHRASE_CHARS.contains(&inner.chars().count()) && inner.split_whitespace().nth(1).is_some() {
                quoted.phrases.push(inner.trim().to_owned());
            }
        }
        at = end + text[end..].chars().next().map_or(0, char::len_utf8);
    }
    quoted
}

fn opens(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| before.is_whitespace() || matches!(before, '(' | '[' | '{' | ':' | '=' | ',' | '"'))
        && text[at + text[at..].chars().next().map_or(1, char::len_utf8)..].chars().next().is_some_and(|after| !after.is_whitespace())
}

/// The place of the mark that closes, on the same line.
fn closing(text: &str, from: usize, open: char, close: char) -> Option<usize> {
    for (offset, character) in text[from..].char_indices() {
        if character == '\n' {
            return None;
        }
        let german = open == '„' && character == '“';
        if character != close && !german {
            continue;
        }
        let end = from + offset;
        let after = text[end + character.len_utf8()..].chars().next();
        let closes = !matches!(close, '\'' | '’') || after.is_none_or(|after| !after.is_alphanumeric());
        if closes {
            return (end > from).then_some(end);
        }
    }
    None
}

/// The text with each link blanked; of a link to a local file or to one in a hosted repository the path stays.
pub(super) fn without_urls(text: &str) -> Cow<'_, str> {
    if !text.contains("://") {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(found) = rest.find("://") {
        let scheme = rest[..found].bytes().rev().take_while(u8::is_ascii_alphanumeric).count();
        let start = found - scheme;
        let length =
            rest[start..].find(|c: char| c.is_whitespace() || matches!(c, ')' | '>' | '"' | '`' | '\'' | ']' | '，' | '。')).unwrap_or(rest.len() - start);
        let url = &rest[start..start + length];
        out.push_str(&rest[..start]);
        out.push(' ');
        if let Some(path) = url.strip_prefix("file://") {
            out.push_str(path);
        } else if let Some((path, line)) = hosted(url) {
            out.push_str(path);
            line.into_iter().for_each(|line| out.extend(["#L", line]));
        }
        rest = &rest[start + length..];
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// What stands between a repository and a revision in the links of forges, the longer first where one holds another.
const REVISION_MARKS: &[&str] = &[
    "/-/blob/",
    "/-/raw/",
    "/-/blame/",
    "/-/tree/",
    "/src/branch/",
    "/src/commit/",
    "/src/tag/",
    "/raw/branch/",
    "/raw/commit/",
    "/blob/",
    "/raw/",
    "/blame/",
    "/edit/",
    "/tree/",
];

/// The path, and the line as written, that a link to a file of a hosted repository (`host/owner/repository`) names. A revision with a slash leaves its end
/// before the path.
fn hosted(url: &str) -> Option<(&str, Option<&str>)> {
    let (_, address) = url.split_once("://")?;
    let (address, fragment) = address.split_once('#').unwrap_or((address, ""));
    let address = address.split('?').next().unwrap_or(address);
    let (host, _) = address.split_once('/')?;
    let tail = match host {
        "raw.githubusercontent.com" => address.splitn(4, '/').nth(3)?,
        "bitbucket.org" => address.split_once("/src/")?.1,
        _ => REVISION_MARKS.iter().find_map(|mark| address.split_once(mark)).filter(|(repository, _)| repository.matches('/').count() >= 2)?.1,
    };
    let (_, path) = tail.split_once('/')?;
    let line = fragment.trim_start_matches("lines-").trim_start_matches('L');
    let line = &line[..line.len() - line.trim_start_matches(|c: char| c.is_ascii_digit()).len()];
    Some((path, Some(line).filter(|line| !line.is_empty())))
}
