//! Drives discover, admit, syntax and store; decides what changed, and reports.

mod commits;
mod look;
mod named;
mod one;
mod plan;
#[cfg(all(test, unix))]
mod tests;
mod write;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::time::Instant;

use rayon::prelude::*;
use serde::Serialize;

use crate::cancel::Cancel;
use crate::discover::{self, Asked, Listing, Source};
use crate::error::{Code, Error, Result};
use crate::limits::Bounds;
use crate::rel_path::RelPath;
use crate::root::Root;
use crate::store::{ProjectState, Store, now_ms};

pub use named::Urgent;
pub use one::{FoundNow, Reindexed, reindex};

use look::Looker;
use plan::Step;
use write::Recorder;

/// How far a sync has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Files looked at.
    pub done: u64,
    /// Files listed.
    pub total: u64,
}

/// Milliseconds spent in each stage. Stages that run on several threads count the time of all.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncTimings {
    /// Listing and looking at the facts of each file.
    pub list: f64,
    pub read: f64,
    pub hash: f64,
    /// Decoding, and the rules on content: binary, minified, secrets.
    pub rules: f64,
    pub parse: f64,
    pub terms: f64,
    /// Compression of parses.
    pub pack: f64,
    /// Rows of files, symbols and chunks.
    pub insert: f64,
    /// Rows of terms, and the commits themselves.
    pub commit: f64,
    /// Past commits of the branch.
    pub commits: f64,
    pub total: f64,
}

/// What a sync did.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SyncReport {
    /// Whether every listed file was looked at and written. False after a deadline or while another process indexes.
    pub complete: bool,
    /// Why it is not complete; `None` if it is.
    pub incomplete_reason: Option<String>,
    /// `git` or `walk`; empty if nothing was listed, as another process indexes or the time was up.
    pub source: String,
    /// Why Git was not used although a repository is there.
    pub git_problem: Option<String>,
    /// Files listed for reading.
    pub listed: u64,
    /// Of those, files that were looked at; all of them unless a deadline passed.
    pub looked_at: u64,
    /// Files read and (re)indexed.
    pub indexed: u64,
    /// Of those, files whose parse was reused from an equal content.
    pub reused: u64,
    /// Files whose content is as it was.
    pub unchanged: u64,
    /// Files that are gone or now excluded.
    pub removed: u64,
    /// Listed names kept out, counted by rule id.
    pub excluded: BTreeMap<String, u64>,
    /// What could not be looked at: path and reason.
    pub unreadable: Vec<(String, String)>,
    /// Past commits that were looked at and remembered.
    pub commits: u64,
    /// Bytes read.
    pub bytes_read: u64,
    /// The number of names at which a walk stopped.
    pub cut_at: Option<u64>,
    pub timings: SyncTimings,
}

/// How to sync.
#[derive(Debug, Clone, Default)]
pub struct SyncOptions {
    /// Read every file again, whatever its facts say.
    pub force: bool,
    /// Paths, or the last parts of paths, to look at first: before the listing where they are whole, else as soon as it is there.
    pub first: Vec<RelPath>,
    /// Forget what is indexed, and build it anew.
    pub rebuild: bool,
    /// Paths that others ask for while the sync is under way.
    pub urgent: Arc<Urgent>,
}

