//! `bench read`: reading PDFs, against `PyMuPDF` for time and places, and against pdftotext as a second opinion.
//!
//! Both contenders are processes that are started once, are told paths on standard input, and time themselves. So
//! neither is charged for its start or for telling the result to the bench, and both can be held to one core.

mod agreement;
mod boxes;
mod contender;
mod cores;
mod corpus;
pub mod made;
mod matching;
mod memory;
mod pace;
mod plot;
mod promptness;
mod reader;
pub mod serve;
mod speed_up;
mod tokens;

use std::path::PathBuf;

use contender::Contender;
use corpus::Corpus;

use crate::report;

/// What to measure.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// Only this part.
    #[arg(long)]
    part: Option<Part>,
    /// Interleaved rounds over the whole corpus.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// PDFs of your own to read as well, from this folder and those in it; may be given several times.
    #[arg(long = "folder", value_name = "DIR")]
    folders: Vec<PathBuf>,
    /// Where to draw the times of each file, as SVG.
    #[arg(long, value_name = "FILE")]
    plot: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Part {
    Agreement,
    Pace,
    SpeedUp,
    Promptness,
    Memory,
}

impl Part {
    const ALL: [Self; 5] = [Self::Agreement, Self::Pace, Self::SpeedUp, Self::Promptness, Self::Memory];

    fn title(self) -> &'static str {
        match self {
            Self::Agreement => "Words and places, against PyMuPDF",
            Self::Pace => "Time on one core, against PyMuPDF",
            Self::SpeedUp => "Two cores, against one",
            Self::Promptness => "A small document and a page image",
            Self::Memory => "Memory of the server",
        }
    }
}

/// Measures everything and prints the tables. Answers whether all that was wanted was reached.
pub fn bench(options: &Options) -> bool {
    let mut corpus = Corpus::gather(&options.folders);
    println!("{}", corpus.description());
    let unread = corpus.keep_what_both_read(&mut Contender::pymupdf(), &mut Contender::quire_on_one_core());
    let mut met = report::print("Files", &unread);
    for part in Part::ALL.into_iter().filter(|part| options.part.is_none_or(|only| only == *part)) {
        eprintln!("measuring {part:?}");
        let table = match part {
            Part::Agreement => agreement::measure(&corpus),
            Part::Pace => pace::measure(&corpus, options),
            Part::SpeedUp => speed_up::measure(&corpus, options),
            Part::Promptness => promptness::measure(&corpus),
            Part::Memory => memory::measure(&corpus),
        };
        met &= report::print(part.title(), &table);
    }
    met
}
