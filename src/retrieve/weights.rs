//! Every weight of the ranking, in one table.

/// Makes the table, so that a benchmark can name each weight.
macro_rules! table {
    ($($(#[$doc:meta])* $name:ident: $value:literal,)*) => {
        /// What each feature counts. Tiers and features are in points of one scale.
        #[derive(Debug, Clone)]
        pub struct Weights {
            $($(#[$doc])* pub(super) $name: f64,)*
        }

        impl Default for Weights {
            fn default() -> Self {
                WEIGHTS
            }
        }

        impl Weights {
            /// The name of each weight.
            pub const NAMES: &[&str] = &[$(stringify!($name)),*];

            /// The weight of that name, to be read or changed.
            pub fn named(&mut self, name: &str) -> Option<&mut f64> {
                match name {
                    $(stringify!($name) => Some(&mut self.$name),)*
                    _ => None,
                }
            }
        }

        pub(super) const WEIGHTS: Weights = Weights { $($name: $value),* };
    };
}

table! {
    // Tiers: an answer of a higher tier stands before one of a lower, whatever its words.
    qualified_symbol: 190.0,
    path: 180.0,
    symbol: 170.0,
    base_name: 150.0,
    declared: 115.0,
    /// The most that order inside a tier may add: below the distance between two tiers.
    inside_tier: 9.0,
    /// Points of the best file by its words alone.
    lexical_most: 60.0,

    // Words: BM25F over windows of lines.
    /// Saturation of a repeated term.
    k1: 2.0,
    /// Weight of a term in the path.
    path_term: 4.0,
    /// Decay from a file's best window to its next.
    window_decay: 0.7,
    /// How many times that of another line a term counts in a line that declares something, where the lines to quote are chosen.
    declaring_line: 3.0,
    /// How much a file's length lowers its whole-file score.
    length_norm: 0.6,

    // Fusion of features, each between 0 and 1.
    windows: 0.55,
    whole_file: 0.4,
    path_coverage: 1.1,
    definitions: 0.19,
    named_symbols: 0.4,
    own_name: 0.47,
    /// The area that a title names: `area: what to do`.
    scope: 0.25,
    /// Files that similar commits touched.
    commits: 0.4,
    /// Closeness in meaning, where it is switched on.
    semantic: 0.3,
    phrases: 0.5,
    full_text: 0.1,
    pairs: 0.2,
    modified: 0.05,
    tracked: 0.01,

    // Factors by what a file is, unless the request asks for it.
    tests: 0.3,
    docs: 0.3,
    examples: 0.3,
    generated: 0.2,
    data: 0.5,
    declarations_only: 0.5,

    // Selection.
    /// Lines of a quote that is no declaration of its own.
    quote_lines: 14.0,
    /// Lines that one of the best file has more: the right lines are most likely there. Others have them by their score, and keep so much of them for each
    /// place behind the first.
    quote_lines_best: 102.0,
    quote_lines_decay: 0.5,
    /// The least cosine of a chunk that is quoted for its meaning alone.
    near_evidence: 0.5,
    /// What such a chunk is worth in a file whose words are quoted, too.
    near_beside_words: 0.7,
    /// What a further snippet of the same file is worth against the one before.
    same_file: 0.5,
    /// The least inverse document frequency, as a share of the greatest, in a short request.
    short_idf_floor: 0.5,
}

/// How much less a commit's vote counts for each similar one before it.
pub(super) const COMMIT_RANK_DECAY: f64 = 0.1;

/// What bounds the work of one answer; none of these changes what a good answer is.
pub(super) mod bounds {
    /// Terms asked of the commits, the worthiest first.
    pub(in crate::retrieve) const QUERY_TERMS: usize = 16;
    /// Terms that are looked for: each has a bit of 64.
    pub(in crate::retrieve) const SCAN_TERMS: usize = 48;
    /// Files of one full-text query that are looked at more closely.
    pub(in crate::retrieve) const ROWS: usize = 160;
    /// Files that are scored by the places of their terms.
    pub(in crate::retrieve) const FILES: usize = 80;
    /// Files, the best first, of which quotes are made; others only offer what the request names.
    pub(in crate::retrieve) const OFFERED: usize = 24;
    /// Similar commits.
    pub(in crate::retrieve) const COMMITS: usize = 60;
    /// Files that come in for their commits alone.
    pub(in crate::retrieve) const COMMIT_FILES: usize = 20;
    /// Symbols and files looked up by one name.
    pub(in crate::retrieve) const PER_NAME: usize = 64;
    /// Files looked through for one phrase.
    pub(in crate::retrieve) const PER_PHRASE: usize = 32;
    /// Lines in which the words of a request are looked for together; also those quoted for a path.
    pub(in crate::retrieve) const WINDOW: u32 = 39;
    /// Bytes of a window: about half of the least budget, so that a very long line near the evidence does not keep it out.
    pub(in crate::retrieve) const WINDOW_BYTES: usize = 8_000;
    /// Lines of a declaration that is quoted whole.
    pub(in crate::retrieve) const DECLARATION: u32 = 60;
    /// Windows kept of a file.
    pub(in crate::retrieve) const WINDOWS_PER_FILE: usize = 4;
}
