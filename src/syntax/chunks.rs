//! An outline to chunks: declarations, what is between them, and windows of what is large. Every line is in a chunk.

use super::{Chunk, Span, Symbol};
use crate::limits::{MAX_CHUNK_CHARS, WINDOW_LINES, WINDOW_OVERLAP};
use crate::lines::LineIndex;

/// Lines up to which siblings merge into one chunk.
const MERGED_LINES: u32 = 48;
/// Lines of a remainder that says little by itself (a closing bracket, blank lines) and joins its neighbour however large that is.
const REMAINDER_LINES: u32 = 3;

/// A range of lines on the way to chunks. Segments lie one after the other without gaps.
#[derive(Debug, Clone, Copy)]
struct Segment {
    first: u32,
    last: u32,
    /// The symbol whose inside it is in: only segments of one scope merge.
    scope: Option<u32>,
    symbol: Option<u32>,
    /// Whether it holds any letter or digit.
    speaks: bool,
}

impl Segment {
    fn lines(&self) -> u32 {
        self.last + 1 - self.first
    }
}

/// The chunks of a text, in order of their start.
pub(super) fn cut(text: &str, lines: &LineIndex, symbols: &[Symbol]) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    for segment in merge(segments(text, lines, symbols)) {
        windows(text, lines, segment, &mut chunks);
    }
    for (index, symbol) in symbols.iter().enumerate() {
        if symbol.parent.is_some_and(|parent| is_function(&symbols[parent as usize])) {
            continue;
        }
        // Ends rise with starts, so the first chunk that ends after the symbol's start holds it.
        let at = chunks.partition_point(|chunk| chunk.span.end_byte <= symbol.span.start_byte);
        if let Some(chunk) = chunks.get_mut(at) {
            chunk.declares.push(index as u32);
        }
    }
    chunks
}

/// Declarations, and what is between them. Containers larger than a window are opened.
fn segments(text: &str, lines: &LineIndex, symbols: &[Symbol]) -> Vec<Segment> {
    let mut cut = Cut { text, lines, segments: Vec::new(), next: 1 };
    let mut open: Vec<(u32, u32)> = Vec::new();
    for (index, symbol) in symbols.iter().enumerate() {
        let index = index as u32;
        while let Some(&(container, last)) = open.last()
            && symbol.span.start_byte >= symbols[container as usize].span.end_byte
        {
            cut.gap(last, Some(container));
            open.pop();
        }
        let scope = open.last().map(|&(container, _)| container);
        let first = symbol.doc.map_or(symbol.span.start_line, |doc| doc.start_line.min(symbol.span.start_line));
        let last = symbol.span.end_line;
        cut.gap(first - 1, scope);
        let large = last + 1 - first > WINDOW_LINES;
        let has_members = symbols.get(index as usize + 1).is_some_and(|next| next.parent == Some(index) && next.span.end_byte <= symbol.span.end_byte);
        if large && has_members && !is_function(symbol) {
            open.push((index, last));
        } else {
            cut.declaration(last, scope, index, symbols);
        }
    }
    while let Some((container, last)) = open.pop() {
        cut.gap(last, Some(container));
    }
    cut.gap(lines.count(), None);
    cut.segments
}

/// What stands in a function is part of it.
fn is_function(symbol: &Symbol) -> bool {
    use super::SymbolKind::{Accessor, Constructor, Function, Method};
    matches!(symbol.kind, Function | Method | Constructor | Accessor)
}

struct Cut<'text> {
    text: &'text str,
    lines: &'text LineIndex,
    segments: Vec<Segment>,
    /// The first line that is in no segment.
    next: u32,
}

