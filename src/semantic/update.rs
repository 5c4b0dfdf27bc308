//! Brings the vectors of a profile up to date with the index: lists what is embedded, embeds what is new, drops what is gone.

use std::collections::{HashMap, HashSet};
use std::sync::TryLockError;
use std::time::Instant;

use super::source::{self, Files, sources_of};
use super::vector::{self, Checked};
use super::{Refusal, Semantic, SemanticStatus, lock};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::hash::Hash;
use crate::limits::{Bounds, FILES_PER_BATCH};
use crate::root::Root;
use crate::store::{SourceCounts, Store, Unembedded};

/// What an update did.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct UpdateReport {
    /// Texts that got a vector.
    pub embedded: u64,
    /// Calls of the embedder.
    pub calls: u64,
    /// Vectors of texts that the project no longer has.
    pub removed: u64,
    /// Vectors that were refused, from the embedder or in the index.
    pub corrupt: u64,
    /// How far it came.
    pub counts: SourceCounts,
    /// Whether each chunk that the profile may have, up to the bound, has its vector.
    pub fresh: bool,
    /// Why it stopped early, or what it refused.
    pub reason: Option<Refusal>,
    /// Milliseconds.
    pub total_ms: f64,
}

/// How far an update has come, and how far it has to go: texts.
type OnProgress<'a> = &'a mut dyn FnMut(u64, u64);

