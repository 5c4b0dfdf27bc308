//! The class that JavaScript holds: an opened project, its calls in flight, and its end.

use std::sync::{Arc, Condvar, Mutex, PoisonError, Weak};

use napi::Status as NapiStatus;
use napi::bindgen_prelude::{Env, Function, Object, ObjectFinalize};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi_derive::napi;

use super::job::Job;
use super::{given, made, types};
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::project::Project as Core;
use crate::rel_path::RelPath;
use crate::tokens;

/// Progress to JavaScript: never keeps the process alive, and drops a step rather than wait.
type ProgressCallback = ThreadsafeFunction<types::Progress, (), types::Progress, NapiStatus, false, true, 1>;

fn progress_callback(function: Option<Function<'_, types::Progress, ()>>) -> napi::Result<Option<ProgressCallback>> {
    function.map(|function| function.build_threadsafe_function().weak::<true>().max_queue_size::<1>().build()).transpose()
}

fn tell(callback: Option<&ProgressCallback>, step: crate::sync::Progress) {
    if let Some(callback) = callback {
        // The result is taken and dropped, so that what the callback throws ends there.
        callback.call_with_return_value(made::progress(step), ThreadsafeFunctionCallMode::NonBlocking, |_, _| Ok(()));
    }
}

/// What a handle and its calls share.
struct Shared {
    state: Mutex<State>,
    idle: Condvar,
}

struct State {
    core: Option<Arc<Core>>,
    /// The flags of the calls in flight.
    running: Vec<(u64, Cancel)>,
    next: u64,
}

/// A call's membership in the set of those in flight.
struct Ticket {
    shared: Arc<Shared>,
    number: u64,
    core: Option<Arc<Core>>,
}

impl Shared {
    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn enter(self: &Arc<Self>, cancel: &Cancel) -> Result<Ticket> {
        let mut state = self.state();
        let Some(core) = state.core.clone() else {
            return Err(Error::new(Code::Closed, "the project was closed: open it again"));
        };
        let number = state.next;
        state.next += 1;
        state.running.push((number, cancel.clone()));
        Ok(Ticket { shared: Arc::clone(self), number, core: Some(core) })
    }

    /// Bars new calls, cancels those in flight, and waits until the last has let go of the index.
    fn close(&self) {
        let mut state = self.state();
        let core = state.core.take();
        for (_, cancel) in &state.running {
            cancel.cancel();
        }
        while !state.running.is_empty() {
            state = self.idle.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        drop(state);
        drop(core);
    }
}

impl Ticket {
    fn core(&self) -> &Core {
        self.core.as_ref().expect("a ticket holds the core until it is dropped")
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        // Let go of the index before saying so: close() promises that its files are free.
        self.core = None;
        let mut state = self.shared.state();
        state.running.retain(|(number, _)| *number != self.number);
        self.shared.idle.notify_all();
    }
}

/// An opened project. Every call runs off the JavaScript thread; `close()` it when done.
///
/// Calls reject with an `Error` whose `code` is one of: `E_UNTRUSTED`, `E_DISABLED`, `E_ROOT_REFUSED`, `E_ROOT_REPLACED`, `E_PATH_INVALID`,
/// `E_NOT_FOUND`, `E_EXCLUDED`, `E_CHANGED`, `E_INVALID_ARGUMENT`, `E_CLOSED`, `E_CANCELLED`, `E_STORE_UNAVAILABLE`,
/// `E_STORE_NEWER`, `E_IO`, `E_INTERNAL`.
#[napi(custom_finalize)]
pub struct Project {
    shared: Arc<Shared>,
}

impl ObjectFinalize for Project {
    fn finalize(self, _env: Env) -> napi::Result<()> {
        // A dropped handle ends its calls, and must not wait for them on the JavaScript thread.
        std::thread::spawn(move || self.shared.close());
        Ok(())
    }
}

impl Project {
    /// A handle that is also closed when its environment (a worker, say) ends.
    pub(super) fn new(env: &Env, core: Arc<Core>) -> napi::Result<Project> {
        let shared = Arc::new(Shared { state: Mutex::new(State { core: Some(core), running: Vec::new(), next: 0 }), idle: Condvar::new() });
        let weak: Weak<Shared> = Arc::downgrade(&shared);
        env.add_env_cleanup_hook(weak, |weak| {
            if let Some(shared) = weak.upgrade() {
                shared.close();
            }
        })?;
        Ok(Project { shared })
    }

