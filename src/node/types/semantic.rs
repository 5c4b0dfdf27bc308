//! Closeness in meaning: how it is set up, and how far its vectors are.

use napi::bindgen_prelude::{Function, Object};
use napi_derive::napi;

use super::answer::Privacy;
use super::open::Progress;
use crate::node::embed::EmbedFunction;

/// How closeness in meaning is found. Whatever fails in it, requests are answered by their words alone, and the manifest says why.
#[napi(object, object_to_js = false)]
pub struct SemanticOptions<'env> {
    /// Who makes the vectors; vectors of another provider, model or number of dimensions are never compared with them.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// Numbers of a vector; 16 to 4,096, default 256.
    pub dimensions: Option<f64>,
    /// Where texts go to be embedded; default `remote`. A `folder` is always local.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: Option<String>,
    /// Makes one vector for each text, in order. Called with at most `batchSize` texts, and never with text that the profile may not have.
    #[napi(ts_type = "(texts: string[]) => Promise<(Float32Array | number[])[]>")]
    pub embed: Option<EmbedFunction<'env>>,
    /// A folder with a static model in the Model2Vec format (`tokenizer.json`, `model.safetensors`, `config.json`), instead of `embed`.
    pub folder: Option<String>,
    /// The remote profiles that the user allows, each exactly `provider/model`. A remote profile needs to be among them, and `privacy.enabled`.
    pub remote_profiles: Option<Vec<String>>,
    /// Which classes of text a remote profile may have.
    pub privacy: Option<Privacy>,
    /// Chunks that have a vector; 1 to 100,000, default 50,000.
    pub max_sources: Option<f64>,
    /// Close chunks that one request looks at; 1 to 500, default 80.
    pub candidate_pool: Option<f64>,
    /// Texts of one call; 1 to 512, default 64.
    pub batch_size: Option<f64>,
    /// Vectors of requests that are remembered; 1 to 1,000, default 64.
    pub query_cache_size: Option<f64>,
    /// Milliseconds that one call may take; 1 to 120,000, default 2,000.
    pub timeout_ms: Option<f64>,
}

/// How to bring vectors up to date.
#[napi(object, object_to_js = false)]
pub struct VectorOptions<'env> {
    /// Stop after this many milliseconds and keep what is done.
    pub deadline_ms: Option<f64>,
    /// Called with the newest state, in texts, at most one call at a time; what it throws is ignored; it never keeps the process alive.
    #[napi(ts_type = "(progress: Progress) => void")]
    pub on_progress: Option<Function<'env, Progress, ()>>,
    /// Stops the call; it rejects with `E_CANCELLED`, and what was written stands.
    #[napi(ts_type = "AbortSignal")]
    pub signal: Option<Object<'env>>,
}

/// What an update of the vectors did.
#[napi(object, object_from_js = false)]
pub struct VectorReport {
    /// Texts that got a vector.
    pub embedded: f64,
    /// Calls of the embedder.
    pub calls: f64,
    /// Vectors of texts that the project no longer has.
    pub removed: f64,
    /// Vectors that were refused, from the embedder or in the index.
    pub corrupt: f64,
    /// How far it came.
    pub counts: VectorCounts,
    /// Whether each chunk that the profile may have, up to the bound, has its vector.
    pub fresh: bool,
    /// Why it stopped early or what it refused: a code, a colon and its human form.
    pub reason: Option<String>,
    /// Milliseconds.
    pub total_ms: f64,
}

/// Chunks of the indexed files, as a profile knows them.
#[napi(object, object_from_js = false)]
pub struct VectorCounts {
    /// Chunks of all files.
    pub chunks: f64,
    /// Chunks of which it is known what they are embedded as.
    pub listed: f64,
    /// Of those, chunks that the profile may not have.
    pub withheld: f64,
    /// Chunks that have a vector.
    pub embedded: f64,
}

/// The state of the vectors.
#[napi(object, object_from_js = false)]
pub struct SemanticStatus {
    /// Who makes them.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// Numbers of a vector.
    pub dimensions: f64,
    /// Where texts go to be embedded.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: String,
    /// How far they are.
    pub counts: VectorCounts,
    /// Whether each chunk that the profile may have, up to the bound, has its vector.
    pub fresh: bool,
    /// What the last update of this handle did.
    pub last_update: Option<VectorReport>,
    /// Why requests are answered by their words alone: a code, a colon and its human form.
    pub fallback_reason: Option<String>,
}

/// What closeness in meaning added to an answer.
#[napi(object, object_from_js = false)]
pub struct SemanticRecord {
    /// Who made the vectors.
    pub provider: String,
    /// The provider's name for the model.
    pub model: String,
    /// Numbers of a vector.
    pub dimensions: f64,
    /// Where texts go to be embedded.
    #[napi(ts_type = "'local' | 'remote'")]
    pub destination: String,
    /// Chunks that have a vector.
    pub indexed_vectors: f64,
    /// Chunks close to the request.
    pub vector_candidates: f64,
    /// Of their files, those that the words of the request lead to, too.
    pub fused_candidates: f64,
    /// Whether the vector of the request was remembered.
    pub query_cache_hit: bool,
    /// Rows of the index that are no vector.
    pub corrupt_vectors: f64,
    /// Milliseconds.
    pub duration_ms: f64,
    /// Why the words of the request decided alone: a code, a colon and its human form.
    pub fallback_reason: Option<String>,
}
