//! The exclusion rules, each a row with its id. What a name says stands here; `discover` judges by it, and `admit` by what a file holds.

use std::collections::BTreeMap;

use crate::language::{self, Use};
use crate::rel_path::RelPath;

/// The stable id of an exclusion rule, such as `directory/dependencies` or `secret/private-key`.
pub type RuleId = &'static str;

/// A rule as people read it.
#[derive(Debug)]
pub struct Rule {
    /// The stable id.
    pub id: RuleId,
    /// What it keeps out, in a few words.
    pub summary: &'static str,
}

macro_rules! rules {
    ($($name:ident = $id:literal, $summary:literal;)*) => {
        $(#[doc = $summary] pub const $name: RuleId = $id;)*
        /// Every rule that can keep something out, in the order of judgement.
        pub const RULES: &[Rule] = &[$(Rule { id: $id, summary: $summary }),*];
    };
}

rules! {
    DIRECTORY_VCS = "directory/vcs", "Version-control data";
    DIRECTORY_HOST = "directory/host", "The coding agent's own folder (`.pi`)";
    DIRECTORY_NESTED_REPOSITORY = "directory/nested-repository", "A repository, worktree or submodule inside the project";
    DIRECTORY_DEPENDENCIES = "directory/dependencies", "Installed dependencies and virtual environments";
    DIRECTORY_CACHE = "directory/cache", "Caches of tools";
    DIRECTORY_EDITOR = "directory/editor", "Editors' folders";
    DIRECTORY_BUILD_OUTPUT = "directory/build-output", "Build output that holds no tracked file";
    PATH_LINK = "path/link", "Symbolic links";
    PATH_SPECIAL = "path/special", "Pipes, sockets and devices";
    PATH_IGNORED = "path/ignored", "Files that ignore rules keep out; a listing does not count them";
    PATH_AGENTIGNORE = "path/agentignore", "What the project's `.agentignore` files keep out, tracked or not";
    PATH_SETTINGS = "path/settings", "What the user's settings exclude";
    PATH_UNREADABLE = "path/unreadable", "Folders and files that could not be looked at";
    NAME_CREDENTIALS = "name/credentials", "Files that hold credentials by their name, and other names of the same file";
    NAME_LOCK_FILE = "name/lock-file", "Lock files of package managers";
    NAME_SOURCE_MAP = "name/source-map", "Source maps";
    NAME_MINIFIED = "name/minified", "Minified files by their name";
    BINARY_TYPE = "binary/type", "Binary files by their name";
    SIZE_FILE = "size/file", "Files above the size bound";
    CONTENT_LARGE_FILE_POINTER = "content/large-file-pointer", "Pointers to content that is stored elsewhere";
    BINARY_CONTENT = "binary/content", "Binary files by their content";
    CONTENT_MALFORMED_TEXT = "content/malformed-text", "Text with too many bytes that are no text in any known encoding";
    CONTENT_MINIFIED = "content/minified", "Minified files by their very long lines";
    SECRET_PRIVATE_KEY = "secret/private-key", "Private keys";
    SECRET_AWS = "secret/aws-access-key", "AWS access keys";
    SECRET_GITHUB = "secret/github-token", "GitHub tokens";
    SECRET_GITLAB = "secret/gitlab-token", "GitLab tokens";
    SECRET_SLACK = "secret/slack-token", "Slack tokens and webhooks";
    SECRET_STRIPE = "secret/stripe-key", "Stripe secret keys";
    SECRET_GOOGLE = "secret/google-api-key", "Google API keys and OAuth secrets";
    SECRET_MODEL_PROVIDER = "secret/model-provider-key", "Keys of model providers";
    SECRET_NPM = "secret/npm-token", "npm tokens";
    SECRET_PYPI = "secret/pypi-token", "PyPI tokens";
    SECRET_SENDGRID = "secret/sendgrid-key", "SendGrid keys";
    SECRET_TWILIO = "secret/twilio-key", "Twilio keys";
    SECRET_AZURE = "secret/azure-storage-key", "Azure storage keys";
    SECRET_CLOUD = "secret/cloud-token", "Tokens of hosting and infrastructure providers";
    SECRET_SERVICE = "secret/service-token", "Tokens of other services";
    SECRET_JWT = "secret/jwt", "Signed tokens that stand for a user or a service";
    SECRET_CONNECTION_STRING = "secret/connection-string", "Connection strings with a password";
    SECRET_ASSIGNMENT = "secret/assignment", "Values that look random, assigned to a secret's name";
    LIMIT_FILES = "limit/files", "Files beyond the bound on their number";
    LIMIT_BYTES = "limit/bytes", "Files beyond the bound on all bytes together";
}

/// What a rule keeps out, in a few words; empty for an id that is none of [`RULES`].
pub fn summary(id: &str) -> &'static str {
    RULES.iter().find(|rule| rule.id == id).map_or("", |rule| rule.summary)
}

