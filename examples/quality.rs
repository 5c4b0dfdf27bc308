//! Retrieval quality in one process: what `npm run bench:quality` measures, for one table of weights after the other.
//!
//! `cargo run --release --no-default-features --example quality -- <data folder> <trees folder> <state folder> <mode> [name=value ...]`
//! with `data/*.jsonl` in the data folder, one tree per repository in the trees folder, and the mode
//! - `report`: the figures and the times;
//! - `ablate` and `sweep`: each weight at 0, or at half and almost twice its value, in turn;
//! - `learn`: the weights of the features, fitted on all repositories but one (softmax over the files of a request, drawn to the shipped weights by the
//!   ridge that the variable `RIDGE` sets) and tested on that one; the figures are those of the ranked files, before quotes are chosen;
//! - `fit`: any weights, by coordinate ascent on the answers, tested in the same way;
//! - `misses`: the change requests whose right files are not first, with what speaks for each file.
//!
//! `name=value` changes a weight before anything else.

#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use pi_context_engine::cancel::Cancel;
use pi_context_engine::limits::Bounds;
use pi_context_engine::retrieve::{self, Budget, Ranking, Weights};
use pi_context_engine::root::{Root, Trust, TrustSource};
use pi_context_engine::store::{Store, file_for};
use pi_context_engine::sync::{self, SyncOptions};
use rayon::prelude::*;
use serde::Deserialize;

#[derive(Deserialize)]
struct Query {
    kind: String,
    query: String,
    truth: Vec<String>,
    #[serde(default)]
    regions: Vec<(String, u32, u32)>,
}

struct Repository {
    name: String,
    root: Root,
    store: Store,
    queries: Vec<Query>,
}

/// Of one query; in the order of [`METRICS`].
type Figures = [f64; 6];
const METRICS: [&str; 6] = ["rec@8", "P@1", "MRR", "region@8", "line@1", "tokens"];

fn open(data: &Path, trees: &Path, state: &Path) -> Vec<Repository> {
    let mut files: Vec<_> = std::fs::read_dir(data.join("data")).expect("the data folder").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    files
        .iter()
        .map(|file| {
            let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
            let path = trees.join(&name).canonicalize().expect("the tree");
            let root = Root::open(&path, Trust::granted(TrustSource::Api)).expect("a root");
            let (store, _) = Store::open(&file_for(state, root.id()), root.id()).expect("an index");
            let started = Instant::now();
            let report = sync::run(&root, &store, &Bounds::default(), &SyncOptions::default(), &Cancel::default(), &mut |_| {}).expect("a sync");
            eprintln!(
                "{name}: {} files in {:.0} ms, {} commits in {:.0} ms {:?}",
                report.listed,
                started.elapsed().as_secs_f64() * 1000.0,
                report.commits,
                report.timings.commits,
                report.incomplete_reason
            );
            let text = std::fs::read_to_string(file).expect("the queries");
            let queries = text.lines().map(|line| serde_json::from_str(line).expect("a query")).collect();
            Repository { name, root, store, queries }
        })
        .collect()
}

