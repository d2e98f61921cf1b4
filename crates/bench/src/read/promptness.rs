//! What a small thing costs when the parsers are warm: a document of one word, and the image of a page.

use std::path::Path;

use super::contender::{Contender, Task};
use super::corpus::Corpus;
use crate::report::{Line, Table, percentile};

const SMALL_READS: usize = 500;
const IMAGES: usize = 20;

/// The table.
pub fn measure(corpus: &Corpus) -> Table {
    let mut quire = Contender::quire_on_two_cores();
    let mut milliseconds = |task: Task, path: &Path, times: usize| -> Vec<f64> {
        // The first ones find a cold process.
        (0..times + 5).map(|_| quire.seconds(task, &[path]) * 1000.0).skip(5).collect()
    };
    let read = milliseconds(Task::Time, &corpus.one_word, SMALL_READS);
    let image = milliseconds(Task::Image, &corpus.text_page, IMAGES);
    Table {
        lines: vec![
            Line::at_most("a document of one word, p50", percentile(read.clone(), 0.5), 2.0, " ms"),
            Line::at_most(
                "A4 page of text at 1.5 pixels per point, p50",
                percentile(image.clone(), 0.5),
                60.0,
                " ms",
            ),
        ],
        notes: vec![format!(
            "p99 {:.2} ms of {SMALL_READS} documents, {:.2} ms of {IMAGES} images",
            percentile(read, 0.99),
            percentile(image, 0.99)
        )],
    }
}
