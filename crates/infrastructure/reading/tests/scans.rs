//! Recognises pictures of a page with known text, each spoilt in its own way, and compares the words.
//!
//! The words come through the whole reader: parser processes, preparation, tesseract, and boxes on the page. The program is
//! its own child, so it has its own main function.

#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quire_domain::reading::{FileKind, Page, Rect, Word};
use quire_ports::{DocumentReader, ReadRequest};
use quire_reading::ocr::{self, Ocr, OcrSettings};
use quire_reading::pdf::PdfFile;
use quire_reading::sandbox::{self, ConfinementPolicy, ParserLimits, ParserProgram, Sandbox};
use quire_reading::{CoveredText, LocalReader};
use quire_testkit::documents::{PageOptions, Pdf, Picture, text_page_at};

/// A5, in points.
const SIZE: (f32, f32) = (420.0, 595.0);
/// 150 dpi.
const SCALE: f32 = 150.0 / 72.0;

const TEXT: [&str; 16] = [
    "Clínica Veterinaria Los Tilos",
    "Historia clínica número 48213, hoja 7",
    "Paciente: Luna, hembra de raza europea",
    "Fecha de nacimiento: 14/03/2019",
    "Microchip: 941000024680135",
    "Propietaria: Carmen Ibáñez Soler",
    "Dirección: Avenida de la Paz 16, Madrid",
    "Motivo de la visita: come menos desde el lunes",
    "y bebe mucha agua por la noche.",
    "Exploración: temperatura 38,6 grados, peso 4,2 kg,",
    "mucosas rosadas y abdomen sin dolor.",
    "Análisis: glucosa 112, urea 48, creatinina 1,3.",
    "Diagnóstico: gastritis leve por cambio de dieta.",
    "Tratamiento: dieta blanda y una pastilla cada",
    "veinticuatro horas durante una semana.",
    "Próxima visita: 02/05/2024, control del peso.",
];

const TEST: &str = "spoilt_pictures_are_recognised";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some(sandbox::child::ARGUMENT) => return sandbox::child::run(),
        Some(ocr::child::ARGUMENT) => return ocr::child::run(),
        _ => {}
    }
    // As the usual harness: names of tests select, and options are none of them.
    let mut names = arguments.iter().filter(|argument| !argument.starts_with('-')).peekable();
    if arguments.iter().any(|argument| argument == "--list") {
        println!("{TEST}: test");
    } else if names.peek().is_none() || names.any(|name| TEST.contains(name.as_str())) {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
        runtime.block_on(spoilt_pictures_are_recognised());
        println!("test {TEST} ... ok");
    }
    ExitCode::SUCCESS
}

/// A picture, and the least share of its words (F1) that must be right.
struct Case {
    name: &'static str,
    picture: Picture,
    floor: f64,
    /// By how many quarters it is turned clockwise.
    quarters: usize,
    /// By how many degrees it is tilted clockwise.
    tilt: f32,
}

fn case(name: &'static str, picture: Picture, floor: f64) -> Case {
    Case { name, picture, floor, quarters: 0, tilt: 0.0 }
}

fn cases(page: &Picture) -> Vec<Case> {
    let turned = |name, quarters| Case { quarters, ..case(name, page.turned(quarters), 0.95) };
    let tilted = |name, tilt| Case { tilt, ..case(name, page.tilted(tilt), 0.95) };
    vec![
        case("straight", page.clone(), 0.95),
        turned("turned by 90 degrees", 1),
        turned("turned by 180 degrees", 2),
        turned("turned by 270 degrees", 3),
        tilted("tilted by 10 degrees", 10.0),
        tilted("tilted by -6 degrees", -6.0),
        case("75 dpi", page.shrunk(2.0), 0.93),
        case("pale", page.faded(190, 150).grained(8), 0.9),
        case("shaded", page.shaded(0.15).grained(5), 0.95),
        case("blurred", page.blurred(1), 0.9),
    ]
}

/// Photographs, which are files of their own.
fn photographs(page: &Picture) -> Vec<Case> {
    vec![
        case("photographed from the side", page.photographed(), 0.9),
        case("photographed with shadow and grain", page.photographed().shaded(0.55).grained(6), 0.9),
        case("picture of 50 dpi", page.shrunk(2.2), 0.9),
    ]
}

