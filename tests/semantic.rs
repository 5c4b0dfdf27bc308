//! Closeness in meaning through an opened project: what is embedded, what never is, and what happens when it fails.

use std::fs;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use pi_context_engine::cancel::Cancel;
use pi_context_engine::classify::{Audience, Destination, Privacy};
use pi_context_engine::limits::{Bounds, SemanticBounds};
use pi_context_engine::project::{OpenOptions, Project, Request, Retrieval};
use pi_context_engine::root::TrustSource;
use pi_context_engine::semantic::{Embedder, Profile, Refusal, SemanticOptions, StaticModel, UpdateReport};
use pi_context_engine::store::SourceCounts;
use pi_context_engine::sync::SyncOptions;
use proptest::prelude::*;
use tempfile::TempDir;

const DIMENSIONS: usize = 16;

/// Words that mean the same have the same place in a vector; all others share the last places.
const CONCEPTS: [&[&str]; 4] = [&["money", "currency", "amount"], &["boat", "ship", "vessel"], &["remove", "erase", "wipe"], &["weather", "rain", "storm"]];

/// What a provider does in a test.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Well,
    Fails,
    Late,
    OneLess,
    Short,
    NotANumber,
    Infinite,
    Zero,
}

/// A provider that counts concepts, and remembers every text that it was given.
#[derive(Clone)]
struct Counting {
    seen: Arc<Mutex<Vec<String>>>,
    way: Arc<Mutex<Way>>,
}

impl Counting {
    fn new() -> Self {
        Counting { seen: Arc::default(), way: Arc::new(Mutex::new(Way::Well)) }
    }

    fn taken(&self) -> Vec<String> {
        std::mem::take(&mut self.seen.lock().unwrap())
    }
}

fn vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0; DIMENSIONS];
    for word in text.to_lowercase().split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()) {
        match CONCEPTS.iter().position(|concept| concept.contains(&word)) {
            Some(place) => vector[place] += 4.0,
            None => vector[8 + word.len() % 8] += 0.1,
        }
    }
    vector
}

impl Embedder for Counting {
    fn embed(&self, texts: Vec<String>, wait: Duration, cancel: &Cancel) -> Result<Vec<Vec<f32>>, Refusal> {
        let mut vectors: Vec<Vec<f32>> = texts.iter().map(|text| vector(text)).collect();
        self.seen.lock().unwrap().extend(texts);
        let first = &mut vectors[0];
        match *self.way.lock().unwrap() {
            Way::Well => {}
            Way::Fails => return Err(Refusal::new("provider", "it failed")),
            Way::Late => {
                let end = std::time::Instant::now() + wait;
                while std::time::Instant::now() < end && !cancel.is_cancelled() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                return Err(Refusal::new("time-out", "it was late"));
            }
            Way::OneLess => drop(vectors.pop()),
            Way::Short => drop(first.pop()),
            Way::NotANumber => first[3] = f32::NAN,
            Way::Infinite => first[3] = f32::INFINITY,
            Way::Zero => first.fill(0.0),
        }
        Ok(vectors)
    }
}

struct Place {
    folder: TempDir,
    provider: Counting,
}

