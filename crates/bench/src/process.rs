//! `bench process`: a folder of mixed PDFs through the real program, on one core's worth of work and on all, and with a
//! kill in the middle.

mod corpus;
mod program;
mod usage;

use std::collections::BTreeSet;
use std::path::Path;

use self::program::Run;
use self::usage::Usage;
use crate::report::{self, Line, Table, median};

/// What to measure.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Options {
    /// PDFs in the folder.
    #[arg(long, default_value_t = 200)]
    documents: usize,
    /// How often it is processed, in turns with one at a time.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Measures everything and prints the tables. Answers whether all that was wanted was reached.
pub fn bench(options: Options) -> bool {
    let home = tempfile::tempdir().unwrap();
    let made = corpus::lay_out(&home.path().join("in"), options.documents);
    eprintln!("{made}");
    let mut usual = pace(home.path(), options);
    usual.notes.insert(0, made);
    let met = report::print("A folder of mixed PDFs", &usual);
    report::print("Killed in the middle", &killed(home.path(), options.documents)) && met
}

fn pace(home: &Path, options: Options) -> Table {
    let (mut together, mut alone): (Vec<Usage>, Vec<Usage>) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        alone.push(Run::start(home, &format!("alone-{round}.jsonl"), &["--jobs", "1"]).finish());
        together.push(Run::start(home, &format!("all-{round}.jsonl"), &[]).finish());
        for place in [format!("alone-{round}.jsonl"), format!("all-{round}.jsonl")] {
            assert_eq!(program::names(&home.join(place)).len(), options.documents);
        }
    }
    let of = |usages: &[Usage], figure: fn(&Usage) -> f64| median(usages.iter().map(figure).collect());
    let speed_up = alone.iter().zip(&together).map(|(alone, all)| alone.seconds / all.seconds).collect();
    let rate = options.documents as f64 / of(&together, |usage| usage.seconds);
    Table {
        lines: vec![
            Line::at_least("cores busy while it ran, by anybody", of(&together, Usage::busy), 90.0, " %"),
            Line::at_least("against one document at a time", median(speed_up), 1.4, "×"),
            Line::at_most(
                "memory of the program itself, at most",
                of(&together, |usage| usage.main_mb),
                200.0,
                " MB",
            ),
        ],
        notes: vec![
            format!("{rate:.1} documents a second, {:.1} s", of(&together, |usage| usage.seconds)),
            format!(
                "its own share of the cores {:.0} %, {:.1} s of work; one at a time {:.0} %, {:.1} s of work in {:.1} s",
                of(&together, Usage::own),
                of(&together, |usage| usage.work),
                of(&alone, Usage::own),
                of(&alone, |usage| usage.work),
                of(&alone, |usage| usage.seconds)
            ),
            format!("with its parsers and tesseract {:.0} MB at most", of(&together, |usage| usage.tree_mb)),
        ],
    }
}

fn killed(home: &Path, documents: usize) -> Table {
    let place = "killed.jsonl";
    let done = Run::start(home, place, &[]).kill_after(documents / 2);
    let usage = Run::start(home, place, &[]).finish();
    let names = program::names(&home.join(place));
    let once: BTreeSet<&String> = names.iter().collect();
    let whole = Run::start(home, "whole.jsonl", &["--state", "whole"]).finish();
    let all: BTreeSet<String> = program::names(&home.join("whole.jsonl")).into_iter().collect();
    let is_whole = names.len() == documents && once.into_iter().eq(&all);
    Table {
        lines: vec![
            Line {
                what: "every document once after killing and going on".to_owned(),
                figure: format!("{} of {documents}", names.len()),
                wanted: "each once".to_owned(),
                met: is_whole,
            },
            Line::at_most("what was left, to all of it in one go", usage.seconds / whole.seconds, 0.85, "×"),
        ],
        notes: vec![format!(
            "killed with -9 after {done} results; going on took {:.1} s, all in one go {:.1} s",
            usage.seconds, whole.seconds
        )],
    }
}
