//! Names in a request: files with their lines, identifiers, error codes, technologies.

use super::FileMention;
use super::words;

/// A run of characters that can belong to one name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Run<'a> {
    pub(super) text: &'a str,
    pub(super) start: usize,
    cjk: bool,
}

/// What a run names.
#[derive(Debug, PartialEq)]
pub(super) enum Mention {
    File(FileMention),
    /// Parts joined by `.`.
    Symbol(String),
    Error(String),
    Technology,
    Word,
    Cjk,
    /// A number, a version, an abbreviation.
    Nothing,
}

/// The runs of a text in order.
pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Reader { text, at: 0 }
    }
}

fn is_name_character(character: char) -> bool {
    (character.is_alphanumeric() && !words::is_cjk(character)) || matches!(character, '_' | '$')
}

impl<'a> Iterator for Reader<'a> {
    type Item = Run<'a>;

    fn next(&mut self) -> Option<Run<'a>> {
        loop {
            let rest = &self.text[self.at..];
            let first = rest.chars().next()?;
            if words::is_cjk(first) {
                let length = rest.find(|c| !words::is_cjk(c)).unwrap_or(rest.len());
                let start = self.at;
                self.at += length;
                return Some(Run { text: &rest[..length], start, cjk: true });
            }
            if !is_name_character(first) && !matches!(first, '.' | '/' | '\\' | '@' | '~' | '-') {
                self.at += first.len_utf8();
                continue;
            }
            let length = run_length(rest);
            let start = self.at;
            self.at += length;
            let run = &rest[..length];
            let trimmed = run.trim_end_matches(|c: char| !is_name_character(c) && c != '+');
            let lead = trimmed.len() - trimmed.trim_start_matches(['-', '~', '+']).len();
            if trimmed.chars().any(is_name_character) {
                return Some(Run { text: &trimmed[lead..], start: start + lead, cjk: false });
            }
        }
    }
}

/// How far a name goes: `:` joins only as `::` or after a drive letter, `#` only between a name and a lower-case member.
fn run_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let joined = match character {
            '.' | '/' | '\\' | '@' | '+' | '~' | '-' => true,
            ':' if bytes.get(at + 1) == Some(&b':') => {
                at += 1;
                bytes.get(at + 1).is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'<')
            }
            ':' => at == 1 && matches!(bytes.get(2), Some(b'\\' | b'/')),
            '#' => at > 0 && bytes[at - 1].is_ascii_alphanumeric() && bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase),
            '>' => at > 0 && bytes[at - 1] == b'-' && bytes.get(at + 1).is_some_and(|b| b.is_ascii_alphabetic()),
            other => is_name_character(other),
        };
        if !joined {
            break;
        }
        at += character.len_utf8();
    }
    at
}

/// Whether the text is one plain identifier.
pub(super) fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some_and(|c| c.is_alphabetic() || matches!(c, '_' | '$')) && characters.all(is_name_character) && text.chars().nth(1).is_some()
}

/// Whether the identifier is written as prose writes none: camel case, snake case, `$`, or capitals with digits or underscores.
fn is_code_shaped(text: &str) -> bool {
    if !is_identifier(text) {
        return false;
    }
    let inner = text.trim_matches('_');
    let mut hump = false;
    let mut before = '\0';
    for character in text.chars() {
        hump |= before.is_lowercase() && character.is_uppercase();
        before = character;
    }
    let acronym_hump = text
        .bytes()
        .zip(text.bytes().skip(1))
        .zip(text.bytes().skip(2))
        .any(|((a, b), c)| a.is_ascii_uppercase() && b.is_ascii_uppercase() && c.is_ascii_lowercase())
        && !text.ends_with("Ds")
        && !(text.ends_with('s') && text[..text.len() - 1].bytes().all(|b| b.is_ascii_uppercase()));
    hump || acronym_hump || inner.contains('_') || text.contains('$') || (text.starts_with('_') && inner.len() > 1)
}