    /// A call on the core, as a promise.
    fn call<'env, C, T>(
        &self,
        job: Job<'env>,
        work: impl FnOnce(&Core, &Cancel) -> Result<C> + Send + 'static,
        convert: impl FnOnce(&Env, C) -> napi::Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>>
    where
        C: Send + 'static,
        T: napi::bindgen_prelude::ToNapiValue + 'static,
    {
        let ticket = self.shared.enter(&job.cancel());
        job.run(move |cancel| work(ticket?.core(), cancel), convert)
    }

    fn sync_or_rebuild<'env>(&self, env: &'env Env, options: Option<types::SyncOptions<'env>>, rebuild: bool) -> napi::Result<Object<'env>> {
        let (force, first, deadline_ms, on_progress, signal) = match options {
            Some(options) => (options.force, options.first, options.deadline_ms, options.on_progress, options.signal),
            None => (None, None, None, None, None),
        };
        let callback = progress_callback(on_progress)?;
        self.call(
            Job::start(env, signal)?,
            move |core, cancel| {
                let options = given::sync_options(force, first, rebuild)?;
                let cancel = given::within(cancel, deadline_ms)?;
                core.sync(&options, &cancel, &mut |step| tell(callback.as_ref(), step))
            },
            |_, report| Ok(made::sync_report(report)),
        )
    }
}

#[napi]
impl Project {
    /// What the project is ready for.
    #[napi(ts_return_type = "Promise<Status>")]
    pub fn status<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.call(Job::start(env, None)?, |core, _| Ok(core.status()), |_, status| Ok(made::status(status)))
    }

    /// Brings the index up to date with the project.
    #[napi(ts_return_type = "Promise<SyncReport>")]
    pub fn sync<'env>(&self, env: &'env Env, options: Option<types::SyncOptions<'env>>) -> napi::Result<Object<'env>> {
        self.sync_or_rebuild(env, options, false)
    }

    /// Forgets what is indexed and builds it anew. Answers are partial until it is done; manifests stay.
    #[napi(ts_return_type = "Promise<SyncReport>")]
    pub fn rebuild<'env>(&self, env: &'env Env, options: Option<types::SyncOptions<'env>>) -> napi::Result<Object<'env>> {
        self.sync_or_rebuild(env, options, true)
    }

    /// Brings the vectors of `semantic` up to date with the index: after a `sync`, and beside others.
    #[napi(ts_return_type = "Promise<VectorReport>")]
    pub fn update_vectors<'env>(&self, env: &'env Env, options: Option<types::VectorOptions<'env>>) -> napi::Result<Object<'env>> {
        let (deadline_ms, on_progress, signal) = options.map_or((None, None, None), |options| (options.deadline_ms, options.on_progress, options.signal));
        let callback = progress_callback(on_progress)?;
        self.call(
            Job::start(env, signal)?,
            move |core, cancel| core.update_vectors(&given::within(cancel, deadline_ms)?, &mut |step| tell(callback.as_ref(), step)),
            |_, report| Ok(made::vector_report(report)),
        )
    }

