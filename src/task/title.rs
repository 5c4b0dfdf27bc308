//! What a title says by its form: which area it is about, and that something is to be done there.

use super::mentions::is_conventional_type;
use super::words;
use crate::terms;

/// Words of an area.
const MAX_SCOPE_WORDS: usize = 2;

/// What stands before what a title says (`area: …`, `type(area): …`, `[area] …`), and the rest.
struct Parts<'a> {
    head: &'a str,
    rest: &'a str,
}

fn parts(title: &str) -> Parts<'_> {
    let whole = Parts { head: "", rest: title };
    let (head, rest) = match title.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
        // A link.
        Some((_, rest)) if rest.starts_with('(') => return whole,
        Some(parts) => parts,
        None => match title.split_once([':', '：']) {
            // A line number or a qualified name goes on at once.
            Some((head, rest)) if rest.starts_with(char::is_whitespace) || title[head.len()..].starts_with('：') => (head, rest),
            _ => return whole,
        },
    };
    let named = |word: &str| {
        let folded = terms::fold(word);
        !words::is_lookup(&folded) && !words::is_file_word(&folded)
    };
    let fits = (1..=MAX_SCOPE_WORDS).contains(&head.split_whitespace().count());
    if fits && !rest.trim().is_empty() && (is_type(head) || terms::words(head).any(|word| named(word.text))) { Parts { head, rest } } else { whole }
}

/// Whether the word before a bracket or at the end says what kind of change it is.
fn is_type(head: &str) -> bool {
    is_conventional_type(&head.split('(').next().unwrap_or_default().trim_end_matches('!').to_lowercase())
}

/// The words of the area that a title names before what it says: `io, sync: …`, `fix(parser): …`, `[cli] …`.
pub fn scope(title: &str) -> Vec<&str> {
    let head = parts(title.trim()).head.trim_end_matches('!');
    let area = match head.split_once('(') {
        Some((_, inside)) => inside.trim_end_matches(')'),
        None if is_type(head) => "",
        None => head,
    };
    terms::words(area).map(|word| word.text).collect()
}

/// Whether a title says what to do, and not only what to look for: it names an area first, or begins with a verb such as "add", and is no question.
pub fn says_what_to_do(title: &str) -> bool {
    let title = title.trim();
    if title.ends_with(['?', '？']) {
        return false;
    }
    let Parts { head, rest } = parts(title);
    !head.is_empty() || words::begins_with_order(rest)
}
