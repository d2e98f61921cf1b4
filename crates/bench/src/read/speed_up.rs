//! What a second core with a second parser brings.

use super::Options;
use super::contender::{Contender, Task};
use super::corpus::Corpus;
use crate::report::{Line, Table, median};

/// How often a round reads the corpus, so that the last file, which one core reads while the other idles, weighs little.
const TIMES: usize = 4;

/// The table.
pub fn measure(corpus: &Corpus, options: &Options) -> Table {
    let paths = corpus.paths().repeat(TIMES);
    let (mut one, mut two) = (Contender::quire_on_one_core(), Contender::quire_on_two_cores());
    let (mut of_one, mut of_two, mut speed_ups) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..options.rounds {
        let alone = one.seconds(Task::Together, &paths);
        let both = two.seconds(Task::Together, &paths);
        eprintln!("round {}: one core {alone:.2} s, two cores {both:.2} s", round + 1);
        of_one.push(alone);
        of_two.push(both);
        speed_ups.push(alone / both);
    }
    Table {
        lines: vec![Line::at_least("two cores and parsers to one", median(speed_ups), 1.8, "×")],
        notes: vec![format!(
            "{} files in {:.2} s on one core, {:.2} s on two",
            paths.len(),
            median(of_one),
            median(of_two)
        )],
    }
}
