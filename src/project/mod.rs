//! One opened project: the handle that every face uses. Opens, reports, and passes work to the two flows.

mod answer;
mod files;
mod network;
mod place;
mod record;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::cancel::Cancel;
use crate::classify::{Audience, PRIVACY};
use crate::error::{Code, Error, Result};
use crate::exclude::{LIMIT_BYTES, LIMIT_FILES};
use crate::hash::Hash;
use crate::limits::Bounds;
use crate::manifest::Revision;
use crate::memory;
use crate::quote;
use crate::rel_path::RelPath;
use crate::retrieve::{self, Budget, Proven, Ranking};
use crate::root::{self, Root, Trust, TrustSource};
use crate::semantic::{Semantic, SemanticOptions, SemanticStatus, UpdateReport};
use crate::store::{self, Opened, Store, Totals};
use crate::sync::{self, Progress, SyncOptions, SyncReport, Urgent};
use crate::syntax::Symbol;

use record::Record;

pub use answer::{ModelIdentity, PromptMessage, Request, Retrieval};
pub use files::{Explanation, Files, LeftOut, OneRule};
pub use place::data_directory;
pub use record::Amendment;

/// How to open a project.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// The project's directory.
    pub path: PathBuf,
    /// Who trusts it; `None` if nobody does.
    pub trust: Option<TrustSource>,
    /// Where indexes are kept; `None` for the user's data directory.
    pub data_directory: Option<PathBuf>,
    pub bounds: Bounds,
    /// How closeness in meaning is found; `None` where the words of a request decide alone.
    pub semantic: Option<SemanticOptions>,
}

/// What a project is ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatusKind {
    /// Not trusted: nothing of it was or will be touched.
    Untrusted,
    /// Turned off by the user: nothing of it was or will be touched.
    Disabled,
    /// A directory that is never indexed, or no longer the one that was opened.
    Refused,
    /// A sync is under way and nothing complete is there yet.
    Indexing,
    /// The index lacks listed files.
    Partial,
    /// The index held every listed file when it was last looked at.
    Ready,
    /// There is no usable index.
    Failed,
}

impl StatusKind {
    /// The form in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            StatusKind::Untrusted => "untrusted",
            StatusKind::Disabled => "disabled",
            StatusKind::Refused => "refused",
            StatusKind::Indexing => "indexing",
            StatusKind::Partial => "partial",
            StatusKind::Ready => "ready",
            StatusKind::Failed => "failed",
        }
    }
}

/// The state of a project for people and hosts.
#[derive(Debug, Clone)]
pub struct Status {
    pub kind: StatusKind,
    /// Why it is refused, partial or failed; why Git or an earlier index could not be used.
    pub reasons: Vec<String>,
    pub trust: Option<TrustSource>,
    pub revision: Option<Revision>,
    pub totals: Option<Totals>,
    /// The sync under way.
    pub progress: Option<Progress>,
    pub last_sync: Option<SyncReport>,
    /// The index file, and the bytes that it, its side files and what was set aside of it take.
    pub store: Option<(PathBuf, u64)>,
    /// What this platform can't guarantee of reads and of the index; empty where all of it holds.
    pub limitations: &'static [&'static str],
    /// The vectors, where semantic retrieval is set up.
    pub semantic: Option<SemanticStatus>,
}

impl Status {
    fn without_index(kind: StatusKind, error: &Error, trust: Option<TrustSource>) -> Status {
        let reasons = vec![error.message.clone()];
        Status {
            kind,
            reasons,
            trust,
            revision: None,
            totals: None,
            progress: None,
            last_sync: None,
            store: None,
            semantic: None,
            limitations: root::LIMITATIONS,
        }
    }
}

/// One project, shared by all threads that work on it.
#[derive(Debug)]
pub struct Project {
    access: Access,
}

#[derive(Debug)]
enum Access {
    Open(Box<OpenProject>),
    Barred(StatusKind, Error, Option<TrustSource>),
}

