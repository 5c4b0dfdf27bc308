//! What the machine itself takes for a project's files, as JSON: the limits beside which `npm run bench:speed` shows the engine.
//!
//! `cargo run --release --example speed_limits -- <project> <threads>` prints milliseconds, each the median of five runs:
//! `stat` (list and stat the tree), `read` (read the admitted names), `hash` (read and SHA-256), `parse` (a bare tree-sitter parse of
//! the files with a grammar here, one reused parser per thread, files already in memory).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use pi_context_engine::cancel::Cancel;
use pi_context_engine::limits::Bounds;
use pi_context_engine::root::{Root, Trust, TrustSource};
use pi_context_engine::{discover, hash::Hash};

#[path = "grammars/mod.rs"]
mod grammars;

fn median_ms(mut run: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..5)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[2]
}

fn walk(directory: &Path) -> usize {
    let mut seen = 0;
    let mut open = vec![directory.to_path_buf()];
    while let Some(next) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&next) else { continue };
        for entry in entries.flatten() {
            let Ok(facts) = entry.path().symlink_metadata() else { continue };
            if facts.is_dir() && entry.file_name() != ".git" {
                open.push(entry.path());
            }
            seen += 1;
        }
    }
    seen
}

/// Hands the items to `threads` threads, each with a state of its own.
fn on_threads<T: Sync, S>(items: &[T], threads: usize, state: impl Fn() -> S + Sync, work: impl Fn(&mut S, &T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut own = state();
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(&mut own, item);
                }
            });
        }
    });
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let project = PathBuf::from(arguments.next().expect("usage: speed_limits <project> <threads>"));
    let threads: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1);
    let bounds = Bounds { max_files: 1_000_000, max_total_bytes: u64::MAX, max_directories: 1_000_000, ..Bounds::default() };
    let root = Root::open(&project, Trust::granted(TrustSource::CommandLine)).expect("the project opens");
    let listing =
        discover::list(&root, &bounds, discover::Asked::default(), &Cancel::default()).expect("the project can be listed").expect("there is no deadline");
    let files: Vec<PathBuf> = listing.entries.iter().map(|entry| root.path().join(entry.path.to_os())).collect();
    let contents: Vec<(PathBuf, Vec<u8>)> = files.iter().filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?))).collect();
    let sources: Vec<(tree_sitter::Language, &[u8])> = contents.iter().filter_map(|(path, bytes)| Some((grammars::of(path)?, bytes.as_slice()))).collect();

    let stat = median_ms(|| {
        walk(root.path());
    });
    let read = median_ms(|| {
        on_threads(
            &files,
            threads,
            || (),
            |(), path| {
                std::hint::black_box(std::fs::read(path).ok());
            },
        );
    });
    let hash = median_ms(|| {
        on_threads(
            &files,
            threads,
            || (),
            |(), path| {
                std::hint::black_box(std::fs::read(path).ok().map(|bytes| Hash::of(&bytes)));
            },
        );
    });
    let parse = median_ms(|| {
        on_threads(&sources, threads, tree_sitter::Parser::new, |parser, (language, bytes)| {
            parser.set_language(language).expect("the grammar loads");
            std::hint::black_box(parser.parse(bytes, None));
        });
    });
    let report = serde_json::json!({
        "files": files.len(),
        "bytes": contents.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(),
        "parsedBytes": sources.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(),
        "stat": stat, "read": read, "hash": hash, "parse": parse,
    });
    #[allow(clippy::print_stdout)]
    {
        println!("{report}");
    }
}
