//! What a chunk is embedded as, and whether that text may leave.

use std::collections::HashMap;

use super::{Refusal, Semantic};
use crate::admit::{self, Verdict, admit};
use crate::cancel::Cancel;
use crate::classify::{Class, Classes, PRIVACY};
use crate::discover::{Judge, Standing};
use crate::error::{Code, Result};
use crate::hash::Hash;
use crate::limits::{Bounds, MAX_EMBEDDED_CHARS};
use crate::root::Root;
use crate::store::{ChunkId, FileId, FileRow, NewSource, Reader, Store, SymbolRow};

/// The form of the texts that are embedded; raise it when [`text`] changes.
pub(super) const FORM: u32 = 1;

/// The text that a chunk is embedded as: its path, the name of its declaration, its lines.
fn text(path: &str, name: Option<&str>, content: &str) -> String {
    let mut whole = format!("{path}\n{}{content}", name.map(|name| format!("{name}\n")).unwrap_or_default());
    if let Some((end, _)) = whole.char_indices().nth(MAX_EMBEDDED_CHARS) {
        whole.truncate(end);
    }
    whole
}

/// A chunk with the text that it is embedded as.
pub(super) struct Source {
    pub(super) chunk: ChunkId,
    /// Without secrets.
    pub(super) text: String,
    pub(super) hash: Hash,
    /// `None` if the text is embedded for nobody.
    pub(super) class: Option<Class>,
}

impl Source {
    pub(super) fn row(&self) -> NewSource {
        NewSource { chunk: self.chunk, hash: self.hash, class: self.class }
    }
}

/// What sources are made from: the index, and the files as they are now, under the rules of every other read.
pub(super) struct Files<'a> {
    root: &'a Root,
    pub(super) store: &'a Store,
    bounds: &'a Bounds,
    judge: Judge<'a>,
}

impl<'a> Files<'a> {
    /// # Errors
    /// `RootReplaced`.
    pub(super) fn new(root: &'a Root, store: &'a Store, bounds: &'a Bounds) -> Result<Self> {
        Ok(Files { root, store, bounds, judge: Judge::new(root, bounds)? })
    }

    /// The text of a file that is what the index knows.
    fn text(&self, row: &FileRow, cancel: &Cancel) -> Result<Option<String>> {
        if self.judge.standing(&row.path, cancel)? != Standing::Listed {
            return Ok(None);
        }
        match admit(self.root, &row.path, self.bounds) {
            Ok(Verdict::Admitted(admitted)) if admitted.hash == row.hash => Ok(Some(admitted.text)),
            Err(error) if error.code != Code::Io => Err(error),
            _ => Ok(None),
        }
    }
}

/// The sources of a current file, chunk by chunk; `None` while the file is another than the index knows.
pub(super) fn sources_of(reader: &Reader<'_>, files: &Files<'_>, file: FileId, cancel: &Cancel) -> Result<Option<Vec<Source>>> {
    let Some(row) = reader.file(file)? else { return Ok(None) };
    let Some(whole) = files.text(&row, cancel)? else { return Ok(None) };
    let classes = Classes::of(&whole);
    let names: HashMap<SymbolRow, String> = reader.symbols_of(file)?.into_iter().map(|symbol| (symbol.id, symbol.qualified_name)).collect();
    let sources = reader.chunks_of(file)?.into_iter().map(|chunk| {
        let range = chunk.span.start_byte as usize..chunk.span.end_byte as usize;
        let content = whole.get(range.clone()).unwrap_or_default();
        let name = chunk.symbol.and_then(|symbol| names.get(&symbol)).map(String::as_str);
        // The path and the name beside the content may make a secret of what was none.
        let clean = if content.trim().is_empty() { None } else { admit::redact(text(row.path.as_str(), name, content)).ok() };
        let class = clean.as_ref().map(|_| classes.of_range(range));
        let text = clean.map(|(text, _)| text).unwrap_or_default();
        Source { chunk: chunk.id, hash: Hash::of(text.as_bytes()), text, class }
    });
    Ok(Some(sources.collect()))
}

impl Semantic {
    /// The request as it may be embedded: without secrets, and not at all where a class of it may not leave.
    pub(super) fn gated_request(&self, request: &str) -> Result<String, Refusal> {
        let class = Classes::of(request).held().fold(Class::Normal, Class::max);
        if !self.audience.may_have(class) {
            return Err(Refusal::new(PRIVACY, "the profile may not have text of the request's class"));
        }
        let short: String = request.chars().take(MAX_EMBEDDED_CHARS).collect();
        admit::redact(short).map(|(text, _)| text).map_err(|rule| Refusal::new("secret", format!("the request holds what may not leave ({rule})")))
    }
}
