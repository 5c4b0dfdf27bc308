//! One confined read: bytes to hash, text, and a verdict. The only place that reads project files, for sync and for proof alike.

mod redact;
mod shape;
pub(crate) mod text;

use std::ops::Range;

use crate::discover;
use crate::error::Result;
use crate::exclude::{CONTENT_LARGE_FILE_POINTER, CONTENT_MINIFIED, RuleId};
use crate::hash::Hash;
use crate::limits::{Bounds, SecretPolicy};
use crate::rel_path::RelPath;
use crate::root::{Facts, Found, Root};
use crate::secrets;

pub use redact::redact;
pub use shape::payload_spans;

/// How the bytes spell text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    Utf8WithBom,
    Utf16Le,
    Utf16Be,
    Windows1252,
    /// UTF-8 with some bytes replaced.
    Utf8Lossy,
}

/// A file that may be indexed and quoted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Admitted {
    /// Of the raw bytes.
    pub hash: Hash,
    /// Of the handle that the bytes came from.
    pub facts: Facts,
    /// The decoded text, without a byte-order mark, and without secrets: markers stand in their places.
    pub text: String,
    /// Where markers stand in place of secrets.
    pub redactions: Vec<Range<usize>>,
    /// How it was spelled.
    pub encoding: Encoding,
    /// Whether a marker in its head says that a program wrote it.
    pub generated: bool,
}

/// The verdict on one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It may be indexed and quoted.
    Admitted(Box<Admitted>),
    /// A rule keeps it out. `facts` are those of the file, if it was looked at.
    Refused { rule: RuleId, facts: Option<Facts> },
    /// There is no such file.
    Gone,
}

/// Reads and judges one file: name rules, links and kinds, size, binary, encoding, secrets.
///
/// What only a listing can tell is left to [`crate::discover`]: ignore rules, untracked build output, nested repositories, other names of credential files.
///
/// # Errors
/// `Io` if the operating system refuses the read.
pub fn admit(root: &Root, path: &RelPath, bounds: &Bounds) -> Result<Verdict> {
    Ok(match read(root, path, bounds)? {
        Ok(content) => content.judge(content.hash(), bounds),
        Err(verdict) => verdict,
    })
}

/// What a file holds, before it is judged.
#[derive(Debug)]
pub struct Content {
    bytes: Vec<u8>,
    facts: Facts,
}

/// The first half of [`admit`]: reads a file, unless its name, kind or size decides.
///
/// # Errors
/// `Io` if the operating system refuses the read.
pub fn read(root: &Root, path: &RelPath, bounds: &Bounds) -> Result<Result<Content, Verdict>> {
    if let Some(rule) = discover::by_name(path, &bounds.include) {
        return Ok(Err(Verdict::Refused { rule, facts: None }));
    }
    Ok(match root.find(path, bounds.max_file_bytes)? {
        Found::File(bytes, facts) => Ok(Content { bytes, facts }),
        Found::Refused(rule, facts) => Err(Verdict::Refused { rule, facts }),
        Found::Nothing => Err(Verdict::Gone),
    })
}

impl Content {
    /// Of the bytes.
    pub fn hash(&self) -> Hash {
        Hash::of(&self.bytes)
    }

    /// The verdict on bytes of this hash.
    pub fn judge(&self, hash: Hash, bounds: &Bounds) -> Verdict {
        match judge(&self.bytes, bounds.secrets) {
            Ok((text, encoding, redactions)) => {
                let generated = shape::is_generated(&text);
                Verdict::Admitted(Box::new(Admitted { hash, facts: self.facts, text, redactions, encoding, generated }))
            }
            Err(rule) => Verdict::Refused { rule, facts: Some(self.facts) },
        }
    }
}

fn judge(bytes: &[u8], policy: SecretPolicy) -> Result<(String, Encoding, Vec<Range<usize>>), RuleId> {
    let (text, encoding) = text::decode(bytes)?;
    if shape::is_large_file_pointer(&text) {
        return Err(CONTENT_LARGE_FILE_POINTER);
    }
    if shape::is_minified(&text, &payload_spans(&text)) {
        return Err(CONTENT_MINIFIED);
    }
    if policy == SecretPolicy::Redact {
        return redact::redact(text).map(|(text, redactions)| (text, encoding, redactions));
    }
    match secrets::scan(&text).first() {
        Some(finding) => Err(finding.rule),
        None => Ok((text, encoding, Vec::new())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::root::{Trust, TrustSource};
    use std::fs;

    #[test]
    fn each_verdict_names_its_rule() {
        let folder = tempfile::tempdir().unwrap();
        let root = Root::open(folder.path(), Trust::granted(TrustSource::Api)).unwrap();
        let verdict = |name: &str, content: &[u8]| {
            let path = RelPath::parse(name).unwrap();
            fs::create_dir_all(folder.path().join(name).parent().unwrap()).unwrap();
            fs::write(folder.path().join(name), content).unwrap();
            admit(&root, &path, &Bounds { max_file_bytes: 10_000, ..Bounds::default() }).unwrap()
        };
        let rule = |name: &str, content: &[u8]| match verdict(name, content) {
            Verdict::Refused { rule, facts } => (rule, facts.map(|facts| facts.size)),
            other => panic!("{name}: {other:?}"),
        };
        let Verdict::Admitted(admitted) = verdict("a.ts", b"\xef\xbb\xbf// @generated\r\nlet a = 1;\r\n") else { panic!() };
        assert_eq!((admitted.text.as_str(), admitted.encoding, admitted.generated), ("// @generated\r\nlet a = 1;\r\n", Encoding::Utf8WithBom, true));
        assert_eq!((admitted.hash, admitted.facts.size), (Hash::of(b"\xef\xbb\xbf// @generated\r\nlet a = 1;\r\n"), 30));
        assert_eq!(rule(".env", b"A=1"), ("name/credentials", None));
        assert_eq!(rule("node_modules/x/i.js", b"1"), ("directory/dependencies", None));
        assert_eq!(rule("big.ts", &[b'a'; 10_001]), ("size/file", Some(10_001)));
        assert_eq!(rule("a.data", b"a\0b"), ("binary/content", Some(3)));
        assert_eq!(rule("min.js", "a=b;".repeat(2_000).as_bytes()), ("content/minified", Some(8_000)));
        assert_eq!(rule("lfs.ts", b"version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 1\n").0, "content/large-file-pointer");
        let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
        assert_eq!(rule("key.ts", format!("const k = \"{key}\";").as_bytes()).0, "secret/github-token");
        assert!(matches!(verdict("bin/run.ts", b"1"), Verdict::Admitted(_)));
        assert_eq!(admit(&root, &RelPath::parse("none.ts").unwrap(), &Bounds::default()).unwrap(), Verdict::Gone);
    }
}
