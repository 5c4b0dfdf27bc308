//! Every limit of the engine, each in one place with its unit and its reason.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use crate::language::Language;
use crate::patterns::{Excludes, Includes};

/// What becomes of a file that holds a secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SecretPolicy {
    /// It is kept out.
    #[default]
    Exclude,
    /// It stays, with a marker in place of each secret.
    Redact,
}

impl SecretPolicy {
    /// The form in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            SecretPolicy::Exclude => "exclude",
            SecretPolicy::Redact => "redact",
        }
    }
}

/// What bounds the projection of one project. Hosts may change each value.
#[derive(Debug, Clone)]
pub struct Bounds {
    /// Files whose content is read.
    pub max_files: usize,
    /// Bytes of one file; larger ones are listed and not read.
    pub max_file_bytes: u64,
    /// Bytes of all accepted files together. Refused files do not use it up, and a smaller file may still fit after one that did not.
    pub max_total_bytes: u64,
    /// Directories visited by a walk.
    pub max_directories: usize,
    /// Threads that read and parse.
    pub threads: usize,
    /// What the user keeps out.
    pub exclude: Excludes,
    /// What the user takes in although Git ignores it or a folder's name keeps it out.
    pub include: Includes,
    /// The user's own endings: the language of files by their extension, in lower case and without the dot.
    pub languages: BTreeMap<String, &'static Language>,
    /// What becomes of files with secrets.
    pub secrets: SecretPolicy,
    /// Past commits that are remembered, the newest; 0 for none.
    pub max_commits: usize,
}

impl Default for Bounds {
    fn default() -> Self {
        Bounds {
            max_files: 10_000,
            max_file_bytes: 512_000,
            max_total_bytes: 50_000_000,
            max_directories: 10_000,
            threads: default_threads(),
            exclude: Excludes::default(),
            include: Includes::default(),
            languages: BTreeMap::new(),
            secrets: SecretPolicy::Exclude,
            max_commits: 5_000,
        }
    }
}

/// What bounds semantic retrieval. Hosts may change each value within the ranges below.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SemanticBounds {
    /// Chunks that have a vector, in the order of the index.
    pub max_sources: usize,
    /// Chunks close in meaning that one request looks at.
    pub candidate_pool: usize,
    /// Texts that are embedded together.
    pub batch_size: usize,
    /// Vectors of requests that are remembered by a handle.
    pub query_cache_size: usize,
    /// Milliseconds that one call of the embedder may take.
    pub timeout_ms: u32,
}

impl Default for SemanticBounds {
    fn default() -> Self {
        SemanticBounds { max_sources: 50_000, candidate_pool: 80, batch_size: 64, query_cache_size: 64, timeout_ms: 2_000 }
    }
}

/// The numbers of a vector.
pub const EMBEDDING_DIMENSIONS: RangeInclusive<usize> = 16..=4_096;
/// What [`SemanticBounds::max_sources`] may be.
pub const EMBEDDED_SOURCES: RangeInclusive<usize> = 1..=100_000;
/// What [`SemanticBounds::candidate_pool`] may be.
pub const SEMANTIC_POOL: RangeInclusive<usize> = 1..=500;
/// What [`SemanticBounds::batch_size`] may be.
pub const EMBEDDING_BATCH: RangeInclusive<usize> = 1..=512;
/// What [`SemanticBounds::query_cache_size`] may be.
pub const QUERY_CACHE: RangeInclusive<usize> = 1..=1_000;
/// What [`SemanticBounds::timeout_ms`] may be.
pub const EMBEDDING_TIMEOUT_MS: RangeInclusive<usize> = 1..=120_000;
/// Characters of a text that is embedded; a longer one is cut.
pub const MAX_EMBEDDED_CHARS: usize = 4_000;
/// Characters of a provider's or a model's name.
pub const MAX_PROFILE_CHARS: usize = 200;
/// The share of the time left until an answer's deadline that the embedding of the request may take.
pub const EMBEDDING_SHARE: f64 = 0.5;
/// Chunks of the coarse scan that are scored exactly, as a multiple of [`SemanticBounds::candidate_pool`].
pub const RESCORED_PER_CANDIDATE: usize = 4;
/// Bytes of `model.safetensors` and of `tokenizer.json` of a static model.
pub const MAX_MODEL_FILE_BYTES: u64 = 1_000_000_000;

/// Half of the machine's cores, at least one: indexing must not make the machine feel slow.
pub fn default_threads() -> usize {
    std::thread::available_parallelism().map_or(1, |cores| (cores.get() / 2).max(1))
}

/// Names seen by a walk, as a multiple of [`Bounds::max_files`]; beyond it the walk stops and says so.
pub const WALKED_NAMES_PER_FILE: usize = 10;
/// Names listed from a Git index, tracked and untracked together.
pub const MAX_LISTED_NAMES: usize = 1_000_000;
/// Bytes of one ignore file (`.gitignore`, `.git/info/exclude`, `.agentignore`).
pub const MAX_IGNORE_FILE_BYTES: u64 = 1_000_000;
/// Changed paths that a project state lists.
pub const MAX_CHANGED_PATHS: usize = 1_000;
/// Paths that a listing names for each rule that keeps something out; the rest is counted.
pub const MAX_PATHS_PER_RULE: usize = 100;
/// Paths of one rule that are given at a time to who asks for all of them.
pub const MAX_PATHS_PER_PAGE: usize = 1_000;

/// Files that a commit touches beyond which it says little of each.
pub const MAX_COMMIT_FILES: usize = 12;
/// Entries that a commit touches beyond which not even its renames are looked at.
pub const MAX_COMMIT_CHANGES: usize = 2_000;
/// Commits remembered in one transaction.
pub const COMMITS_PER_BATCH: usize = 500;

