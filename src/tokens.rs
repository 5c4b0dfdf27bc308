//! How many tokens of a model a text costs.

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
///
/// The first call in a process loads the vocabulary, which takes some tens of milliseconds: call it off the JavaScript thread.
pub fn count(text: &str) -> usize {
    let tokenizer = bpe_openai::o200k_base();
    SLOTS_OF_THREAD.with_borrow_mut(|slots| tokenizer.split(text).map(|piece| count_piece(tokenizer, slots, piece.as_bytes())).sum())
}

fn count_piece(tokenizer: &bpe_openai::Tokenizer, slots: &mut [Slot], piece: &[u8]) -> usize {
    if piece.len() > SLOT_BYTES {
        return tokenizer.bpe.count(piece);
    }
    let hash = piece.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let slot = &mut slots[((hash >> 32) ^ hash) as usize % SLOTS];
    if slot.piece[..usize::from(slot.length)] != *piece {
        slot.piece[..piece.len()].copy_from_slice(piece);
        slot.length = piece.len() as u8;
        // A token is of at least one byte.
        slot.tokens = tokenizer.bpe.count(piece) as u8;
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

    proptest::proptest! {
        #[test]
        fn remembered_pieces_count_the_same(text in "([a-c]{0,3}[ .\n_A-C0-9é\u{4e00}-\u{4e10}]{0,2}){0,60}|\\PC{0,200}") {
            let whole = bpe_openai::o200k_base().count(text.as_str());
            proptest::prop_assert_eq!((count(&text), count(&text)), (whole, whole));
        }
    }
}