fn ask(repository: &Repository, query: &Query, ranking: &Ranking) -> (Figures, retrieve::Timings) {
    let budget = Budget { max_results: 8, max_tokens: 20_000, cost: &|snippet| snippet.text().len() / 4, may_have: &|_| true };
    let answer =
        retrieve::search(&repository.root, &repository.store, &Bounds::default(), &query.query, &budget, ranking, &Cancel::default()).expect("an answer");
    let mut files: Vec<&str> = Vec::new();
    let (mut region, mut line) = (0.0, 0.0);
    let mut tokens = 0.0;
    for (at, snippet) in answer.snippets.iter().enumerate() {
        if !files.contains(&snippet.path().as_str()) {
            files.push(snippet.path().as_str());
        }
        let hits = query.regions.iter().any(|(path, from, to)| path == snippet.path().as_str() && snippet.start_line() <= *to && snippet.end_line() >= *from);
        if hits {
            region = 1.0;
            line = if at == 0 { 1.0 } else { line };
        }
        tokens += snippet.text().chars().map(|char| if char.is_ascii() { 0.25 } else { 1.0 }).sum::<f64>();
    }
    if std::env::var_os("MISSES").is_some() && !query.regions.is_empty() && query.kind != "change" && line == 0.0 {
        let first = answer.snippets.first();
        eprintln!(
            "{} {:?} -> {:?} {:?}",
            query.query,
            query.regions,
            first.map(|s| format!("{}:{}-{}", s.path(), s.start_line(), s.end_line())),
            first.map(|s| s.relevance())
        );
    }
    let right = |path: &&str| query.truth.iter().any(|truth| truth == path);
    let first = files.iter().position(right);
    let recall = files.iter().filter(|path| right(path)).count() as f64 / query.truth.len() as f64;
    let mrr = first.map_or(0.0, |at| 1.0 / (at + 1) as f64);
    ([recall, f64::from(u8::from(first == Some(0))), mrr, region, line, tokens], answer.timings)
}

fn mean(all: &[Figures]) -> Figures {
    let mut sum = Figures::default();
    for figures in all {
        for (sum, figure) in sum.iter_mut().zip(figures) {
            *sum += figure / all.len() as f64;
        }
    }
    sum
}

/// The means of the queries of a kind, by repository.
fn measure(repositories: &[Repository], kind: &str, ranking: &Ranking) -> Vec<Figures> {
    repositories
        .par_iter()
        .map(|repository| {
            let queries: Vec<&Query> = repository.queries.iter().filter(|query| query.kind == kind).collect();
            mean(&queries.par_iter().map(|query| ask(repository, query, ranking).0).collect::<Vec<_>>())
        })
        .collect()
}

fn line(label: &str, figures: &Figures) -> String {
    let shown: Vec<String> = METRICS
        .iter()
        .zip(figures)
        .map(|(name, figure)| if *name == "tokens" { format!("{name} {figure:.0}") } else { format!("{name} {figure:.3}") })
        .collect();
    format!("{label:24} {}", shown.join("  "))
}

fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values[((values.len() as f64 * share).ceil() as usize).clamp(1, values.len()) - 1]
}

fn report(repositories: &[Repository], ranking: &Ranking) {
    for kind in ["change", "symbol", "path"] {
        let each = measure(repositories, kind, ranking);
        for (repository, figures) in repositories.iter().zip(&each) {
            println!("{}", line(&format!("{kind} {}", repository.name), figures));
        }
        println!("{}", line(&format!("{kind} macro"), &mean(&each)));
        let mut stages: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for repository in repositories {
            for query in repository.queries.iter().filter(|query| query.kind == kind) {
                let times = ask(repository, query, ranking).1;
                for (stage, ms) in [("recall", times.recall), ("rank", times.rank), ("select", times.select), ("total", times.total)] {
                    stages.entry(stage).or_default().push(ms);
                }
            }
        }
        let shown: Vec<String> = stages.iter_mut().map(|(stage, all)| format!("{stage} {:.2}/{:.2}", percentile(all, 0.5), percentile(all, 0.95))).collect();
        println!("{kind:24} ms p50/p95: {}\n", shown.join("  "));
    }
}

/// What a fit makes as large as it can, of change requests.
fn goal(figures: &Figures) -> f64 {
    figures[0] + figures[2] + figures[3]
}

fn ablate(repositories: &[Repository], ranking: &Ranking, names: &[&str]) {
    let base = mean(&measure(repositories, "change", ranking));
    println!("{}", line("all", &base));
    for name in names {
        let mut other = ranking.clone();
        *other.weights.named(name).expect("a weight") = 0.0;
        let figures = mean(&measure(repositories, "change", &other));
        println!("{}  goal {:+.3}", line(&format!("{name} 0"), &figures), goal(&figures) - goal(&base));
    }
}

