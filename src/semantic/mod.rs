//! Closeness in meaning, as vectors that the host or a local model makes: which text gets one, where they are kept up to date, and which chunks are closest
//! to a request. Nothing here fails an answer: what goes wrong is a [`Refusal`], and the words of the request decide alone.

mod matrix;
mod model;
mod query;
mod source;
mod update;
pub mod vector;

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::cancel::Cancel;
use crate::classify::{Audience, Class, Destination, Privacy};
use crate::limits::SemanticBounds;
use crate::store::SourceCounts;

pub use matrix::Matrix;
pub use model::StaticModel;
pub use query::{Hit, Nearest, QueryVector};
pub use update::UpdateReport;

/// Who makes vectors. Two vectors are compared only if this is the same for both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Profile {
    pub provider: String,
    pub model: String,
    /// Numbers of a vector.
    pub dimensions: usize,
    /// Where texts go to be embedded.
    pub destination: Destination,
}

impl Profile {
    /// `provider/model`: how a user allows it by name.
    pub fn identity(&self) -> String {
        format!("{}/{}", self.provider, self.model)
    }
}

/// Why there is no closeness in meaning: a stable code with its human form, without source or request text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    pub code: String,
    pub text: String,
}

impl Refusal {
    /// A reason of the given code.
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Refusal { code: code.to_owned(), text: text.into() }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.code, self.text)
    }
}

/// Makes vectors of texts.
pub trait Embedder: Send + Sync {
    /// One vector for each text, in order. They are checked by the caller.
    ///
    /// # Errors
    /// Why there are none; `time-out` once `wait` has passed or `cancel` was set.
    fn embed(&self, texts: Vec<String>, wait: Duration, cancel: &Cancel) -> Result<Vec<Vec<f32>>, Refusal>;

    /// Whether a text can be embedded at once; false while a model has yet to be read.
    fn is_ready(&self) -> bool {
        true
    }

    /// What tells two models of the same name apart, if the embedder knows.
    ///
    /// # Errors
    /// Why the model can't be used at all.
    fn version(&self) -> Result<Option<String>, Refusal> {
        Ok(None)
    }
}

/// How to set semantic retrieval up.
#[derive(Clone)]
pub struct SemanticOptions {
    pub profile: Profile,
    pub bounds: SemanticBounds,
    /// The remote profiles that the user allows, each as [`Profile::identity`] writes it.
    pub remote_profiles: Vec<String>,
    /// Which classes of text a remote profile may have.
    pub privacy: Privacy,
    pub embedder: Arc<dyn Embedder>,
}

impl fmt::Debug for SemanticOptions {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("SemanticOptions").field("profile", &self.profile).field("bounds", &self.bounds).finish_non_exhaustive()
    }
}

/// Semantic retrieval in one opened project.
pub struct Semantic {
    profile: Profile,
    bounds: SemanticBounds,
    audience: Audience,
    /// Why nothing may be embedded at all.
    barred: Option<Refusal>,
    embedder: Arc<dyn Embedder>,
    cache: Mutex<query::Cache>,
    matrix: Mutex<Option<Arc<Matrix>>>,
    /// Held while vectors are brought up to date.
    updating: Mutex<()>,
    last_update: Mutex<Option<UpdateReport>>,
}

impl fmt::Debug for Semantic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Semantic").field("profile", &self.profile).finish_non_exhaustive()
    }
}

/// The state of semantic retrieval for people and hosts.
#[derive(Debug, Clone, PartialEq)]
pub struct SemanticStatus {
    pub profile: Profile,
    pub counts: SourceCounts,
    /// Whether each chunk that the profile may have, up to the bound, has its vector.
    pub fresh: bool,
    pub last_update: Option<UpdateReport>,
    /// Why requests are answered by their words alone.
    pub fallback: Option<Refusal>,
}

impl Semantic {
    /// Semantic retrieval by a profile. A remote one that is not allowed is barred: no text is ever handed to it.
    pub fn new(options: SemanticOptions) -> Semantic {
        let SemanticOptions { profile, bounds, remote_profiles, privacy, embedder } = options;
        let barred = match profile.destination {
            Destination::Local => None,
            Destination::Remote if !remote_profiles.contains(&profile.identity()) => {
                Some(Refusal::new("remote-profile", format!("{} is remote and is not among the remote profiles that are allowed", profile.identity())))
            }
            Destination::Remote if !privacy.enabled => Some(Refusal::new("privacy-off", "a remote profile needs privacy to be enabled")),
            Destination::Remote => None,
        };
        let audience = Audience { destination: profile.destination, privacy };
        Semantic {
            cache: Mutex::new(query::Cache::new(bounds.query_cache_size)),
            profile,
            bounds,
            audience,
            barred,
            embedder,
            matrix: Mutex::default(),
            updating: Mutex::default(),
            last_update: Mutex::default(),
        }
    }

    /// Who makes the vectors.
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    /// Lets the embedder prepare itself, so that the first request need not wait for it.
    pub fn warm(&self) {
        // What is wrong with a model is said to whoever asks for a vector.
        let _ = self.ready().and_then(|()| self.embedder.version());
    }

    /// `provider/model/dimensions`, with the model's version if it has one: what vectors are kept under.
    fn name(&self) -> Result<String, Refusal> {
        let version = self.embedder.version()?.map(|version| format!("@{version}")).unwrap_or_default();
        Ok(format!("{}{version}/{}", self.profile.identity(), self.profile.dimensions))
    }

    /// The classes of text that the profile may have.
    fn classes(&self) -> Vec<Class> {
        Class::ALL.into_iter().filter(|class| self.audience.may_have(*class)).collect()
    }

    fn ready(&self) -> Result<(), Refusal> {
        self.barred.clone().map_or(Ok(()), Err)
    }

    /// One call of the embedder, checked.
    fn call(&self, texts: Vec<String>, cancel: &Cancel) -> Result<Vec<vector::Checked>, Refusal> {
        let most = Duration::from_millis(self.bounds.timeout_ms.into());
        let wait = cancel.left().map_or(most, |left| left.min(most));
        let count = texts.len();
        let given = self.embedder.embed(texts, wait, cancel)?;
        if given.len() != count {
            return Err(Refusal::new("vector-count", format!("{count} texts were given and {} vectors came back", given.len())));
        }
        Ok(given.into_iter().map(|vector| vector::check(vector, self.profile.dimensions)).collect())
    }
}

/// A store's error as a reason.
fn of_store(error: &crate::error::Error) -> Refusal {
    Refusal { code: error.code.as_str().to_owned(), text: error.message.clone() }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
