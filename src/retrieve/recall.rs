//! Candidate files from the index: what the request names, and what holds its rarest words.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::prove::Prover;
use super::role::{Asked, Role};
use super::term::Term;
use super::weights::{COMMIT_RANK_DECAY, Weights, bounds};
use crate::cancel::Cancel;
use crate::error::Result;
use crate::places::{self, TermNumber, Weight, term_number};
use crate::semantic::Hit;
use crate::store::{FileId, FileRow, Posting, Reader, SymbolHit};
use crate::task::{self, FileMention, RequestKind, TaskDescriptor};
use crate::terms;

/// What a term counts in the path, in the names that a file declares, and each time in a text of typical length.
const FIELDS: [f64; 3] = [3.0, 4.0, 1.0];
/// The same when a request asks for a file by the words of its name.
const FIELDS_FOR_FILES: [f64; 3] = [20.0, 1.0, 0.2];
/// Saturation of a repeated term.
const SATURATION: f64 = 1.2;

/// How a file is named by the request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct PathHit {
    /// Whether the whole mention is the path's end (or the path the mention's), and not only the base name.
    pub(super) exact: bool,
    /// Components in common.
    pub(super) depth: usize,
    pub(super) line: Option<u32>,
    /// The place of the mention in the request.
    pub(super) order: usize,
}

/// A declaration that the request names.
#[derive(Debug, Clone)]
pub(super) struct NamedSymbol {
    pub(super) hit: SymbolHit,
    /// As the request spells it.
    pub(super) wanted: String,
    /// Whether the request gives enclosing names, and they are right.
    pub(super) qualified: bool,
    pub(super) same_case: bool,
    /// In how many files the name is declared.
    pub(super) files: usize,
}

/// A candidate file.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) row: FileRow,
    /// BM25F of the file, as a share of the best one's.
    pub(super) full_text: f64,
    /// For each term whether the file holds it, the first term in the lowest bit.
    pub(super) holds: u64,
    pub(super) path: Option<PathHit>,
    pub(super) symbols: Vec<NamedSymbol>,
    /// The lines that hold a phrase of the request.
    pub(super) phrase_lines: Vec<(u32, String)>,
    /// What similar commits say for it, as a share of the file for which they say most, with the one that says most.
    pub(super) commits: f64,
    pub(super) commit: Option<String>,
    /// The terms, by their places, that the messages of those commits hold.
    pub(super) said: BTreeSet<usize>,
    /// Its chunks that are close to the request in meaning, closest first.
    pub(super) near: Vec<Near>,
}

/// A chunk that is close to the request in meaning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Near {
    pub(super) start_line: u32,
    pub(super) end_line: u32,
    /// The cosine.
    pub(super) similarity: f64,
    /// The place of its file among the files of close chunks, from 0 on.
    pub(super) rank: usize,
}

/// What was recalled.
#[derive(Debug)]
pub(super) struct Recalled {
    /// Worthiest first.
    pub(super) terms: Vec<Term>,
    /// Most promising first.
    pub(super) files: Vec<Found>,
    /// Postings, symbols and files looked at.
    pub(super) looked_at: u64,
}

