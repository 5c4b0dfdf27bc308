//! Case, accents and widths folded; which characters belong to words.

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// How a character takes part in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Script {
    /// Not at all: punctuation, symbols, spaces, controls.
    None,
    /// A letter or digit of a script that writes spaces between words.
    Spaced,
    /// A letter of a script that writes none.
    Unspaced,
    /// A mark or joiner: belongs to the letter before it.
    Mark,
}

/// How `char` takes part in words.
pub(super) fn script(char: char) -> Script {
    match char {
        '_' => Script::Spaced,
        _ if char.is_ascii() => {
            if char.is_ascii_alphanumeric() {
                Script::Spaced
            } else {
                Script::None
            }
        }
        '\u{200c}' | '\u{200d}' | '\u{ad}' => Script::Mark,
        // Thai, Lao, Myanmar, Khmer; Hangul; Han, kana and bopomofo with their marks; half-width kana and Hangul.
        '\u{e00}'..='\u{eff}'
        | '\u{1000}'..='\u{109f}'
        | '\u{1780}'..='\u{17ff}'
        | '\u{1100}'..='\u{11ff}'
        | '\u{a960}'..='\u{a97f}'
        | '\u{ac00}'..='\u{d7ff}'
        | '\u{3005}'..='\u{3007}'
        | '\u{3021}'..='\u{3029}'
        | '\u{3031}'..='\u{3035}'
        | '\u{3041}'..='\u{318f}'
        | '\u{31a0}'..='\u{31bf}'
        | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff66}'..='\u{ffdc}'
        | '\u{20000}'..='\u{3ffff}' => {
            if is_combining_mark(char) {
                Script::Mark
            } else if char.is_alphanumeric() {
                Script::Unspaced
            } else {
                Script::None
            }
        }
        _ if char.is_alphanumeric() => Script::Spaced,
        _ if is_combining_mark(char) => Script::Mark,
        _ => Script::None,
    }
}

/// Lower case with accents removed and widths made one: the form in which names and words are compared.
///
/// Marks go where they are accents or optional points (Latin, Greek, Cyrillic, Hebrew, Arabic) and stay where they are letters (Indic, kana, Thai).
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    fold_into(&mut out, text, |_| true);
    out
}

/// Appends the folded characters of `text` that `keep` wants.
pub(super) fn fold_into(out: &mut String, text: &str, keep: impl Fn(char) -> bool) {
    for lower in text.nfkc().flat_map(char::to_lowercase) {
        if lower.is_ascii() {
            out.extend(Some(lower).filter(|&char| keep(char)));
        } else if let Some(plain) = plain(lower) {
            out.push_str(plain);
        } else if has_accents(lower) {
            out.extend(std::iter::once(lower).nfd().filter(|&char| !is_accent(char) && keep(char)));
        } else if !is_accent(lower) && keep(lower) {
            out.push(lower);
        }
    }
}

/// Latin, Greek and Cyrillic.
fn has_accents(char: char) -> bool {
    matches!(char, '\u{c0}'..='\u{52f}' | '\u{1e00}'..='\u{1fff}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}')
}

/// Accents, Hebrew points, Arabic vowel signs and tatweel, and characters that only join or hide.
fn is_accent(char: char) -> bool {
    matches!(char, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{5bf}' | '\u{5c1}'..='\u{5c2}' | '\u{5c4}'..='\u{5c5}' | '\u{5c7}'
        | '\u{640}' | '\u{64b}'..='\u{65f}' | '\u{670}' | '\u{ad}' | '\u{200c}' | '\u{200d}')
}

/// The usual spelling of letters that have no decomposition.
fn plain(char: char) -> Option<&'static str> {
    Some(match char {
        'ß' => "ss",
        'æ' => "ae",
        'œ' => "oe",
        'ø' => "o",
        'ł' => "l",
        'đ' | 'ð' => "d",
        'þ' => "th",
        'ı' => "i",
        'ς' => "σ",
        _ => return None,
    })
}
