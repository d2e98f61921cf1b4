//! Whether the server's memory grows with the documents that it has had read.

use super::contender::{Contender, Task};
use super::corpus::Corpus;
use crate::report::{Line, Table, median};

/// How often the corpus is read before memory is looked at first: what is kept to be used again is kept by then.
const WARM_UP: usize = 3;
/// How often it is read in all after that.
const PASSES: usize = 25;
/// What an allocator holds goes up and down, so that a few passes at each end are compared, not one.
const AT_EACH_END: usize = 5;

/// The table.
pub fn measure(corpus: &Corpus) -> Table {
    let mut quire = Contender::quire_on_one_core();
    let paths = corpus.paths();
    let resident: Vec<f64> = (0..WARM_UP + PASSES)
        .map(|_| {
            quire.seconds(Task::Together, &paths);
            quire.resident_mb()
        })
        .skip(WARM_UP)
        .collect();
    let before = median(resident[..AT_EACH_END].to_vec());
    let after = median(resident[PASSES - AT_EACH_END..].to_vec());
    let most = resident.iter().copied().fold(0.0, f64::max);
    let growth = (after / before - 1.0) * 100.0;
    Table {
        lines: vec![Line::at_most(format!("growth over {PASSES} times the corpus"), growth, 5.0, " %")],
        notes: vec![format!(
            "{before:.1} MB resident in the first {AT_EACH_END} passes, {after:.1} MB in the last, {most:.1} MB at most, \
             over {} documents",
            PASSES * paths.len()
        )],
    }
}

/// The memory of a process that is resident.
pub fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
