//! From the boundary's objects to the core's, with the checks that JavaScript's types cannot make.

use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::embed::HostEmbedder;
use super::types;
use crate::cancel::Cancel;
use crate::classify::{Audience, Class, Destination, Privacy};
use crate::error::{Code, Error, Result};
use crate::exclude;
use crate::hash::Hash;
use crate::language::{self, LANGUAGES, Language};
use crate::limits::{self, Bounds, SecretPolicy, SemanticBounds};
use crate::manifest::{GateCounts, Removed};
use crate::patterns::{Excludes, Includes};
use crate::project::{Amendment, ModelIdentity, OneRule, OpenOptions, Request};
use crate::rel_path::RelPath;
use crate::retrieve::{Budget, Held, Quoted};
use crate::root::TrustSource;
use crate::semantic::{Embedder, Profile, SemanticOptions, StaticModel};
use crate::store::{ActualUsage, now_ms};
use crate::sync::SyncOptions;
use crate::tokens;

/// A whole number in a range, or the default where none is given.
fn whole(name: &str, value: Option<f64>, default: usize, allowed: RangeInclusive<usize>) -> Result<usize> {
    let Some(value) = value else { return Ok(default) };
    let fits = value.fract() == 0.0 && value >= *allowed.start() as f64 && value <= *allowed.end() as f64;
    if !fits {
        let message = format!("`{name}` is {value}: give a whole number from {} to {}", allowed.start(), allowed.end());
        return Err(Error::new(Code::InvalidArgument, message));
    }
    Ok(value as usize)
}

