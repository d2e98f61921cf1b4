//! Vectors without a model: words and their parts, counted by their hashes. They tell how alike two texts are written and
//! nothing about their meaning.

use super::hash::{hash, mixed};
use super::words::search_words;

/// The numbers of a vector.
pub const HASHED_DIMENSION: usize = 256;

/// The vector of a text, of length 1. A text without words is the zero vector.
pub fn hashed_vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0f32; HASHED_DIMENSION];
    for word in search_words(text) {
        add(&mut vector, word.as_bytes(), 1.0);
        let framed: Vec<char> =
            std::iter::once('<').chain(word.chars()).chain(std::iter::once('>')).collect();
        for length in 3..=4 {
            for part in framed.windows(length) {
                let part: String = part.iter().collect();
                add(&mut vector, part.as_bytes(), 0.5);
            }
        }
    }
    normalise(&mut vector);
    vector
}

/// Adds a part at the place that its hash names, up or down as another bit of the hash says, so that parts that share a place
/// cancel out on average.
fn add(vector: &mut [f32], part: &[u8], weight: f32) {
    let hash = mixed(hash(part));
    let place = usize::try_from(hash >> 33).unwrap_or_default() % vector.len();
    vector[place] += if hash & 1 == 0 { weight } else { -weight };
}

/// Makes a vector have the length 1, unless it is zero.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}

/// The mean of vectors, of length 1. None without vectors.
pub fn mean_vector<'v>(vectors: impl IntoIterator<Item = &'v Vec<f32>>) -> Option<Vec<f32>> {
    let mut vectors = vectors.into_iter();
    let mut mean = vectors.next()?.clone();
    for vector in vectors {
        for (sum, number) in mean.iter_mut().zip(vector) {
            *sum += number;
        }
    }
    normalise(&mut mean);
    Some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(one: &str, other: &str) -> f32 {
        let (one, other) = (hashed_vector(one), hashed_vector(other));
        one.iter().zip(&other).map(|(one, other)| one * other).sum()
    }

    #[test]
    fn texts_that_are_written_alike_are_near() {
        assert!((alike("otitis externa", "OTITIS EXTERNA") - 1.0).abs() < 1e-5);
        assert!(
            alike("vacunación completa", "vacunas completas")
                > alike("vacunación completa", "factura de luz") + 0.2
        );
        assert!(
            alike("perro que ladra", "factura de la luz") < 0.3,
            "parts of words fall together by chance alone"
        );
        assert!(hashed_vector(" - ").iter().all(|number| *number == 0.0));
        assert_eq!(mean_vector([]), None);
    }
}
