//! The best lines of a text: where the terms of a request stand closest together.

use super::term::Term;
use super::weights::{Weights, bounds};
use crate::lines::LineIndex;
use crate::places::{Found, Hit};

/// A run of lines with what the terms in it are worth.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Window {
    /// The first and last line with a hit.
    pub(super) first: u32,
    pub(super) last: u32,
    /// The line that the evidence is centred on.
    pub(super) centre: u32,
    pub(super) score: f64,
}

/// A quote that is cut around evidence once the text of its file is at hand.
#[derive(Debug, Clone)]
pub(super) struct Around {
    pub(super) window: Window,
    /// The lines of the evidence.
    evidence: Vec<u32>,
    /// Lines that are quoted, about.
    pub(super) length: u32,
}

impl Around {
    pub(super) fn new(window: Window, hits: &[Hit], length: u32) -> Self {
        let mut evidence: Vec<u32> = hits.iter().map(|hit| hit.line).filter(|line| (window.first..=window.last).contains(line)).collect();
        evidence.dedup();
        Around { window, evidence, length }
    }

    /// The lines that evidence is taken from, and those to begin with, of a file of so many lines.
    fn reach(&self, count: u32) -> ((u32, u32), (u32, u32)) {
        let Around { window, length, .. } = self;
        let (first, last) = if window.last - window.first < *length {
            (window.first, window.last)
        } else {
            let first = window.centre.saturating_sub(length / 2).max(window.first);
            (first, (first + length - 1).min(window.last))
        };
        let spare = length.saturating_sub(last - first + 1);
        let start = first.saturating_sub(spare / 2).max(1);
        let end = (start + length - 1).min(count);
        ((first, last), (end.saturating_sub(length - 1).max(1).min(start), end))
    }

    /// The lines that are quoted if the text holds no blank line near their ends, and no long ones.
    pub(super) fn most(&self, count: u32) -> (u32, u32) {
        let ((_, last), (start, end)) = self.reach(count);
        (start, end.max(last).min(count))
    }

    /// The lines to quote: about `length`, with what stands around the evidence, from and to a blank line where one is near.
    /// At most [`bounds::WINDOW_BYTES`] of text, but for one line that is longer.
    pub(super) fn lines(&self, lines: &LineIndex, text: &str) -> (u32, u32) {
        let count = lines.count();
        let ((first, last), (mut start, mut end)) = self.reach(count);
        let blank = |line: u32| lines.slice(text, line, line).trim().is_empty();
        if let Some(line) = (start..first).find(|&line| blank(line)).filter(|line| line - start < 8) {
            start = line + 1;
        }
        if let Some(line) = (last + 1..=end).rev().find(|&line| blank(line)).filter(|line| end - line < 8) {
            end = line - 1;
        }
        self.within_bytes((start, end.max(last).min(count)), lines)
    }

    /// The lines of a range that fit into [`bounds::WINDOW_BYTES`]: from the centre of the evidence outward, as far as each side goes without a gap.
    fn within_bytes(&self, (first, last): (u32, u32), lines: &LineIndex) -> (u32, u32) {
        let bytes = |start: u32, end: u32| lines.bytes(start, end).len();
        if bytes(first, last) <= bounds::WINDOW_BYTES {
            return (first, last);
        }
        let nearest = |&&line: &&u32| (bytes(line, line) > bounds::WINDOW_BYTES, line.abs_diff(self.window.centre), line);
        let centre = self.evidence.iter().min_by_key(nearest).copied().unwrap_or(self.window.centre);
        let (mut start, mut end) = (centre.clamp(first, last), centre.clamp(first, last));
        loop {
            let before = (start, end);
            if start > first && bytes(start - 1, end) <= bounds::WINDOW_BYTES {
                start -= 1;
            }
            if end < last && bytes(start, end + 1) <= bounds::WINDOW_BYTES {
                end += 1;
            }
            if before == (start, end) {
                return before;
            }
        }
    }
}

/// What hits count.
pub(super) struct Worth {
    /// By term.
    terms: Vec<f64>,
    /// How many times that of another line one counts in a line that declares something.
    declaring: f64,
}

impl Worth {
    /// Where files are compared: a term counts what it is worth in the project.
    pub(super) fn among_files(terms: &[Term]) -> Worth {
        Worth { terms: terms.iter().map(|term| term.worth).collect(), declaring: 1.0 }
    }

    /// Where lines of one file are compared: a term that stands all over it does not tell them apart.
    pub(super) fn among_lines(terms: &[Term], found: &Found, weights: &Weights) -> Worth {
        let mut lines = vec![0.0; terms.len()];
        for line in found.hits.chunk_by(|hit, next| hit.line == next.line && hit.term == next.term) {
            lines[usize::from(line[0].term)] += 1.0;
        }
        let rarity = |lines: f64| (1.0 + f64::from(found.lines) / (lines + 1.0)).ln();
        Worth { terms: terms.iter().zip(lines).map(|(term, lines)| term.worth * rarity(lines)).collect(), declaring: weights.declaring_line }
    }

