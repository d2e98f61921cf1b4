//! `bench process`: runs `quire process` on a folder of mixed PDFs, one document at a time and on all cores, and with a kill
//! in the middle.

mod corpus;
mod program;
pub(crate) mod usage;

use std::collections::BTreeSet;
use std::path::Path;

use self::program::ProcessRun;
use self::usage::Usage;
use crate::report::{self, Measurement, Table, median};

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct ProcessBenchOptions {
    /// PDFs in the folder.
    #[arg(long, default_value_t = 200)]
    documents: usize,
    /// How often the folder is processed, alternating with one document at a time.
    #[arg(long, default_value_t = 3)]
    rounds: usize,
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub fn bench(options: ProcessBenchOptions) -> bool {
    let folder = tempfile::tempdir().unwrap();
    let description = corpus::write_pdfs(&folder.path().join("in"), options.documents);
    eprintln!("{description}");
    let mut table = speed(folder.path(), options);
    table.notes.insert(0, description);
    let met = report::print("A folder of mixed PDFs", &table);
    report::print("Killed in the middle", &killed(folder.path(), options.documents)) && met
}

fn speed(folder: &Path, options: ProcessBenchOptions) -> Table {
    let (mut together, mut alone): (Vec<Usage>, Vec<Usage>) = (Vec::new(), Vec::new());
    for round in 0..options.rounds {
        alone.push(ProcessRun::start(folder, &format!("alone-{round}.jsonl"), &["--jobs", "1"]).finish());
        together.push(ProcessRun::start(folder, &format!("all-{round}.jsonl"), &[]).finish());
        for results in [format!("alone-{round}.jsonl"), format!("all-{round}.jsonl")] {
            assert_eq!(program::result_files(&folder.join(results)).len(), options.documents);
        }
    }
    let of = |usages: &[Usage], value: fn(&Usage) -> f64| median(usages.iter().map(value).collect());
    let speed_up = alone.iter().zip(&together).map(|(alone, all)| alone.seconds / all.seconds).collect();
    let rate = options.documents as f64 / of(&together, |usage| usage.seconds);
    Table {
        measurements: vec![
            Measurement::at_least(
                "cores busy, including other processes",
                of(&together, Usage::total_cpu_percent),
                90.0,
                " %",
            ),
            Measurement::at_least("speedup over one document at a time", median(speed_up), 1.4, "×"),
            Measurement::at_most(
                "peak memory of the main process",
                of(&together, |usage| usage.main_mb),
                200.0,
                " MB",
            ),
        ],
        notes: vec![
            format!("{rate:.1} documents per second, {:.1} s", of(&together, |usage| usage.seconds)),
            format!(
                "its own share of the cores {:.0} %, {:.1} s of CPU time; one at a time {:.0} %, {:.1} s of CPU time in {:.1} s",
                of(&together, Usage::own_cpu_percent),
                of(&together, |usage| usage.cpu_seconds),
                of(&alone, Usage::own_cpu_percent),
                of(&alone, |usage| usage.cpu_seconds),
                of(&alone, |usage| usage.seconds)
            ),
            format!(
                "peak memory with its parsers and tesseract {:.0} MB",
                of(&together, |usage| usage.tree_mb)
            ),
        ],
    }
}

fn killed(folder: &Path, documents: usize) -> Table {
    let results = "killed.jsonl";
    let done = ProcessRun::start(folder, results, &[]).kill_after(documents / 2);
    let usage = ProcessRun::start(folder, results, &[]).finish();
    let names = program::result_files(&folder.join(results));
    let once: BTreeSet<&String> = names.iter().collect();
    let whole = ProcessRun::start(folder, "whole.jsonl", &["--state", "whole"]).finish();
    let all: BTreeSet<String> = program::result_files(&folder.join("whole.jsonl")).into_iter().collect();
    let is_complete = names.len() == documents && once.into_iter().eq(&all);
    Table {
        measurements: vec![
            Measurement {
                name: "each document has one result after a kill and a restart".to_owned(),
                value: format!("{} of {documents}", names.len()),
                target: "each exactly once".to_owned(),
                met: is_complete,
            },
            Measurement::at_most(
                "time for the rest after the kill, relative to a whole run",
                usage.seconds / whole.seconds,
                0.85,
                "×",
            ),
        ],
        notes: vec![format!(
            "killed with -9 after {done} results; the rest took {:.1} s, a whole run {:.1} s",
            usage.seconds, whole.seconds
        )],
    }
}
