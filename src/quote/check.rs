//! The last look at a message before it leaves: its form, and the secret and class rules on all that it quotes.

use crate::classify::{Audience, Class, Classes, PRIVACY};
use crate::secrets;

use super::parse::{self, Block};

/// The code of a text that is no message of ours.
pub const FORM: &str = "form";

/// Whether a message may leave for `audience`; `quoted` is the class that its snippet had when it was proven.
///
/// # Errors
/// The id of the rule that forbids it, [`PRIVACY`] for its class, or [`FORM`] if it does not read as a message.
pub fn check(text: &str, quoted: Class, audience: &Audience) -> Result<(), &'static str> {
    let texts = match parse::block(text) {
        Some(Block::Source(source)) => vec![source.path, source.relevance, source.text],
        Some(Block::Update(changes)) => changes.into_iter().map(|change| change.path).collect(),
        Some(Block::Reference(places)) => places.into_iter().map(|place| place.path).collect(),
        None => return Err(FORM),
    };
    for text in &texts {
        if let Some(finding) = secrets::scan(text).first() {
            return Err(finding.rule);
        }
    }
    // A quote that is narrower than its span holds no marker, and one that cuts a span in two must not count for less.
    let marked = texts.iter().flat_map(|text| Classes::of(text).held().collect::<Vec<_>>());
    let class = marked.fold(quoted, Class::max);
    if audience.may_have(class) { Ok(()) } else { Err(PRIVACY) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::{Destination, Privacy};
    use crate::hash::Hash;
    use crate::quote::{message, reference_note, update_note};
    use crate::rel_path::RelPath;
    use crate::retrieve::{Change, Held, Reason, proven_for_tests};

    fn quote(path: &str, text: &str, relevance: &str) -> String {
        let reasons = vec![Reason { code: "phrase", text: relevance.to_owned() }];
        message(&proven_for_tests(RelPath::parse(path).unwrap(), Hash::of(b"x"), (1, 2), text, reasons, true, false), Some("ab")).text
    }

    fn remote() -> Audience {
        Audience { destination: Destination::Remote, privacy: Privacy { enabled: true, ..Privacy::default() } }
    }

    #[test]
    fn a_secret_anywhere_in_a_message_is_found_behind_its_escapes() {
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        let check = |text: String| check(&text, Class::Normal, &Audience::default());
        assert_eq!(check(quote("a.ts", "let a = 1;", "r")), Ok(()));
        assert_eq!(check(quote("a.ts", &format!("const k = \"\t{key}\";"), "r")), Err("secret/github-token"));
        assert_eq!(check(quote(&format!("{key}.ts"), "let a = 1;", "r")), Err("secret/github-token"));
        assert_eq!(check(quote("a.ts", "let a = 1;", &format!("exact phrase {key}"))), Err("secret/github-token"));
        let change = |path: &str| vec![Change { path: RelPath::parse(path).unwrap(), old: Hash::of(b"a"), new: None }];
        assert_eq!(check(update_note(&change("b.ts")).unwrap().text), Ok(()));
        assert_eq!(check(update_note(&change(&key)).unwrap().text), Err("secret/github-token"));
        let held = |path: &str| vec![Held { path: RelPath::parse(path).unwrap(), hash: Hash::of(b"a"), start_line: 1, end_line: 2 }];
        assert_eq!(check(reference_note(&held("b.ts")).unwrap().text), Ok(()));
        assert_eq!(check(reference_note(&held(&key)).unwrap().text), Err("secret/github-token"));
    }

    #[test]
    fn the_higher_of_the_proven_class_and_the_markers_decides() {
        let marked = quote("a.ts", "[ds4:sensitive]\nx\n[/ds4:sensitive]", "r");
        let plain = quote("a.ts", "x", "r");
        assert_eq!(check(&marked, Class::Normal, &Audience::default()), Ok(()));
        assert_eq!(check(&marked, Class::Normal, &remote()), Err(PRIVACY));
        assert_eq!(check(&plain, Class::Internal, &remote()), Ok(()));
        assert_eq!(check(&plain, Class::LocalOnly, &remote()), Err(PRIVACY));
        assert_eq!(check(&plain, Class::LocalOnly, &Audience { destination: Destination::Local, ..remote() }), Ok(()));
    }

    #[test]
    fn what_is_no_message_does_not_pass() {
        let whole = quote("a.ts", "x", "r");
        let remote = remote();
        for text in ["", "x", &whole[..whole.len() - 1], &format!("{whole}\n"), &format!("{whole}\n{whole}"), &whole.replace("Lines: 1-2", "Lines: 1-x")] {
            assert_eq!(check(text, Class::Normal, &remote), Err(FORM), "{text}");
        }
    }
}
