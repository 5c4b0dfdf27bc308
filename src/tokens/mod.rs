//! How many tokens of a model a text costs.

mod merge;
mod split;

use std::cell::RefCell;

use crate::limits;

/// Slots of a thread's cache, a power of two: source code and messages repeat few pieces very often.
const SLOTS: usize = 4_096;
/// Bytes of the longest piece that is remembered.
const SLOT_BYTES: usize = 22;

/// A piece of text and its tokens; empty at first. A colliding piece takes the slot over, so no input can make the cache slow or large.
#[derive(Clone, Copy)]
struct Slot {
    piece: [u8; SLOT_BYTES],
    length: u8,
    tokens: u8,
}

thread_local! {
    static SLOTS_OF_THREAD: RefCell<Vec<Slot>> = RefCell::new(vec![Slot { piece: [0; SLOT_BYTES], length: 0, tokens: 0 }; SLOTS]);
}

/// Tokens of `text` in the o200k vocabulary.
pub fn count(text: &str) -> usize {
    SLOTS_OF_THREAD.with_borrow_mut(|slots| split::split(text).map(|piece| count_piece(slots, piece.as_bytes())).sum())
}

fn count_piece(slots: &mut [Slot], piece: &[u8]) -> usize {
    if piece.len() > SLOT_BYTES {
        return merge::count(piece);
    }
    let hash = piece.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let slot = &mut slots[((hash >> 32) ^ hash) as usize % SLOTS];
    if slot.piece[..usize::from(slot.length)] != *piece {
        slot.piece[..piece.len()].copy_from_slice(piece);
        slot.length = piece.len() as u8;
        // A token is of at least one byte.
        slot.tokens = merge::count(piece) as u8;
    }
    usize::from(slot.tokens)
}

/// One request's input in tokens: as [`count`] estimates it, and as its model counted it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    pub estimated: f64,
    pub actual: f64,
}

/// A model's tokens per estimated token: the median of its newest [`limits::CALIBRATION_SAMPLES`] samples (oldest first), kept within
/// [`limits::CALIBRATION`]; 1 for fewer than [`limits::LEAST_CALIBRATION_SAMPLES`]. A sample without tokens is none.
pub fn calibration(samples: &[Sample]) -> f64 {
    let ratio = |sample: &Sample| (sample.estimated > 0.0 && sample.actual > 0.0).then(|| sample.actual / sample.estimated).filter(|ratio| ratio.is_finite());
    let mut ratios: Vec<f64> = samples.iter().rev().filter_map(ratio).take(limits::CALIBRATION_SAMPLES).collect();
    if ratios.len() < limits::LEAST_CALIBRATION_SAMPLES {
        return 1.0;
    }
    ratios.sort_by(f64::total_cmp);
    let middle = ratios.len() / 2;
    let median = if ratios.len() % 2 == 1 { ratios[middle] } else { f64::midpoint(ratios[middle - 1], ratios[middle]) };
    median.clamp(*limits::CALIBRATION.start(), *limits::CALIBRATION.end())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(ratios: &[f64]) -> Vec<Sample> {
        ratios.iter().map(|ratio| Sample { estimated: 1_000.0, actual: 1_000.0 * ratio }).collect()
    }

    #[test]
    fn the_calibration_is_the_median_of_the_newest_samples_within_its_bounds() {
        assert_eq!(calibration(&samples(&[1.5, 1.5])), 1.0);
        assert_eq!(calibration(&samples(&[1.5, 1.1, 9.0])), 1.5);
        assert_eq!(calibration(&samples(&[1.0, 1.5, 1.25, 9.0])), 1.375);
        assert_eq!((calibration(&samples(&[9.0; 3])), calibration(&samples(&[0.1; 3]))), (2.0, 0.5));
        let aged = [samples(&[2.0; 30]), samples(&[1.25; 24])].concat();
        assert_eq!(calibration(&aged), 1.25);
        let none = [Sample { estimated: 0.0, actual: 5.0 }, Sample { estimated: 5.0, actual: 0.0 }, Sample { estimated: f64::NAN, actual: 1.0 }];
        assert_eq!(calibration(&[samples(&[1.5, 1.5]), none.to_vec()].concat()), 1.0);
    }

    #[test]
    fn counts_are_those_of_the_published_vocabulary() {
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("antidisestablishmentarianism"), 6);
        assert_eq!(count("数据库"), 1);
    }

    fn assert_same_pieces(text: &str) {
        assert_eq!(split::split(text).collect::<Vec<_>>(), bpe_openai::o200k_base().split(text).collect::<Vec<_>>(), "pieces of {text:?}");
    }

    fn assert_same(text: &str) {
        assert_same_pieces(text);
        let whole = bpe_openai::o200k_base().count(text);
        assert_eq!((count(text), count(text)), (whole, whole), "tokens of {text:?}");
    }

    #[test]
    fn every_character_splits_as_another_implementation_has_it() {
        // What lies between and behind is not assigned, or private.
        let characters: Vec<char> = ('\0'..'\u{40000}').chain('\u{e0000}'..'\u{e1000}').collect();
        // No two kinds of characters split all three of these alike.
        for (before, behind) in [("a", "A"), ("A", "Aa"), ("!!", "1")] {
            for some in characters.chunks(64) {
                assert_same_pieces(&some.iter().flat_map(|character| [before.to_owned(), character.to_string(), behind.to_owned()]).collect::<String>());
            }
        }
    }

    #[test]
    fn every_token_of_the_vocabulary_counts_as_one() {
        let bpe = &bpe_openai::o200k_base().bpe;
        for rank in 0..bpe.num_tokens() as u32 {
            assert_eq!(merge::count(bpe.token_bytes(rank)), 1, "rank {rank}");
        }
    }

    #[test]
    fn long_pieces_count_exactly_and_in_time() {
        for piece in ["a", "A", "ab", " ", "\n", "=", "aB", "é", "数", "\u{301}", "a\u{301}", "ªA"] {
            assert_same(&piece.repeat(100_000));
        }
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_counts_as_another_implementation_has_it(
            text in "([a-c]{0,3}[ .\n_A-C0-9é\u{4e00}-\u{4e10}]{0,2}){0,60}|\\PC{0,200}|[ \t\r\n/'a!A1\u{301}\u{a0}\u{2028}ſªDSTRLVMdstrlvme]{0,60}|(\\p{L}|\\p{M}|\\p{N}|\\s|\\p{P}){0,60}"
        ) {
            assert_same(&text);
        }

        #[test]
        fn any_bytes_merge_as_another_implementation_has_it(piece in proptest::collection::vec(proptest::prelude::any::<u8>(), 1..100)) {
            proptest::prop_assert_eq!(merge::count(&piece), bpe_openai::o200k_base().bpe.count(&piece));
        }
    }
}
