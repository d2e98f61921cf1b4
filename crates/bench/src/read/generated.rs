//! Generates PDFs, the same on every machine: prose, tables, and short letters.

use quire_testkit::documents::{A4_HEIGHT, A4_WIDTH, Font, PageContent, Pdf};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// All generated documents with their names.
pub fn all() -> Vec<(String, Vec<u8>)> {
    let mut random = StdRng::seed_from_u64(1);
    let mut documents: Vec<(String, Vec<u8>)> =
        (1..=4).map(|number| (format!("prose-{number}"), file(prose(&mut random, 40)))).collect();
    documents.extend((1..=4).map(|number| (format!("table-{number}"), file(table(&mut random, 25)))));
    documents.extend((1..=60).map(|number| (format!("letter-{number}"), file(prose(&mut random, 1)))));
    documents
}

fn file(pages: Vec<PageContent>) -> Vec<u8> {
    let contents: Vec<String> = pages.into_iter().map(PageContent::into_string).collect();
    Pdf::of_pages(&contents).with_bold_font().file()
}

/// A document with one word, to measure the time that every document takes.
pub fn one_word() -> Vec<u8> {
    let mut page = PageContent::default();
    page.text(Font::Regular, 11.0, (MARGIN, TOP), "hola");
    file(vec![page])
}

/// A full page of text.
pub fn text_page() -> Vec<u8> {
    file(prose(&mut StdRng::seed_from_u64(2), 1))
}

/// A document with as many pages of text as a file of at least `bytes` bytes needs.
pub fn prose_of(bytes: usize) -> Vec<u8> {
    let page = text_page().len();
    // A page of a longer file is a little smaller than a file with one page.
    let mut pages = bytes / page;
    loop {
        let document = file(prose(&mut StdRng::seed_from_u64(3), pages));
        if document.len() >= bytes {
            return document;
        }
        pages += 1 + (bytes - document.len()) / page;
    }
}

const MARGIN: f32 = 70.0;
const TOP: f32 = A4_HEIGHT - 80.0;
const BOTTOM: f32 = 80.0;

const WORDS: &[&str] = &[
    "de",
    "la",
    "que",
    "el",
    "en",
    "y",
    "los",
    "se",
    "del",
    "las",
    "por",
    "un",
    "para",
    "con",
    "no",
    "una",
    "su",
    "al",
    "es",
    "lo",
    "como",
    "más",
    "pero",
    "sus",
    "le",
    "ya",
    "o",
    "este",
    "sí",
    "porque",
    "esta",
    "entre",
    "cuando",
    "muy",
    "sin",
    "sobre",
    "también",
    "me",
    "hasta",
    "hay",
    "donde",
    "quien",
    "desde",
    "todo",
    "nos",
    "durante",
    "paciente",
    "análisis",
    "informe",
    "tratamiento",
    "exploración",
    "temperatura",
    "frecuencia",
    "peso",
    "vacuna",
    "consulta",
    "radiografía",
    "ecografía",
    "diagnóstico",
    "pronóstico",
    "revisión",
    "evolución",
    "señal",
    "año",
    "factura",
    "importe",
    "dirección",
    "teléfono",
    "código",
    "número",
    "fecha",
    "kg",
    "4,2",
    "38,5",
    "(120)",
    "2026",
    "the",
    "record",
    "of",
    "each",
    "visit",
    "shows",
    "weight",
    "and",
    "temperature",
    "at",
    "normal",
    "range",
    "für",
    "größe",
    "über",
    "straße",
    "prüfung",
    "où",
    "première",
    "être",
    "français",
    "contrôle",
    "résultat",
    "âge",
];

fn words(random: &mut StdRng, count: usize) -> String {
    let words: Vec<&str> = (0..count).map(|_| *WORDS.choose(random).unwrap()).collect();
    words.join(" ")
}

/// Pages of paragraphs with headings.
fn prose(random: &mut StdRng, pages: usize) -> Vec<PageContent> {
    (0..pages)
        .map(|_| {
            let mut page = PageContent::default();
            let mut y = TOP;
            while y > BOTTOM {
                page.text(Font::Bold, 13.0, (MARGIN, y), &words(random, 4));
                y -= 20.0;
                for _ in 0..random.random_range(4..12) {
                    page.text(Font::Regular, 10.0, (MARGIN, y), &words(random, 12));
                    y -= 13.0;
                }
                y -= 14.0;
            }
            page
        })
        .collect()
}

/// Pages of table rows with a line under each.
fn table(random: &mut StdRng, pages: usize) -> Vec<PageContent> {
    const COLUMNS: usize = 5;
    (0..pages)
        .map(|_| {
            let mut page = PageContent::default();
            let mut y = TOP;
            while y > BOTTOM {
                let mut x = MARGIN;
                for column in 0..COLUMNS {
                    let cell = if column == 0 { words(random, 2) } else { amount(random) };
                    page.text(Font::Regular, 9.0, (x, y), &cell);
                    x += if column == 0 { 150.0 } else { 75.0 };
                }
                page.line((MARGIN, y - 4.0), (A4_WIDTH - MARGIN, y - 4.0));
                y -= 16.0;
            }
            page
        })
        .collect()
}

fn amount(random: &mut StdRng) -> String {
    format!("{},{:02}", random.random_range(0..10_000), random.random_range(0..100))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_documents_are_generated_every_time() {
        assert_eq!(all(), all());
        assert_eq!(text_page(), text_page());
    }
}
