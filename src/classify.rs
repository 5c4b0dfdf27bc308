//! Classes of text, as `[ds4:…]` markers in a file set them, and where a class may go.

use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

/// How far a text may travel; each class is above those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Class {
    /// Unmarked text.
    #[default]
    Normal,
    Internal,
    Sensitive,
    /// Never leaves for a remote destination.
    LocalOnly,
}

impl Class {
    /// Every class, lowest first.
    pub const ALL: [Class; 4] = [Class::Normal, Class::Internal, Class::Sensitive, Class::LocalOnly];

    /// The form in markers, settings, manifests and the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Class::Normal => "normal",
            Class::Internal => "internal",
            Class::Sensitive => "sensitive",
            Class::LocalOnly => "local-only",
        }
    }

    /// The class of a name in any case of letters.
    pub fn from_name(name: &str) -> Option<Class> {
        Class::ALL.into_iter().find(|class| class.as_str().eq_ignore_ascii_case(name))
    }
}

/// Where an answer goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Destination {
    /// A model on this machine.
    Local,
    /// Anything else: the assumption without better knowledge.
    #[default]
    Remote,
}

impl Destination {
    /// The form in manifests and the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            Destination::Local => "local",
            Destination::Remote => "remote",
        }
    }
}

/// The code of a snippet that its class keeps from a destination.
pub const PRIVACY: &str = "privacy";

/// What a remote destination may have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Privacy {
    /// Whether classes decide at all; without it they are only recorded.
    pub enabled: bool,
    /// The classes that a remote destination may have. Naming [`Class::LocalOnly`] here has no effect.
    pub remote_allow: Vec<Class>,
}

impl Default for Privacy {
    fn default() -> Self {
        Privacy { enabled: false, remote_allow: vec![Class::Normal, Class::Internal] }
    }
}

/// Who is asked, and what it may have.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Audience {
    pub destination: Destination,
    pub privacy: Privacy,
}

impl Audience {
    /// Whether text of a class may be shown to it.
    pub fn may_have(&self, class: Class) -> bool {
        !self.privacy.enabled || self.destination == Destination::Local || (class != Class::LocalOnly && self.privacy.remote_allow.contains(&class))
    }
}

/// The markers of one text, resolved.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Classes {
    /// By position, without overlap; a span holds the markers at its borders.
    spans: Vec<(Range<usize>, Class)>,
    marked: bool,
}

static MARKER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?i)\[(/?)ds4:(normal|internal|sensitive|local-only)\]").expect("the pattern is a literal of this program"));

/// Where the markers of a text stand, opening and closing.
pub fn markers(text: &str) -> impl Iterator<Item = Range<usize>> + '_ {
    MARKER.find_iter(text).map(|marker| marker.range())
}

/// Whether a text holds a marker, opening or closing.
pub fn is_marked(text: &str) -> bool {
    MARKER.is_match(text)
}

impl Classes {
    /// Reads all markers of a text. Between nested ones the highest that is open holds. If one has no partner, or closes another than was
    /// opened last, the whole text has the highest class that it names.
    pub fn of(text: &str) -> Classes {
        let mut classes = Classes::default();
        let mut open: Vec<Class> = Vec::new();
        let mut highest = Class::Normal;
        let mut balanced = true;
        let mut start = 0;
        for marker in MARKER.captures_iter(text) {
            let (whole, closes) = (marker.get(0).expect("a match has a range"), !marker[1].is_empty());
            let class = Class::from_name(&marker[2]).expect("the pattern names classes only");
            classes.marked = true;
            highest = highest.max(class);
            let before = open.iter().copied().max();
            // A border belongs to the higher of its two sides.
            if closes {
                classes.push(start..whole.end(), before);
                start = whole.end();
                balanced &= open.pop() == Some(class);
            } else {
                classes.push(start..whole.start(), before);
                start = whole.start();
                open.push(class);
            }
        }
        classes.push(start..text.len(), open.iter().copied().max());
        if !balanced || !open.is_empty() {
            classes.spans = vec![(0..text.len(), highest)];
        }
        classes
    }

    fn push(&mut self, range: Range<usize>, class: Option<Class>) {
        if let (Some(class), false) = (class, range.is_empty()) {
            self.spans.push((range, class));
        }
    }

    /// Whether the text holds a marker.
    pub fn is_marked(&self) -> bool {
        self.marked
    }

    /// The highest class of any span that the bytes touch.
    pub fn of_range(&self, bytes: Range<usize>) -> Class {
        let touched = self.spans.iter().filter(|(span, _)| span.start < bytes.end && bytes.start < span.end);
        touched.map(|(_, class)| *class).max().unwrap_or_default()
    }

