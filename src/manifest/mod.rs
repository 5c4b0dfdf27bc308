//! What was offered for a request and why: metadata only, never source or request text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::hash::Hash;
use crate::limits;

/// The version of the manifest's form; `schema/manifest.schema.json` describes it.
pub const SCHEMA_VERSION: u32 = 1;
/// The version of what decides over an answer: exclusion rules, scores, budgets. Raise it whenever the same project and request may be answered otherwise.
pub const POLICY_VERSION: u32 = 1;

/// Whether the model's reply has been accounted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// The reply's usage has not arrived.
    Pending,
    /// It has, once.
    Completed,
}

/// How the answer was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// The messages were handed out for the prompt.
    Managed,
    /// Planned and recorded, nothing handed out.
    Observer,
    /// Nothing could be offered; the reason says why.
    Fallback,
}

/// How much of the project the index knew.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Completeness {
    /// Whether every listed file had been looked at, and no deadline shortened the answer.
    pub complete: bool,
    /// Files that the last listing named.
    pub listed: u64,
    /// Files that the index holds or has refused.
    pub looked: u64,
    /// Why it is not complete.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A snippet that was offered, or was close.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// Always `project`.
    pub kind: String,
    /// `project:` and the snippet's id.
    pub source_id: String,
    /// Always `user`: the role of the message.
    pub role: String,
    /// The atomic group: each snippet is its own.
    pub group_id: String,
    /// Relative to the root; `None` in a manifest from before it was kept, like the lines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_line: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub end_line: Option<u32>,
    pub score: f64,
    /// Tokens of its message, estimated.
    pub tokens: u64,
    /// The class of its text; `unknown` for an excluded one whose file was not read.
    pub classification: String,
    /// Stable codes of why it was taken or left.
    pub reasons: Vec<String>,
}

/// A block that an answer put into a conversation and that a later rule took out of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Removed {
    pub snippet_id: Hash,
    pub path: String,
    pub classification: String,
    /// `destination`, `trust`, `unproven`, `forgotten`, `budget`, or `revoked:`, `gate:` or `fallback:` and what forbids it.
    pub reason: String,
}

/// What the checks of the serialized requests did, over all model calls of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GateCounts {
    /// Requests that held blocks.
    pub requests: u64,
    /// Blocks found in them.
    pub blocks: u64,
    /// Blocks taken out.
    pub removed: u64,
    /// Checks that could not be done: all blocks were taken out, or the request was emptied.
    pub failures: u64,
}

/// Where an offered snippet stands.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SnippetReference {
    pub snippet_id: Hash,
    pub path: String,
    /// Of the whole file's raw bytes.
    pub hash: Hash,
    pub start_line: u32,
    pub end_line: u32,
    pub score: f64,
    /// Whether the file differs from the revision.
    pub modified: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_commit: Option<String>,
}

/// What closeness in meaning added to an answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SemanticRecord {
    pub provider: String,
    pub model: String,
    pub dimensions: u64,
    /// `local` or `remote`: where texts go to be embedded.
    pub destination: String,
    /// Chunks that have a vector.
    pub indexed_vectors: u64,
    /// Chunks close to the request.
    pub vector_candidates: u64,
    /// Of their files, those that the words of the request lead to, too.
    pub fused_candidates: u64,
    /// Whether the vector of the request was remembered.
    pub query_cache_hit: bool,
    /// Rows of the index that are no vector.
    pub corrupt_vectors: u64,
    /// Milliseconds.
    pub duration_ms: f64,
    /// Why the words of the request decided alone: a code, a colon and its human form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback_reason: Option<String>,
}

/// The state of the project that the answer saw.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Revision {
    pub project_path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_root: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    pub dirty: bool,
    /// At most [`limits::MAX_CHANGED_PATHS`].
    pub changed_paths: Vec<String>,
    /// Milliseconds since the epoch.
    pub indexed_at: i64,
}

/// The record of one answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    pub schema_version: u32,
    pub id: String,
    pub status: Status,
    pub engine_version: String,
    /// [`POLICY_VERSION`]; `None` in a manifest from before there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_version: Option<u32>,
    /// Milliseconds since the epoch.
    pub created_at: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_leaf: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_window: Option<u64>,
    /// `local` or `remote`.
    pub destination: String,
    /// Tokens that the messages might cost.
    pub budget_tokens: u64,
    /// The model's tokens per estimated token that the estimates of this answer were multiplied by.
    #[serde(default = "uncalibrated")]
    pub calibration: f64,
    /// Tokens of the messages, estimated and calibrated.
    pub estimated_tokens: u64,
    /// The model's own count of its whole input, once known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub actual_tokens: Option<u64>,
    /// Of the request's text.
    pub prompt_hash: Hash,
    pub mode: Mode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode_reason: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trust_source: Option<String>,
    pub completeness: Completeness,
    pub included: Vec<Item>,
    /// At most [`limits::MAX_MANIFEST_EXCLUDED`].
    pub excluded: Vec<Item>,
    /// Those beyond, counted by reason code.
    pub excluded_more: BTreeMap<String, u64>,
    /// Blocks of this and of earlier answers that left since the answer before it; the newest [`limits::MAX_MANIFEST_EXCLUDED`].
    #[serde(default)]
    pub removed: Vec<Removed>,
    #[serde(default)]
    pub gate: GateCounts,
    pub project_snippets: Vec<SnippetReference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_revision: Option<Revision>,
    /// `None` where closeness in meaning is switched off, or the request names what it wants.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub semantic: Option<SemanticRecord>,
    /// Milliseconds by stage.
    pub timings: BTreeMap<String, f64>,
}

