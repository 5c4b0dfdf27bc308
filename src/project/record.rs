//! The record of answers: manifests in memory at once, in the store off the answer's path, completed once.

use std::collections::VecDeque;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Access, Project, lock};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::manifest::{GateCounts, Manifest, Removed};
use crate::store::{ActualUsage, StoredManifest};

/// Manifests that a handle keeps in memory.
const RECENT_MANIFESTS: usize = 8;

/// The newest manifests of a handle, newest first: there before they are stored.
#[derive(Debug, Default)]
pub(super) struct Record {
    recent: Mutex<VecDeque<(Manifest, Option<ActualUsage>)>>,
    /// Held while a manifest is stored, so that its newest state is what is stored last.
    storing: Mutex<()>,
    made: AtomicU64,
}

impl Record {
    pub(super) fn next_number(&self) -> u64 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }

    pub(super) fn remember(&self, manifest: &Manifest) {
        let mut recent = lock(&self.recent);
        recent.push_front((manifest.clone(), None));
        recent.truncate(RECENT_MANIFESTS);
    }

    fn manifest(&self, id: &str) -> Option<Manifest> {
        lock(&self.recent).iter().find(|(manifest, _)| manifest.id == id).map(|(manifest, _)| manifest.clone())
    }

    fn amend(&self, id: &str, amendment: Amendment) -> Option<Manifest> {
        let mut recent = lock(&self.recent);
        let (manifest, _) = recent.iter_mut().find(|(manifest, _)| manifest.id == id)?;
        manifest.amend(amendment.removed, amendment.gate);
        if let Some(reason) = amendment.fallback {
            manifest.fall_back(reason);
        }
        Some(manifest.clone())
    }

    fn usage(&self, id: &str) -> Option<ActualUsage> {
        lock(&self.recent).iter().find(|(manifest, _)| manifest.id == id).and_then(|(_, usage)| *usage)
    }

    /// Whether the manifest took the usage; `None` if it is not in memory.
    fn complete(&self, id: &str, usage: &ActualUsage) -> Option<bool> {
        let mut recent = lock(&self.recent);
        let (manifest, known) = recent.iter_mut().find(|(manifest, _)| manifest.id == id)?;
        if known.is_some() {
            return Some(false);
        }
        manifest.complete(usage.total_input());
        *known = Some(*usage);
        Some(true)
    }
}

/// What became of an answer after it was given.
#[derive(Debug, Default)]
pub struct Amendment {
    /// Blocks that were taken out of the conversation.
    pub removed: Vec<Removed>,
    /// What the checks of requests did since the last amendment.
    pub gate: GateCounts,
    /// Why the answer was not used after all.
    pub fallback: Option<String>,
}

impl Project {
    /// Stores a manifest, off the path of the answer that it describes.
    ///
    /// # Errors
    /// Store errors; the manifest is still among [`Project::manifests`] of this handle.
    pub fn save_manifest(&self, manifest: &Manifest, cancel: &Cancel) -> Result<()> {
        let Access::Open(open) = &self.access else { return Ok(()) };
        let _one_at_a_time = lock(&open.record.storing);
        let newest = open.record.manifest(&manifest.id);
        let Some(json) = newest.as_ref().unwrap_or(manifest).to_bounded_json() else { return Ok(()) };
        open.store.save_manifest(&manifest.id, manifest.created_at, &json, cancel)?;
        // The reply's usage may have come before the disk was ready.
        if let Some(usage) = open.record.usage(&manifest.id) {
            open.store.complete_manifest(&manifest.id, &usage, cancel)?;
        }
        Ok(())
    }

    /// Adds the model's count of its input to a pending manifest; false if it is unknown or has one.
    ///
    /// # Errors
    /// Store errors.
    pub fn record_usage(&self, manifest_id: &str, usage: &ActualUsage, cancel: &Cancel) -> Result<bool> {
        let Access::Open(open) = &self.access else { return Ok(false) };
        match open.record.complete(manifest_id, usage) {
            Some(false) => Ok(false),
            Some(true) => open.store.complete_manifest(manifest_id, usage, cancel).map(|_| true),
            None => open.store.complete_manifest(manifest_id, usage, cancel),
        }
    }

    /// Adds to a manifest of this handle what became of its blocks; the manifest as it is then. `None` if it is not among the newest.
    ///
    /// # Errors
    /// Store errors; the manifest of this handle is amended all the same.
    pub fn amend_manifest(&self, manifest_id: &str, amendment: Amendment, cancel: &Cancel) -> Result<Option<Manifest>> {
        let Access::Open(open) = &self.access else { return Ok(None) };
        let _one_at_a_time = lock(&open.record.storing);
        let amended = open.record.amend(manifest_id, amendment);
        if let Some(json) = amended.as_ref().and_then(Manifest::to_bounded_json) {
            open.store.replace_manifest(manifest_id, &json, cancel)?;
        }
        Ok(amended)
    }

    /// One manifest; `None` if it is unknown, or was pruned.
    ///
    /// # Errors
    /// Store errors.
    pub fn manifest(&self, id: &str) -> Result<Option<Manifest>> {
        let Access::Open(open) = &self.access else { return Ok(None) };
        if let Some(recent) = open.record.manifest(id) {
            return Ok(Some(recent));
        }
        Ok(open.store.reader()?.manifest(id)?.and_then(readable))
    }

    /// The newest manifests, newest first.
    ///
    /// # Errors
    /// Store errors.
    pub fn manifests(&self, limit: usize) -> Result<Vec<Manifest>> {
        let Access::Open(open) = &self.access else { return Ok(Vec::new()) };
        let mut manifests: Vec<Manifest> = lock(&open.record.recent).iter().take(limit).map(|(manifest, _)| manifest.clone()).collect();
        if manifests.len() < limit {
            for stored in open.store.reader()?.manifests(limit)? {
                if manifests.iter().any(|known| known.id == stored.id) {
                    continue;
                }
                manifests.extend(readable(stored));
            }
            manifests.truncate(limit);
        }
        Ok(manifests)
    }
}

/// One of a later version, or a damaged one, is no manifest that we can show.
fn readable(stored: StoredManifest) -> Option<Manifest> {
    let mut manifest = serde_json::from_str::<Manifest>(&stored.json).ok()?;
    if let Some(usage) = stored.usage {
        manifest.complete(usage.total_input());
    }
    Some(manifest)
}
