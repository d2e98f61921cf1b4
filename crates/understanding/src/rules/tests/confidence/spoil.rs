//! Spoils pages as scanners, printers and other people do. The same page and number always give the same.

use super::super::page_builder::PageBuilder;
use quire_domain::reading::{Page, Word};

/// The number of ways.
pub(super) const KINDS: usize = 6;

/// Lines that look like what a document states, and are about something else.
const OTHER_LINES: [&str; 10] = [
    "Remitido por: Clínica Norte, Calle Falsa 12, 08990 Otero",
    "Fecha: 01/02/2019",
    "Nombre: Rufo",
    "Ref. 99812-B",
    "Total anterior: 812,40",
    "Contact: Anna Beispiel",
    "Date: 2018-05-06",
    "Peso: 55 kg",
    "Customer no. 5512",
    "Propietario anterior: Jaime Ruano",
];

/// A small generator of numbers: no test may depend on chance.
struct Numbers(u64);

impl Numbers {
    /// The next number, below a limit.
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % limit
    }

    /// Whether something that happens this many times of a hundred happens now.
    fn happens(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

pub(super) fn spoilt(pages: &[Page], kind: usize, seed: usize) -> Vec<Page> {
    let mut numbers = Numbers((seed * 31 + kind) as u64 + 7);
    numbers.below(1);
    let mut pages = pages.to_vec();
    for page in &mut pages {
        match kind {
            0 => lose_labels(page, &mut numbers),
            1 => misread(page, &mut numbers),
            2 => add_other_lines(page, &mut numbers),
            3 => {
                lose_labels(page, &mut numbers);
                glue_columns(page, &mut numbers);
            }
            4 => {
                lose_lines(page, &mut numbers);
                add_other_lines(page, &mut numbers);
            }
            _ => {
                swap_lines(page, &mut numbers);
                lose_labels(page, &mut numbers);
            }
        }
    }
    pages
}

fn lose_labels(page: &mut Page, numbers: &mut Numbers) {
    for line in &mut page.lines {
        line.words.retain(|word| !(word.text.ends_with(':') && numbers.happens(25)));
    }
}

fn misread(page: &mut Page, numbers: &mut Numbers) {
    page.recognised = true;
    for word in page.lines.iter_mut().flat_map(|line| &mut line.words) {
        if numbers.happens(7) {
            let (from, to) =
                [("o", "0"), ("l", "1"), ("e", "c"), ("B", "8"), ("5", "S"), ("1", "l"), ("m", "rn")]
                    [numbers.below(7)];
            let misread = word.text.replacen(from, to, 1);
            // Text recognition doubts most of what it misreads, and some of what it reads right.
            let is_doubted = numbers.happens(if misread == word.text { 6 } else { 75 });
            word.confidence = Some(if is_doubted { 0.45 } else { 0.93 });
            word.text = misread;
        } else {
            word.confidence = Some(if numbers.happens(4) { 0.6 } else { 0.95 });
        }
    }
}

fn add_other_lines(page: &mut Page, numbers: &mut Numbers) {
    for _ in 0..3 {
        if page.lines.is_empty() {
            return;
        }
        let place = numbers.below(page.lines.len());
        let other = OTHER_LINES[numbers.below(OTHER_LINES.len())];
        let Some(rect) = page.lines[place].words.first().map(|word| word.rect) else { continue };
        for word in page
            .lines
            .iter_mut()
            .flat_map(|line| &mut line.words)
            .filter(|word| word.rect.y0 >= rect.y0 - 2.0)
        {
            word.rect.y0 += 14.0;
            word.rect.y1 += 14.0;
        }
        let mut paper = PageBuilder::new();
        paper.text_at(rect.x0, rect.y0, other);
        page.lines.extend(paper.page().lines);
    }
}

fn glue_columns(page: &mut Page, numbers: &mut Numbers) {
    for line in &mut page.lines {
        let is_glued = numbers.happens(35);
        let mut end: Option<f32> = None;
        for word in line.words.iter_mut().filter(|_| is_glued) {
            let width = word.rect.x1 - word.rect.x0;
            if let Some(end) = end.filter(|end| word.rect.x0 - end > 6.0) {
                word.rect.x0 = end + 5.0;
                word.rect.x1 = word.rect.x0 + width;
            }
            end = Some(word.rect.x1);
        }
    }
}

fn lose_lines(page: &mut Page, numbers: &mut Numbers) {
    page.lines.retain(|_| !numbers.happens(15));
}

fn swap_lines(page: &mut Page, numbers: &mut Numbers) {
    for place in 1..page.lines.len() {
        if !numbers.happens(12) {
            continue;
        }
        let height = |words: &[Word]| words.first().map(|word| word.rect.y0);
        let (Some(one), Some(two)) = (height(&page.lines[place - 1].words), height(&page.lines[place].words))
        else {
            continue;
        };
        for (line, shift) in [(place - 1, two - one), (place, one - two)] {
            for word in &mut page.lines[line].words {
                word.rect.y0 += shift;
                word.rect.y1 += shift;
            }
        }
    }
}
