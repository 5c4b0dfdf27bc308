//! From the core's objects to the boundary's.

use std::collections::BTreeMap;

use super::types;
use crate::exclude;
use crate::hash::Hash;
use crate::manifest::{self, Manifest, Mode};
use crate::project::{self, Explanation};
use crate::rel_path::RelPath;
use crate::retrieve::{Explained, Outline, Proven, Share};
use crate::semantic::{SemanticStatus, UpdateReport};
use crate::store::{SourceCounts, StoredIndex};
use crate::sync::SyncReport;
use crate::syntax::Symbol;
use crate::task::TaskDescriptor;

pub(super) fn outline(outline: Outline) -> types::Outline {
    let names: Vec<String> = outline.parsed.symbols.iter().map(|symbol| symbol.qualified_name.clone()).collect();
    types::Outline {
        path: outline.path.as_str().to_owned(),
        hash: outline.hash.to_hex(),
        language: outline.language.map(str::to_owned),
        parser: outline.parsed.parser,
        imports: outline.parsed.imports,
        symbols: outline.parsed.symbols.into_iter().map(|found| symbol(found, &names)).collect(),
    }
}

fn symbol(symbol: Symbol, names: &[String]) -> types::SymbolInfo {
    types::SymbolInfo {
        kind: symbol.kind.as_str().to_owned(),
        name: symbol.name,
        parent: symbol.parent.and_then(|parent| names.get(parent as usize).cloned()),
        qualified_name: symbol.qualified_name,
        signature: symbol.signature,
        start_line: symbol.span.start_line,
        end_line: symbol.span.end_line,
        doc_start_line: symbol.doc.map(|doc| doc.start_line),
        exported: symbol.exported,
        references: symbol.references,
    }
}

pub(super) fn definition((path, hash, found): (RelPath, Hash, Symbol)) -> types::Definition {
    types::Definition { path: path.as_str().to_owned(), hash: hash.to_hex(), symbol: symbol(found, &[]) }
}

pub(super) fn stored_index(index: StoredIndex) -> types::StoredIndex {
    types::StoredIndex {
        project: index.project,
        path: index.file.to_string_lossy().into_owned(),
        bytes: index.bytes as f64,
        indexed_at: index.indexed_at as f64,
        orphaned: index.orphaned,
    }
}

pub(super) fn task(task: TaskDescriptor) -> types::TaskDescriptor {
    types::TaskDescriptor {
        kind: task.kind.as_str().to_owned(),
        title: task.title,
        files: task.files.into_iter().map(|file| types::FileMention { path: file.path, line: file.line }).collect(),
        symbols: task.symbols,
        errors: task.errors,
        phrases: task.phrases,
        technologies: task.technologies,
        keywords: task.keywords.into_iter().map(|keyword| types::Keyword { term: keyword.term, weight: keyword.weight }).collect(),
    }
}

pub(super) fn status(status: project::Status) -> types::Status {
    types::Status {
        status: status.kind.as_str().to_owned(),
        reasons: status.reasons,
        trust_source: status.trust.map(|source| source.as_str().to_owned()),
        revision: status.revision.map(revision),
        counts: status.totals.map(|totals| types::Counts {
            files: totals.files as f64,
            refused: totals.refused as f64,
            stale_files: totals.stale_files as f64,
            chunks: totals.chunks as f64,
            symbols: totals.symbols as f64,
            text_bytes: totals.text_bytes as f64,
        }),
        progress: status.progress.map(progress),
        last_sync: status.last_sync.map(sync_report),
        limitations: status.limitations.iter().map(|&sentence| sentence.to_owned()).collect(),
        semantic: status.semantic.map(semantic_status),
        store: status.store.map(|(path, bytes)| types::StoreFile { path: path.to_string_lossy().into_owned(), bytes: bytes as f64 }),
    }
}

pub(super) fn files(files: project::Files) -> types::Files {
    types::Files {
        languages: files
            .languages
            .into_iter()
            .map(|totals| types::LanguageFiles {
                language: totals.language,
                files: totals.files as f64,
                lines: totals.lines as f64,
                symbols: totals.symbols as f64,
                bytes: totals.bytes as f64,
            })
            .collect(),
        excluded: files
            .excluded
            .into_iter()
            .map(|left| types::ExcludedFiles { rule: left.rule, summary: left.summary.to_owned(), files: left.files as f64, paths: left.paths })
            .collect(),
        unreadable: files.unreadable.into_iter().map(|(path, reason)| types::Unreadable { path, reason }).collect(),
        cut_at: files.cut_at.map(|names| names as f64),
    }
}

