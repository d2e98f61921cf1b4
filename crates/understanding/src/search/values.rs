//! The text by which the values of a document are found: one value to a line.

/// The longest text of values, in bytes. Later values are left out.
const MAX_BYTES: usize = 60_000;

/// Values as a text, each given with the date that it is, `YYYY-MM-DD`, if it is one. A date stands in both orders in which
/// people write it.
pub fn values_text<'v>(values: impl IntoIterator<Item = (&'v str, Option<&'v str>)>) -> String {
    let mut text = String::new();
    for (value, date) in values {
        let mut line = value.split_whitespace().collect::<Vec<_>>().join(" ");
        for other in date.into_iter().flat_map(|date| [Some(date.to_owned()), day_first(date)]).flatten() {
            if other != line {
                line = if line.is_empty() { other } else { format!("{line} · {other}") };
            }
        }
        if text.len() + line.len() >= MAX_BYTES {
            break;
        }
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// Stored dates are `2024-03-09`; most people search for `09/03/2024`.
fn day_first(date: &str) -> Option<String> {
    let (year, rest) = date.split_once('-')?;
    let (month, day) = rest.split_once('-')?;
    Some(format!("{day}/{month}/{year}"))
}

#[cfg(test)]
mod tests {
    use super::super::tokenize;
    use super::*;

    #[test]
    fn values_are_lines_and_dates_have_both_orders() {
        let values = values_text([
            ("Otitis  CRÓNICA\nleve", None),
            ("2024-03-09", Some("2024-03-09")),
            ("12.5", None),
        ]);
        assert_eq!(values, "Otitis CRÓNICA leve\n2024-03-09 · 09/03/2024\n12.5\n");
        let words = tokenize(&values).join(" ");
        for wanted in ["otitis cronica leve", "2024 03 09", "09 03 2024", "12 5"] {
            assert!(words.contains(wanted), "{wanted} in {words}");
        }
    }

    #[test]
    fn a_very_long_document_is_searched_by_its_first_values() {
        let long = "x".repeat(40_000);
        assert_eq!(values_text([(long.as_str(), None), (long.as_str(), None)]).len(), 40_001);
    }
}
