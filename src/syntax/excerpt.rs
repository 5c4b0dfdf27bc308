//! Parts of a text as symbols hold them.

use super::Span;
use crate::limits::MAX_SIGNATURE_CHARS;
use crate::lines::LineIndex;

/// The lines of a range of bytes.
pub(super) fn span(lines: &LineIndex, start: usize, end: usize) -> Span {
    let last = end.saturating_sub(1).max(start);
    Span { start_byte: start as u32, end_byte: end as u32, start_line: lines.line_at(start), end_line: lines.line_at(last) }
}

/// The text on one line, within the bound of signatures, without the sign that leads to a body.
pub(super) fn signature(text: &str) -> String {
    let mut out = String::with_capacity(text.len().min(MAX_SIGNATURE_CHARS));
    let mut room = MAX_SIGNATURE_CHARS;
    let mut gap = false;
    for char in text.trim_start().chars().take(4 * MAX_SIGNATURE_CHARS) {
        if char.is_whitespace() {
            gap = true;
            continue;
        }
        let cost = 1 + usize::from(gap);
        if cost > room {
            break;
        }
        room -= cost;
        if std::mem::take(&mut gap) {
            out.push(' ');
        }
        out.push(char);
    }
    out.truncate(out.trim_end_matches(['=', '{', ';', ',', ' ']).len());
    out
}