/// Each weight at half and at almost twice its value.
fn sweep(repositories: &[Repository], ranking: &Ranking, names: &[&str]) {
    let base = mean(&measure(repositories, "change", ranking));
    println!("{}", line("all", &base));
    for name in names {
        for factor in [0.5, 1.6] {
            let mut other = ranking.clone();
            let weight = other.weights.named(name).expect("a weight");
            *weight *= factor;
            let label = format!("{name} {:.3}", *weight);
            let figures = mean(&measure(repositories, "change", &other));
            println!("{}  goal {:+.3}", line(&label, &figures), goal(&figures) - goal(&base));
        }
    }
}

fn fit(repositories: &[Repository], ranking: &Ranking, names: &[&str]) {
    let mut memory: BTreeMap<String, Vec<Figures>> = BTreeMap::new();
    let mut value = |weights: &Weights| {
        let key = format!("{weights:?}");
        memory.entry(key).or_insert_with(|| measure(repositories, "change", &Ranking { weights: weights.clone(), ..ranking.clone() })).clone()
    };
    let mut held_out = Vec::new();
    for left in 0..=repositories.len() {
        let goal_of = |each: &[Figures]| {
            let kept: Vec<Figures> = each.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, figures)| *figures).collect();
            goal(&mean(&kept))
        };
        let mut best = ranking.weights.clone();
        let mut most = goal_of(&value(&best));
        for name in names {
            let now = *best.named(name).expect("a weight");
            for factor in [0.5, 1.6] {
                let mut other = best.clone();
                *other.named(name).expect("a weight") = now * factor;
                let found = goal_of(&value(&other));
                // Differences of a fifth of a point are no reason to move.
                if found > most + 0.002 {
                    most = found;
                    best = other;
                }
            }
        }
        let figures = value(&best);
        let changed: Vec<String> = names
            .iter()
            .filter_map(|name| {
                let (mut a, mut b) = (best.clone(), ranking.weights.clone());
                let (a, b) = (*a.named(name)?, *b.named(name)?);
                (a != b).then(|| format!("{name}={a:.3}"))
            })
            .collect();
        let label = repositories.get(left).map_or("all", |repository| &repository.name);
        println!("without {label}: fitted goal {most:.3}  {}", changed.join(" "));
        if let Some(own) = figures.get(left) {
            println!("{}", line(&format!("  held out {label}"), own));
            println!("{}", line("  as shipped", &value(&ranking.weights)[left]));
            held_out.push(*own);
        } else {
            println!("{}", line("  fitted on all", &mean(&figures)));
        }
    }
    println!("{}", line("held out, macro", &mean(&held_out)));
}

/// What the files of one request show of themselves, and which of them are right.
struct Example {
    /// Factor times value of each feature.
    files: Vec<Vec<f64>>,
    right: Vec<bool>,
    truths: f64,
}

fn examples(repository: &Repository, ranking: &Ranking) -> Vec<Example> {
    let queries: Vec<&Query> = repository.queries.iter().filter(|query| query.kind == "change").collect();
    queries
        .par_iter()
        .map(|query| {
            let budget = Budget { max_results: 1, max_tokens: 20_000, cost: &|_| 0, may_have: &|_| true };
            let answer = retrieve::search(&repository.root, &repository.store, &Bounds::default(), &query.query, &budget, ranking, &Cancel::default())
                .expect("an answer");
            let files = answer.explained.iter().map(|file| file.shares.iter().map(|share| share.value * file.factor).collect()).collect();
            let right = answer.explained.iter().map(|file| query.truth.iter().any(|truth| truth == file.path.as_str())).collect();
            Example { files, right, truths: query.truth.len() as f64 }
        })
        .collect()
}

