//! Run time grows in proportion to the document. Measured by the clock, to catch work that no step count shows.

use std::time::{Duration, Instant};

use super::*;
use quire_domain::reading::{Line, Rect, Word};

/// The words of the smaller document, and how many times larger the other document is.
const WORDS: usize = 1_000;
const TIMES: usize = 4;
/// The factor by which four times the words may take longer. Quadratic work takes sixteen times as long; the rest is
/// tolerance for a busy machine.
const MOST: u32 = 9;

/// Pages of this line, with its number in place of `#`.
fn of_lines(words: usize, line: &str) -> Vec<Page> {
    let count = words / line.split_whitespace().count().max(1);
    let lines: Vec<String> = (0..count).map(|number| line.replace('#', &number.to_string())).collect();
    let page = |lines: &[String]| PageBuilder::lines(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    lines.chunks(50).map(page).collect()
}

/// Visits on different days.
fn of_visits(words: usize) -> Vec<Page> {
    let visit_lines = |number: usize| {
        let (year, month, day) = (1950 + number / 336, 1 + number / 28 % 12, 1 + number % 28);
        [
            format!("Visita {day:02}/{month:02}/{year}"),
            format!("Diagnóstico: caso {number}"),
            "Peso: 4 kg".to_owned(),
        ]
    };
    let lines: Vec<String> = (0..words / 8).flat_map(visit_lines).collect();
    let page = |lines: &[String]| PageBuilder::lines(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    lines.chunks(48).map(page).collect()
}

/// One line of words with this gap between them.
fn of_one_line(words: usize, gap: f32, text: fn(usize) -> &'static str) -> Vec<Page> {
    let mut x0 = 0.0;
    let word = |place: usize| {
        let rect = Rect { x0, y0: 100.0, x1: x0 + 8.0, y1: 110.0 };
        x0 += 8.0 + gap;
        Word::new(text(place), rect)
    };
    let line = Line { words: (0..words).map(word).collect(), opens_paragraph: false };
    vec![Page { width: 595.0, height: 842.0, lines: vec![line], ..Page::default() }]
}

/// Rows of columns on one page, much longer than a page.
fn of_columns(words: usize) -> Vec<Page> {
    let mut paper = PageBuilder::new();
    let mut y = 0.0;
    for _ in 0..words / 6 {
        paper.row(
            y,
            &[(10.0, "Fecha"), (80.0, "Peso:"), (150.0, "x"), (220.0, "Motivo"), (290.0, "5"), (360.0, "kg")],
        );
        y += 12.0;
    }
    vec![paper.page()]
}

fn fastest(pages: &[Page]) -> Duration {
    let time = |_| {
        let start = Instant::now();
        std::hint::black_box(found_in(pages));
        start.elapsed()
    };
    (0..3).map(time).min().unwrap_or_default()
}

fn grows_no_faster(what: &str, make: impl Fn(usize) -> Vec<Page>) {
    let (small, large) = (make(WORDS), make(WORDS * TIMES));
    let mut durations = Vec::new();
    // A busy machine gets another chance; work that grows too fast fails every time.
    for _ in 0..4 {
        let (once, more) = (fastest(&small), fastest(&large));
        if more <= once * MOST {
            return;
        }
        durations.push((once, more));
    }
    panic!("{what}: {durations:?}");
}

#[test]
fn run_time_grows_linearly_for_every_kind_of_text() {
    let labels = |place: usize| if place.is_multiple_of(2) { "Peso" } else { "Motivo:" };
    grows_no_faster("one label", |words| of_lines(words, "Paciente:"));
    grows_no_faster("one label with values", |words| of_lines(words, "Paciente: Luna#"));
    grows_no_faster("many labels", |words| {
        of_lines(words, "Motivo: Diagnóstico: Peso: Fecha: Raza: Especie:")
    });
    grows_no_faster("digits", |words| of_lines(words, "01 02 2024 4,5 941000024680135 28001 655 123 987"));
    grows_no_faster("dates", |words| of_lines(words, "- 01/02/2024 - 10:00 -"));
    grows_no_faster("list items", |words| of_lines(words, "- uno # dos"));
    grows_no_faster("headings", |words| of_lines(words, "PROPIETARIO"));
    grows_no_faster("spoilt labels", |words| of_lines(words, "D1agnósl1co: Pac1enle:"));
    grows_no_faster("prose", |words| {
        of_lines(words, "el paciente come bien y duerme toda la noche en su casa")
    });
    grows_no_faster("letterheads", |words| {
        of_lines(words, "Clínica Veterinaria Los Sauces # Calle Mayor 14, 28990")
    });
    grows_no_faster("visits", of_visits);
    grows_no_faster("one line", |words| of_one_line(words, 1.0, labels));
    grows_no_faster("one row of cells", |words| of_one_line(words, 60.0, labels));
    grows_no_faster("one line of words", |words| of_one_line(words, 1.0, |_| "palabra"));
    grows_no_faster("deep columns", of_columns);
    // One word as long as a document.
    grows_no_faster("one word", |words| vec![PageBuilder::lines(&["x".repeat(words * 10).as_str()])]);
    grows_no_faster("one value", |words| {
        vec![PageBuilder::lines(&[format!("Paciente: {}", "9/".repeat(words * 5)).as_str()])]
    });
}
