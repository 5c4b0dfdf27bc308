//! Request text to task descriptor. Pure.

mod mentions;
mod quotes;
mod title;
mod words;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use serde::Serialize;

use crate::limits::MAX_REQUEST_CHARS;
use crate::terms;
use mentions::{Mention, Reader};

pub use title::{says_what_to_do, scope};

/// Characters of a title.
const MAX_TITLE_CHARS: usize = 500;
/// Entries kept of each list of a descriptor.
const MAX_FILES: usize = 24;
const MAX_SYMBOLS: usize = 32;
const MAX_ERRORS: usize = 12;
const MAX_PHRASES: usize = 8;
const MAX_KEYWORDS: usize = 96;
/// Words beyond which a request is a report.
const REPORT_WORDS: usize = 60;
/// Lines beyond which a request is a report.
const REPORT_LINES: usize = 6;
/// Subject words up to which a request for a file by the words of its name is a look-up.
const FILE_WORDS: usize = 5;

/// What kind of question a request is: it decides which channels count how much.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RequestKind {
    /// Nothing to look for: a greeting, "go on", an empty text.
    Empty,
    /// It asks for a place by name, says little else, and not what to do there.
    Lookup,
    /// A short question or instruction.
    Question,
    /// A report: several sentences, a trace, code.
    Report,
}

impl RequestKind {
    /// The form in the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            RequestKind::Empty => "empty",
            RequestKind::Lookup => "lookup",
            RequestKind::Question => "question",
            RequestKind::Report => "report",
        }
    }
}

/// A file that the request names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FileMention {
    /// As written, with forward slashes and without a leading `./`, `@` or drive.
    pub path: String,
    /// The line named with it.
    pub line: Option<u32>,
}

/// A word to search for.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Keyword {
    /// The folded term, as the index holds it.
    pub term: String,
    /// How much it counts in the request: 1 + ln(occurrences), doubled in the title; more for names, less for technologies.
    pub weight: f64,
}

/// What a request is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TaskDescriptor {
    pub kind: RequestKind,
    /// The first line, at most 500 characters.
    pub title: String,
    /// Files named, in order.
    pub files: Vec<FileMention>,
    /// Names that are certainly identifiers (code spans, calls, camel case, snake case, qualified), in order. Qualified ones joined by `.`.
    pub symbols: Vec<String>,
    /// Error codes such as `ENOENT` or `TS2322`.
    pub errors: Vec<String>,
    /// Quoted phrases of two or more words.
    pub phrases: Vec<String>,
    /// Names of technologies: weak evidence.
    pub technologies: Vec<String>,
    /// The words left, weightiest first.
    pub keywords: Vec<Keyword>,
}

/// A word of the request that says what to look for.
struct Subject<'a> {
    text: &'a str,
    in_title: bool,
    /// Half as much evidence.
    weak: bool,
    /// Certainly or, by a capital inside a sentence, probably a name.
    name: bool,
}

