//! Measures the speedup of a second core with a second parser.

use super::ReadBenchOptions;
use super::corpus::Corpus;
use super::reader_process::{ReaderProcess, Task};
use crate::report::{Measurement, Table, median};

/// How often a round reads the corpus. Several times, so that the last file, where one core is idle, matters little.
const TIMES: usize = 4;

/// Measures the whole corpus.
pub fn measure(corpus: &Corpus, options: &ReadBenchOptions) -> Table {
    let paths = corpus.paths().repeat(TIMES);
    let (mut one, mut two) = (ReaderProcess::quire_on_one_core(), ReaderProcess::quire_on_two_cores());
    let (mut of_one, mut of_two, mut speed_ups) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds {
        let alone = one.seconds(Task::Parallel, &paths);
        let both = two.seconds(Task::Parallel, &paths);
        eprintln!("round {}: one core {alone:.2} s, two cores {both:.2} s", round + 1);
        of_one.push(alone);
        of_two.push(both);
        speed_ups.push(alone / both);
    }
    Table {
        measurements: vec![Measurement::at_least(
            "speedup of two cores and parsers",
            median(speed_ups),
            1.8,
            "×",
        )],
        notes: vec![format!(
            "{} files in {:.2} s on one core, {:.2} s on two",
            paths.len(),
            median(of_one),
            median(of_two)
        )],
    }
}
