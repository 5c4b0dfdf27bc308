//! One request: budget, retrieval, messages, manifest.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::time::{SystemTime, UNIX_EPOCH};

use super::OpenProject;
use crate::cancel::Cancel;
use crate::classify::{Audience, Class};
use crate::error::{Error, Result};
use crate::hash::Hash;
use crate::limits;
use crate::manifest::{Completeness, GateCounts, Item, Manifest, Mode, POLICY_VERSION, SCHEMA_VERSION, SemanticRecord, SnippetReference, Status};
use crate::quote;
use crate::rel_path::RelPath;
use crate::retrieve::{self, Budget, Explained, Held, Proven, Quoted, Ranking, SemanticUse};
use crate::root::TrustSource;
use crate::semantic::Profile;
use crate::store::{ProjectState, Totals, now_ms};

/// The model that an answer is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelIdentity {
    pub provider: String,
    pub id: String,
    /// Tokens.
    pub context_window: Option<u64>,
}

/// A request with what decides over its answer.
#[derive(Debug, Clone)]
pub struct Request {
    pub text: String,
    pub session_id: Option<String>,
    pub branch_leaf: Option<String>,
    pub model: Option<ModelIdentity>,
    /// Who gets the answer, and which classes of text it may have.
    pub audience: Audience,
    /// Snippets, at most.
    pub max_results: usize,
    /// Tokens of all messages, at most; lowered by the model's window and by `room_tokens`.
    pub max_tokens: usize,
    /// Tokens that the conversation has room for.
    pub room_tokens: Option<usize>,
    /// The model's tokens per estimated token.
    pub calibration: f64,
    pub held: Vec<Held>,
    /// Plan and record, hand out nothing.
    pub observe: bool,
    /// Say what each feature adds to each file that was looked at.
    pub explain: bool,
}

/// One user-role message with what it quotes.
#[derive(Debug, Clone)]
pub struct PromptMessage {
    pub text: String,
    pub tokens: usize,
    /// `None` for a note that quotes nothing.
    pub snippet: Option<Proven>,
    /// What the note points to: it is true for as long as the conversation holds all of it.
    pub refers_to: Vec<Held>,
}

/// The answer to one request.
#[derive(Debug)]
pub struct Retrieval {
    /// In rank order.
    pub messages: Vec<PromptMessage>,
    pub manifest: Manifest,
    /// Best first; empty unless it was asked for.
    pub explained: Vec<Explained>,
    /// Files that were read for it.
    pub files_read: u64,
}

impl Request {
    fn max_tokens(&self) -> usize {
        let window = self.model.as_ref().and_then(|model| model.context_window);
        limits::project_tokens_for_window(window, self.max_tokens).min(self.room_tokens.unwrap_or(usize::MAX))
    }

    fn manifest(&self, id: String, mode: Mode, budget_tokens: usize) -> Manifest {
        Manifest {
            schema_version: SCHEMA_VERSION,
            id,
            status: Status::Pending,
            engine_version: env!("CARGO_PKG_VERSION").to_owned(),
            policy_version: Some(POLICY_VERSION),
            created_at: now_ms(),
            session_id: self.session_id.clone(),
            branch_leaf: self.branch_leaf.clone(),
            provider: self.model.as_ref().map(|model| model.provider.clone()),
            model: self.model.as_ref().map(|model| model.id.clone()),
            context_window: self.model.as_ref().and_then(|model| model.context_window),
            destination: self.audience.destination.as_str().to_owned(),
            budget_tokens: budget_tokens as u64,
            calibration: believed(self.calibration),
            estimated_tokens: 0,
            actual_tokens: None,
            prompt_hash: Hash::of(self.text.as_bytes()),
            mode,
            mode_reason: None,
            trust_source: None,
            completeness: Completeness::default(),
            included: Vec::new(),
            excluded: Vec::new(),
            excluded_more: BTreeMap::new(),
            removed: Vec::new(),
            gate: GateCounts::default(),
            project_snippets: Vec::new(),
            project_revision: None,
            semantic: None,
            timings: BTreeMap::new(),
        }
    }
}

impl Retrieval {
    /// The answer when none can be given: no messages, and a manifest that says why.
    pub(super) fn fallback(request: &Request, trust: Option<TrustSource>, error: &Error) -> Retrieval {
        let mut manifest = request.manifest(manifest_id(&request.text, 0), Mode::Fallback, 0);
        manifest.mode_reason = Some(error.to_string());
        manifest.trust_source = trust.map(|source| source.as_str().to_owned());
        Retrieval { messages: Vec::new(), manifest, explained: Vec::new(), files_read: 0 }
    }
}

