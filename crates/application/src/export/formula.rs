//! Keeps text from becoming a formula in a spreadsheet.
//!
//! A spreadsheet runs a cell that begins like a formula, and a formula can send the rest of the sheet to another server.
//! The text of a document comes from strangers. Which characters begin a cell depends on the reader: many countries
//! separate cells by semicolons, people choose tabs or bars, and a reader with another separator ignores our quotes. So
//! an apostrophe stands before every sign that could begin a formula at the start of a cell, whatever separates cells.

use std::borrow::Cow;

/// The signs that begin formulas. Spreadsheets in some languages also take the wide forms.
const SIGNS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// The text with an apostrophe before every sign that could begin a formula.
pub(super) fn guarded(text: &str) -> Cow<'_, str> {
    let mut written = String::new();
    let mut copied = 0;
    for (at, sign) in text.char_indices().filter(|(_, c)| SIGNS.contains(c)) {
        if begins_formula(text, at, sign) {
            written.push_str(&text[copied..at]);
            written.push('\'');
            copied = at;
        }
    }
    let is_guarded_start = text.starts_with(['\t', '\r', '\n']);
    if copied == 0 && written.is_empty() && !is_guarded_start {
        return Cow::Borrowed(text);
    }
    written.push_str(&text[copied..]);
    // Some readers skip these before the first sign.
    Cow::Owned(if is_guarded_start { format!("'{written}") } else { written })
}

/// Whether a cell could begin with the sign at this place, and be a formula then.
fn begins_formula(text: &str, at: usize, sign: char) -> bool {
    let is_filler = |c: char| c == ' ' || c == '\u{a0}' || c == '"' || c == '\'';
    let before = text[..at].trim_end_matches(is_filler);
    let behind = &text[at + sign.len_utf8()..];
    let Some(last) = before.chars().next_back() else { return true };
    if last.is_alphanumeric() {
        // Only the space between two words could separate cells here, and the cell would end at the next one.
        let has_gap = before.len() < at;
        let is_alone = behind.chars().next().is_none_or(|c| matches!(c, ' ' | '\r' | '\n'));
        return has_gap && !is_alone && !is_number(sign, behind, true);
    }
    // The second of two signs begins nothing that the first does not.
    let follows_sign = before.len() == at && SIGNS.contains(&last);
    !follows_sign && !is_number(sign, behind, false)
}

/// Whether a plus or minus belongs to a number with nothing behind it. With `space_ends`, a space ends the cell.
fn is_number(sign: char, behind: &str, space_ends: bool) -> bool {
    let rest = behind.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.' || c == ',');
    let starts_with_digit = behind.starts_with(|c: char| c.is_ascii_digit());
    matches!(sign, '+' | '-')
        && starts_with_digit
        && (rest.is_empty() || (space_ends && rest.starts_with(' ')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What was seen before: `revisión anual;=1+1;fin` became the formula `=1+1` where semicolons separate cells.
    #[test]
    fn a_sign_is_guarded_wherever_a_cell_could_begin() {
        for (text, wanted) in [
            ("revisión anual;=1+1;fin", "revisión anual;'=1+1;fin"),
            ("=1+1", "'=1+1"),
            (" =1+1", " '=1+1"),
            ("\"=1+1", "\"'=1+1"),
            ("a\t@SUM(A1)", "a\t'@SUM(A1)"),
            ("a|-2+3+cmd|' /C calc'!A0", "a|'-2+3+cmd|' /C calc'!A0"),
            ("uno\n= 1+1", "uno\n'= 1+1"),
            ("uno, =1+1", "uno, '=1+1"),
            ("uno =1+1", "uno '=1+1"),
            ("uno ＝1+1", "uno '＝1+1"),
            ("＝1+1", "'＝1+1"),
            ("\t=1", "'\t'=1"),
            ("Tel: +34 600 123 123", "Tel: '+34 600 123 123"),
        ] {
            assert_eq!(guarded(text), wanted);
        }
    }

    #[test]
    fn ordinary_text_stays_as_it_is() {
        for text in [
            "2024-01-02",
            "ana@example.org",
            "temp - normal",
            "Amoxicilina + clavulánico",
            "a = b",
            "rango: -5",
            "de -5 a 10",
            "x=1",
            "",
        ] {
            assert_eq!(guarded(text), text);
        }
    }

    /// Text with difficult characters more often than by chance.
    fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            any::<String>(),
            "[=+@;,|\t\r\n\": 'a1-]{0,12}",
            "[a-z]{0,3}[;,|:^~\t ]{0,2}[=@+＝-]{0,2}[a-z0-9 ]{0,4}"
        ]
    }

    proptest! {
        /// Splits at every place where some reader would, and looks at what the cells begin with.
        #[test]
        fn no_cell_begins_a_formula_whatever_separates_cells(text in texts()) {
            let text = guarded(&text);
            for separator in [',', ';', '\t', '|', ' ', ':', '^', '~', '#', '/', '.', '_', '('] {
                for cell in text.split([separator, '\r', '\n']) {
                    let cell = cell.trim_matches(['"', ' ', '\u{a0}']);
                    let Some(rest) = cell.strip_prefix(SIGNS) else { continue };
                    let is_number = rest.starts_with(|c: char| c.is_ascii_digit())
                        && rest.chars().all(|c| c.is_ascii_digit() || c == '.' || c == ',');
                    let is_bare = rest.trim_start_matches(SIGNS).is_empty();
                    prop_assert!(is_number || is_bare, "{:?} in {:?}", cell, text);
                }
            }
        }
    }
}
