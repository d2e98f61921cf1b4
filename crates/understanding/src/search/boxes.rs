//! The places of a chunk's words as bytes: for each word its start and its length in the text, and its rectangle in tenths of a
//! point, two bytes each.

use quire_domain::reading::Rect;

use super::chunks::PlacedWord;

const RECORD: usize = 12;

/// Encodes the places of words. A word beyond 64 KB of its chunk is left out.
pub fn encode_boxes(words: &[PlacedWord]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(words.len() * RECORD);
    for word in words {
        let (Ok(start), Ok(length)) = (u16::try_from(word.range.start), u16::try_from(word.range.len()))
        else {
            continue;
        };
        let Rect { x0, y0, x1, y1 } = word.rect;
        for number in [start, length, tenths(x0), tenths(y0), tenths(x1), tenths(y1)] {
            bytes.extend(number.to_le_bytes());
        }
    }
    bytes
}

/// The places of words. A rest that is no whole record is left out.
pub fn decode_boxes(bytes: &[u8]) -> Vec<PlacedWord> {
    let record = |record: &[u8]| {
        let number = |place: usize| u16::from_le_bytes([record[2 * place], record[2 * place + 1]]);
        let start = usize::from(number(0));
        let point = |place: usize| f32::from(number(place)) / 10.0;
        let rect = Rect { x0: point(2), y0: point(3), x1: point(4), y1: point(5) };
        PlacedWord { range: start..start + usize::from(number(1)), rect }
    };
    bytes.chunks_exact(RECORD).map(record).collect()
}

/// A page is at most 6.5 thousand points wide.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Clamped to the range of the type.
fn tenths(points: f32) -> u16 {
    (points * 10.0).round().clamp(0.0, f32::from(u16::MAX)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_to_a_tenth_of_a_point() {
        let rect = Rect { x0: 1.2, y0: 0.0, x1: 595.3, y1: 841.9 };
        let words = vec![PlacedWord { range: 3..9, rect }, PlacedWord { range: 70_000..70_001, rect }];
        assert_eq!(decode_boxes(&encode_boxes(&words)), &words[..1]);
        assert_eq!(decode_boxes(&[1, 2, 3]), []);
    }
}
