//! What speaks for a file: named features, each between 0 and 1 once scaled, summed with the weights of the one table.

use std::collections::{HashMap, HashSet};

use super::recall::{Found, NamedSymbol, closeness};
use super::role::{Asked, Role};
use super::term::{Term, Terms};
use super::weights::{Weights, bounds};
use super::window::{self, Worth};
use crate::places;
use crate::rel_path::RelPath;
use crate::{task, terms};

/// Makes the list of features, so that each is summed, scaled and explained alike.
macro_rules! values {
    ($($(#[$doc:meta])* $name:ident: $scale:ident,)*) => {
        /// The features of a file.
        #[derive(Debug, Clone, Default)]
        pub(super) struct Values {
            $($(#[$doc])* pub(super) $name: f64,)*
        }

        impl Values {
            /// Divides each scaled feature by the greatest of all files.
            fn scale(scored: &mut [Scored]) {
                $(if $scale {
                    let most = scored.iter().map(|file| file.values.$name).fold(f64::MIN_POSITIVE, f64::max);
                    scored.iter_mut().for_each(|file| file.values.$name /= most);
                })*
            }

            fn sum(&self, weights: &Weights) -> f64 {
                0.0 $(+ weights.$name * self.$name)*
            }

            /// Name, value and weight of each.
            fn each(&self, weights: &Weights) -> Vec<(&'static str, f64, f64)> {
                vec![$((stringify!($name), self.$name, weights.$name)),*]
            }
        }
    };
}

const RELATIVE: bool = true;
const ABSOLUTE: bool = false;

values! {
    /// The decayed sum of its best windows: where the words of the request stand closest together.
    windows: RELATIVE,
    /// BM25F over the whole file: body and path.
    whole_file: RELATIVE,
    /// The share of the request's words, by worth, that its path holds.
    path_coverage: ABSOLUTE,
    /// The words of the request that it declares as names.
    definitions: RELATIVE,
    /// A declaration that the request names for certain.
    named_symbols: ABSOLUTE,
    /// A word of the request that is the file's own name.
    own_name: ABSOLUTE,
    /// Whether its path holds the area that the title names before what it says.
    scope: ABSOLUTE,
    /// Similar past commits that touched it.
    commits: ABSOLUTE,
    /// The reciprocal rank of its closest chunk in meaning.
    semantic: ABSOLUTE,
    /// Whether it holds a quoted phrase or an error code.
    phrases: ABSOLUTE,
    /// The score that the full-text index gives its chunks.
    full_text: RELATIVE,
    /// Pairs of the request's words that stand in one line.
    pairs: RELATIVE,
    /// Whether it differs from the indexed revision.
    modified: ABSOLUTE,
    /// Whether Git tracks it.
    tracked: ABSOLUTE,
}

/// A file with its features.
pub(super) struct Scored {
    pub(super) found: Found,
    pub(super) role: Role,
    /// Where the terms stand.
    pub(super) places: places::Found,
    /// The terms in its path.
    pub(super) in_path: Vec<u16>,
    /// The term that is its own name.
    own_term: Option<u16>,
    pub(super) values: Values,
    /// Whether the request spells the file's name as words, and how many letters it has.
    pub(super) spelled_name: usize,
    /// What the file's role makes of its score.
    pub(super) factor: f64,
    /// From 0 to 1, the best file's.
    pub(super) score: f64,
}

impl Scored {
    /// Whether a word of the request is its name; unless the request says more, also the name of something that it declares.
    pub(super) fn is_named_by_a_word(&self, says_more: bool) -> bool {
        self.own_term.is_some_and(|own| says_more || self.places.declared.iter().any(|declared| declared.term == own))
    }
}

/// What the title of a request says in a way of its own.
pub(super) struct Title {
    /// Each run of two to six of its words, glued and folded.
    spelled: HashSet<String>,
    /// The terms of the area that it names.
    scope: Vec<u16>,
}

impl Title {
    pub(super) fn of(title: &str, query: &Terms<'_>) -> Title {
        Title { spelled: spelled_names(title), scope: task::scope(title).iter().filter_map(|word| query.whole(word)).collect() }
    }
}

/// What one feature adds to a file's score.
#[derive(Debug, Clone, PartialEq)]
pub struct Share {
    /// The feature, which is the name of its weight.
    pub feature: &'static str,
    /// From 0 to 1.
    pub value: f64,
    /// Value times weight, before the factor of the file's role.
    pub points: f64,
}

/// Why a file stands where it stands among the files that were looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct Explained {
    pub path: RelPath,
    /// What its role makes of the sum of its shares.
    pub factor: f64,
    /// From 0 to 1, the best file's.
    pub score: f64,
    pub shares: Vec<Share>,
}

/// The shares of a scored file.
pub(super) fn explain(file: &Scored, weights: &Weights) -> Explained {
    let share = |(feature, value, weight): (&'static str, f64, f64)| Share { feature, value, points: value * weight };
    let shares = file.values.each(weights).into_iter().map(share).collect();
    Explained { path: file.found.row.path.clone(), factor: file.factor, score: file.score, shares }
}

/// Scores the files by all their features, the best at 1.
pub(super) fn fuse(scored: &mut [Scored], terms: &[Term], asked: Asked, weights: &Weights) {
    definitions(scored, terms);
    Values::scale(scored);
    for file in scored.iter_mut() {
        file.factor = file.role.factor(asked, weights);
        file.score = file.values.sum(weights) * file.factor;
    }
    let greatest = scored.iter().map(|file| file.score).fold(f64::MIN_POSITIVE, f64::max);
    for file in scored.iter_mut() {
        file.score /= greatest;
    }
}

pub(super) fn of(found: Found, places: places::Found, query: &Terms<'_>, total: f64, title: &Title, weights: &Weights) -> Scored {
    let terms = query.all;
    let windows = window::best(&places, &Worth::among_files(terms), weights, bounds::WINDOWS_PER_FILE);
    let in_path = query.within(found.row.path.as_str());
    let path_worth: f64 = in_path.iter().map(|&term| terms[usize::from(term)].worth).sum();
    let own_term = own_term(&found, query);
    let most = terms.iter().map(|term| term.worth).fold(f64::MIN_POSITIVE, f64::max);
    let window_sum = windows.iter().enumerate().map(|(at, window)| window.score * weights.window_decay.powi(at as i32)).sum::<f64>();
    Scored {
        role: Role::of(&found.row.path, found.row.generated),
        values: Values {
            windows: window_sum,
            whole_file: whole_file(&places, &in_path, terms, weights),
            path_coverage: if total > 0.0 { path_worth / total } else { 0.0 },
            definitions: 0.0,
            named_symbols: found.symbols.iter().map(symbol_share).fold(0.0, f64::max),
            own_name: own_term.map_or(0.0, |own| terms[usize::from(own)].worth / most),
            scope: f64::from(u8::from(title.scope.iter().any(|term| in_path.binary_search(term).is_ok()))),
            commits: found.commits,
            semantic: closeness(&found),
            phrases: f64::from(u8::from(!found.phrase_lines.is_empty())),
            full_text: found.full_text,
            pairs: pairs(&places, terms),
            modified: f64::from(u8::from(found.row.modified)),
            tracked: f64::from(u8::from(found.row.tracked)),
        },
        spelled_name: spelled_name(&found, &title.spelled),
        factor: 1.0,
        score: 0.0,
        found,
        places,
        in_path,
        own_term,
    }
}

/// Words of a file name that a request may spell apart.
const NAME_WORDS: usize = 6;

/// Each run of two to six words of the title, glued and folded.
fn spelled_names(title: &str) -> HashSet<String> {
    let words: Vec<String> = terms::words(title).map(|word| squash(word.text)).collect();
    let mut names = HashSet::new();
    for start in 0..words.len() {
        for end in start + 2..=(start + NAME_WORDS).min(words.len()) {
            names.insert(words[start..end].concat());
        }
    }
    names
}

fn squash(text: &str) -> String {
    terms::fold(text).chars().filter(|c| c.is_alphanumeric()).collect()
}

fn spelled_name(found: &Found, spelled: &HashSet<String>) -> usize {
    let stem = found.row.path.file_name().split('.').next().unwrap_or_default();
    let name = squash(stem);
    if spelled.contains(&name) { name.len() } else { 0 }
}

/// The term that is the file's name, or its folder's where files are named alike (`index`, `mod`, `__init__`).
fn own_term(found: &Found, query: &Terms<'_>) -> Option<u16> {
    let path = &found.row.path;
    let mut stem = path.file_name().split('.').next().unwrap_or_default();
    if matches!(stem, "index" | "mod" | "__init__" | "main" | "lib") {
        stem = path.components().rev().nth(1).unwrap_or(stem);
    }
    query.whole(stem)
}

/// BM25F of the whole file: body and path.
fn whole_file(found: &places::Found, in_path: &[u16], terms: &[Term], weights: &Weights) -> f64 {
    let mut counts = vec![0.0; terms.len()];
    for hit in &found.hits {
        counts[usize::from(hit.term)] += 1.0;
    }
    let norm = 1.0 - weights.length_norm + weights.length_norm * f64::from(found.bytes) / places::TYPICAL_BYTES;
    let sum = |at: usize, count: f64| {
        let tf = count / norm + if in_path.binary_search(&(at as u16)).is_ok() { weights.path_term } else { 0.0 };
        terms[at].worth * tf * (weights.k1 + 1.0) / (tf + weights.k1)
    };
    counts.iter().enumerate().map(|(at, &count)| sum(at, count)).sum()
}

/// Each pair of terms that some line holds, by the lesser worth of the two.
fn pairs(found: &places::Found, terms: &[Term]) -> f64 {
    let mut seen: HashSet<(u16, u16)> = HashSet::new();
    let mut held: Vec<u16> = Vec::new();
    for line in found.hits.chunk_by(|hit, next| hit.line == next.line) {
        // A line may hold one word a hundred thousand times.
        held.clear();
        held.extend(line.iter().map(|hit| hit.term));
        held.sort_unstable();
        held.dedup();
        for (at, &term) in held.iter().enumerate() {
            seen.extend(held[at + 1..].iter().map(|&other| (term, other)));
        }
    }
    let worth = |term: u16| terms[usize::from(term)].worth;
    let mut parts: Vec<f64> = seen.into_iter().map(|(a, b)| worth(a).min(worth(b))).collect();
    // A set is in no order, and the order of a sum shows in its last digits.
    parts.sort_by(f64::total_cmp);
    parts.iter().sum()
}

/// What a member of this name counts where the request names that of something else.
const OTHERS_MEMBER: f64 = 0.3;

/// A name that many files declare says less.
fn symbol_share(symbol: &NamedSymbol) -> f64 {
    let case = if symbol.same_case { 1.0 } else { 0.4 };
    let case = if symbol.wanted.contains('.') && !symbol.qualified { case * OTHERS_MEMBER } else { case };
    case / (symbol.files as f64).sqrt()
}

/// For each term that is a declared name: the file's share of it, less where many files declare it.
fn definitions(scored: &mut [Scored], terms: &[Term]) {
    let mut files: HashMap<u16, f64> = HashMap::new();
    for file in scored.iter() {
        let mut own: Vec<u16> = file.places.declared.iter().map(|declared| declared.term).collect();
        own.sort_unstable();
        own.dedup();
        for term in own {
            *files.entry(term).or_default() += 1.0;
        }
    }
    for file in scored.iter_mut() {
        let mut own: HashMap<u16, f64> = HashMap::new();
        for declared in &file.places.declared {
            let strength = own.entry(declared.term).or_default();
            *strength = strength.max(declared.strength());
        }
        let mut parts: Vec<f64> = own.iter().map(|(term, strength)| strength * terms[usize::from(*term)].worth / files[term].sqrt()).collect();
        parts.sort_by(f64::total_cmp);
        file.values.definitions = parts.iter().sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::places::Hit;

    #[test]
    fn a_pair_counts_once_and_only_where_both_words_stand_in_one_line() {
        let terms: Vec<Term> = [4.0, 2.0, 1.0].iter().map(|&worth| Term { text: String::new(), count: 1, worth }).collect();
        let at = |lines: &[(u32, u16)]| {
            let hits = lines.iter().map(|&(line, term)| Hit { line, term, declaring: false }).collect();
            pairs(&places::Found { hits, ..places::Found::default() }, &terms)
        };
        assert_eq!(at(&[(1, 0), (2, 1), (3, 2)]), 0.0);
        assert_eq!(at(&[(1, 0), (1, 0)]), 0.0);
        assert_eq!(at(&[(1, 0), (1, 1), (5, 1), (5, 0)]), 2.0);
        assert_eq!(at(&[(1, 0), (1, 2), (1, 1)]), 4.0);
        let endless = [(1, 0), (1, 1), (1, 2)].repeat(100_000);
        assert_eq!(at(&endless), 4.0);
    }
}