/// What the name of a directory says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DirectoryVerdict {
    /// Look inside.
    Enter,
    /// Never look inside.
    Exclude(RuleId),
    /// Build output by its name: excluded unless it holds a tracked file.
    ExcludeUntracked(RuleId),
    /// Build output or scripts: as [`DirectoryVerdict::ExcludeUntracked`], but where Git can't tell it is looked into if [`is_source_directory`].
    ExcludeWithoutSource(RuleId),
}

/// The verdict on a directory by its own name, in any case of letters.
pub fn directory(name: &str) -> DirectoryVerdict {
    use DirectoryVerdict::{Enter, Exclude, ExcludeUntracked, ExcludeWithoutSource};
    match name.to_lowercase().as_str() {
        // CocoaPods writes this very spelling; `pods` is an ordinary word.
        "pods" if name == "Pods" => Exclude(DIRECTORY_DEPENDENCIES),
        ".git" | ".hg" | ".svn" | ".bzr" | "_darcs" | ".jj" | ".sl" | ".fossil" | ".repo" => Exclude(DIRECTORY_VCS),
        ".pi" => Exclude(DIRECTORY_HOST),
        "node_modules" | "bower_components" | "jspm_packages" | "vendor" | ".venv" | "venv" | ".virtualenv" | "virtualenv" | "site-packages"
        | "dist-packages" | "__pypackages__" | ".eggs" | ".yarn" | ".pnpm-store" | ".bundle" | "carthage" | ".rustup" | ".m2" | ".nuget" | ".pub-cache"
        | ".tox" | ".nox" | ".conda" | ".direnv" => Exclude(DIRECTORY_DEPENDENCIES),
        ".cache" | "__pycache__" | ".mypy_cache" | ".pytest_cache" | ".ruff_cache" | ".hypothesis" | ".gradle" | ".npm" | ".parcel-cache" | ".turbo"
        | ".nx" | ".eslintcache" | ".sass-cache" | ".ccache" | ".terraform" | ".terragrunt-cache" | ".ipynb_checkpoints" | ".dart_tool" | ".angular"
        | ".nyc_output" | ".vite" | ".webpack" | ".swc" | ".cpcache" | ".ccls-cache" | ".clangd" => Exclude(DIRECTORY_CACHE),
        ".idea" | ".vscode" | ".vs" | ".fleet" | ".zed" | ".settings" | ".metals" | ".bloop" | ".history" => Exclude(DIRECTORY_EDITOR),
        "dist"
        | "build"
        | "out"
        | "target"
        | "obj"
        | "coverage"
        | "htmlcov"
        | ".next"
        | ".nuxt"
        | ".output"
        | ".svelte-kit"
        | ".docusaurus"
        | ".vercel"
        | ".netlify"
        | ".serverless"
        | ".aws-sam"
        | ".build"
        | "deriveddata"
        | "_build"
        | "cmake-build-debug"
        | "cmake-build-release"
        | "bazel-out"
        | ".stack-work"
        | "dist-newstyle"
        | "storybook-static"
        | ".expo" => ExcludeUntracked(DIRECTORY_BUILD_OUTPUT),
        "bin" => ExcludeWithoutSource(DIRECTORY_BUILD_OUTPUT),
        name if name.ends_with(".egg-info") => ExcludeUntracked(DIRECTORY_BUILD_OUTPUT),
        _ => Enter,
    }
}

/// Whether the names of a directory's own files say that people wrote them: one is source of a programming language.
pub fn is_source_directory<'a>(files: impl IntoIterator<Item = &'a RelPath>) -> bool {
    files.into_iter().any(|file| matches!(language::use_of(file, &BTreeMap::new()), Use::Parsed | Use::Source) && file_name(file).is_none())
}

/// The rule that keeps a file out by its own name, in any case of letters; `None` if none does.
pub fn file_name(path: &RelPath) -> Option<RuleId> {
    let name = path.file_name().to_lowercase();
    let extension = path.extension();
    // The pointer of a linked work tree or submodule.
    if name == ".git" {
        return Some(DIRECTORY_VCS);
    }
    if is_credentials(path, &name, &extension) {
        return Some(NAME_CREDENTIALS);
    }
    if is_lock_file(&name) {
        return Some(NAME_LOCK_FILE);
    }
    if extension == "map"
        && [".js.map", ".mjs.map", ".cjs.map", ".css.map", ".ts.map", ".mts.map", ".cts.map", ".jsx.map", ".tsx.map"].iter().any(|end| name.ends_with(end))
    {
        return Some(NAME_SOURCE_MAP);
    }
    if [".min.js", ".min.mjs", ".min.cjs", ".min.css", ".min.html", ".min.json", "-min.js", ".bundle.js", ".pnp.cjs", ".pnp.loader.mjs"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        return Some(NAME_MINIFIED);
    }
    (is_binary(&extension) || matches!(name.as_str(), ".ds_store" | "thumbs.db")).then_some(BINARY_TYPE)
}