/// Collects candidates; `near` are the chunks close in meaning, closest first, and `commits` says whether past commits may have a say. Phrases are looked for
/// in the files as they are now, by the prover.
#[allow(clippy::too_many_arguments)]
pub(super) fn recall(
    reader: &Reader<'_>,
    prover: &mut Prover<'_>,
    task: &TaskDescriptor,
    (terms, postings): (Vec<Term>, Vec<Vec<Posting>>),
    near: &[Hit],
    weights: &Weights,
    commits: bool,
    cancel: &Cancel,
) -> Result<Recalled> {
    let mut pool = Pool { reader, files: BTreeMap::new(), looked_at: 0 };
    for (order, mention) in task.files.iter().enumerate() {
        pool.add_path(mention, order)?;
    }
    for symbol in &task.symbols {
        pool.add_symbol(symbol)?;
        pool.add_module(symbol)?;
    }
    for phrase in task.phrases.iter().chain(&task.errors) {
        cancel.check()?;
        pool.add_phrase(phrase, prover, cancel)?;
    }
    if task.kind == RequestKind::Lookup && pool.holds_all_named(task) {
        // What is named is found, and nothing but it will be shown.
        pool.files.retain(|_, found| is_place_named(found));
    } else {
        pool.search(task, &terms, &postings, weights, commits)?;
        pool.add_near(near)?;
    }
    let looked_at = pool.looked_at;
    let files = pool.files.into_values();
    let asked_for = Asked::of(task);
    let strength = |found: &Found| {
        let factor = Role::of(&found.row.path, found.row.generated).factor(asked_for, weights);
        factor * (found.full_text + found.commits + weights.semantic * closeness(found))
    };
    let promise = |found: &Found| {
        let named = found.path.is_some_and(|path| path.exact) || found.symbols.iter().any(|symbol| symbol.qualified || symbol.same_case && symbol.files <= 4);
        (named, found.path.is_some() || !found.phrase_lines.is_empty() || !found.symbols.is_empty())
    };
    let mut judged: Vec<_> = files.into_iter().map(|found| (promise(&found), strength(&found), found)).collect();
    judged.sort_by(|(a_promise, a_strength, a), (b_promise, b_strength, b)| {
        b_promise.0.cmp(&a_promise.0).then(b_strength.total_cmp(a_strength)).then(b_promise.1.cmp(&a_promise.1)).then(a.row.path.cmp(&b.row.path))
    });
    judged.truncate(bounds::FILES);
    let mut files: Vec<Found> = judged.into_iter().map(|(.., found)| found).collect();
    for found in &mut files {
        let holds = |postings: &Vec<Posting>| postings.binary_search_by_key(&found.row.id, |posting| posting.file).is_ok();
        found.holds = postings.iter().enumerate().filter(|(_, postings)| holds(postings)).fold(0, |bits, (at, _)| bits | 1 << at);
    }
    Ok(Recalled { terms, files, looked_at })
}

/// The request's terms that the project holds, with their worth and their files.
pub(super) fn query_terms(reader: &Reader<'_>, task: &TaskDescriptor, weights: &Weights) -> Result<(Vec<Term>, Vec<Vec<Posting>>)> {
    let texts: Vec<String> = task.keywords.iter().map(|keyword| keyword.term.clone()).collect();
    let postings = reader.postings(&texts)?;
    let files = reader.totals()?.files as f64;
    let idf = |count: usize| (1.0 + (files - count as f64 + 0.5).max(0.5) / (count as f64 + 0.5)).ln();
    let greatest = postings.iter().filter(|found| !found.is_empty()).map(|found| idf(found.len())).fold(0.0, f64::max);
    let floor = if task.keywords.len() <= 5 { weights.short_idf_floor * greatest } else { 0.0 };
    let mut terms: Vec<(Term, Vec<Posting>)> = task
        .keywords
        .iter()
        .zip(postings)
        .filter(|(_, postings)| !postings.is_empty())
        .map(|(keyword, postings)| {
            let worth = idf(postings.len()).max(floor) * keyword.weight;
            (Term { text: keyword.term.clone(), worth, count: postings.len() as u64 }, postings)
        })
        .collect();
    terms.sort_by(|(a, _), (b, _)| b.worth.total_cmp(&a.worth).then(a.text.cmp(&b.text)));
    terms.truncate(bounds::SCAN_TERMS);
    Ok(terms.into_iter().unzip())
}

/// Whether a question names something, and its other words stand nowhere in the project: then they are only the manner of asking.
pub(super) fn asks_only_for_names(task: &TaskDescriptor, terms: &[Term]) -> bool {
    let names = task.symbols.iter().map(String::as_str).chain(task.files.iter().map(|file| file.path.as_str()));
    let own: HashSet<String> = names.flat_map(terms::query_terms).collect();
    task.kind == RequestKind::Question && !task::says_what_to_do(&task.title) && !own.is_empty() && terms.iter().all(|term| own.contains(&term.text))
}

/// What a term counts in a file, before its worth.
fn frequency(weight: Weight, [path, name, text]: [f64; 3]) -> f64 {
    let sum = text * weight.density() + if weight.in_path() { path } else { 0.0 } + if weight.in_name() { name } else { 0.0 };
    sum * (SATURATION + 1.0) / (sum + SATURATION)
}

struct Pool<'a, 'store> {
    reader: &'a Reader<'store>,
    files: BTreeMap<FileId, Found>,
    looked_at: u64,
}

impl Pool<'_, '_> {
    fn file(&mut self, id: FileId) -> Result<Option<&mut Found>> {
        if !self.files.contains_key(&id) {
            let Some(row) = self.reader.file(id)? else { return Ok(None) };
            self.insert(row);
        }
        Ok(self.files.get_mut(&id))
    }

