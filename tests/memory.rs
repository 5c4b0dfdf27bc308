//! What a process gives back. A test binary of its own: other tests would take memory meanwhile.

#![cfg(all(target_os = "linux", target_env = "gnu"))]

use pi_context_engine::memory;

/// Bytes of memory that the process has.
fn resident() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() * 1_024
}

#[test]
fn memory_that_another_thread_freed_goes_back_to_the_operating_system() {
    const BLOCKS: usize = 32_768;
    const MOST: u64 = 8 << 20;
    const LEAST: u64 = 48 << 20;
    // Of a size that the C library takes from its own store, and not from the operating system one by one.
    let blocks: Vec<Vec<u8>> = std::thread::spawn(|| (0..BLOCKS).map(|_| vec![1; 2_000]).collect()).join().unwrap();
    let filled = resident();
    // The last one stands behind all that is freed.
    let kept = blocks.into_iter().next_back();
    let held = resident();
    assert!(held + MOST > filled, "the C library gave back by itself: {filled} bytes became {held}");
    memory::give_back();
    let left = resident();
    assert!(left + LEAST < held, "{held} bytes became {left}");
    drop(kept);
}