impl OpenProject {
    pub(super) fn retrieve(&self, request: &Request, cancel: &Cancel) -> Result<Retrieval> {
        self.root.verify()?;
        let (state, totals) = {
            let reader = self.store.reader_within(cancel)?;
            (reader.state()?, reader.totals()?)
        };
        let head = state.git.as_ref().and_then(|git| git.head.clone());
        let quoter = Quoter::new(head.as_deref(), request.calibration);
        let budget = Budget {
            max_results: request.max_results,
            max_tokens: request.max_tokens(),
            cost: &|snippet| quoter.cost(snippet),
            may_have: &|class| request.audience.may_have(class),
        };
        let (semantic, ranking) = (self.semantic.as_deref(), Ranking::default());
        let answer = retrieve::answer_by_meaning(&self.root, &self.store, &self.bounds, semantic, &request.text, &budget, &request.held, &ranking, cancel)?;
        let mut messages = quoter.messages(answer.snippets);
        let used: usize = messages.iter().map(|message| message.tokens).sum();
        if let Some(note) = quote::reference_note(&answer.held) {
            let tokens = quoter.calibrated(note.tokens);
            if used + tokens <= budget.max_tokens {
                messages.push(PromptMessage { text: note.text, tokens, snippet: None, refers_to: answer.held });
            }
        }

        let mode = if request.observe { Mode::Observer } else { Mode::Managed };
        let mut manifest = request.manifest(manifest_id(&request.text, self.record.next_number()), mode, request.max_tokens());
        manifest.trust_source = Some(self.root.trust().source().as_str().to_owned());
        manifest.estimated_tokens = messages.iter().map(|message| message.tokens as u64).sum();
        manifest.completeness = completeness(&state, &totals, answer.shortened);
        for message in &messages {
            let Some(snippet) = &message.snippet else { continue };
            let reasons = snippet.reasons().iter().map(|reason| reason.code.to_owned()).collect();
            let place = (snippet.path(), snippet.start_line(), snippet.end_line());
            manifest.included.push(item(&snippet.snippet_id(), place, snippet.score(), message.tokens, Some(snippet.class()), reasons));
            manifest.project_snippets.push(SnippetReference {
                snippet_id: snippet.snippet_id(),
                path: snippet.path().as_str().to_owned(),
                hash: snippet.hash(),
                start_line: snippet.start_line(),
                end_line: snippet.end_line(),
                score: snippet.score(),
                modified: snippet.modified(),
                git_commit: head.clone(),
            });
        }
        for (index, left) in answer.excluded.iter().enumerate() {
            if index < limits::MAX_MANIFEST_EXCLUDED {
                let place = (&left.path, left.start_line, left.end_line);
                manifest.excluded.push(item(&left.snippet_id, place, left.score, left.tokens, left.class, vec![left.reason.code.to_owned()]));
            } else {
                *manifest.excluded_more.entry(left.reason.code.to_owned()).or_default() += 1;
            }
        }
        for (code, count) in &answer.excluded_more {
            *manifest.excluded_more.entry((*code).to_owned()).or_default() += count;
        }
        manifest.project_revision = Some(self.revision(&state));
        manifest.semantic = self.semantic.as_ref().zip(answer.semantic).map(|(semantic, used)| semantic_record(semantic.profile(), used));
        let stages = answer.timings;
        manifest.timings = [
            ("task", stages.task),
            ("recall", stages.recall),
            ("rank", stages.rank),
            ("select", stages.select),
            ("prove", stages.prove),
            ("quote", stages.quote),
            ("total", stages.total),
        ]
        .map(|(stage, ms)| (stage.to_owned(), ms))
        .into();
        self.record.remember(&manifest);
        if request.observe {
            messages.clear();
        }
        let explained = if request.explain { answer.explained } else { Vec::new() };
        Ok(Retrieval { messages, manifest, explained, files_read: answer.files_read })
    }