fn one_of<'a>(name: &str, value: Option<&'a str>, allowed: &[&'a str]) -> Result<&'a str> {
    let value = value.unwrap_or(allowed[0]);
    if allowed.contains(&value) {
        return Ok(value);
    }
    let shown: String = value.chars().take(40).collect();
    Err(Error::new(Code::InvalidArgument, format!("`{name}` is {shown:?}: give one of {}", allowed.join(", "))))
}

fn hash(name: &str, value: &str) -> Result<Hash> {
    Hash::from_hex(value).ok_or_else(|| Error::new(Code::InvalidArgument, format!("`{name}` is no SHA-256: give 64 hexadecimal digits")))
}

/// A range of lines; a missing start is the first line, a missing end the last one that there can be.
fn lines(of: &str, start: Option<f64>, end: Option<f64>) -> Result<(u32, u32)> {
    let start = whole(&format!("{of}: startLine"), start, 1, LINES)?;
    let end = whole(&format!("{of}: endLine"), end, *LINES.end(), LINES)?;
    if end < start {
        let message = format!("{of}: lines {start} to {end} are no range: the end is not before the start");
        return Err(Error::new(Code::InvalidArgument, message));
    }
    Ok((start as u32, end as u32))
}

const LINES: RangeInclusive<usize> = 1..=u32::MAX as usize;
const COUNT: RangeInclusive<usize> = 1..=1_000_000;
const RESULTS: RangeInclusive<usize> = 1..=100;
const TOKENS: RangeInclusive<usize> = 0..=10_000_000;
const FILE_BYTES: RangeInclusive<usize> = 0..=10_000_000;
const TOTAL_BYTES: RangeInclusive<usize> = 0..=100_000_000_000;
const THREADS: RangeInclusive<usize> = 1..=64;
/// Tokens of a recheck's note without the caller's word.
const NOTE_TOKENS: usize = 4_000;

pub(super) fn open_options(options: types::OpenOptions<'_>) -> Result<OpenOptions> {
    let source = match one_of("trustSource", options.trust_source.as_deref(), &["api", "host", "command line"])? {
        "host" => TrustSource::Host,
        "command line" => TrustSource::CommandLine,
        _ => TrustSource::Api,
    };
    let mut bounds = Bounds::default();
    if let Some(given) = options.bounds {
        bounds.max_files = whole("bounds.maxFiles", given.max_files, bounds.max_files, COUNT)?;
        bounds.max_file_bytes = whole("bounds.maxFileBytes", given.max_file_bytes, bounds.max_file_bytes as usize, FILE_BYTES)? as u64;
        bounds.max_total_bytes = whole("bounds.maxTotalBytes", given.max_total_bytes, bounds.max_total_bytes as usize, TOTAL_BYTES)? as u64;
        bounds.max_directories = whole("bounds.maxDirectories", given.max_directories, bounds.max_directories, COUNT)?;
        bounds.threads = whole("bounds.threads", given.threads, bounds.threads, THREADS)?;
    }
    bounds.exclude = Excludes::new(&options.exclude.unwrap_or_default())?;
    bounds.include = Includes::new(&options.include.unwrap_or_default())?;
    for (extension, name) in options.languages.unwrap_or_default() {
        let (key, language) = mapped_language(&extension, &name)?;
        bounds.languages.insert(key, language);
    }
    bounds.secrets = match one_of("secrets", options.secrets.as_deref(), &["exclude", "redact"])? {
        "redact" => SecretPolicy::Redact,
        _ => SecretPolicy::Exclude,
    };
    if options.commits == Some(false) {
        bounds.max_commits = 0;
    }
    Ok(OpenOptions {
        path: PathBuf::from(options.path),
        trust: options.trusted.then_some(source),
        data_directory: options.data_directory.map(PathBuf::from),
        bounds,
        semantic: options.semantic.map(semantic).transpose()?,
    })
}

/// A name that a user can read and compare: no control characters, and the slash stands between provider and model alone.
fn profile_name(name: &str, value: &str, more: &[char]) -> Result<()> {
    let fits = !value.is_empty() && value.chars().count() <= limits::MAX_PROFILE_CHARS && !value.contains(|c: char| c.is_control()) && !value.contains(more);
    fits.then_some(()).ok_or_else(|| Error::new(Code::InvalidArgument, format!("`{name}` is no name: give 1 to {} characters", limits::MAX_PROFILE_CHARS)))
}

fn semantic(given: types::SemanticOptions<'_>) -> Result<SemanticOptions> {
    profile_name("semantic.provider", &given.provider, &['/'])?;
    profile_name("semantic.model", &given.model, &[])?;
    let bounds = SemanticBounds::default();
    let dimensions = whole("semantic.dimensions", given.dimensions, 256, limits::EMBEDDING_DIMENSIONS)?;
    let whole = |name: &str, value, default, allowed| whole(&format!("semantic.{name}"), value, default, allowed);
    let bounds = SemanticBounds {
        max_sources: whole("maxSources", given.max_sources, bounds.max_sources, limits::EMBEDDED_SOURCES)?,
        candidate_pool: whole("candidatePool", given.candidate_pool, bounds.candidate_pool, limits::SEMANTIC_POOL)?,
        batch_size: whole("batchSize", given.batch_size, bounds.batch_size, limits::EMBEDDING_BATCH)?,
        query_cache_size: whole("queryCacheSize", given.query_cache_size, bounds.query_cache_size, limits::QUERY_CACHE)?,
        timeout_ms: whole("timeoutMs", given.timeout_ms, bounds.timeout_ms as usize, limits::EMBEDDING_TIMEOUT_MS)? as u32,
    };
    let audience = audience(given.destination.as_deref(), given.privacy.as_ref())?;
    let (embedder, destination): (Arc<dyn Embedder>, Destination) = match (given.embed, given.folder) {
        (Some(function), None) => {
            let host = HostEmbedder::new(&function, dimensions).map_err(|_| Error::new(Code::InvalidArgument, "`semantic.embed` is no function"))?;
            (Arc::new(host), audience.destination)
        }
        (None, Some(folder)) => (Arc::new(StaticModel::new(PathBuf::from(folder), dimensions)), Destination::Local),
        _ => return Err(Error::new(Code::InvalidArgument, "`semantic` needs either `embed` or `folder`")),
    };
    Ok(SemanticOptions {
        profile: Profile { provider: given.provider, model: given.model, dimensions, destination },
        bounds,
        remote_profiles: given.remote_profiles.unwrap_or_default(),
        privacy: audience.privacy,
        embedder,
    })
}

fn mapped_language(extension: &str, name: &str) -> Result<(String, &'static Language)> {
    let shown = |text: &str| text.chars().take(40).collect::<String>();
    let key = extension.trim_start_matches('.').to_lowercase();
    if key.is_empty() || key.contains(['.', '/', '\\']) {
        return Err(Error::new(Code::InvalidArgument, format!("`languages` names {:?}, which is no extension: give one such as `inc`", shown(extension))));
    }
    let language = language::named(name).ok_or_else(|| {
        let known: Vec<&str> = LANGUAGES.iter().map(|language| language.name).collect();
        Error::new(Code::InvalidArgument, format!("`languages` maps to {:?}; known are {}", shown(name), known.join(", ")))
    })?;
    Ok((key, language))
}

/// A longer wait than this is none: the largest delay of JavaScript's own timers.
const MAX_DEADLINE_MS: f64 = 2_147_483_647.0;

/// The caller's flag with its deadline.
pub(super) fn within(cancel: &Cancel, deadline_ms: Option<f64>) -> Result<Cancel> {
    match deadline_ms {
        None => Ok(cancel.clone()),
        Some(ms) if (0.0..=MAX_DEADLINE_MS).contains(&ms) => Ok(cancel.within(Duration::from_secs_f64(ms / 1_000.0))),
        Some(ms) => Err(Error::new(Code::InvalidArgument, format!("`deadlineMs` is {ms}: give milliseconds from 0 to {MAX_DEADLINE_MS}"))),
    }
}

pub(super) fn sync_options(force: Option<bool>, first: Option<Vec<String>>, rebuild: bool) -> Result<SyncOptions> {
    let first = first.unwrap_or_default().iter().map(|path| RelPath::parse(path)).collect::<Result<_>>()?;
    Ok(SyncOptions { force: force.unwrap_or(false), first, rebuild, ..SyncOptions::default() })
}

fn class(name: &str, value: &str) -> Result<Class> {
    let names = Class::ALL.map(Class::as_str);
    one_of(name, Some(value), &names).map(|value| Class::from_name(value).expect("it is one of the names"))
}

/// Who is asked, and what it may have.
pub(super) fn audience(destination: Option<&str>, privacy: Option<&types::Privacy>) -> Result<Audience> {
    let destination = match one_of("destination", destination, &["remote", "local"])? {
        "local" => Destination::Local,
        _ => Destination::Remote,
    };
    let mut rules = Privacy::default();
    if let Some(given) = privacy {
        rules.enabled = given.enabled.unwrap_or(rules.enabled);
        if let Some(allow) = &given.remote_allow {
            rules.remote_allow = allow.iter().map(|name| class("privacy.remoteAllow", name)).collect::<Result<_>>()?;
            if rules.remote_allow.contains(&Class::LocalOnly) {
                return Err(Error::new(Code::InvalidArgument, "`privacy.remoteAllow` names local-only: such text never leaves for a remote destination"));
            }
        }
    }
    Ok(Audience { destination, privacy: rules })
}

/// Blocks with the classes that they had.
pub(super) fn blocks(given: Vec<types::BlockToCheck>) -> Result<Vec<(String, Class)>> {
    given
        .into_iter()
        .map(|block| {
            let class = block.classification.as_deref().map_or(Ok(Class::Normal), |name| class("classification", name))?;
            Ok((block.text, class))
        })
        .collect()
}

/// What is added to a manifest.
pub(super) fn amendment(given: types::Amendment) -> Result<Amendment> {
    let removed = given
        .removed
        .unwrap_or_default()
        .into_iter()
        .map(|block| {
            Ok(Removed {
                snippet_id: hash("snippetId", &block.snippet_id)?,
                path: RelPath::parse(&block.path)?.as_str().to_owned(),
                classification: class("classification", &block.classification)?.as_str().to_owned(),
                reason: code("reason", &block.reason)?.to_owned(),
            })
        })
        .collect::<Result<_>>()?;
    let gate = given.gate.map_or_else(GateCounts::default, |gate| GateCounts {
        requests: gate.requests as u64,
        blocks: gate.blocks as u64,
        removed: gate.removed as u64,
        failures: gate.failures as u64,
    });
    let fallback = given.fallback.as_deref().map(|reason| code("fallback", reason).map(str::to_owned)).transpose()?;
    Ok(Amendment { removed, gate, fallback })
}

/// A code, and no text that could hold anything else.
fn code<'a>(name: &str, given: &'a str) -> Result<&'a str> {
    let is_code =
        !given.is_empty() && given.len() <= 80 && given.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'-' | b'/' | b':' | b'0'..=b'9'));
    is_code.then_some(given).ok_or_else(|| Error::new(Code::InvalidArgument, format!("`{name}` is no code: give lower-case letters, digits, -, / and :")))
}

