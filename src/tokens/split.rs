//! The o200k expression that splits a text into pieces before its bytes are merged, written out: an expression engine would have to compile it at the first call.
//!
//! The expression's branches, in order: a word (up to one character that is neither letter, number nor line end, then capitals, then small letters, then an English contraction), up to
//! three numbers, other characters with a space before and line ends behind them, white space up to its last line end, white space without the one before a word.

/// What a character is to the expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `\p{Lu}`, `\p{Lt}`.
    Upper,
    /// `\p{Ll}`.
    Lower,
    /// `\p{Lm}`, `\p{Lo}`: has no case, and stands where either may.
    Letter,
    /// `\p{M}`: as [`Kind::Letter`] inside of a word, as [`Kind::Other`] elsewhere.
    Mark,
    /// `\p{N}`.
    Number,
    /// `\r`, `\n`.
    LineEnd,
    /// White space that ends no line.
    Space,
    Other,
}

/// Where each run of characters of one kind starts.
const RUNS: &[(u32, Kind)] = include!(concat!(env!("OUT_DIR"), "/kinds.rs"));

const ASCII: [Kind; 128] = {
    let mut kinds = [Kind::Other; 128];
    let (mut run, mut at) = (0, 0);
    while at < kinds.len() {
        while RUNS[run + 1].0 <= at as u32 {
            run += 1;
        }
        kinds[at] = RUNS[run].1;
        at += 1;
    }
    kinds
};

impl Kind {
    fn of(character: char) -> Kind {
        let code = u32::from(character);
        ASCII.get(code as usize).copied().unwrap_or_else(|| RUNS[RUNS.partition_point(|(start, _)| *start <= code) - 1].1)
    }

    /// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`
    fn may_begin(self) -> bool {
        matches!(self, Kind::Upper | Kind::Letter | Kind::Mark)
    }

    /// `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`
    fn may_follow(self) -> bool {
        matches!(self, Kind::Lower | Kind::Letter | Kind::Mark)
    }

    /// `[^\s\p{L}\p{N}]`
    fn is_sign(self) -> bool {
        matches!(self, Kind::Mark | Kind::Other)
    }

    fn is_space(self) -> bool {
        matches!(self, Kind::Space | Kind::LineEnd)
    }
}

/// The pieces of a text, in order; together they are the text.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (piece, behind) = rest.split_at(first(rest)?);
        rest = behind;
        Some(piece)
    })
}

/// The bytes of a text's first piece; `None` for an empty text.
fn first(text: &str) -> Option<usize> {
    let character = text.chars().next()?;
    let (kind, width) = (Kind::of(character), character.len_utf8());
    let prefix = if matches!(kind, Kind::Space) || kind.is_sign() { width } else { 0 };
    // A mark may be what stands before the word, or its first letter.
    let word = [prefix, 0].into_iter().take(if kind == Kind::Mark { 2 } else { 1 });
    if let Some(end) = word.clone().find_map(|start| word_in_small(text, start)).or_else(|| word.clone().find_map(|start| word_in_capitals(text, start))) {
        return Some(end + contraction(&text[end..]));
    }
    Some(match kind {
        Kind::Number => text
            .char_indices()
            .take(3)
            .take_while(|(_, character)| Kind::of(*character) == Kind::Number)
            .last()
            .map_or(width, |(at, last)| at + last.len_utf8()),
        Kind::LineEnd | Kind::Space => {
            let signs = if character == ' ' { run(text, 1, Kind::is_sign) } else { 1 };
            if character == ' ' && signs > 1 { signs + line_ends(&text[signs..]) } else { space(text, width) }
        }
        _ => {
            let signs = run(text, 0, Kind::is_sign);
            signs + line_ends(&text[signs..])
        }
    })
}

/// Where the run of characters of a sort that begins at `start` ends.
fn run(text: &str, start: usize, belongs: impl Fn(Kind) -> bool) -> usize {
    text[start..].char_indices().find(|(_, character)| !belongs(Kind::of(*character))).map_or(text.len(), |(at, _)| start + at)
}

/// The end of `[capital]*[small]+` from `start`.
fn word_in_small(text: &str, start: usize) -> Option<usize> {
    let capitals = run(text, start, Kind::may_begin);
    let end = run(text, capitals, Kind::may_follow);
    if end > capitals {
        return Some(end);
    }
    // No small letter behind the capitals: the last of them that has no case stands for one.
    text[start..capitals].char_indices().rev().find(|(_, character)| Kind::of(*character).may_follow()).map(|(at, last)| start + at + last.len_utf8())
}

/// The end of `[capital]+[small]*` from `start`, where [`word_in_small`] found nothing.
fn word_in_capitals(text: &str, start: usize) -> Option<usize> {
    Some(run(text, start, Kind::may_begin)).filter(|end| *end > start)
}

/// The bytes of `(?i:'s|'t|'re|'ve|'m|'ll|'d)` at the front; 0 without.
fn contraction(text: &str) -> usize {
    let Some(letters) = text.strip_prefix('\'') else { return 0 };
    let mut letters = letters.chars().map(|letter| letter.to_ascii_lowercase());
    match (letters.next(), letters.next()) {
        (Some('s' | 't' | 'm' | 'd'), _) => 2,
        // The long s is another case of `s`.
        (Some('ſ'), _) => 1 + 'ſ'.len_utf8(),
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => 3,
        _ => 0,
    }
}

/// The bytes of `[\r\n/]*` at the front.
fn line_ends(text: &str) -> usize {
    text.bytes().position(|byte| !matches!(byte, b'\r' | b'\n' | b'/')).unwrap_or(text.len())
}

/// The end of `\s*[\r\n]+|\s+(?!\S)|\s+` at the front, which is a character of `width` bytes.
fn space(text: &str, width: usize) -> usize {
    let end = run(text, 0, Kind::is_space);
    if let Some(line_end) = text[..end].rfind(['\r', '\n']) {
        return line_end + 1;
    }
    let last = text[..end].chars().next_back().map_or(width, char::len_utf8);
    if end == text.len() || end == last { end } else { end - last }
}