    pub(super) fn recheck(
        &self,
        request: &str,
        quoted: &[Quoted],
        max_tokens: usize,
        calibration: f64,
        audience: &Audience,
        cancel: &Cancel,
    ) -> Result<(retrieve::Recheck, Vec<PromptMessage>)> {
        self.root.verify()?;
        let head = self.store.reader_within(cancel)?.state()?.git.and_then(|git| git.head);
        let quoter = Quoter::new(head.as_deref(), calibration);
        let budget =
            Budget { max_results: limits::MAX_RESULTS, max_tokens, cost: &|snippet| quoter.cost(snippet), may_have: &|class| audience.may_have(class) };
        let mut recheck = retrieve::recheck(&self.root, &self.store, &self.bounds, request, quoted, &budget, cancel)?;
        let Some(note) = quote::update_note(&recheck.changed) else { return Ok((recheck, Vec::new())) };
        let mut messages = vec![PromptMessage { tokens: quoter.calibrated(note.tokens), text: note.text, snippet: None, refers_to: Vec::new() }];
        messages.extend(quoter.messages(std::mem::take(&mut recheck.renewed)));
        Ok((recheck, messages))
    }
}

fn believed(calibration: f64) -> f64 {
    calibration.clamp(*limits::CALIBRATION.start(), *limits::CALIBRATION.end())
}

/// Makes messages, each once: selection asks for its cost, the answer for its text.
struct Quoter<'a> {
    head: Option<&'a str>,
    calibration: f64,
    made: RefCell<HashMap<Hash, quote::Message>>,
}

impl<'a> Quoter<'a> {
    fn new(head: Option<&'a str>, calibration: f64) -> Self {
        Quoter { head, calibration: believed(calibration), made: RefCell::default() }
    }

    fn calibrated(&self, tokens: usize) -> usize {
        (tokens as f64 * self.calibration).ceil() as usize
    }

    fn cost(&self, snippet: &Proven) -> usize {
        let message = quote::message(snippet, self.head);
        let tokens = self.calibrated(message.tokens);
        self.made.borrow_mut().insert(snippet.snippet_id(), message);
        tokens
    }

    fn messages(&self, snippets: Vec<Proven>) -> Vec<PromptMessage> {
        let mut made = self.made.borrow_mut();
        let message = |snippet: Proven| {
            let quote::Message { text, tokens } = made.remove(&snippet.snippet_id()).unwrap_or_else(|| quote::message(&snippet, self.head));
            PromptMessage { text, tokens: self.calibrated(tokens), snippet: Some(snippet), refers_to: Vec::new() }
        };
        snippets.into_iter().map(message).collect()
    }
}

/// The class of a candidate whose file was not read for the answer.
const UNKNOWN_CLASS: &str = "unknown";

fn item(snippet_id: &Hash, (path, start_line, end_line): (&RelPath, u32, u32), score: f64, tokens: usize, class: Option<Class>, reasons: Vec<String>) -> Item {
    let id = format!("project:{snippet_id}");
    Item {
        kind: "project".to_owned(),
        source_id: id.clone(),
        role: "user".to_owned(),
        group_id: id,
        path: Some(path.as_str().to_owned()),
        start_line: Some(start_line),
        end_line: Some(end_line),
        score,
        tokens: tokens as u64,
        classification: class.map_or(UNKNOWN_CLASS, Class::as_str).to_owned(),
        reasons,
    }
}

fn semantic_record(profile: &Profile, used: SemanticUse) -> SemanticRecord {
    SemanticRecord {
        provider: profile.provider.clone(),
        model: profile.model.clone(),
        dimensions: profile.dimensions as u64,
        destination: profile.destination.as_str().to_owned(),
        indexed_vectors: used.vectors,
        vector_candidates: used.candidates,
        fused_candidates: used.fused,
        query_cache_hit: used.query_cached,
        corrupt_vectors: used.corrupt,
        duration_ms: used.ms,
        fallback_reason: used.refusal.map(|refusal| refusal.to_string()),
    }
}

fn completeness(state: &ProjectState, totals: &Totals, shortened: bool) -> Completeness {
    let reason = if !state.complete {
        Some("the index does not hold every listed file yet".to_owned())
    } else if shortened {
        Some("a deadline shortened the answer".to_owned())
    } else {
        None
    };
    Completeness { complete: reason.is_none(), listed: state.listed, looked: totals.files + totals.refused, reason }
}

/// Distinct for each answer: the request, the moment and the handle's own count decide it.
fn manifest_id(text: &str, number: u64) -> String {
    let nanos = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |age| age.as_nanos());
    Hash::of_joined(&[text, &nanos.to_string(), &std::process::id().to_string(), &number.to_string()]).to_hex()[..32].to_owned()
}