/// The parts of a request that are plain data.
pub(super) fn request(given: types::RetrieveRequest<'_>) -> Result<Request> {
    let held = given
        .held
        .unwrap_or_default()
        .iter()
        .map(|held| {
            let (start_line, end_line) = lines("held", Some(held.start_line), Some(held.end_line))?;
            Ok(Held { path: RelPath::parse(&held.path)?, hash: hash("held.hash", &held.hash)?, start_line, end_line })
        })
        .collect::<Result<_>>()?;
    let model = match given.model {
        Some(model) => Some(ModelIdentity {
            context_window: model.context_window.map(|window| whole("model.contextWindow", Some(window), 0, TOKENS)).transpose()?.map(|window| window as u64),
            provider: model.provider,
            id: model.id,
        }),
        None => None,
    };
    Ok(Request {
        text: given.text,
        session_id: given.session_id,
        branch_leaf: given.branch_leaf,
        model,
        audience: audience(given.destination.as_deref(), given.privacy.as_ref())?,
        max_results: whole("maxResults", given.max_results, limits::MAX_RESULTS, RESULTS)?,
        max_tokens: whole("maxTokens", given.max_tokens, limits::MAX_PROJECT_TOKENS, TOKENS)?,
        room_tokens: given.room_tokens.map(|room| whole("roomTokens", Some(room), 0, TOKENS)).transpose()?,
        calibration: calibration(given.calibration),
        held,
        observe: one_of("mode", given.mode.as_deref(), &["managed", "observer"])? == "observer",
        explain: given.explain.unwrap_or(false),
    })
}

