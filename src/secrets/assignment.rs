//! Values that are assigned to the name of a secret, in whatever language: finds the name's value, and leaves the judgement to `value`.

use std::ops::Range;

/// What a name says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Made by a person, or short.
    Password,
    /// Made by a machine.
    Key,
}

/// A value with the name that it stands behind.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Assigned {
    pub(super) kind: Kind,
    pub(super) value: Range<usize>,
    pub(super) quoted: bool,
    /// The end of the name: a second keyword of it needs no second look.
    pub(super) name_end: usize,
}

/// Bytes of a name, at most.
const MAX_NAME: usize = 80;
/// Bytes of a value that is passed next to a name, at the least: lists of names look the same.
const MIN_ARGUMENT: usize = 14;
/// Bytes of a value, at most.
const MAX_VALUE: usize = 600;

/// The value assigned to the name that holds the keyword at `hit`; `None` if it is the name of something else, or if nothing is assigned.
pub(super) fn find(text: &str, hit: Range<usize>) -> Option<Assigned> {
    let bytes = text.as_bytes();
    let start = hit.start - bytes[..hit.start].iter().rev().take(MAX_NAME).take_while(|byte| is_name(**byte)).count();
    let name_end = hit.end + bytes[hit.end..].iter().take(MAX_NAME).take_while(|byte| is_name(**byte)).count();
    let kind = kind(text.get(start..name_end)?, hit.start - start..hit.end - start)?;
    let mut cursor = Cursor { bytes, at: name_end };
    cursor.reach_value()?;
    let joint = &bytes[name_end..cursor.at];
    let is_argument = joint.contains(&b',') || joint.contains(&b'(');
    let quoted = cursor.open_quote();
    if is_argument && quoted.is_none() {
        return None;
    }
    cursor.skip_scheme();
    let value = match quoted {
        Some(quote) => cursor.at..cursor.quoted_end(quote)?,
        None => cursor.at..cursor.bare_end()?,
    };
    (value.len() >= if is_argument { MIN_ARGUMENT } else { 1 }).then_some(Assigned { kind, value, quoted: quoted.is_some(), name_end })
}

fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'$')
}

/// What the name is, if it is that of a secret and not of something about one.
fn kind(name: &str, keyword: Range<usize>) -> Option<Kind> {
    let lower = name.to_ascii_lowercase();
    let after = &lower[keyword.end..];
    match &lower[keyword.clone()] {
        "pass" => {
            let whole = ["word", "wd", "phrase", "code"].iter().any(|end| after.starts_with(end));
            let capital = name[keyword.clone()].starts_with('P') && !name[keyword.clone()].ends_with('S');
            let joined = name[..keyword.start].ends_with(|before: char| before.is_ascii_alphabetic()) && !capital;
            if !whole && (joined || after.starts_with(|next: char| next.is_ascii_lowercase())) {
                return None;
            }
        }
        "token" if after.starts_with("iz") || after.starts_with("is") => return None,
        "secret" if after.starts_with("ar") || after.starts_with("io") => return None,
        "auth" if !(after.is_empty() || after.starts_with(['_', '-']) || after.starts_with("orization")) => return None,
        "cred" if !(after.starts_with('s') || after.starts_with("ential")) => return None,
        _ => {}
    }
    let words = words(name);
    let last = words.iter().rev().find(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))?;
    let about = ABOUT.contains(&last.as_str()) || last.strip_suffix('s').is_some_and(|one| ABOUT.contains(&one));
    if about || words.iter().any(|word| HARMLESS.contains(&word.as_str())) {
        return None;
    }
    let place = |parts: &[&str]| parts.iter().filter_map(|part| lower.rfind(part)).max();
    Some(if place(&["pass", "pwd"]) > place(&["token", "secret", "key", "cred", "auth"]) { Kind::Password } else { Kind::Key })
}

