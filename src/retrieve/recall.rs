//! Candidate files from the index: what the request names, and what holds its rarest words.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::role::{Asked, Role};
use super::scan::Term;
use super::weights::{COMMIT_RANK_DECAY, Weights, bounds};
use crate::error::Result;
use crate::store::{FileId, FileRow, Reader, SymbolHit};
use crate::syntax::Span;
use crate::task::{FileMention, RequestKind, TaskDescriptor};
use crate::terms;

/// Weights of the full-text columns path, symbols, body.
const COLUMNS: [f64; 3] = [3.0, 4.0, 1.0];
/// The same when a request asks for a file by the words of its name.
const COLUMNS_FOR_FILES: [f64; 3] = [20.0, 1.0, 0.2];

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
    /// Decayed sum of the file's full-text scores.
    pub(super) full_text: f64,
    /// The chunks that the full-text index or a phrase named, and the declarations that the request names.
    pub(super) spans: Vec<Span>,
    pub(super) path: Option<PathHit>,
    pub(super) symbols: Vec<NamedSymbol>,
    pub(super) phrase: bool,
    /// What similar commits say for it, as a share of the file for which they say most, with the one that says most.
    pub(super) commits: f64,
    pub(super) commit: Option<String>,
}

/// What was recalled.
#[derive(Debug)]
pub(super) struct Recalled {
    /// Worthiest first.
    pub(super) terms: Vec<Term>,
    /// Most promising first.
    pub(super) files: Vec<Found>,
    /// Chunks, symbols and files looked at.
    pub(super) looked_at: u64,
}

/// Collects candidates; `commits` says whether past commits may have a say.
pub(super) fn recall(reader: &Reader<'_>, task: &TaskDescriptor, terms: Vec<Term>, weights: &Weights, commits: bool) -> Result<Recalled> {
    let mut pool = Pool { reader, files: BTreeMap::new(), looked_at: 0 };
    for (order, mention) in task.files.iter().enumerate() {
        pool.add_path(mention, order)?;
    }
    for symbol in &task.symbols {
        pool.add_symbol(symbol)?;
        pool.add_module(symbol)?;
    }
    for phrase in task.phrases.iter().chain(&task.errors) {
        pool.add_phrase(phrase)?;
    }
    if task.kind == RequestKind::Lookup && pool.holds_all_named(task) {
        // What is named is found, and nothing but it will be shown.
        pool.files.retain(|_, found| is_place_named(found));
    } else {
        pool.search(task, &terms, weights, commits)?;
    }
    let looked_at = pool.looked_at;
    let mut files: Vec<Found> = pool.files.into_values().collect();
    let asked_for = Asked::of(task);
    let strength = |found: &Found| {
        let factor = Role::of(&found.row.path, found.row.generated).factor(asked_for, weights);
        factor * (found.full_text + weights.commits * found.commits)
    };
    let promise = |found: &Found| {
        let named = found.path.is_some_and(|path| path.exact) || found.symbols.iter().any(|symbol| symbol.qualified || symbol.same_case && symbol.files <= 4);
        (named, found.path.is_some() || found.phrase || !found.symbols.is_empty())
    };
    files.sort_by(|a, b| {
        promise(b).0.cmp(&promise(a).0).then(strength(b).total_cmp(&strength(a))).then(promise(b).1.cmp(&promise(a).1)).then(a.row.path.cmp(&b.row.path))
    });
    files.truncate(bounds::FILES);
    Ok(Recalled { terms, files, looked_at })
}

/// The request's terms that the project holds, with their worth.
pub(super) fn query_terms(reader: &Reader<'_>, task: &TaskDescriptor, weights: &Weights) -> Result<Vec<Term>> {
    let texts: Vec<String> = task.keywords.iter().map(|keyword| keyword.term.clone()).collect();
    let counts = reader.document_counts(&texts)?;
    let chunks = reader.totals()?.chunks as f64;
    let idf = |count: u64| (1.0 + (chunks - count as f64 + 0.5).max(0.5) / (count as f64 + 0.5)).ln();
    let greatest = counts.iter().filter(|count| **count > 0).map(|count| idf(*count)).fold(0.0, f64::max);
    let floor = if task.keywords.len() <= 5 { weights.short_idf_floor * greatest } else { 0.0 };
    let mut terms: Vec<Term> = task
        .keywords
        .iter()
        .zip(&counts)
        .filter(|(_, count)| **count > 0)
        .map(|(keyword, count)| {
            let idf = idf(*count).max(floor);
            Term { text: keyword.term.clone(), worth: idf * keyword.weight, count: *count }
        })
        .collect();
    terms.sort_by(|a, b| b.worth.total_cmp(&a.worth).then(a.text.cmp(&b.text)));
    terms.truncate(bounds::SCAN_TERMS);
    Ok(terms)
}

/// Whether a question names something, and its other words stand nowhere in the project: then they are only the manner of asking.
pub(super) fn asks_only_for_names(task: &TaskDescriptor, terms: &[Term]) -> bool {
    let names = task.symbols.iter().map(String::as_str).chain(task.files.iter().map(|file| file.path.as_str()));
    let own: HashSet<String> = names.flat_map(terms::query_terms).collect();
    task.kind == RequestKind::Question && !own.is_empty() && terms.iter().all(|term| own.contains(&term.text))
}

