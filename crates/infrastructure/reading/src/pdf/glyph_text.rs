//! What a glyph says, in the letters that people search for.

use hayro_interpret::hayro_cmap::BfString;

use super::arabic::plain_letters;

/// What a glyph says whose font does not tell.
const UNKNOWN: char = '\u{FFFD}';

/// Writes the letters of a glyph: ligatures and presentation forms by their letters, so that words are found however
/// they were set.
pub(super) fn push_glyph_text(unicode: Option<BfString>, letters: &mut String) {
    match unicode {
        Some(BfString::Char(letter)) => push_character(letter, letters),
        Some(BfString::String(several)) => several.chars().for_each(|letter| push_character(letter, letters)),
        None => letters.push(UNKNOWN),
    }
}

fn push_character(letter: char, letters: &mut String) {
    if letter.is_ascii_graphic() {
        return letters.push(letter);
    }
    let several = match letter {
        '\u{FB00}' => "ff",
        '\u{FB01}' => "fi",
        '\u{FB02}' => "fl",
        '\u{FB03}' => "ffi",
        '\u{FB04}' => "ffl",
        '\u{FB05}' | '\u{FB06}' => "st",
        // A hyphen that is only shown where a line breaks; and here it is shown.
        '\u{AD}' => "-",
        // Characters that show nothing, and marks of direction: the order is told by the places.
        '\0'
        | '\u{200B}'
        | '\u{200E}'
        | '\u{200F}'
        | '\u{202A}'..='\u{202E}'
        | '\u{2066}'..='\u{2069}'
        | '\u{FEFF}' => "",
        other if other.is_control() => " ",
        other => match plain_letters(other) {
            Some(plain) => plain,
            None => return letters.push(other),
        },
    };
    letters.push_str(several);
}

/// Whether a letter stands over or under the one before it and takes no room of its own.
pub(super) fn is_combining_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}'..='\u{5C7}' | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6ED}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(unicode: Option<BfString>) -> String {
        let mut letters = String::new();
        push_glyph_text(unicode, &mut letters);
        letters
    }

    #[test]
    fn ligatures_soft_hyphens_and_what_shows_nothing_are_spelled_out() {
        let cases = [
            ("\u{FB01}", "fi"),
            ("\u{FB04}", "ffl"),
            ("\u{AD}", "-"),
            ("\u{200B}", ""),
            ("\u{200F}", ""),
            ("\t", " "),
            ("ñ", "ñ"),
            ("\u{FEFB}", "\u{644}\u{627}"),
            ("\u{FB02}ow", "flow"),
        ];
        for (written, said) in cases {
            assert_eq!(spelled(Some(BfString::String(written.to_owned()))), said, "{written:?}");
        }
        assert_eq!(spelled(None), "\u{FFFD}");
    }
}
