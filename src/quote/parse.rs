//! Messages back to what they claim.

use crate::hash::Hash;

/// What a message says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Block {
    Source(Source),
    Update(Vec<Changed>),
    Reference(Vec<Referred>),
}

/// The fields of a message that quotes a snippet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    pub path: String,
    pub hash: Hash,
    pub start_line: u32,
    pub end_line: u32,
    pub modified: bool,
    pub head: Option<String>,
    pub relevance: String,
    pub text: String,
}

/// One file of a note on changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    pub path: String,
    pub old: Hash,
    pub new: Option<Hash>,
}

/// One place of a note on what the conversation holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Referred {
    pub path: String,
    pub hash: Hash,
    pub start_line: u32,
    pub end_line: u32,
}

/// Reads a message. `None` unless it is one from its first byte to its last.
pub fn block(text: &str) -> Option<Block> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    let (first, last) = (lines.remove(0), lines.pop()?);
    match (first, last) {
        (super::START, super::END) => source(&lines).map(Block::Source),
        (super::update::START, super::update::END) if lines.first() == Some(&super::update::EXPLANATION) && lines.len() > 1 => {
            lines[1..].iter().map(|line| changed(line)).collect::<Option<_>>().map(Block::Update)
        }
        (super::reference::START, super::reference::END) if lines.first() == Some(&super::reference::EXPLANATION) && lines.len() > 1 => {
            lines[1..].iter().map(|line| referred(line)).collect::<Option<_>>().map(Block::Reference)
        }
        _ => None,
    }
}

fn source(lines: &[&str]) -> Option<Source> {
    let mut lines = lines.iter().copied().peekable();
    let mut field = |name: &str| lines.next_if(|line| line.starts_with(name)).map(|line| &line[name.len()..]);
    let path = json(field("Path: ")?)?;
    let hash = Hash::from_hex(field("SHA-256: ")?)?;
    let (start_line, end_line) = field("Lines: ")?.split_once('-')?;
    let modified = match field("Working tree: ")? {
        super::MODIFIED => true,
        super::UNMODIFIED => false,
        _ => return None,
    };
    let head = match field("Indexed Git HEAD: ") {
        Some(head) => Some(unquoted(head)?),
        None => None,
    };
    let relevance = unquoted(field("Relevance: ")?)?;
    field(super::WARNING).filter(|rest| rest.is_empty())?;
    let text = json(field("Quoted source JSON: ")?)?;
    lines.next().is_none().then_some(())?;
    Some(Source { path, hash, start_line: start_line.parse().ok()?, end_line: end_line.parse().ok()?, modified, head, relevance, text })
}

fn changed(line: &str) -> Option<Changed> {
    // The path may hold the words that follow it, so they are looked for from the end.
    let (path, hashes) = line.strip_prefix("Path: ")?.rsplit_once(" SHA-256: ")?;
    let (old, new) = hashes.split_once(" -> ")?;
    let new = if new == super::update::DELETED { None } else { Some(Hash::from_hex(new)?) };
    Some(Changed { path: json(path)?, old: Hash::from_hex(old)?, new })
}

fn referred(line: &str) -> Option<Referred> {
    // As for a change: from the end.
    let (rest, lines) = line.strip_prefix("Path: ")?.rsplit_once(" Lines: ")?;
    let (path, hash) = rest.rsplit_once(" SHA-256: ")?;
    let (start_line, end_line) = lines.split_once('-')?;
    Some(Referred { path: json(path)?, hash: Hash::from_hex(hash)?, start_line: start_line.parse().ok()?, end_line: end_line.parse().ok()? })
}

fn json(literal: &str) -> Option<String> {
    // A literal of ours has no white space around it.
    let bare = literal.starts_with('"') && literal.ends_with('"');
    bare.then(|| serde_json::from_str(literal).ok())?
}

fn unquoted(label: &str) -> Option<String> {
    json(&format!("\"{label}\""))
}
