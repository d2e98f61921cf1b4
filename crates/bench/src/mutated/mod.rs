//! `mutated`: puts mutated documents through the sandboxed reader. A document may fail, and may cost a parser; it must never
//! cost the process that reads it.
//!
//! The reading process is a child of the drill, so that its death is counted and does not end the drill. It reports after
//! each batch. The documents are made here and depend only on the seed and their number, so every result can be repeated.

mod corpus;
mod mutation;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use quire_reading::CoveredText;
use quire_reading::sandbox::{ConfinementPolicy, ParserLimits, ParserProgram, Sandbox};
use serde::{Deserialize, Serialize};
use tokio::task::JoinSet;

use crate::report::{Measurement, Table};

/// Documents between two reports.
const BATCH: u64 = 500;
/// One in this many documents is also drawn, because only drawing decodes images.
const DRAWN_ONE_IN: u64 = 8;
const DRAWING_SCALE: f32 = 0.5;
/// Maximum memory of the reading process in MB.
const MAX_MEMORY_MB: f64 = 300.0;
/// After more deaths of the reading process the drill gives up.
const MAX_DEATHS: u64 = 20;
/// How many documents that crashed a parser are named.
const NAMED_CRASHES: usize = 10;

/// The options of the drill.
#[derive(clap::Args, Clone, Debug)]
pub struct MutatedDrillOptions {
    /// Mutated documents to read.
    #[arg(long, default_value_t = 200_000)]
    documents: u64,
    /// Parsers that work in parallel; 0 means one per core.
    #[arg(long, default_value_t = 0)]
    parsers: usize,
    /// Another seed makes other documents.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Read the documents in this process, from this one on.
    #[arg(long, hide = true)]
    read_from: Option<u64>,
}

/// What became of a batch of documents.
#[derive(Debug, Default, Serialize, Deserialize)]
struct BatchReport {
    documents: u64,
    bytes: u64,
    /// The number of documents by outcome: an error code, or that it was read or drawn.
    outcomes: BTreeMap<String, u64>,
    /// The numbers of documents that crashed a parser.
    crashes: Vec<u64>,
    /// The largest memory of the reading process so far, in MB.
    peak_mb: u64,
}

/// Runs the drill. Returns whether it passed.
pub fn drill(options: &MutatedDrillOptions) -> bool {
    if let Some(first) = options.read_from {
        crate::block_on(read_documents(options, first));
        return true;
    }
    let started = Instant::now();
    let (mut total, mut deaths, mut next) = (BatchReport::default(), 0, 0);
    while next < options.documents && deaths <= MAX_DEATHS {
        let is_complete = supervise(options, &mut next, &mut total);
        if !is_complete {
            deaths += 1;
            println!("the reading process died within documents {next} to {}", next + BATCH - 1);
            next += BATCH;
        }
    }
    print_results(&total, deaths, started.elapsed())
}

/// Starts a reading process and adds up its reports. Returns false if it died.
fn supervise(options: &MutatedDrillOptions, next: &mut u64, total: &mut BatchReport) -> bool {
    let (documents, seed) = (options.documents.to_string(), options.seed.to_string());
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["mutated", "--documents", &documents, "--parsers", &options.parsers.to_string()])
        .args(["--seed", &seed, "--read-from", &next.to_string()])
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    for line in BufReader::new(child.stdout.take().unwrap()).lines().map_while(Result::ok) {
        let Ok(report) = serde_json::from_str::<BatchReport>(&line) else { continue };
        *next += report.documents;
        total.documents += report.documents;
        total.bytes += report.bytes;
        total.peak_mb = total.peak_mb.max(report.peak_mb);
        for (outcome, count) in report.outcomes {
            *total.outcomes.entry(outcome).or_default() += count;
        }
        total.crashes.extend(report.crashes);
        if next.is_multiple_of(BATCH * 20) {
            eprintln!("{next} of {documents} documents");
        }
    }
    child.wait().unwrap().success()
}

