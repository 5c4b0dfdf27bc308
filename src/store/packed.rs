//! The stored form of a file's text and parse, made off the writer's thread.

use std::cell::RefCell;

use super::parses::{self, SignaturePlace};
use crate::error::{Code, Error, Result};
use crate::syntax::Parsed;

/// The zstd level of stored texts: higher ones are slower and save little on source files.
const TEXT_COMPRESSION: i32 = 3;

/// The same of parses.
const PARSE_COMPRESSION: i32 = 1;

thread_local! {
    static DECOMPRESSOR: RefCell<Option<zstd::bulk::Decompressor<'static>>> = const { RefCell::new(None) };
}

/// The bytes of a packed text or parse, at most `capacity`.
pub(super) fn unpack(packed: &[u8], capacity: usize) -> std::io::Result<Vec<u8>> {
    DECOMPRESSOR.with_borrow_mut(|kept| {
        let decompressor = match kept {
            Some(decompressor) => decompressor,
            None => kept.insert(zstd::bulk::Decompressor::new()?),
        };
        decompressor.decompress(packed, capacity)
    })
}

/// A file's text and parse in their stored form.
#[derive(Debug)]
pub struct Packed {
    pub(super) text: Vec<u8>,
    /// Where the signature of each symbol stands in the text.
    pub(super) signatures: Vec<SignaturePlace>,
    /// `None` for a parse that need not or can't be remembered.
    pub(super) parse: Option<Vec<u8>>,
}

/// Packs one file after the other.
pub struct Packer {
    texts: zstd::bulk::Compressor<'static>,
    parses: zstd::bulk::Compressor<'static>,
}

impl Packer {
    /// # Errors
    /// `Internal` if there is no memory.
    pub fn new() -> Result<Self> {
        let ready = || -> std::io::Result<_> {
            let mut texts = zstd::bulk::Compressor::new(TEXT_COMPRESSION)?;
            // A text that the disk changed must not decompress to another text.
            texts.include_checksum(true)?;
            Ok(Packer { texts, parses: zstd::bulk::Compressor::new(PARSE_COMPRESSION)? })
        };
        ready().map_err(|error| failed(&error))
    }

    /// Packs a text and its parse; `remembered` says that the store has the parse already.
    ///
    /// # Errors
    /// `Internal` if there is no memory.
    pub fn pack(&mut self, text: &str, parsed: &Parsed, remembered: bool) -> Result<Packed> {
        let signatures: Vec<_> = parsed.symbols.iter().map(|symbol| parses::place_of_signature(symbol, text)).collect();
        let parse = if remembered { None } else { parses::encode(parsed, &signatures, text) };
        let parse = parse.map(|parse| self.parses.compress(&parse)).transpose().map_err(|error| failed(&error))?;
        Ok(Packed { text: self.texts.compress(text.as_bytes()).map_err(|error| failed(&error))?, signatures, parse })
    }
}

fn failed(error: &std::io::Error) -> Error {
    Error::new(Code::Internal, format!("a text can't be compressed: {error}"))
}