/// Last words of names of what belongs to a secret and is none.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "name", "id", "url", "uri", "path", "type", "label", "field", "file", "filename", "regex", "pattern", "length", "len", "size", "placeholder", "hint",
    "error", "message", "msg", "param", "parameter", "header", "prefix", "suffix", "selector", "input", "endpoint", "format", "version", "expiry", "expires",
    "expiration", "ttl", "address", "count", "limit", "usage", "arn", "ref", "testid", "class", "icon", "title", "description", "hash", "digest",
    "fingerprint", "checksum", "algorithm", "alg", "audience", "issuer", "index", "policy", "strength", "encoder", "rule", "kind", "mode", "state", "status",
    "store", "location", "region", "host", "port", "user", "username", "email", "provider", "service", "manager", "method", "page", "route", "view", "model",
    "component", "action", "event", "column", "table", "schema", "alias", "tag", "min", "max", "scope", "role", "template", "env", "variable", "flag",
    "option", "source", "chars", "alphabet", "charset", "salt", "date", "time", "created", "reset", "link", "text", "iv", "nonce", "vault",
];
/// Words that make any name harmless.
#[rustfmt::skip]
const HARMLESS: &[&str] = &[
    "public", "pub", "publishable", "primary", "foreign", "csrf", "xsrf", "bucket", "vault", "fake", "mock", "mocked", "dummy", "example", "sample",
    "invalid", "wrong", "expected", "placeholder", "encrypted", "hashed", "syntax", "lexer", "parser", "accessibility", "publickeytoken", "jsonwebtoken",
];

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = b'_';
    for byte in name.bytes() {
        if !byte.is_ascii_alphanumeric() || (byte.is_ascii_uppercase() && !before.is_ascii_uppercase()) || byte.is_ascii_digit() != before.is_ascii_digit() {
            words.push(String::new());
        }
        if byte.is_ascii_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.push(char::from(byte.to_ascii_lowercase()));
        }
        before = byte;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// A place in the text behind a name.