    /// The classes that the text holds besides [`Class::Normal`] text outside of all spans.
    pub fn held(&self) -> impl Iterator<Item = Class> {
        self.spans.iter().map(|(_, class)| *class)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use Class::{Internal, LocalOnly, Normal, Sensitive};

    /// The class of each character that is a capital letter of the text without markers, in order.
    fn letters(text: &str) -> Vec<Class> {
        let classes = Classes::of(text);
        let bare = MARKER.replace_all(text, |found: &regex::Captures<'_>| "-".repeat(found[0].len())).into_owned();
        bare.char_indices().filter(|(_, character)| character.is_ascii_uppercase()).map(|(at, _)| classes.of_range(at..at + 1)).collect()
    }

    #[test]
    fn a_span_has_its_class_and_nothing_around_it() {
        assert_eq!(letters("A [ds4:sensitive] B [/ds4:sensitive] C"), [Normal, Sensitive, Normal]);
        assert_eq!(letters("A [DS4:Local-Only]B[/Ds4:LOCAL-ONLY]C[ds4:internal]D[/ds4:internal]"), [Normal, LocalOnly, Normal, Internal]);
        assert_eq!(letters("A"), [Normal]);
        assert!(!is_marked("[ds4:] [ds4:secret] ds4:sensitive [ds4 :sensitive]") && is_marked("x[/DS4:normal]"));
    }

    #[test]
    fn of_nested_spans_the_highest_open_one_holds() {
        assert_eq!(letters("A[ds4:sensitive]B[ds4:normal]C[/ds4:normal]D[/ds4:sensitive]E"), [Normal, Sensitive, Sensitive, Sensitive, Normal]);
        assert_eq!(letters("[ds4:internal]A[ds4:local-only]B[/ds4:local-only]C[/ds4:internal]"), [Internal, LocalOnly, Internal]);
    }

    #[test]
    fn unbalanced_markers_raise_the_whole_text_to_its_highest_class() {
        for (text, class) in [
            ("A [ds4:sensitive] B", Sensitive),
            ("A [/ds4:internal] B", Internal),
            ("A [ds4:internal][ds4:sensitive] B [/ds4:internal][/ds4:sensitive] C", Sensitive),
            ("A [ds4:internal] B [/ds4:sensitive] C", Sensitive),
            ("A [ds4:local-only] B [/ds4:local-only] C [ds4:normal] D", LocalOnly),
        ] {
            assert!(letters(text).iter().all(|found| *found == class), "{text}: {:?}", letters(text));
        }
    }

    #[test]
    fn a_range_that_touches_a_marker_touches_its_span() {
        let text = "a[ds4:internal]b[/ds4:internal]c";
        let classes = Classes::of(text);
        assert_eq!((classes.of_range(0..1), classes.of_range(0..2), classes.of_range(30..31), classes.of_range(31..32)), (Normal, Internal, Internal, Normal));
    }

    #[test]
    fn a_remote_destination_gets_what_is_allowed_and_never_what_is_local_only() {
        let may = |enabled, destination, allow: &[Class]| {
            let audience = Audience { destination, privacy: Privacy { enabled, remote_allow: allow.to_vec() } };
            Class::ALL.map(|class| audience.may_have(class))
        };
        assert_eq!(may(false, Destination::Remote, &[]), [true; 4]);
        assert_eq!(may(true, Destination::Local, &[]), [true; 4]);
        assert_eq!(may(true, Destination::Remote, &Privacy::default().remote_allow), [true, true, false, false]);
        assert_eq!(may(true, Destination::Remote, &Class::ALL), [true, true, true, false]);
        assert_eq!(may(true, Destination::Remote, &[]), [false; 4]);
        assert_eq!(
            Audience::default(),
            Audience { destination: Destination::Remote, privacy: Privacy { enabled: false, remote_allow: vec![Normal, Internal] } }
        );
    }

    proptest! {
        #[test]
        fn a_wider_range_is_never_of_a_lower_class(
            parts in prop::collection::vec(prop::sample::select(vec!["a", "é", "\n", "[ds4:internal]", "[/ds4:internal]", "[ds4:local-only]", "[/DS4:local-only]", "[ds4:"]), 0..24),
            from in 0_usize..200, len in 1_usize..200, more in 0_usize..50,
        ) {
            let text = parts.concat();
            let classes = Classes::of(&text);
            let (end, wider) = (from + len, from.saturating_sub(more)..from + len + more);
            prop_assert!(classes.of_range(wider) >= classes.of_range(from..end));
            let highest = Class::ALL.into_iter().filter(|class| text.to_lowercase().contains(&format!("ds4:{}]", class.as_str()))).max().unwrap_or_default();
            prop_assert!(classes.of_range(0..text.len().max(1)) <= highest);
            prop_assert_eq!(classes.is_marked(), is_marked(&text));
            if parts.iter().filter(|part| part.contains(']')).count() % 2 == 1 {
                prop_assert_eq!(classes.of_range(0..1), highest);
            }
        }
    }
}
