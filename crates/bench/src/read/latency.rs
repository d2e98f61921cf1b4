//! Measures the latency of small requests on running parsers: a document with one word, and a page image.

use std::path::Path;

use super::corpus::Corpus;
use super::reader_process::{ReaderProcess, Task};
use crate::report::{Measurement, Table, percentile};

const SMALL_READS: usize = 500;
const IMAGES: usize = 20;

/// Measures both requests.
pub fn measure(corpus: &Corpus) -> Table {
    let mut quire = ReaderProcess::quire_on_two_cores();
    let mut milliseconds = |task: Task, path: &Path, times: usize| -> Vec<f64> {
        // The first five are a warm-up.
        (0..times + 5).map(|_| quire.seconds(task, &[path]) * 1000.0).skip(5).collect()
    };
    let read = milliseconds(Task::Time, &corpus.one_word, SMALL_READS);
    let image = milliseconds(Task::Image, &corpus.text_page, IMAGES);
    Table {
        measurements: vec![
            Measurement::at_most("document with one word, p50", percentile(read.clone(), 0.5), 2.0, " ms"),
            Measurement::at_most(
                "A4 page of text at 1.5 pixels per point, p50",
                percentile(image.clone(), 0.5),
                60.0,
                " ms",
            ),
        ],
        notes: vec![format!(
            "p99 of {SMALL_READS} documents {:.2} ms, of {IMAGES} images {:.2} ms",
            percentile(read, 0.99),
            percentile(image, 0.99)
        )],
    }
}