fn print_results(total: &BatchReport, deaths: u64, elapsed: Duration) -> bool {
    let mut table = Table::default();
    table.measurements.push(Measurement::at_most("deaths of the reading process", deaths as f64, 0.0, ""));
    let peak = total.peak_mb as f64;
    table.measurements.push(Measurement::at_most(
        "memory of the reading process",
        peak,
        MAX_MEMORY_MB,
        " MB",
    ));
    let rate = total.documents as f64 / elapsed.as_secs_f64();
    table.notes.push(format!(
        "{} mutated documents, {} MB, in {:.0} s ({rate:.0} a second)",
        total.documents,
        total.bytes >> 20,
        elapsed.as_secs_f64()
    ));
    let outcomes: Vec<String> =
        total.outcomes.iter().map(|(name, count)| format!("{name} {count}")).collect();
    table.notes.push(format!("outcomes: {}", outcomes.join(", ")));
    if !total.crashes.is_empty() {
        let named = &total.crashes[..total.crashes.len().min(NAMED_CRASHES)];
        table
            .notes
            .push(format!("documents that crashed a parser: {}, such as {named:?}", total.crashes.len()));
    }
    let passed = crate::report::print("Mutated documents", &table);
    println!("\n{}", if passed { "The drill passed." } else { "THE DRILL FAILED." });
    passed
}

/// Reads the documents from a number on, and prints a report after each batch.
async fn read_documents(options: &MutatedDrillOptions, first: u64) {
    let parsers = match options.parsers {
        0 => std::thread::available_parallelism().map_or(1, usize::from),
        parsers => parsers,
    };
    // A tight time limit, because a document that takes long stands for thousands that do not.
    let limits = ParserLimits { memory: 512 << 20, time: Duration::from_secs(5), ..ParserLimits::default() };
    let sandbox = Sandbox::start(ParserProgram::current(), limits, parsers, ConfinementPolicy::default());
    let sandbox = sandbox.await.unwrap();
    let corpus = Arc::new(corpus::documents());
    let mut start = first;
    while start < options.documents {
        let end = (start + BATCH).min(options.documents);
        let mut report = BatchReport { documents: end - start, ..BatchReport::default() };
        let mut numbers = start..end;
        let mut tasks = JoinSet::new();
        loop {
            // Two more than there are parsers, so that none is idle.
            for number in numbers.by_ref().take((parsers + 2).saturating_sub(tasks.len())) {
                let (sandbox, corpus, seed) = (sandbox.clone(), corpus.clone(), options.seed);
                tasks.spawn(async move { read_one(&sandbox, &corpus, seed, number).await });
            }
            let Some(read) = tasks.join_next().await else { break };
            let ReadDocument { number, bytes, outcomes } = read.unwrap();
            report.bytes += bytes;
            if outcomes.iter().any(|outcome| outcome.contains("PARSER_CRASHED")) {
                report.crashes.push(number);
            }
            for outcome in outcomes {
                *report.outcomes.entry(outcome).or_default() += 1;
            }
        }
        report.peak_mb = peak_memory_mb();
        println!("{}", serde_json::to_string(&report).unwrap());
        std::io::stdout().flush().unwrap();
        start = end;
    }
}

struct ReadDocument {
    number: u64,
    bytes: u64,
    outcomes: Vec<String>,
}

async fn read_one(
    sandbox: &Sandbox,
    corpus: &[corpus::CorpusDocument],
    seed: u64,
    number: u64,
) -> ReadDocument {
    let (kind, file) = mutation::mutated(corpus, seed, number);
    let (bytes, file): (u64, Arc<[u8]>) = (file.len() as u64, file.into());
    let read = sandbox.read(kind, file.clone(), CoveredText::Apart).await;
    let mut outcomes = vec![read.map_or_else(|error| error.kind.as_str().to_owned(), |_| "read".to_owned())];
    if number.is_multiple_of(DRAWN_ONE_IN) {
        let drawn = sandbox.render(kind, file, 0, DRAWING_SCALE).await;
        let outcome = drawn.map_or_else(|error| error.kind.as_str().to_owned(), |_| "drawn".to_owned());
        outcomes.push(if outcome == "drawn" { outcome } else { format!("drawing: {outcome}") });
    }
    ReadDocument { number, bytes, outcomes }
}

/// The largest resident memory of this process so far, in MB.
fn peak_memory_mb() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kilobytes = peak.and_then(|peak| peak.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) >> 10
}