fn local(model: &str) -> Profile {
    Profile { provider: "test".into(), model: model.into(), dimensions: DIMENSIONS, destination: Destination::Local }
}

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        let folder = tempfile::tempdir().unwrap();
        let place = Place { folder, provider: Counting::new() };
        fs::create_dir(place.root()).unwrap();
        for (path, text) in files {
            place.write(path, text);
        }
        place
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("project")
    }

    fn write(&self, path: &str, text: &str) {
        let file = self.root().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn options(&self, profile: Profile) -> SemanticOptions {
        SemanticOptions {
            profile,
            bounds: SemanticBounds::default(),
            remote_profiles: vec![],
            privacy: Privacy::default(),
            embedder: Arc::new(self.provider.clone()),
        }
    }

    fn open(&self, semantic: Option<SemanticOptions>) -> Project {
        let data_directory = Some(self.folder.path().join("data"));
        let project =
            Project::open(OpenOptions { path: self.root(), trust: Some(TrustSource::Api), data_directory, bounds: Bounds::default(), semantic }).unwrap();
        project.sync(&SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
        project
    }

    fn sql<T>(&self, work: impl FnOnce(&rusqlite::Connection) -> T) -> T {
        let file = fs::read_dir(self.folder.path().join("data/projects"))
            .unwrap()
            .flatten()
            .map(|entry| entry.path())
            .find(|path| path.extension().is_some_and(|e| e == "db"));
        work(&rusqlite::Connection::open(file.unwrap()).unwrap())
    }

    /// The rows of vectors: the profile's number, hash and vector.
    fn vectors(&self) -> Vec<(i64, Vec<u8>, Vec<u8>)> {
        self.sql(|connection| {
            let mut statement = connection.prepare("SELECT profile, hash, vector FROM semantic_vectors ORDER BY profile, hash").unwrap();
            statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?))).unwrap().collect::<Result<_, _>>().unwrap()
        })
    }
}

fn update(project: &Project) -> UpdateReport {
    project.update_vectors(&Cancel::default(), &mut |_| {}).unwrap()
}

fn ask(project: &Project, text: &str) -> Retrieval {
    let request = Request {
        text: text.into(),
        session_id: None,
        branch_leaf: None,
        model: None,
        audience: Audience::default(),
        max_results: 8,
        max_tokens: 20_000,
        room_tokens: None,
        calibration: 1.0,
        held: vec![],
        observe: false,
        explain: false,
    };
    project.retrieve(&request, &Cancel::default()).unwrap()
}

fn texts(retrieval: &Retrieval) -> Vec<&str> {
    retrieval.messages.iter().map(|message| message.text.as_str()).collect()
}

fn paths(retrieval: &Retrieval) -> Vec<&str> {
    retrieval.messages.iter().filter_map(|message| message.snippet.as_ref()).map(|snippet| snippet.path().as_str()).collect()
}

fn reason(retrieval: &Retrieval) -> Option<String> {
    retrieval.manifest.semantic.as_ref().unwrap().fallback_reason.clone()
}

const FILES: [(&str, &str); 4] = [
    ("src/purse.ts", "export function total(items) {\n  // every currency counts\n  return items.reduce((sum, item) => sum + item.amount, 0);\n}\n"),
    ("src/harbour.ts", "export function moor(vessel) {\n  return berth.take(vessel);\n}\n"),
    ("src/cleaner.ts", "export function erase(files) {\n  for (const file of files) wipe(file);\n}\n"),
    ("src/forecast.ts", "export function forecast(day) {\n  return storm(day) ? 'rain' : 'sun';\n}\n"),
];

#[test]
fn a_request_in_other_words_finds_what_means_the_same() {
    let place = Place::new(&FILES);
    let project = place.open(Some(place.options(local("a"))));
    let report = update(&project);
    assert_eq!((report.embedded, report.calls, report.corrupt, report.fresh, &report.reason), (4, 1, 0, true, &None));
    assert_eq!(report.counts, SourceCounts { chunks: 4, listed: 4, withheld: 0, embedded: 4 });
    let request = "what happens with a ship when it comes in?";
    let found = ask(&project, request);
    assert_eq!(paths(&found), ["src/harbour.ts"]);
    assert_eq!(found.manifest.included[0].reasons, ["semantic"]);
    let semantic = found.manifest.semantic.as_ref().unwrap();
    assert_eq!((semantic.indexed_vectors, semantic.query_cache_hit, &semantic.fallback_reason), (4, false, &None));
    assert!(ask(&project, request).manifest.semantic.unwrap().query_cache_hit);
    assert_eq!(place.provider.taken().iter().filter(|text| *text == request).count(), 1);
    drop(project);
    assert!(paths(&ask(&place.open(None), request)).is_empty());
}

