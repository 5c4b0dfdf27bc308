//! One file that turned out to have changed.

use super::look::{Looker, Ready, Seen};
use super::plan::Rules;
use crate::admit::Admitted;
use crate::cancel::Cancel;
use crate::error::{Code, Error, Result};
use crate::exclude::RuleId;
use crate::limits::Bounds;
use crate::rel_path::RelPath;
use crate::root::{Facts, Root};
use crate::store::{Store, Writer};
use crate::syntax::Parsed;

/// What a file is now.
#[derive(Debug)]
pub struct Reindexed {
    pub found: FoundNow,
    /// Whether the index was written; not while another process or thread indexes.
    pub written: bool,
}

/// The verdict on a file that was read again.
#[derive(Debug)]
pub enum FoundNow {
    /// It may be quoted: its bytes' text, and what the parser made of it.
    Admitted(Box<(Admitted, Parsed)>),
    /// A rule keeps it out.
    Refused(RuleId),
    Gone,
}

/// Reads, judges and parses one file again, and indexes it if nobody else is writing.
///
/// # Errors
/// `Io` if the operating system refuses the read; `RootReplaced`; store errors.
pub fn reindex(root: &Root, store: &Store, bounds: &Bounds, path: &RelPath) -> Result<Reindexed> {
    root.verify()?;
    let (rules, cancel) = (Rules::new(bounds), Cancel::default());
    let looker = Looker::new(root, store, bounds, &rules, &cancel);
    let seen = looker.read(path, Facts::default(), None, &mut looker.desk()?)?;
    let known = store.reader()?.file_at(path)?;
    let (tracked, modified) = known.as_ref().map_or((false, true), |known| (known.tracked, true));
    let write = |work: &dyn Fn(&mut Writer<'_>) -> Result<()>| -> Result<bool> {
        let Some(mut writer) = store.writer()? else { return Ok(false) };
        work(&mut writer)?;
        writer.commit()?;
        Ok(true)
    };
    match seen {
        Seen::Ready(ready) => {
            let written = write(&|writer| writer.put_file(&ready.new_file(path, tracked, modified, rules.of(path))).map(|_| ()))?;
            let Ready { admitted, parsed, .. } = *ready;
            Ok(Reindexed { found: FoundNow::Admitted(Box::new((admitted, parsed))), written })
        }
        Seen::Refused { rule, facts, read_at } => {
            let written = write(&|writer| writer.put_refused(path, facts, rule, tracked, modified, rules.of(path), read_at))?;
            Ok(Reindexed { found: FoundNow::Refused(rule), written })
        }
        Seen::Gone => {
            let written = write(&|writer| known.as_ref().map_or(Ok(()), |known| writer.remove(known.id)))?;
            Ok(Reindexed { found: FoundNow::Gone, written })
        }
        Seen::Unreadable(why) => Err(Error::new(Code::Io, why)),
        Seen::Nothing | Seen::Same { .. } => Err(Error::new(Code::Internal, format!("the reading of {path} gave nothing"))),
    }
}
