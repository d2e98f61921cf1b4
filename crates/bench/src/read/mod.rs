//! `bench read`: compares reading PDFs with `PyMuPDF` (time, words and boxes), and with pdftotext as a second reference.
//!
//! Both readers are processes that start once, get paths on standard input, and measure their own time. So neither the
//! start nor the transfer of results counts, and both can be limited to one core.

mod agreement;
mod boxes;
mod cores;
mod corpus;
pub mod generated;
mod latency;
mod matching;
mod memory;
mod plot;
mod reader;
mod reader_process;
pub mod serve;
mod speed;
mod speed_up;
mod tokens;

use std::path::PathBuf;

use corpus::Corpus;
use reader_process::ReaderProcess;

use crate::report;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Debug)]
pub struct ReadBenchOptions {
    /// Measure this part only.
    #[arg(long)]
    part: Option<ReadBenchPart>,
    /// The number of interleaved rounds over the whole corpus.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Also read the PDFs in this folder and its subfolders. Can be repeated.
    #[arg(long = "folder", value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Write a plot of the time per file to this SVG file.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum ReadBenchPart {
    Agreement,
    #[value(alias = "pace")]
    Speed,
    SpeedUp,
    #[value(alias = "promptness")]
    Latency,
    Memory,
}

impl ReadBenchPart {
    const ALL: [Self; 5] = [Self::Agreement, Self::Speed, Self::SpeedUp, Self::Latency, Self::Memory];

    fn title(self) -> &'static str {
        match self {
            Self::Agreement => "Words and boxes, compared with PyMuPDF",
            Self::Speed => "Time on one core, compared with PyMuPDF",
            Self::SpeedUp => "Two cores, compared with one",
            Self::Latency => "A small document and a page image",
            Self::Memory => "Memory of the server",
        }
    }
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub fn bench(options: &ReadBenchOptions) -> bool {
    let mut corpus = Corpus::collect(&options.folders);
    println!("{}", corpus.description());
    let files =
        corpus.keep_files_both_read(&mut ReaderProcess::pymupdf(), &mut ReaderProcess::quire_on_one_core());
    let mut met = report::print("Files", &files);
    for part in ReadBenchPart::ALL.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
        eprintln!("measuring {part:?}");
        let table = match part {
            ReadBenchPart::Agreement => agreement::measure(&corpus),
            ReadBenchPart::Speed => speed::measure(&corpus, options),
            ReadBenchPart::SpeedUp => speed_up::measure(&corpus, options),
            ReadBenchPart::Latency => latency::measure(&corpus),
            ReadBenchPart::Memory => memory::measure(&corpus),
        };
        met &= report::print(part.title(), &table);
    }
    met
}