#[test]
fn exact_paths_and_symbols_stand_first_whatever_is_close() {
    let place = Place::new(&FILES);
    let project = place.open(Some(place.options(local("a"))));
    update(&project);
    assert_eq!(paths(&ask(&project, "the ship and its vessel, the boat: see src/purse.ts"))[0], "src/purse.ts");
    let lookup = ask(&project, "where is forecast defined?");
    assert_eq!((paths(&lookup), &lookup.manifest.semantic), (vec!["src/forecast.ts"], &None));
}

#[test]
fn a_change_costs_its_own_chunks_and_no_vector_of_another_profile() {
    let place = Place::new(&FILES);
    for model in ["a", "b"] {
        assert_eq!(update(&place.open(Some(place.options(local(model))))).embedded, 4);
    }
    let before = place.vectors();
    assert_eq!(before.len(), 8);
    place.write("src/purse.ts", "export const money = 1;\n");
    fs::remove_file(place.root().join("src/cleaner.ts")).unwrap();
    place.provider.taken();
    let project = place.open(Some(place.options(local("a"))));
    let report = update(&project);
    assert_eq!((report.embedded, report.removed, report.fresh), (1, 2, true));
    assert_eq!(place.provider.taken(), ["src/purse.ts\nmoney\nexport const money = 1;\n"]);
    let after = place.vectors();
    assert_eq!(after.iter().filter(|row| row.0 == 1).count(), 3);
    assert_eq!(after.iter().filter(|row| row.0 == 1 && before.contains(row)).count(), 2);
    assert_eq!(after.iter().filter(|row| row.0 == 2).collect::<Vec<_>>(), before.iter().filter(|row| row.0 == 2).collect::<Vec<_>>());
    assert_eq!((update(&project).calls, place.vectors()), (0, after));
}

#[test]
fn a_file_that_changed_since_is_not_found_by_what_it_was() {
    let place = Place::new(&FILES);
    let project = place.open(Some(place.options(local("a"))));
    update(&project);
    place.write("src/harbour.ts", "export const nothing = 1;\n");
    project.sync(&SyncOptions::default(), &Cancel::default(), &mut |_| {}).unwrap();
    let found = ask(&project, "what happens with a ship when it comes in?");
    assert_eq!((paths(&found).len(), reason(&found)), (0, None));
}

#[test]
fn whatever_fails_leaves_the_words_alone_and_says_why() {
    let place = Place::new(&FILES);
    let request = "how does the total of all items come about, with each currency?";
    let plain = ask(&place.open(None), request);
    let expected = texts(&plain);
    assert_eq!(expected.len(), 1);
    let mut options = place.options(local("a"));
    options.bounds.timeout_ms = 30;
    let project = place.open(Some(options.clone()));
    let none = ask(&project, request);
    assert_eq!((texts(&none), reason(&none).unwrap()), (expected.clone(), "no-vectors: nothing of the project has a vector of this profile yet".into()));
    update(&project);
    for (way, code) in [
        (Way::Fails, "provider: it failed"),
        (Way::Late, "time-out: it was late"),
        (Way::OneLess, "vector-count: 1 texts were given and 0 vectors came back"),
        (Way::Short, "vector: the vector of the request was refused: dimensions"),
        (Way::NotANumber, "vector: the vector of the request was refused: not-finite"),
        (Way::Infinite, "vector: the vector of the request was refused: not-finite"),
        (Way::Zero, "vector-zero: the request says nothing to the model"),
    ] {
        *place.provider.way.lock().unwrap() = way;
        let project = place.open(Some(options.clone()));
        let found = ask(&project, request);
        assert_eq!((texts(&found), reason(&found).as_deref()), (expected.clone(), Some(code)), "{way:?}");
    }
}

