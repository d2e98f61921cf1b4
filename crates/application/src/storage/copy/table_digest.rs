//! The digest of a table: of its rows, whatever their order.

use quire_ports::{DatabaseCell, DatabaseRow};
use sha2::{Digest as _, Sha256};

/// The number of rows and the sum of their hashes. Two sets of rows with the same digest are equal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableDigest {
    rows: u64,
    sum: [u64; 4],
}

impl TableDigest {
    /// Adds a row.
    pub fn add(&mut self, row: &DatabaseRow) {
        let mut hash = Sha256::new();
        for cell in row {
            add_cell(&mut hash, cell);
        }
        let hashed: [u8; 32] = hash.finalize().into();
        for (sum, part) in self.sum.iter_mut().zip(hashed.chunks_exact(8)) {
            let part = part.iter().fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
            *sum = sum.wrapping_add(part);
        }
        self.rows += 1;
    }

    /// How many rows were added.
    pub fn rows(&self) -> u64 {
        self.rows
    }
}

/// Adds a value with its type and its length, so that no two rows look alike.
fn add_cell(hash: &mut Sha256, cell: &DatabaseCell) {
    let mut add = |tag: u8, bytes: &[u8]| {
        hash.update([tag]);
        hash.update((bytes.len() as u64).to_be_bytes());
        hash.update(bytes);
    };
    match cell {
        DatabaseCell::Null => add(0, &[]),
        DatabaseCell::Boolean(truth) => add(1, &[u8::from(*truth)]),
        DatabaseCell::Integer(number) => add(2, &number.to_be_bytes()),
        DatabaseCell::Float(number) => add(3, &number.to_bits().to_be_bytes()),
        DatabaseCell::Text(text) => add(4, text.as_bytes()),
        DatabaseCell::Bytes(bytes) => add(5, bytes),
        DatabaseCell::Uuid(id) => add(6, id.as_bytes()),
        DatabaseCell::Time(at) => add(7, &at.as_microsecond().to_be_bytes()),
        DatabaseCell::Json(text) => add(8, text.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(rows: &[DatabaseRow]) -> TableDigest {
        let mut digest = TableDigest::default();
        for row in rows {
            digest.add(row);
        }
        digest
    }

    #[test]
    fn the_order_of_rows_does_not_matter_and_everything_else_does() {
        let row =
            |text: &str, number| vec![DatabaseCell::Text(text.to_owned()), DatabaseCell::Integer(number)];
        let two = [row("a", 1), row("b", 2)];
        assert_eq!(of(&two), of(&[row("b", 2), row("a", 1)]));
        for other in [
            vec![row("a", 1)],
            vec![row("a", 1), row("b", 3)],
            vec![row("a", 2), row("b", 1)],
            vec![row("a", 1), row("a", 1)],
            vec![row("a", 1), row("b", 2), row("b", 2)],
        ] {
            assert_ne!(of(&two), of(&other), "{other:?}");
        }
        let (split, joined) = (["ab", ""], ["a", "b"]);
        let texts = |texts: [&str; 2]| vec![texts.map(|text| DatabaseCell::Text(text.to_owned())).to_vec()];
        assert_ne!(of(&texts(split)), of(&texts(joined)));
        assert_ne!(of(&[vec![DatabaseCell::Null]]), of(&[vec![DatabaseCell::Text(String::new())]]));
    }
}