pub(super) fn explanation(path: String, found: Explanation) -> types::PathExplanation {
    let (state, reason) = match &found {
        Explanation::Indexed(_) => ("indexed", "It is in the index.".to_owned()),
        Explanation::Excluded(rule) => ("excluded", format!("{}.", exclude::summary(rule))),
        Explanation::Pending => ("pending", "It belongs to the project; no sync has come to it yet.".to_owned()),
        Explanation::Absent => ("absent", "There is no such file in the project.".to_owned()),
    };
    let (rule, row) = match found {
        Explanation::Excluded(rule) => (Some(rule), None),
        Explanation::Indexed(row) => (None, Some(row)),
        Explanation::Pending | Explanation::Absent => (None, None),
    };
    types::PathExplanation {
        path,
        state: state.to_owned(),
        reason,
        rule,
        hash: row.as_ref().map(|row| row.hash.to_hex()),
        lines: row.as_ref().map(|row| row.lines),
        tracked: row.as_ref().map(|row| row.tracked),
        generated: row.as_ref().map(|row| row.generated),
        indexed_at: row.as_ref().map(|row| row.indexed_at as f64),
        language: row.and_then(|row| row.language),
    }
}

pub(super) fn progress(step: crate::sync::Progress) -> types::Progress {
    types::Progress { done: step.done as f64, total: step.total as f64 }
}

fn counts(map: impl IntoIterator<Item = (String, u64)>) -> BTreeMap<String, f64> {
    map.into_iter().map(|(key, count)| (key, count as f64)).collect()
}

pub(super) fn sync_report(report: SyncReport) -> types::SyncReport {
    let stages = report.timings;
    types::SyncReport {
        complete: report.complete,
        incomplete_reason: report.incomplete_reason,
        source: report.source,
        git_problem: report.git_problem,
        listed: report.listed as f64,
        indexed: report.indexed as f64,
        reused: report.reused as f64,
        unchanged: report.unchanged as f64,
        removed: report.removed as f64,
        excluded: counts(report.excluded),
        unreadable: report.unreadable.into_iter().map(|(path, reason)| types::Unreadable { path, reason }).collect(),
        bytes_read: report.bytes_read as f64,
        cut_at: report.cut_at.map(|names| names as f64),
        timings: [
            ("list", stages.list),
            ("read", stages.read),
            ("hash", stages.hash),
            ("rules", stages.rules),
            ("parse", stages.parse),
            ("terms", stages.terms),
            ("pack", stages.pack),
            ("insert", stages.insert),
            ("commit", stages.commit),
            ("total", stages.total),
        ]
        .map(|(stage, ms)| (stage.to_owned(), ms))
        .into(),
    }
}

pub(super) fn explained(file: Explained) -> types::ExplainedFile {
    let share = |share: Share| types::FeatureShare { feature: share.feature.to_owned(), value: share.value, points: share.points };
    types::ExplainedFile { path: file.path.as_str().to_owned(), score: file.score, factor: file.factor, shares: file.shares.into_iter().map(share).collect() }
}

pub(super) fn message(message: project::PromptMessage) -> types::PromptMessage {
    let held = |held: crate::retrieve::Held| types::HeldSnippet {
        path: held.path.as_str().to_owned(),
        hash: held.hash.to_hex(),
        start_line: f64::from(held.start_line),
        end_line: f64::from(held.end_line),
    };
    types::PromptMessage {
        text: message.text,
        tokens: message.tokens as f64,
        snippet: message.snippet.as_ref().map(snippet),
        refers_to: (!message.refers_to.is_empty()).then(|| message.refers_to.into_iter().map(held).collect()),
    }
}

pub(super) fn snippet(proven: &Proven) -> types::Snippet {
    types::Snippet {
        snippet_id: proven.snippet_id().to_hex(),
        path: proven.path().as_str().to_owned(),
        hash: proven.hash().to_hex(),
        start_line: proven.start_line(),
        end_line: proven.end_line(),
        score: proven.score(),
        reasons: proven.reasons().iter().map(|reason| reason.text.clone()).collect(),
        symbol: proven.symbol().map(str::to_owned),
        classification: proven.class().as_str().to_owned(),
    }
}

pub(super) fn vector_report(report: UpdateReport) -> types::VectorReport {
    types::VectorReport {
        embedded: report.embedded as f64,
        calls: report.calls as f64,
        removed: report.removed as f64,
        corrupt: report.corrupt as f64,
        counts: vector_counts(report.counts),
        fresh: report.fresh,
        reason: report.reason.map(|reason| reason.to_string()),
        total_ms: report.total_ms,
    }
}