#[test]
fn a_vector_that_is_none_is_not_stored() {
    for (way, embedded, corrupt, text) in [
        (Way::Fails, 0, 0, Some("provider: it failed")),
        (Way::OneLess, 0, 0, Some("vector-count: 4 texts were given and 3 vectors came back")),
        (Way::Short, 3, 1, Some("vector: vectors were refused: dimensions")),
        (Way::NotANumber, 3, 1, Some("vector: vectors were refused: not-finite")),
        (Way::Zero, 4, 0, None),
    ] {
        let place = Place::new(&FILES);
        let project = place.open(Some(place.options(local("a"))));
        *place.provider.way.lock().unwrap() = way;
        let report = update(&project);
        assert_eq!((report.embedded, report.corrupt, report.reason.map(|reason| reason.to_string()).as_deref()), (embedded, corrupt, text), "{way:?}");
        assert_eq!(place.vectors().len() as u64, embedded, "{way:?}");
        *place.provider.way.lock().unwrap() = Way::Well;
        assert_eq!(update(&project).embedded, 4 - embedded, "{way:?}");
    }
}

#[test]
fn damaged_rows_are_left_out_counted_and_made_anew() {
    let place = Place::new(&FILES);
    update(&place.open(Some(place.options(local("a")))));
    let whole = place.vectors();
    place.sql(|connection| {
        connection.execute("UPDATE semantic_vectors SET vector = zeroblob(32) WHERE hash = (SELECT min(hash) FROM semantic_vectors)", []).unwrap()
    });
    let project = place.open(Some(place.options(local("a"))));
    let semantic = ask(&project, "what is the total of all items?").manifest.semantic.unwrap();
    assert_eq!((semantic.corrupt_vectors, semantic.indexed_vectors), (1, 3));
    let report = update(&project);
    assert_eq!((report.embedded, report.corrupt, place.vectors()), (1, 1, whole));
    assert_eq!(ask(&project, "what is the total of all items?").manifest.semantic.unwrap().corrupt_vectors, 0);
}

const MARKED: &str = "export const open = 1;\n\n// [ds4:local-only]\nexport function hidden() {\n  return 'buried treasure';\n}\n// [/ds4:local-only]\n";

#[test]
fn a_remote_profile_gets_nothing_unless_it_is_allowed_by_name_and_privacy_decides() {
    let files = [("src/a.ts", MARKED), ("src/b.ts", "export const shown = 1;\n")];
    let remote = Profile { destination: Destination::Remote, ..local("m") };
    let private = Privacy { enabled: true, ..Privacy::default() };
    for (profiles, privacy, code) in [
        (vec![], private.clone(), "remote-profile"),
        (vec!["test/*".into(), "test".into(), "TEST/m".into()], private.clone(), "remote-profile"),
        (vec!["test/m".into()], Privacy::default(), "privacy-off"),
    ] {
        let place = Place::new(&files);
        let project = place.open(Some(SemanticOptions { remote_profiles: profiles, privacy, ..place.options(remote.clone()) }));
        assert_eq!(update(&project).reason.unwrap().code, code);
        assert_eq!(reason(&ask(&project, "how does a value become shown to all who are open?")).unwrap().split(':').next(), Some(code));
        assert_eq!(place.provider.taken(), Vec::<String>::new());
        assert_eq!(project.status().semantic.unwrap().fallback.unwrap().code, code);
    }
    let place = Place::new(&files);
    let project = place.open(Some(SemanticOptions { remote_profiles: vec!["test/m".into()], privacy: private, ..place.options(remote) }));
    let report = update(&project);
    assert_eq!((report.counts.withheld > 0, report.counts.embedded, report.fresh), (true, report.counts.chunks - report.counts.withheld, true));
    assert_eq!(reason(&ask(&project, "how does a value become shown to all who are open?")), None);
    assert_eq!(
        reason(&ask(&project, "how does a value become shown? [ds4:sensitive] the buried plan [/ds4:sensitive]")).unwrap().split(':').next(),
        Some("privacy")
    );
    let key = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    ask(&project, &format!("how does a value become shown to those with token {key}?"));
    let seen = place.provider.taken();
    assert!(seen.iter().any(|text| text.contains("shown = 1")) && seen.iter().any(|text| text.contains("[redacted:secret/github-token]")), "{seen:?}");
    assert!(seen.iter().all(|text| !text.contains("buried") && !text.contains(&key)), "{seen:?}");
}

