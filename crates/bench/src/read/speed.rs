//! Measures the reading time of each file on one core, alternating with `PyMuPDF`.

use super::ReadBenchOptions;
use super::corpus::Corpus;
use super::plot::{self, Point};
use super::reader_process::{ReaderProcess, Task};
use crate::report::{Measurement, Table, median};

/// The target for the total time, relative to `PyMuPDF`.
pub const TARGET: f64 = 0.6;

/// The seconds of one reader: a list of rounds for each file.
struct Times(Vec<Vec<f64>>);

impl Times {
    fn of(files: usize) -> Self {
        Self(vec![Vec::new(); files])
    }

    /// The total time of one round.
    fn total(&self, round: usize) -> f64 {
        self.0.iter().map(|rounds| rounds[round]).sum()
    }

    /// The median of the total times.
    fn median_total(&self) -> f64 {
        let rounds = self.0.first().map_or(0, Vec::len);
        median((0..rounds).map(|round| self.total(round)).collect())
    }

    /// The median time of each file.
    fn medians(&self) -> Vec<f64> {
        self.0.iter().map(|rounds| median(rounds.clone())).collect()
    }
}

/// Measures the whole corpus, and writes the plot if requested.
pub fn measure(corpus: &Corpus, options: &ReadBenchOptions) -> Table {
    let (ours, theirs) = run_rounds(corpus, options.rounds);
    let (our_files, their_files) = (ours.medians(), theirs.medians());
    if let Some(path) = &options.plot {
        let points = corpus
            .files
            .iter()
            .zip(their_files.iter().zip(&our_files))
            .map(|(file, (theirs, ours))| Point { source: file.source, theirs: *theirs, ours: *ours });
        std::fs::write(path, plot::svg(&points.collect::<Vec<_>>())).unwrap();
    }
    let ratios: Vec<f64> = our_files.iter().zip(&their_files).map(|(ours, theirs)| ours / theirs).collect();
    let slower = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    let (our_total, their_total) = (ours.median_total(), theirs.median_total());
    Table {
        measurements: vec![Measurement::at_most(
            "total time, relative to PyMuPDF",
            our_total / their_total,
            TARGET,
            "×",
        )],
        notes: vec![
            format!("{our_total:.2} s, PyMuPDF {their_total:.2} s"),
            format!("median of the files {:.2}×", median(ratios.clone())),
            format!("{slower} of {} files take longer than with PyMuPDF", ratios.len()),
        ],
    }
}

fn run_rounds(corpus: &Corpus, rounds: usize) -> (Times, Times) {
    let (mut quire, mut pymupdf) = (ReaderProcess::quire_on_one_core(), ReaderProcess::pymupdf());
    let files = corpus.files.len();
    let (mut ours, mut theirs) = (Times::of(files), Times::of(files));
    // Round 0 is a warm-up, which loads files and programs from the disk.
    for round in 0..=rounds {
        for (index, file) in corpus.files.iter().enumerate() {
            let path = [file.path.as_path()];
            let (our_time, their_time);
            if (round + index) % 2 == 0 {
                our_time = quire.seconds(Task::Time, &path);
                their_time = pymupdf.seconds(Task::Time, &path);
            } else {
                their_time = pymupdf.seconds(Task::Time, &path);
                our_time = quire.seconds(Task::Time, &path);
            }
            if round > 0 {
                ours.0[index].push(our_time);
                theirs.0[index].push(their_time);
            }
        }
        if round > 0 {
            let (ours, theirs) = (ours.total(round - 1), theirs.total(round - 1));
            eprintln!("round {round}: Quire {ours:.2} s, PyMuPDF {theirs:.2} s");
        }
    }
    (ours, theirs)
}
