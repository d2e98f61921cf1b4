//! Signatures of texts (`MinHash`): a few numbers from which the share of text that two documents have in common can be estimated.
//!
//! The text is taken as the set of its sequences of three words. Each sequence has a hash, which puts it into one of
//! [`SIGNATURE_LENGTH`] bins, and the signature is the least hash of each bin. Two sets have the same number in a bin as often as
//! they share elements. An empty bin takes the number of another one, so that short texts can be compared too.

use super::hash::{hash, mixed};

/// The numbers of a signature.
pub const SIGNATURE_LENGTH: usize = 64;
/// The words of a sequence.
const SEQUENCE: usize = 3;
/// A text with fewer different sequences has no signature: it says too little to be like another one.
const LEAST_SEQUENCES: usize = 20;
/// The numbers of a band. Documents that share a band are compared.
const BAND: usize = 4;

/// The signature of a text, of its folded words in reading order. Empty if the text is too short.
pub fn signature<'w>(words: impl IntoIterator<Item = &'w str>) -> Vec<u32> {
    let words: Vec<u64> = words.into_iter().map(|word| hash(word.as_bytes())).collect();
    let mut hashes: Vec<u64> = words.windows(SEQUENCE).map(sequence_hash).collect();
    hashes.sort_unstable();
    hashes.dedup();
    if hashes.len() < LEAST_SEQUENCES {
        return Vec::new();
    }
    let mut bins = [None::<u32>; SIGNATURE_LENGTH];
    for hash in hashes {
        let (bin, value) = (low(hash) as usize % SIGNATURE_LENGTH, low(hash >> 32));
        bins[bin] = Some(bins[bin].map_or(value, |least| least.min(value)));
    }
    (0..SIGNATURE_LENGTH).map(|bin| filled(&bins, bin)).collect()
}

/// The number of a bin or, if it is empty, of the bin that its own sequence of guesses meets first.
fn filled(bins: &[Option<u32>; SIGNATURE_LENGTH], bin: usize) -> u32 {
    let guesses = (0u64..).map(|guess| mixed((bin as u64) << 32 | guess));
    let places = std::iter::once(bin).chain(guesses.map(|guess| low(guess) as usize % SIGNATURE_LENGTH));
    // One bin at least is filled, and the guesses reach every bin.
    places.take(100_000).find_map(|place| bins[place]).unwrap_or_default()
}

/// The share of text that two documents have in common, from 0 to 1. Signatures that cannot be compared have nothing in common.
#[allow(clippy::cast_precision_loss)] // At most SIGNATURE_LENGTH.
pub fn resemblance(one: &[u32], other: &[u32]) -> f64 {
    if one.len() != SIGNATURE_LENGTH || other.len() != SIGNATURE_LENGTH {
        return 0.0;
    }
    let same = one.iter().zip(other).filter(|(one, other)| one == other).count();
    same as f64 / SIGNATURE_LENGTH as f64
}

/// The bands of a signature, by which documents are found that resemble it.
pub fn bands(signature: &[u32]) -> Vec<i64> {
    let band = |(place, numbers): (u64, &[u32])| {
        let band = numbers.iter().fold(mixed(place), |so_far, number| mixed(so_far ^ u64::from(*number)));
        band.cast_signed()
    };
    (0..).zip(signature.chunks_exact(BAND)).map(band).collect()
}

/// A signature as bytes.
pub fn encode_signature(signature: &[u32]) -> Vec<u8> {
    signature.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A signature from its bytes.
pub fn decode_signature(bytes: &[u8]) -> Vec<u32> {
    let number = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    bytes.chunks_exact(4).map(number).collect()
}

fn sequence_hash(words: &[u64]) -> u64 {
    words.iter().fold(0, |so_far, word| mixed(so_far ^ *word))
}

#[allow(clippy::cast_possible_truncation)] // Its low half is what is asked for.
fn low(hash: u64) -> u32 {
    hash as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(words: &[String]) -> Vec<u32> {
        signature(words.iter().map(String::as_str))
    }

    fn text(from: usize, to: usize) -> Vec<String> {
        (from..to).map(|number| format!("w{number}")).collect()
    }

    #[test]
    fn the_estimate_is_near_the_share_that_texts_have_in_common() {
        let whole = text(0, 1_000);
        assert!((resemblance(&of(&whole), &of(&whole)) - 1.0).abs() < f64::EPSILON);
        assert!(resemblance(&of(&whole), &of(&text(1_000, 2_000))) < 0.1);
        // 500 of 1500 sequences, and 900 of 1100.
        for (start, expected) in [(500, 0.33), (100, 0.82)] {
            let estimate = resemblance(&of(&whole), &of(&text(start, 1_000 + start)));
            assert!((estimate - expected).abs() < 0.17, "{estimate} for {expected}");
        }
    }

    #[test]
    fn a_short_text_is_compared_and_a_very_short_one_is_not() {
        let mut changed = text(0, 60);
        changed[30] = "other".to_owned();
        let estimate = resemblance(&of(&text(0, 60)), &of(&changed));
        assert!(estimate > 0.75, "one word of 60 differs: {estimate}");
        assert_eq!(of(&text(0, 20)), Vec::<u32>::new());
        assert!(resemblance(&[], &[]) < f64::EPSILON);
    }

    #[test]
    fn documents_that_resemble_each_other_share_a_band() {
        let (one, other) = (of(&text(0, 1_000)), of(&text(100, 1_100)));
        let other = bands(&other);
        assert!(bands(&one).iter().any(|band| other.contains(band)));
        assert_eq!(bands(&one).len(), SIGNATURE_LENGTH / 4);
        assert_eq!(decode_signature(&encode_signature(&one)), one);
    }
}
