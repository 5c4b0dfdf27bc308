//! Whether letters are words or chance: by the pairs of letters that words are made of.

/// For each first letter the second letters of the 222 pairs that make up 93 % of the pairs in the words of source code.
const PAIRS: [&str; 26] = [
    "abcdgilmnprstuvy",
    "aeilouy",
    "acehiklortu",
    "adeiorsu",
    "abcdefglmnpqrstvwx",
    "aefilorsu",
    "ehinrsu",
    "aeiot",
    "abcdefglmnoprstvz",
    "",
    "ei",
    "adefilostuy",
    "aeiopsu",
    "acdefgilostu",
    "bcdfilmnoprstuvw",
    "aeiloprstu",
    "u",
    "acdegimnorstuy",
    "acehiopstuy",
    "acehiloprstuy",
    "abcegilmnprst",
    "aei",
    "aehior",
    "pt",
    "ps",
    "e",
];

/// Whether a value is made of words and numbers, as in `auth-token-v2` or `userPasswordReset`.
///
/// Nine in ten pairs of adjacent letters are common ones in words, three in ten by chance; a change of case starts a new word.
pub(super) fn is_wordy(value: &str) -> bool {
    let bytes = value.as_bytes();
    let (mut pairs, mut common, mut letters, mut in_words) = (0, 0, 0, 0);
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_alphabetic() {
            at += 1;
            continue;
        }
        let end = word_end(bytes, at);
        let word = &bytes[at..end];
        letters += word.len();
        if word.len() >= 3 {
            in_words += word.len();
            pairs += word.len() - 1;
            common += word.windows(2).filter(|pair| is_common(pair[0], pair[1])).count();
        }
        at = end;
    }
    // Digits stand at the ends of words, not all over them.
    let mixed = bytes.windows(2).filter(|pair| pair.iter().all(u8::is_ascii_alphanumeric) && pair[0].is_ascii_digit() != pair[1].is_ascii_digit()).count();
    let is_snake_case = value.contains('_') && !bytes.iter().any(u8::is_ascii_uppercase);
    letters == 0 || (pairs >= 2 && mixed < 4 && in_words * 3 >= letters * 2 && common * 100 >= pairs * if is_snake_case { 70 } else { 78 })
}

/// The end of the word that starts at `start`: `Word`, `word`, `WORD`, and `HTML` before `HTMLParser`'s last part.
fn word_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    let upper = rest.iter().take_while(|byte| byte.is_ascii_uppercase()).count();
    let lower = rest[upper..].iter().take_while(|byte| byte.is_ascii_lowercase()).count();
    match (upper, lower) {
        (0 | 1, _) => start + upper + lower,
        (_, 0) => start + upper,
        _ => start + upper - 1,
    }
}

fn is_common(first: u8, second: u8) -> bool {
    let row = PAIRS[usize::from(first.to_ascii_lowercase() - b'a')];
    row.as_bytes().contains(&second.to_ascii_lowercase())
}
