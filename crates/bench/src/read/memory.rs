//! Whether the server's memory grows with the documents that it has had read.

use super::contender::{Contender, Task};
use super::corpus::Corpus;
use crate::report::{Line, Table};

/// How often the corpus is read before memory is looked at first: what is kept to be used again is kept by then.
const WARM_UP: usize = 3;
const TIMES: usize = 20;

/// The table.
pub fn measure(corpus: &Corpus) -> Table {
    let mut quire = Contender::quire_on_one_core();
    let paths = corpus.paths();
    let mut read = |times: usize| {
        for _ in 0..times {
            quire.seconds(Task::Together, &paths);
        }
        quire.resident_mb()
    };
    let (before, after) = (read(WARM_UP), read(TIMES));
    let growth = (after / before - 1.0) * 100.0;
    Table {
        lines: vec![Line::at_most(format!("growth over {TIMES} times the corpus"), growth, 5.0, " %")],
        notes: vec![format!(
            "{before:.1} MB resident before, {after:.1} MB after {} documents",
            TIMES * paths.len()
        )],
    }
}

/// The memory of a process that is resident.
pub fn resident_mb(pid: u32) -> f64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
