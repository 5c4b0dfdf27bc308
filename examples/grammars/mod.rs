//! The grammars by file extension, for what is measured beside the engine.

use std::path::Path;

/// The grammar of a file that the engine parses with one.
pub(crate) fn of(path: &Path) -> Option<tree_sitter::Language> {
    let language = match path.extension()?.to_str()? {
        "ts" | "mts" | "cts" => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        "tsx" => tree_sitter_typescript::LANGUAGE_TSX,
        "js" | "jsx" | "mjs" | "cjs" => tree_sitter_javascript::LANGUAGE,
        "py" | "pyi" => tree_sitter_python::LANGUAGE,
        "go" => tree_sitter_go::LANGUAGE,
        "rs" => tree_sitter_rust::LANGUAGE,
        "java" => tree_sitter_java::LANGUAGE,
        "c" => tree_sitter_c::LANGUAGE,
        "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" => tree_sitter_cpp::LANGUAGE,
        "cs" => tree_sitter_c_sharp::LANGUAGE,
        "rb" => tree_sitter_ruby::LANGUAGE,
        "php" => tree_sitter_php::LANGUAGE_PHP,
        "kt" | "kts" => tree_sitter_kotlin_ng::LANGUAGE,
        "swift" => tree_sitter_swift::LANGUAGE,
        "scala" => tree_sitter_scala::LANGUAGE,
        "sh" | "bash" => tree_sitter_bash::LANGUAGE,
        "lua" => tree_sitter_lua::LANGUAGE,
        "css" => tree_sitter_css::LANGUAGE,
        "html" => tree_sitter_html::LANGUAGE,
        "json" => tree_sitter_json::LANGUAGE,
        "toml" => tree_sitter_toml_ng::LANGUAGE,
        "md" => tree_sitter_md::LANGUAGE,
        _ => return None,
    };
    Some(language.into())
}
