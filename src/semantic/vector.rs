//! A vector: checked, of length 1, stored in half precision, and in eight bits for a quick scan.

use half::f16;
use half::slice::HalfFloatSliceExt as _;

/// What a vector from outside turned out to be.
#[derive(Debug, Clone, PartialEq)]
pub enum Checked {
    /// Of length 1.
    Vector(Vec<f32>),
    /// All zero: the text says nothing to the model.
    Zero,
    /// Not of the profile's dimensions, or not all of its numbers are finite.
    Corrupt(&'static str),
}

/// Looks at a vector from outside, and brings it to length 1.
pub fn check(mut vector: Vec<f32>, dimensions: usize) -> Checked {
    if vector.len() != dimensions {
        return Checked::Corrupt("dimensions");
    }
    // Scaled first: the squares of very large numbers are no numbers.
    let most = vector.iter().fold(0.0_f32, |most, value| if value.is_finite() { most.max(value.abs()) } else { f32::NAN });
    if most.is_nan() || vector.iter().any(|value| !value.is_finite()) {
        return Checked::Corrupt("not-finite");
    }
    if most == 0.0 {
        return Checked::Zero;
    }
    vector.iter_mut().for_each(|value| *value /= most);
    let length = length(&vector);
    vector.iter_mut().for_each(|value| *value /= length);
    Checked::Vector(vector)
}

fn length(vector: &[f32]) -> f32 {
    vector.iter().map(|value| value * value).sum::<f32>().sqrt()
}

/// A vector as it is stored.
pub fn encode(vector: &[f32]) -> Vec<u8> {
    vector.iter().flat_map(|value| f16::from_f32(*value).to_le_bytes()).collect()
}

/// How far the length of a stored vector may be from 1: half precision keeps eleven bits of each number.
const TOLERANCE: f32 = 0.01;

/// Reads a stored vector; false if it is not one that [`encode`] made of a vector of this length.
pub fn decode(stored: &[u8], into: &mut [f32]) -> bool {
    let (pairs, rest) = stored.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() != into.len() {
        return false;
    }
    let mut halves = [f16::ZERO; 512];
    for (pairs, into) in pairs.chunks(halves.len()).zip(into.chunks_mut(512)) {
        let halves = &mut halves[..pairs.len()];
        for (half, pair) in halves.iter_mut().zip(pairs) {
            *half = f16::from_le_bytes(*pair);
        }
        halves.convert_to_f32_slice(into);
    }
    // Damage shows in the length, which is 1 for each; NaN fails the comparison.
    (length(into) - 1.0).abs() <= TOLERANCE
}

/// A vector in eight bits: each number is its cell times the scale.
pub fn quantise(vector: &[f32], cells: &mut [i8]) -> f32 {
    let most = vector.iter().fold(f32::MIN_POSITIVE, |most, value| most.max(value.abs()));
    for (cell, value) in cells.iter_mut().zip(vector) {
        *cell = (value / most * 127.0).round() as i8;
    }
    most / 127.0
}

/// The dot product of two quantised vectors of the same length. Exact: 4,096 products of at most 127 squared fit.
pub fn dot(a: &[i8], b: &[i8]) -> i32 {
    a.iter().zip(b).map(|(a, b)| i32::from(i16::from(*a) * i16::from(*b))).sum()
}

/// The cosine of two vectors of length 1.
pub fn similarity(a: &[f32], b: &[f32]) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_vector_of_the_profile_is_told_apart() {
        assert_eq!(check(vec![3.0, 4.0], 2), Checked::Vector(vec![0.6, 0.8]));
        assert_eq!(check(vec![0.0, 0.0], 2), Checked::Zero);
        assert_eq!(check(vec![1.0], 2), Checked::Corrupt("dimensions"));
        assert_eq!(check(vec![1.0, f32::NAN], 2), Checked::Corrupt("not-finite"));
        assert_eq!(check(vec![f32::NAN, 1.0], 2), Checked::Corrupt("not-finite"));
        assert_eq!(check(vec![f32::NEG_INFINITY, 1.0], 2), Checked::Corrupt("not-finite"));
        let Checked::Vector(vector) = check(vec![f32::MAX, f32::MAX], 2) else { panic!() };
        assert!((length(&vector) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn damage_of_a_stored_vector_is_noticed() {
        let Checked::Vector(vector) = check((0..16).map(|at| at as f32 - 7.3).collect(), 16) else { panic!() };
        let stored = encode(&vector);
        let mut back = vec![0.0; 16];
        assert!(decode(&stored, &mut back));
        assert!(!decode(&stored[1..], &mut back));
        assert!(!decode(&stored[2..], &mut back));
        assert!(!decode(&[], &mut back));
        assert!(!decode(&[0xff; 32], &mut back));
        let mut flipped = stored.clone();
        flipped[31] ^= 0x40;
        assert!(!decode(&flipped, &mut back));
    }

    proptest! {
        #[test]
        fn a_vector_survives_storage_and_quantisation_closely(values in prop::collection::vec(-1e30_f32..1e30, 16..300), others in prop::collection::vec(-1.0_f32..1.0, 300)) {
            let dimensions = values.len();
            let (Checked::Vector(a), Checked::Vector(b)) = (check(values, dimensions), check(others[..dimensions].to_vec(), dimensions)) else { return Ok(()) };
            let mut back = vec![0.0; dimensions];
            prop_assert!(decode(&encode(&a), &mut back));
            prop_assert!(a.iter().zip(&back).all(|(a, b)| (a - b).abs() <= 0.001));
            let (mut cells_a, mut cells_b) = (vec![0; dimensions], vec![0; dimensions]);
            let (scale_a, scale_b) = (quantise(&a, &mut cells_a), quantise(&b, &mut cells_b));
            let coarse = f64::from(dot(&cells_a, &cells_b)) * f64::from(scale_a) * f64::from(scale_b);
            prop_assert!((coarse - similarity(&a, &b)).abs() < 0.1, "{coarse}");
        }

        #[test]
        fn any_bytes_are_a_vector_or_not(stored in prop::collection::vec(any::<u8>(), 0..80), dimensions in 16_usize..40) {
            let mut into = vec![0.0; dimensions];
            if decode(&stored, &mut into) {
                prop_assert!(into.iter().all(|value| value.is_finite()));
            }
        }
    }
}
