//! The files that a request names: looked at before the listing, and between the batches of a sync that is under way.

use std::sync::{Mutex, PoisonError};

use super::look::{Looker, Seen};
use crate::discover::{Judge, Standing};
use crate::error::Result;
use crate::limits::MAX_NAMED_PATHS;
use crate::rel_path::RelPath;
use crate::root::Facts;
use crate::store::Writer;

/// Paths for the sync that is under way, which others wait for.
#[derive(Debug, Default)]
pub struct Urgent(Mutex<Vec<RelPath>>);

impl Urgent {
    /// Asks the sync to look at paths soon.
    pub fn ask(&self, paths: &[RelPath]) {
        let mut waiting = self.waiting();
        let room = MAX_NAMED_PATHS.saturating_sub(waiting.len());
        waiting.extend(paths.iter().take(room).cloned());
    }

    fn waiting(&self) -> std::sync::MutexGuard<'_, Vec<RelPath>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take(&self) -> Vec<RelPath> {
        std::mem::take(&mut *self.waiting())
    }
}

/// Indexes the named files that are new or have changed, and commits. What is gone or kept out is left to the listing.
pub(super) fn index(looker: &Looker<'_>, writer: &mut Writer<'_>, paths: &[RelPath]) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    let judge = Judge::new(looker.root, looker.bounds)?;
    for path in paths.iter().take(MAX_NAMED_PATHS) {
        if looker.cancel.should_stop() {
            break;
        }
        if judge.standing(path, looker.cancel)? != Standing::Listed {
            continue;
        }
        let known = looker.store.reader()?.file_at(path)?;
        let (tracked, rules) = (known.as_ref().is_some_and(|known| known.tracked), looker.rules.of(path));
        match looker.read(path, Facts::default(), None, &mut looker.desk()?)? {
            Seen::Ready(ready) if known.as_ref().is_none_or(|known| known.hash != ready.admitted.hash) => {
                writer.put_file(&ready.new_file(path, tracked, true, rules))?;
            }
            Seen::Refused { rule, facts, read_at } => writer.put_refused(path, facts, rule, tracked, true, rules, read_at)?,
            Seen::Ready(_) | Seen::Same { .. } | Seen::Gone | Seen::Unreadable(_) | Seen::Nothing => {}
        }
    }
    writer.commit()
}
