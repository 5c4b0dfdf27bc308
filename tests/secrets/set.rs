//! Reads the labelled set: texts with secrets made up on the spot, so that no file of the repository holds one.

use std::ops::Range;

const SET: &str = include_str!("labelled.txt");

/// A labelled text.
pub(crate) struct Case {
    /// Its line in the set.
    pub(crate) line: usize,
    /// The rule that its secret belongs to.
    pub(crate) rule: &'static str,
    pub(crate) text: String,
    /// Where the secret is, in parts; none in a look-alike.
    pub(crate) secrets: Vec<Range<usize>>,
}

/// All cases, in order.
pub(crate) fn cases() -> Vec<Case> {
    cases_with(0)
}

/// The same shapes with other values for each other salt.
pub(crate) fn cases_with(salt: u64) -> Vec<Case> {
    let mut rule = "";
    let mut found: Vec<(usize, &str, bool, String)> = Vec::new();
    for (index, line) in SET.lines().enumerate() {
        match line.split_at_checked(1) {
            Some(("[", rest)) => rule = rest.trim_end_matches(']'),
            Some(("+", rest)) => found.push((index + 1, rule, true, rest[1..].to_owned())),
            Some(("-", rest)) => found.push((index + 1, rule, false, rest[1..].to_owned())),
            Some(("|", rest)) => {
                let case = found.last_mut().expect("a case before its next line");
                case.3 += "\n";
                case.3 += rest.strip_prefix(' ').unwrap_or(rest);
            }
            Some(("#", _)) | None => {}
            Some((start, _)) => panic!("line {}: {start:?} starts nothing", index + 1),
        }
    }
    let case = |(line, rule, is_secret, template): (usize, &'static str, bool, String)| {
        let (text, marked) = expand(&template, salt);
        let secrets = if is_secret { marked } else { Vec::new() };
        assert_eq!(secrets.is_empty(), !is_secret, "line {line} names no secret");
        Case { line, rule, text, secrets }
    };
    found.into_iter().map(case).collect()
}

/// The text of a template, and where what it makes up stands.
fn expand(template: &str, salt: u64) -> (String, Vec<Range<usize>>) {
    let seed = template.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    let mut random = Random(seed ^ salt.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let (mut text, mut marked) = (String::new(), Vec::new());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once("<<") {
        let (what, after) = after.split_once(">>").expect("an end");
        text += before;
        let start = text.len();
        let (what, is_secret) = what.strip_prefix('~').map_or((what, true), |what| (what, false));
        let (kind, arguments) = what.split_once(' ').unwrap_or((what, ""));
        match kind {
            "is" => text.extend(arguments.split(' ')),
            "begin" => text += &format!("-----{} {arguments}-----", "BEGIN"),
            "end" => text += &format!("-----{} {arguments}-----", "END"),
            "cr" => text.push('\r'),
            "fill" => text += &fill(arguments.parse().expect("a length")),
            "uuid" => {
                let parts = [8, 4, 4, 4, 12].map(|length| random.of("hex", length));
                text += &parts.join("-");
            }
            _ => text += &random.of(kind, arguments.parse().expect("a length")),
        }
        if is_secret && !matches!(kind, "begin" | "end" | "cr" | "fill") {
            marked.push(start..text.len());
        }
        rest = after;
    }
    text += rest;
    text.push('\n');
    (text, marked)
}

/// Ordinary code of about that many bytes.
fn fill(length: usize) -> String {
    let lines = (0..).map(|line| format!("export function step{line}(input: number): number {{ return input + {line}; }}\n"));
    let mut size = 0;
    lines
        .take_while(|line| {
            size += line.len();
            size <= length
        })
        .collect()
}

struct Random(u64);

impl Random {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % below as u64) as usize
    }

    /// Characters of a kind, with each class of character that the kind has if there is room for them.
    fn of(&mut self, kind: &str, length: usize) -> String {
        const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        const LOWER: &str = "abcdefghijklmnopqrstuvwxyz";
        const DIGITS: &str = "0123456789";
        let classes: &[&str] = match kind {
            "base62" => &[UPPER, LOWER, DIGITS],
            "base64" => &[UPPER, LOWER, DIGITS, "+/"],
            "url64" => &[UPPER, LOWER, DIGITS, "-_"],
            "pass" => &[UPPER, LOWER, DIGITS, "!#%*+-_^~"],
            "alpha" => &[UPPER, LOWER],
            "low36" => &[LOWER, DIGITS],
            "up36" => &[UPPER, DIGITS],
            "b32" => &[UPPER, "234567"],
            "hex" => &["abcdef", DIGITS],
            "HEX" => &["ABCDEF", DIGITS],
            "dig" => &["123456789"],
            _ => panic!("no kind {kind:?}"),
        };
        let alphabet: Vec<char> = classes.iter().flat_map(|class| class.chars()).collect();
        loop {
            let made: String = (0..length).map(|_| alphabet[self.next(alphabet.len())]).collect();
            // Base64 is padded to groups of four elsewhere, and a symbol at an edge is rare in it.
            let letters_at_edges = !made.starts_with(['-', '_', '+', '/', '!', '#', '%', '*', '^', '~']) && !made.ends_with(['-', '_']);
            let has_all = classes.iter().filter(|class| class.len() > 2).all(|class| made.contains(|character| class.contains(character)));
            if letters_at_edges && (has_all || length < 2 * classes.len()) {
                return made;
            }
        }
    }
}