/// A trusted project with a usable index.
#[derive(Debug)]
struct OpenProject {
    root: Root,
    store: Store,
    store_file: PathBuf,
    bounds: Bounds,
    semantic: Option<Arc<Semantic>>,
    /// Held while a sync of this handle runs, so that a second call waits for it.
    syncing: Mutex<()>,
    /// What a call that waits names, for the sync that runs.
    urgent: Arc<Urgent>,
    progress: Mutex<Option<Progress>>,
    last_sync: Mutex<Option<SyncReport>>,
    /// How the index was found, if that is worth saying.
    notice: Option<String>,
    /// That the index is on a network file system.
    network: Option<String>,
    record: Record,
}

/// The time since a moment, both in milliseconds since the epoch; a moment that a clock has yet to reach is now.
fn age(since: i64, now: i64) -> String {
    let minutes = now.saturating_sub(since).max(0) / 60_000;
    let (count, unit) = match minutes {
        ..60 => (minutes, "minute"),
        60..2_880 => (minutes / 60, "hour"),
        _ => (minutes / 1_440, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic is reported by its own call; the data behind these locks is replaced whole and stays valid.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Project {
    /// Opens a project. Trouble becomes a [`Status`], so that a host can show it and go on.
    ///
    /// Without trust nothing at or below the path is touched, and no index is opened.
    ///
    /// # Errors
    /// `InvalidArgument` for a data directory inside the project, or none where the platform names none.
    pub fn open(options: OpenOptions) -> Result<Project> {
        let Some(source) = options.trust else {
            let reason = Error::new(Code::Untrusted, "the project is not trusted: nothing of it was read");
            return Ok(Project { access: Access::Barred(StatusKind::Untrusted, reason, None) });
        };
        let barred = |kind, error| Ok(Project { access: Access::Barred(kind, error, Some(source)) });
        let root = match Root::open(&options.path, Trust::granted(source)) {
            Ok(root) => root,
            Err(error) => return barred(StatusKind::Refused, error),
        };
        let data = place::place_outside(options.data_directory, root.path())?;
        let store_file = store::file_for(&data, root.id());
        let (store, opened) = match Store::open(&store_file, root.id()) {
            Ok(pair) => pair,
            Err(error) => return barred(StatusKind::Failed, error),
        };
        let semantic = options.semantic.map(|options| Arc::new(Semantic::new(options)));
        if let Some(semantic) = semantic.clone() {
            let _ = std::thread::Builder::new().name("pi-context-model".into()).spawn(move || semantic.warm());
        }
        let notice = match opened {
            Opened::SetAside(path) => Some(format!("the index was damaged; it was set aside as {path} and is built anew")),
            Opened::Created | Opened::Existing | Opened::ReadOnly => None,
        };
        Ok(Project {
            access: Access::Open(Box::new(OpenProject {
                root,
                store,
                store_file,
                bounds: options.bounds,
                semantic,
                syncing: Mutex::default(),
                urgent: Arc::default(),
                progress: Mutex::default(),
                last_sync: Mutex::default(),
                notice,
                network: network::notice(&data),
                record: Record::default(),
            })),
        })
    }

    /// A project for which the user's settings turn project knowledge off: nothing of it is touched, and its status says so.
    pub fn disabled(trust: Option<TrustSource>) -> Project {
        let reason = Error::new(Code::Disabled, "project knowledge is turned off: nothing of the project was read");
        Project { access: Access::Barred(StatusKind::Disabled, reason, trust) }
    }

    fn get(&self) -> Result<&OpenProject> {
        match &self.access {
            Access::Open(open) => Ok(open),
            Access::Barred(_, error, _) => Err(error.clone()),
        }
    }

    /// What the project is ready for; trouble is a status, too.
    pub fn status(&self) -> Status {
        match &self.access {
            Access::Open(open) => open.status().unwrap_or_else(|error| {
                let kind = if error.code == Code::RootReplaced { StatusKind::Refused } else { StatusKind::Failed };
                Status::without_index(kind, &error, self.trust())
            }),
            Access::Barred(kind, error, trust) => Status::without_index(*kind, error, *trust),
        }
    }

    /// Brings the index up to date. A second call on the same handle waits for the first, or returns with its deadline.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `Cancelled`, store errors.
    pub fn sync(&self, options: &SyncOptions, cancel: &Cancel, progress: &mut dyn FnMut(Progress)) -> Result<SyncReport> {
        self.get()?.sync(options, cancel, progress)
    }

    /// Brings the vectors up to date with the index; a deadline ends it early with what is done kept.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled` (also where no semantic retrieval is set up), `RootRefused`, `RootReplaced`, `Cancelled`, store errors.
    pub fn update_vectors(&self, cancel: &Cancel, progress: &mut dyn FnMut(Progress)) -> Result<UpdateReport> {
        let open = self.get()?;
        open.root.verify()?;
        let semantic =
            open.semantic.as_ref().ok_or_else(|| Error::new(Code::Disabled, "semantic retrieval is not set up: open the project with `semantic`"))?;
        semantic.update(&open.root, &open.store, &open.bounds, cancel, &mut |done, total| progress(Progress { done, total }))
    }

    /// Answers a request with proven messages and a manifest. Never fails for want of trust or of an index: the manifest then says why it is empty.
    ///
    /// # Errors
    /// `Cancelled`.
    pub fn retrieve(&self, request: &Request, cancel: &Cancel) -> Result<Retrieval> {
        let outcome = self.get().and_then(|open| open.retrieve(request, cancel));
        match outcome {
            Err(error) if error.code != Code::Cancelled => Ok(Retrieval::fallback(request, self.trust(), &error)),
            other => other,
        }
    }

    fn trust(&self) -> Option<TrustSource> {
        match &self.access {
            Access::Open(open) => Some(open.root.trust().source()),
            Access::Barred(_, _, trust) => *trust,
        }
    }

    /// Proves again what was quoted for a request, and whether `audience` may have it still.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `Cancelled`, store errors.
    pub fn recheck(
        &self,
        request: &str,
        quoted: &[retrieve::Quoted],
        max_tokens: usize,
        calibration: f64,
        audience: &Audience,
        cancel: &Cancel,
    ) -> Result<(retrieve::Recheck, Vec<PromptMessage>)> {
        self.get()?.recheck(request, quoted, max_tokens, calibration, audience, cancel)
    }

    /// Proven hits for an explicit search.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `Cancelled`, store errors.
    pub fn search(&self, text: &str, budget: &Budget<'_>, cancel: &Cancel) -> Result<Vec<Proven>> {
        let open = self.get()?;
        open.root.verify()?;
        let ranking = Ranking { ungated: true, ..Ranking::default() };
        Ok(retrieve::answer_by_meaning(&open.root, &open.store, &open.bounds, open.semantic.as_deref(), text, budget, &[], &ranking, cancel)?.snippets)
    }

    /// The declarations of a file as it is on disk now.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `NotFound`, `Excluded`, `Io`.
    pub fn outline(&self, path: &RelPath) -> Result<retrieve::Outline> {
        let open = self.get()?;
        retrieve::outline(&open.root, &open.bounds, path)
    }

    /// The declarations of a simple or qualified name, each from its file as it is on disk now; at most `limit`.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, store errors, `Io`.
    pub fn definitions(&self, name: &str, limit: usize) -> Result<Vec<(RelPath, Hash, Symbol)>> {
        let open = self.get()?;
        retrieve::definitions(&open.root, &open.store, &open.bounds, name, limit)
    }

    /// Lines of a file as they are on disk now, and how many the file has.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, `RootReplaced`, `NotFound`, `Excluded` (also for a class that `audience` may not have), `Changed`, `Io`.
    pub fn read(&self, path: &RelPath, lines: Option<(u32, u32)>, expected: Option<Hash>, audience: &Audience) -> Result<(Proven, u32)> {
        let open = self.get()?;
        open.root.verify()?;
        let (read, total_lines) = retrieve::read(&open.root, &open.bounds, path, lines, expected)?;
        if audience.may_have(read.class()) {
            Ok((read, total_lines))
        } else {
            Err(Error::new(Code::Excluded, format!("{path}: the lines are {}, which this destination may not have ({PRIVACY})", read.class().as_str())))
        }
    }

    /// The text of the message that quotes a proven snippet.
    ///
    /// # Errors
    /// `Untrusted`, `Disabled`, `RootRefused`, store errors.
    pub fn quote(&self, snippet: &Proven) -> Result<String> {
        let git = self.get()?.store.reader()?.state()?.git;
        Ok(quote::message(snippet, git.and_then(|git| git.head).as_deref()).text)
    }
}

impl OpenProject {
    fn status(&self) -> Result<Status> {
        self.root.verify()?;
        let reader = self.store.reader()?;
        let state = reader.state()?;
        let totals = reader.totals()?;
        let progress = *lock(&self.progress);
        let last_sync = lock(&self.last_sync).clone();
        let mut reasons: Vec<String> = self.notice.iter().cloned().collect();
        if self.store.is_read_only() {
            let age = age(state.indexed_at, store::now_ms());
            reasons.push(format!("the index can only be read, as its folder is read-only: it is {age} old, and newer files are not found"));
        }
        if let Some(report) = &last_sync {
            reasons.extend(report.incomplete_reason.clone().filter(|_| !self.store.is_read_only()));
            reasons.extend(report.git_problem.clone());
            reasons.extend(report.cut_at.map(|names| format!("cut at {names} names: the listing stopped at its bound on names or folders")));
            let count = |rule| report.excluded.get(rule).copied().unwrap_or(0);
            for (rule, bound) in [(LIMIT_FILES, "the number of files"), (LIMIT_BYTES, "all bytes together")] {
                reasons.extend((count(rule) > 0).then(|| format!("{} files are left out by the bound on {bound}", count(rule))));
            }
        }
        let kind = match (state.complete, progress) {
            (true, _) => StatusKind::Ready,
            (false, Some(_)) => StatusKind::Indexing,
            (false, None) => StatusKind::Partial,
        };
        if kind == StatusKind::Partial && reasons.is_empty() {
            reasons.push(if state.indexed_at == 0 { "not indexed yet".to_owned() } else { "the last sync did not finish".to_owned() });
        }
        reasons.extend(self.network.clone());
        Ok(Status {
            kind,
            reasons,
            trust: Some(self.root.trust().source()),
            revision: Some(self.revision(&state)),
            totals: Some(totals),
            progress,
            last_sync,
            store: Some((self.store_file.clone(), self.store.disk_bytes())),
            limitations: root::LIMITATIONS,
            semantic: self.semantic.as_ref().map(|semantic| semantic.status(&self.store)).transpose()?,
        })
    }

    fn sync(&self, options: &SyncOptions, cancel: &Cancel, progress: &mut dyn FnMut(Progress)) -> Result<SyncReport> {
        let _one_at_a_time = self.wait_for_sync(&options.first, cancel)?;
        self.root.verify()?;
        let options = SyncOptions { urgent: Arc::clone(&self.urgent), ..options.clone() };
        let outcome = sync::run(&self.root, &self.store, &self.bounds, &options, cancel, &mut |step| {
            *lock(&self.progress) = Some(step);
            progress(step);
        });
        *lock(&self.progress) = None;
        if !matches!(&outcome, Ok(report) if report.indexed == 0) {
            memory::give_back();
        }
        let report = outcome?;
        *lock(&self.last_sync) = Some(report.clone());
        Ok(report)
    }

    /// The turn to sync. While another has it, that one looks at the `named` paths.
    fn wait_for_sync(&self, named: &[RelPath], cancel: &Cancel) -> Result<MutexGuard<'_, ()>> {
        const STEP: std::time::Duration = std::time::Duration::from_millis(5);
        let mut asked = false;
        loop {
            match self.syncing.try_lock() {
                Ok(guard) => return Ok(guard),
                Err(std::sync::TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(std::sync::TryLockError::WouldBlock) => {}
            }
            if !std::mem::replace(&mut asked, true) {
                self.urgent.ask(named);
            }
            cancel.check()?;
            if cancel.is_late() {
                return Err(Error::new(Code::Cancelled, "another sync of this project is under way; it goes on"));
            }
            std::thread::sleep(STEP);
        }
    }

    fn revision(&self, state: &store::ProjectState) -> Revision {
        let git = state.git.clone();
        Revision {
            project_path: self.root.id().to_owned(),
            git_root: git.as_ref().map(|git| git.root.clone()),
            branch: git.as_ref().and_then(|git| git.branch.clone()),
            head: git.and_then(|git| git.head),
            dirty: !state.changed.is_empty(),
            changed_paths: state.changed.clone(),
            indexed_at: state.indexed_at,
        }
    }
}
