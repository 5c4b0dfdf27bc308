use std::fs;
use std::process::Command;

use tempfile::TempDir;

use super::*;
use crate::error::Code;
use crate::root::{Trust, TrustSource};
use crate::store::file_for;
use crate::sync::SyncOptions;
use crate::syntax::{SymbolKind, symbol_id, symbol_snippet_id};
use crate::tokens;

mod unreliable;

/// A project in a folder of its own, with its index in another.
pub(super) struct Project {
    folder: TempDir,
    _data: TempDir,
    root: Root,
    store: Store,
    bounds: Bounds,
}

impl Project {
    pub(super) fn new(files: &[(&str, &str)]) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let data = tempfile::tempdir().unwrap();
        let root = Root::open(&folder.path().canonicalize().unwrap(), Trust::granted(TrustSource::Api)).unwrap();
        let (store, _) = Store::open(&file_for(data.path(), root.id()), root.id()).unwrap();
        let project = Project { folder, _data: data, root, store, bounds: Bounds::default() };
        for (path, text) in files {
            project.write(path, text);
        }
        project.sync();
        project
    }

    pub(super) fn write(&self, path: &str, text: &str) {
        let file = self.folder.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn sync(&self) {
        sync::run(&self.root, &self.store, &self.bounds, &SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
    }

    /// Commits all that there is.
    pub(super) fn commit(&self, message: &str) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        for arguments in [&["init", "-q"][..], &["add", "-A"], &["commit", "-qm", message]] {
            assert!(Command::new("git").args(identity).args(arguments).current_dir(self.folder.path()).status().unwrap().success());
        }
        self.sync();
    }

    pub(super) fn answer(&self, request: &str) -> Answer {
        self.answer_with(request, &budget(8, 20_000), &[])
    }

    fn answer_with(&self, request: &str, budget: &Budget<'_>, held: &[Held]) -> Answer {
        answer(&self.root, &self.store, &self.bounds, request, budget, held, &Cancel::default()).unwrap()
    }
}

fn budget(max_results: usize, max_tokens: usize) -> Budget<'static> {
    Budget { max_results, max_tokens, cost: &|snippet| tokens::count(snippet.text()), may_have: &|_| true }
}

fn path(text: &str) -> RelPath {
    RelPath::parse(text).unwrap()
}

pub(super) fn places(answer: &Answer) -> Vec<String> {
    answer.snippets.iter().map(|snippet| format!("{}:{}-{}", snippet.path(), snippet.start_line(), snippet.end_line())).collect()
}

const SERVICE: &str = "import { Client } from './client';\n\n/** Runs one job. */\nexport class Service {\n  run(job: string): string {\n    return new Client().execute(job);\n  }\n}\n";
const CLIENT: &str = "export class Client {\n  execute(job: string): string {\n    return `done ${job}`;\n  }\n}\n";
const INVOICE: &str = "/** Sums the invoice lines with their discount. */\nexport function invoiceTotal(lines: number[], discount: number): number {\n  return lines.reduce((sum, line) => sum + line, 0) * (1 - discount);\n}\n";

fn project() -> Project {
    Project::new(&[
        ("src/service.ts", SERVICE),
        ("src/client.ts", CLIENT),
        ("src/billing/invoice.ts", INVOICE),
        ("README.md", "# Jobs\n\nService runs jobs.\n"),
    ])
}

#[test]
fn a_qualified_symbol_is_quoted_by_its_own_range_with_its_ids() {
    let project = project();
    let answer = project.answer("why does Service.run hang?");
    let first = &answer.snippets[0];
    assert_eq!((first.path().as_str(), first.start_line(), first.end_line()), ("src/service.ts", 5, 7));
    assert_eq!(first.text(), "  run(job: string): string {\n    return new Client().execute(job);\n  }");
    assert_eq!(first.hash(), Hash::of(SERVICE.as_bytes()));
    assert_eq!(first.symbol(), Some("Service.run"));
    assert_eq!(first.reasons()[0].code, "exact-qualified-symbol");
    let symbol = symbol_id(project.root.id(), "src/service.ts", &first.hash(), 5, 7, SymbolKind::Method, "Service.run");
    assert_eq!(first.snippet_id(), symbol_snippet_id(&symbol, 5, 7));
    assert!(first.score() >= 190.0);
}

