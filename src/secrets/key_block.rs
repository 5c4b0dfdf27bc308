//! Private keys between markers, in whatever quoting: as lines, in one string, escaped once or twice, joined, listed or commented.

use super::value;

/// Key characters in a row that make a key, not a mention of one.
const MIN_KEY: usize = 20;
/// What may stand between the marker and the key.
const JOINTS: &[u8] = b" \t\r\n\"'`+,.;:\\|<>/*#()[]&-";
/// Header lines that an encrypted or armoured key starts with.
const HEADERS: &[&str] = &["Proc-Type:", "DEK-Info:", "Version:", "Comment:", "Hash:", "Charset:"];

/// The end of the key block whose begin marker ends at `at`, with its end marker if that follows; `None` if no key follows.
pub(super) fn end(text: &str, at: usize) -> Option<usize> {
    let key_end = key_end(text, at)?;
    let Some(marker) = text[key_end..].find("-----END ").map(|found| key_end + found) else { return Some(key_end) };
    let is_own = !text[key_end..marker].contains("-----BEGIN ");
    let closing = text[marker + "-----END ".len()..].find("-----").map(|found| marker + "-----END ".len() + found + "-----".len());
    Some(closing.filter(|_| is_own).unwrap_or(key_end))
}

fn key_end(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = &text[at..];
        let first = *rest.as_bytes().first()?;
        if let Some(header) = HEADERS.iter().find(|header| rest.starts_with(**header)) {
            // A header ends with its line, written out or escaped.
            let value = &rest[header.len()..];
            at += header.len() + value.find(['\n', '\r', '\\'])?;
        } else if JOINTS.contains(&first) {
            at += joints(rest);
        } else {
            let length = digits(rest);
            return (length >= MIN_KEY && value::distinct(&rest[..length]) >= 8).then(|| material_end(text, at + length));
        }
    }
}

/// The end of the key's last line, where `at` is the end of its first.
fn material_end(text: &str, mut at: usize) -> usize {
    loop {
        let joint = joints(&text[at..]);
        let length = digits(&text[at + joint..]);
        if joint == 0 || length < MIN_KEY {
            return at;
        }
        at += joint + length;
    }
}

/// Bytes of what may stand between two lines of a key.
fn joints(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() && at < 80 && JOINTS.contains(&bytes[at]) {
        let escape = bytes[at] == b'\\' && matches!(bytes.get(at + 1), Some(b'n' | b'r' | b't'));
        at += 1 + usize::from(escape);
    }
    at
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')).count()
}
