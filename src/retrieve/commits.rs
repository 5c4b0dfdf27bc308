//! What past commits say for a file: those whose message is like the request, and the words of all that touched it.

use std::collections::BTreeMap;

use super::recall::{Found, inverse_frequency};
use super::weights::{Weights, bounds};
use crate::error::Result;
use crate::store::{FileId, Reader};
use crate::task::TaskDescriptor;

/// How much less a commit's vote counts for each similar one before it.
const RANK_DECAY: f64 = 0.1;

/// What similar commits say for a file.
pub(super) struct Vote {
    pub(super) file: FileId,
    /// Of what they say for the file of which they say most.
    pub(super) share: f64,
    /// The commit that says most.
    pub(super) hash: String,
}

/// The words of a request that past commits said, worthiest first; the project's files need not hold them.
pub(super) struct Said {
    words: Vec<String>,
    worth: Vec<f64>,
}

impl Said {
    pub(super) fn of(reader: &Reader<'_>, task: &TaskDescriptor) -> Result<Said> {
        let asked = &task.keywords[..task.keywords.len().min(bounds::SCAN_TERMS)];
        let frequencies = reader.commit_frequencies(asked.iter().map(|keyword| keyword.term.as_str()))?;
        let held = asked.iter().zip(&frequencies.holding).filter(|(_, holding)| **holding > 0.0);
        let worth = held.map(|(keyword, holding)| (keyword.weight * inverse_frequency(frequencies.commits, *holding), keyword.term.clone()));
        let mut worth: Vec<(f64, String)> = worth.collect();
        worth.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        worth.truncate(bounds::COMMIT_TERMS);
        let (worth, words) = worth.into_iter().unzip();
        Ok(Said { words, worth })
    }

    /// The votes of commits with a similar message, most votes first; one that touched many files says less of each.
    pub(super) fn votes(&self, reader: &Reader<'_>, looked_at: &mut u64) -> Result<Vec<Vote>> {
        let mut files: BTreeMap<FileId, (f64, f64, String)> = BTreeMap::new();
        for vote in reader.match_commits(&self.words, bounds::COMMITS)? {
            *looked_at += 1;
            let share = vote.score / f64::from(vote.touched.max(1)).sqrt() / (1.0 + RANK_DECAY * vote.rank as f64);
            let (sum, most, hash) = files.entry(vote.file).or_default();
            *sum += share;
            if share > *most {
                (*most, *hash) = (share, vote.hash);
            }
        }
        let greatest = files.values().map(|(sum, ..)| *sum).fold(f64::MIN_POSITIVE, f64::max);
        let mut votes: Vec<Vote> = files.into_iter().map(|(file, (sum, _, hash))| Vote { file, share: sum / greatest, hash }).collect();
        votes.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.file.cmp(&b.file)));
        Ok(votes)
    }

    /// Gives each file what the messages about it hold of the request: BM25, as a share of the most that could be.
    pub(super) fn judge(&self, reader: &Reader<'_>, weights: &Weights, files: &mut [Found]) -> Result<()> {
        if self.words.is_empty() {
            return Ok(());
        }
        let most = self.worth.iter().sum::<f64>() * (weights.k1 + 1.0);
        for found in files {
            let Some(words) = reader.commit_words(&found.row.path, &self.words)? else { continue };
            let norm = weights.k1 * (1.0 - weights.length_norm + weights.length_norm * words.length / weights.typical_messages);
            let share = |(count, worth): (&f64, &f64)| worth * count * (weights.k1 + 1.0) / (count + norm);
            found.commit_words = words.counts.iter().zip(&self.worth).map(share).sum::<f64>() / most;
        }
        Ok(())
    }
}
