//! Generates clinical records, the same on every machine: as lines, as pages with words, or as a PDF.

use quire_domain::reading::{Line, Page, Rect, Word};
use quire_testkit::documents::{Pdf, text_page};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom as _;
use rand::{RngExt as _, SeedableRng as _};

/// Lines per page.
const LINES: usize = 50;
/// The position of the first line, in points.
const TOP: f32 = 50.0;
/// The distance of two lines, in points.
const LINE_HEIGHT: f32 = 14.0;
/// The width of a character, in points.
const CHARACTER_WIDTH: f32 = 5.0;

const NAMES: &[&str] = &["Luna", "Nala", "Thor", "Misha", "Kira", "Simba", "Bruno", "Coco"];
const BREEDS: &[&str] = &["Siamés", "Border Collie", "Bulldog Francés", "Mestizo", "Beagle"];
const REASONS: &[&str] = &[
    "Cojera tras el paseo",
    "Vacunación anual",
    "Vómitos desde ayer",
    "Control de peso",
    "Picor en las patas",
];
const FINDINGS: &[&str] = &[
    "Dolor en la rodilla derecha, apoya con dificultad y se queja al caminar",
    "Sarro moderado, encías algo rojas, por lo demás sin cambios desde la última visita",
    "Decaimiento, vómito biliar dos veces esta noche, bebe poco y no quiere comer",
    "Buen apetito, pelo brillante, temperatura normal, late el corazón con regularidad",
];
const TREATMENTS: &[&str] = &[
    "Carprofeno 50 mg cada 12 horas durante 5 días",
    "Dieta blanda y una pastilla cada veinticuatro horas durante una semana",
    "Gel dental de clorhexidina a diario",
];

/// The lines of a record, by page: the patient first, then one visit after another.
pub fn lines(seed: u64, pages: usize) -> Vec<Vec<String>> {
    let mut random = StdRng::seed_from_u64(seed);
    let mut lines = head(&mut random);
    while lines.len() < pages * LINES {
        lines.extend(visit(&mut random));
    }
    lines.truncate(pages * LINES);
    lines.chunks(LINES).map(<[String]>::to_vec).collect()
}

fn head(random: &mut StdRng) -> Vec<String> {
    vec![
        "Clínica Veterinaria Los Sauces".to_owned(),
        "Calle Mayor 14, 28990 Villaluz".to_owned(),
        String::new(),
        format!("Paciente: {}", pick(random, NAMES)),
        "Especie: Canina    Sexo: Hembra".to_owned(),
        format!("Raza: {}", pick(random, BREEDS)),
        format!("Fecha de nacimiento: {}", day(random, 2012..2020)),
        format!("Microchip: 9410000{:08}", random.random_range(0..100_000_000)),
        "Propietario: Marta Quiroga Lema".to_owned(),
        "Dirección: Avda. del Puerto 7, 28990 Villaluz".to_owned(),
        String::new(),
    ]
}

fn visit(random: &mut StdRng) -> Vec<String> {
    let weight = random.random_range(30..300);
    let day = day(random, 2021..2025);
    vec![
        format!("Visita {day}"),
        format!("Motivo de consulta: {}", pick(random, REASONS)),
        format!("Peso: {},{} kg", weight / 10, weight % 10),
        format!("Síntomas: {}", pick(random, FINDINGS)),
        pick(random, FINDINGS).to_owned(),
        format!("Diagnóstico: {}", pick(random, REASONS)),
        format!("Tratamiento: {}", pick(random, TREATMENTS)),
        format!("Veterinario: Dra. Irene Valdés Soto, {day}"),
        String::new(),
    ]
}

fn day(random: &mut StdRng, years: std::ops::Range<u16>) -> String {
    let (day, month) = (random.random_range(1..=28), random.random_range(1..=12));
    format!("{day:02}/{month:02}/{}", random.random_range(years))
}

fn pick<'p>(random: &mut StdRng, pool: &[&'p str]) -> &'p str {
    pool.choose(random).unwrap()
}

/// The record as pages with words.
pub fn pages(lines: &[Vec<String>]) -> Vec<Page> {
    lines.iter().map(|lines| page(lines)).collect()
}

fn page(lines: &[String]) -> Page {
    let rows = lines.iter().zip(0_u16..).filter(|(line, _)| !line.is_empty());
    let rows = rows.map(|(line, row)| line_of_words(line, TOP + f32::from(row) * LINE_HEIGHT));
    Page { width: 595.0, height: 842.0, lines: rows.collect(), ..Page::default() }
}

/// A line of words at a height.
pub fn line_of_words(text: &str, y: f32) -> Line {
    let mut x0 = TOP;
    let words = text.split_whitespace().map(|word| {
        let width = CHARACTER_WIDTH * word.chars().count() as f32;
        let rect = Rect { x0, y0: y, x1: x0 + width, y1: y + 10.0 };
        x0 += width + CHARACTER_WIDTH * 0.6;
        Word::new(word, rect)
    });
    Line { words: words.collect(), opens_paragraph: false }
}

/// The record as a PDF.
pub fn pdf(lines: &[Vec<String>]) -> Vec<u8> {
    let page = |lines: &Vec<String>| text_page(&lines.iter().map(String::as_str).collect::<Vec<_>>());
    Pdf::of_pages(&lines.iter().map(page).collect::<Vec<_>>()).file()
}
