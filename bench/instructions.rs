//! What `npm run bench:instructions` counts: `instructions <reference|open|sync|answers> <project> <data> <requests file>`.

use std::path::Path;

use pi_context_engine::cancel::Cancel;
use pi_context_engine::limits::Bounds;
use pi_context_engine::quote;
use pi_context_engine::retrieve::{self, Budget};
use pi_context_engine::root::{Root, Trust, TrustSource};
use pi_context_engine::store::{Store, file_for};
use pi_context_engine::sync::{self, SyncOptions};

/// The measure of all counts: the sum of a million sorted numbers of a small generator. Never change it.
fn reference() -> u64 {
    let mut state = 1_u32;
    let mut numbers: Vec<u32> = (0..1_000_000)
        .map(|_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            state
        })
        .collect();
    numbers.sort();
    numbers.iter().zip(1_u64..).map(|(&number, at)| u64::from(number) / at).sum()
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [mode, project, data, requests] = arguments.as_slice() else { panic!("usage: instructions <mode> <project> <data> <requests>") };
    if mode == "reference" {
        std::hint::black_box(reference());
        return;
    }
    let root = Root::open(Path::new(project), Trust::granted(TrustSource::CommandLine)).expect("the project opens");
    let (store, _) = Store::open(&file_for(Path::new(data), root.id()), root.id()).expect("the index opens");
    let bounds = Bounds { threads: 1, ..Bounds::default() };
    match mode.as_str() {
        "sync" => {
            let report = sync::run(&root, &store, &bounds, &SyncOptions::default(), &Cancel::default(), &mut |_| {}).expect("it can be indexed");
            assert!(report.complete && report.indexed > 0, "{report:?}");
        }
        "answers" => {
            let budget = Budget { max_results: 8, max_tokens: 6_000, cost: &|snippet| quote::message(snippet, None).tokens, may_have: &|_| true };
            for request in std::fs::read_to_string(requests).expect("the requests").lines() {
                let answer = retrieve::answer(&root, &store, &bounds, request, &budget, &[], &Cancel::default()).expect("an answer");
                assert!(!answer.snippets.is_empty(), "{request}");
            }
        }
        _ => {}
    }
}
