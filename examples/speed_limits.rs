//! What the machine itself takes for a project's files, as JSON: the limits beside which `npm run bench:speed` shows the engine.
//!
//! `cargo run --release --example speed_limits -- <project> <threads> [runs]` prints milliseconds, each the median of five runs or as many as said:
//! `stat` (list and stat the tree), `read` (read the admitted names), `hash` (read and SHA-256), `parse` (a bare tree-sitter parse of
//! the files with a grammar here, one reused parser per thread, files already in memory).

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use pi_context_engine::cancel::Cancel;
use pi_context_engine::limits::Bounds;
use pi_context_engine::root::{Root, Trust, TrustSource};
use pi_context_engine::{discover, hash::Hash};

#[path = "grammars/mod.rs"]
mod grammars;

/// The median milliseconds by the clock, and of the processors, which `work` tells.
fn median_ms(runs: usize, mut work: impl FnMut() -> Duration) -> (f64, f64) {
    let (mut walls, mut cpus): (Vec<f64>, Vec<f64>) = (0..runs)
        .map(|_| {
            let start = Instant::now();
            let cpu = work();
            (start.elapsed().as_secs_f64() * 1_000.0, cpu.as_secs_f64() * 1_000.0)
        })
        .unzip();
    walls.sort_by(f64::total_cmp);
    cpus.sort_by(f64::total_cmp);
    (walls[runs / 2], cpus[runs / 2])
}

/// What this thread has used of the processors; nothing where the system does not tell.
fn cpu_of_thread() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    told.and_then(|text| text.split(' ').next()?.parse().ok()).map_or(Duration::ZERO, Duration::from_nanos)
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

/// Hands the items to `threads` threads, each with a state of its own; what they used of the processors.
fn on_threads<T: Sync, S>(items: &[T], threads: usize, state: impl Fn() -> S + Sync, work: impl Fn(&mut S, &T) + Sync) -> Duration {
    let next = AtomicUsize::new(0);
    let one = || {
        let mut own = state();
        while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(&mut own, item);
        }
        cpu_of_thread()
    };
    std::thread::scope(|scope| {
        let started: Vec<_> = (0..threads).map(|_| scope.spawn(one)).collect();
        started.into_iter().map(|thread| thread.join().expect("no thread panics")).sum()
    })
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let project = PathBuf::from(arguments.next().expect("usage: speed_limits <project> <threads>"));
    let threads: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(1);
    let runs: usize = arguments.next().and_then(|count| count.parse().ok()).unwrap_or(5);
    let bounds = Bounds { max_files: 1_000_000, max_total_bytes: u64::MAX, max_directories: 1_000_000, ..Bounds::default() };
    let root = Root::open(&project, Trust::granted(TrustSource::CommandLine)).expect("the project opens");
    let listing =
        discover::list(&root, &bounds, discover::Asked::default(), &Cancel::default()).expect("the project can be listed").expect("there is no deadline");
    let files: Vec<PathBuf> = listing.entries.iter().map(|entry| root.path().join(entry.path.to_os())).collect();
    let contents: Vec<(PathBuf, Vec<u8>)> = files.iter().filter_map(|path| Some((path.clone(), std::fs::read(path).ok()?))).collect();
    let sources: Vec<(tree_sitter::Language, &[u8])> = contents.iter().filter_map(|(path, bytes)| Some((grammars::of(path)?, bytes.as_slice()))).collect();

    let (stat, _) = median_ms(runs, || {
        walk(root.path());
        Duration::ZERO
    });
    let (read, _) = median_ms(runs, || {
        on_threads(
            &files,
            threads,
            || (),
            |(), path| {
                std::hint::black_box(std::fs::read(path).ok());
            },
        )
    });
    let (hash, hash_cpu) = median_ms(runs, || {
        on_threads(
            &files,
            threads,
            || (),
            |(), path| {
                std::hint::black_box(std::fs::read(path).ok().map(|bytes| Hash::of(&bytes)));
            },
        )
    });
    let (parse, parse_cpu) = median_ms(runs, || {
        on_threads(&sources, threads, tree_sitter::Parser::new, |parser, (language, bytes)| {
            parser.set_language(language).expect("the grammar loads");
            std::hint::black_box(parser.parse(bytes, None));
        })
    });
    let report = serde_json::json!({
        "files": files.len(),
        "bytes": contents.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(),
        "parsedBytes": sources.iter().map(|(_, bytes)| bytes.len()).sum::<usize>(),
        "stat": stat, "read": read, "hash": hash, "hashCpu": hash_cpu, "parse": parse, "parseCpu": parse_cpu,
    });
    #[allow(clippy::print_stdout)]
    {
        println!("{report}");
    }
}