/// Lines of one text window.
pub const WINDOW_LINES: u32 = 80;
/// Lines that a window repeats of the one before it.
pub const WINDOW_OVERLAP: u32 = 12;
/// Characters of one chunk; longer ones are cut at a character boundary.
pub const MAX_CHUNK_CHARS: usize = 20_000;
/// Characters of a stored signature.
pub const MAX_SIGNATURE_CHARS: usize = 500;
/// Imports and references kept of one symbol.
pub const MAX_REFERENCES: usize = 64;

/// Characters of a request that are looked at.
pub const MAX_REQUEST_CHARS: usize = 20_000;
/// Snippets of one answer.
pub const MAX_RESULTS: usize = 8;
/// Tokens of one answer's messages.
pub const MAX_PROJECT_TOKENS: usize = 20_000;
/// Paths of one request that are looked at before all others.
pub const MAX_NAMED_PATHS: usize = 32;
/// Milliseconds that a writer or reader waits for a locked database.
pub const BUSY_TIMEOUT_MS: u32 = 5_000;
/// Milliseconds that the saving of a manifest waits for a locked database before it asks whether to go on.
pub const MANIFEST_WAIT_MS: u32 = 100;
/// Lines that an index may tell of, far beyond those of any file: a larger number is damage, and sums of believed ones don't overflow.
pub const MAX_LINES: u32 = 1 << 30;
/// Files that are looked at together.
pub const FILES_PER_BATCH: usize = 100;
/// Files written in one transaction: a kill loses at most about these.
pub const MAX_FILES_PER_COMMIT: usize = 1_000;

/// Bytes to which the database's write-ahead log is cut back.
pub const MAX_JOURNAL_BYTES: u64 = 4_000_000;
/// The size of the write-ahead log, in databases, beyond which nothing is written while a reader keeps it from being emptied.
pub const MAX_HELD_LOGS: u64 = 4;
/// Milliseconds for which a sync waits, at its end, for readers that keep the write-ahead log from being emptied.
pub const CHECKPOINT_WAIT_MS: u32 = 20;
/// Bytes of an index up to which closing it rewrites it to forget what was deleted: a second or two.
pub const MAX_PURGE_AT_CLOSE_BYTES: u64 = 128_000_000;
/// Deleted files of which metadata is kept for inspection.
pub const MAX_STALE_FILES: usize = 1_000;
/// Parses kept for reuse, those used last: two branches of the largest project.
pub const MAX_PARSES: usize = 20_000;
/// New files of a batch from which on they make a segment of the inverted index of their own.
pub const MIN_SEGMENT_FILES: usize = 32;
/// Segments of the inverted index beyond which they are merged at the end of a sync: each is searched for each term.
pub const MAX_TERM_SEGMENTS: usize = 8;

/// Excluded candidates that a manifest lists; the rest is counted by reason.
pub const MAX_MANIFEST_EXCLUDED: usize = 200;
/// Bytes of one stored manifest.
pub const MAX_MANIFEST_BYTES: usize = 1_048_576;
/// Manifests kept of one project.
pub const MAX_MANIFESTS: usize = 128;
/// Manifests removed, at the most, when one is saved.
pub const MANIFESTS_PRUNED_PER_SAVE: usize = 32;
/// Bytes of manifests removed, at the most, when one is saved.
pub const MANIFEST_BYTES_PRUNED_PER_SAVE: usize = 8_388_608;
/// Milliseconds between two reports of a sync's progress.
pub const PROGRESS_INTERVAL_MS: u64 = 50;
/// Milliseconds within which a file's times are too close to its reading to prove that it did not change since: the coarsest clock of a file system.
pub const RACY_MS: i64 = 2_000;
/// Bytes of the files that are read, parsed and held before they are written together.
pub const BYTES_PER_BATCH: u64 = 4_000_000;

/// The calibration that is believed, tokens of the model per estimated token: outside of it the samples are wrong, not the estimate.
pub const CALIBRATION: RangeInclusive<f64> = 0.5..=2.0;
/// Samples of a model that its calibration is taken from, the newest.
pub const CALIBRATION_SAMPLES: usize = 24;
/// Samples below which there is no calibration.
pub const LEAST_CALIBRATION_SAMPLES: usize = 3;

/// The most tokens of project text for a model with the given context window, in tokens.
pub fn project_tokens_for_window(window: Option<u64>, setting: usize) -> usize {
    let by_window = match window {
        Some(..=40_000) => 4_000,
        Some(..=131_072) => 12_000,
        Some(..=262_144) => 20_000,
        Some(_) | None => setting,
    };
    by_window.min(setting)
}

/// Tokens to leave free for the model's answer: two percent of its window, from 1,024 to 8,192.
pub fn output_reserve(window: u64) -> u64 {
    (window / 50).clamp(1_024, 8_192)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_window_lowers_the_budget_and_never_raises_it() {
        let cases = [
            (Some(16_000), 4_000),
            (Some(40_000), 4_000),
            (Some(40_001), 12_000),
            (Some(131_072), 12_000),
            (Some(200_000), 20_000),
            (None, 20_000),
            (Some(1_000_000), 20_000),
        ];
        for (window, expected) in cases {
            assert_eq!(project_tokens_for_window(window, 20_000), expected, "{window:?}");
        }
        assert_eq!(project_tokens_for_window(Some(1_000_000), 500), 500);
    }

    #[test]
    fn the_reserve_is_two_percent_within_bounds() {
        assert_eq!((output_reserve(16_000), output_reserve(200_000), output_reserve(1_000_000)), (1_024, 4_000, 8_192));
    }
}