    fn insert(&mut self, row: FileRow) -> &mut Found {
        self.files.entry(row.id).or_insert_with(|| Found {
            row,
            full_text: 0.0,
            holds: 0,
            path: None,
            symbols: Vec::new(),
            phrase_lines: Vec::new(),
            commits: 0.0,
            commit: None,
            said: BTreeSet::new(),
            near: Vec::new(),
        })
    }

    /// Adds what the words of the request and similar commits point to.
    fn search(&mut self, task: &TaskDescriptor, terms: &[Term], postings: &[Vec<Posting>], weights: &Weights, commits: bool) -> Result<()> {
        for symbol in &task.symbols {
            let simple = symbol.rsplit('.').next().unwrap_or(symbol);
            let whole = terms::query_terms(simple).into_iter().next();
            if let Some(at) = whole.and_then(|whole| terms.iter().position(|term| term.text == whole)) {
                self.add_full_text(&terms[at..=at], &postings[at..=at], FIELDS, 0.5)?;
            }
        }
        let fields = if task.kind == RequestKind::Lookup && task.symbols.is_empty() { FIELDS_FOR_FILES } else { FIELDS };
        self.add_full_text(terms, postings, fields, 1.0)?;
        if commits && task.kind != RequestKind::Lookup && weights.commits > 0.0 {
            let worthiest: Vec<String> = terms.iter().take(bounds::QUERY_TERMS).map(|term| term.text.clone()).collect();
            self.add_commits(&worthiest)?;
        }
        Ok(())
    }

    /// Adds the files of chunks that are close in meaning.
    fn add_near(&mut self, hits: &[Hit]) -> Result<()> {
        let mut ranks: HashMap<FileId, usize> = HashMap::new();
        for hit in hits {
            self.looked_at += 1;
            let next = ranks.len();
            let rank = *ranks.entry(hit.file).or_insert(next);
            if let Some(found) = self.file(hit.file)? {
                found.near.push(Near { start_line: hit.start_line, end_line: hit.end_line, similarity: hit.similarity, rank });
            }
        }
        Ok(())
    }

    /// Whether each symbol and file that the request names was found under exactly that name.
    fn holds_all_named(&self, task: &TaskDescriptor) -> bool {
        let symbol = |wanted: &String| self.files.values().any(|found| found.symbols.iter().any(|symbol| symbol.wanted == *wanted && is_sure(symbol)));
        let file = |order: usize| self.files.values().any(|found| found.path.is_some_and(|path| path.exact && path.order == order));
        task.symbols.iter().all(symbol) && (0..task.files.len()).all(file) && !(task.symbols.is_empty() && task.files.is_empty())
    }

    fn add_path(&mut self, mention: &FileMention, order: usize) -> Result<()> {
        let base = mention.path.rsplit('/').next().unwrap_or(&mention.path);
        for row in self.reader.files_named(&terms::fold(base), bounds::PER_NAME)? {
            self.looked_at += 1;
            let depth = common_end(row.path.as_str(), &mention.path);
            let exact = depth == mention.path.split('/').count() || depth == row.path.components().count();
            let hit = PathHit { exact, depth, line: mention.line, order };
            let found = self.insert(row);
            if found.path.is_none_or(|known| (hit.exact, hit.depth) > (known.exact, known.depth)) {
                found.path = Some(hit);
            }
        }
        Ok(())
    }

    /// A dotted name may be a module: `a.b.c` is `a/b/c.*`, `a/b.*` or `a/b/c/__init__.py`.
    fn add_module(&mut self, symbol: &str) -> Result<()> {
        let parts: Vec<&str> = symbol.split('.').collect();
        for end in (2..=parts.len()).rev() {
            let wanted = parts[..end].join("/");
            for row in self.reader.files_named(&terms::fold(parts[end - 1]), bounds::PER_NAME)? {
                self.looked_at += 1;
                let stem = row.path.as_str().rsplit_once('.').map_or(row.path.as_str(), |(stem, _)| stem);
                if common_end(stem, &wanted) == end {
                    let exact = end == parts.len();
                    let hit = PathHit { exact, depth: end, line: None, order: usize::MAX };
                    let found = self.insert(row);
                    found.path = found.path.or(Some(hit));
                }
            }
        }
        Ok(())
    }

