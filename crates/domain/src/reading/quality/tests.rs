//! Texts that pass, texts that do not, and the properties of texts.

use proptest::prelude::*;

use super::*;

const RECORD: &str = "Paciente: Luna\nEspecie: Felina\nRaza: Común europeo\nPeso: 4,2 kg\nMotivo de consulta: vómitos desde \
                      hace dos días.\nTratamiento: dieta blanda y maropitant cada 24 horas.\n";

pub(super) fn verdict(text: &str) -> QualityVerdict {
    Quality::of(text).verdict()
}

#[test]
fn an_ordinary_record_passes_and_has_no_properties_but_its_length() {
    let quality = Quality::of(&RECORD.repeat(2));
    assert_eq!(quality, Quality { score: 1.0, issues: vec![], properties: vec![] });
}

/// Proves R085.
#[test]
fn a_nearly_empty_text_is_unreadable() {
    for text in ["", "   \n\t ", "Luna 4,2 kg", "nineteen visible ch", &" a".repeat(19)] {
        assert_eq!(Quality::of(text).issues, [QualityIssue::TooShort], "{text:?}");
        assert_eq!(verdict(text), QualityVerdict::Unreadable, "{text:?}");
    }
}

/// A receipt of ten words and a form that nobody has filled in are documents, however few characters they have.
#[test]
fn a_short_receipt_and_a_short_form_pass_in_any_script() {
    for text in [
        "té 2\npan 1\nIVA 3\n4 € 5 %\n6 a 7",
        "收据\n咖啡 二十元\n合计 20",
        "領収書 パン 合計 百円 様",
        "إيصال شاي ٢ خبز ١ حليب ٣ كل ٦ شكرا",
        "קבלה תה 2 לחם 1 חלב 3 סך 6 תודה",
        "रसीद चाय 2 रोटी 1 दूध 3 कुल 6 जी",
        "Nombre:\nFecha:\nNIF:",
        "姓名：____\nName of owner ____",
    ] {
        assert_eq!(verdict(text), QualityVerdict::Good, "{text:?} {:?}", Quality::of(text));
    }
    for text in ["Page 1 of 1", "1", "x x x x x x x x x x x x", "Total: 4"] {
        assert_eq!(verdict(text), QualityVerdict::Unreadable, "{text:?}");
    }
}

#[test]
fn few_words_figures_and_forms_pass_and_are_named() {
    use TextProperty::{FewWords, Form, MostlyFigures, SomeUnmappedGlyphs};
    let receipt = "PANADERIA SOL\n2 pan 3,10\n1 cafe 1,40\nTOTAL 4,50 EUR\nGracias\n";
    let prices =
        "Art-Nr;VPE;Preis\nXKR-2201 10 14,90\nXKR-2202 10 15,90\nZZT-9001 5 120,00\nQWP-7 1 9,99\npcs\n";
    let form =
        "Ministerio de Hacienda\nNombre: ____________\nNIF:\nDomicilio ..........\nFirma:\n☐ Sí ☐ No\n";
    let figures = "12.5 14.7 18,9 33.10\n45.1 47.2 48.3 50.0\n-1.5 0.0 1e-5 99.9\n";
    let slide = "Q3 REVIEW\n\u{F0B7} Revenue up 4 %\n\u{F0B7} Churn down\n\u{F0B7} Hiring: 3\n";
    let formula = "∫₀^∞ e^(−x²) dx = √π/2, where x ∈ ℝ and f(x) ≥ 0 for all x\n∑ aᵢ·bᵢ ≤ ‖a‖·‖b‖\n";
    let code = "fn main() { let v: Vec<u8> = (0..10).map(|x| x * 2).collect(); println!(\"{:?}\", v); }\n";
    let spaced = "R E P O R T\nA N N U A L   F I G U R E S\n2 0 2 4\n";
    let codes = "SKU 88XJ-KLT PQRST BCDFG 100 XWVTR KLMNP 200 QQQ RRR SSS\n";
    let cases: [(&str, &[TextProperty]); 9] = [
        (receipt, &[FewWords]),
        (prices, &[FewWords, MostlyFigures]),
        (form, &[FewWords, Form]),
        (figures, &[FewWords, MostlyFigures]),
        (slide, &[FewWords, SomeUnmappedGlyphs]),
        (formula, &[]),
        (code, &[FewWords]),
        (spaced, &[]),
        (codes, &[FewWords]),
    ];
    for (text, properties) in cases {
        let quality = Quality::of(text);
        assert_eq!(quality.verdict(), QualityVerdict::Good, "{text} {quality:?}");
        for property in properties {
            assert!(quality.properties.contains(property), "{text} {quality:?}");
        }
    }
}

/// Proves R086: text that cannot be what the page shows.
#[test]
fn noise_and_unmapped_glyphs_do_not_pass() {
    let consonants = "xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz trwqpl zxcvbn mnbvcx lkjhgf\n".repeat(3);
    let boxes = "\u{FFFD}".repeat(30) + " palabras sueltas aquí mismo";
    let private = "\u{E001}\u{E002}\u{E003} \u{E004}\u{E005} \u{E001}\u{E007}\u{E008} y dos palabras más";
    let apart: String = ('\u{E000}'..'\u{E030}').flat_map(|glyph| [glyph, ' ']).collect();
    let symbols = "~~^^``~~^^`` abc def ghi ~~^^``~~^^`` |!/ \\;: {}[ ]=+ ^^ ~- `'";
    let scripts = "аbцdεfжhиjкlמnоpשrсtעvшxыz αбγдεжζиηкθлιмκн";
    let cases = [
        (consonants.as_str(), QualityIssue::Noise),
        (&boxes, QualityIssue::UnmappedGlyphs),
        (private, QualityIssue::UnmappedGlyphs),
        (&apart, QualityIssue::UnmappedGlyphs),
        (symbols, QualityIssue::Noise),
        (scripts, QualityIssue::Noise),
    ];
    for (text, issue) in cases {
        let quality = Quality::of(text);
        assert_eq!(
            (quality.issues.as_slice(), quality.verdict()),
            (&[issue][..], QualityVerdict::Low),
            "{text}"
        );
    }
}

proptest! {
    #[test]
    fn any_text_gets_a_score_from_0_to_1(text in any::<String>()) {
        let quality = Quality::of(&text);
        prop_assert!((0.0..=1.0).contains(&quality.score));
    }

    /// A random string of consonants is no word, however it is cut.
    #[test]
    fn random_consonants_do_not_pass(words in prop::collection::vec("[bcdfghjklmnpqrstvwxz]{6}", 20)) {
        prop_assert_eq!(verdict(&words.join(" ")), QualityVerdict::Low);
    }

    /// Figures say nothing about letters.
    #[test]
    fn figures_pass(rows in prop::collection::vec("[0-9]{1,6}[.,][0-9]{2} [0-9]{1,4} [A-Z]{2}[0-9]{4}", 3..40)) {
        prop_assert_eq!(verdict(&rows.join("\n")), QualityVerdict::Good);
    }
}
