//! Private keys between markers, in whatever quoting: as lines, in one string, escaped once or twice, joined, listed or commented.

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
            at += 1;
            // The letter of an escaped line end is no part of the key.
            if first == b'\\' && matches!(text.as_bytes().get(at), Some(b'n' | b'r' | b't')) {
                at += 1;
            }
        } else {
            let length = rest.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')).count();
            return (length >= MIN_KEY).then_some(at + length);
        }
    }
}