/// Brings the index up to date with the project. A deadline in `cancel` ends it early with what is done so far committed.
///
/// Files are looked at in the order of the listing, those of [`SyncOptions::first`] before the others and even before the listing; the bound on all bytes together is spent in this order.
///
/// # Errors
/// `Cancelled`, with what was written by then kept; `RootReplaced`; store and root errors.
pub fn run(root: &Root, store: &Store, bounds: &Bounds, options: &SyncOptions, cancel: &Cancel, progress: &mut dyn FnMut(Progress)) -> Result<SyncReport> {
    let started = Instant::now();
    root.verify()?;
    let Some(mut writer) = store.writer()? else {
        return Ok(SyncReport { incomplete_reason: Some(store.why_not_written().to_owned()), ..SyncReport::default() });
    };
    let rules = plan::Rules::new(bounds);
    let looker = Looker::new(root, store, bounds, &rules, cancel);
    if options.rebuild {
        writer.empty()?;
        writer.forget_commits(None)?;
        writer.commit()?;
    }
    named::index(&looker, &mut writer, &options.first)?;
    let listed = Instant::now();
    let Some(listing) = discover::list(root, bounds, Asked { first: options.first.clone(), ..Asked::default() }, cancel)? else {
        // The index is as complete as it was.
        let incomplete_reason = Some("the time was up before all files were listed".to_owned());
        let timings = SyncTimings { list: milliseconds(listed), total: milliseconds(started), ..SyncTimings::default() };
        return Ok(SyncReport { incomplete_reason, timings, ..SyncReport::default() });
    };
    let mut report = report_of(&listing);
    report.timings.list = milliseconds(listed);

    let steps = plan::steps(&listing, store.reader()?.known_files()?, &rules, options);
    if !steps.iter().all(Step::changes_nothing) {
        // Should the process end before the sync does, then the index is known to be partial.
        writer.put_state(&state_of(&listing, false))?;
        writer.commit()?;
    }
    let mut recorder = Recorder::new(&mut writer, report, &looker, progress);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(bounds.threads.max(1)).thread_name(|_| "context-sync".to_owned()).build();
    let pool = pool.map_err(|error| Error::new(Code::Internal, format!("no threads to index with: {error}")))?;
    // One batch is read while the one before it is written; the writer stays on this thread.
    pool.in_place_scope(|scope| {
        let (send, receive) = sync_channel(1);
        let (steps, looker) = (&steps, &looker);
        scope.spawn(move |_| {
            for batch in plan::batches(steps) {
                let seen: Vec<_> = batch
                    .par_iter()
                    .map_init(|| looker.desk(), |desk, step| desk.as_mut().map_err(|error| error.clone()).and_then(|desk| looker.look(step, desk)))
                    .collect();
                if looker.cancel.is_cancelled() || send.send((batch, seen)).is_err() {
                    return;
                }
            }
        });
        receive.into_iter().try_for_each(|(batch, seen)| {
            recorder.record(batch, seen)?;
            recorder.record_named(&options.urgent.take())
        })
    })?;
    let mut report = recorder.report()?;
    cancel.check()?;
    // Files seem to be gone, too, where the folder itself is.
    root.verify()?;
    if !report.complete {
        report.incomplete_reason = Some(format!("the time was up after {} of {} files", report.looked_at, report.listed));
    }
    let settled = Instant::now();
    writer.put_state(&state_of(&listing, report.complete))?;
    if report.complete {
        writer.settle()?;
    } else {
        writer.commit()?;
    }
    report.timings.commit += milliseconds(settled);
    if report.complete {
        let remembered = Instant::now();
        report.commits = commits::remember(root, store, &mut writer, bounds, cancel)?;
        report.timings.commits = milliseconds(remembered);
    }
    report.timings.total = milliseconds(started);
    Ok(report)
}

fn report_of(listing: &Listing) -> SyncReport {
    SyncReport {
        source: match listing.source {
            Source::Git => "git",
            Source::Walk => "walk",
        }
        .to_owned(),
        git_problem: listing.git_problem.clone(),
        listed: listing.entries.len() as u64,
        excluded: listing.excluded.iter().map(|(&rule, &count)| (rule.to_owned(), count)).collect(),
        unreadable: listing.unreadable.clone(),
        cut_at: listing.cut_at.map(|names| names as u64),
        ..SyncReport::default()
    }
}

fn state_of(listing: &Listing, complete: bool) -> ProjectState {
    ProjectState {
        git: listing.git.clone(),
        changed: listing.changed.iter().map(|path| path.as_str().to_owned()).collect(),
        indexed_at: now_ms(),
        listed: listing.entries.len() as u64,
        complete,
    }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1_000.0
}