#[test]
fn what_stays_here_may_have_any_class() {
    let place = Place::new(&[("src/a.ts", MARKED)]);
    let report = update(&place.open(Some(place.options(local("a")))));
    assert_eq!((report.counts.withheld, report.fresh), (0, true));
    assert!(place.provider.taken().iter().any(|text| text.contains("buried treasure")));
}

#[test]
fn batches_sources_and_remembered_requests_are_bounded() {
    let files: Vec<(String, String)> = (0..20).map(|n| (format!("src/f{n:02}.ts"), format!("export const rain{n} = {n};\n"))).collect();
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let place = Place::new(&files);
    let mut options = place.options(local("a"));
    options.bounds = SemanticBounds { max_sources: 12, batch_size: 5, query_cache_size: 2, ..options.bounds };
    let project = place.open(Some(options));
    let report = update(&project);
    assert_eq!((report.embedded, report.calls, report.fresh), (12, 3, true));
    assert_eq!(report.counts, SourceCounts { chunks: 20, listed: 20, withheld: 0, embedded: 12 });
    let cached = |text: &str| ask(&project, text).manifest.semantic.unwrap().query_cache_hit;
    let (a, b, c) = ("what about the first storm?", "what about the second storm?", "what about the third storm?");
    assert_eq!([a, b, a, c, a].map(cached), [false, false, true, false, false]);
}

#[test]
fn a_deadline_keeps_what_was_embedded_by_then() {
    let place = Place::new(&FILES);
    let mut options = place.options(local("a"));
    options.bounds.batch_size = 1;
    let project = place.open(Some(options));
    let cancel = Cancel::default();
    let stopped = project.update_vectors(&cancel, &mut |step| {
        if step.done == 2 {
            cancel.cancel()
        }
    });
    assert_eq!(stopped.unwrap_err().code.as_str(), "E_CANCELLED");
    assert_eq!(place.vectors().len(), 2);
    let late = project.update_vectors(&Cancel::default().within(Duration::ZERO), &mut |_| {}).unwrap();
    assert_eq!((late.embedded, late.fresh, late.reason.unwrap().code.as_str()), (0, false, "time-out"));
    assert_eq!(update(&project).embedded, 2);
}

