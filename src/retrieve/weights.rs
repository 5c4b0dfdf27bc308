//! Every weight of the ranking, in one table.

/// What each feature counts. Tiers and features are in points of one scale; see each field.
#[derive(Debug, Clone)]
pub(super) struct Weights {
    // Tiers: an answer of a higher tier stands before one of a lower, whatever its words.
    pub(super) qualified_symbol: f64,
    pub(super) path: f64,
    pub(super) symbol: f64,
    pub(super) base_name: f64,
    pub(super) declared: f64,
    /// The most that order inside a tier may add: below the distance between two tiers.
    pub(super) inside_tier: f64,
    /// Points of the best file by its words alone.
    pub(super) lexical_most: f64,

    // Words: BM25F over windows of lines.
    /// Saturation of a repeated term.
    pub(super) k1: f64,
    /// Weight of a term in a declaration's line against one elsewhere.
    pub(super) declaration_line: f64,
    /// Weight of a term in the path.
    pub(super) path_term: f64,
    /// Decay from a file's best window to its next.
    pub(super) window_decay: f64,
    /// How much a file's length lowers its whole-file score.
    pub(super) length_norm: f64,

    // Fusion of features, each between 0 and 1.
    pub(super) windows: f64,
    pub(super) whole_file: f64,
    pub(super) path_coverage: f64,
    pub(super) definitions: f64,
    pub(super) named_symbols: f64,
    pub(super) own_name: f64,
    pub(super) spelled_name: f64,
    pub(super) phrases: f64,
    pub(super) full_text: f64,
    pub(super) modified: f64,
    pub(super) tracked: f64,

    // Factors by what a file is, unless the request asks for it.
    pub(super) tests: f64,
    pub(super) docs: f64,
    pub(super) examples: f64,
    pub(super) generated: f64,
    pub(super) data: f64,
    pub(super) declarations_only: f64,

    // Selection.
    /// What a further snippet of the same file is worth against the one before.
    pub(super) same_file: f64,
    /// The least inverse document frequency, as a share of the greatest, in a short request.
    pub(super) short_idf_floor: f64,
}

pub(super) const WEIGHTS: Weights = Weights {
    qualified_symbol: 190.0,
    path: 180.0,
    symbol: 170.0,
    base_name: 150.0,
    declared: 115.0,
    inside_tier: 9.0,
    lexical_most: 60.0,

    k1: 2.0,
    declaration_line: 1.5,
    path_term: 4.0,
    window_decay: 0.5,
    length_norm: 0.6,

    windows: 1.0,
    whole_file: 0.6,
    path_coverage: 1.3,
    definitions: 0.3,
    named_symbols: 1.0,
    own_name: 0.8,
    spelled_name: 0.3,
    phrases: 0.5,
    full_text: 0.3,
    modified: 0.05,
    tracked: 0.01,

    tests: 0.3,
    docs: 0.3,
    examples: 0.3,
    generated: 0.2,
    data: 0.5,
    declarations_only: 0.5,

    same_file: 0.65,
    short_idf_floor: 0.5,
};

/// What bounds the work of one answer; none of these changes what a good answer is.
pub(super) mod bounds {
    /// Terms asked of the full-text index, the rarest first.
    pub(in crate::retrieve) const QUERY_TERMS: usize = 16;
    /// Terms counted in the candidates.
    pub(in crate::retrieve) const SCAN_TERMS: usize = 48;
    /// Chunks taken from one full-text query.
    pub(in crate::retrieve) const FULL_TEXT: usize = 160;
    /// Bytes up to which a file is scanned as a whole.
    pub(in crate::retrieve) const WHOLE_FILE_BYTES: usize = 32_768;
    /// Files whose text is scanned.
    pub(in crate::retrieve) const FILES: usize = 40;
    /// Symbols and files looked up by one name.
    pub(in crate::retrieve) const PER_NAME: usize = 64;
    /// Chunks taken for one phrase.
    pub(in crate::retrieve) const PER_PHRASE: usize = 32;
    /// Lines of a window, and thus of a quote that is no declaration of its own.
    pub(in crate::retrieve) const WINDOW: u32 = 39;
    /// Lines of a declaration that is quoted whole.
    pub(in crate::retrieve) const DECLARATION: u32 = 60;
    /// Windows kept of a file.
    pub(in crate::retrieve) const WINDOWS_PER_FILE: usize = 4;
}
