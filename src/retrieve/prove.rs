//! Nothing leaves without this: a fresh read, a hash, and lines cut from those very bytes.

use std::collections::HashMap;

use super::rank::Candidate;
use super::term::{Term, Terms};
use super::weights::{WEIGHTS, bounds};
use super::window::{self, Around, Worth};
use super::{Reason, cut};
use crate::admit::{Admitted, Verdict, admit};
use crate::cancel::Cancel;
use crate::classify::{Class, Classes};
use crate::discover::{Judge, Standing};
use crate::error::{Code, Error, Result};
use crate::exclude::{PATH_UNREADABLE, RuleId};
use crate::hash::Hash;
use crate::language;
use crate::limits::Bounds;
use crate::lines::LineIndex;
use crate::places::{self, file_terms};
use crate::rel_path::RelPath;
use crate::root::Root;
use crate::secrets;
use crate::store::FileRow;
use crate::syntax::{self, Span, SymbolKind, symbol_id, symbol_snippet_id, text_snippet_id};

/// A quotation that was read, hashed and cut from the live file. Only this module makes one.
#[derive(Debug, Clone, PartialEq)]
pub struct Proven {
    path: RelPath,
    hash: Hash,
    start_line: u32,
    end_line: u32,
    text: String,
    cut: bool,
    redacted: bool,
    snippet_id: Hash,
    score: f64,
    reasons: Vec<Reason>,
    modified: bool,
    symbol: Option<String>,
    class: Class,
}

impl Proven {
    pub fn path(&self) -> &RelPath {
        &self.path
    }

    /// SHA-256 of the whole file's raw bytes, from which the quote was cut.
    pub fn hash(&self) -> Hash {
        self.hash
    }

    pub fn start_line(&self) -> u32 {
        self.start_line
    }

    pub fn end_line(&self) -> u32 {
        self.end_line
    }

    /// The lines, without the last one's line end.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a declaration goes on around the quote.
    pub fn cut(&self) -> bool {
        self.cut
    }

    /// Whether markers stand in the quote in place of secrets.
    pub fn redacted(&self) -> bool {
        self.redacted
    }

    pub fn snippet_id(&self) -> Hash {
        self.snippet_id
    }

    pub fn score(&self) -> f64 {
        self.score
    }

    pub fn reasons(&self) -> &[Reason] {
        &self.reasons
    }

    /// Whether the file differs from the indexed revision or is untracked.
    pub fn modified(&self) -> bool {
        self.modified
    }

    /// The qualified name of the declaration that is quoted, whole or in part.
    pub fn symbol(&self) -> Option<&str> {
        self.symbol.as_deref()
    }

    /// The highest class of any marked span of the file that the lines touch, read from the same bytes.
    pub fn class(&self) -> Class {
        self.class
    }

    /// Why it was chosen, in one line for people and models.
    pub fn relevance(&self) -> String {
        let mut parts: Vec<&str> = self.reasons.iter().map(|reason| reason.text.as_str()).collect();
        parts.extend(self.cut.then_some("the quote is cut: more of it stands around these lines"));
        parts.extend(self.redacted.then_some("secret values in it are replaced by [redacted:…] markers"));
        parts.join("; ")
    }
}

/// What a declaration is called, to find it again in another version of its file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Named {
    pub(super) kind: SymbolKind,
    pub(super) qualified_name: String,
    pub(super) span: Span,
}

/// What to quote.
#[derive(Debug, Clone)]
pub(super) struct Claim {
    pub(super) path: RelPath,
    pub(super) hash: Hash,
    pub(super) lines: (u32, u32),
    pub(super) cut: bool,
    pub(super) score: f64,
    pub(super) reasons: Vec<Reason>,
    pub(super) modified: bool,
    pub(super) symbol: Option<Named>,
    /// Whether the lines are those that the request asks for, whatever version of the file it is.
    pub(super) asked_for: bool,
}

impl From<&Candidate> for Claim {
    fn from(candidate: &Candidate) -> Claim {
        Claim {
            path: candidate.row.path.clone(),
            hash: candidate.row.hash,
            lines: (candidate.start_line, candidate.end_line),
            cut: candidate.cut,
            score: candidate.score,
            reasons: candidate.reasons.clone(),
            modified: candidate.row.modified,
            asked_for: candidate.row.is_unknown(),
            symbol: candidate.symbol.as_ref().map(|hit| Named { kind: hit.kind, qualified_name: hit.qualified_name.clone(), span: hit.span }),
        }
    }
}

