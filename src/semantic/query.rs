//! One request: its vector, and the chunks closest to it.

use std::collections::VecDeque;
use std::sync::Arc;

use super::vector::{self, Checked};
use super::{Refusal, Semantic, lock, of_store};
use crate::cancel::Cancel;
use crate::hash::Hash;
use crate::limits::{EMBEDDING_SHARE, RESCORED_PER_CANDIDATE};
use crate::store::{FileId, Reader};

/// The vectors of the last requests; the first one in is the first one out.
#[derive(Debug)]
pub(super) struct Cache {
    most: usize,
    vectors: VecDeque<(Hash, Arc<[f32]>)>,
}

impl Cache {
    pub(super) fn new(most: usize) -> Self {
        Cache { most, vectors: VecDeque::new() }
    }

    fn get(&self, key: &Hash) -> Option<Arc<[f32]>> {
        self.vectors.iter().find(|(known, _)| known == key).map(|(_, vector)| Arc::clone(vector))
    }

    fn put(&mut self, key: Hash, vector: Arc<[f32]>) {
        self.vectors.push_back((key, vector));
        while self.vectors.len() > self.most {
            self.vectors.pop_front();
        }
    }
}

/// The vector of a request.
#[derive(Debug, Clone)]
pub struct QueryVector {
    vector: Arc<[f32]>,
    /// Whether it was remembered.
    pub cached: bool,
}

/// A chunk that is close to a request.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    pub file: FileId,
    /// 1-based.
    pub start_line: u32,
    /// Inclusive.
    pub end_line: u32,
    /// The cosine, rounded to six digits.
    pub similarity: f64,
}

/// The chunks closest to a request.
#[derive(Debug, Clone, PartialEq)]
pub struct Nearest {
    /// Closest first.
    pub hits: Vec<Hit>,
    /// Chunks that have a vector.
    pub vectors: u64,
    /// Rows of the index that are no vector.
    pub corrupt: u64,
}

/// The least cosine of a hit.
const LEAST_SIMILARITY: f64 = 0.1;

impl Semantic {
    /// The vector of a request, remembered or made now; no reader may be held meanwhile, as the embedder may take its time.
    ///
    /// # Errors
    /// Why there is none.
    pub fn query_vector(&self, request: &str, cancel: &Cancel) -> Result<QueryVector, Refusal> {
        self.ready()?;
        let text = self.gated_request(request)?;
        let key = Hash::of(text.as_bytes());
        if let Some(vector) = lock(&self.cache).get(&key) {
            return Ok(QueryVector { vector, cached: true });
        }
        if cancel.left().is_some() && !self.embedder.is_ready() {
            return Err(Refusal::new("not-ready", "the model is still being read"));
        }
        let cancel = cancel.left().map_or_else(|| cancel.clone(), |left| cancel.within(left.mul_f64(EMBEDDING_SHARE)));
        match self.call(vec![text], &cancel)?.pop() {
            Some(Checked::Vector(vector)) => {
                let vector: Arc<[f32]> = vector.into();
                lock(&self.cache).put(key, Arc::clone(&vector));
                Ok(QueryVector { vector, cached: false })
            }
            Some(Checked::Corrupt(what)) => Err(Refusal::new("vector", format!("the vector of the request was refused: {what}"))),
            Some(Checked::Zero) | None => Err(Refusal::new("vector-zero", "the request says nothing to the model")),
        }
    }

    /// The chunks closest to a request: a scan of quantised vectors, of which the best are scored exactly.
    ///
    /// # Errors
    /// Why there are none.
    pub fn nearest(&self, reader: &Reader<'_>, query: &QueryVector, cancel: &Cancel) -> Result<Nearest, Refusal> {
        let matrix = self.matrix(reader, cancel)?;
        let pool = self.bounds.candidate_pool;
        let mut vector = vec![0.0; self.profile.dimensions];
        let mut hits: Vec<(Hit, Hash)> = Vec::new();
        for (chunk, hash) in matrix.scan(&query.vector, pool * RESCORED_PER_CANDIDATE) {
            if cancel.should_stop() {
                return Err(Refusal::new("time-out", "the closest chunks were not found in time"));
            }
            // A chunk's number may be given to another once its file was indexed anew.
            let Some(found) = reader.embedded_chunk(chunk).map_err(|error| of_store(&error))?.filter(|found| found.hash == hash) else { continue };
            let stored = reader.vector(matrix.profile().id, &hash).map_err(|error| of_store(&error))?;
            if !stored.is_some_and(|stored| vector::decode(&stored, &mut vector)) {
                continue;
            }
            let similarity = (vector::similarity(&query.vector, &vector) * 1e6).round() / 1e6;
            if similarity >= LEAST_SIMILARITY {
                hits.push((Hit { file: found.file, start_line: found.span.start_line, end_line: found.span.end_line, similarity }, hash));
            }
        }
        hits.sort_by(|(a, a_hash), (b, b_hash)| {
            let place = |hit: &Hit| (hit.file, hit.start_line);
            b.similarity.total_cmp(&a.similarity).then(a_hash.as_bytes().cmp(b_hash.as_bytes())).then(place(a).cmp(&place(b)))
        });
        hits.truncate(pool);
        Ok(Nearest { hits: hits.into_iter().map(|(hit, _)| hit).collect(), vectors: matrix.len() as u64, corrupt: matrix.corrupt().len() as u64 })
    }
}
