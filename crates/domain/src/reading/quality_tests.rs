//! Texts that pass, texts that do not, and one text for each issue.

use proptest::prelude::*;

use super::*;

const RECORD: &str = "Paciente: Luna\nEspecie: Felina\nRaza: Común europeo\nPeso: 4,2 kg\nMotivo de consulta: vómitos desde \
                      hace dos días.\nTratamiento: dieta blanda y maropitant cada 24 horas.\n";

fn verdict(text: &str) -> QualityVerdict {
    Quality::of(text).verdict()
}

/// The sentence repeated.
fn long(sentence: &str, times: usize) -> String {
    format!("{sentence}\n").repeat(times)
}

#[test]
fn ordinary_records_pass_in_both_languages_and_in_other_scripts() {
    assert_eq!(Quality::of(RECORD), Quality { score: 1.0, issues: vec![] });
    let english =
        "Patient: Luna, feline, spayed female.\nShe has been vomiting for two days. Weight 4.2 kg.\n";
    assert_eq!(verdict(english), QualityVerdict::Good);
    assert_eq!(
        verdict("Пациент: собака Рекс, возраст пять лет, вес двадцать килограммов.\n"),
        QualityVerdict::Good
    );
}

/// Proves R085.
#[test]
fn a_nearly_empty_text_is_unreadable() {
    for text in ["", "   \n\t ", "Luna 4,2 kg", "nineteen visible ch", &" a".repeat(19)] {
        assert_eq!(verdict(text), QualityVerdict::Unreadable, "{text:?}");
    }
    assert_eq!(Quality::of("12345 67890 12345 67890 12345").issues, [QualityIssue::NoLetters]);
    assert_eq!(
        Quality::of("a b c d e f g h i j k l m n o p q r s t u v").issues,
        [QualityIssue::TooFewWords]
    );
    let boxes = "\u{FFFD}".repeat(30) + " palabras sueltas aquí mismo";
    assert_eq!(Quality::of(&boxes).issues, [QualityIssue::NotHumanReadable]);
    assert_eq!(Quality::of("~~^^``~~^^`` abc def ghi ~~^^``~~^^``").issues, [QualityIssue::NotHumanReadable]);
}

/// Proves R086: readable text that is unreliable.
#[test]
fn gibberish_does_not_pass_although_it_looks_like_words() {
    let consonants = "xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz trwqpl zxcvbn mnbvcx lkjhgf\n".repeat(3);
    let quality = Quality::of(&consonants);
    assert_eq!(quality.verdict(), QualityVerdict::Low, "{quality:?}");
    assert!(
        quality.issues.contains(&QualityIssue::Gibberish)
            && quality.issues.contains(&QualityIssue::LowVowelRatio)
    );
    let shifted: String = RECORD.chars().map(|c| if c.is_ascii_lowercase() { shift(c) } else { c }).collect();
    assert_eq!(verdict(&shifted), QualityVerdict::Low, "{shifted}");
}

/// The letter shifted by twelve, as a font with a wrong character map shows it.
fn shift(letter: char) -> char {
    char::from((letter as u8 - b'a' + 12) % 26 + b'a')
}

#[test]
fn swapped_letters_are_detected_in_whole_words_only() {
    assert_eq!(verdict(&format!("{RECORD}El dratamiento sigue.")), QualityVerdict::Low);
    assert_eq!(verdict(&format!("{RECORD}DIENE fiebre.")), QualityVerdict::Low);
    // A word that only contains a swapped word is fine.
    assert_eq!(verdict(&format!("{RECORD}La higiene y el ingrediente: dienedor.")), QualityVerdict::Good);
}

#[test]
fn each_issue_has_its_penalty() {
    let cases = [
        (
            long("uno, dos; tres: ¡cuatro! ¿cinco? (seis) [siete]... «ocho»!!! --- ;;; ,,,", 1),
            QualityIssue::HighPunctuation,
            0.75,
        ),
        (
            "palabrasinningunespacioentreletras otracosaigualdelarga ymasletrasjuntas".to_owned(),
            QualityIssue::LowWhitespace,
            0.8,
        ),
        (long("la gata come poco", 60).replace('\n', " "), QualityIssue::NoLineBreaks, 0.9),
        (long("electrocardiograma gastroenterólogo de la gata y el", 40), QualityIssue::LongTokens, 0.65),
        (long("la v i s i t a fue larga y buena", 40), QualityIssue::SingleLetters, 0.65),
        ("EL PACIENTE COME BIEN Y DUERME TODA LA NOCHE".to_owned(), QualityIssue::MostlyUppercase, 0.8),
    ];
    for (text, flaw, score) in cases {
        let quality = Quality::of(&text);
        assert_eq!(quality.issues, [flaw], "{text}");
        assert!((quality.score - score).abs() < 0.001, "{quality:?}");
    }
}

proptest! {
    #[test]
    fn any_text_gets_a_score_from_0_to_1(text in any::<String>()) {
        let quality = Quality::of(&text);
        prop_assert!((0.0..=1.0).contains(&quality.score));
        prop_assert_eq!(quality.verdict() == QualityVerdict::Good && quality.score < PASSING_SCORE, false);
    }
}
