//! English stems, remembered per thread.

use std::cell::RefCell;
use std::hash::BuildHasher as _;

use foldhash::fast::RandomState;
use rust_stemmers::{Algorithm, Stemmer};

/// Slots of a thread's cache, a power of two: source code repeats few words very often.
const SLOTS: usize = 8_192;
/// Bytes of the longest word that is remembered.
const SLOT_BYTES: usize = 24;
/// Bytes up to which a word is its own stem.
const SHORT: usize = 2;

/// A word and its stem; empty at first. A colliding word takes the slot over, so no input can make the cache slow or large.
#[derive(Clone, Copy)]
struct Slot {
    word: [u8; SLOT_BYTES],
    stem: [u8; SLOT_BYTES],
    word_len: u8,
    stem_len: u8,
}

/// The stemmer with its cache.
pub(super) struct Stems {
    stemmer: Stemmer,
    hasher: RandomState,
    slots: Vec<Slot>,
}

thread_local! {
    static STEMS: RefCell<Stems> = RefCell::new(Stems {
        stemmer: Stemmer::create(Algorithm::English),
        hasher: RandomState::default(),
        slots: vec![Slot { word: [0; SLOT_BYTES], stem: [0; SLOT_BYTES], word_len: 0, stem_len: 0 }; SLOTS],
    });
}

/// Runs `work` with this thread's stemmer.
pub(super) fn with<T>(work: impl FnOnce(&mut Stems) -> T) -> T {
    STEMS.with_borrow_mut(work)
}

/// The English stem of a folded word; words with anything but ASCII lower-case letters, and the shortest, are their own.
pub fn stem(word: &str) -> String {
    let mut out = word.to_owned();
    with(|stems| stems.stem_from(&mut out, 0));
    out
}

impl Stems {
    /// Replaces the word that `out` holds from `start` on by its stem.
    pub(super) fn stem_from(&mut self, out: &mut String, start: usize) {
        let word = &out.as_bytes()[start..];
        if word.len() <= SHORT || !word.iter().all(u8::is_ascii_lowercase) {
            return;
        }
        if word.len() > SLOT_BYTES {
            let stem = self.stemmer.stem(&out[start..]).into_owned();
            out.truncate(start);
            out.push_str(&stem);
            return;
        }
        let slot = &mut self.slots[self.hasher.hash_one(word) as usize % SLOTS];
        if slot.word[..slot.word_len as usize] != *word {
            let stem = self.stemmer.stem(&out[start..]);
            if stem.len() > SLOT_BYTES {
                return;
            }
            slot.word[..word.len()].copy_from_slice(word);
            slot.word_len = word.len() as u8;
            slot.stem[..stem.len()].copy_from_slice(stem.as_bytes());
            slot.stem_len = stem.len() as u8;
        }
        let stem = &slot.stem[..slot.stem_len as usize];
        let same = word.iter().zip(stem).take_while(|(a, b)| a == b).count();
        out.truncate(start + same);
        out.extend(stem[same..].iter().map(|&byte| char::from(byte)));
    }
}