async fn spoilt_pictures_are_recognised() {
    let source = source();
    let pdf = PdfFile::open(source).unwrap();
    let printed = pdf.read_pages(0, CoveredText::Apart).next().unwrap().page;
    let gray = pdf.render_gray(0, SCALE).unwrap();
    let page = Picture::new(gray.width(), gray.height(), gray.pixels().to_vec());
    let reader = reader().await;

    let scans = cases(&page);
    let mut file = Pdf::of_pages(&[]);
    for case in &scans {
        let size = if case.quarters % 2 == 1 { (SIZE.1, SIZE.0) } else { SIZE };
        file.scanned_page_of(size, &case.picture.png());
    }
    let pages = read(&reader, file.file()).await;
    let mut failed = Vec::new();
    for (case, recognised) in scans.iter().zip(&pages) {
        check(case, recognised, &printed, &mut failed);
    }
    for case in photographs(&page) {
        let recognised = read(&reader, case.picture.png()).await.remove(0);
        check(&case, &recognised, &printed, &mut failed);
    }
    check_boxes(&scans, &pages, &printed);
    assert!(failed.is_empty(), "too few words were recognised: {failed:?}");
}

fn check(case: &Case, recognised: &Page, printed: &Page, failed: &mut Vec<&'static str>) {
    let f1 = f1(&texts(recognised), &texts(printed));
    println!("{:<36} words F1 {f1:.3}, floor {:.2}", case.name, case.floor);
    assert!(recognised.recognised, "{}", case.name);
    let confidence =
        |word: &Word| word.confidence.is_some_and(|confidence| (0.0..=1.0).contains(&confidence));
    assert!(recognised.lines.iter().flat_map(|line| &line.words).all(confidence), "{}", case.name);
    if f1 < case.floor {
        failed.push(case.name);
    }
}

/// The boxes of words are where the picture shows them, also if the picture was turned or tilted.
fn check_boxes(scans: &[Case], pages: &[Page], printed: &Page) {
    // Tesseract itself is less exact on poor pictures.
    let is_good = |case: &Case| case.quarters > 0 || case.tilt != 0.0 || case.name == "straight";
    for (case, page) in scans.iter().zip(pages).filter(|(case, _)| is_good(case)) {
        for text in ["Microchip:", "temperatura", "veinticuatro"] {
            let (Some(found), Some(expected)) = (middle(page, text), middle(printed, text)) else { continue };
            let (sin, cos) = case.tilt.to_radians().sin_cos();
            let (x, y) = (expected.0 - SIZE.0 / 2.0, expected.1 - SIZE.1 / 2.0);
            let (x, y) = (x * cos - y * sin + SIZE.0 / 2.0, x * sin + y * cos + SIZE.1 / 2.0);
            let expected = match case.quarters {
                0 => (x, y),
                1 => (SIZE.1 - y, x),
                2 => (SIZE.0 - x, SIZE.1 - y),
                _ => (y, SIZE.0 - x),
            };
            let distance = (found.0 - expected.0).hypot(found.1 - expected.1);
            assert!(distance < 4.0, "{}: {text} at {found:?} instead of {expected:?}", case.name);
        }
    }
}

fn source() -> Vec<u8> {
    let options = PageOptions { size: SIZE, ..PageOptions::default() };
    Pdf::with_options(&[text_page_at((40.0, 540.0), &TEXT)], &options).file()
}

async fn reader() -> LocalReader {
    let policy = ConfinementPolicy::Supported;
    let sandbox = Sandbox::start(ParserProgram::current(), ParserLimits::default(), 2, policy).await.unwrap();
    let settings = OcrSettings {
        program: "tesseract".to_owned(),
        languages: vec!["es".to_owned()],
        time: Duration::from_mins(1),
        memory: 1 << 30,
        pages: 2,
        confinement: policy,
    };
    LocalReader {
        kinds: FileKind::ALL.to_vec(),
        sandbox,
        ocr: Some(Ocr::new(settings)),
        covered: CoveredText::Apart,
    }
}

async fn read(reader: &LocalReader, file: Vec<u8>) -> Vec<Page> {
    let started = Instant::now();
    let request = ReadRequest { file: Arc::from(file), language: None, recognised: None };
    let output = reader.read(request).await.unwrap();
    println!("{} pages in {:.1} s", output.reading.pages.len(), started.elapsed().as_secs_f32());
    output.reading.pages
}

fn texts(page: &Page) -> Vec<String> {
    page.lines.iter().flat_map(|line| &line.words).map(|word| word.text.clone()).collect()
}

fn middle(page: &Page, text: &str) -> Option<(f32, f32)> {
    let Rect { x0, y0, x1, y1 } =
        page.lines.iter().flat_map(|line| &line.words).find(|word| word.text == text)?.rect;
    Some((f32::midpoint(x0, x1), f32::midpoint(y0, y1)))
}

/// Twice the words that both have, as a share of the words of both.
#[allow(clippy::cast_precision_loss)] // Words of a page.
fn f1(found: &[String], expected: &[String]) -> f64 {
    let mut left = expected.to_vec();
    let mut common = 0;
    for word in found {
        if let Some(place) = left.iter().position(|other| other == word) {
            left.swap_remove(place);
            common += 1;
        }
    }
    2.0 * f64::from(common) / (found.len() + expected.len()) as f64
}