#[test]
fn declarations_of_one_name_that_stand_together_are_quoted_together() {
    let near = "/// A job.\npub struct Job {\n    id: u32,\n}\n\nimpl Job {\n    pub fn run(&self) {}\n}\n";
    let far: String = (0..70).map(|n| format!("const N{n}: u32 = {n};\n")).collect();
    let project =
        Project::new(&[("src/job.rs", near), ("src/far.rs", &format!("pub struct Far {{\n    id: u32,\n}}\n\n{far}\nimpl Far {{\n    fn go() {{}}\n}}\n"))]);
    assert_eq!(places(&project.answer("where is Job defined"))[0], "src/job.rs:1-8");
    let far = places(&project.answer("where is Far defined"));
    assert_eq!(far, ["src/far.rs:1-3", "src/far.rs:76-78"]);
}

#[test]
fn a_module_that_stands_elsewhere_is_not_what_its_name_asks_for() {
    let project = Project::new(&[
        ("src/lib.rs", "mod chunks_timeout;\nmod ext;\n"),
        ("src/ext.rs", "pub trait Ext {\n    fn chunks_timeout(self, size: usize) -> usize {\n        size\n    }\n}\n"),
    ]);
    assert_eq!(places(&project.answer("definition of chunks_timeout"))[0], "src/ext.rs:2-4");
}

#[test]
fn an_answer_explains_the_score_of_each_file_by_the_shares_of_its_features() {
    let project = project();
    let answer = project.answer("the client executes a job with a discount on the invoice");
    assert_eq!(answer.explained[0].path, path("src/billing/invoice.ts"));
    assert_eq!(answer.explained[0].score, 1.0);
    let points = |file: &Explained| file.shares.iter().map(|share| share.points).sum::<f64>() * file.factor;
    let most = points(&answer.explained[0]);
    for file in &answer.explained {
        assert!((points(file) / most - file.score).abs() < 1e-9, "{file:?}");
        assert!(file.shares.iter().all(|share| (0.0..=1.0).contains(&share.value)), "{file:?}");
    }
    let names: Vec<&str> = answer.explained[0].shares.iter().map(|share| share.feature).collect();
    assert!(names.contains(&"windows") && names.contains(&"commits") && names.iter().all(|name| Weights::NAMES.contains(name)), "{names:?}");
}

#[test]
fn without_evidence_nothing_is_quoted() {
    let project = project();
    for request in ["go on", "danke", "继续", "job", "please check the job"] {
        let answer = project.answer(request);
        assert_eq!(places(&answer), Vec::<String>::new(), "{request:?}: {:?}", answer.task);
    }
    assert!(!project.answer("sum the invoice discount").snippets.is_empty());
}