fn is_credentials(path: &RelPath, name: &str, extension: &str) -> bool {
    const NAMES: &[&str] = &[
        ".env",
        ".envrc",
        ".netrc",
        "_netrc",
        ".npmrc",
        ".yarnrc",
        ".pypirc",
        ".htpasswd",
        ".pgpass",
        ".my.cnf",
        ".git-credentials",
        ".dockercfg",
        ".boto",
        ".s3cfg",
        ".passwd-s3fs",
        ".terraformrc",
        "terraform.rc",
        ".vault-token",
        ".vault_pass",
        ".rclone.conf",
        "rclone.conf",
        "credentials",
        "credentials.json",
        "credentials.yaml",
        "credentials.yml",
        "credentials.toml",
        "credentials.xml",
        "credentials.ini",
        "credentials.csv",
        "secrets.json",
        "secrets.yaml",
        "secrets.yml",
        "secrets.toml",
        "secret.json",
        "secret.yaml",
        "secret.yml",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "id_ecdsa_sk",
        "id_ed25519_sk",
        "kubeconfig",
        "service-account.json",
        "service_account.json",
        "serviceaccount.json",
        "application_default_credentials.json",
        "client_secret.json",
        "google-services.json",
        "googleservice-info.plist",
        "wp-config.php",
        "auth.json",
    ];
    const EXTENSIONS: &[&str] = &[
        "key", "pem", "p12", "pfx", "p8", "pkcs12", "jks", "keystore", "bks", "ppk", "kdb", "kdbx", "gpg", "asc", "keychain", "ovpn", "agekey", "env",
        "tfstate",
    ];
    let in_folder = |folder: &str| path.parent().is_some_and(|parent| parent.file_name().eq_ignore_ascii_case(folder));
    let below = |folder: &str| path.components().rev().skip(1).any(|name| name.eq_ignore_ascii_case(folder));
    NAMES.contains(&name)
        || EXTENSIONS.contains(&extension)
        || name.starts_with(".env.")
        || name.starts_with(".env-")
        || name.starts_with(".env_")
        || name.starts_with("client_secret_")
        || name.contains(".tfstate.")
        || (name.starts_with("secrets.") && matches!(extension, "yaml" | "yml" | "json" | "toml" | "ini" | "env" | "properties"))
        || (name == "config.json" && in_folder(".docker"))
        || (name == "config" && (in_folder(".kube") || in_folder(".aws")))
        || (below(".ssh") && extension != "pub")
        || below(".gnupg")
}

fn is_lock_file(name: &str) -> bool {
    matches!(
        name,
        "bun.lock"
            | "bun.lockb"
            | "cargo.lock"
            | "composer.lock"
            | "flake.lock"
            | "package-lock.json"
            | "npm-shrinkwrap.json"
            | "packages.lock.json"
            | "pnpm-lock.yaml"
            | "poetry.lock"
            | "yarn.lock"
            | "gemfile.lock"
            | "gems.locked"
            | "pipfile.lock"
            | "uv.lock"
            | "pdm.lock"
            | "podfile.lock"
            | "cartfile.resolved"
            | "package.resolved"
            | "pubspec.lock"
            | "mix.lock"
            | "rebar.lock"
            | "go.sum"
            | "go.work.sum"
            | "deno.lock"
            | "gradle.lockfile"
            | "buildscript-gradle.lockfile"
            | "pixi.lock"
            | "conda-lock.yml"
            | "paket.lock"
            | "project.assets.json"
            | "chart.lock"
            | ".terraform.lock.hcl"
            | "module.bazel.lock"
            | "shard.lock"
            | "stack.yaml.lock"
            | "cabal.project.freeze"
            | "devbox.lock"
    )
}