    fn of(&self, hit: &Hit) -> f64 {
        self.terms[usize::from(hit.term)]
    }
}

/// The best windows of a text that do not overlap, best first, at most `limit`.
pub(super) fn best(found: &Found, worth: &Worth, weights: &Weights, limit: usize) -> Vec<Window> {
    let mut all = Vec::new();
    let mut counts = vec![0.0; worth.terms.len()];
    let (mut score, mut end) = (0.0, 0);
    let hits = &found.hits;
    let mut start = 0;
    while start < hits.len() {
        let line = hits[start].line;
        while end < hits.len() && hits[end].line < line + bounds::WINDOW {
            score += change(&mut counts, &hits[end], worth, weights, 1.0);
            end += 1;
        }
        all.push((start, end, score));
        while start < hits.len() && hits[start].line == line {
            score += change(&mut counts, &hits[start], worth, weights, -1.0);
            start += 1;
        }
    }
    all.sort_by(|a, b| b.2.total_cmp(&a.2).then(a.0.cmp(&b.0)));
    let mut chosen: Vec<Window> = Vec::new();
    for (start, end, score) in all {
        if chosen.len() == limit {
            break;
        }
        let (first, last) = (hits[start].line, hits[end - 1].line);
        if chosen.iter().all(|window| first > window.last + 4 || last + 4 < window.first) {
            chosen.push(Window { first, last, centre: centre(&hits[start..end], worth), score });
        }
    }
    chosen
}

fn change(counts: &mut [f64], hit: &Hit, worth: &Worth, weights: &Weights, sign: f64) -> f64 {
    let count = &mut counts[usize::from(hit.term)];
    let saturated = |tf: f64| tf * (weights.k1 + 1.0) / (tf + weights.k1);
    let before = saturated(*count);
    *count = (*count + sign * if hit.declaring { worth.declaring } else { 1.0 }).max(0.0);
    worth.of(hit) * (saturated(*count) - before)
}

fn centre(hits: &[Hit], worth: &Worth) -> u32 {
    let (mut sum, mut total) = (0.0, 0.0);
    for hit in hits {
        sum += worth.of(hit) * f64::from(hit.line);
        total += worth.of(hit);
    }
    if total > 0.0 { (sum / total).round() as u32 } else { hits[0].line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::retrieve::weights::WEIGHTS;

    /// The lines for evidence on some lines of a text.
    fn around(text: &str, evidence: &[u32]) -> (u32, u32) {
        let hits: Vec<Hit> = evidence.iter().map(|&line| Hit { line, term: 0, declaring: false }).collect();
        let (first, last) = (evidence[0], evidence[evidence.len() - 1]);
        Around::new(Window { first, last, centre: (first + last) / 2, score: 1.0 }, &hits, bounds::WINDOW).lines(&LineIndex::new(text), text)
    }

    #[test]
    fn a_word_that_stands_all_over_a_file_does_not_tell_which_lines_are_meant_and_a_declaration_does() {
        let terms = [1.0, 1.0].map(|worth| Term { text: String::new(), count: 1, worth });
        let best_line = |hits: Vec<Hit>, among_lines: bool| {
            let found = Found { hits, lines: 400, ..Found::default() };
            let worth = if among_lines { Worth::among_lines(&terms, &found, &WEIGHTS) } else { Worth::among_files(&terms) };
            best(&found, &worth, &WEIGHTS, 1)[0].first
        };
        let at = |line: u32, term: u16, declaring: bool| Hit { line, term, declaring };
        let everywhere: Vec<Hit> = (1..=100).map(|line| at(line, 0, false)).chain([at(300, 1, false)]).collect();
        assert_eq!((best_line(everywhere.clone(), false), best_line(everywhere, true)), (1, 300));
        let twice = vec![at(10, 0, false), at(300, 0, true)];
        assert_eq!((best_line(twice.clone(), false), best_line(twice, true)), (10, 300));
    }

    #[test]
    fn a_very_long_line_does_not_push_the_evidence_out_of_reach() {
        let text = |long: u32, bytes: usize| -> String {
            (1..=60).map(|line| if line == long { format!("{}\n", "x".repeat(bytes)) } else { format!("line {line}\n") }).collect()
        };
        assert_eq!(around(&text(0, 0), &[30]), (11, 49));
        assert_eq!(around(&text(32, 9_000), &[30]), (11, 31));
        assert_eq!(around(&text(27, 9_000), &[30]), (28, 49));
        // Between two places of evidence, the one nearer to the centre is quoted.
        assert_eq!(around(&text(35, 9_000), &[28, 34, 36]), (13, 34));
        // A line cannot be cut: alone it is as short as a quote can be.
        assert_eq!(around(&text(30, 9_000), &[30]), (30, 30));
        assert_eq!(around(&text(30, 9_000), &[29, 30, 31]), (11, 29));
        let dense: String = (1..=60).map(|_| format!("{}\n", "y".repeat(999))).collect();
        assert_eq!(around(&dense, &[30]), (26, 33));
    }
}
