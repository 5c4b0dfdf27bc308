//! Writes what was seen, in the order of the steps, and counts it.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::look::{Looker, Seen};
use super::named;
use super::plan::{Action, Step};
use super::{Progress, SyncReport, milliseconds};
use crate::discover::Entry;
use crate::error::Result;
use crate::exclude::{LIMIT_BYTES, SIZE_FILE};
use crate::limits::PROGRESS_INTERVAL_MS;
use crate::rel_path::RelPath;
use crate::store::{KnownFile, Writer};

pub(super) struct Recorder<'sync, 'store> {
    writer: &'sync mut Writer<'store>,
    report: SyncReport,
    looker: &'sync Looker<'sync>,
    progress: &'sync mut dyn FnMut(Progress),
    last_progress: Option<Instant>,
    /// A deadline or the caller ended the sync.
    stopped: bool,
}

impl<'sync, 'store> Recorder<'sync, 'store> {
    pub(super) fn new(writer: &'sync mut Writer<'store>, report: SyncReport, looker: &'sync Looker<'sync>, progress: &'sync mut dyn FnMut(Progress)) -> Self {
        Recorder { writer, report, looker, progress, last_progress: None, stopped: false }
    }

    /// Writes and commits one batch, or as much of it as there is time for.
    pub(super) fn record(&mut self, batch: &[Step<'_>], seen: Vec<Result<Seen>>) -> Result<()> {
        let started = Instant::now();
        for (step, seen) in batch.iter().zip(seen) {
            // To find that nothing changed takes no time, so a late pass still ends where that is so.
            self.stopped |= self.looker.cancel.is_cancelled() || self.looker.cancel.is_late() && !step.changes_nothing();
            if self.stopped {
                break;
            }
            match step {
                Step::Remove { id, indexed } => {
                    self.writer.remove(*id)?;
                    self.report.removed += u64::from(*indexed);
                }
                Step::File { entry, known, action } => {
                    self.record_file(entry, known.as_ref(), *action, seen?)?;
                    self.report.looked_at += u64::from(!self.stopped);
                    self.tell(false);
                }
            }
        }
        self.report.timings.insert += milliseconds(started);
        let started = Instant::now();
        self.writer.commit_if_large()?;
        self.report.timings.commit += milliseconds(started);
        Ok(())
    }

    /// Writes what a request that came meanwhile names.
    pub(super) fn record_named(&mut self, paths: &[RelPath]) -> Result<()> {
        named::index(self.looker, self.writer, paths)
    }

    /// Commits what is left, and reports; complete if every listed file was looked at.
    pub(super) fn report(mut self) -> Result<SyncReport> {
        let started = Instant::now();
        self.writer.commit()?;
        self.report.timings.commit += milliseconds(started);
        self.tell(true);
        self.looker.add_timings(&mut self.report.timings);
        self.report.complete = !self.stopped && self.report.looked_at == self.report.listed;
        Ok(self.report)
    }

    fn record_file(&mut self, entry: &Entry, known: Option<&KnownFile>, action: Action, seen: Seen) -> Result<()> {
        if !self.looker.fits(entry) {
            return self.refuse(entry, known, LIMIT_BYTES, entry.facts, 0);
        }
        match (action, seen) {
            (Action::Keep, _) => match known.and_then(|known| known.refused.as_ref()) {
                Some(rule) => self.count_excluded(rule),
                None => self.accept_unchanged(entry),
            },
            (Action::Touch, _) => {
                let Some(known) = known else { return Ok(()) };
                self.writer.touch(known.id, entry.facts, entry.tracked, entry.modified, known.read_at)?;
                match &known.refused {
                    Some(rule) => self.count_excluded(rule),
                    None => self.accept_unchanged(entry),
                }
            }
            (Action::Read, Seen::Same { facts, read_at }) => {
                let Some(known) = known else { return Ok(()) };
                self.writer.touch(known.id, facts, entry.tracked, entry.modified, read_at)?;
                self.report.bytes_read += facts.size;
                self.accept_unchanged(entry);
            }
            (Action::Read, Seen::Ready(ready)) => {
                self.writer.put_file(&ready.new_file(&entry.path, entry.tracked, entry.modified, self.looker.rules.of(&entry.path)))?;
                self.looker.accepted.fetch_add(entry.facts.size, Ordering::Relaxed);
                self.report.bytes_read += ready.admitted.facts.size;
                self.report.indexed += 1;
                self.report.reused += u64::from(ready.reused);
            }
            (Action::Read, Seen::Refused { rule, facts, read_at }) => {
                if rule != SIZE_FILE {
                    self.report.bytes_read += facts.size;
                }
                self.refuse(entry, known, rule, facts, read_at)?;
            }
            (Action::Read, Seen::Unreadable(why)) => {
                self.report.unreadable.push((entry.path.as_str().to_owned(), why));
                self.forget(known)?;
            }
            (Action::Read, Seen::Gone) => self.forget(known)?,
            // There was no time for it when it was its turn to be read.
            (Action::Read, Seen::Nothing) => self.stopped = true,
        }
        Ok(())
    }

    fn refuse(&mut self, entry: &Entry, known: Option<&KnownFile>, rule: &'static str, facts: crate::root::Facts, read_at: i64) -> Result<()> {
        self.count_excluded(rule);
        self.report.removed += u64::from(known.is_some_and(|known| known.refused.is_none()));
        let refused_before = known.is_some_and(|known| {
            known.refused.as_deref() == Some(rule) && (known.facts, known.tracked, known.modified) == (facts, entry.tracked, entry.modified)
        });
        // Whether a file fits is asked at each sync, so nothing about the row would change.
        if rule == LIMIT_BYTES && refused_before {
            return Ok(());
        }
        self.writer.put_refused(&entry.path, facts, rule, entry.tracked, entry.modified, self.looker.rules.of(&entry.path), read_at)
    }

    fn forget(&mut self, known: Option<&KnownFile>) -> Result<()> {
        let Some(known) = known else { return Ok(()) };
        self.report.removed += u64::from(known.refused.is_none());
        self.writer.remove(known.id)
    }

    fn accept_unchanged(&mut self, entry: &Entry) {
        self.looker.accepted.fetch_add(entry.facts.size, Ordering::Relaxed);
        self.report.unchanged += 1;
    }

    fn count_excluded(&mut self, rule: &str) {
        match self.report.excluded.get_mut(rule) {
            Some(count) => *count += 1,
            None => drop(self.report.excluded.insert(rule.to_owned(), 1)),
        }
    }

    fn tell(&mut self, last: bool) {
        if last || self.last_progress.is_none_or(|told| told.elapsed() >= Duration::from_millis(PROGRESS_INTERVAL_MS)) {
            self.last_progress = Some(Instant::now());
            (self.progress)(Progress { done: self.report.looked_at, total: self.report.listed });
        }
    }
}