fn vector_counts(counts: SourceCounts) -> types::VectorCounts {
    types::VectorCounts { chunks: counts.chunks as f64, listed: counts.listed as f64, withheld: counts.withheld as f64, embedded: counts.embedded as f64 }
}

fn semantic_status(status: SemanticStatus) -> types::SemanticStatus {
    types::SemanticStatus {
        provider: status.profile.provider,
        model: status.profile.model,
        dimensions: status.profile.dimensions as f64,
        destination: status.profile.destination.as_str().to_owned(),
        counts: vector_counts(status.counts),
        fresh: status.fresh,
        last_update: status.last_update.map(vector_report),
        fallback_reason: status.fallback.map(|refusal| refusal.to_string()),
    }
}

fn semantic_record(record: manifest::SemanticRecord) -> types::SemanticRecord {
    types::SemanticRecord {
        provider: record.provider,
        model: record.model,
        dimensions: record.dimensions as f64,
        destination: record.destination,
        indexed_vectors: record.indexed_vectors as f64,
        vector_candidates: record.vector_candidates as f64,
        fused_candidates: record.fused_candidates as f64,
        query_cache_hit: record.query_cache_hit,
        corrupt_vectors: record.corrupt_vectors as f64,
        duration_ms: record.duration_ms,
        fallback_reason: record.fallback_reason,
    }
}

fn revision(revision: manifest::Revision) -> types::Revision {
    types::Revision {
        project_path: revision.project_path,
        git_root: revision.git_root,
        branch: revision.branch,
        head: revision.head,
        dirty: revision.dirty,
        changed_paths: revision.changed_paths,
        indexed_at: revision.indexed_at as f64,
    }
}

fn item(item: manifest::Item) -> types::ManifestItem {
    types::ManifestItem {
        kind: item.kind,
        source_id: item.source_id,
        role: item.role,
        group_id: item.group_id,
        path: item.path,
        start_line: item.start_line,
        end_line: item.end_line,
        score: item.score,
        tokens: item.tokens as f64,
        classification: item.classification,
        reasons: item.reasons,
    }
}

pub(super) fn manifest(given: Manifest) -> types::Manifest {
    types::Manifest {
        schema_version: given.schema_version,
        id: given.id,
        status: match given.status {
            manifest::Status::Pending => "pending".to_owned(),
            manifest::Status::Completed => "completed".to_owned(),
        },
        engine_version: given.engine_version,
        policy_version: given.policy_version,
        created_at: given.created_at as f64,
        session_id: given.session_id,
        branch_leaf: given.branch_leaf,
        provider: given.provider,
        model: given.model,
        context_window: given.context_window.map(|window| window as f64),
        destination: given.destination,
        budget_tokens: given.budget_tokens as f64,
        calibration: given.calibration,
        estimated_tokens: given.estimated_tokens as f64,
        actual_tokens: given.actual_tokens.map(|tokens| tokens as f64),
        prompt_hash: given.prompt_hash.to_hex(),
        mode: match given.mode {
            Mode::Managed => "managed".to_owned(),
            Mode::Observer => "observer".to_owned(),
            Mode::Fallback => "fallback".to_owned(),
        },
        mode_reason: given.mode_reason,
        trust_source: given.trust_source,
        completeness: types::Completeness {
            complete: given.completeness.complete,
            listed: given.completeness.listed as f64,
            looked: given.completeness.looked as f64,
            reason: given.completeness.reason,
        },
        included: given.included.into_iter().map(item).collect(),
        excluded: given.excluded.into_iter().map(item).collect(),
        excluded_more: counts(given.excluded_more),
        removed: given
            .removed
            .into_iter()
            .map(|block| types::RemovedBlock {
                snippet_id: block.snippet_id.to_hex(),
                path: block.path,
                classification: block.classification,
                reason: block.reason,
            })
            .collect(),
        gate: types::GateCounts {
            requests: given.gate.requests as f64,
            blocks: given.gate.blocks as f64,
            removed: given.gate.removed as f64,
            failures: given.gate.failures as f64,
        },
        project_snippets: given
            .project_snippets
            .into_iter()
            .map(|place| types::SnippetReference {
                snippet_id: place.snippet_id.to_hex(),
                path: place.path,
                hash: place.hash.to_hex(),
                start_line: place.start_line,
                end_line: place.end_line,
                score: place.score,
                modified: place.modified,
                git_commit: place.git_commit,
            })
            .collect(),
        project_revision: given.project_revision.map(revision),
        semantic: given.semantic.map(semantic_record),
        timings: given.timings.into_iter().collect(),
    }
}
