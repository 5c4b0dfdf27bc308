//! Reads, judges, parses and tokenises one file, off the writer's thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::SyncTimings;
use super::plan::{Action, Rules, Step};
use crate::admit::{self, Admitted, Encoding, Verdict};
use crate::cancel::Cancel;
use crate::discover::Entry;
use crate::error::{Code, Result};
use crate::exclude::RuleId;
use crate::hash::Hash;
use crate::language::{self, Language};
use crate::limits::Bounds;
use crate::places::{FileTerms, file_terms};
use crate::rel_path::RelPath;
use crate::root::{Facts, Root};
use crate::store::{KnownFile, NewFile, Packed, Packer, Reader, Store, now_ms};
use crate::syntax::{self, Parsed};

/// What a look at a step gave.
#[derive(Debug)]
pub(super) enum Seen {
    /// It needs no reading, or there was no time or room for it.
    Nothing,
    Gone,
    Unreadable(String),
    Refused {
        rule: RuleId,
        facts: Facts,
        read_at: i64,
    },
    /// The content that is indexed.
    Same {
        facts: Facts,
        read_at: i64,
    },
    Ready(Box<Ready>),
}

/// A file that is ready to be written.
#[derive(Debug)]
pub(super) struct Ready {
    pub(super) admitted: Admitted,
    pub(super) parsed: Parsed,
    pub(super) reused: bool,
    language: Option<&'static Language>,
    text_hash: Hash,
    packed: Packed,
    terms: FileTerms,
    read_at: i64,
}

impl Ready {
    /// The file as the store takes it.
    pub(super) fn new_file<'a>(&'a self, path: &'a RelPath, tracked: bool, modified: bool, rules: Hash) -> NewFile<'a> {
        NewFile {
            path,
            hash: self.admitted.hash,
            facts: self.admitted.facts,
            language: self.language.map(|language| language.name),
            tracked,
            modified,
            generated: self.admitted.generated,
            text_hash: self.text_hash,
            parsed: &self.parsed,
            packed: &self.packed,
            terms: &self.terms,
            rules,
            read_at: self.read_at,
        }
    }
}

/// What one thread looks with.
pub(super) struct Desk<'store> {
    reader: Reader<'store>,
    packer: Packer,
}

/// What all looks of a sync share.
pub(super) struct Looker<'sync> {
    pub(super) root: &'sync Root,
    pub(super) store: &'sync Store,
    pub(super) bounds: &'sync Bounds,
    pub(super) rules: &'sync Rules,
    pub(super) cancel: &'sync Cancel,
    /// Bytes of the files accepted so far, as the writer counts them.
    pub(super) accepted: AtomicU64,
    read_ns: AtomicU64,
    hash_ns: AtomicU64,
    rules_ns: AtomicU64,
    parse_ns: AtomicU64,
    terms_ns: AtomicU64,
    pack_ns: AtomicU64,
}

impl<'sync> Looker<'sync> {
    pub(super) fn new(root: &'sync Root, store: &'sync Store, bounds: &'sync Bounds, rules: &'sync Rules, cancel: &'sync Cancel) -> Self {
        let zero = AtomicU64::default;
        Looker {
            root,
            store,
            bounds,
            rules,
            cancel,
            accepted: zero(),
            read_ns: zero(),
            hash_ns: zero(),
            rules_ns: zero(),
            parse_ns: zero(),
            terms_ns: zero(),
            pack_ns: zero(),
        }
    }

    /// What a thread needs to look at files, for as long as no parse is remembered in between that it should know.
    pub(super) fn desk(&self) -> Result<Desk<'sync>> {
        Ok(Desk { reader: self.store.reader()?, packer: Packer::new()? })
    }

    /// Looks at a step, if it is one to be read.
    pub(super) fn look(&self, step: &Step<'_>, desk: &mut Desk<'_>) -> Result<Seen> {
        let Step::File { entry, known, action: Action::Read } = step else { return Ok(Seen::Nothing) };
        // What does not fit now will not fit in its turn.
        if self.cancel.should_stop() || !self.fits(entry) {
            return Ok(Seen::Nothing);
        }
        self.read(&entry.path, entry.facts, known.as_ref(), desk)
    }

    /// Whether the file still fits into the bound on all bytes.
    pub(super) fn fits(&self, entry: &Entry) -> bool {
        self.accepted.load(Ordering::Relaxed).saturating_add(entry.facts.size) <= self.bounds.max_total_bytes
    }

    /// Reads and judges a path; `facts` are those of its listing.
    pub(super) fn read(&self, path: &RelPath, facts: Facts, known: Option<&KnownFile>, desk: &mut Desk<'_>) -> Result<Seen> {
        let read_at = now_ms();
        let verdict = match timed(&self.read_ns, || admit::read(self.root, path, self.bounds)) {
            Ok(Ok(content)) => {
                let hash = timed(&self.hash_ns, || content.hash());
                timed(&self.rules_ns, || content.judge(hash, self.bounds))
            }
            Ok(Err(verdict)) => verdict,
            Err(error) if error.code == Code::Io => return Ok(Seen::Unreadable(error.message)),
            Err(error) => return Err(error),
        };
        let admitted = match verdict {
            Verdict::Admitted(admitted) => *admitted,
            Verdict::Refused { rule, facts: found } => return Ok(Seen::Refused { rule, facts: found.unwrap_or(facts), read_at }),
            Verdict::Gone => return Ok(Seen::Gone),
        };
        if known.is_some_and(|known| known.hash == Some(admitted.hash) && known.rules == self.rules.of(path)) {
            return Ok(Seen::Same { facts: admitted.facts, read_at });
        }
        let language = language::of_mapped(path, admitted.text.lines().next().unwrap_or_default(), &self.bounds.languages);
        let is_as_read = admitted.encoding == Encoding::Utf8 && admitted.redactions.is_empty();
        let text_hash = if is_as_read { admitted.hash } else { Hash::of(admitted.text.as_bytes()) };
        let remembered = desk.reader.parse_of(&admitted.text, &text_hash, syntax::parser_id(language))?;
        let reused = remembered.is_some();
        let parsed = remembered.unwrap_or_else(|| timed(&self.parse_ns, || syntax::parse(language, &admitted.text)));
        let terms = timed(&self.terms_ns, || file_terms(path, &parsed.symbols, &admitted.text));
        let packed = timed(&self.pack_ns, || desk.packer.pack(&admitted.text, &parsed, reused))?;
        Ok(Seen::Ready(Box::new(Ready { admitted, parsed, reused, language, text_hash, packed, terms, read_at })))
    }

    /// Adds the time spent to a sync's timings.
    pub(super) fn add_timings(&self, timings: &mut SyncTimings) {
        let milliseconds = |counter: &AtomicU64| counter.load(Ordering::Relaxed) as f64 / 1e6;
        timings.read += milliseconds(&self.read_ns);
        timings.hash += milliseconds(&self.hash_ns);
        timings.rules += milliseconds(&self.rules_ns);
        timings.parse += milliseconds(&self.parse_ns);
        timings.terms += milliseconds(&self.terms_ns);
        timings.pack += milliseconds(&self.pack_ns);
    }
}

fn timed<T>(counter: &AtomicU64, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    counter.fetch_add(start.elapsed().as_nanos() as u64, Ordering::Relaxed);
    done
}