impl Cut<'_> {
    /// Lines up to `last` that belong to no declaration inside `scope`.
    fn gap(&mut self, last: u32, scope: Option<u32>) {
        if self.next <= last {
            let speaks = self.lines.slice(self.text, self.next, last).chars().any(char::is_alphanumeric);
            self.segments.push(Segment { first: self.next, last, scope, symbol: scope, speaks });
            self.next = last + 1;
        }
    }

    /// A declaration up to line `last`. One that starts on the line where the last one ends shares that one's segment.
    fn declaration(&mut self, last: u32, scope: Option<u32>, index: u32, symbols: &[Symbol]) {
        if self.next <= last {
            self.segments.push(Segment { first: self.next, last, scope, symbol: Some(index), speaks: true });
            self.next = last + 1;
        } else if let Some(segment) = self.segments.last_mut()
            && segment.scope == scope
            && let Some(known) = segment.symbol
            && are_apart(&symbols[known as usize].span, &symbols[index as usize].span)
        {
            segment.symbol = scope;
        }
    }
}

/// Whether the second declaration is not inside the first.
fn are_apart(one: &Span, other: &Span) -> bool {
    other.start_byte >= one.end_byte || (one.start_byte, one.end_byte) == (other.start_byte, other.end_byte)
}

/// Joins small neighbours of one scope.
fn merge(segments: Vec<Segment>) -> Vec<Segment> {
    let mut merged: Vec<Segment> = Vec::with_capacity(segments.len());
    for next in segments {
        let Some(last) = merged.last_mut().filter(|last| last.scope == next.scope) else {
            merged.push(next);
            continue;
        };
        let lines = last.lines() + next.lines();
        let joins = match (last.speaks, next.speaks) {
            (true, true) => lines <= MERGED_LINES,
            (true, false) => next.lines() <= REMAINDER_LINES || lines <= WINDOW_LINES,
            (false, _) => last.lines() <= REMAINDER_LINES || lines <= WINDOW_LINES,
        };
        if !joins {
            merged.push(next);
            continue;
        }
        last.last = next.last;
        last.symbol = match (last.speaks, next.speaks) {
            (true, true) => last.scope,
            (true, false) => last.symbol,
            (false, _) => next.symbol,
        };
        last.speaks |= next.speaks;
    }
    merged
}

/// Cuts a segment into overlapping windows if it is larger than one.
fn windows(text: &str, lines: &LineIndex, segment: Segment, chunks: &mut Vec<Chunk>) {
    let mut first = segment.first;
    loop {
        let remains = segment.last + 1 - first;
        let last = if remains <= WINDOW_LINES + REMAINDER_LINES { segment.last } else { first + WINDOW_LINES - 1 };
        let pieces = pieces(text, lines, first, last, segment.symbol, chunks);
        if last == segment.last {
            return;
        }
        // Pieces of very long lines stay apart, so that chunks end in the order in which they start.
        first = if pieces > 1 { last + 1 } else { last + 1 - WINDOW_OVERLAP };
    }
}

/// Cuts lines into pieces of at most [`MAX_CHUNK_CHARS`] characters: at line ends where possible, inside a line where it alone is longer.
/// Gives their number.
fn pieces(text: &str, lines: &LineIndex, first: u32, last: u32, symbol: Option<u32>, chunks: &mut Vec<Chunk>) -> usize {
    let before = chunks.len();
    let range = lines.bytes(first, last);
    let mut start = range.start;
    while start < range.end {
        let end = piece_end(text, lines, start, range.end);
        let span = Span { start_byte: start as u32, end_byte: end as u32, start_line: lines.line_at(start), end_line: lines.line_at(end - 1) };
        chunks.push(Chunk { span, symbol, declares: Vec::new() });
        start = end;
    }
    chunks.len() - before
}

fn piece_end(text: &str, lines: &LineIndex, start: usize, end: usize) -> usize {
    if end - start <= MAX_CHUNK_CHARS {
        return end;
    }
    let Some((longest, _)) = text[start..end].char_indices().nth(MAX_CHUNK_CHARS) else { return end };
    let line = lines.line_at(start + longest);
    let line_start = lines.bytes(line, line).start;
    if line_start > start { line_start } else { start + longest }
}
