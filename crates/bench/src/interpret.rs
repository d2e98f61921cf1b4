//! `bench interpret`: interpretation by rules. Measures the time for a record of ten pages on one core, and whether the time
//! grows no faster than the document, even for hostile text.

mod hostile;

use std::time::{Duration, Instant};

use quire_domain::reading::Page;
use quire_understanding::Schema;
use quire_understanding::rules::{self, DocumentHints};
use rustix::time::{ClockId, clock_gettime};

use crate::record;
use crate::report::{self, Measurement, Table, median, percentile};

/// The target for a record of ten pages, in milliseconds.
const TARGET_MS: f64 = 10.0;
/// The target for the time of a page in a long document, relative to a page in a short one.
const TARGET_GROWTH: f64 = 1.5;

/// The options of the benchmark.
#[derive(clap::Args, Clone, Copy, Debug)]
pub struct InterpretBenchOptions {
    /// How often the record of ten pages is interpreted.
    #[arg(long, default_value_t = 1000)]
    rounds: usize,
}

/// Measures all parts and prints the tables. Returns whether all targets are met.
pub fn bench(options: InterpretBenchOptions) -> bool {
    let met = report::print("A record of ten pages", &ten_pages(options.rounds));
    report::print("Hostile text", &hostile::measure()) && met
}

/// The time of one call.
#[derive(Clone, Copy)]
struct Elapsed {
    /// CPU time of this thread. Other processes do not affect it.
    cpu: Duration,
    /// Wall clock time.
    wall: Duration,
}

fn time_rules(pages: &[Page], schema: &Schema) -> Elapsed {
    let (core, clock) = (cpu_time(), Instant::now());
    std::hint::black_box(rules::find_fields(std::hint::black_box(pages), schema, DocumentHints::default()));
    Elapsed { cpu: cpu_time().saturating_sub(core), wall: clock.elapsed() }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap())
}

fn milliseconds(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1000.0
}

/// The median CPU time of several calls, in milliseconds.
fn median_cpu_ms(pages: &[Page], schema: &Schema, rounds: usize) -> f64 {
    median((0..rounds).map(|_| milliseconds(time_rules(pages, schema).cpu)).collect())
}

fn ten_pages(rounds: usize) -> Table {
    let schema = Schema::built_in_default();
    let short = record::pages(&record::lines(1, 10));
    let long = record::pages(&record::lines(1, 100));
    median_cpu_ms(&short, &schema, rounds / 10);
    let times: Vec<Elapsed> = (0..rounds).map(|_| time_rules(&short, &schema)).collect();
    let core: Vec<f64> = times.iter().map(|time| milliseconds(time.cpu)).collect();
    let clock: Vec<f64> = times.iter().map(|time| milliseconds(time.wall)).collect();
    // Alternating, so that a slower machine affects both.
    let growth = (0..10)
        .map(|_| median_cpu_ms(&long, &schema, 3) / 10.0 / median_cpu_ms(&short, &schema, 30))
        .collect();
    let fields = rules::find_fields(&short, &schema, DocumentHints::default()).len();
    let words: usize = short.iter().flat_map(|page| &page.lines).map(|line| line.words.len()).sum();
    Table {
        measurements: vec![
            Measurement::at_most("CPU time, p50", median(core.clone()), TARGET_MS, " ms"),
            Measurement::at_most("CPU time, p99", percentile(core, 0.99), TARGET_MS, " ms"),
            Measurement::at_most(
                "time per page with 100 pages, relative to 10 pages",
                median(growth),
                TARGET_GROWTH,
                "×",
            ),
        ],
        notes: vec![
            format!("{rounds} rounds of {words} words, which give {fields} fields"),
            format!("wall clock p50 {:.2} ms, p99 {:.2} ms", median(clock.clone()), percentile(clock, 0.99)),
        ],
    }
}
