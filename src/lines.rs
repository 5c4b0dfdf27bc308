//! Line numbers of a text. Lines end at LF, CRLF or CR; numbers are 1-based and inclusive everywhere.

use std::ops::Range;

/// Where each line of one text starts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineIndex {
    starts: Vec<u32>,
    len: u32,
}

impl LineIndex {
    /// The lines of `text`, which is shorter than 4 GiB (a file's bound is far below that).
    ///
    /// A final line end closes the last line and opens no further one; an empty text has no lines.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 32 + 1);
        if !bytes.is_empty() {
            starts.push(0);
        }
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            let ends = bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n');
            if ends && at + 1 < bytes.len() {
                starts.push((at + 1) as u32);
            }
        }
        LineIndex { starts, len: bytes.len() as u32 }
    }

    /// How many lines there are.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// The line that holds the byte at `offset`; the last line for offsets at or after the end; 0 for an empty text.
    pub fn line_at(&self, offset: usize) -> u32 {
        self.starts.partition_point(|&start| start as usize <= offset) as u32
    }

    /// The bytes of lines `first..=last`, with the line ends between them and with the last one's own.
    ///
    /// Numbers outside the text are moved to its nearest line.
    pub fn bytes(&self, first: u32, last: u32) -> Range<usize> {
        if self.starts.is_empty() {
            return 0..0;
        }
        let first = first.clamp(1, self.count());
        let last = last.clamp(first, self.count());
        let start = self.starts[first as usize - 1] as usize;
        let end = self.starts.get(last as usize).map_or(self.len as usize, |&next| next as usize);
        start..end
    }

    /// The text of lines `first..=last` without the last one's line end.
    pub fn slice<'text>(&self, text: &'text str, first: u32, last: u32) -> &'text str {
        let slice = &text[self.bytes(first, last)];
        slice.strip_suffix("\r\n").or_else(|| slice.strip_suffix(['\n', '\r'])).unwrap_or(slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_crlf_and_cr() {
        let text = "one\ntwo\r\nthree\rfour";
        let lines = LineIndex::new(text);
        assert_eq!(lines.count(), 4);
        let all: Vec<_> = (1..=4).map(|line| lines.slice(text, line, line)).collect();
        assert_eq!(all, ["one", "two", "three", "four"]);
        assert_eq!(lines.slice(text, 2, 3), "two\r\nthree");
        assert_eq!((lines.line_at(0), lines.line_at(3), lines.line_at(4), lines.line_at(99)), (1, 1, 2, 4));
    }

    #[test]
    fn a_final_line_end_opens_no_line() {
        assert_eq!(LineIndex::new("a\n").count(), 1);
        assert_eq!(LineIndex::new("a\r\n").count(), 1);
        assert_eq!(LineIndex::new("\n\n").count(), 2);
        assert_eq!((LineIndex::new("").count(), LineIndex::new("").line_at(0)), (0, 0));
        assert_eq!(LineIndex::new("a\n").slice("a\n", 1, 9), "a");
    }
}
