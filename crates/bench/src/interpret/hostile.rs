//! Hostile text: measures whether the time of the rules grows no faster than the text.

use quire_domain::reading::{Line as Row, Page, Rect, Word};
use quire_understanding::Schema;

use super::{TARGET_GROWTH, median_cpu_ms};
use crate::record;
use crate::report::{Measurement, Table, median};

/// Words of the smaller text.
const WORDS: usize = 5_000;
/// How many times larger the larger text is.
const TIMES: usize = 4;

type Generator = fn(usize) -> Vec<Page>;

const KINDS: [(&str, Generator); 6] = [
    ("one repeated label", |words| of_lines(words, "Paciente:")),
    ("labels without values", |words| {
        of_lines(words, "Motivo: Diagnóstico: Peso: Tratamiento: Fecha: Raza:")
    }),
    ("only digits", |words| of_lines(words, "01 02 2024 4,5 941000024680135 28001 655 123 987")),
    ("dates and times", |words| of_lines(words, "- 01/02/2024 - 10:00 - Visita 01/02/2024")),
    ("a single line", |words| vec![in_one_line(words, 0.6)]),
    ("a column for each word", |words| vec![in_one_line(words, 60.0)]),
];

pub fn measure() -> Table {
    let schema = Schema::built_in_default();
    let mut table = Table::default();
    for (name, generate) in KINDS {
        let (small, large) = (generate(WORDS), generate(WORDS * TIMES));
        let mut times = Vec::new();
        let growth = (0..7).map(|_| {
            times.push(median_cpu_ms(&small, &schema, 5));
            median_cpu_ms(&large, &schema, 3) / TIMES as f64 / times[times.len() - 1]
        });
        let growth = median(growth.collect());
        table.measurements.push(Measurement::at_most(
            format!("{name}: time per word with {} words, relative to {WORDS} words", WORDS * TIMES),
            growth,
            TARGET_GROWTH,
            "×",
        ));
        table.notes.push(format!("{name} {:.2} ms", median(times)));
    }
    table
}

fn of_lines(words: usize, line: &str) -> Vec<Page> {
    let count = words / line.split_whitespace().count();
    let lines = vec![line.to_owned(); count];
    record::pages(&lines.chunks(50).map(<[String]>::to_vec).collect::<Vec<_>>())
}

fn in_one_line(words: usize, gap: f32) -> Page {
    let mut x0 = 0.0;
    let word = |index: usize| {
        let text = if index.is_multiple_of(2) { "Peso" } else { "Motivo:" };
        let rect = Rect { x0, y0: 100.0, x1: x0 + 8.0, y1: 110.0 };
        x0 += 8.0 + gap;
        Word::new(text, rect)
    };
    let words = (0..words).map(word).collect();
    Page {
        width: 595.0,
        height: 842.0,
        lines: vec![Row { words, opens_paragraph: false }],
        ..Page::default()
    }
}
