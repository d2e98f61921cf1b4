//! How long reading takes on one core, file by file, in turns with `PyMuPDF`.

use super::Options;
use super::contender::{Contender, Task};
use super::corpus::Corpus;
use super::plot::{self, Point};
use crate::report::{Line, Table, median};

/// What the total is to be of `PyMuPDF`'s, at most.
pub const WANTED: f64 = 0.6;

/// Seconds of one contender: a list of rounds for each file.
struct Times(Vec<Vec<f64>>);

impl Times {
    fn of(files: usize) -> Self {
        Self(vec![Vec::new(); files])
    }

    /// The whole corpus in one round.
    fn total(&self, round: usize) -> f64 {
        self.0.iter().map(|rounds| rounds[round]).sum()
    }

    /// The whole corpus.
    fn median_total(&self) -> f64 {
        let rounds = self.0.first().map_or(0, Vec::len);
        median((0..rounds).map(|round| self.total(round)).collect())
    }

    /// Each file.
    fn medians(&self) -> Vec<f64> {
        self.0.iter().map(|rounds| median(rounds.clone())).collect()
    }
}

/// The table; the picture goes where the options say.
pub fn measure(corpus: &Corpus, options: &Options) -> Table {
    let (ours, theirs) = take_turns(corpus, options.rounds);
    let (our_files, their_files) = (ours.medians(), theirs.medians());
    if let Some(path) = &options.plot {
        let points = corpus.specimens.iter().zip(their_files.iter().zip(&our_files)).map(
            |(specimen, (theirs, ours))| Point { source: specimen.source, theirs: *theirs, ours: *ours },
        );
        std::fs::write(path, plot::svg(&points.collect::<Vec<_>>())).unwrap();
    }
    let ratios: Vec<f64> = our_files.iter().zip(&their_files).map(|(ours, theirs)| ours / theirs).collect();
    let slower = ratios.iter().filter(|ratio| **ratio > 1.0).count();
    let (our_total, their_total) = (ours.median_total(), theirs.median_total());
    Table {
        lines: vec![Line::at_most("total time, to PyMuPDF", our_total / their_total, WANTED, "×")],
        notes: vec![
            format!("{our_total:.2} s against {their_total:.2} s"),
            format!("the median file {:.2}×", median(ratios.clone())),
            format!("{slower} of {} files take longer than with PyMuPDF", ratios.len()),
        ],
    }
}

fn take_turns(corpus: &Corpus, rounds: usize) -> (Times, Times) {
    let (mut quire, mut pymupdf) = (Contender::quire_on_one_core(), Contender::pymupdf());
    let files = corpus.specimens.len();
    let (mut ours, mut theirs) = (Times::of(files), Times::of(files));
    // The round before the first fetches files from the disk, and programs too.
    for round in 0..=rounds {
        for (place, specimen) in corpus.specimens.iter().enumerate() {
            let path = [specimen.path.as_path()];
            let (our_time, their_time);
            if (round + place) % 2 == 0 {
                our_time = quire.seconds(Task::Time, &path);
                their_time = pymupdf.seconds(Task::Time, &path);
            } else {
                their_time = pymupdf.seconds(Task::Time, &path);
                our_time = quire.seconds(Task::Time, &path);
            }
            if round > 0 {
                ours.0[place].push(our_time);
                theirs.0[place].push(their_time);
            }
        }
        if round > 0 {
            let (ours, theirs) = (ours.total(round - 1), theirs.total(round - 1));
            eprintln!("round {round}: Quire {ours:.2} s, PyMuPDF {theirs:.2} s");
        }
    }
    (ours, theirs)
}
