//! Measures whether the memory of the server grows with the number of documents.

use super::corpus::Corpus;
use super::reader_process::{ReaderProcess, Task};
use crate::report::{Measurement, Table, median};

/// Passes over the corpus before the first sample, so that caches are filled.
const WARM_UP: usize = 3;
/// Passes over the corpus with samples.
const PASSES: usize = 25;
/// Passes at each end whose medians are compared, because the memory of an allocator varies.
const AT_EACH_END: usize = 5;

/// Measures the whole corpus.
pub fn measure(corpus: &Corpus) -> Table {
    let mut quire = ReaderProcess::quire_on_one_core();
    let paths = corpus.paths();
    let resident: Vec<f64> = (0..WARM_UP + PASSES)
        .map(|_| {
            quire.seconds(Task::Parallel, &paths);
            quire.resident_mb()
        })
        .skip(WARM_UP)
        .collect();
    let before = median(resident[..AT_EACH_END].to_vec());
    let after = median(resident[PASSES - AT_EACH_END..].to_vec());
    let maximum = resident.iter().copied().fold(0.0, f64::max);
    let growth = (after / before - 1.0) * 100.0;
    Table {
        measurements: vec![Measurement::at_most(
            format!("growth over {PASSES} passes over the corpus"),
            growth,
            5.0,
            " %",
        )],
        notes: vec![format!(
            "{before:.1} MB resident in the first {AT_EACH_END} passes, {after:.1} MB in the last, {maximum:.1} MB at most, \
             over {} documents",
            PASSES * paths.len()
        )],
    }
}

/// The resident memory of a process.
pub fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