fn uncalibrated() -> f64 {
    1.0
}

impl Manifest {
    /// Completes a pending manifest with the model's own count of its input.
    pub fn complete(&mut self, input_tokens: u64) {
        self.status = Status::Completed;
        self.actual_tokens = Some(input_tokens);
    }

    /// Says that the answer was not used after all, and why.
    pub fn fall_back(&mut self, reason: String) {
        self.mode = Mode::Fallback;
        self.mode_reason = Some(reason);
    }

    /// Adds what became of blocks since.
    pub fn amend(&mut self, removed: Vec<Removed>, gate: GateCounts) {
        self.removed.extend(removed);
        let surplus = self.removed.len().saturating_sub(limits::MAX_MANIFEST_EXCLUDED);
        self.removed.drain(..surplus);
        self.gate.requests += gate.requests;
        self.gate.blocks += gate.blocks;
        self.gate.removed += gate.removed;
        self.gate.failures += gate.failures;
    }

    /// The stored form: below [`limits::MAX_MANIFEST_BYTES`], at the cost of the excluded items and then of the changed paths.
    ///
    /// `None` if even then it is too large, or a number has no JSON form.
    pub fn to_bounded_json(&self) -> Option<String> {
        let fits = |json: &String| json.len() <= limits::MAX_MANIFEST_BYTES;
        let whole = serde_json::to_string(self).ok()?;
        if fits(&whole) {
            return Some(whole);
        }
        let mut smaller = self.clone();
        for item in smaller.excluded.drain(..) {
            for reason in item.reasons {
                *smaller.excluded_more.entry(reason).or_default() += 1;
            }
        }
        if let Some(revision) = &mut smaller.project_revision {
            revision.changed_paths.clear();
        }
        serde_json::to_string(&smaller).ok().filter(fits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(excluded: usize, reason: &str) -> Manifest {
        let item = Item {
            kind: "project".into(),
            source_id: format!("project:{}", Hash::of(b"x")),
            role: "user".into(),
            group_id: format!("project:{}", Hash::of(b"x")),
            path: Some("src/a.ts".into()),
            start_line: Some(1),
            end_line: Some(2),
            score: 12.5,
            tokens: 90,
            classification: "normal".into(),
            reasons: vec![reason.into()],
        };
        Manifest {
            schema_version: SCHEMA_VERSION,
            id: "m1".into(),
            status: Status::Pending,
            engine_version: "0.1.0".into(),
            policy_version: Some(POLICY_VERSION),
            created_at: 1,
            session_id: None,
            branch_leaf: None,
            provider: Some("mock".into()),
            model: None,
            context_window: None,
            destination: "remote".into(),
            budget_tokens: 4_000,
            calibration: 1.0,
            estimated_tokens: 0,
            actual_tokens: None,
            prompt_hash: Hash::of(b"request"),
            mode: Mode::Managed,
            mode_reason: None,
            trust_source: Some("api".into()),
            completeness: Completeness::default(),
            included: vec![],
            excluded: vec![item; excluded],
            excluded_more: BTreeMap::new(),
            removed: vec![],
            gate: GateCounts::default(),
            project_snippets: vec![],
            project_revision: None,
            semantic: None,
            timings: BTreeMap::new(),
        }
    }

    #[test]
    fn the_stored_form_round_trips() {
        let manifest = sample(2, "budget");
        let json = manifest.to_bounded_json().unwrap();
        assert!(json.contains(r#""schemaVersion":1"#) && json.contains(r#""status":"pending""#) && !json.contains("sessionId"));
        assert_eq!(serde_json::from_str::<Manifest>(&json).unwrap(), manifest);
    }

    #[test]
    fn an_amended_manifest_keeps_the_newest_removals_and_adds_the_counts() {
        let mut manifest = sample(0, "");
        let removed =
            |path: usize| Removed { snippet_id: Hash::of(b"x"), path: path.to_string(), classification: "sensitive".into(), reason: "destination".into() };
        let gate = GateCounts { requests: 1, blocks: 3, removed: 1, failures: 0 };
        manifest.amend((0..150).map(removed).collect(), gate);
        manifest.amend((150..250).map(removed).collect(), GateCounts { failures: 1, ..gate });
        assert_eq!(manifest.removed.iter().map(|removed| removed.path.parse().unwrap()).collect::<Vec<usize>>(), (50..250).collect::<Vec<_>>());
        assert_eq!(manifest.gate, GateCounts { requests: 2, blocks: 6, removed: 2, failures: 1 });
        let json = manifest.to_bounded_json().unwrap();
        assert!(json.contains(r#""gate":{"requests":2,"blocks":6,"removed":2,"failures":1}"#), "{json}");
        assert_eq!(serde_json::from_str::<Manifest>(&json).unwrap(), manifest);
    }

    #[test]
    fn an_oversized_manifest_keeps_its_counts_and_drops_the_list() {
        let manifest = sample(200, &"r".repeat(10_000));
        let stored: Manifest = serde_json::from_str(&manifest.to_bounded_json().unwrap()).unwrap();
        assert_eq!(stored.excluded, vec![]);
        assert_eq!(stored.excluded_more.values().sum::<u64>(), 200);
    }
}