impl Claim {
    /// The id of the lines as a snippet: that of the symbol's chunk if they hold a whole declaration, else that of the lines.
    pub(super) fn snippet_id(&self, project: &str, (start, end): (u32, u32)) -> Hash {
        let path = self.path.as_str();
        match &self.symbol {
            Some(named) if start <= named.span.start_line && end >= named.span.end_line => {
                let id = symbol_id(project, path, &self.hash, named.span.start_line, named.span.end_line, named.kind, &named.qualified_name);
                symbol_snippet_id(&id, start, end)
            }
            _ => text_snippet_id(project, path, &self.hash, start, end),
        }
    }
}

/// What became of a claim.
#[derive(Debug)]
pub(super) enum Outcome {
    Proven(Box<Proven>),
    /// The file is another than the index knows.
    Changed,
    /// The file is not there any more, or may not be quoted any more.
    Dropped(Option<RuleId>),
}

/// A file as it is now.
enum Live {
    Text { admitted: Box<Admitted>, lines: LineIndex, classes: Classes },
    Dropped(Option<RuleId>),
}

/// Reads each file once per answer.
pub(super) struct Prover<'a> {
    root: &'a Root,
    bounds: &'a Bounds,
    judge: Option<Judge<'a>>,
    cancel: Cancel,
    live: HashMap<RelPath, Live>,
    /// Why files that belong to the project could not be read.
    unreadable: HashMap<RelPath, Error>,
    files_read: u64,
}

impl<'a> Prover<'a> {
    pub(super) fn new(root: &'a Root, bounds: &'a Bounds, cancel: &Cancel) -> Self {
        Prover { root, bounds, judge: None, cancel: cancel.clone(), live: HashMap::new(), unreadable: HashMap::new(), files_read: 0 }
    }

    /// Files read so far.
    pub(super) fn files_read(&self) -> u64 {
        self.files_read
    }

    /// Whether the path still belongs to the project: rules may have changed since it was indexed, and callers may name any path.
    fn standing(&mut self, path: &RelPath) -> Result<Standing> {
        let judge = match self.judge.take() {
            Some(judge) => judge,
            None => Judge::new(self.root, self.bounds)?,
        };
        self.judge.insert(judge).standing(path, &self.cancel)
    }

    /// Whether a listing made now would name the file.
    pub(super) fn is_listed(&mut self, path: &RelPath) -> Result<bool> {
        Ok(self.standing(path)? == Standing::Listed)
    }

    fn live(&mut self, path: &RelPath) -> Result<&Live> {
        if !self.live.contains_key(path) {
            let live = match self.standing(path)? {
                Standing::Absent => Live::Dropped(None),
                Standing::Excluded(rule) => Live::Dropped(Some(rule)),
                Standing::Listed => {
                    self.files_read += 1;
                    match admit(self.root, path, self.bounds) {
                        Ok(Verdict::Admitted(admitted)) => Live::Text { lines: LineIndex::new(&admitted.text), classes: Classes::of(&admitted.text), admitted },
                        Ok(Verdict::Refused { rule, .. }) => Live::Dropped(Some(rule)),
                        Ok(Verdict::Gone) => Live::Dropped(None),
                        // Of many files that are looked into, one that can't be read must not take the answer with it.
                        Err(error) if error.code == Code::Io => {
                            self.unreadable.insert(path.clone(), error);
                            Live::Dropped(Some(PATH_UNREADABLE))
                        }
                        Err(error) => return Err(error),
                    }
                }
            };
            self.live.insert(path.clone(), live);
        }
        Ok(&self.live[path])
    }

    /// The text of a file, if the file is still what the index knows.
    pub(super) fn as_indexed(&mut self, row: &FileRow) -> Result<Option<(&str, &LineIndex)>> {
        Ok(match self.live(&row.path)? {
            Live::Text { admitted, lines, .. } if admitted.hash == row.hash => Some((&admitted.text, lines)),
            _ => None,
        })
    }

