//! The number of steps grows in proportion to the document, whatever its text.

use proptest::prelude::*;

use super::*;
use quire_domain::reading::{Line, Rect, Word};

/// Lines that make the rules search around them: labels without values, dates, headings, lists, columns.
fn line() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Paciente",
        "Paciente:",
        "Diagnóstico:",
        "- uno",
        "- 01/02/2024 - 10:00 -",
        "01/02/2024",
        "Fecha: 01/02/2024",
        "PROPIETARIO",
        "Nombre | Luna | Especie",
        "Fecha Motivo Diagnóstico",
        "Peso 5 kg Peso 5 kg Peso: Peso:",
        "a b c d e f g h i j k l m n o p",
        "Dirección:",
        "Fecha de",
        "nacimiento",
        "Visita consulta general del día",
        "Motivo: Motivo: Motivo: Motivo:",
        ": : : :",
        "Se pauta",
        "12,3 kg",
        "Calle 5",
        "28001 Madrid",
        "Dra. Ana Gil",
    ])
    .prop_map(str::to_owned)
}

/// Lines that make the rules of business documents search around them.
fn invoice_line() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "Invoice",
        "Invoice no.",
        "Total",
        "Total: 12,00 EUR",
        "EUR EUR EUR EUR EUR EUR",
        "1 2 3 4 5 6 7 8 9 10",
        "21 % 21 % 21 %",
        "ES12345678Z ES12345678Z",
        "01/02/2024 01/02/2024",
        "Qty | Price | Amount",
        "2 | 10,00 | 20,00",
        "Bill to",
        "Acme Ltd",
        "(((((((",
        "IBAN GB82 WEST 1234 5698 7654 32",
        "a b c d e f g h i j k l m n o p",
    ])
    .prop_map(str::to_owned)
}

fn steps(lines: &[String], schema: &Schema) -> u64 {
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let pages: Vec<Page> = lines.chunks(50).map(PageBuilder::lines).collect();
    find_and_count(&pages, schema, DocumentHints::default()).1
}

fn invoice_schema() -> Schema {
    let files = crate::SchemaFile::built_in();
    files.iter().map(|file| file.schema.clone()).find(|schema| schema.name == "invoice").unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn ten_times_the_lines_take_at_most_twelve_times_the_steps(some in prop::collection::vec(line(), 20..60)) {
        // Both sides repeat the lines, so that the beginning does not matter.
        let times = |count: usize| some.iter().cycle().take(count * some.len()).cloned().collect::<Vec<_>>();
        let schema = Schema::built_in_default();
        let (once, ten) = (steps(&times(4), &schema), steps(&times(40), &schema));
        prop_assert!(ten <= 12 * once, "{once} and {ten}");
    }

    #[test]
    fn ten_times_the_lines_of_an_invoice_take_at_most_twelve_times_the_steps(
        some in prop::collection::vec(invoice_line(), 20..60),
    ) {
        let times = |count: usize| some.iter().cycle().take(count * some.len()).cloned().collect::<Vec<_>>();
        let schema = invoice_schema();
        let (once, ten) = (steps(&times(4), &schema), steps(&times(40), &schema));
        prop_assert!(ten <= 12 * once, "{once} and {ten}");
    }

    #[test]
    fn ten_times_the_words_in_one_line_of_an_invoice_take_at_most_twelve_times_the_steps(
        some in prop::collection::vec(invoice_line(), 5..15),
    ) {
        let line = |count: usize| vec![vec![some.join(" "); count].join(" ")];
        let schema = invoice_schema();
        let (once, ten) = (steps(&line(10), &schema), steps(&line(100), &schema));
        prop_assert!(ten <= 12 * once, "{once} and {ten}");
    }

    #[test]
    fn every_extracted_field_has_evidence(
        text in prop::collection::vec("(Paciente|Visita|Peso|Dx|[a-zñ:]{0,8})(:| :| -|)( ?[ -~ñá;/]{0,16})", 0..30),
    ) {
        let text: Vec<&str> = text.iter().map(String::as_str).collect();
        for field in found_in_lines(&text) {
            if field.origin == crate::Origin::Machine {
                let evidence = field.evidence.as_ref().unwrap();
                prop_assert!(evidence.page == 1, "{field:?}");
            }
            prop_assert!(field.value != Value::Text(String::new()));
            prop_assert!(field.candidate_suggestions.len() <= 5);
        }
    }

    #[test]
    fn any_position_of_words_is_accepted(
        words in prop::collection::vec((any::<f32>(), any::<f32>(), any::<f32>(), any::<f32>(), "[a-zA-Z:/0-9-]{0,12}"), 0..60),
    ) {
        let word = |(x0, y0, x1, y1, text): &(f32, f32, f32, f32, String)| {
            Word::new(text, Rect { x0: *x0, y0: *y0, x1: *x1, y1: *y1 })
        };
        let lines = words.chunks(3).map(|words| Line { words: words.iter().map(word).collect(), opens_paragraph: false });
        let page = Page { width: 600.0, height: 800.0, lines: lines.collect(), recognised: true, ..Page::default() };
        found_in(&[page]);
    }
}

/// A line of many thousand words, and as many cells in one row.
#[test]
fn one_very_long_line_takes_linear_steps() {
    let word = |place: u16, gap: f32| {
        let text = if place.is_multiple_of(2) { "Peso" } else { "Motivo:" };
        let x0 = f32::from(place) * gap;
        Word::new(text, Rect { x0, y0: 100.0, x1: x0 + 8.0, y1: 110.0 })
    };
    for gap in [9.0, 60.0] {
        let page = |count: u16| {
            let words = (0..count).map(|place| word(place, gap)).collect();
            let line = Line { words, opens_paragraph: false };
            Page { width: 600.0, height: 800.0, lines: vec![line], ..Page::default() }
        };
        let steps =
            |count| find_and_count(&[page(count)], &Schema::built_in_default(), DocumentHints::default()).1;
        assert!(steps(20_000) <= 12 * steps(2_000));
    }
}
