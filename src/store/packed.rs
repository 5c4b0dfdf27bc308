//! What the index holds of a file beside its terms, made off the writer's thread.

use std::cell::RefCell;

use super::parses;
use crate::error::{Code, Error, Result};
use crate::lines::LineIndex;
use crate::syntax::{Parsed, Symbol, SymbolKind};

/// The zstd level of stored parses: higher ones are slower and save little.
const COMPRESSION: i32 = 1;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The bytes of a packed parse, at most `capacity`.
pub(super) fn unpack(packed: &[u8], capacity: usize) -> std::io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(zstd::bulk::Decompressor::new()?),
        };
        decompressor.decompress(packed, capacity)
    })
}

/// What is stored of a file's text and parse.
#[derive(Debug)]
pub struct Packed {
    /// Of the text.
    pub(super) lines: u32,
    pub(super) bytes: u32,
    /// For each symbol whether it only gives its name to what stands elsewhere.
    pub(super) elsewhere: Vec<bool>,
    /// `None` for a parse that need not or can't be remembered.
    pub(super) parse: Option<Vec<u8>>,
}

/// Packs one file after the other.
pub struct Packer {
    parses: zstd::bulk::Compressor<'static>,
}

impl Packer {
    /// # Errors
    /// `Internal` if there is no memory.
    pub fn new() -> Result<Self> {
        Ok(Packer { parses: zstd::bulk::Compressor::new(COMPRESSION).map_err(|error| failed(&error))? })
    }

    /// Packs a parse with what is stored of its text; `remembered` says that the store has the parse already.
    ///
    /// # Errors
    /// `Internal` if there is no memory.
    pub fn pack(&mut self, text: &str, parsed: &Parsed, remembered: bool) -> Result<Packed> {
        let lines = LineIndex::new(text);
        let elsewhere = parsed.symbols.iter().map(|symbol| stands_elsewhere(symbol, text, &lines)).collect();
        let parse = if remembered { None } else { parses::encode(parsed, text) };
        let parse = parse.map(|parse| self.parses.compress(&parse)).transpose().map_err(|error| failed(&error))?;
        Ok(Packed { lines: lines.count(), bytes: text.len() as u32, elsewhere, parse })
    }
}

/// Whether a declaration only gives its name to what stands elsewhere: `mod x;`, `exports.x = x`, `type X = typeof X`.
fn stands_elsewhere(symbol: &Symbol, text: &str, lines: &LineIndex) -> bool {
    let Symbol { kind, name, span, .. } = symbol;
    if *kind == SymbolKind::Namespace {
        return span.start_line == span.end_line && text[span.start_byte as usize..span.end_byte as usize].ends_with(';');
    }
    let own = lines.slice(text, span.start_line, span.end_line);
    own.split_once('=').is_some_and(|(_, value)| value.trim().trim_start_matches("typeof ").trim_end_matches([';', ',']) == name)
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("a parse can't be compressed: {error}"))
}
