//! Scanned pages: words whose recognition is doubtful, and pages that lie on their side.

use quire_domain::reading::Rect;

use super::*;

const LINES: [&str; 5] = [
    "Paciente: Luna Bella",
    "Especie: felina",
    "Raza: siamés",
    "Peso: 4,2 kg",
    "Fecha de nacimiento: 14/03/2019",
];

/// The page as recognised, with this confidence for one of its words and 0.96 for the others.
fn recognised(doubtful: &str, confidence: f32) -> Page {
    let mut page = PageBuilder::lines(&LINES);
    page.recognised = true;
    for word in page.lines.iter_mut().flat_map(|line| &mut line.words) {
        word.confidence = Some(if word.text == doubtful { confidence } else { 0.96 });
    }
    page
}

/// The confidence of recognition reaches the confidence of the value, and the page says why.
#[test]
fn a_value_whose_words_are_doubtful_is_less_certain() {
    let of = |page: Page, key: &str| {
        let fields = found_in(&[page]);
        let field = fields.into_iter().find(|field| field.key == key).unwrap();
        let reasons = field.evidence.unwrap().reasons;
        (field.confidence, reasons.iter().any(|reason| reason.feature == "misread" && !reason.is_for))
    };
    let (sure, is_misread) = of(recognised("", 0.0), "breed");
    assert!(!is_misread);
    let (doubtful, _) = of(recognised("siamés", 0.6), "breed");
    let (senseless, is_misread) = of(recognised("siamés", 0.2), "breed");
    assert!(sure > doubtful && doubtful > senseless, "{sure} {doubtful} {senseless}");
    assert!(is_misread, "a person reads why");
    let (other, _) = of(recognised("siamés", 0.2), "species");
    let (usual, _) = of(recognised("", 0.0), "species");
    assert!(other > senseless && (other - usual).abs() < 0.05, "other values keep theirs: {other} {usual}");
}

/// The page turned clockwise by a quarter.
fn turned(page: &Page) -> Page {
    let mut turned = Page { width: page.height, height: page.width, ..page.clone() };
    for word in turned.lines.iter_mut().flat_map(|line| &mut line.words) {
        let Rect { x0, y0, x1, y1 } = word.rect;
        word.rect = Rect { x0: page.height - y1, y0: x0, x1: page.height - y0, y1: x1 };
    }
    turned
}

#[test]
fn a_page_on_its_side_gives_the_same_fields_with_boxes_where_they_are() {
    let mut page = PageBuilder::new();
    // Two columns of labels and values.
    page.row(60.0, &[(50.0, "Datos de la paciente de esta clínica"), (330.0, "")]);
    page.row(80.0, &[(50.0, "Paciente:"), (130.0, "Luna Bella"), (330.0, "Especie:"), (400.0, "felina")]);
    page.row(100.0, &[(50.0, "Raza:"), (130.0, "siamés"), (330.0, "Peso:"), (400.0, "4,2 kg")]);
    page.row(
        120.0,
        &[(50.0, "Propietario:"), (130.0, "Ana Prats Vidal"), (330.0, "Sexo:"), (400.0, "hembra")],
    );
    let upright = Page { recognised: true, ..page.page() };
    let mut seen = upright.clone();
    let expected = found_in(std::slice::from_ref(&upright));
    assert!(expected.len() >= 5);
    for quarters in 1..4 {
        seen = turned(&seen);
        let found = found_in(std::slice::from_ref(&seen));
        let values = |fields: &[Field]| -> Vec<(String, String)> {
            fields.iter().map(|field| (field.key.clone(), text(field).to_owned())).collect()
        };
        assert_eq!(values(&found), values(&expected), "{quarters} quarters");
        for field in &found {
            let words = seen.lines.iter().flat_map(|line| &line.words);
            let places: Vec<Rect> = words.map(|word| word.rect).collect();
            let boxes = &field.evidence.as_ref().unwrap().boxes;
            assert!(!boxes.is_empty() && boxes.iter().all(|place| places.contains(place)), "{}", field.key);
        }
    }
}
