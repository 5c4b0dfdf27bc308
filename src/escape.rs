//! Text as the inside of a JSON string that no reader, human or model, can mistake for anything else.

use std::fmt::Write as _;

/// The openings of the engine's own message markers, upper case: a `[` before one of them leaves as an escape.
const MARKER_STARTS: &[&str] = &["[DS4", "[END DS4"];

/// `text` as a JSON string literal with its quotes. It is one line, and parses back to `text`.
///
/// Control, invisible, direction-changing and tag characters leave as `\u` escapes, except joiners inside emoji and in scripts
/// that need them.
pub fn json_string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8 + 2);
    out.push('"');
    push_escaped(&mut out, text);
    out.push('"');
    out
}

/// The inside of [`json_string`], for label text that stands without quotes.
pub fn label(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_escaped(&mut out, text);
    out
}

fn push_escaped(out: &mut String, text: &str) {
    // The character before, if it was shown as it is: a joiner after an escape joins nothing.
    let mut shown = None;
    for (at, character) in text.char_indices() {
        let after = || text[at + character.len_utf8()..].chars().next();
        let hidden = match character {
            '"' | '\\' | '\n' | '\r' | '\t' => {
                out.push('\\');
                out.push(match character {
                    '\n' => 'n',
                    '\r' => 'r',
                    '\t' => 't',
                    other => other,
                });
                shown = None;
                continue;
            }
            '[' => opens_marker(&text[at..]),
            '\u{200C}' | '\u{200D}' | '\u{FE0E}' | '\u{FE0F}' => !joins(character, shown, after()),
            _ => is_hidden(character),
        };
        if hidden {
            push_unicode(out, character);
        } else {
            out.push(character);
        }
        shown = (!hidden).then_some(character);
    }
}

fn opens_marker(text: &str) -> bool {
    MARKER_STARTS.iter().any(|start| text.as_bytes().get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start.as_bytes())))
}

fn push_unicode(out: &mut String, character: char) {
    let mut units = [0; 2];
    for unit in character.encode_utf16(&mut units) {
        write!(out, "\\u{unit:04x}").expect("writing to a string cannot fail");
    }
}

/// Whether a joiner or variation selector stands where a script or an emoji needs it.
fn joins(joiner: char, before: Option<char>, after: Option<char>) -> bool {
    let is_script = |side: Option<char>| side.is_some_and(is_joining_script);
    match joiner {
        '\u{FE0E}' | '\u{FE0F}' => before.is_some_and(|before| is_emoji(before) || matches!(before, '0'..='9' | '#' | '*')),
        '\u{200D}' if before.is_some_and(|before| is_emoji(before) || before == '\u{FE0F}') => after.is_some_and(is_emoji),
        // At the end of a word a joiner shapes the letter before it: half forms after a virama, Arabic letters that stand alone.
        _ => is_script(before) && (is_script(after) || before.is_some_and(is_virama) || joiner == '\u{200D}'),
    }
}

fn is_emoji(character: char) -> bool {
    matches!(character, '\u{00A9}' | '\u{00AE}' | '\u{203C}' | '\u{2049}' | '\u{2122}' | '\u{2139}' | '\u{2190}'..='\u{21FF}' | '\u{2300}'..='\u{23FF}'
        | '\u{2460}'..='\u{24FF}' | '\u{25A0}'..='\u{27BF}' | '\u{2900}'..='\u{297F}' | '\u{2B00}'..='\u{2BFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}'
        | '\u{1F000}'..='\u{1FAFF}')
}

/// Scripts whose spelling uses joiners: Arabic and its relatives, the Indic family, Myanmar, Khmer, Mongolian.
fn is_joining_script(character: char) -> bool {
    let script = matches!(character, '\u{0600}'..='\u{07FF}' | '\u{0840}'..='\u{08FF}' | '\u{0900}'..='\u{0DFF}' | '\u{0F00}'..='\u{109F}'
        | '\u{1780}'..='\u{18AF}' | '\u{A8E0}'..='\u{A8FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFC}');
    script && !is_hidden(character)
}

/// The sign that takes an Indic consonant's vowel away.
fn is_virama(character: char) -> bool {
    matches!(
        character,
        '\u{094D}'
            | '\u{09CD}'
            | '\u{0A4D}'
            | '\u{0ACD}'
            | '\u{0B4D}'
            | '\u{0BCD}'
            | '\u{0C4D}'
            | '\u{0CCD}'
            | '\u{0D4D}'
            | '\u{0DCA}'
            | '\u{1039}'
            | '\u{17D2}'
    )
}

