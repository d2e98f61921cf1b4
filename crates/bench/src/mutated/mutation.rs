//! Mutations of a document: damage as it happens to files, and values that parsers do not expect.

use quire_domain::reading::FileKind;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::corpus::CorpusDocument;

/// The most mutations of one document.
const MAX_MUTATIONS: u32 = 8;
/// The longest part that is removed, repeated or copied.
const MAX_PART: usize = 400;
/// The largest mutated document, in bytes.
const MAX_BYTES: usize = 1 << 20;

/// What parsers of these formats look for, and values at the edges of what they can hold.
const TOKENS: [&[u8]; 34] = [
    b"<<",
    b">>",
    b"[",
    b"]",
    b"(",
    b")",
    b"<",
    b">",
    b"{",
    b"}",
    b"obj",
    b"endobj",
    b"stream\n",
    b"endstream",
    b"xref",
    b"trailer",
    b"startxref",
    b"%%EOF",
    b" 0 R",
    b"4 0 R",
    b" null ",
    b" -1 ",
    b" 0 ",
    b" 4294967296 ",
    b" 99999999999999999999 ",
    b" 1e38 ",
    b" -0.0000001 ",
    b"/Length 2147483647",
    b"/Filter /FlateDecode",
    b"/Parent 4 0 R",
    b" Do ",
    b" Tj ",
    b" cm ",
    b"\xff\xff\xff\xff",
];

/// The document with this number: its file type, and its bytes. Depends on nothing else.
pub fn mutated(corpus: &[CorpusDocument], seed: u64, number: u64) -> (FileKind, Vec<u8>) {
    let mut rng = StdRng::seed_from_u64(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ number);
    let original = &corpus[rng.random_range(0..corpus.len())];
    let mut file = original.file.clone();
    for _ in 0..rng.random_range(1..=MAX_MUTATIONS) {
        mutate(&mut file, corpus, &mut rng);
    }
    file.truncate(MAX_BYTES);
    (original.kind, file)
}

fn mutate(file: &mut Vec<u8>, corpus: &[CorpusDocument], rng: &mut StdRng) {
    if file.is_empty() {
        return file.push(rng.random());
    }
    let at = rng.random_range(0..file.len());
    let end = (at + rng.random_range(1..=MAX_PART)).min(file.len());
    match rng.random_range(0..10) {
        0 => file[at] ^= 1 << rng.random_range(0..8),
        1 => file[at] = rng.random(),
        2 => file[at..end].iter_mut().for_each(|byte| *byte = rng.random()),
        3 => drop(file.drain(at..end)),
        4 => file.truncate(at),
        5 => {
            let part = file[at..end].repeat(rng.random_range(1..=50));
            file.splice(at..at, part);
        }
        6 => {
            let other = &corpus[rng.random_range(0..corpus.len())].file;
            let from = rng.random_range(0..other.len());
            let part = other[from..(from + MAX_PART).min(other.len())].to_vec();
            file.splice(at..end, part);
        }
        7 => replace_number(file, at, rng),
        8 => {
            let to = rng.random_range(0..file.len());
            file.swap(at, to);
        }
        _ => {
            let token = TOKENS[rng.random_range(0..TOKENS.len())];
            file.splice(at..at, token.iter().copied());
        }
    }
}

/// Replaces the next number in the file by another one: lengths, offsets, sizes and coordinates.
fn replace_number(file: &mut Vec<u8>, from: usize, rng: &mut StdRng) {
    let Some(start) = file[from..].iter().position(u8::is_ascii_digit).map(|offset| from + offset) else {
        return;
    };
    let digits = file[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let number = match rng.random_range(0..5) {
        0 => "0".to_owned(),
        1 => "-1".to_owned(),
        2 => u64::MAX.to_string(),
        3 => rng.random_range(0..100_000).to_string(),
        _ => format!("{}.{}", i32::MAX, i32::MAX),
    };
    file.splice(start..start + digits, number.into_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_makes_the_same_document_every_time_and_numbers_make_different_ones() {
        let corpus = crate::mutated::corpus::documents();
        let all: Vec<_> = (0..200).map(|number| mutated(&corpus, 1, number)).collect();
        assert_eq!(all, (0..200).map(|number| mutated(&corpus, 1, number)).collect::<Vec<_>>());
        assert!(all.windows(2).all(|two| two[0] != two[1]));
        assert_ne!(mutated(&corpus, 2, 0), all[0]);
        for kind in FileKind::ALL {
            assert!(all.iter().any(|(other, _)| *other == kind), "{kind:?} is not among them");
        }
    }
}