    fn add_symbol(&mut self, wanted: &str) -> Result<()> {
        let simple = wanted.rsplit('.').next().unwrap_or(wanted);
        let hits = self.reader.symbols_named(&terms::fold(simple), bounds::PER_NAME)?;
        let mut per_file: HashMap<FileId, usize> = HashMap::new();
        for hit in &hits {
            *per_file.entry(hit.file).or_default() += usize::from(hit.name == simple);
        }
        let files = per_file.values().filter(|count| **count > 0).count().max(1);
        for hit in hits {
            self.looked_at += 1;
            let Some(found) = self.file(hit.file)? else { continue };
            let qualified = wanted.contains('.') && is_qualified(&found.row, &hit, wanted);
            let same_case = hit.name == simple;
            found.symbols.push(NamedSymbol { hit, wanted: wanted.to_owned(), qualified, same_case, files });
        }
        Ok(())
    }

    /// Files that hold the phrase; those are looked through that hold all of its terms in one line.
    fn add_phrase(&mut self, phrase: &str, prover: &mut Prover<'_>, cancel: &Cancel) -> Result<()> {
        let terms = terms::query_terms(phrase);
        let mut numbers: Vec<TermNumber> = terms.iter().map(|term| term_number(term)).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let numbers: Vec<_> = numbers.into_iter().zip(0..).collect();
        let mut postings = self.reader.postings(&terms)?;
        postings.sort_by_key(Vec::len);
        let Some((rarest, others)) = postings.split_first() else { return Ok(()) };
        let holds = |postings: &Vec<Posting>, file| postings.binary_search_by_key(&file, |posting| posting.file).is_ok();
        let all = rarest.iter().filter(|posting| others.iter().all(|postings| holds(postings, posting.file)));
        for posting in all.take(bounds::PER_PHRASE) {
            if cancel.is_late() {
                break;
            }
            self.looked_at += 1;
            let mut lines = lines_with_all(&self.reader.places(posting.file, &numbers)?, numbers.len());
            let Some(row) = self.reader.file(posting.file)?.filter(|_| !lines.is_empty()) else { continue };
            // Of a file that is another now, what the index knows of it is the best guess, until it is indexed anew.
            if let Some((text, index)) = prover.as_indexed(&row)? {
                lines.retain(|&line| holds_phrase(index.slice(text, line, line), phrase));
            }
            if !lines.is_empty() {
                let lines = lines.into_iter().take(LINES_PER_PHRASE).map(|line| (line, phrase.to_owned()));
                self.insert(row).phrase_lines.extend(lines);
            }
        }
        Ok(())
    }

    /// Files that commits with a similar message touched: a commit that touched many says less of each.
    fn add_commits(&mut self, terms: &[String]) -> Result<()> {
        let mut files: BTreeMap<FileId, (f64, f64, String, BTreeSet<usize>)> = BTreeMap::new();
        for vote in self.reader.match_commits(terms, bounds::COMMITS)? {
            self.looked_at += 1;
            let share = vote.score / f64::from(vote.touched.max(1)).sqrt() / (1.0 + COMMIT_RANK_DECAY * vote.rank as f64);
            let (sum, most, hash, said) = files.entry(vote.file).or_default();
            *sum += share;
            said.extend(vote.held);
            if share > *most {
                (*most, *hash) = (share, vote.hash);
            }
        }
        let greatest = files.values().map(|(sum, ..)| *sum).fold(f64::MIN_POSITIVE, f64::max);
        let mut best: Vec<_> = files.into_iter().collect();
        best.sort_by(|(a_id, (a, ..)), (b_id, (b, ..))| b.total_cmp(a).then(a_id.cmp(b_id)));
        for (at, (id, (sum, _, hash, said))) in best.into_iter().enumerate() {
            if at >= bounds::COMMIT_FILES && !self.files.contains_key(&id) {
                continue;
            }
            if let Some(found) = self.file(id)? {
                (found.commits, found.commit, found.said) = (sum / greatest, Some(hash), said);
            }
        }
        Ok(())
    }