    /// The files as a listing finds them now: those indexed by language, those left out by rule.
    ///
    /// Rejects with `E_INVALID_ARGUMENT` for `after` without `rule`, or a rule that there is not.
    #[napi(ts_return_type = "Promise<Files>")]
    pub fn files<'env>(&self, env: &'env Env, options: Option<types::FilesOptions>) -> napi::Result<Object<'env>> {
        self.call(Job::start(env, None)?, move |core, cancel| core.files(given::one_rule(options)?.as_ref(), cancel), |_, files| Ok(made::files(files)))
    }

    /// Why one path is in the index, or is not, by the rules as they are now.
    #[napi(ts_return_type = "Promise<PathExplanation>")]
    pub fn explain_path<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.call(
            Job::start(env, None)?,
            move |core, cancel| {
                let path = RelPath::parse(&path)?;
                Ok((path.as_str().to_owned(), core.explain(&path, cancel)?))
            },
            |_, (path, found)| Ok(made::explanation(path, found)),
        )
    }

    /// Answers a request with proven messages and a manifest. Without trust, index or evidence there are no messages, and the manifest says why.
    #[napi(ts_return_type = "Promise<Retrieval>")]
    pub fn retrieve<'env>(&self, env: &'env Env, request: types::RetrieveRequest<'env>) -> napi::Result<Object<'env>> {
        let job = Job::start(env, request.signal)?;
        let deadline_ms = request.deadline_ms;
        let ephemeral = request.ephemeral == Some(true);
        let request = given::request(request);
        let shared = Arc::clone(&self.shared);
        self.call(
            job,
            move |core, cancel| {
                let cancel = given::within(cancel, deadline_ms)?;
                let retrieval = core.retrieve(&request?, &cancel)?;
                if !ephemeral {
                    save_later(&shared, retrieval.manifest.clone());
                }
                Ok(retrieval)
            },
            |_, retrieval| {
                Ok(types::Retrieval {
                    messages: retrieval.messages.into_iter().map(made::message).collect(),
                    manifest: made::manifest(retrieval.manifest),
                    explained: retrieval.explained.into_iter().map(made::explained).collect(),
                    files_read: retrieval.files_read as f64,
                })
            },
        )
    }

    /// Proves again what was quoted, after tools may have changed files or for another destination.
    #[napi(ts_return_type = "Promise<RecheckResult>")]
    pub fn recheck<'env>(&self, env: &'env Env, request: types::RecheckRequest<'env>) -> napi::Result<Object<'env>> {
        let job = Job::start(env, request.signal)?;
        let types::RecheckRequest { text, snippets, max_tokens, calibration, destination, privacy, deadline_ms, .. } = request;
        self.call(
            job,
            move |core, cancel| {
                let cancel = given::within(cancel, deadline_ms)?;
                let audience = given::audience(destination.as_deref(), privacy.as_ref())?;
                core.recheck(&text, &given::quoted(&snippets)?, given::note_tokens(max_tokens)?, given::calibration(calibration), &audience, &cancel)
            },
            |_, (recheck, messages)| {
                Ok(types::RecheckResult {
                    changed: recheck
                        .changed
                        .into_iter()
                        .map(|file| types::ChangedFile {
                            path: file.path.as_str().to_owned(),
                            old_hash: file.old.to_hex(),
                            new_hash: file.new.map(|hash| hash.to_hex()),
                        })
                        .collect(),
                    revoked: recheck
                        .revoked
                        .into_iter()
                        .map(|snippet| types::RevokedSnippet {
                            snippet_id: snippet.snippet_id.to_hex(),
                            path: snippet.path.as_str().to_owned(),
                            rule: snippet.rule.to_owned(),
                            classification: snippet.class.map(|class| class.as_str().to_owned()),
                        })
                        .collect(),
                    messages: messages.into_iter().map(made::message).collect(),
                })
            },
        )
    }

    /// Proven hits for an explicit search, best first.
    #[napi(ts_return_type = "Promise<SearchHit[]>")]
    pub fn search<'env>(&self, env: &'env Env, request: types::SearchRequest<'env>) -> napi::Result<Object<'env>> {
        let job = Job::start(env, request.signal)?;
        let types::SearchRequest { text, max_results, max_tokens, destination, privacy, deadline_ms, .. } = request;
        self.call(
            job,
            move |core, cancel| {
                let cancel = given::within(cancel, deadline_ms)?;
                let audience = given::audience(destination.as_deref(), privacy.as_ref())?;
                let may_have = |class| audience.may_have(class);
                let hits = core.search(&text, &given::search_budget(max_results, max_tokens, &may_have)?, &cancel)?;
                hits.iter()
                    .map(|hit| {
                        let (text, message) = (hit.text().to_owned(), core.quote(hit)?);
                        Ok(types::SearchHit { snippet: made::snippet(hit), tokens: tokens::count(&text) as f64, text, message })
                    })
                    .collect::<Result<Vec<_>>>()
            },
            |_, hits| Ok(hits),
        )
    }

    /// Lines of a file as they are on disk now, under the same rules as an answer.
    #[napi(ts_return_type = "Promise<ReadResult>")]
    pub fn read<'env>(&self, env: &'env Env, request: types::ReadRequest) -> napi::Result<Object<'env>> {
        self.call(
            Job::start(env, None)?,
            move |core, _| {
                let (path, lines, expected) = given::read_place(&request)?;
                let audience = given::audience(request.destination.as_deref(), request.privacy.as_ref())?;
                let (read, total_lines) = core.read(&path, lines, expected, &audience)?;
                let message = core.quote(&read)?;
                Ok((read, message, total_lines))
            },
            |_, (read, message, total_lines)| {
                Ok(types::ReadResult {
                    snippet_id: read.snippet_id().to_hex(),
                    path: read.path().as_str().to_owned(),
                    hash: read.hash().to_hex(),
                    start_line: read.start_line(),
                    end_line: read.end_line(),
                    total_lines,
                    text: read.text().to_owned(),
                    message,
                    classification: read.class().as_str().to_owned(),
                })
            },
        )
    }

    /// The declarations of a file as it is on disk now, in order of their start.
    #[napi(ts_return_type = "Promise<Outline>")]
    pub fn outline<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.call(Job::start(env, None)?, move |core, _| core.outline(&RelPath::parse(&path)?), |_, outline| Ok(made::outline(outline)))
    }

    /// The declarations of a simple or qualified name, each from its file as it is on disk now; at most `limit` (1 to 1,000, default 50).
    #[napi(ts_return_type = "Promise<Definition[]>")]
    pub fn definitions<'env>(&self, env: &'env Env, name: String, limit: Option<f64>) -> napi::Result<Object<'env>> {
        self.call(
            Job::start(env, None)?,
            move |core, _| core.definitions(&name, given::definitions_limit(limit)?),
            |_, found| Ok(found.into_iter().map(made::definition).collect::<Vec<_>>()),
        )
    }

    /// Completes a pending manifest with the provider's count; false if it is unknown, complete already, or the usage is empty.
    #[napi(ts_return_type = "Promise<boolean>")]
    pub fn record_usage<'env>(&self, env: &'env Env, manifest_id: String, usage: types::Usage) -> napi::Result<Object<'env>> {
        self.call(
            Job::start(env, None)?,
            move |core, cancel| match given::usage(&usage)? {
                Some(usage) => core.record_usage(&manifest_id, &usage, cancel),
                None => Ok(false),
            },
            |_, done| Ok(done),
        )
    }

    /// Adds to one of this handle's newest manifests what became of its messages; the manifest as it is then, or null if it is not there.
    #[napi(ts_return_type = "Promise<Manifest | null>")]
    pub fn amend_manifest<'env>(&self, env: &'env Env, manifest_id: String, amendment: types::Amendment) -> napi::Result<Object<'env>> {
        self.call(
            Job::start(env, None)?,
            move |core, cancel| core.amend_manifest(&manifest_id, given::amendment(amendment)?, cancel),
            |_, manifest| Ok(manifest.map(made::manifest)),
        )
    }

    /// One manifest, or null if it is unknown or was pruned.
    #[napi(ts_return_type = "Promise<Manifest | null>")]
    pub fn manifest<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        self.call(Job::start(env, None)?, move |core, _| core.manifest(&id), |_, manifest| Ok(manifest.map(made::manifest)))
    }

    /// The newest manifests, newest first; 0 to 128, default 1.
    #[napi(ts_return_type = "Promise<Manifest[]>")]
    pub fn manifests<'env>(&self, env: &'env Env, limit: Option<f64>) -> napi::Result<Object<'env>> {
        self.call(
            Job::start(env, None)?,
            move |core, _| core.manifests(given::manifests_limit(limit)?),
            |_, manifests| Ok(manifests.into_iter().map(made::manifest).collect::<Vec<_>>()),
        )
    }

    /// Cancels the calls in flight, waits for them, and lets go of the index. Idempotent.
    #[napi(ts_return_type = "Promise<void>")]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let shared = Arc::clone(&self.shared);
        Job::start(env, None)?.run(
            move |_| {
                shared.close();
                Ok(())
            },
            |_, ()| Ok(()),
        )
    }
}

/// Stores a manifest on a thread of its own: the answer does not wait for the disk.
fn save_later(shared: &Arc<Shared>, manifest: crate::manifest::Manifest) {
    // Set when the handle is closed, which must not wait for another process.
    let cancel = Cancel::default();
    let Ok(ticket) = shared.enter(&cancel) else { return };
    // A manifest that can't be stored is still in memory, and never changes a request.
    let _ = std::thread::Builder::new().name("pi-context-manifest".into()).spawn(move || {
        let _ = crate::error::guarded(|| ticket.core().save_manifest(&manifest, &cancel));
    });
}