struct Cursor<'text> {
    bytes: &'text [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip(&mut self, test: impl Fn(u8) -> bool, most: usize) -> usize {
        let count = self.bytes[self.at..].iter().take(most).take_while(|byte| test(**byte)).count();
        self.at += count;
        count
    }

    fn skip_blanks(&mut self) -> usize {
        self.skip(|byte| matches!(byte, b' ' | b'\t'), 60)
    }

    fn skip_text(&mut self, text: &str) -> bool {
        let found = self.bytes.get(self.at..self.at + text.len()).is_some_and(|next| next.eq_ignore_ascii_case(text.as_bytes()));
        self.at += if found { text.len() } else { 0 };
        found
    }

    /// From the name's end to the value, or its quote; `None` if nothing is assigned.
    fn reach_value(&mut self) -> Option<()> {
        let is_env = self.is_behind(&["ENV ", "setx ", "env "]);
        self.close_name();
        let blanks = self.skip_blanks();
        if is_env && blanks > 0 && self.peek() != Some(b'=') {
            return Some(());
        }
        let start = self.at;
        // `name string = "…"`
        if blanks > 0 && self.peek().is_some_and(|byte| byte.is_ascii_alphabetic()) {
            self.skip(|byte| byte.is_ascii_alphanumeric(), 20);
            self.skip_blanks();
            if self.peek() != Some(b'=') && !self.bytes[self.at..].starts_with(b":=") {
                self.at = start;
                // "The key is `…`"
                if !(self.skip_text("is ") && self.peek().is_some_and(is_quote)) {
                    self.at = start;
                    return None;
                }
                return Some(());
            }
        }
        if self.peek().is_some_and(is_quote) {
            return (blanks > 0).then_some(());
        }
        let may_be_typed = self.peek() == Some(b':');
        match self.peek()? {
            b'=' | b':' | b'!' | b'?' => {
                self.skip(|byte| matches!(byte, b'=' | b':' | b'!' | b'?' | b'>'), 4);
            }
            b'|' => {
                self.skip(|byte| byte == b'|', 2);
            }
            b',' | b'(' | b'>' => self.at += 1,
            b'<' if self.skip_text("</key>") => {
                self.skip(|byte| byte.is_ascii_whitespace(), 40);
                return self.skip_text("<string>").then_some(());
            }
            b'\n' | b'\r' => {}
            _ => return is_named_value(self),
        }
        self.skip_blanks();
        if may_be_typed {
            self.skip_type();
        }
        self.skip_call();
        self.skip_default();
        // The value of a named pair, and what stands on the next line.
        if !is_named_value_next(self) {
            let mark = self.at;
            let opened = self.skip(|byte| matches!(byte, b'|' | b'>' | b'-' | b'[' | b'(' | b'\\'), 2);
            let breaks = self.skip(|byte| matches!(byte, b'\n' | b'\r'), 2);
            let xml = mark > 0 && self.bytes[mark - 1] == b'>';
            // Formatters break a long line behind the sign.
            if breaks > 0 && self.skip_blanks() > 0 && (opened > 0 || xml || self.peek().is_some_and(is_quote)) {
                return Some(());
            }
            self.at = mark;
        }
        // Letters before a string: b"…", @"…".
        let mark = self.at;
        self.skip(|byte| matches!(byte, b'b' | b'r' | b'@' | b'u'), 2);
        if !self.peek().is_some_and(is_quote) {
            self.at = mark;
        }
        Some(())
    }

    fn is_behind(&self, commands: &[&str]) -> bool {
        let start = self.bytes[..self.at].iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let line = self.bytes[start..self.at].trim_ascii_start();
        commands.iter().any(|command| line.starts_with(command.as_bytes()))
    }

    /// Closing quotes and brackets of the name itself.
    fn close_name(&mut self) {
        self.skip(|byte| byte == b'\\', 2);
        self.skip(is_quote, 1);
        self.skip(|byte| byte == b'[', 1);
        self.skip(|byte| matches!(byte, b']' | b')'), 2);
    }

    /// `: string =` and the like.
    fn skip_type(&mut self) {
        let mark = self.at;
        let letters = self.skip(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b':' | b'&' | b'<' | b'>' | b'?' | b'\''), 40);
        self.skip_blanks();
        if letters > 0 && self.peek() == Some(b'=') {
            self.skip(|byte| byte == b'=', 1);
            self.skip_blanks();
        } else {
            self.at = mark;
        }
    }

    /// `::from(`, `.assign(`
    fn skip_call(&mut self) {
        let mark = self.at;
        if self.skip(|byte| byte.is_ascii_lowercase(), 12) == 0 || self.skip(|byte| byte == b'(', 1) == 0 || !self.peek().is_some_and(is_quote) {
            self.at = mark;
        }
    }

    /// A look-up with a default behind it: `process.env.TOKEN || "…"`, `os.getenv("TOKEN", "…")`.
    fn skip_default(&mut self) {
        let mark = self.at;
        self.skip(|byte| is_name(byte) || matches!(byte, b'(' | b'"' | b'\''), 80);
        let lookup = self.at > mark;
        self.skip_blanks();
        let joined = self.skip_text("||") || self.skip_text("??") || self.skip_text(",");
        self.skip_blanks();
        let code = self.bytes[mark..self.at].contains(&b'.') || self.bytes[mark..self.at].contains(&b'(');
        if !(lookup && joined && code && !self.bytes[mark..].starts_with(b"\"") && self.peek().is_some_and(is_quote)) {
            self.at = mark;
        }
    }

    /// Opens the value's quote: its last byte, and for an escaped quote a backslash.
    fn open_quote(&mut self) -> Option<u8> {
        let mark = self.at;
        let escaped = self.skip(|byte| byte == b'\\', 2) > 0;
        let quote = self.peek().filter(|byte| is_quote(*byte));
        let Some(quote) = quote else {
            self.at = mark;
            return None;
        };
        self.at += 1;
        if self.bytes[self.at..].starts_with(&[quote, quote]) {
            self.at += 2;
        }
        Some(if escaped { b'\\' } else { quote })
    }

    fn skip_scheme(&mut self) {
        let _ = self.skip_text("bearer ") || self.skip_text("basic ") || self.skip_text("token ");
        self.skip(|byte| byte == b' ', 1);
    }

    fn quoted_end(&self, quote: u8) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        let length = rest.iter().take(MAX_VALUE).position(|byte| *byte == quote || byte.is_ascii_whitespace())?;
        (rest[length] == quote).then_some(self.at + length)
    }

    fn bare_end(&self) -> Option<usize> {
        let rest = &self.bytes[self.at..];
        let ends = |byte: &u8| {
            byte.is_ascii_whitespace()
                || matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' | b'&' | b'\\')
        };
        let length = rest.iter().take(MAX_VALUE + 1).position(ends).unwrap_or(rest.len());
        // A call, an index or a shift goes on here: this is code.
        let code = matches!(rest.get(length), Some(b'(' | b'[' | b'{' | b'>')) || rest[length..].starts_with(b"<<");
        (length <= MAX_VALUE && !code).then_some(self.at + length)
    }
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

/// `value="…"` behind the name of an attribute.
fn is_named_value(cursor: &mut Cursor<'_>) -> Option<()> {
    is_named_value_next(cursor).then_some(())
}

fn is_named_value_next(cursor: &mut Cursor<'_>) -> bool {
    let mark = cursor.at;
    cursor.skip(|byte| byte.is_ascii_whitespace(), 40);
    cursor.skip(|byte| matches!(byte, b'\\' | b'"' | b'\''), 2);
    // A variable's default stands in its block.
    if cursor.skip_text("{") {
        let head = &cursor.bytes[cursor.at..cursor.bytes.len().min(cursor.at + 200)];
        let block = &head[..head.iter().position(|byte| *byte == b'}').unwrap_or(head.len())];
        if let Some(found) = block.windows(7).position(|word| word == b"default") {
            cursor.at += found;
        }
    }
    if cursor.skip_text("value") || cursor.skip_text("default") {
        cursor.skip(|byte| matches!(byte, b'\\' | b'"' | b'\''), 2);
        cursor.skip_blanks();
        if cursor.skip(|byte| matches!(byte, b'=' | b':'), 1) == 1 {
            cursor.skip_blanks();
            return true;
        }
    }
    cursor.at = mark;
    false
}