/// The weights that make right files likely (softmax over the files of a request), drawn to `start` by `ridge`; each repository counts alike.
fn descend(folds: &[&Vec<Example>], start: &[f64], ridge: f64) -> Vec<f64> {
    let mut weights = start.to_vec();
    let mut momentum = vec![0.0; weights.len()];
    for _ in 0..1500 {
        let mut gradient: Vec<f64> = weights.iter().zip(start).map(|(weight, start)| ridge * (weight - start)).collect();
        for examples in folds {
            let share = 1.0 / (examples.len() * folds.len()) as f64;
            for example in examples.iter().filter(|example| example.right.contains(&true)) {
                let scores: Vec<f64> = example.files.iter().map(|file| file.iter().zip(&weights).map(|(value, weight)| value * weight).sum()).collect();
                let most = scores.iter().copied().fold(f64::MIN, f64::max);
                let likely: Vec<f64> = scores.iter().map(|score| (score - most).exp()).collect();
                let sum: f64 = likely.iter().sum();
                let right = example.right.iter().filter(|right| **right).count() as f64;
                for ((file, likely), is_right) in example.files.iter().zip(&likely).zip(&example.right) {
                    let off = likely / sum - if *is_right { 1.0 / right } else { 0.0 };
                    for (gradient, value) in gradient.iter_mut().zip(file) {
                        *gradient += share * off * value;
                    }
                }
            }
        }
        for ((weight, momentum), gradient) in weights.iter_mut().zip(&mut momentum).zip(&gradient) {
            *momentum = 0.9 * *momentum - 0.3 * gradient;
            *weight = (*weight + *momentum).max(0.0);
        }
    }
    weights
}

/// Recall among the first eight files, MRR and precision of the first, of the files alone; and the share of right files among all of them.
fn of_files(examples: &[Example], weights: &[f64]) -> [f64; 4] {
    let mut sum = [0.0; 4];
    for example in examples {
        let score = |at: usize| -> f64 { example.files[at].iter().zip(weights).map(|(value, weight)| value * weight).sum() };
        let mut order: Vec<usize> = (0..example.files.len()).collect();
        order.sort_by(|a, b| score(*b).total_cmp(&score(*a)).then(a.cmp(b)));
        let first = order.iter().position(|at| example.right[*at]);
        let found = |files: &[usize]| files.iter().filter(|at| example.right[**at]).count() as f64 / example.truths;
        let figures =
            [found(&order[..order.len().min(8)]), first.map_or(0.0, |at| 1.0 / (at + 1) as f64), f64::from(u8::from(first == Some(0))), found(&order)];
        sum.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure / examples.len() as f64);
    }
    sum
}

fn learn(repositories: &[Repository], ranking: &Ranking, ridge: f64) {
    let all: Vec<Vec<Example>> = repositories.iter().map(|repository| examples(repository, ranking)).collect();
    let mut features = Vec::new();
    for repository in repositories {
        let budget = Budget { max_results: 1, max_tokens: 20_000, cost: &|_| 0, may_have: &|_| true };
        let query = &repository.queries[0].query;
        let answer = retrieve::search(&repository.root, &repository.store, &Bounds::default(), query, &budget, ranking, &Cancel::default()).expect("an answer");
        if let Some(file) = answer.explained.first() {
            features = file.shares.iter().map(|share| share.feature).collect();
            break;
        }
    }
    let shipped: Vec<f64> = features.iter().map(|name| *ranking.weights.clone().named(name).expect("a weight")).collect();
    let macro_of = |weights: &[f64]| {
        let mut sum = [0.0; 4];
        for examples in &all {
            sum.iter_mut().zip(of_files(examples, weights)).for_each(|(sum, figure)| *sum += figure / all.len() as f64);
        }
        sum
    };
    let show = |label: &str, figures: [f64; 4]| {
        println!("{label:24} rec@8 {:.3}  MRR {:.3}  P@1 {:.3}  in the pool {:.3}", figures[0], figures[1], figures[2], figures[3]);
    };
    show("as shipped", macro_of(&shipped));
    // The scale of a softmax is its own: shipped weights are spread before they draw.
    let start: Vec<f64> = shipped.iter().map(|weight| weight * 4.0).collect();
    let mut held_out = [0.0; 4];
    for (left, repository) in repositories.iter().enumerate() {
        let folds: Vec<&Vec<Example>> = all.iter().enumerate().filter(|(at, _)| *at != left).map(|(_, examples)| examples).collect();
        let weights = descend(&folds, &start, ridge);
        let figures = of_files(&all[left], &weights);
        show(&format!("held out {}", repository.name), figures);
        held_out.iter_mut().zip(figures).for_each(|(sum, figure)| *sum += figure / all.len() as f64);
    }
    show("held out, macro", held_out);
    let folds: Vec<&Vec<Example>> = all.iter().collect();
    let weights = descend(&folds, &start, ridge);
    show("fitted on all", macro_of(&weights));
    let shown: Vec<String> = features.iter().zip(&weights).map(|(name, weight)| format!("{name}={:.3}", weight / 4.0)).collect();
    println!("{}", shown.join(" "));
}