    fn add_full_text(&mut self, terms: &[Term], postings: &[Vec<Posting>], fields: [f64; 3], weight: f64) -> Result<()> {
        let last = postings.iter().filter_map(|postings| postings.last()).map(|posting| posting.file).max().unwrap_or(0);
        let mut scores = vec![0.0; last as usize + 1];
        let frequencies: Vec<f64> = (0..=u8::MAX).map(|byte| frequency(Weight::from_byte(byte), fields)).collect();
        for (term, postings) in terms.iter().zip(postings) {
            self.looked_at += postings.len() as u64;
            for posting in postings {
                scores[posting.file as usize] += term.worth * frequencies[usize::from(posting.weight.byte())];
            }
        }
        let mut best: Vec<(f64, FileId)> = scores.into_iter().zip(0..).filter(|(score, _)| *score > 0.0).collect();
        let by_score = |a: &(f64, FileId), b: &(f64, FileId)| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1));
        // Rows of files that can't be among the first are not read.
        let known: Vec<_> = best.iter().filter(|(_, id)| self.files.contains_key(id)).copied().collect();
        if best.len() > bounds::ROWS {
            best.select_nth_unstable_by(bounds::ROWS - 1, by_score);
            best.truncate(bounds::ROWS);
        }
        best.extend(known);
        best.sort_by(by_score);
        best.dedup();
        let greatest = best.first().map_or(1.0, |(score, _)| *score);
        let new: Vec<FileId> = best.iter().map(|(_, id)| *id).filter(|id| !self.files.contains_key(id)).collect();
        for row in self.reader.files(&new)? {
            self.insert(row);
        }
        for (score, id) in best {
            if let Some(found) = self.files.get_mut(&id) {
                found.full_text += weight * score / greatest;
            }
        }
        Ok(())
    }
}

/// The constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, 2009).
const RANK_CONSTANT: f64 = 60.0;

/// The reciprocal rank of a file among those of close chunks, from 0 to 1, the closest one's.
pub(super) fn closeness(found: &Found) -> f64 {
    found.near.first().map_or(0.0, |near| (RANK_CONSTANT + 1.0) / (RANK_CONSTANT + 1.0 + near.rank as f64))
}

/// Lines of one file that are remembered for holding a phrase.
const LINES_PER_PHRASE: usize = 8;

/// The lines that hold all of so many terms.
fn lines_with_all(found: &places::Found, terms: usize) -> Vec<u32> {
    let mut lines = Vec::new();
    for line in found.hits.chunk_by(|a, b| a.line == b.line) {
        // Those of a line are in order of their terms.
        if line.chunk_by(|a, b| a.term == b.term).count() == terms {
            lines.push(line[0].line);
        }
    }
    lines
}

/// Whether the line holds the phrase between word boundaries, ASCII case aside.
fn holds_phrase(line: &str, phrase: &str) -> bool {
    let (line, phrase) = (line.as_bytes(), phrase.as_bytes());
    let word = |at: Option<&u8>| at.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let at = |(at, part): (usize, &[u8])| {
        part.eq_ignore_ascii_case(phrase) && !word(at.checked_sub(1).and_then(|before| line.get(before))) && !word(line.get(at + phrase.len()))
    };
    !phrase.is_empty() && line.windows(phrase.len()).enumerate().any(at)
}

/// Whether the file is one that the request names, or declares a name that it gives.
fn is_place_named(found: &Found) -> bool {
    found.path.is_some() || found.symbols.iter().any(|symbol| symbol.qualified || symbol.same_case)
}

/// Whether a declaration is what its name asks for: the qualified name is right, or it is one of the kinds that people ask for.
fn is_sure(symbol: &NamedSymbol) -> bool {
    use crate::syntax::SymbolKind as Kind;
    let of_a_kind = matches!(
        symbol.hit.kind,
        Kind::Class | Kind::Interface | Kind::Trait | Kind::Enum | Kind::Struct | Kind::Type | Kind::Function | Kind::Macro | Kind::Method | Kind::Constructor
    );
    symbol.qualified || (symbol.same_case && of_a_kind && !symbol.wanted.contains('.'))
}

/// How many last components two paths share, case aside.
fn common_end(a: &str, b: &str) -> usize {
    a.rsplit('/').zip(b.rsplit('/')).take_while(|(a, b)| a == b || terms::fold(a) == terms::fold(b)).count()
}

/// Whether the enclosing names are those of the symbol, or of the module that it stands in.
fn is_qualified(row: &FileRow, hit: &SymbolHit, wanted: &str) -> bool {
    let names = &hit.qualified_name;
    if names == wanted || names.ends_with(&format!(".{wanted}")) {
        return true;
    }
    let stem = row.path.as_str().rsplit_once('.').map_or(row.path.as_str(), |(stem, _)| stem);
    let stem = stem.trim_end_matches("/__init__").trim_end_matches("/index").trim_end_matches("/mod");
    let full = format!(".{}.{names}", stem.replace('/', "."));
    full.ends_with(&format!(".{wanted}"))
}