pub(super) fn quoted(given: &[types::QuotedSnippet]) -> Result<Vec<Quoted>> {
    given
        .iter()
        .map(|snippet| {
            let (start_line, end_line) = lines("snippets", Some(snippet.start_line), Some(snippet.end_line))?;
            Ok(Quoted {
                snippet_id: hash("snippetId", &snippet.snippet_id)?,
                path: RelPath::parse(&snippet.path)?,
                hash: hash("hash", &snippet.hash)?,
                start_line,
                end_line,
                symbol: snippet.symbol.clone(),
            })
        })
        .collect()
}

/// What a model's window leaves for project text and for its answer, and what its samples say of its tokens.
pub(super) fn token_limits(context_window: Option<f64>, setting: Option<f64>, samples: Option<Vec<types::TokenSample>>) -> Result<types::TokenLimits> {
    let window = context_window.map(|window| whole("contextWindow", Some(window), 0, TOKENS)).transpose()?.map(|window| window as u64);
    let setting = whole("maxProjectTokens", setting, limits::MAX_PROJECT_TOKENS, TOKENS)?;
    let samples: Vec<_> = samples.unwrap_or_default().iter().map(|sample| tokens::Sample { estimated: sample.estimated, actual: sample.actual }).collect();
    Ok(types::TokenLimits {
        project_tokens: limits::project_tokens_for_window(window, setting) as f64,
        output_reserve: window.map(|window| limits::output_reserve(window) as f64),
        calibration: tokens::calibration(&samples),
        samples: limits::CALIBRATION_SAMPLES as f64,
    })
}