/// Reads a request.
pub fn describe(request: &str) -> TaskDescriptor {
    let end = request.char_indices().nth(MAX_REQUEST_CHARS).map_or(request.len(), |(at, _)| at);
    let request = quotes::without_urls(&request[..end]);
    let first = request.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    let title: String = first.chars().take(MAX_TITLE_CHARS).collect();
    let title_end = request.find(first).unwrap_or(0) + title.len();
    let quoted = quotes::read(&request);

    let mut task = TaskDescriptor {
        kind: RequestKind::Question,
        title,
        files: Vec::new(),
        symbols: Vec::new(),
        errors: Vec::new(),
        phrases: Vec::new(),
        technologies: Vec::new(),
        keywords: Vec::new(),
    };
    for phrase in &quoted.phrases {
        push_new(&mut task.phrases, phrase, MAX_PHRASES);
    }
    let title = task.title.clone();
    let area = scope(&title);
    let speaks_another_language = words::speaks_another_language(&request);
    let mut subjects: Vec<Subject<'_>> = Vec::new();
    // Words that are subjects only beside others, with the least number of those.
    let mut doubtful: Vec<(usize, usize, Subject<'_>)> = Vec::new();
    let (mut asks_place, mut asks_file, mut words, mut named) = (false, false, 0, 0);
    for run in Reader::new(&request) {
        words += 1;
        let in_title = run.start < title_end;
        let in_code = quoted.is_code(run.start);
        let whole_span = quoted.is_span(run.start, run.start + run.text.len());
        let mention = mentions::classify(&run, &request, in_code, whole_span);
        let is_name = matches!(mention, Mention::Symbol(_) | Mention::Error(_));
        match mention {
            Mention::Nothing => continue,
            Mention::Cjk => {
                let (found, place, file) = words::cjk_subjects(run.text);
                asks_place |= place;
                asks_file |= file;
                subjects.extend(found.into_iter().map(|text| Subject { text, in_title, weak: false, name: false }));
                continue;
            }
            Mention::File(file) => {
                named += 1;
                if task.files.len() < MAX_FILES && !task.files.contains(&file) {
                    task.files.push(file);
                }
            }
            Mention::Symbol(name) => {
                named += 1;
                push_new(&mut task.symbols, &name, MAX_SYMBOLS);
            }
            Mention::Error(code) => {
                named += 1;
                push_new(&mut task.errors, &code, MAX_ERRORS);
            }
            Mention::Technology => push_new(&mut task.technologies, &run.text.to_lowercase(), MAX_ERRORS),
            Mention::Word => {
                let folded = terms::fold(run.text);
                let quoted_word = quoted.is_quoted(run.start);
                asks_place |= words::is_lookup(&folded);
                asks_file |= words::is_file_word(&folded);
                if folded.chars().nth(1).is_none() {
                    continue;
                }
                let all = |says_nothing: fn(&str) -> bool| folded.split(['-', '/', '.']).all(|part| says_nothing(part) || part.chars().nth(1).is_none());
                let is_stop = words::is_stop(&folded) || all(words::is_stop);
                let may_mean_more = (in_title && area.contains(&run.text)) || (!speaks_another_language && words::is_foreign_stop(&folded));
                if !quoted_word && is_stop && !may_mean_more {
                    continue;
                }
                let others = match () {
                    () if quoted_word => 0,
                    () if is_stop => 1,
                    () if words::is_talk(&folded) || all(|part| words::is_stop(part) || words::is_talk(part)) => 1,
                    () if words::is_lookup(&folded) || words::is_file_word(&folded) => 2,
                    () => 0,
                };
                if others > 0 {
                    doubtful.push((others, subjects.len(), Subject { text: run.text, in_title, weak: false, name: false }));
                    continue;
                }
                if in_code && words::is_code_word(&folded) {
                    continue;
                }
            }
        }
        let name = whole_span || is_name || run.text.starts_with(char::is_uppercase) && !starts_sentence(&request, run.start);
        let weak = words::is_technology(&run.text.to_lowercase()) || (!name && words::is_change_word(&terms::fold(run.text)));
        subjects.push(Subject { text: run.text, in_title, weak, name });
    }
    if task.symbols.is_empty() && task.files.is_empty() && task.errors.is_empty() && subjects.len() == 1 && asks_place && !asks_file {
        let name = subjects[0].text;
        if mentions::is_identifier(name) {
            task.symbols.push(name.to_owned());
            named += 1;
        }
    }
    let sure = subjects.len();
    let (empty_of_subjects, lone) = (subjects.is_empty(), subjects.len() == 1 && words == 1);
    if lone && task.symbols.is_empty() && task.files.is_empty() && subjects[0].text.starts_with(char::is_uppercase) && mentions::is_identifier(subjects[0].text)
    {
        task.symbols.push(subjects[0].text.to_owned());
        named += 1;
    }
    let others = sure.saturating_sub(named);
    if !empty_of_subjects {
        for (others, place, subject) in doubtful.into_iter().rev() {
            if sure >= others {
                subjects.insert(place, subject);
            }
        }
    }
    task.keywords = keywords(&subjects);
    let names = !task.files.is_empty() || !task.symbols.is_empty();
    let empty = task.keywords.is_empty() && !names && task.errors.is_empty() && task.phrases.is_empty();
    let report = quoted.fenced || words > REPORT_WORDS || request.lines().count() > REPORT_LINES;
    let asks_by_name = (names && others <= usize::from(asks_place)) || (asks_file && !names && sure <= FILE_WORDS && words <= 3 * FILE_WORDS);
    let lookup = asks_by_name && !says_what_to_do(&task.title);
    task.kind = match () {
        () if empty => RequestKind::Empty,
        () if report => RequestKind::Report,
        () if lookup => RequestKind::Lookup,
        () => RequestKind::Question,
    };
    task
}

/// Whether nothing but white space and marks stands between the byte and the beginning of its sentence or line.
fn starts_sentence(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '"', '(', '*', '-', '#', '`']);
    before.is_empty() || before.ends_with(['.', '!', '?', ':', '\n'])
}

fn push_new(list: &mut Vec<String>, entry: &str, limit: usize) {
    if list.len() < limit && !list.iter().any(|known| known == entry) {
        list.push(entry.to_owned());
    }
}

/// How much the terms of one word count against a plain word: the bigrams of a run without spaces, a name.
const BIGRAM_WEIGHT: f64 = 0.4;
const NAME_WEIGHT: f64 = 1.25;

fn keywords(subjects: &[Subject<'_>]) -> Vec<Keyword> {
    let mut counts: HashMap<String, (usize, bool, f64, usize)> = HashMap::new();
    for (at, subject) in subjects.iter().enumerate() {
        let unspaced = subject.text.chars().next().is_some_and(words::is_cjk);
        for term in terms::query_terms(subject.text) {
            let factor = match () {
                () if subject.weak => 0.5,
                () if unspaced => BIGRAM_WEIGHT,
                () if subject.name => NAME_WEIGHT,
                () => 1.0,
            };
            let entry = counts.entry(term).or_insert((0, false, 0.0, at));
            entry.0 += 1;
            entry.1 |= subject.in_title;
            entry.2 = entry.2.max(factor);
        }
    }
    let mut found: Vec<_> = counts
        .into_iter()
        .map(|(term, (count, in_title, factor, at))| {
            let weight = (1.0 + (count as f64).ln()) * if in_title { 2.0 } else { 1.0 } * factor;
            (Keyword { term, weight }, at)
        })
        .collect();
    found.sort_by(|(a, a_at), (b, b_at)| b.weight.total_cmp(&a.weight).then(a_at.cmp(b_at)).then(a.term.cmp(&b.term)));
    found.truncate(MAX_KEYWORDS);
    found.into_iter().map(|(keyword, _)| keyword).collect()
}
