//! What a file is for, by its path and the row of its language: what is rarely meant unless a request asks for it counts less.

use super::weights::Weights;
use crate::language;
use crate::rel_path::RelPath;
use crate::task::TaskDescriptor;

/// What a file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Source,
    Test,
    Docs,
    Example,
    Generated,
    Data,
    /// Declarations without bodies, such as `.d.ts`.
    DeclarationsOnly,
}

const TEST_FOLDERS: &[&str] =
    &["t", "test", "tests", "__tests__", "__test__", "spec", "specs", "testing", "e2e", "fixtures", "__fixtures__", "testdata", "__mocks__", "mocks"];
const DOC_FOLDERS: &[&str] = &["doc", "docs", "documentation", "changelog", "changelogs", ".changeset", "website"];
const EXAMPLE_FOLDERS: &[&str] =
    &["example", "examples", "sample", "samples", "demo", "demos", "bench", "benches", "benchmark", "benchmarks", "tutorial", "tutorials", "playground"];
const DOC_EXTENSIONS: &[&str] = &["md", "mdx", "rst", "txt", "adoc", "org", "tex"];
const DATA_EXTENSIONS: &[&str] =
    &["json", "jsonc", "json5", "yaml", "yml", "toml", "ini", "cfg", "csv", "tsv", "xml", "lock", "svg", "po", "pot", "properties", "snap"];

impl Role {
    /// What the file at `path` is for.
    pub(super) fn of(path: &RelPath, generated: bool) -> Role {
        let name = path.file_name().to_lowercase();
        let extension = path.extension();
        let in_folder = |names: &[&str]| path.parent().is_some_and(|parent| parent.components().any(|part| names.contains(&part.to_lowercase().as_str())));
        let language = language::of(path, "");
        let marked = [".test.", ".spec.", ".e2e."].iter().any(|mark| name.contains(mark));
        let is_test = marked || language.is_some_and(|language| language.is_test(path.file_name()));
        match () {
            () if generated || language.is_some_and(|language| language.is_generated(path.file_name())) => Role::Generated,
            () if is_test || in_folder(TEST_FOLDERS) => Role::Test,
            () if DOC_EXTENSIONS.contains(&extension.as_str()) || in_folder(DOC_FOLDERS) => Role::Docs,
            () if in_folder(EXAMPLE_FOLDERS) => Role::Example,
            () if DATA_EXTENSIONS.contains(&extension.as_str()) => Role::Data,
            () if [".d.ts", ".d.mts", ".d.cts", ".pyi"].iter().any(|end| name.ends_with(end)) => Role::DeclarationsOnly,
            () => Role::Source,
        }
    }

    /// The factor of a file's score.
    pub(super) fn factor(self, asked: Asked, weights: &Weights) -> f64 {
        match self {
            Role::Source => 1.0,
            Role::Test if asked.tests => 1.0,
            Role::Docs if asked.docs => 1.0,
            Role::Example if asked.examples => 1.0,
            Role::Test => weights.tests,
            Role::Docs => weights.docs,
            Role::Example => weights.examples,
            Role::Generated => weights.generated,
            Role::Data => weights.data,
            Role::DeclarationsOnly => weights.declarations_only,
        }
    }
}

/// Which roles a request asks for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Asked {
    pub(super) tests: bool,
    pub(super) docs: bool,
    pub(super) examples: bool,
}

impl Asked {
    /// Reads the request's words, as the index spells them.
    pub(super) fn of(task: &TaskDescriptor) -> Asked {
        let any = |words: &[&str]| task.keywords.iter().any(|keyword| words.contains(&keyword.term.as_str()));
        Asked {
            tests: any(&["test", "spec", "unittest", "测试", "テス", "スト", "테스"]),
            docs: any(&["doc", "document", "readm", "changelog", "guid", "文档", "文書", "문서"]),
            examples: any(&["exampl", "sampl", "demo", "benchmark", "bench", "示例", "예제"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_tells_what_a_file_is_for() {
        let cases = [
            ("src/a.ts", Role::Source),
            ("src/a.test.ts", Role::Test),
            ("tests/unit/x.py", Role::Test),
            ("pkg/test_x.py", Role::Test),
            ("src/latest.py", Role::Source),
            ("src/FooTest.java", Role::Test),
            ("pkg/a_test.go", Role::Test),
            ("api/a.pb.go", Role::Generated),
            ("docs/a.py", Role::Docs),
            ("README.md", Role::Docs),
            ("examples/a.rs", Role::Example),
            ("package.json", Role::Data),
            ("types.d.ts", Role::DeclarationsOnly),
        ];
        for (path, role) in cases {
            assert_eq!(Role::of(&RelPath::parse(path).unwrap(), false), role, "{path}");
        }
        assert_eq!(Role::of(&RelPath::parse("src/a.ts").unwrap(), true), Role::Generated);
    }
}
