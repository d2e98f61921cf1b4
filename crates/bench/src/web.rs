//! `bench web`: reading web pages. Compares the processor time of the sandboxed reader, with its server's side, to that of
//! `dom_smoothie` alone on the same bytes, and measures how well the words of pages with known content are found, and how
//! much memory fifty links at once add to a server.

mod memory;

use std::sync::Arc;
use std::time::Duration;

use dom_smoothie::Readability;
use quire_reading::html::PageOptions;
use quire_reading::sandbox::{ConfinementPolicy, ParserLimits, ParserProgram, Sandbox};
use quire_testkit::web_pages::{WebPageSample, samples, words_f1};
use rustix::time::{ClockId, clock_gettime};

use crate::process::usage::UsageMeter;
use crate::report::{self, Measurement, Table, median};

/// The targets: processor time relative to `dom_smoothie` alone, the F1 of words, and the memory that links add, in MB.
const TARGET_TIME: f64 = 2.0;
const TARGET_F1: f64 = 0.97;
const TARGET_MEMORY: f64 = 100.0;
/// Parsers are sampled this often, because those that end take their processor time with them.
const SAMPLE_EVERY: usize = 40;

/// A part of the benchmark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Part {
    /// Processor time and words of pages.
    Reading,
    /// The memory of fifty links at once.
    Memory,
}

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct WebBenchOptions {
    /// Measure this part only.
    #[arg(long)]
    part: Option<Part>,
    /// How often both are measured.
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// How often each page is read in a round.
    #[arg(long, default_value_t = 50)]
    repeat: usize,
}

/// Measures all parts and prints the table. Returns whether all targets are met.
pub async fn bench(options: WebBenchOptions) -> bool {
    let is_wanted = |part| options.part.is_none_or(|wanted| wanted == part);
    let mut table = Table { measurements: Vec::new(), notes: Vec::new() };
    if is_wanted(Part::Reading) {
        measure_reading(options, &mut table).await;
    }
    if is_wanted(Part::Memory) {
        let added = memory::measure().await;
        let name = format!("memory that {} links at once add to the server", memory::LINKS);
        table.measurements.push(Measurement::at_most(name, added.server, TARGET_MEMORY, " MB"));
        let note = format!("{:.1} MB with its parsers; each of the links is a page of 500 kB", added.tree);
        table.notes.push(note);
    }
    report::print("Web pages", &table)
}

async fn measure_reading(options: WebBenchOptions, table: &mut Table) {
    let limits = ParserLimits::default();
    let sandbox =
        Sandbox::start(ParserProgram::current(), limits, 1, ConfinementPolicy::default()).await.unwrap();
    let pages = samples();
    let mut meter = UsageMeter::start(std::process::id());
    let (mut ratios, mut alone_ms, mut ours_ms) = (Vec::new(), Vec::new(), Vec::new());
    // Round 0 is a warm-up.
    for round in 0..=options.rounds {
        let alone = read_alone(&pages, options.repeat);
        let ours = read_sandboxed(&sandbox, &pages, options.repeat, &mut meter).await;
        if round > 0 {
            let per_page = 1000.0 / (pages.len() * options.repeat) as f64;
            ratios.push(ours / alone);
            alone_ms.push(alone * per_page);
            ours_ms.push(ours * per_page);
        }
    }
    let mut scores = Vec::new();
    for page in &pages {
        let article = sandbox.read_article(page.html.as_bytes(), page_options()).await.unwrap();
        scores.push(words_f1(&article.text, &page.text));
    }
    let worst = scores.iter().copied().fold(1.0, f64::min);
    let time = "processor time, relative to dom_smoothie";
    table.measurements.extend([
        Measurement::at_most(time, median(ratios), TARGET_TIME, "×"),
        Measurement::at_least("F1 of the words, worst page", worst, TARGET_F1, ""),
    ]);
    table.notes.extend([
        format!("{:.2} ms a page, dom_smoothie alone {:.2} ms", median(ours_ms), median(alone_ms)),
        format!("{} pages of {} kB on average", pages.len(), kilobytes(&pages) / pages.len()),
    ]);
}

fn page_options() -> PageOptions {
    PageOptions {
        is_html: true,
        charset: Some("utf-8".to_owned()),
        url: "https://example.com/article".to_owned(),
    }
}

fn kilobytes(pages: &[WebPageSample]) -> usize {
    pages.iter().map(|page| page.html.len()).sum::<usize>() / 1000
}

/// The processor seconds of `dom_smoothie`.
fn read_alone(pages: &[WebPageSample], repeat: usize) -> f64 {
    let before = thread_time();
    for page in (0..repeat).flat_map(|_| pages) {
        let mut reader =
            Readability::new(page.html.as_str(), Some("https://example.com/article"), None).unwrap();
        std::hint::black_box(reader.parse().unwrap());
    }
    thread_time().saturating_sub(before).as_secs_f64()
}

/// The processor seconds of this process and its parsers.
async fn read_sandboxed(
    sandbox: &Sandbox,
    pages: &[WebPageSample],
    repeat: usize,
    meter: &mut UsageMeter,
) -> f64 {
    let files: Vec<Arc<[u8]>> = pages.iter().map(|page| page.html.as_bytes().into()).collect();
    let before = meter.cpu_seconds_now();
    for (number, file) in (0..repeat).flat_map(|_| &files).enumerate() {
        std::hint::black_box(sandbox.read_article(file, page_options()).await.unwrap());
        if number % SAMPLE_EVERY == 0 {
            meter.sample();
        }
    }
    meter.cpu_seconds_now() - before
}

fn thread_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}
