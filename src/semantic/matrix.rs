//! All vectors of a profile in eight bits, for the scan of one request.

use super::{Refusal, Semantic, lock, of_store, source, vector};
use crate::cancel::Cancel;
use crate::hash::Hash;
use crate::store::{ChunkId, ProfileState, Reader};
use std::sync::Arc;

/// Rows of a matrix between two looks at the clock.
const ROWS_PER_LOOK: usize = 1_000;

/// The vectors of a profile, one row for each chunk. Rows of chunks that are gone since are found out when they are looked up.
#[derive(Debug)]
pub struct Matrix {
    profile: ProfileState,
    dimensions: usize,
    rows: Vec<(ChunkId, Hash)>,
    scales: Vec<f32>,
    cells: Vec<i8>,
    /// What stands in the index and is no vector of this profile.
    corrupt: Vec<Hash>,
}

impl Matrix {
    /// An empty matrix.
    pub fn new(profile: ProfileState, dimensions: usize) -> Matrix {
        Matrix { profile, dimensions, rows: Vec::new(), scales: Vec::new(), cells: Vec::new(), corrupt: Vec::new() }
    }

    /// Adds a chunk with its vector, which has length 1.
    pub fn push(&mut self, chunk: ChunkId, hash: Hash, vector: &[f32]) {
        let start = self.cells.len();
        self.cells.resize(start + self.dimensions, 0);
        self.scales.push(vector::quantise(vector, &mut self.cells[start..]));
        self.rows.push((chunk, hash));
    }

    /// Chunks in it.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it holds none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What stands in the index and is no vector.
    pub fn corrupt(&self) -> &[Hash] {
        &self.corrupt
    }

    pub(super) fn profile(&self) -> ProfileState {
        self.profile
    }

    /// The `most` chunks whose quantised vectors are closest, in no order but always the same.
    pub fn scan(&self, query: &[f32], most: usize) -> Vec<(ChunkId, Hash)> {
        let mut wanted = vec![0; self.dimensions];
        vector::quantise(query, &mut wanted);
        let mut scores: Vec<(f32, u32)> = self
            .cells
            .chunks_exact(self.dimensions)
            .zip(&self.scales)
            .zip(0_u32..)
            .map(|((row, scale), at)| (vector::dot(row, &wanted) as f32 * scale, at))
            .collect();
        if scores.len() > most && most > 0 {
            scores.select_nth_unstable_by(most - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        }
        scores.truncate(most);
        scores.into_iter().map(|(_, at)| self.rows[at as usize]).collect()
    }
}

impl Semantic {
    /// The matrix of the present vectors, read anew where they have changed.
    pub(super) fn matrix(&self, reader: &Reader<'_>, cancel: &Cancel) -> Result<Arc<Matrix>, Refusal> {
        let Some(profile) = reader.profile(&self.name()?).map_err(|error| of_store(&error))? else {
            return Err(Refusal::new("no-vectors", "nothing of the project has a vector of this profile yet"));
        };
        let mut held = lock(&self.matrix);
        if let Some(matrix) = held.as_ref().filter(|matrix| matrix.profile == profile) {
            return Ok(Arc::clone(matrix));
        }
        let mut matrix = Matrix::new(profile, self.profile.dimensions);
        let mut buffer = vec![0.0; self.profile.dimensions];
        let (mut seen, mut stopped) = (0_usize, false);
        let read = reader.each_vector(profile.id, source::FORM, &self.classes(), self.bounds.max_sources, &mut |chunk, hash, stored| {
            seen += 1;
            if seen.is_multiple_of(ROWS_PER_LOOK) && cancel.should_stop() {
                stopped = true;
                return false;
            }
            if vector::decode(stored, &mut buffer) {
                matrix.push(chunk, hash, &buffer);
            } else if !stored.is_empty() {
                matrix.corrupt.push(hash);
            }
            true
        });
        read.map_err(|error| of_store(&error))?;
        if stopped {
            return Err(Refusal::new("time-out", "the vectors were not read in time"));
        }
        let matrix = Arc::new(matrix);
        *held = Some(Arc::clone(&matrix));
        Ok(matrix)
    }
}
