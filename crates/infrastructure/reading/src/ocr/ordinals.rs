//! Corrects ordinal signs ("7º", "Nº") in recognised text. Tesseract's data for Spanish and related languages lack them.
//!
//! Tesseract writes a similar sign instead: "7% C" for the seventh floor, "N* chip" for a number. A sign is corrected only
//! where the words leave no other meaning: a percentage stays a percentage.

use quire_domain::reading::Line;

/// Languages that use ordinal signs and whose data lack them, by tesseract's names.
const LANGUAGES: [&str; 4] = ["spa", "glg", "por", "cat"];
/// Signs that cannot mean anything else after a small number.
const UNAMBIGUOUS_SIGNS: [char; 3] = ['°', '*', '”'];
/// Signs that may have their own meaning.
const AMBIGUOUS_SIGNS: [char; 2] = ['%', '?'];
/// Words that follow the number of a floor. A single capital letter does too.
const DOOR_WORDS: [&str; 9] =
    ["izq", "izqda", "izquierda", "izda", "dcha", "dch", "derecha", "esq", "puerta"];

/// Corrects ordinal signs in lines that were recognised with these languages.
pub(super) fn fix_ordinals(lines: &mut [Line], languages: &str) {
    if !languages.split('+').any(|language| LANGUAGES.contains(&language)) {
        return;
    }
    for line in lines {
        for index in 0..line.words.len() {
            let next = line.words.get(index + 1).map_or("", |word| word.text.as_str());
            if let Some(mended) = corrected(&line.words[index].text, next) {
                line.words[index].text = mended;
            }
        }
    }
}

fn corrected(word: &str, next: &str) -> Option<String> {
    let trimmed = word.trim_end_matches([',', '.', ';', ':']);
    let sign = trimmed.chars().next_back()?;
    let before = &trimmed[..trimmed.len() - sign.len_utf8()];
    let is_sign = UNAMBIGUOUS_SIGNS.contains(&sign) || AMBIGUOUS_SIGNS.contains(&sign);
    let is_number_sign = matches!(before, "N" | "n") && is_sign;
    let is_small = (1..=2).contains(&before.len()) && before.bytes().all(|digit| digit.is_ascii_digit());
    let is_ordinal = is_small && (UNAMBIGUOUS_SIGNS.contains(&sign) || is_sign && is_door(next));
    (is_number_sign || is_ordinal).then(|| format!("{before}º{}", &word[trimmed.len()..]))
}

fn is_door(word: &str) -> bool {
    let word = word.trim_end_matches([',', '.', ';']);
    let mut letters = word.chars();
    let is_letter = letters.next().is_some_and(char::is_uppercase) && letters.next().is_none();
    is_letter || DOOR_WORDS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::{Rect, Word};

    use super::*;

    fn after(text: &str, languages: &str) -> String {
        let rect = Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 };
        let words = text.split(' ').map(|text| Word::new(text, rect)).collect();
        let mut lines = [Line { words, opens_paragraph: true }];
        fix_ordinals(&mut lines, languages);
        lines[0].words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ordinals_are_corrected_where_they_are_unambiguous() {
        let cases = [
            ("Plaza Mayor 105, 7% C, 28001 Madrid", "Plaza Mayor 105, 7º C, 28001 Madrid"),
            ("Sol n* 45, 2% izq.", "Sol nº 45, 2º izq."),
            ("N? historia: 12", "Nº historia: 12"),
            ("N°: 12, piso 10° dcha", "Nº: 12, piso 10º dcha"),
            ("el 3° día", "el 3º día"),
        ];
        for (recognised, expected) in cases {
            assert_eq!(after(recognised, "spa+eng"), expected);
        }
    }

    #[test]
    fn percentages_questions_degrees_and_other_languages_stay_unchanged() {
        for text in ["Glucosa al 5% en suero", "95 % estable", "39 °C", "¿Come 2? Sí", "100% B", "% N *", ""]
        {
            assert_eq!(after(text, "spa"), text);
        }
        assert_eq!(after("floor 7% C", "eng"), "floor 7% C");
    }
}
