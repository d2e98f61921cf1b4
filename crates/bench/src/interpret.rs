//! `bench interpret`: understanding by rules. How long a record of ten pages takes on one core, and whether the time grows
//! with the document and no faster, also for text that was written to make it so.

mod hostile;

use std::time::{Duration, Instant};

use quire_domain::reading::Page;
use quire_understanding::Schema;
use quire_understanding::rules::{self, DocumentHints};
use rustix::time::{ClockId, clock_gettime};

use crate::record;
use crate::report::{self, Line, Table, median, percentile};

/// What a record of ten pages may take, in milliseconds.
const WANTED_MS: f64 = 10.0;
/// How much more a page of a long document may take than one of a short one.
const WANTED_GROWTH: f64 = 1.5;

/// What to measure.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct Options {
    /// How often the record of ten pages is understood.
    #[arg(long, default_value_t = 1000)]
    rounds: usize,
}

/// Measures everything and prints the tables. Answers whether all that was wanted was reached.
pub fn bench(options: Options) -> bool {
    let met = report::print("A record of ten pages", &ten_pages(options.rounds));
    report::print("Text written to take long", &hostile::measure()) && met
}

/// What a call took.
#[derive(Clone, Copy)]
struct Took {
    /// Of this thread's core, which others on the machine do not add to.
    core: Duration,
    /// By the clock.
    clock: Duration,
}

fn understand(pages: &[Page], schema: &Schema) -> Took {
    let (core, clock) = (core_time(), Instant::now());
    std::hint::black_box(rules::extract_fields(
        std::hint::black_box(pages),
        schema,
        DocumentHints::default(),
    ));
    Took { core: core_time().saturating_sub(core), clock: clock.elapsed() }
}

fn core_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The middle one of several calls, on this thread's core.
fn usual(pages: &[Page], schema: &Schema, rounds: usize) -> f64 {
    median((0..rounds).map(|_| milliseconds(understand(pages, schema).core)).collect())
}

fn ten_pages(rounds: usize) -> Table {
    let schema = Schema::built_in_default();
    let short = record::pages(&record::lines(1, 10));
    let long = record::pages(&record::lines(1, 100));
    usual(&short, &schema, rounds / 10);
    let took: Vec<Took> = (0..rounds).map(|_| understand(&short, &schema)).collect();
    let core: Vec<f64> = took.iter().map(|took| milliseconds(took.core)).collect();
    let clock: Vec<f64> = took.iter().map(|took| milliseconds(took.clock)).collect();
    // In turns, so that a machine that slows down slows both.
    let growth = (0..10).map(|_| usual(&long, &schema, 3) / 10.0 / usual(&short, &schema, 30)).collect();
    let fields = rules::extract_fields(&short, &schema, DocumentHints::default()).len();
    let words: usize = short.iter().flat_map(|page| &page.lines).map(|line| line.words.len()).sum();
    Table {
        lines: vec![
            Line::at_most("time on one core, p50", median(core.clone()), WANTED_MS, " ms"),
            Line::at_most("the same, p99", percentile(core, 0.99), WANTED_MS, " ms"),
            Line::at_most("a page among 100 to a page among 10", median(growth), WANTED_GROWTH, "×"),
        ],
        notes: vec![
            format!("{rounds} times {words} words, of which {fields} fields are made"),
            format!(
                "by the clock p50 {:.2} ms, p99 {:.2} ms",
                median(clock.clone()),
                percentile(clock, 0.99)
            ),
        ],
    }
}
