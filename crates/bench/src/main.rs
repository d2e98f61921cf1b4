//! Benchmarks and drills: what `cargo xtask bench` and `cargo xtask drill` run.
//!
//! Every result is a ratio to a baseline. Both are measured in the same run, in interleaved pairs, because machines are noisy
//! and only ratios can be compared between machines.

// A benchmark stops at the first error.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// The last digits of a count do not matter in rates and ratios.
#![allow(clippy::cast_precision_loss)]

mod api;
mod blobs;
mod copy;
mod database;
mod drill;
mod interpret;
mod mutated;
mod pages;
mod process;
mod producer;
mod queue;
mod read;
mod record;
mod rehearsal;
mod report;
mod search;
mod web;
mod workers;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{Parser, Subcommand};
use quire_reading::sandbox::child;

/// Measure Quire, and try to break it.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure one area against its baseline.
    Bench {
        #[command(subcommand)]
        area: Area,
    },
    /// Kill, stop and restart processes at random under load, then check the history.
    Drill(drill::DrillOptions),
    /// Put mutated documents through the sandboxed reader.
    Mutated(mutated::MutatedDrillOptions),
    /// Run `quire` with simulated steps, for drills.
    #[command(hide = true)]
    Rehearse {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Enqueue runs and print the accepted ones, for drills.
    #[command(hide = true)]
    Produce(producer::ProducerOptions),
    /// Run `quire` with the steps of the API benchmark.
    #[command(hide = true)]
    ServeApi(api::server::ApiServerOptions),
    /// Serve the baseline handler that uploads are compared with.
    #[command(hide = true)]
    ServeBaseline(api::baseline::BaselineServerOptions),
    /// Read the files named on standard input, for the reading benchmark.
    #[command(hide = true)]
    ReadFiles(read::serve::ReadFilesOptions),
}

#[derive(Subcommand)]
enum Area {
    /// The queue: drain rate, latency, concurrent enqueuing, large backlogs, idle cost.
    Queue(queue::QueueBenchOptions),
    /// The HTTP API: uploads, lists and details of many documents, liveness under load.
    Api(api::ApiBenchOptions),
    /// Uploads to Azure Blob Storage: the rate relative to a bare put, the memory of a large file.
    Blobs(blobs::BlobsBenchOptions),
    /// Moving an installation to PostgreSQL and Azure Blob Storage: the rate relative to a bare loop.
    Copy(copy::CopyBenchOptions),
    /// Workers: the processor time of a document with one worker and with two.
    Workers(workers::WorkersBenchOptions),
    /// Reading PDFs: words, boxes and time compared with other readers; cores, page images, memory.
    Read(read::ReadBenchOptions),
    /// Interpretation by rules: a record of ten pages, long documents, hostile text.
    Interpret(interpret::InterpretBenchOptions),
    /// The pages in a real browser: first paint, bytes sent, latency of changes, memory after many documents.
    Pages(pages::PagesBenchOptions),
    /// `quire process` on a folder of PDFs: cores, memory, a kill in the middle.
    Process(process::ProcessBenchOptions),
    /// Search: latency against the bare queries of the store, the nearest vectors, the order of results.
    Search(search::SearchBenchOptions),
    /// Reading web pages: processor time compared with `dom_smoothie` alone, and the words found.
    Web(web::WebBenchOptions),
}

fn main() -> ExitCode {
    // The sandbox starts this program again as a parser, without the arguments below.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == child::ARGUMENT) {
        return child::run();
    }
    let command = Arguments::parse().command;
    if matches!(command, Command::Bench { .. } | Command::Drill(_)) {
        report::print_profile();
    }
    let passed = match command {
        Command::Rehearse { arguments } => return rehearsal::run(arguments),
        Command::ServeApi(options) => return api::server::run(options),
        Command::Bench { area: Area::Api(options) } => block_on(api::bench(options)),
        Command::Bench { area: Area::Blobs(options) } => block_on(blobs::bench(options)),
        Command::Bench { area: Area::Copy(options) } => block_on(copy::bench(options)),
        Command::Bench { area: Area::Workers(options) } => block_on(workers::bench(options)),
        Command::Bench { area: Area::Pages(options) } => block_on(pages::bench(options)),
        Command::Bench { area: Area::Queue(options) } => block_on(queue::bench(options)),
        Command::Bench { area: Area::Read(options) } => read::bench(&options),
        Command::Bench { area: Area::Interpret(options) } => interpret::bench(options),
        Command::Bench { area: Area::Process(options) } => process::bench(options),
        Command::Bench { area: Area::Search(options) } => block_on(search::bench(options)),
        Command::Bench { area: Area::Web(options) } => block_on(web::bench(options)),
        Command::Drill(options) => block_on(drill::drill(options)),
        Command::Mutated(options) => mutated::drill(&options),
        Command::Produce(options) => block_on(async {
            producer::produce(options).await;
            true
        }),
        Command::ServeBaseline(options) => block_on(async {
            api::baseline::serve(options).await;
            true
        }),
        Command::ReadFiles(options) => block_on(async {
            read::serve::serve(options).await;
            true
        }),
    };
    if passed { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(future)
}
