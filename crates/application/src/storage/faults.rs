//! What is wrong with the files of an installation.

use quire_ports::DatabaseCell;

/// The most faults that are kept. All are counted.
const KEPT: usize = 1000;

/// What is wrong.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// How many faults there are.
    pub count: u64,
    /// The first of them, each a sentence.
    pub first: Vec<String>,
}

impl Faults {
    /// Adds a fault.
    pub(super) fn add(&mut self, fault: String) {
        self.count += 1;
        if self.first.len() < KEPT {
            self.first.push(fault);
        }
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The faults as values that the progress of a copy can hold.
    pub(super) fn to_cells(&self) -> Vec<DatabaseCell> {
        let count = DatabaseCell::Integer(i64::try_from(self.count).unwrap_or(i64::MAX));
        std::iter::once(count).chain(self.first.iter().cloned().map(DatabaseCell::Text)).collect()
    }

    /// The faults of [`Faults::to_cells`]. None without cells.
    pub(super) fn of_cells(cells: impl IntoIterator<Item = DatabaseCell>) -> Self {
        let mut faults = Self::default();
        for cell in cells {
            match cell {
                DatabaseCell::Integer(count) => faults.count = count.unsigned_abs(),
                DatabaseCell::Text(fault) => faults.first.push(fault),
                _ => {}
            }
        }
        faults
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_counted_and_the_first_ones_are_kept() {
        let mut faults = Faults::default();
        assert!(faults.is_empty());
        for number in 0..KEPT + 5 {
            faults.add(number.to_string());
        }
        assert_eq!((faults.count, faults.first.len()), (KEPT as u64 + 5, KEPT));
        assert_eq!(Faults::of_cells(faults.to_cells()), faults);
        assert_eq!(Faults::of_cells([]), Faults::default());
    }
}