/// The worthiest terms, as many as the full-text index can answer quickly: it looks at each chunk that holds one of them.
fn asked_of_the_index(terms: &[Term]) -> Vec<String> {
    let mut chunks = 0;
    let affordable = |(at, term): &(usize, &Term)| {
        chunks += term.count;
        *at < bounds::LEAST_TERMS || chunks <= bounds::MATCHED_CHUNKS
    };
    terms.iter().take(bounds::QUERY_TERMS).enumerate().filter(affordable).map(|(_, term)| term.text.clone()).collect()
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
            spans: Vec::new(),
            path: None,
            symbols: Vec::new(),
            phrase: false,
            commits: 0.0,
            commit: None,
        })
    }

    /// Adds what the words of the request and similar commits point to.
    fn search(&mut self, task: &TaskDescriptor, terms: &[Term], weights: &Weights, commits: bool) -> Result<()> {
        for symbol in &task.symbols {
            let simple = symbol.rsplit('.').next().unwrap_or(symbol);
            if let Some(whole) = terms::query_terms(simple).into_iter().next() {
                self.add_full_text(&[whole], COLUMNS, 0.5)?;
            }
        }
        let columns = if task.kind == RequestKind::Lookup && task.symbols.is_empty() { COLUMNS_FOR_FILES } else { COLUMNS };
        let asked = asked_of_the_index(terms);
        if !asked.is_empty() {
            self.add_full_text(&asked, columns, 1.0)?;
        }
        if commits && task.kind != RequestKind::Lookup && weights.commits > 0.0 {
            let worthiest: Vec<String> = terms.iter().take(bounds::QUERY_TERMS).map(|term| term.text.clone()).collect();
            self.add_commits(&worthiest)?;
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
            found.spans.push(hit.span);
            found.symbols.push(NamedSymbol { hit, wanted: wanted.to_owned(), qualified, same_case, files });
        }
        Ok(())
    }

    fn add_phrase(&mut self, phrase: &str) -> Result<()> {
        let terms: Vec<String> = terms::index_text(phrase).split(' ').filter(|term| !term.is_empty()).map(str::to_owned).collect();
        if terms.is_empty() {
            return Ok(());
        }
        for chunk in self.reader.match_phrase(&terms, bounds::PER_PHRASE)? {
            self.looked_at += 1;
            if let Some(found) = self.file(chunk.file)? {
                found.phrase = true;
                found.spans.push(chunk.span);
            }
        }
        Ok(())
    }

    /// Files that commits with a similar message touched: a commit that touched many says less of each.
    fn add_commits(&mut self, terms: &[String]) -> Result<()> {
        let mut files: BTreeMap<FileId, (f64, f64, String)> = BTreeMap::new();
        for vote in self.reader.match_commits(terms, bounds::COMMITS)? {
            self.looked_at += 1;
            let share = vote.score / f64::from(vote.touched.max(1)).sqrt() / (1.0 + COMMIT_RANK_DECAY * vote.rank as f64);
            let (sum, most, hash) = files.entry(vote.file).or_default();
            *sum += share;
            if share > *most {
                (*most, *hash) = (share, vote.hash);
            }
        }
        let greatest = files.values().map(|(sum, ..)| *sum).fold(f64::MIN_POSITIVE, f64::max);
        let mut best: Vec<_> = files.into_iter().collect();
        best.sort_by(|(a_id, (a, ..)), (b_id, (b, ..))| b.total_cmp(a).then(a_id.cmp(b_id)));
        for (at, (id, (sum, _, hash))) in best.into_iter().enumerate() {
            if at >= bounds::COMMIT_FILES && !self.files.contains_key(&id) {
                continue;
            }
            if let Some(found) = self.file(id)? {
                (found.commits, found.commit) = (sum / greatest, Some(hash));
            }
        }
        Ok(())
    }

    fn add_full_text(&mut self, terms: &[String], columns: [f64; 3], weight: f64) -> Result<()> {
        let matches = self.reader.match_any(terms, columns, bounds::FULL_TEXT)?;
        let greatest = matches.iter().map(|(_, score)| *score).fold(f64::MIN_POSITIVE, f64::max);
        self.looked_at += matches.len() as u64;
        let mut files: BTreeMap<FileId, (i32, f64, Vec<Span>)> = BTreeMap::new();
        for (chunk, score) in matches {
            let (count, sum, spans) = files.entry(chunk.file).or_default();
            *sum += weight * 0.5_f64.powi(*count) * score / greatest;
            *count += 1;
            spans.push(chunk.span);
        }
        // Rows of files that can't be among the first are not read.
        let mut sums: Vec<f64> = files.values().map(|(_, sum, _)| *sum).collect();
        sums.sort_by(|a, b| b.total_cmp(a));
        let least = sums.get(bounds::ROWS - 1).copied().unwrap_or(0.0);
        for (id, (_, sum, spans)) in files {
            if sum < least && !self.files.contains_key(&id) {
                continue;
            }
            if let Some(found) = self.file(id)? {
                found.spans.extend(spans);
                found.full_text += sum;
            }
        }
        Ok(())
    }
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
