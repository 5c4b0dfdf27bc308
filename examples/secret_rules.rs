//! Prints how the secret rules do on the labelled set; with folders, what they find there, and how fast.
//!
//! `cargo run --release --no-default-features --example secret_rules [folder…]`

#![allow(clippy::print_stdout, reason = "a program that prints")]

#[allow(dead_code, reason = "a test uses more of it")]
#[path = "../tests/secrets/set.rs"]
mod set;
#[path = "../tests/secrets/table.rs"]
mod table;

use std::path::Path;
use std::time::{Duration, Instant};

use pi_context_engine::secrets::scan;

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    if folders.is_empty() {
        let score = table::Score::of(&set::cases());
        print!("{}", score.table());
        println!("Recall {:.3}, precision {:.3}.", score.recall(), score.precision());
        for wrong in &score.wrong {
            println!("{wrong}");
        }
    }
    for folder in folders {
        let mut seen = Seen::default();
        seen.folder(Path::new(&folder));
        let megabytes = seen.bytes as f64 / 1e6;
        println!("{folder}: {megabytes:.1} MB, {:.0} MB/s, {} files, {} with findings", megabytes / seen.time.as_secs_f64(), seen.files, seen.hit);
    }
}

#[derive(Default)]
struct Seen {
    bytes: u64,
    time: Duration,
    files: u64,
    hit: u64,
}

impl Seen {
    fn folder(&mut self, folder: &Path) {
        let Ok(entries) = std::fs::read_dir(folder) else { return };
        let mut entries: Vec<_> = entries.flatten().collect();
        entries.sort_by_key(std::fs::DirEntry::path);
        for entry in entries {
            let (path, kind) = (entry.path(), entry.file_type());
            if kind.as_ref().is_ok_and(std::fs::FileType::is_dir) {
                if entry.file_name() != ".git" {
                    self.folder(&path);
                }
            } else if kind.is_ok_and(|kind| kind.is_file())
                && let Ok(text) = std::fs::read_to_string(&path)
                && text.len() <= 512_000
            {
                self.file(&path, &text);
            }
        }
    }

    fn file(&mut self, path: &Path, text: &str) {
        // The best of three: other work on the machine is no work of the rules.
        let mut best = Duration::MAX;
        let mut findings = Vec::new();
        for _ in 0..3 {
            let started = Instant::now();
            findings = scan(text);
            best = best.min(started.elapsed());
        }
        self.time += best;
        self.bytes += text.len() as u64;
        self.files += 1;
        self.hit += u64::from(!findings.is_empty());
        for finding in findings {
            let line = text[..finding.range.start].matches('\n').count() + 1;
            println!("{}:{line} {} ({} bytes)", path.display(), finding.rule, finding.range.len());
        }
    }
}