    /// Cuts the quote of a candidate whose lines are known only about. Where the file is not what the index knows, it is left to the proof.
    pub(super) fn cut(&mut self, candidate: &mut Candidate) -> Result<()> {
        let Some(around) = candidate.around.take() else { return Ok(()) };
        let Some((text, lines)) = self.as_indexed(&candidate.row)? else { return Ok(()) };
        let (quoted, cut) = match &candidate.symbol {
            Some(symbol) => cut::around_evidence(symbol, &around, lines, text),
            None => (around.lines(lines, text), false),
        };
        (candidate.start_line, candidate.end_line) = quoted;
        candidate.cut = cut;
        if let Some((_, phrase)) = candidate.phrases.iter().find(|(line, _)| (quoted.0..=quoted.1).contains(line)) {
            candidate.reasons.insert(0, Reason { code: "phrase", text: format!("exact phrase {phrase}") });
        }
        Ok(())
    }

    /// The file as it is now, or the rule that keeps it out (`None`: it is gone).
    pub(super) fn admitted(&mut self, path: &RelPath) -> Result<std::result::Result<&Admitted, Option<RuleId>>> {
        Ok(match self.live(path)? {
            Live::Text { admitted, .. } => Ok(admitted),
            Live::Dropped(rule) => Err(*rule),
        })
    }

    /// The highest class of the lines of a file as it is now; `lines` beyond the file are moved into it. `None` if it may not be quoted.
    pub(super) fn class_of(&mut self, path: &RelPath, lines: (u32, u32)) -> Result<Option<Class>> {
        Ok(match self.live(path)? {
            Live::Text { lines: index, classes, .. } => Some(classes.of_range(index.bytes(lines.0, lines.1))),
            Live::Dropped(_) => None,
        })
    }

    /// The file as it is now, for a caller who named it.
    ///
    /// # Errors
    /// `NotFound`; `Excluded` naming the rule; `Io`.
    pub(super) fn demanded(&mut self, path: &RelPath) -> Result<&Admitted> {
        self.live(path)?;
        if let Some(error) = self.unreadable.get(path) {
            return Err(error.clone());
        }
        self.admitted(path)?.map_err(|rule| match rule {
            None => Error::new(Code::NotFound, format!("{path}: there is no such file in the project")),
            Some(rule) => excluded(path, rule),
        })
    }

    /// The hash of the file as it is now, or the rule that keeps it out (`None`: it is gone).
    pub(super) fn hash_of(&mut self, path: &RelPath) -> Result<std::result::Result<Hash, Option<RuleId>>> {
        Ok(self.admitted(path)?.map(|admitted| admitted.hash))
    }

    /// Proves a claim against the live file.
    pub(super) fn prove(&mut self, claim: &Claim) -> Result<Outcome> {
        let project = self.root.id().to_owned();
        Ok(match self.live(&claim.path)? {
            Live::Dropped(rule) => Outcome::Dropped(*rule),
            Live::Text { admitted, .. } if admitted.hash != claim.hash => Outcome::Changed,
            Live::Text { admitted, lines, classes } => proven(&project, claim, admitted, lines, classes),
        })
    }

    /// Cuts the quote anew from the bytes as they are, without the index: the declaration of the same name, else the best lines for the terms.
    pub(super) fn recut(&mut self, claim: &Claim, terms: &[Term]) -> Result<Outcome> {
        let (project, bounds) = (self.root.id().to_owned(), self.bounds);
        Ok(match self.live(&claim.path)? {
            Live::Dropped(rule) => Outcome::Dropped(*rule),
            Live::Text { admitted, lines, classes } => match moved(claim, &admitted.text, lines, terms, bounds) {
                Some(moved) => proven(&project, &Claim { hash: admitted.hash, modified: true, ..moved }, admitted, lines, classes),
                None => Outcome::Dropped(None),
            },
        })
    }

    /// The lines of a file as they are, for a caller who names them, and how many the file has.
    pub(super) fn exactly(&mut self, path: &RelPath, lines: Option<(u32, u32)>, modified: bool) -> Result<std::result::Result<(Proven, u32), Option<RuleId>>> {
        let project = self.root.id().to_owned();
        Ok(match self.live(path)? {
            Live::Dropped(rule) => Err(*rule),
            Live::Text { admitted, lines: index, classes } => {
                let reasons = vec![Reason { code: "read", text: "read by name".to_owned() }];
                let range = lines.unwrap_or((1, index.count().max(1)));
                let claim =
                    Claim { path: path.clone(), hash: admitted.hash, lines: range, cut: false, score: 0.0, reasons, modified, symbol: None, asked_for: true };
                match proven(&project, &claim, admitted, index, classes) {
                    Outcome::Proven(proven) => Ok((*proven, index.count())),
                    Outcome::Dropped(rule) => Err(rule),
                    Outcome::Changed => Err(None),
                }
            }
        })
    }
}

