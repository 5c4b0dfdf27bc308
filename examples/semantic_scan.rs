//! Prints how long the scan for one request takes, on one core: `cargo run --release --example semantic_scan -- [vectors] [dimensions]`.
//!
//! Beside it stand the bare read of as many bytes and the exact comparison with every vector in single precision.

use std::hint::black_box;
use std::time::Instant;

use pi_context_engine::hash::Hash;
use pi_context_engine::semantic::Matrix;
use pi_context_engine::semantic::vector::{Checked, check, similarity};
use pi_context_engine::store::ProfileState;

const RUNS: usize = 51;

/// A vector that is the same for the same number.
fn vector(number: u64, dimensions: usize) -> Vec<f32> {
    let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let values = (0..dimensions).map(|_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 40) as f32 / (1_u32 << 24) as f32 - 0.5
    });
    match check(values.collect(), dimensions) {
        Checked::Vector(vector) => vector,
        other => panic!("{other:?}"),
    }
}

/// The median and the least of some runs, in milliseconds.
fn timed(mut work: impl FnMut(usize)) -> (f64, f64) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|run| {
            let started = Instant::now();
            work(run);
            started.elapsed().as_secs_f64() * 1_000.0
        })
        .collect();
    times.sort_by(f64::total_cmp);
    (times[RUNS / 2], times[0])
}

#[allow(clippy::print_stdout)]
fn main() {
    let number = |at: usize, default: usize| std::env::args().nth(at).map_or(default, |given| given.parse().expect("a whole number"));
    let (count, dimensions) = (number(1, 100_000), number(2, 256));
    let all: Vec<Vec<f32>> = (0..count as u64).map(|at| vector(at + 1, dimensions)).collect();
    let mut matrix = Matrix::new(ProfileState { id: 1, generation: 0 }, dimensions);
    for (at, vector) in all.iter().enumerate() {
        matrix.push(at as i64, Hash::of(&at.to_le_bytes()), vector);
    }
    let bytes = vec![1_u8; count * dimensions];
    let queries: Vec<Vec<f32>> = (0..RUNS as u64).map(|at| vector(u64::MAX - at, dimensions)).collect();
    let (pool, most) = (80, 320);

    let read = timed(|_| {
        black_box(black_box(&bytes).iter().fold(0_u8, |sum, byte| sum.wrapping_add(*byte)));
    });
    let scan = timed(|run| {
        black_box(matrix.scan(&queries[run], most));
    });
    let exact = timed(|run| {
        black_box(all.iter().map(|vector| similarity(vector, &queries[run])).fold(f64::MIN, f64::max));
    });
    let kept: usize = queries
        .iter()
        .map(|query| {
            let found: std::collections::HashSet<i64> = matrix.scan(query, most).into_iter().map(|(chunk, _)| chunk).collect();
            let mut order: Vec<(f64, i64)> = all.iter().zip(0..).map(|(vector, at)| (similarity(vector, query), at)).collect();
            order.sort_by(|a, b| b.0.total_cmp(&a.0));
            order[..pool].iter().filter(|(_, at)| found.contains(at)).count()
        })
        .sum();
    println!("{count} vectors of {dimensions} dimensions, one thread, {RUNS} requests; milliseconds, median and least");
    println!("read as many bytes   {:7.2} {:7.2}", read.0, read.1);
    println!("scan, best {most}       {:7.2} {:7.2}", scan.0, scan.1);
    println!("exact, every vector  {:7.2} {:7.2}", exact.0, exact.1);
    println!("of the closest {pool}, the scan keeps {:.2} %", kept as f64 * 100.0 / (pool * RUNS) as f64);
}
