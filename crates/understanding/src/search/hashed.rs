//! Vectors without a model: words and their parts, counted by their hashes. They tell how alike two texts are written and
//! nothing about their meaning.

use super::hash::{hash, mixed};
use super::words::for_each_word;

/// The numbers of a vector.
pub const HASHED_DIMENSION: usize = 256;

/// The vector of a text, of length 1. A text without words is the zero vector.
pub fn hashed_vector(text: &str) -> Vec<f32> {
    let mut vector = vec![0.0f32; HASHED_DIMENSION];
    // Filled again for each word: a text has thousands of parts, and a copy of each took longer than its hash.
    let (mut framed, mut starts) = (String::new(), Vec::new());
    for_each_word(text, |word, _| {
        add(&mut vector, word.as_bytes(), 1.0);
        framed.clear();
        framed.extend(["<", word, ">"]);
        starts.clear();
        starts.extend(framed.char_indices().map(|(start, _)| start));
        starts.push(framed.len());
        for length in 3..=4 {
            for places in starts.windows(length + 1) {
                add(&mut vector, &framed.as_bytes()[places[0]..places[length]], 0.5);
            }
        }
    });
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

    /// Vectors are stored, so a text must always have the same one.
    #[test]
    fn a_vector_counts_each_word_and_its_parts_of_three_and_four_letters() {
        for word in ["a", "no", "otitis", "мир", "東", "नमस्ते"] {
            let letters: Vec<char> = format!("<{word}>").chars().collect();
            let mut expected = vec![0.0f32; HASHED_DIMENSION];
            add(&mut expected, word.as_bytes(), 1.0);
            for part in letters.windows(3).chain(letters.windows(4)) {
                add(&mut expected, part.iter().collect::<String>().as_bytes(), 0.5);
            }
            normalise(&mut expected);
            assert_eq!(hashed_vector(word), expected, "{word}");
        }
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