fn proven(project: &str, claim: &Claim, admitted: &Admitted, index: &LineIndex, classes: &Classes) -> Outcome {
    let (start, end) = (claim.lines.0.max(1), claim.lines.1.min(index.count().max(1)));
    if end < start {
        return Outcome::Dropped(None);
    }
    let (text, place) = (index.slice(&admitted.text, start, end), index.bytes(start, end));
    // The whole file was judged; this is the last look at what leaves.
    let told = claim.reasons.iter().map(|reason| reason.text.as_str());
    if let Some(finding) = [text, claim.path.as_str()].into_iter().chain(told).find_map(|part| secrets::scan(part).into_iter().next()) {
        return Outcome::Dropped(Some(finding.rule));
    }
    Outcome::Proven(Box::new(Proven {
        path: claim.path.clone(),
        hash: admitted.hash,
        start_line: start,
        end_line: end,
        text: text.to_owned(),
        cut: claim.cut,
        redacted: admitted.redactions.iter().any(|mark| mark.start < place.end && place.start < mark.end),
        snippet_id: Claim { hash: admitted.hash, ..claim.clone() }.snippet_id(project, (start, end)),
        score: claim.score,
        reasons: claim.reasons.clone(),
        modified: claim.modified,
        symbol: claim.symbol.as_ref().map(|named| named.qualified_name.clone()),
        class: classes.of_range(index.bytes(start, end)),
    }))
}

/// Where the claim's text stands in another version of its file.
fn moved(claim: &Claim, text: &str, lines: &LineIndex, terms: &[Term], bounds: &Bounds) -> Option<Claim> {
    if claim.asked_for {
        // Of lines behind the end, its last ones are the nearest.
        let range = if claim.lines.0 > lines.count() { cut::around(claim.lines.0, lines.count()) } else { claim.lines };
        return Some(Claim { lines: range, ..claim.clone() });
    }
    if let Some(named) = &claim.symbol {
        let first_line = lines.slice(text, 1, 1);
        let parsed = syntax::parse(language::of_mapped(&claim.path, first_line, &bounds.languages), text);
        let same = parsed.symbols.iter().filter(|symbol| symbol.qualified_name == named.qualified_name);
        if let Some(symbol) = same.min_by_key(|symbol| (symbol.kind != named.kind, symbol.span.start_line.abs_diff(named.span.start_line))) {
            let (range, cut) = cut::span(symbol.span, symbol.doc, lines.count());
            let named = Named { kind: symbol.kind, span: symbol.span, ..named.clone() };
            return Some(Claim { lines: range, cut, symbol: Some(named), ..claim.clone() });
        }
    }
    let now = file_terms(&claim.path, &[], text);
    let held = |(number, _): &(_, _)| now.weights.binary_search_by_key(number, |(held, _)| *held).is_ok();
    let wanted: Vec<_> = Terms::new(terms).numbers(u64::MAX).into_iter().filter(held).collect();
    let found = places::find(&now.places, &wanted).ok()?;
    let best = window::best(&found, &Worth::among_lines(terms, &found, &WEIGHTS), &WEIGHTS, 1);
    let lines = best.first().map(|window| Around::new(*window, &found.hits, bounds::WINDOW).lines(lines, text))?;
    Some(Claim { lines, cut: false, symbol: None, ..claim.clone() })
}

/// What a caller is told of a file that a rule keeps out.
pub(super) fn excluded(path: &RelPath, rule: RuleId) -> Error {
    let shown = if secrets::in_path(path).is_some() { "a file with a secret in its path" } else { path.as_str() };
    Error::new(Code::Excluded, format!("{shown}: kept out by the rule {rule}"))
}

/// A snippet without a file behind it, for the tests of what is made of snippets.
#[cfg(any(test, feature = "fuzz"))]
pub(crate) fn proven_for_tests(path: RelPath, hash: Hash, lines: (u32, u32), text: &str, reasons: Vec<Reason>, modified: bool, cut: bool) -> Proven {
    let snippet_id = text_snippet_id("p", path.as_str(), &hash, lines.0, lines.1);
    Proven {
        path,
        hash,
        start_line: lines.0,
        end_line: lines.1,
        text: text.to_owned(),
        cut,
        redacted: text.contains("[redacted:"),
        snippet_id,
        score: 1.0,
        reasons,
        modified,
        symbol: None,
        class: Class::Normal,
    }
}
