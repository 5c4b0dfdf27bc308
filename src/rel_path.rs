//! Paths inside the project: relative, `/`-separated, and reversible to the bytes on disk.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::error::{Code, Error, Result};

/// A path below the project's root, `/`-separated, without empty, `.` or `..` components.
///
/// The text equals the name on disk wherever that is valid UTF-8 without a backslash. Other bytes are written
/// as `\xHH` and a backslash as `\\`, so that every name on disk has exactly one text and back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RelPath(String);

impl RelPath {
    /// The path for `/`-separated bytes as the operating system or Git names them; `None` if they are no path below a root.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            for character in chunk.valid().chars() {
                match character {
                    '\\' => text.push_str("\\\\"),
                    '\0' => return None,
                    other => text.push(other),
                }
            }
            for byte in chunk.invalid() {
                text.push_str(&format!("\\x{byte:02X}"));
            }
        }
        has_plain_components(&text).then_some(RelPath(text))
    }

    /// The path that a caller wrote in this type's text form.
    ///
    /// # Errors
    /// [`Code::PathInvalid`] if it is absolute, leaves the root, or holds an escape that is none.
    pub fn parse(text: &str) -> Result<Self> {
        let invalid = || {
            let shown: String = text.chars().take(200).collect();
            Error::new(
                Code::PathInvalid,
                format!("{shown:?} is no path inside the project: give it relative to the root, with forward slashes and without `..`"),
            )
        };
        let bytes = unescape(text).ok_or_else(invalid)?;
        RelPath::from_bytes(&bytes).ok_or_else(invalid)
    }

    /// The child of this path with the given name.
    pub fn join(&self, name: &RelPath) -> RelPath {
        RelPath(format!("{}/{}", self.0, name.0))
    }

    /// The text form.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The bytes on disk.
    pub fn to_bytes(&self) -> Vec<u8> {
        unescape(&self.0).expect("a RelPath is only made from text that unescapes")
    }

    /// The path for the operating system, relative to the root.
    pub fn to_os(&self) -> PathBuf {
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStringExt as _;
            PathBuf::from(std::ffi::OsString::from_vec(self.to_bytes()))
        }
        #[cfg(not(unix))]
        {
            PathBuf::from(String::from_utf8_lossy(&self.to_bytes()).into_owned())
        }
    }

    /// The components, outermost first.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/')
    }

    /// The last component.
    pub fn file_name(&self) -> &str {
        self.0.rsplit('/').next().unwrap_or(&self.0)
    }

    /// The directory that holds this path; `None` directly below the root.
    pub fn parent(&self) -> Option<RelPath> {
        self.0.rsplit_once('/').map(|(parent, _)| RelPath(parent.to_owned()))
    }

    /// Whether this path is `tail`, or ends with it as whole components.
    pub fn ends_with(&self, tail: &RelPath) -> bool {
        self.0.strip_suffix(&tail.0).is_some_and(|above| above.is_empty() || above.ends_with('/'))
    }

    /// What follows the last dot of the file name, lower-cased; empty if there is none or the name starts with its only dot.
    pub fn extension(&self) -> String {
        match self.file_name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension.to_lowercase(),
            _ => String::new(),
        }
    }

    /// How many directories lie between the root and the file.
    pub fn depth(&self) -> usize {
        self.0.bytes().filter(|&byte| byte == b'/').count()
    }
}

impl fmt::Display for RelPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn has_plain_components(text: &str) -> bool {
    !text.is_empty() && text.split('/').all(|part| !part.is_empty() && part != "." && part != "..")
}

fn unescape(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        rest = tail;
        if first != b'\\' {
            out.push(first);
            continue;
        }
        match rest {
            [b'\\', tail @ ..] => {
                out.push(b'\\');
                rest = tail;
            }
            [b'x', high, low, tail @ ..] => {
                let digit = |byte: u8| char::from(byte).to_digit(16);
                out.push((digit(*high)? * 16 + digit(*low)?) as u8);
                rest = tail;
            }
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn plain_names_are_their_own_text() {
        let path = RelPath::from_bytes("src/Ünïcode.test.ts".as_bytes()).unwrap();
        assert_eq!(path.as_str(), "src/Ünïcode.test.ts");
        assert_eq!((path.file_name(), path.extension().as_str(), path.depth()), ("Ünïcode.test.ts", "ts", 1));
        assert_eq!(path.parent().unwrap().as_str(), "src");
        assert_eq!(RelPath::from_bytes(b".env").unwrap().extension(), "");
    }

    #[test]
    fn other_bytes_are_escaped() {
        assert_eq!(RelPath::from_bytes(b"a\xff\\b").unwrap().as_str(), "a\\xFF\\\\b");
    }

    #[test]
    fn paths_that_leave_the_root_are_refused() {
        for text in ["", "/etc/passwd", "../x", "a/../b", "a//b", "./a", "a/", "a\\q", "a\0b"] {
            assert_eq!(RelPath::parse(text).unwrap_err().code, Code::PathInvalid, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn every_name_has_one_text_and_back(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            if let Some(path) = RelPath::from_bytes(&bytes) {
                prop_assert_eq!(path.to_bytes(), bytes);
                prop_assert_eq!(RelPath::parse(path.as_str()).unwrap(), path);
            }
        }
    }
}