/// Decides what a run names.
pub(super) fn classify(run: &Run<'_>, request: &str, in_code: bool, whole_span: bool) -> Mention {
    if run.cjk {
        return Mention::Cjk;
    }
    let text = run.text;
    let after = &request[run.start + text.len()..];
    if is_number(text) || is_abbreviation(text) {
        return Mention::Nothing;
    }
    let lower = text.to_lowercase();
    if words::is_technology(&lower) && !words::is_stop(&lower) && !whole_span {
        return Mention::Technology;
    }
    let called = after.starts_with("()") || (after.starts_with('(') && in_code);
    if !called && let Some(file) = file(text, after) {
        return Mention::File(file);
    }
    if is_error_code(text) {
        return Mention::Error(text.to_owned());
    }
    if let Some(name) = qualified(text) {
        return Mention::Symbol(name);
    }
    let name = text.trim_start_matches(['@', '.', '/']);
    if is_identifier(name) && (called || is_code_shaped(name) || (whole_span && !words::is_code_word(&lower))) {
        return Mention::Symbol(name.to_owned());
    }
    let conventional = run.start == 0 && is_conventional_type(&lower) && (after.starts_with(':') || after.starts_with('(') || after.starts_with('!'));
    if conventional { Mention::Nothing } else { Mention::Word }
}

/// Whether the word is a type of conventional commits, such as `fix`.
pub(super) fn is_conventional_type(lower: &str) -> bool {
    matches!(lower, "fix" | "feat" | "chore" | "refactor" | "perf" | "docs" | "test" | "style" | "build" | "ci")
}

/// Numbers, versions, times: nothing but digits, points and a few letters around them.
fn is_number(text: &str) -> bool {
    let body = text.trim_start_matches(['v', 'V', '@', '~']);
    body.starts_with(|c: char| c.is_ascii_digit())
        && (body.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'-' | b'+' | b'/' | b'x'))
            || (body.contains('.') && body.split('.').take(2).all(|part| part.bytes().next().is_some_and(|b| b.is_ascii_digit())))
            || (body.len() < 20 && body.trim_start_matches(|c: char| c.is_ascii_digit()).len() <= 2))
}

/// "e.g.", "i.e.", "U.S.", "a.m.": single letters between points.
fn is_abbreviation(text: &str) -> bool {
    text.contains('.') && text.split('.').all(|part| part.chars().count() == 1)
}