/// The factor given, or 1 for none or none that is a number.
pub(super) fn calibration(given: Option<f64>) -> f64 {
    given.filter(|factor| factor.is_finite()).unwrap_or(1.0)
}

pub(super) fn note_tokens(given: Option<f64>) -> Result<usize> {
    whole("maxTokens", given, NOTE_TOKENS, TOKENS)
}

pub(super) fn search_budget<'a>(max_results: Option<f64>, max_tokens: Option<f64>, may_have: &'a dyn Fn(Class) -> bool) -> Result<Budget<'a>> {
    Ok(Budget {
        max_results: whole("maxResults", max_results, limits::MAX_RESULTS, RESULTS)?,
        max_tokens: whole("maxTokens", max_tokens, limits::MAX_PROJECT_TOKENS, TOKENS)?,
        cost: &|hit| tokens::count(hit.text()),
        may_have,
    })
}

/// Where and what to read: path, lines, expected hash.
pub(super) type ReadPlace = (RelPath, Option<(u32, u32)>, Option<Hash>);

pub(super) fn read_place(given: &types::ReadRequest) -> Result<ReadPlace> {
    let range = match (given.start_line, given.end_line) {
        (None, None) => None,
        (start, end) => Some(lines("read", start, end)?),
    };
    let expected = given.expected_hash.as_deref().map(|value| hash("expectedHash", value)).transpose()?;
    Ok((RelPath::parse(&given.path)?, range, expected))
}

/// A reply's usage; `None` for one that reports no input.
pub(super) fn usage(given: &types::Usage) -> Result<Option<ActualUsage>> {
    let tokens = |name: &str, value| whole(name, value, 0, TOKENS).map(|tokens| tokens as u64);
    let usage = ActualUsage {
        completed_at: now_ms(),
        input_tokens: tokens("inputTokens", Some(given.input_tokens))?,
        output_tokens: tokens("outputTokens", given.output_tokens)?,
        cache_read_tokens: tokens("cacheReadTokens", given.cache_read_tokens)?,
        cache_write_tokens: tokens("cacheWriteTokens", given.cache_write_tokens)?,
    };
    Ok((usage.total_input() > 0).then_some(usage))
}

/// Which rule's paths are asked for; `None` for the first ones of each.
pub(super) fn one_rule(given: Option<types::FilesOptions>) -> Result<Option<OneRule>> {
    let invalid = |message: &str| Err(Error::new(Code::InvalidArgument, message));
    match given.map(|given| (given.rule, given.after)) {
        None | Some((None, None)) => Ok(None),
        Some((None, Some(_))) => invalid("`after` names a path of a rule: name the `rule`, too"),
        Some((Some(rule), _)) if exclude::summary(&rule).is_empty() => invalid("`rule` is no rule: give an id that `files()` lists"),
        Some((Some(rule), after)) => Ok(Some(OneRule { rule, after: after.unwrap_or_default() })),
    }
}

/// How many manifests are asked for.
pub(super) fn manifests_limit(given: Option<f64>) -> Result<usize> {
    whole("limit", given, 1, 0..=limits::MAX_MANIFESTS)
}

const DEFINITIONS: RangeInclusive<usize> = 1..=1_000;

pub(super) fn definitions_limit(limit: Option<f64>) -> Result<usize> {
    whole("limit", limit, 50, DEFINITIONS)
}