impl Semantic {
    /// Brings the vectors up to date with the index of a project; a file that changed since it was indexed is left to the next update. A deadline in `cancel`
    /// ends it early with what is done kept. Another update of this handle that is under way is left to its work.
    ///
    /// # Errors
    /// `Cancelled`; `RootReplaced`; store errors.
    pub fn update(&self, root: &Root, store: &Store, bounds: &Bounds, cancel: &Cancel, progress: OnProgress<'_>) -> Result<UpdateReport> {
        let started = Instant::now();
        let mut report = UpdateReport::default();
        let _one_at_a_time = match self.updating.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            Err(TryLockError::WouldBlock) => {
                report.reason = Some(Refusal::new("busy", "another update of the vectors is under way"));
                return self.finish(store, report, started);
            }
        };
        match self.ready() {
            Err(refusal) => report.reason = Some(refusal),
            Ok(()) if store.is_read_only() => report.reason = Some(Refusal::new("read-only", "the index can only be read: no vector is written")),
            Ok(()) => match self.name() {
                Ok(name) => self.embed_all(&Files::new(root, store, bounds)?, &name, cancel, progress, &mut report)?,
                Err(refusal) => report.reason = Some(refusal),
            },
        }
        cancel.check()?;
        let report = self.finish(store, report, started)?;
        *lock(&self.last_update) = Some(report.clone());
        Ok(report)
    }

    /// The state of the vectors.
    ///
    /// # Errors
    /// Store errors.
    pub fn status(&self, store: &Store) -> Result<SemanticStatus> {
        let (counts, fresh) = self.counts(store)?;
        let last_update = lock(&self.last_update).clone();
        let none = || (counts.embedded == 0).then(|| Refusal::new("no-vectors", "nothing of the project has a vector of this profile yet"));
        let fallback = self.ready().and_then(|()| self.name()).err().or_else(|| last_update.as_ref().and_then(|update| update.reason.clone())).or_else(none);
        Ok(SemanticStatus { profile: self.profile.clone(), counts, fresh, last_update, fallback })
    }

    fn counts(&self, store: &Store) -> Result<(SourceCounts, bool)> {
        let reader = store.reader()?;
        let profile = self.name().ok().map(|name| reader.profile(&name)).transpose()?.flatten();
        let counts = reader.source_counts(profile.map(|profile| profile.id), source::FORM, &self.classes())?;
        let wanted = (counts.listed - counts.withheld).min(self.bounds.max_sources as u64);
        Ok((counts, counts.listed == counts.chunks && counts.embedded >= wanted))
    }

    fn finish(&self, store: &Store, mut report: UpdateReport, started: Instant) -> Result<UpdateReport> {
        (report.counts, report.fresh) = self.counts(store)?;
        report.total_ms = started.elapsed().as_secs_f64() * 1_000.0;
        Ok(report)
    }

    fn embed_all(&self, files: &Files<'_>, name: &str, cancel: &Cancel, progress: OnProgress<'_>, report: &mut UpdateReport) -> Result<()> {
        let store = files.store;
        let profile = store.make_profile(name, cancel)?;
        let corrupt = self.matrix(&store.reader()?, cancel).map(|matrix| matrix.corrupt().to_vec()).unwrap_or_default();
        report.corrupt += corrupt.len() as u64;
        let mut changed = !corrupt.is_empty();
        if changed {
            // Without its rows they are embedded again.
            store.prune_vectors(profile.id, source::FORM, &corrupt, false, true, cancel)?;
        }
        let listed = self.list(files, cancel, &mut changed)?;
        let missing = store.reader()?.unembedded(profile.id, source::FORM, &self.classes(), self.bounds.max_sources)?;
        let total = missing.len() as u64;
        progress(0, total);
        if let Err(refusal) = self.embed(files, profile.id, missing, cancel, &mut |done| progress(done, total), report)? {
            report.reason = Some(refusal);
        }
        changed |= report.embedded > 0;
        report.removed = store.prune_vectors(profile.id, source::FORM, &[], listed, changed, cancel)?;
        // Read now, so that the next request need not wait for it.
        let _ = self.matrix(&store.reader()?, cancel);
        Ok(())
    }

    /// Lists what the chunks of new files are embedded as; whether that is known of all files now.
    fn list(&self, files: &Files<'_>, cancel: &Cancel, changed: &mut bool) -> Result<bool> {
        let (mut after, mut all) = (0, true);
        loop {
            let reader = files.store.reader()?;
            let new = reader.files_without_sources(source::FORM, after, FILES_PER_BATCH)?;
            let Some(last) = new.last() else { return Ok(all) };
            after = last.file;
            *changed = true;
            let mut sources = Vec::with_capacity(new.len());
            for file in new {
                cancel.check()?;
                if cancel.is_late() {
                    return Ok(false);
                }
                match sources_of(&reader, files, file.file, cancel)? {
                    Some(found) => sources.push((file, found.iter().map(source::Source::row).collect())),
                    None => all = false,
                }
            }
            drop(reader);
            files.store.put_sources(source::FORM, &sources, cancel)?;
        }
    }

    /// Embeds chunks, batch by batch, each kept at once.
    fn embed(
        &self,
        files: &Files<'_>,
        profile: i64,
        missing: Vec<Unembedded>,
        cancel: &Cancel,
        progress: &mut dyn FnMut(u64),
        report: &mut UpdateReport,
    ) -> Result<Result<(), Refusal>> {
        let mut batch: Vec<(Hash, String)> = Vec::new();
        let mut known: HashSet<Hash> = HashSet::new();
        let mut refused = None;
        let mut done = 0;
        let mut rest = missing.as_slice();
        while !rest.is_empty() || !batch.is_empty() {
            cancel.check()?;
            if cancel.is_late() {
                return Ok(Err(Refusal::new("time-out", "the time was up before all chunks had their vectors")));
            }
            // A reader is not held while the embedder works: it would keep the log from being emptied.
            while batch.len() < self.bounds.batch_size && !rest.is_empty() {
                let file = rest[0].file;
                let (of_file, others) = rest.split_at(rest.iter().take_while(|chunk| chunk.file == file).count());
                rest = others;
                done += of_file.len() as u64;
                let sources = sources_of(&files.store.reader()?, files, file, cancel)?.unwrap_or_default();
                let texts: HashMap<Hash, String> = sources.into_iter().map(|source| (source.hash, source.text)).collect();
                for chunk in of_file {
                    if let Some(text) = texts.get(&chunk.hash)
                        && known.insert(chunk.hash)
                    {
                        batch.push((chunk.hash, text.clone()));
                    }
                }
            }
            let now: Vec<(Hash, String)> = batch.drain(..batch.len().min(self.bounds.batch_size)).collect();
            if now.is_empty() {
                continue;
            }
            report.calls += 1;
            let (hashes, texts): (Vec<Hash>, Vec<String>) = now.into_iter().unzip();
            let vectors = match self.call(texts, cancel) {
                Ok(vectors) => vectors,
                Err(refusal) => return Ok(Err(refusal)),
            };
            let mut kept = Vec::with_capacity(vectors.len());
            for (hash, checked) in hashes.into_iter().zip(vectors) {
                match checked {
                    Checked::Vector(vector) => kept.push((hash, vector::encode(&vector))),
                    // Remembered, so that it is not asked again.
                    Checked::Zero => kept.push((hash, Vec::new())),
                    Checked::Corrupt(what) => {
                        report.corrupt += 1;
                        refused = Some(Refusal::new("vector", format!("vectors were refused: {what}")));
                    }
                }
            }
            if kept.is_empty() {
                break;
            }
            report.embedded += kept.len() as u64;
            files.store.put_vectors(profile, &kept, cancel)?;
            progress(done);
        }
        Ok(refused.map_or(Ok(()), Err))
    }
}