#[test]
fn a_search_needs_less_evidence_than_a_prompt() {
    let files: Vec<(String, String)> =
        (0..20).map(|n| (format!("src/m{n}.ts"), format!("export function thing{n}() {{\n  return common({n});\n}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&files);
    assert_eq!(project.answer("common").snippets.len(), 0);
    let found = search(
        &project.root,
        &project.store,
        &project.bounds,
        "common",
        &budget(3, 20_000),
        &Ranking { ungated: true, ..Ranking::default() },
        &Cancel::default(),
    )
    .unwrap();
    assert_eq!(found.snippets.len(), 3);
}

#[test]
fn a_changed_file_is_indexed_anew_and_quoted_as_it_is() {
    let project = project();
    project.write("src/service.ts", &format!("// moved\n{}", SERVICE.replace("execute", "perform")));
    let answer = project.answer("Service.run");
    assert_eq!(answer.reindexed, [path("src/service.ts")]);
    assert_eq!(answer.snippets[0].text(), "  run(job: string): string {\n    return new Client().perform(job);\n  }");
    assert_eq!((answer.snippets[0].start_line(), answer.snippets[0].end_line()), (6, 8));
    assert!(project.answer("Service.run").reindexed.is_empty());
}

#[test]
fn while_another_writes_a_changed_file_is_cut_anew_in_memory() {
    let project = project();
    let _writer = project.store.writer().unwrap().unwrap();
    let changed = format!("// moved\n{SERVICE}");
    project.write("src/service.ts", &changed);
    let answer = project.answer("Service.run");
    assert!(answer.reindexed.is_empty());
    let first = &answer.snippets[0];
    assert_eq!((first.start_line(), first.end_line(), first.hash()), (6, 8, Hash::of(changed.as_bytes())));
    assert!(first.modified());
}

#[test]
fn a_named_file_that_the_index_does_not_know_yet_is_quoted() {
    let project = project();
    let late: String = (1..=100).map(|line| format!("export const late{line} = {line};\n")).collect();
    project.write("src/late.ts", &late);
    project.write(".gitignore", "ignored.ts\n");
    project.write("src/ignored.ts", "export const hidden = 1;\n");
    project.write("src/secret.ts", &format!("export const token = 'ghp_{}';\n", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"));
    // While another writes, it is quoted without the index.
    let writer = project.store.writer().unwrap().unwrap();
    assert_eq!(places(&project.answer("what does src/late.ts do?")), ["src/late.ts:1-39"]);
    assert_eq!(places(&project.answer("TypeError at src/late.ts:60:3 in src/service.ts")), ["src/service.ts:1-8", "src/late.ts:41-79"]);
    for named in ["src/ignored.ts", "src/secret.ts", "src/absent.ts", "../late.ts", "src"] {
        assert_eq!(places(&project.answer(&format!("what does {named} do?"))), Vec::<String>::new(), "{named}");
    }
    drop(writer);
    let answer = project.answer("what does src/late.ts do?");
    assert_eq!((places(&answer), answer.reindexed), (vec!["src/late.ts:1-39".to_owned()], vec![path("src/late.ts")]));
    let known = project.answer("what does src/late.ts do?");
    assert_eq!((places(&known), known.reindexed), (vec!["src/late.ts:1-39".to_owned()], vec![]));
    assert_eq!(places(&project.answer("what does src/secret.ts do?")), Vec::<String>::new());
}

#[test]
fn a_file_that_is_gone_or_became_a_secret_gives_way_to_the_next() {
    let project = Project::new(&[
        ("a/parse.ts", "export function parseInvoice() {\n  return 1;\n}\n"),
        ("b/parse.ts", "export function parseInvoice() {\n  return 2;\n}\n"),
    ]);
    let before = project.answer("where is parseInvoice defined");
    assert_eq!(before.snippets.len(), 2);
    let first = before.snippets[0].path().clone();
    fs::remove_file(project.folder.path().join(first.as_str())).unwrap();
    let after = project.answer("where is parseInvoice defined");
    assert_eq!(after.snippets.len(), 1);
    assert_ne!(after.snippets[0].path(), &first);
    assert!(after.excluded.iter().any(|excluded| excluded.path == first && excluded.reason.code == "gone"));
}

#[test]
fn what_does_not_fit_is_skipped_and_what_is_held_is_pointed_to() {
    let long: String = (0..50).map(|n| format!("  const value{n} = computeInvoiceTotal({n});\n")).collect();
    let project =
        Project::new(&[("a.ts", &format!("export function renderInvoice() {{\n{long}}}\n")), ("b.ts", "function renderInvoice() {\n  return 2;\n}\n")]);
    let all = project.answer("renderInvoice");
    assert_eq!(all.snippets.len(), 2);
    let small = project.answer_with("renderInvoice", &budget(8, 400), &[]);
    assert_eq!(places(&small), ["b.ts:1-3"]);
    assert!(small.excluded.iter().any(|excluded| excluded.reason.code == "budget" && excluded.tokens > 400));
    let first = all.snippets.iter().find(|snippet| snippet.path().as_str() == "b.ts").unwrap();
    let held = [Held { path: first.path().clone(), hash: first.hash(), start_line: 1, end_line: 3 }];
    let rest = project.answer_with("renderInvoice", &budget(8, 20_000), &held);
    assert_eq!(rest.snippets.len(), 1);
    assert!(rest.excluded.iter().any(|excluded| excluded.path == path("b.ts") && excluded.reason.code == "held"));
    assert_eq!(rest.held, held);
    assert_eq!((all.held, small.held), (Vec::new(), Vec::new()));
    let stale = [Held { hash: Hash::of(b"another"), ..held[0].clone() }];
    assert_eq!(project.answer_with("renderInvoice", &budget(8, 20_000), &stale).held, Vec::new());
}

#[test]
fn the_same_source_is_quoted_once() {
    let text = "export function formatInvoice() {\n  return 1;\n}\n";
    let project = Project::new(&[("a.ts", text), ("b.ts", &text.replace("  return", "      return"))]);
    let answer = project.answer("formatInvoice");
    assert_eq!(answer.snippets.len(), 1);
    assert!(answer.excluded.iter().any(|excluded| excluded.reason.code == "duplicate"));
}

#[test]
fn only_what_may_be_quoted_is_read() {
    let files: Vec<(String, String)> =
        (0..30).map(|n| (format!("src/m{n}.ts"), format!("export function sendInvoice{n}() {{\n  return discount({n});\n}}\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let project = Project::new(&files);
    let answer = project.answer_with("the invoice is sent with a discount", &budget(2, 20_000), &[]);
    assert_eq!((answer.snippets.len(), answer.files_read), (2, 2));
    assert!(answer.excluded.iter().filter(|left| left.reason.code == "rank" && left.tokens > 0).count() > 10, "{:?}", answer.excluded);
}

#[test]
fn a_phrase_counts_where_the_file_holds_it_as_it_is() {
    let project =
        Project::new(&[("a.txt", "one\n\nthe quick brown fox jumps\n"), ("b.txt", "the brown quick fox jumps\n"), ("c.txt", "the quick\nbrown fox\n")]);
    let phrases = |answer: &Answer| {
        let has = |snippet: &&Proven| snippet.reasons().iter().any(|reason| reason.text == "exact phrase quick brown fox");
        answer.snippets.iter().filter(has).map(|snippet| snippet.path().to_string()).collect::<Vec<_>>()
    };
    let request = "what says \"quick brown fox\" here?";
    assert_eq!(phrases(&project.answer(request)), ["a.txt"]);
    project.write("a.txt", "one\n\nthe quicker brown fox jumps\n");
    project.write("b.txt", "now the quick brown fox jumps\n");
    let answer = project.answer(request);
    assert_eq!((answer.reindexed, phrases(&project.answer(request))), (vec![path("b.txt"), path("a.txt")], vec!["b.txt".to_owned()]));
}

#[test]
fn a_line_that_declares_the_name_in_another_case_is_not_what_is_asked_for() {
    let project = Project::new(&[("a.zig", "const Widget = struct {\n    id: u32,\n};\n"), ("b.zig", "const widget = 1;\n")]);
    let answer = project.answer("where is Widget defined?");
    let declared: Vec<_> =
        answer.snippets.iter().filter(|snippet| snippet.reasons().iter().any(|reason| reason.code == "declared-symbol")).map(Proven::path).collect();
    assert_eq!(declared, [&path("a.zig")]);
}

#[test]
fn equal_requests_get_equal_answers() {
    let project = project();
    let shown =
        |answer: &Answer| answer.snippets.iter().map(|snippet| (snippet.snippet_id(), snippet.score().to_bits(), snippet.relevance())).collect::<Vec<_>>();
    let request = "the client executes a job with a discount on the invoice";
    assert_eq!(shown(&project.answer(request)), shown(&project.answer(request)));
}

#[test]
fn a_recheck_tells_what_changed_and_quotes_it_again() {
    let project = project();
    let quoted: Vec<Quoted> = ["Service.run", "Client.execute", "invoiceTotal"]
        .iter()
        .map(|request| {
            let answer = project.answer(request);
            let first = &answer.snippets[0];
            Quoted {
                snippet_id: first.snippet_id(),
                path: first.path().clone(),
                hash: first.hash(),
                start_line: first.start_line(),
                end_line: first.end_line(),
                symbol: first.symbol().map(str::to_owned),
            }
        })
        .collect();
    let check = || recheck(&project.root, &project.store, &project.bounds, "run a job", &quoted, &budget(8, 20_000), &Cancel::default()).unwrap();
    assert_eq!(check(), Recheck::default());

    let changed = format!("// one\n// two\n{}", SERVICE.replace("new Client()", "this.client"));
    project.write("src/service.ts", &changed);
    fs::remove_file(project.folder.path().join("src/client.ts")).unwrap();
    let found = check();
    let service = Change { path: path("src/service.ts"), old: Hash::of(SERVICE.as_bytes()), new: Some(Hash::of(changed.as_bytes())) };
    assert_eq!(found.changed, [Change { path: path("src/client.ts"), old: Hash::of(CLIENT.as_bytes()), new: None }, service]);
    assert_eq!(found.renewed.len(), 1);
    assert_eq!(found.renewed[0].text(), "  run(job: string): string {\n    return this.client.execute(job);\n  }");
    assert_eq!((found.renewed[0].start_line(), found.renewed[0].symbol()), (7, Some("Service.run")));
    assert!(found.revoked.is_empty());
}

#[cfg(unix)]
#[test]
fn a_quote_whose_file_became_a_link_is_revoked() {
    let project = project();
    let answer = project.answer("invoiceTotal");
    let first = &answer.snippets[0];
    let quoted = [Quoted { snippet_id: first.snippet_id(), path: first.path().clone(), hash: first.hash(), start_line: 1, end_line: 4, symbol: None }];
    let file = project.folder.path().join("src/billing/invoice.ts");
    fs::rename(&file, project.folder.path().join("elsewhere.ts")).unwrap();
    std::os::unix::fs::symlink(project.folder.path().join("elsewhere.ts"), &file).unwrap();
    let found = recheck(&project.root, &project.store, &project.bounds, "x", &quoted, &budget(8, 20_000), &Cancel::default()).unwrap();
    assert_eq!(found.revoked, [Revoked { snippet_id: first.snippet_id(), path: path("src/billing/invoice.ts"), rule: "path/link", class: None }]);
    assert!(found.renewed.is_empty());
}

#[test]
fn a_read_is_proven_and_names_what_is_wrong() {
    let project = project();
    let read = |name: &str, lines, expected| read(&project.root, &project.bounds, &path(name), lines, expected);
    let (all, total) = read("src/client.ts", None, Some(Hash::of(CLIENT.as_bytes()))).unwrap();
    assert_eq!((all.text(), all.start_line(), all.end_line(), total), (CLIENT.trim_end(), 1, 5, 5));
    assert_eq!(read("src/client.ts", Some((2, 3)), None).unwrap().0.text(), "  execute(job: string): string {\n    return `done ${job}`;");
    let code = |result: Result<(Proven, u32)>| result.unwrap_err().code;
    assert_eq!(code(read("src/client.ts", None, Some(Hash::of(b"")))), Code::Changed);
    assert_eq!(code(read("src/none.ts", None, None)), Code::NotFound);
    assert_eq!(code(read("src/client.ts", Some((3, 2)), None)), Code::InvalidArgument);
    assert_eq!(code(read("src/client.ts", Some((9, 12)), None)), Code::InvalidArgument);
    assert_eq!(code(read(".env", None, None)), Code::Excluded);
}

#[test]
fn a_passed_deadline_shortens_the_answer_and_says_so() {
    let project = project();
    let late = Cancel::default().within(std::time::Duration::ZERO);
    let answer = answer(&project.root, &project.store, &project.bounds, "invoiceTotal", &budget(8, 20_000), &[], &late).unwrap();
    assert!(answer.shortened && answer.snippets.is_empty());
    let stopped = Cancel::default();
    stopped.cancel();
    assert_eq!(
        super::answer(&project.root, &project.store, &project.bounds, "invoiceTotal", &budget(8, 20_000), &[], &stopped).unwrap_err().code,
        Code::Cancelled
    );
}

const MARKED: &str = "export function openPart() {\n  return 1;\n}\n// [ds4:sensitive]\nexport function hiddenPart() {\n  const rate = 3;\n  return rate;\n}\n// [/ds4:sensitive]\nexport function lastPart() {\n  return 2;\n}\n";

#[test]
fn a_marked_file_is_cut_into_windows_and_a_quote_has_the_highest_class_that_it_touches() {
    let project = Project::new(&[("part.ts", MARKED)]);
    let answer = project.answer("hiddenPart openPart");
    assert!(answer.snippets.iter().all(|snippet| snippet.symbol().is_none()), "{:?}", answer.snippets);
    assert_eq!(answer.snippets.iter().map(Proven::class).max(), Some(Class::Sensitive));
    let class = |lines| read(&project.root, &project.bounds, &path("part.ts"), Some(lines), None).unwrap().0.class();
    assert_eq!((class((1, 3)), class((6, 6)), class((9, 9)), class((10, 12)), class((1, 12))), {
        use Class::{Normal, Sensitive};
        (Normal, Sensitive, Sensitive, Normal, Sensitive)
    });
}

#[test]
fn what_a_class_forbids_is_dropped_whole_and_recorded() {
    let project = Project::new(&[("part.ts", MARKED), ("other.ts", "export function usesPart() {\n  return hiddenPart();\n}\n")]);
    let strict = Budget { may_have: &|class| class < Class::Sensitive, ..budget(8, 20_000) };
    let answer = project.answer_with("hiddenPart usesPart", &strict, &[]);
    assert_eq!(places(&answer), ["other.ts:1-3"]);
    let left: Vec<_> = answer.excluded.iter().filter(|excluded| excluded.reason.code == "privacy").map(|left| (left.path.as_str(), left.class)).collect();
    assert_eq!(left, [("part.ts", Some(Class::Sensitive))]);
    assert!(project.answer_with("hiddenPart usesPart", &budget(8, 20_000), &[]).excluded.iter().all(|excluded| excluded.reason.code != "privacy"));
}

#[test]
fn a_recheck_revokes_what_a_class_forbids_now() {
    let project = Project::new(&[("part.ts", "export function hiddenPart() {\n  const rate = 3;\n  return rate;\n}\n")]);
    let quoted: Vec<Quoted> = project
        .answer("hiddenPart")
        .snippets
        .iter()
        .map(|first| Quoted {
            snippet_id: first.snippet_id(),
            path: first.path().clone(),
            hash: first.hash(),
            start_line: first.start_line(),
            end_line: first.end_line(),
            symbol: first.symbol().map(str::to_owned),
        })
        .collect();
    let strict = Budget { may_have: &|class| class < Class::Sensitive, ..budget(8, 20_000) };
    let check = |budget| recheck(&project.root, &project.store, &project.bounds, "hiddenPart", &quoted, budget, &Cancel::default()).unwrap();
    assert_eq!(check(&strict), Recheck::default());
    project.write("part.ts", MARKED);
    let found = check(&strict);
    let revoked = Revoked { snippet_id: quoted[0].snippet_id, path: path("part.ts"), rule: "privacy", class: Some(Class::Sensitive) };
    assert_eq!((found.revoked, found.changed.len(), found.renewed.len()), (vec![revoked], 1, 0));
    let free = check(&budget(8, 20_000));
    assert_eq!((free.revoked.len(), free.renewed.len(), free.renewed[0].class()), (0, 1, Class::Sensitive));
}
