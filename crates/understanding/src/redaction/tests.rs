//! What is redacted, what stays, and that everything is restored.

use super::*;

fn hidden(text: &str) -> String {
    let mut redaction = Redaction::default();
    let shown = redaction.redact(text);
    assert_eq!(redaction.restore(&shown), text, "nothing is lost");
    shown
}

#[test]
fn personal_data_has_the_same_placeholder_everywhere() {
    for (text, shown) in [
        ("Correo: ana.perez+x@correo.example.es.", "Correo: [EMAIL-1]."),
        ("Tel: 600 123 456", "Tel: [PHONE-1]"),
        ("Tel:600123456, móvil 600123456", "Tel:[PHONE-1], móvil [PHONE-1]"),
        ("+34 (91) 123-45-67 / 600.123.456", "[PHONE-1] / [PHONE-2]"),
        ("Chip 941000012345678", "Chip [CHIP-1]"),
        ("Chip: 941 000 012 345 678.", "Chip: [CHIP-1]."),
        ("DNI 12345678Z, NIE X1234567L", "DNI [ID-1], NIE [ID-2]"),
        ("DNI: 12.345.678-Z", "DNI: [ID-1]"),
        ("DNI: 12345678 z fin", "DNI: [ID-1] fin"),
        ("Tel: 600123456/611222333", "Tel: [PHONE-1]/[PHONE-2]"),
        ("Tel: 600123456,611222333", "Tel: [PHONE-1],[PHONE-2]"),
        ("Tel600123456 o 600-12-03-24", "Tel[PHONE-1] o [PHONE-2]"),
        ("12/03/2024 600123456; 12-03-2024, 600123456", "12/03/2024 [PHONE-1]; 12-03-2024, [PHONE-1]"),
        ("Chip nº941000012345678", "Chip nº[CHIP-1]"),
        ("DNI12345678Z, NIEX1234567L, CIF nºB12345678", "DNI[ID-1], NIE[ID-2], CIF nº[ID-3]"),
        ("v2_600123456x", "v2_[PHONE-1]x"),
        ("IBAN ES9121000418450200051332", "IBAN [IBAN-1]"),
        ("IBANES91 2100 0418 4502 0005 1332 de Ana", "IBAN[IBAN-1] de Ana"),
        ("GB29 NWBK 6016 1331 9268 19.", "[IBAN-1]."),
        ("mistyped ES9221000418450200051332", "mistyped ES[NUMBER-1]"),
        ("cuenta 2100 0418 4502 0005 1332", "cuenta [NUMBER-1]"),
        ("941000012345678\n600123456", "[CHIP-1]\n[PHONE-1]"),
    ] {
        assert_eq!(hidden(text), shown, "{text}");
    }
}

/// A narrow column breaks a number at the end of a line.
#[test]
fn numbers_that_continue_on_the_next_line_are_redacted() {
    for (text, shown) in [
        ("Chip 94100001234\n5678 azul", "Chip [CHIP-1] azul"),
        ("Chip 941000012-\n345678", "Chip [CHIP-1]"),
        ("Tel: 600 123\n456", "Tel: [PHONE-1]"),
        ("+34 600 123 \n 456", "[PHONE-1]"),
        ("ES91 2100 0418\n4502 0005 1332", "[IBAN-1]"),
        ("2100 0418 4502\n0005 1332", "[NUMBER-1]"),
        ("DNI 12345678\nZ", "DNI [ID-1]"),
        ("600123456\n611222333", "[PHONE-1]\n[PHONE-2]"),
    ] {
        assert_eq!(hidden(text), shown, "{text}");
    }
    for text in [
        "28013\nMadrid",
        "Peso 12\n34 kg",
        "Factura 12345678\nA nombre de Ana",
        "Página 1\n12/03/2024",
        "120\n80\n36\n12\n45",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn numbers_with_slashes_short_phones_and_passports_are_redacted() {
    for (text, shown) in [
        ("Tel 91/123/45/67", "Tel [PHONE-1]"),
        ("600/123456", "[PHONE-1]"),
        ("DNI 12345678/Z", "DNI [ID-1]"),
        ("ES91/2100/0418/4502/0005/1332", "[IBAN-1]"),
        ("Tel. 123 45 67 / 123 45 68", "Tel. [PHONE-1] / [PHONE-2]"),
        ("Teléfono nº: 12-34-56", "Teléfono nº: [PHONE-1]"),
        ("Phone 5551234, fax 5551235", "Phone [PHONE-1], fax [PHONE-2]"),
        ("Pasaporte AAA123456", "Pasaporte [ID-1]"),
        ("Passport no. C01X00T47.", "Passport no. [ID-1]."),
        ("viaja con XDB123456", "viaja con [ID-1]"),
        ("Pasaporte nº 1234567", "Pasaporte nº [ID-1]"),
    ] {
        assert_eq!(hidden(text), shown, "{text}");
    }
    for text in [
        "Tel. de lunes a viernes, 1234567 visitas",
        "120/80 mmHg",
        "1/2 comprimido",
        "Telas 1234567",
        "IVA 21",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn dates_doses_sums_and_postcodes_stay() {
    for text in [
        "12/03/2024 13:44 Consulta",
        "12-03-2024 10-04-2024 2024-05-01",
        "12.03.2024 13.04.2024",
        "Peso 12,5 kg; 1.234,56 €; CP 28013 Madrid",
        "0,5 mg/kg cada 12 h durante 10 días",
        "NHC 12345 y versión 1.2.3",
        "Factura 12345678, ref. 1234567",
        "Vacuna 12/03/2024,13/04/2024; 2024-05-01.",
        "",
    ] {
        assert_eq!(hidden(text), text);
    }
}

#[test]
fn a_long_text_is_redacted_in_linear_time() {
    let started = std::time::Instant::now();
    for part in ["a.", "1.", "1.1x", "a@", "A1 ", "AA11 ", "12.03.2024-", "a_1-"] {
        let text = part.repeat(300_000 / part.len());
        let shown = Redaction::default().redact(&text);
        assert!(!shown.is_empty());
    }
    let many: Vec<String> = (600_000_000..600_020_000).map(|number| number.to_string()).collect();
    assert!(Redaction::default().redact(&many.join(" y ")).ends_with(" y [PHONE-20000]"));
    // Searching the rest of the text again at each position would take minutes.
    assert!(started.elapsed().as_secs() < 60, "{:?}", started.elapsed());
}

#[test]
fn redacted_values_are_recognised_however_they_are_written() {
    let mut redaction = Redaction::default();
    redaction.redact("Chip: 941 000 012 345 678, DNI 12.345.678-z");
    assert!(redaction.contains_redacted("941000012345678") && redaction.contains_redacted("12345678Z"));
    assert!(
        !redaction.contains_redacted("Luna")
            && !redaction.contains_redacted("")
            && !redaction.contains_redacted("941")
    );
}

proptest::proptest! {
    #[test]
    fn restoring_a_redacted_text_gives_the_original(text in "[ -~áñ\n]{0,80}", tail in "[0-9 .@-]{0,40}") {
        // Placeholders are restored wherever they occur, so the text itself must have none.
        let text = format!("{text}{tail}").replace('[', "(");
        let mut redaction = Redaction::default();
        let shown = redaction.redact(&text);
        proptest::prop_assert_eq!(redaction.restore(&shown), text);
    }
}
