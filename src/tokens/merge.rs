//! Byte-pair merging of one piece of text by the ranks of the vocabulary.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::LazyLock;

use fst::Map;

/// The rank of each token's bytes. Only the pages that are looked at become memory.
static RANKS: LazyLock<Map<&[u8]>> =
    LazyLock::new(|| Map::new(include_bytes!(concat!(env!("OUT_DIR"), "/o200k.fst")).as_slice()).expect("the build script wrote a map"));

/// Two neighbours that are a token together, with the bytes of the piece that they are; ordered as they are merged: by rank, then from the left.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    start: u32,
    end: u32,
}

/// The end of what is no token of its own any more.
const NONE: u32 = u32::MAX;

/// Tokens of a piece of at least one byte and less than 4 GiB: the neighbours of lowest rank become one until none are a token together.
///
/// Pairs wait in a queue: a piece that goes on and on, such as a line of one letter, costs `n log n` and not the square.
pub(super) fn count(piece: &[u8]) -> usize {
    if piece.len() == 1 || RANKS.contains_key(piece) {
        return 1;
    }
    let length = piece.len() as u32;
    let pair = |start: u32, end: u32| RANKS.get(&piece[start as usize..end as usize]).map(|rank| Reverse(Pair { rank: rank as u32, start, end }));
    // Where the token that starts at a byte ends, and where the one that ends behind a byte starts; both are read at the borders of tokens only.
    let mut ends: Vec<u32> = (1..=length).collect();
    let mut starts: Vec<u32> = (0..length).collect();
    let mut pairs: BinaryHeap<_> = (2..=length).filter_map(|end| pair(end - 2, end)).collect();
    let mut tokens = piece.len();
    while let Some(Reverse(Pair { start, end, .. })) = pairs.pop() {
        let middle = ends[start as usize];
        // One of the two may be part of another token by now.
        if middle == NONE || middle == length || ends[middle as usize] != end {
            continue;
        }
        (ends[start as usize], ends[middle as usize], starts[end as usize - 1]) = (end, NONE, start);
        tokens -= 1;
        pairs.extend(start.checked_sub(1).and_then(|before| pair(starts[before as usize], end)));
        pairs.extend(ends.get(end as usize).and_then(|behind| pair(start, *behind)));
    }
    tokens
}