/// Characters that show nothing, change how others show, or show differently everywhere: controls, format characters, fillers, tags, variation
/// selectors, private use, noncharacters.
fn is_hidden(character: char) -> bool {
    matches!(character,
        '\u{0000}'..='\u{001F}' | '\u{007F}'..='\u{009F}' | '\u{00AD}' | '\u{034F}' | '\u{0600}'..='\u{0605}' | '\u{061C}' | '\u{06DD}' | '\u{070F}'
        | '\u{0890}'..='\u{0891}' | '\u{08E2}' | '\u{115F}'..='\u{1160}' | '\u{17B4}'..='\u{17B5}' | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}'
        | '\u{2028}'..='\u{202E}' | '\u{2060}'..='\u{206F}' | '\u{2800}' | '\u{3164}' | '\u{FDD0}'..='\u{FDEF}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
        | '\u{E000}'..='\u{F8FF}' | '\u{FFA0}' | '\u{FFF0}'..='\u{FFFB}' | '\u{110BD}' | '\u{110CD}' | '\u{13430}'..='\u{1345F}' | '\u{1BCA0}'..='\u{1BCA3}'
        | '\u{1D159}' | '\u{1D173}'..='\u{1D17A}' | '\u{E0000}'..='\u{E0FFF}' | '\u{F0000}'..='\u{10FFFF}')
        || u32::from(character) & 0xFFFE == 0xFFFE
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hostile_text_leaves_as_escapes() {
        let cases = [
            ("plain [x] text", "plain [x] text"),
            ("a\u{202E}b", "a\\u202eb"),
            ("a\u{E0041}b", "a\\udb40\\udc41b"),
            ("\u{2028}\u{85}\u{7}", "\\u2028\\u0085\\u0007"),
            ("[DS4 PROJECT SOURCE", "\\u005bDS4 PROJECT SOURCE"),
            ("[end ds4 x]", "\\u005bend ds4 x]"),
            ("l\r\n\t\"\\", "l\\r\\n\\t\\\"\\\\"),
            ("a\u{200D}b", "a\\u200db"),
            ("\u{200B}", "\\u200b"),
            ("a\u{AD}b\u{2060}c\u{180E}", "a\\u00adb\\u2060c\\u180e"),
            ("\u{FEFF}\u{FFF9}x\u{FFFB}", "\\ufeff\\ufff9x\\ufffb"),
            ("\u{3164}\u{115F}\u{FFA0}\u{2800}", "\\u3164\\u115f\\uffa0\\u2800"),
            ("\u{2029}\u{9B}\u{7F}\u{0}", "\\u2029\\u009b\\u007f\\u0000"),
            ("\u{2066}x\u{2069}\u{200E}\u{61C}", "\\u2066x\\u2069\\u200e\\u061c"),
            ("\u{E000}\u{F0000}\u{10FFFD}", "\\ue000\\udb80\\udc00\\udbff\\udffd"),
            ("a\u{FE0F}b\u{E0100}", "a\\ufe0fb\\udb40\\udd00"),
            ("a\u{FE0F}\u{200D}👩", "a\\ufe0f\\u200d👩"),
            ("❤\u{FE0F}\u{FE0F}", "❤\u{FE0F}\\ufe0f"),
            ("می\u{200C}\u{200C}خ", "می\\u200c\\u200cخ"),
            ("\u{301}\u{308}", "\u{301}\u{308}"),
            ("[/ds4:internal] [ds4:internal]", "[/ds4:internal] \\u005bds4:internal]"),
        ];
        for (text, expected) in cases {
            assert_eq!(label(text), expected, "{text:?}");
        }
    }

    #[test]
    fn joiners_stay_where_a_script_or_an_emoji_needs_them() {
        for text in [
            "👩\u{200D}💻",
            "❤\u{FE0F}\u{200D}🔥",
            "می\u{200C}خواهم",
            "क\u{094D}\u{200D}ष",
            "1\u{FE0F}\u{20E3}",
            "ന\u{0D4D}\u{200D} ",
            "ه\u{200D}.",
            "👨\u{1F3FD}\u{200D}🦰",
            "🏴\u{200D}☠\u{FE0F}",
        ] {
            assert_eq!(label(text), text);
        }
    }

    proptest! {
        #[test]
        fn what_leaves_parses_back_and_shows_all_of_itself(text in any::<String>(), marker in "(\\[DS4|\\[END DS4|\\[ds4|\u{202E}|\u{E0020}|\u{200D}|\u{FEFF}){0,4}") {
            let text = format!("{text}{marker}{text}");
            let literal = json_string(&text);
            prop_assert_eq!(serde_json::from_str::<String>(&literal).unwrap(), text);
            prop_assert!(!literal.to_uppercase().contains("[DS4") && !literal.to_uppercase().contains("[END DS4"));
            prop_assert!(!literal.contains(|character| is_hidden(character) && !"\u{200C}\u{200D}\u{FE0E}\u{FE0F}".contains(character)), "{literal:?}");
            for joiner in ["\u{200C}", "\u{200D}", "\u{FE0E}", "\u{FE0F}"] {
                // One that stays has a neighbour that asks for it, so two never touch and none hides in Latin text.
                let (doubled, hidden) = (joiner.repeat(2), format!("a{joiner}"));
                prop_assert!(!literal.contains(&doubled) && !literal.contains(&hidden));
            }
        }
    }
}
