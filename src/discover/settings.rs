//! What the user's settings keep out, tracked or not: patterns in the syntax of `.gitignore`, relative to the project's root.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::{Code, Error, Result};
use crate::rel_path::RelPath;

/// The patterns as one matcher.
#[derive(Debug)]
pub struct Excludes(Gitignore);

impl Excludes {
    /// # Errors
    /// `InvalidArgument` naming the first pattern that is none.
    pub fn new(patterns: &[String]) -> Result<Self> {
        let mut builder = GitignoreBuilder::new("");
        for pattern in patterns {
            let shown: String = pattern.chars().take(200).collect();
            builder
                .add_line(None, pattern)
                .map_err(|error| Error::new(Code::InvalidArgument, format!("`exclude` holds {shown:?}, which is no pattern: {error}")))?;
        }
        let rules = builder.build().map_err(|error| Error::new(Code::InvalidArgument, format!("`exclude` can't be used as a whole: {error}")))?;
        Ok(Excludes(rules))
    }

    /// Whether they keep out a name whose folders they do not keep out.
    pub(super) fn hold(&self, path: &RelPath, is_directory: bool) -> bool {
        !self.0.is_empty() && self.0.matched(path.to_os(), is_directory).is_ignore()
    }
}
