//! Which lines to quote of a declaration.

use super::weights::bounds;
use super::window::Around;
use crate::lines::LineIndex;
use crate::store::SymbolHit;
use crate::syntax::Span;

/// A declaration with its doc comment, cut to [`bounds::DECLARATION`] of the file's `count` lines. The flag says whether it was cut.
pub(super) fn declaration(hit: &SymbolHit, count: u32) -> ((u32, u32), bool) {
    span(hit.span, hit.doc, count)
}

/// A declaration together with those of the same qualified name that start below it within the same bound, such as a type's implementation,
/// an overload, or the value that bears a type's name.
pub(super) fn declaration_with_its_like(hit: &SymbolHit, others: &[SymbolHit], count: u32) -> ((u32, u32), bool) {
    let ((start, mut end), mut cut) = declaration(hit, count);
    let bound = start + bounds::DECLARATION - 1;
    let mut like: Vec<&SymbolHit> = others.iter().filter(|other| other.qualified_name == hit.qualified_name && other.span.start_line > end).collect();
    like.sort_by_key(|other| other.span.start_line);
    for other in like {
        // What has no room for its first lines is not begun.
        if other.span.end_line.min(other.span.start_line + 2) > bound {
            break;
        }
        cut |= other.span.end_line > bound;
        end = end.max(other.span.end_line.min(bound).min(count));
    }
    ((start, end), cut)
}

/// The same for a declaration's span and that of its comment.
pub(super) fn span(own: Span, doc: Option<Span>, count: u32) -> ((u32, u32), bool) {
    let count = count.max(1);
    let end = own.end_line.min(count);
    let doc = doc.map_or(own.start_line, |doc| doc.start_line.min(own.start_line));
    // A long comment must not push the declaration out of its own quote.
    let start = if own.start_line - doc <= bounds::DECLARATION / 3 { doc } else { own.start_line };
    let last = end.min(start + bounds::DECLARATION - 1);
    ((start.min(count), last), last < end || start > doc)
}

/// The declaration that holds `line`, whole if it is small, else the lines around it.
pub(super) fn declaration_around(hit: &SymbolHit, line: u32, count: u32) -> ((u32, u32), bool) {
    let ((start, end), cut) = declaration(hit, count);
    if !cut && (start..=end).contains(&line) {
        return ((start, end), false);
    }
    (around(line, count), true)
}

/// [`bounds::WINDOW`] lines around one.
pub(super) fn around(line: u32, count: u32) -> (u32, u32) {
    let count = count.max(1);
    let line = line.clamp(1, count);
    let start = line.saturating_sub(bounds::WINDOW / 2).max(1);
    (start, start.saturating_add(bounds::WINDOW - 1).min(count))
}

/// From a declaring line on, with the comment and decorators that touch it, to the end of its block as indentation shows it.
pub(super) fn from_line(line: u32, lines: &LineIndex, text: &str) -> (u32, u32) {
    let indent = |line: u32| {
        let slice = lines.slice(text, line, line);
        if slice.trim().is_empty() { None } else { Some(slice.len() - slice.trim_start().len()) }
    };
    let own = indent(line).unwrap_or(0);
    let mut start = line;
    while start > 1 && line - start < 12 {
        let before = lines.slice(text, start - 1, start - 1).trim_start();
        if !["//", "#", "*", "/*", "@", "--", "[", "'''", "\"\"\""].iter().any(|mark| before.starts_with(mark)) {
            break;
        }
        start -= 1;
    }
    let mut end = line;
    while end < lines.count() && end - start + 1 < bounds::WINDOW {
        let next = end + 1;
        match indent(next) {
            Some(found) if found <= own && !lines.slice(text, next, next).trim_start().starts_with(['}', ')', ']', '{', '"', '\'']) => break,
            _ => end = next,
        }
    }
    while end > line && indent(end).is_none() {
        end -= 1;
    }
    (start, end)
}

/// For evidence inside a declaration: the declaration whole if it is about as small as a quote in lines and bytes, else the lines around the evidence.
pub(super) fn around_evidence(hit: &SymbolHit, evidence: &Around, lines: &LineIndex, text: &str) -> ((u32, u32), bool) {
    let ((start, end), cut) = declaration(hit, lines.count());
    let (window, length) = (&evidence.window, evidence.length);
    let around = evidence.lines(lines, text);
    let fits = lines.bytes(start, end).len() <= bounds::WINDOW_BYTES;
    if !cut && fits && start <= window.first && window.last <= end && (length / 3..=length).contains(&(end - start + 1)) {
        return ((start, end), false);
    }
    let whole = around.0 <= start && end <= around.1;
    (around, !whole)
}
