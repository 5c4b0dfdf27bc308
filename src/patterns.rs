//! What the user's settings keep out, tracked or not, and what they take in: patterns in the syntax of `.gitignore`, relative to the project's root.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::error::{Code, Error, Result};
use crate::rel_path::RelPath;

/// The patterns of `exclude` as one matcher.
#[derive(Debug, Clone)]
pub struct Excludes(Gitignore);

impl Default for Excludes {
    fn default() -> Self {
        Excludes(Gitignore::empty())
    }
}

impl Excludes {
    /// # Errors
    /// `InvalidArgument` naming the first pattern that is none.
    pub fn new(patterns: &[String]) -> Result<Self> {
        matcher("exclude", patterns).map(Excludes)
    }

    /// Whether they keep out a name whose folders they do not keep out.
    pub fn hold(&self, path: &RelPath, is_directory: bool) -> bool {
        !self.0.is_empty() && self.0.matched(path.to_os(), is_directory).is_ignore()
    }
}

/// The patterns of `include`: what Git ignores, or a folder's name keeps out, and the user wants all the same.
#[derive(Debug, Clone)]
pub struct Includes {
    patterns: Vec<String>,
    wanted: Gitignore,
    /// The folders that such a file may stand in, for each pattern.
    ways: Vec<Gitignore>,
}

impl Default for Includes {
    fn default() -> Self {
        Includes { patterns: Vec::new(), wanted: Gitignore::empty(), ways: Vec::new() }
    }
}

impl Includes {
    /// # Errors
    /// `InvalidArgument` naming the first pattern that is none.
    pub fn new(patterns: &[String]) -> Result<Self> {
        let wanted = matcher("include", patterns)?;
        let ways = patterns.iter().map(|pattern| matcher("include", &ways_of(pattern))).collect::<Result<_>>()?;
        Ok(Includes { patterns: patterns.to_vec(), wanted, ways })
    }

    /// The patterns as they were given.
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// Whether they take in a path: it, or the nearest folder above it that they speak of.
    pub fn hold(&self, path: &RelPath, is_directory: bool) -> bool {
        !self.wanted.is_empty() && self.wanted.matched_path_or_any_parents(path.to_os(), is_directory).is_ignore()
    }

    /// Whether something that they take in may stand in a folder that is otherwise left out.
    pub fn lead_into(&self, folder: &RelPath) -> bool {
        self.hold(folder, true) || self.ways.iter().any(|way| !way.is_empty() && way.matched_path_or_any_parents(folder.to_os(), true).is_ignore())
    }
}

/// The folders that lead to what a pattern with a `/` in it names, as patterns; a name alone leads nowhere, lest every folder be looked into.
fn ways_of(pattern: &str) -> Vec<String> {
    let pattern = pattern.trim_end();
    if pattern.starts_with(['#', '!']) {
        return Vec::new();
    }
    let parts: Vec<&str> = pattern.trim_matches('/').split('/').collect();
    let mut ways = Vec::new();
    for (at, part) in parts.iter().enumerate().take(parts.len() - 1) {
        let head = parts[..=at].join("/");
        // Braces that go on behind the slash name folders at several depths.
        let is_cut = head.matches('{').count() > head.matches('}').count();
        // Below `**` any folder leads on; above, only the named ones, and not what else is in them.
        if *part == "**" || is_cut {
            ways.push(format!("/{}", [&parts[..at], &["**"]].concat().join("/")));
            break;
        }
        ways.push(format!("/{head}/"));
        ways.push(format!("!/{head}/*"));
    }
    ways
}

fn matcher(setting: &str, patterns: &[String]) -> Result<Gitignore> {
    let mut builder = GitignoreBuilder::new("");
    for pattern in patterns {
        let shown: String = pattern.chars().take(200).collect();
        builder
            .add_line(None, pattern)
            .map_err(|error| Error::new(Code::InvalidArgument, format!("`{setting}` holds {shown:?}, which is no pattern: {error}")))?;
    }
    builder.build().map_err(|error| Error::new(Code::InvalidArgument, format!("`{setting}` can't be used as a whole: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_on_the_way_are_led_into() {
        let patterns =
            ["vendor/lib/*.go", "/gen/", "node_modules/@own/**/*.ts", "*.log", "a/**/z.md", "!vendor/lib/no.go", "ext/{one/two,three}/*.c"].map(str::to_owned);
        let includes = Includes::new(&patterns).unwrap();
        let leads = |path: &str| includes.lead_into(&RelPath::parse(path).unwrap());
        for yes in [
            "vendor",
            "vendor/lib",
            "gen",
            "gen/deep",
            "node_modules",
            "node_modules/@own",
            "node_modules/@own/x/y",
            "a",
            "a/b/c",
            "ext",
            "ext/one/two",
            "ext/three",
        ] {
            assert!(leads(yes), "{yes}");
        }
        for no in ["vendor/other", "node_modules/react", "node_modules/react/dist", "logs", "x/vendor", "vendor/lib/deep"] {
            assert!(!leads(no), "{no}");
        }
        let holds = |path: &str| includes.hold(&RelPath::parse(path).unwrap(), false);
        assert!(holds("vendor/lib/a.go") && holds("gen/deep/x.ts") && holds("deep/x.log") && holds("node_modules/@own/x/y.ts"));
        assert!(!holds("vendor/lib/no.go") && !holds("vendor/a.go") && !holds("node_modules/react/y.ts"));
    }
}
