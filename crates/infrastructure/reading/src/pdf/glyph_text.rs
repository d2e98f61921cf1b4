//! Turns a glyph into the characters that people search for.

use hayro_interpret::hayro_cmap::BfString;

use super::arabic::plain_letters;

/// The character of a glyph whose font has no Unicode mapping.
const UNKNOWN: char = '\u{FFFD}';

/// Appends the characters of a glyph. Ligatures and presentation forms become plain letters, so that a search finds the
/// word however it was typeset.
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
        // A soft hyphen is drawn only where a line breaks, so a drawn one is a hyphen.
        '\u{AD}' => "-",
        // Zero-width characters and direction marks. The positions of the glyphs give the order.
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

/// Whether a character is drawn over or under the previous one and has no width of its own.
pub(super) fn is_combining_mark(letter: char) -> bool {
    matches!(letter,
        '\u{300}'..='\u{36F}' | '\u{591}'..='\u{5BD}' | '\u{5BF}' | '\u{5C1}'..='\u{5C7}' | '\u{610}'..='\u{61A}'
        | '\u{64B}'..='\u{65F}' | '\u{670}' | '\u{6D6}'..='\u{6ED}' | '\u{1AB0}'..='\u{1AFF}'
        | '\u{1DC0}'..='\u{1DFF}' | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyph_text(unicode: Option<BfString>) -> String {
        let mut letters = String::new();
        push_glyph_text(unicode, &mut letters);
        letters
    }

    #[test]
    fn ligatures_soft_hyphens_and_zero_width_characters_become_plain_text() {
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
        for (glyph, text) in cases {
            assert_eq!(glyph_text(Some(BfString::String(glyph.to_owned()))), text, "{glyph:?}");
        }
        assert_eq!(glyph_text(None), "\u{FFFD}");
    }
}
