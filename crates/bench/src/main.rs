//! Benchmarks and drills: what `cargo xtask bench` and `cargo xtask drill` run.
//!
//! Every figure is a ratio to a baseline measured in the same process, in interleaved pairs, because the machine is
//! noisy and only ratios travel.

// A benchmark that meets an error has nothing better to do than to stop and say so.
#![allow(clippy::unwrap_used, clippy::expect_used)]
// Rates and ratios are for people; the last digits of a count do not matter.
#![allow(clippy::cast_precision_loss)]

mod api;
mod database;
mod drill;
mod feed;
mod interpret;
mod pages;
mod process;
mod queue;
mod read;
mod record;
mod rehearsal;
mod report;

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
    /// Kill, stop and restart things at random under load, then check the history.
    Drill(drill::Options),
    /// The real program with rehearsed steps, for drills.
    #[command(hide = true)]
    Rehearse {
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<OsString>,
    },
    /// Ask for runs and print what was accepted, for drills.
    #[command(hide = true)]
    Feed(feed::Options),
    /// The real program with the steps that the benchmark of the API wants.
    #[command(hide = true)]
    ServeApi(api::server::Options),
    /// The handler that uploads are compared with.
    #[command(hide = true)]
    ServeBare(api::bare::Options),
    /// Read the files that standard input names, for the benchmark of reading.
    #[command(hide = true)]
    ReadFiles(read::serve::Options),
}

#[derive(Subcommand)]
enum Area {
    /// The queue: drain rate, latency, concurrent enqueuing, large backlogs, idle cost.
    Queue(queue::Options),
    /// Documents over HTTP: uploads, lists and details of many documents, signs of life under load.
    Api(api::Options),
    /// Reading PDFs: words, places and time against other readers, cores, page images, memory.
    Read(read::Options),
    /// Understanding by rules: a record of ten pages, long documents, hostile text.
    Interpret(interpret::Options),
    /// The pages in a real browser: first paint, bytes sent, changes seen, memory after many documents.
    Pages(pages::Options),
    /// `quire process` on a folder of PDFs: cores, memory, a kill in the middle.
    Process(process::Options),
}

fn main() -> ExitCode {
    // The sandbox starts this program again as its parser, which knows nothing of the arguments below.
    if std::env::args_os().nth(1).is_some_and(|argument| argument == child::ARGUMENT) {
        return child::run();
    }
    let command = Arguments::parse().command;
    if matches!(command, Command::Bench { .. } | Command::Drill(_)) {
        report::print_profile();
    }
    let sound = match command {
        Command::Rehearse { arguments } => return rehearsal::run(arguments),
        Command::ServeApi(options) => return api::server::run(options),
        Command::Bench { area: Area::Api(options) } => asynchronously(api::bench(options)),
        Command::Bench { area: Area::Pages(options) } => asynchronously(pages::bench(options)),
        Command::Bench { area: Area::Queue(options) } => asynchronously(queue::bench(options)),
        Command::Bench { area: Area::Read(options) } => read::bench(&options),
        Command::Bench { area: Area::Interpret(options) } => interpret::bench(options),
        Command::Bench { area: Area::Process(options) } => process::bench(options),
        Command::Drill(options) => asynchronously(drill::drill(options)),
        Command::Feed(options) => asynchronously(async {
            feed::feed(options).await;
            true
        }),
        Command::ServeBare(options) => asynchronously(async {
            api::bare::serve(options).await;
            true
        }),
        Command::ReadFiles(options) => asynchronously(async {
            read::serve::serve(options).await;
            true
        }),
    };
    if sound { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn asynchronously<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(work)
}