fn is_error_code(text: &str) -> bool {
    let letters = text.bytes().take_while(u8::is_ascii_uppercase).count();
    let rest = &text[letters..];
    let digits = rest.trim_start_matches(['-', '_']);
    let numbered = (1..=8).contains(&letters)
        && (3..=6).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
        && !matches!(&text[..letters], "SHA" | "ISO" | "RFC" | "UTF" | "MD" | "AES" | "RSA" | "CVE" | "GH");
    let posix = letters == text.len() && letters >= 5 && text.starts_with('E') && POSIX.contains(&text);
    let prefixed = ["ERR_", "SQLITE_", "SIG"].iter().any(|prefix| text.starts_with(prefix) && text.len() > prefix.len() + 2)
        && text.bytes().all(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_');
    numbered || posix || prefixed
}

const POSIX: &[&str] = &[
    "EACCES",
    "EADDRINUSE",
    "EADDRNOTAVAIL",
    "EAGAIN",
    "EBADF",
    "EBUSY",
    "ECANCELED",
    "ECONNABORTED",
    "ECONNREFUSED",
    "ECONNRESET",
    "EDEADLK",
    "EEXIST",
    "EFAULT",
    "EFBIG",
    "EHOSTUNREACH",
    "EINPROGRESS",
    "EINTR",
    "EINVAL",
    "EISDIR",
    "ELOOP",
    "EMFILE",
    "EMLINK",
    "EMSGSIZE",
    "ENAMETOOLONG",
    "ENETUNREACH",
    "ENFILE",
    "ENOBUFS",
    "ENODEV",
    "ENOENT",
    "ENOEXEC",
    "ENOLCK",
    "ENOMEM",
    "ENOSPC",
    "ENOSYS",
    "ENOTCONN",
    "ENOTDIR",
    "ENOTEMPTY",
    "ENOTFOUND",
    "ENOTSUP",
    "ENXIO",
    "EOVERFLOW",
    "EPERM",
    "EPIPE",
    "EPROTO",
    "ERANGE",
    "ERESOLVE",
    "EROFS",
    "ESPIPE",
    "ESRCH",
    "ESTALE",
    "ETIMEDOUT",
    "EUSAGE",
    "EWOULDBLOCK",
    "EXDEV",
];

/// A name of two or more parts joined by `.`, `::`, `->` or `#`, in the form with points and without `self` and the like in front.
fn qualified(text: &str) -> Option<String> {
    if text.contains(['/', '\\']) {
        return None;
    }
    let text = text.trim_start_matches('@').replace("::", ".").replace("->", ".").replace('#', ".");
    let mut parts: Vec<&str> = text.split('.').collect();
    while parts.len() > 1 && matches!(parts[0], "self" | "this" | "cls" | "super" | "crate" | "Self" | "") {
        parts.remove(0);
    }
    let plain = parts.iter().all(|part| part.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_' || c == '$') && part.chars().all(is_name_character));
    let long = parts.last().is_some_and(|last| last.chars().nth(1).is_some());
    let stripped = parts.len() == 1 && text.contains('.');
    (plain && long && (parts.len() > 1 || stripped)).then(|| parts.join("."))
}

/// A file name or path with the line that follows it.
fn file(text: &str, after: &str) -> Option<FileMention> {
    let slashed = text.replace('\\', "/");
    let mut path = slashed.as_str();
    if path.as_bytes().get(1) == Some(&b':') {
        path = path[2..].trim_start_matches('/');
    }
    path = path.trim_start_matches('@');
    while let Some(rest) = path.strip_prefix("./").or_else(|| path.strip_prefix("../")).or_else(|| path.strip_prefix('/')) {
        path = rest;
    }
    if path.contains("//") || path.contains(':') || path.contains('#') {
        return None;
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let lower = name.to_lowercase();
    let (stem, extension) = lower.rsplit_once('.').unwrap_or((&lower, ""));
    let known = !stem.is_empty() && words::is_extension(extension);
    let has_folder = path.contains('/');
    let looks_like_one = has_folder
        && !stem.is_empty()
        && (1..=12).contains(&extension.len())
        && extension.bytes().all(|b| b.is_ascii_alphanumeric())
        && !extension.bytes().all(|b| b.is_ascii_digit());
    let bare =
        words::is_bare_file(&lower) && (has_folder || name.starts_with('.') || name.starts_with(|c: char| c.is_ascii_uppercase()) || lower.contains('.'));
    if !(known || looks_like_one || bare) {
        return None;
    }
    // `Service.run` and `x.c` read alike; a one-letter extension needs a lower-case stem without more points.
    let doubtful = !has_folder && extension.len() == 1 && (stem.contains('.') || name.starts_with(|c: char| c.is_uppercase()));
    (!doubtful).then(|| FileMention { path: path.to_owned(), line: line(after) })
}

/// The line number that follows a path: `:12`, `(12)`, `#L12`, `", line 12`, ` on line 12`, `:line 12`.
fn line(after: &str) -> Option<u32> {
    const FORMS: &[&str] = &[":line ", "#L", "\", line ", "', line ", ", line ", " on line ", " line ", " at line ", "(", ":"];
    let rest = FORMS.iter().find_map(|form| after.strip_prefix(form))?;
    let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    rest[..digits].parse().ok().filter(|line| *line > 0)
}