fn is_binary(extension: &str) -> bool {
    #[rustfmt::skip]
    const EXTENSIONS: &[&str] = &[
        // archives
        "7z", "br", "bz2", "cab", "cpio", "deb", "dmg", "ear", "egg", "gem", "gz", "iso", "jar", "lz", "lz4", "lzma", "nupkg", "pkg", "rar", "rpm", "tar", "tbz2", "tgz", "txz", "war", "whl",
        "xz", "zip", "zst", "apk", "aab", "ipa", "crx", "xpi", "vsix", "msi",
        // native code
        "a", "bc", "class", "com", "dll", "dylib", "exe", "ko", "lib", "node", "o", "obj", "pdb", "pyc", "pyd", "pyo", "rlib", "rmeta", "so", "wasm", "elc", "beam", "dex", "dwarf",
        // images
        "avif", "bmp", "cur", "dds", "exr", "gif", "heic", "heif", "hdr", "icns", "ico", "jp2", "jpeg", "jpg", "jxl", "ktx", "png", "psd", "tga", "tif", "tiff", "webp", "xcf", "ai", "eps", "sketch", "fig",
        // sound and film
        "aac", "aiff", "avi", "flac", "flv", "m4a", "m4v", "mid", "mkv", "mov", "mp3", "mp4", "mpeg", "mpg", "ogg", "ogv", "opus", "wav", "webm", "wma", "wmv",
        // fonts
        "eot", "otf", "pfb", "ttc", "ttf", "woff", "woff2",
        // data and documents
        "accdb", "arrow", "avro", "bin", "bson", "ckpt", "dat", "db", "db3", "doc", "docx", "duckdb", "feather", "gguf", "h5", "hdf5", "joblib", "lmdb", "mdb", "mo", "npy", "npz", "odp", "ods",
        "odt", "onnx", "orc", "parquet", "pb", "pdf", "pickle", "pkl", "ppt", "pptx", "pt", "pth", "rdb", "rdata", "rds", "safetensors", "sqlite", "sqlite3", "swp", "tfrecord", "tflite",
        "xls", "xlsx", "blend", "fbx", "glb", "mesh", "pack", "idx", "snap-bin", "tsbuildinfo", "dump",
    ];
    EXTENSIONS.contains(&extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(path: &str) -> Option<RuleId> {
        file_name(&RelPath::parse(path).unwrap())
    }

    #[test]
    fn rule_ids_are_unique_and_explained() {
        let mut ids: Vec<_> = RULES.iter().map(|rule| rule.id).collect();
        ids.sort_unstable();
        let count = ids.len();
        ids.dedup();
        assert_eq!(ids.len(), count);
        assert!(RULES.iter().all(|rule| !rule.summary.is_empty() && rule.id.split('/').count() == 2));
    }

    #[test]
    fn directories_are_judged_by_their_own_name() {
        use DirectoryVerdict::{Enter, Exclude, ExcludeUntracked, ExcludeWithoutSource};
        let cases = [
            ("src", Enter),
            (".github", Enter),
            (".storybook", Enter),
            (".git", Exclude("directory/vcs")),
            (".GIT", Exclude("directory/vcs")),
            (".pi", Exclude("directory/host")),
            ("node_modules", Exclude("directory/dependencies")),
            (".venv", Exclude("directory/dependencies")),
            (".cache", Exclude("directory/cache")),
            (".vscode", Exclude("directory/editor")),
            ("bin", ExcludeWithoutSource("directory/build-output")),
            ("obj", ExcludeUntracked("directory/build-output")),
            (".next", ExcludeUntracked("directory/build-output")),
        ];
        for (name, expected) in cases {
            assert_eq!(directory(name), expected, "{name}");
        }
    }

    #[test]
    fn source_tells_scripts_from_build_output() {
        let is_source = |names: &[&str]| is_source_directory(&names.iter().map(|name| RelPath::parse(name).unwrap()).collect::<Vec<_>>());
        assert!(is_source(&["README.md", "worker.py"]));
        assert!(is_source(&["release.sh"]));
        assert!(!is_source(&["tool", "tool.exe", "lib.dll", "tool.deps.json", "readme.txt", "app.min.js"]));
        assert!(!is_source(&[]));
    }

    #[test]
    fn files_are_judged_by_their_own_name() {
        let cases = [
            (".env", Some("name/credentials")),
            ("config/.ENV.production", Some("name/credentials")),
            (".env.example", Some("name/credentials")),
            ("prod.env", Some("name/credentials")),
            ("environment.ts", None),
            ("env.ts", None),
            ("src/credentials.ts", None),
            ("certs/server.key", Some("name/credentials")),
            (".ssh/config", Some("name/credentials")),
            (".SSH/hosts/work", Some("name/credentials")),
            (".gnupg/openpgp-revocs.d/a.rev", Some("name/credentials")),
            (".ssh/id_rsa.pub", None),
            (".aws/config", Some("name/credentials")),
            ("src/config", None),
            ("Cargo.lock", Some("name/lock-file")),
            ("package-lock.json", Some("name/lock-file")),
            ("src/lock.rs", None),
            ("app.js.map", Some("name/source-map")),
            ("level1.map", None),
            ("jquery.min.js", Some("name/minified")),
            ("minimum.js", None),
            ("a.PNG", Some("binary/type")),
            ("a.wasm", Some("binary/type")),
            ("icon.svg", None),
            ("src/main.rs", None),
            ("module/.git", Some("directory/vcs")),
        ];
        for (path, expected) in cases {
            assert_eq!(rule(path), expected, "{path}");
        }
    }
}
