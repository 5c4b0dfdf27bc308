//! No secret of a project's files reaches the index, an answer, a manifest or an error: every byte of them is searched.

#[allow(dead_code, reason = "the rules are judged elsewhere")]
#[path = "secrets/set.rs"]
mod set;

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use pi_context_engine::cancel::Cancel;
use pi_context_engine::classify::Audience;
use pi_context_engine::limits::{Bounds, SecretPolicy};
use pi_context_engine::project::{OpenOptions, Project, Request};
use pi_context_engine::rel_path::RelPath;
use pi_context_engine::retrieve::Budget;
use pi_context_engine::root::TrustSource;
use pi_context_engine::sync::SyncOptions;

/// Bytes of a part of a secret below which it may stand somewhere by chance.
const MIN_PART: usize = 8;

struct Place {
    _folder: tempfile::TempDir,
    root: PathBuf,
    data: PathBuf,
    project: Project,
    /// The parts of secrets that stand in the project's files.
    values: Vec<String>,
    /// All that was said: messages, manifests, hits, errors.
    said: String,
}

impl Place {
    fn new(policy: SecretPolicy) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let base = folder.path().canonicalize().unwrap();
        let (root, data) = (base.join("project"), base.join("data"));
        fs::create_dir(&root).unwrap();
        let bounds = Bounds { secrets: policy, ..Bounds::default() };
        let options = OpenOptions { path: root.clone(), trust: Some(TrustSource::Api), data_directory: Some(data.clone()), bounds, semantic: None };
        let project = Project::open(options).unwrap();
        Place { _folder: folder, root, data, project, values: Vec::new(), said: String::new() }
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.root.join(name), text).unwrap();
    }

    fn git(&self, arguments: &[&str]) {
        let identity = ["-c", "user.name=T", "-c", "user.email=t@example.org", "-c", "commit.gpgsign=false"];
        let done = std::process::Command::new("git").args(identity).args(arguments).current_dir(&self.root).output().unwrap();
        assert!(done.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn sync(&mut self) -> pi_context_engine::sync::SyncReport {
        let report = self.project.sync(&SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
        self.said += &format!("{report:?}\n");
        report
    }

    fn ask(&mut self, text: &str) -> usize {
        let request = request(text);
        let answer = self.project.retrieve(&request, &Cancel::default()).unwrap();
        let count = answer.messages.len();
        for message in &answer.messages {
            self.said += &message.text;
        }
        self.said += &format!("{:?}\n", answer.manifest);
        self.project.save_manifest(&answer.manifest, &Cancel::default()).unwrap();
        let budget = Budget { max_results: 20, max_tokens: 50_000, cost: &|hit| hit.text().len(), may_have: &|_| true };
        let hits = self.project.search(text, &budget, &Cancel::default());
        self.said += &format!("{hits:?}\n");
        count
    }

    fn read(&mut self, name: &str) -> Result<String, String> {
        let read = self.project.read(&RelPath::parse(name).unwrap(), None, None, &Audience::default());
        self.said += &format!("{read:?}\n");
        read.map(|(proven, _)| proven.text().to_owned()).map_err(|error| error.to_string())
    }

    fn check(&self) {
        assert!(self.values.len() > 100);
        let mut files = Vec::new();
        collect(&self.data, &mut files);
        assert!(files.iter().any(|file| file.to_string_lossy().ends_with("-wal")), "the write-ahead log is among {files:?}");
        let mut bytes: Vec<(String, Vec<u8>)> = files.iter().map(|file| (file.display().to_string(), fs::read(file).unwrap())).collect();
        bytes.push(("what was said".to_owned(), self.said.clone().into_bytes()));
        for value in &self.values {
            let lower = value.to_lowercase();
            for (place, bytes) in &bytes {
                for form in [value, &lower] {
                    assert!(!holds(bytes, form.as_bytes()), "{place} holds {value}");
                }
            }
        }
    }
}

fn request(text: &str) -> Request {
    Request {
        text: text.to_owned(),
        session_id: None,
        branch_leaf: None,
        model: None,
        audience: Audience::default(),
        max_results: 8,
        max_tokens: 20_000,
        room_tokens: None,
        calibration: 1.0,
        held: Vec::new(),
        observe: false,
        explain: false,
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().flatten() {
        if entry.path().is_dir() { collect(&entry.path(), files) } else { files.push(entry.path()) }
    }
}

fn holds(bytes: &[u8], value: &[u8]) -> bool {
    memchr::memmem::find(bytes, value).is_some()
}

/// One file for each secret that the rules find, and the same secrets where a chunk ends.
fn fill(place: &mut Place) {
    let filler: String = (0..79).map(|line| format!("// line {line} of the part before it\n")).collect();
    for case in set::cases().into_iter().filter(|case| !case.secrets.is_empty() && case.text.len() < 4_000) {
        let findings = pi_context_engine::secrets::scan(&case.text);
        let found = |secret: &std::ops::Range<usize>| findings.iter().any(|finding| finding.range.start <= secret.start && secret.end <= finding.range.end);
        if !case.secrets.iter().all(found) {
            continue;
        }
        place.values.extend(case.secrets.iter().map(|secret| case.text[secret.clone()].to_owned()).filter(|value| value.len() >= MIN_PART));
        place.write(&format!("case{}.txt", case.line), &format!("marker of invoice {}\n{}\nend of invoice\n", case.line, case.text));
        place.write(&format!("border{}.txt", case.line), &format!("{filler}{}\n{filler}", case.text));
    }
}

#[test]
fn nothing_holds_a_secret_of_an_excluded_file() {
    let mut place = Place::new(SecretPolicy::Exclude);
    fill(&mut place);
    place.write("plain.txt", "marker of invoice zero\n");
    let report = place.sync();
    assert_eq!(report.indexed, 1, "{report:?}");
    assert_eq!(place.ask("marker of invoice"), 1);
    let refused = place.read("case8.txt").unwrap_err();
    assert!(refused.contains("secret/private-key"), "{refused}");
    place.check();
}

#[test]
fn nothing_holds_a_secret_of_a_redacted_file() {
    let mut place = Place::new(SecretPolicy::Redact);
    fill(&mut place);
    let report = place.sync();
    assert!(report.indexed > 500, "{report:?}");
    assert!(place.ask("marker of invoice private key") > 0);
    assert!(place.said.contains("secret values in it are replaced by [redacted:"));
    assert_eq!(place.read("case8.txt").unwrap(), "marker of invoice 8\n[redacted:secret/private-key]\n\n\n\n\n\nend of invoice");
    for case in set::cases().iter().step_by(25) {
        let _ = place.ask(&format!("invoice {0} case{0}.txt", case.line));
    }
    place.check();
}

#[test]
fn a_secret_that_comes_after_indexing_goes_nowhere() {
    for policy in [SecretPolicy::Exclude, SecretPolicy::Redact] {
        let mut place = Place::new(policy);
        fill(&mut place);
        place.write("late.txt", "marker of invoice late\n");
        place.sync();
        let value = ["k9X2m4", "Qp7vR3sT"].concat();
        place.write("late.txt", &format!("marker of invoice late\npassword = \"{value}\"\n"));
        place.values.push(value);
        let _ = place.ask("marker of invoice late late.txt");
        let _ = place.read("late.txt");
        place.sync();
        place.check();
    }
}

#[test]
fn a_changed_policy_judges_every_file_anew() {
    let mut place = Place::new(SecretPolicy::Redact);
    let value = ["k9X2m4", "Qp7vR3sT"].concat();
    place.write("a.txt", &format!("marker of invoice\npassword = \"{value}\"\n"));
    assert_eq!(place.sync().indexed, 1);
    let bounds = Bounds::default();
    drop(std::mem::replace(&mut place.project, Place::new(SecretPolicy::Exclude).project));
    place.project = Project::open(OpenOptions {
        path: place.root.clone(),
        trust: Some(TrustSource::Api),
        data_directory: Some(place.data.clone()),
        bounds,
        semantic: None,
    })
    .unwrap();
    let report = place.sync();
    assert_eq!((report.indexed, report.excluded.get("secret/assignment")), (0, Some(&1)));
    assert_eq!(place.ask("marker of invoice"), 0);
}

#[test]
fn a_path_that_holds_a_secret_is_neither_stored_nor_named() {
    for policy in [SecretPolicy::Exclude, SecretPolicy::Redact] {
        let mut place = Place::new(policy);
        let value = format!("ghp_{}", "k9X2m4Qp7vR3".repeat(3));
        place.git(&["init", "-q", "-b", &format!("try-{value}")]);
        for name in ["tracked", "moved", "gone"] {
            place.write(&format!("{value}{name}.ts"), &format!("export const {name} = 1;\n"));
        }
        place.write("plain.txt", "marker of invoice\n");
        place.git(&["add", "-A"]);
        place.git(&["commit", "-qm", "invoice first"]);
        place.git(&["mv", &format!("{value}moved.ts"), "moved.ts"]);
        place.git(&["commit", "-qm", "invoice second"]);
        fs::remove_file(place.root.join(format!("{value}gone.ts"))).unwrap();
        fs::create_dir(place.root.join(&value)).unwrap();
        place.write(&format!("{value}/inner.txt"), "marker of invoice in a folder\n");
        place.write(&format!("{value}.txt"), "marker of invoice in a file\n");
        place.write(&format!("{value}.png"), "");
        #[cfg(unix)]
        std::os::unix::fs::symlink("plain.txt", place.root.join(format!("{value}.link"))).unwrap();
        let report = place.sync();
        assert_eq!((report.indexed, report.excluded.get("secret/github-token")), (2, Some(&3)), "{report:?}");
        place.said += &format!("{:?}\n", place.project.status());
        assert_eq!(place.ask("marker of invoice"), 1);
        for path in [format!("{value}.txt"), format!("{value}/inner.txt"), format!("{value}tracked.ts"), format!("{value}none.ts")] {
            let refused = place.read(&path).unwrap_err();
            assert_eq!(refused, "E_EXCLUDED: a file with a secret in its path: kept out by the rule secret/github-token");
        }
        place.values = vec![value; 101];
        place.check();
    }
}

#[test]
fn declarations_pass_the_same_rules_as_quotations() {
    let mut place = Place::new(SecretPolicy::Redact);
    let value = ["k9X2m4", "Qp7vR3sT"].concat();
    // So far apart that the rules see no assignment; a signature has its white space collapsed.
    let apart = format!("export function open(password ={}\"{value}\") {{}}\n\nexport function shut() {{}}\n", " ".repeat(90));
    assert_eq!(pi_context_engine::secrets::scan(&apart), vec![]);
    place.write("apart.ts", &apart);
    place.write("inner.ts", &format!("export function enter(password = \"{value}\") {{}}\n"));
    place.write("marked.ts", "export function leave() {}\n// [ds4:sensitive]\nexport function stay() {}\n// [/ds4:sensitive]\n");
    assert_eq!(place.sync().indexed, 3);
    let outline = |name: &str| place.project.outline(&RelPath::parse(name).unwrap());
    assert_eq!(outline("apart.ts").unwrap_err().to_string(), "E_EXCLUDED: apart.ts: kept out by the rule secret/assignment");
    let signature = &outline("inner.ts").unwrap().parsed.symbols[0].signature;
    assert_eq!(signature, "export function enter(password = \"[redacted:secret/assignment]\")");
    // A marked file is cut into windows: its declarations are told by nobody, whatever their class.
    assert_eq!(outline("marked.ts").unwrap().parsed.symbols, []);
    let found = |name: &str| place.project.definitions(name, 9).unwrap().len();
    assert_eq!([found("open"), found("shut"), found("enter"), found("leave"), found("stay")], [0, 1, 1, 0, 0]);
}

#[test]
fn what_fails_says_nothing_of_the_text() {
    let mut place = Place::new(SecretPolicy::Redact);
    fill(&mut place);
    // Out of time, out of range, gone, another than expected, and an index that is no index.
    let late = Cancel::default().within(Duration::ZERO);
    place.said += &format!("{:?}\n", place.project.sync(&SyncOptions::default(), &late, &mut |_| {}));
    place.sync();
    place.said += &format!("{:?}\n", place.project.read(&RelPath::parse("case8.txt").unwrap(), Some((900, 901)), None, &Audience::default()));
    place.said += &format!(
        "{:?}\n",
        place.project.read(&RelPath::parse("case8.txt").unwrap(), None, Some(pi_context_engine::hash::Hash::of(b"x")), &Audience::default())
    );
    fs::remove_file(place.root.join("case8.txt")).unwrap();
    let _ = place.read("case8.txt");
    let late = Cancel::default().within(Duration::ZERO);
    place.said += &format!("{:?}\n", place.project.retrieve(&request("invoice 570 password"), &late));
    let stopped = Cancel::default();
    stopped.cancel();
    place.said += &format!("{:?}\n", place.project.retrieve(&request("invoice 570 password"), &stopped));
    place.check();
}