/// A Model2Vec folder with these tokens and their vectors.
fn model_folder(tokens: &[(&str, Vec<f32>)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let vocabulary: serde_json::Map<String, serde_json::Value> = tokens.iter().enumerate().map(|(at, (token, _))| ((*token).to_owned(), at.into())).collect();
    let tokenizer = serde_json::json!({
        "version": "1.0", "truncation": null, "padding": null, "added_tokens": [], "post_processor": null, "decoder": null,
        "normalizer": { "type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": null, "lowercase": true },
        "pre_tokenizer": { "type": "BertPreTokenizer" },
        "model": { "type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocabulary },
    });
    let numbers: Vec<u8> = tokens.iter().flat_map(|(_, vector)| vector.iter().flat_map(|value| value.to_le_bytes())).collect();
    let header = format!(r#"{{"embeddings":{{"dtype":"F32","shape":[{},{DIMENSIONS}],"data_offsets":[0,{}]}}}}"#, tokens.len(), numbers.len());
    let tensors = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), &numbers].concat();
    fs::write(folder.path().join("tokenizer.json"), tokenizer.to_string()).unwrap();
    fs::write(folder.path().join("model.safetensors"), tensors).unwrap();
    fs::write(folder.path().join("config.json"), r#"{"normalize":true}"#).unwrap();
    folder
}

fn tokens() -> Vec<(&'static str, Vec<f32>)> {
    let words = ["[UNK]", "ship", "vessel", "storm", "rain", "vess", "##el"];
    words.iter().map(|word| (*word, if *word == "[UNK]" { vec![0.0; DIMENSIONS] } else { vector(word) })).collect()
}

#[test]
fn a_static_model_from_a_folder_needs_no_provider() {
    let folder = model_folder(&tokens());
    let model = StaticModel::new(folder.path().to_owned(), DIMENSIONS);
    let embed = |text: &str| model.embed(vec![text.to_owned()], Duration::from_secs(60), &Cancel::default()).unwrap().remove(0);
    assert_eq!(embed("Ship, vessel"), embed("vessel"));
    assert_eq!(embed("ship storm").iter().filter(|value| **value != 0.0).count(), 2);
    assert_eq!(embed("unknown"), vec![0.0; DIMENSIONS]);

    let place = Place::new(&FILES);
    let options = SemanticOptions { embedder: Arc::new(model), ..place.options(local("static")) };
    let project = place.open(Some(options));
    assert!(update(&project).fresh);
    assert_eq!(paths(&ask(&project, "what happens with a ship when it comes in?")), ["src/harbour.ts"]);

    // Another model of the same name is another profile.
    let mut other = tokens();
    other[1].1[5] = 1.0;
    let other = model_folder(&other);
    let options = SemanticOptions { embedder: Arc::new(StaticModel::new(other.path().to_owned(), DIMENSIONS)), ..place.options(local("static")) };
    assert_eq!(update(&place.open(Some(options))).embedded, 4);
}

#[test]
fn a_folder_without_a_model_leaves_the_words_alone() {
    let place = Place::new(&FILES);
    let folder = model_folder(&tokens());
    let with =
        |dimensions: usize| SemanticOptions { embedder: Arc::new(StaticModel::new(folder.path().to_owned(), dimensions)), ..place.options(local("static")) };
    let request = "how does the total of all items come about?";
    let plain = texts(&ask(&place.open(None), request)).into_iter().map(str::to_owned).collect::<Vec<_>>();
    let check = |options: SemanticOptions, part: &str| {
        let project = place.open(Some(options));
        let found = ask(&project, request);
        let reason = reason(&found).unwrap();
        assert!(reason.starts_with("model: ") && reason.contains(part), "{reason}");
        assert_eq!(texts(&found), plain);
        assert_eq!(update(&project).reason.unwrap().code, "model");
        assert_eq!(project.status().semantic.unwrap().fallback.unwrap().code, "model");
    };
    check(with(32), "its vectors have 16 dimensions, and the profile has 32");
    fs::write(folder.path().join("model.safetensors"), b"\xff\xff\xff\xff\xff\xff\xff\x7f{}").unwrap();
    check(with(DIMENSIONS), "no model that can be used");
    fs::remove_file(folder.path().join("tokenizer.json")).unwrap();
    check(with(DIMENSIONS), "tokenizer.json");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_a_model_or_none(tensors in prop::collection::vec(any::<u8>(), 0..200), cut in 0_usize..2_000, flip in 0_usize..2_000) {
        let folder = model_folder(&tokens());
        let file = folder.path().join("model.safetensors");
        let mut sound = fs::read(&file).unwrap();
        let at = flip % sound.len();
        sound[at] ^= 0x55;
        sound.truncate(cut.max(8));
        for bytes in [tensors, sound] {
            fs::write(&file, bytes).unwrap();
            let model = StaticModel::new(folder.path().to_owned(), DIMENSIONS);
            if let Ok(vectors) = model.embed(vec!["ship".into()], Duration::from_secs(60), &Cancel::default()) {
                prop_assert_eq!(vectors[0].len(), DIMENSIONS);
            }
        }
    }
}
