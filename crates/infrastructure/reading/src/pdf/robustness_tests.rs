//! Tests with unusual, damaged and hostile pages.

use std::fmt::Write;

use proptest::prelude::*;

use super::*;

fn words(content: &str) -> Vec<String> {
    texts(&read(pdf(&[content], "")).unwrap()).concat()
}

#[test]
fn glyphs_without_a_finite_position_or_size_are_skipped() {
    let content = "BT /F 10 Tf 20 150 Td (seen) Tj ET BT /F 0 Tf 20 100 Td (none) Tj ET \
                   BT /F 10 Tf 99999999999999999999 99999999999999999999 Td (far) Tj ET \
                   BT /F 10 Tf 9999999999999999 0 0 9999999999999999 0 0 Tm (huge) Tj ET BT /F 1000000 Tf 0 0 Td (giant) Tj ET";
    assert_eq!(words(content), ["seen"]);
}

#[test]
fn text_outside_the_page_is_dropped() {
    let content = "BT /F 10 Tf 20 150 Td (inside) Tj 0 500 Td (above) Tj -600 0 Td (aside) Tj ET";
    assert_eq!(words(content), ["inside"]);
    let cropped =
        read(pdf(&["BT /F 10 Tf 20 150 Td (out) Tj 100 0 Td (in) Tj ET"], "/CropBox [100 100 300 200]"));
    assert_eq!(texts(&cropped.unwrap()), [["in"]]);
}

#[test]
fn text_drawn_twice_to_make_it_bold_is_read_once() {
    let twice = "BT /F 10 Tf 20 150 Td (Luna ilesa) Tj ET BT /F 10 Tf 20.3 150 Td (Luna ilesa) Tj ET \
                 BT /F 10 Tf 20 130 Td (ll) Tj ET";
    assert_eq!(words(twice), ["Luna", "ilesa", "ll"]);
    let by_letters = "BT /F 10 Tf 20 150 Td (L) Tj ET BT /F 10 Tf 20.4 150 Td (L) Tj ET \
                      BT /F 10 Tf 25.56 150 Td (u) Tj ET BT /F 10 Tf 25.96 150 Td (u) Tj ET";
    assert_eq!(words(by_letters), ["Lu"]);
}

#[test]
fn images_and_shapes_are_measured_without_decoding_images() {
    // An image with invalid data covers the left half. Four shapes are drawn.
    let content = "q 150 0 0 200 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 /F /DCT ID x EI Q \
                   10 10 20 20 re f 10 10 m 50 50 l S 5 5 m 9 9 l 2 7 l b";
    let file = PdfFile::open(pdf(&[content], "")).unwrap();
    let graphics = file.read_pages(0, CoveredText::Apart).next().unwrap().graphics;
    assert!((graphics.image_coverage - 0.5).abs() < 0.02, "{graphics:?}");
    assert_eq!(graphics.shape_count, 4);
}

/// Each step takes O(n log n), so this page is read in moments. If a step compared all pairs, this test would take hours.
#[test]
fn a_page_with_a_hundred_thousand_spans_is_read() {
    let mut scattered = String::from("BT /F 1 Tf ");
    let mut rows = scattered.clone();
    for number in 0u32..100_000 {
        let (x, y) = (number.wrapping_mul(7919) % 99 * 3, number.wrapping_mul(104_729) % 197);
        write!(scattered, "1 0 0 1 {x} {y} Tm (a{}) Tj ", number % 7).unwrap();
        write!(rows, "1 0 0 1 {} {}.{} Tm (b1) Tj ", number % 100 * 3, number / 600, number % 10).unwrap();
    }
    for content in [scattered + "ET", rows + "ET"] {
        let reading = read(pdf(&[&content], "")).unwrap();
        assert!(texts(&reading).concat().len() > 10_000);
    }
}

fn valid_pdf() -> Vec<u8> {
    let content = "BT /F 10 Tf 20 150 Td (Paciente: Luna) Tj 0 -14 Td [(Pe) 20 (so) -400 (4,2)] TJ ET \
                   q 50 0 0 50 9 9 cm BI /W 1 /H 1 /CS /G /BPC 8 ID x EI Q 1 1 5 5 re f";
    pdf(&[content, "BT /F 12 Tf 0 1 -1 0 50 50 Tm (vertical) Tj ET"], "/Rotate 90")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn damaged_files_are_read_or_refused_without_a_panic(
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
        cut in any::<Option<prop::sample::Index>>(),
    ) {
        let mut file = valid_pdf();
        for (place, byte) in changes {
            let place = place.index(file.len());
            file[place] = byte;
        }
        if let Some(cut) = cut {
            file.truncate(cut.index(file.len()));
        }
        if let Ok(reading) = read(file) {
            let plain = reading.plain_text();
            prop_assert_eq!(plain.locations(0..plain.text.len()).len(), texts(&reading).concat().len());
        }
    }
}
