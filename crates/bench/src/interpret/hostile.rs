//! Text that makes rules look around: the same amount, and four times as much of it.

use quire_domain::reading::{Line as Row, Page, Rect, Word};
use quire_understanding::Schema;

use super::{WANTED_GROWTH, usual};
use crate::record;
use crate::report::{Line, Table, median};

/// Words of the smaller one.
const WORDS: usize = 5_000;
/// How many times larger the other one is.
const TIMES: usize = 4;

type Maker = fn(usize) -> Vec<Page>;

const KINDS: [(&str, Maker); 6] = [
    ("one label again and again", |words| of_lines(words, "Paciente:")),
    ("labels without values", |words| {
        of_lines(words, "Motivo: Diagnóstico: Peso: Tratamiento: Fecha: Raza:")
    }),
    ("nothing but digits", |words| of_lines(words, "01 02 2024 4,5 941000024680135 28001 655 123 987")),
    ("dates and times", |words| of_lines(words, "- 01/02/2024 - 10:00 - Visita 01/02/2024")),
    ("a single line", |words| vec![in_one_line(words, 0.6)]),
    ("a column for each word", |words| vec![in_one_line(words, 60.0)]),
];

/// The table.
pub fn measure() -> Table {
    let schema = Schema::built_in_default();
    let mut table = Table::default();
    for (what, make) in KINDS {
        let (small, large) = (make(WORDS), make(WORDS * TIMES));
        let mut took = Vec::new();
        let growth = (0..7).map(|_| {
            took.push(usual(&small, &schema, 5));
            usual(&large, &schema, 3) / TIMES as f64 / took[took.len() - 1]
        });
        let growth = median(growth.collect());
        table.lines.push(Line::at_most(
            format!("{what}: a word among {} to one among {WORDS}", WORDS * TIMES),
            growth,
            WANTED_GROWTH,
            "×",
        ));
        table.notes.push(format!("{what} {:.2} ms", median(took)));
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
    let word = |place: usize| {
        let text = if place.is_multiple_of(2) { "Peso" } else { "Motivo:" };
        let rect = Rect { x0, y0: 100.0, x1: x0 + 8.0, y1: 110.0 };
        x0 += 8.0 + gap;
        Word { text: text.to_owned(), rect }
    };
    let words = (0..words).map(word).collect();
    Page {
        width: 595.0,
        height: 842.0,
        lines: vec![Row { words, opens_paragraph: false }],
        recognised: false,
    }
}
