//! From bytes to text: which encoding they are in, or that they are no text.

use super::Encoding;
use crate::exclude::{BINARY_CONTENT, CONTENT_MALFORMED_TEXT, RuleId};

/// Bytes looked at to tell a binary file.
const SAMPLE: usize = 8_192;

/// The text of a file without its byte-order mark, and its encoding; else the rule that it breaks.
///
/// A mark decides; else NUL or more than 5 % of other control bytes in the first 8 KiB mean binary; else UTF-8 if valid, Windows-1252 if
/// plausible, or UTF-8 with at most max(2, length / 200) replacements.
pub(crate) fn decode(bytes: &[u8]) -> Result<(String, Encoding), RuleId> {
    if let Some(rest) = bytes.strip_prefix(b"\xef\xbb\xbf") {
        return match std::str::from_utf8(rest) {
            Ok(text) => Ok((text.to_owned(), Encoding::Utf8WithBom)),
            Err(_) => lossy(rest),
        };
    }
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        return Err(BINARY_CONTENT);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xff\xfe") {
        return utf16(rest, u16::from_le_bytes, Encoding::Utf16Le);
    }
    if let Some(rest) = bytes.strip_prefix(b"\xfe\xff") {
        return utf16(rest, u16::from_be_bytes, Encoding::Utf16Be);
    }
    if is_binary(&bytes[..bytes.len().min(SAMPLE)]) {
        return Err(BINARY_CONTENT);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok((text.to_owned(), Encoding::Utf8)),
        Err(_) => windows_1252(bytes).map_or_else(|| lossy(bytes), |text| Ok((text, Encoding::Windows1252))),
    }
}

fn is_binary(sample: &[u8]) -> bool {
    let controls = sample.iter().filter(|byte| matches!(byte, 0..=8 | 14..=31)).count();
    sample.contains(&0) || controls * 20 > sample.len()
}

fn utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16, encoding: Encoding) -> Result<(String, Encoding), RuleId> {
    let (pairs, rest) = bytes.as_chunks::<2>();
    let mut text = String::with_capacity(bytes.len());
    let mut replaced = rest.len();
    for character in char::decode_utf16(pairs.iter().copied().map(unit)) {
        replaced += usize::from(character.is_err());
        text.push(character.unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    if !rest.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    if text.contains('\0') {
        return Err(BINARY_CONTENT);
    }
    within_limit(text, replaced, encoding)
}

fn lossy(bytes: &[u8]) -> Result<(String, Encoding), RuleId> {
    let replaced = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty()).count();
    within_limit(String::from_utf8_lossy(bytes).into_owned(), replaced, Encoding::Utf8Lossy)
}

fn within_limit(text: String, replaced: usize, encoding: Encoding) -> Result<(String, Encoding), RuleId> {
    if replaced > (text.chars().count() / 200).max(2) { Err(CONTENT_MALFORMED_TEXT) } else { Ok((text, encoding)) }
}

/// What the bytes 0x80 to 0x9F mean; NUL for those that mean nothing.
const WINDOWS_1252: [char; 32] = [
    '€', '\0', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\0', 'Ž', '\0', '\0', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\0',
    'ž', 'Ÿ',
];

/// The text in Windows-1252, if it reads like one: no undefined byte, and most other characters letters or typographic marks.
fn windows_1252(bytes: &[u8]) -> Option<String> {
    // Damaged UTF-8 has more sound characters above ASCII than broken ones.
    let (mut sound, mut broken) = (0, 0);
    for chunk in bytes.utf8_chunks() {
        sound += chunk.valid().chars().filter(|character| !character.is_ascii()).count();
        broken += usize::from(!chunk.invalid().is_empty());
    }
    if sound >= broken {
        return None;
    }
    let mut text = String::with_capacity(bytes.len() + bytes.len() / 8);
    let (mut high, mut plausible) = (0, 0);
    for &byte in bytes {
        let character = match byte {
            0x80..=0x9f => WINDOWS_1252[usize::from(byte - 0x80)],
            _ => char::from(byte),
        };
        if !byte.is_ascii() {
            if character == '\0' {
                return None;
            }
            high += 1;
            plausible += usize::from(
                character.is_alphabetic() || matches!(character, '€' | '…' | '‘'..='„' | '–' | '—' | '•' | '™' | '©' | '®' | '°' | '§' | '«' | '»'),
            );
        }
        text.push(character);
    }
    (plausible * 5 >= high * 4 && high * 10 <= bytes.len() * 3).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn decoded(bytes: &[u8]) -> Result<(String, Encoding), RuleId> {
        decode(bytes)
    }

    fn ok(text: &str, encoding: Encoding) -> Result<(String, Encoding), RuleId> {
        Ok((text.to_owned(), encoding))
    }

    #[test]
    fn each_encoding_is_told() {
        assert_eq!(decoded("Grüße\r\n".as_bytes()), ok("Grüße\r\n", Encoding::Utf8));
        assert_eq!(decoded(b""), ok("", Encoding::Utf8));
        assert_eq!(decoded("\u{feff}a".as_bytes()), ok("a", Encoding::Utf8WithBom));
        assert_eq!(decoded(b"\xff\xfea\0\xfc\0\n\0"), ok("aü\n", Encoding::Utf16Le));
        assert_eq!(decoded(b"\xfe\xff\0a\xd8\x3d\xde\x00"), ok("a😀", Encoding::Utf16Be));
        assert_eq!(decoded(b"// Viele Gr\xfc\xdfe \x96 aus \x93K\xf6ln\x94"), ok("// Viele Grüße – aus “Köln”", Encoding::Windows1252));
        assert_eq!(decoded("é".repeat(10).as_bytes().strip_suffix(b"\xa9").unwrap()), ok(&format!("{}\u{fffd}", "é".repeat(9)), Encoding::Utf8Lossy));
    }

    #[test]
    fn what_is_no_text_is_refused() {
        assert_eq!(decoded(b"abc\0def"), Err("binary/content"));
        assert_eq!(decoded(&[b"a".repeat(80), vec![1; 5]].concat()), Err("binary/content"));
        assert_eq!(decoded(&[b"a".repeat(95), vec![1; 5]].concat()).map(|(_, encoding)| encoding), Ok(Encoding::Utf8));
        assert_eq!(decoded(b"\xff\xfe\0\0a\0\0\0"), Err("binary/content"));
        assert_eq!(decoded(b"a\x81b\x81c\x81d"), Err("content/malformed-text"));
        assert_eq!(decoded(b"a\x81b\x81c"), ok("a\u{fffd}b\u{fffd}c", Encoding::Utf8Lossy));
        assert_eq!(decoded(b"\xff\xfe\0\xd8\0\xd8\0\xd8"), Err("content/malformed-text"));
    }

    proptest! {
        #[test]
        fn any_bytes_have_one_answer(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            prop_assert_eq!(decode(&bytes), decode(&bytes));
        }

        #[test]
        fn text_survives_each_encoding(text in "[^\u{0}-\u{8}\u{e}-\u{1f}\u{feff}]{0,60}") {
            prop_assert_eq!(decode(text.as_bytes()), Ok((text.clone(), Encoding::Utf8)));
            let wide: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
            prop_assert_eq!(decode(&[b"\xfe\xff".as_slice(), &wide].concat()), Ok((text, Encoding::Utf16Be)));
        }
    }
}