/// Prints the change requests whose first right file is not the first, with what speaks for it and for the three before it.
fn misses(repositories: &[Repository], ranking: &Ranking) {
    let budget = Budget { max_results: 1, max_tokens: 20_000, cost: &|_| 0, may_have: &|_| true };
    for repository in repositories {
        for query in repository.queries.iter().filter(|query| query.kind == "change") {
            let answer = retrieve::search(&repository.root, &repository.store, &Bounds::default(), &query.query, &budget, ranking, &Cancel::default())
                .expect("an answer");
            let is_right = |file: &&retrieve::Explained| query.truth.iter().any(|truth| truth == file.path.as_str());
            let places: Vec<usize> =
                query.truth.iter().map(|truth| answer.explained.iter().position(|file| file.path.as_str() == truth).map_or(0, |at| at + 1)).collect();
            if places.contains(&1) && places.iter().all(|place| (1..=8).contains(place)) {
                continue;
            }
            println!(
                "\n## {} places {places:?}\n{}\n   {:?}",
                repository.name,
                query.query.chars().take(500).collect::<String>(),
                answer.task.keywords.iter().take(24).map(|keyword| format!("{}:{:.1}", keyword.term, keyword.weight)).collect::<Vec<_>>()
            );
            for truth in query.truth.iter().filter(|truth| !answer.explained.iter().any(|file| file.path.as_str() == *truth)) {
                println!("   not in the pool: {truth}");
            }
            for file in answer.explained.iter().take(3).chain(answer.explained.iter().skip(3).filter(is_right)) {
                let shares: Vec<String> =
                    file.shares.iter().filter(|share| share.points > 0.005).map(|share| format!("{} {:.2}", share.feature, share.points)).collect();
                println!("   {} {:.2} x{:.1} {}: {}", if is_right(&file) { "*" } else { " " }, file.score, file.factor, file.path, shares.join(", "));
            }
        }
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [data, trees, state, mode, changes @ ..] = arguments.as_slice() else { panic!("<data folder> <trees folder> <state folder> <mode> [name=value ...]") };
    let mut ranking = Ranking::default();
    let mut names = Vec::new();
    for change in changes {
        match change.split_once('=') {
            Some((name, value)) => *ranking.weights.named(name).expect("a weight") = value.parse().expect("a number"),
            None => names.push(change.as_str()),
        }
    }
    let names = if names.is_empty() { Weights::NAMES.to_vec() } else { names };
    let repositories = open(Path::new(data), Path::new(trees), Path::new(state));
    match mode.as_str() {
        "report" => report(&repositories, &ranking),
        "ablate" => ablate(&repositories, &ranking, &names),
        "fit" => fit(&repositories, &ranking, &names),
        "learn" => {
            let ridge = std::env::var("RIDGE").ok().and_then(|ridge| ridge.parse().ok()).unwrap_or(0.01);
            learn(&repositories, &ranking, ridge);
        }
        "sweep" => sweep(&repositories, &ranking, &names),
        "misses" => misses(&repositories, &ranking),
        _ => panic!("report, ablate, sweep, fit, learn or misses"),
    }
}
