//! Converts right-to-left text from visual order (as drawn, left to right) to logical order (as read).
//!
//! If most letters of a line are right-to-left, its words are read from the right. Words in Latin letters, and numbers
//! after them, keep their order among themselves. In a line with mostly Latin letters it is the other way round. Within a
//! right-to-left word the letters are reversed, but numbers and Latin letters are not. Brackets are swapped, because they
//! are drawn mirrored. This is the Unicode bidirectional algorithm in reverse, for ordinary lines: nested quotations are
//! ignored, because the page does not show the nesting.

use super::glyph_text::is_combining_mark;

/// Whether a character belongs to a right-to-left script.
pub(super) fn is_right_to_left(letter: char) -> bool {
    // A shortcut: nearly all characters come before these.
    letter >= '\u{590}'
        && matches!(letter,
            '\u{590}'..='\u{65F}' | '\u{66D}'..='\u{6EF}' | '\u{6FA}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFF}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// The direction of a word within a line.
#[derive(Clone, Copy, PartialEq, Debug)]
enum WordDirection {
    RightToLeft,
    LeftToRight,
    Number,
    Neutral,
}

/// A word of a line in visual order.
pub(super) struct VisualWord<'t> {
    pub(super) text: &'t str,
    /// Whether its letters are already in logical order.
    pub(super) is_logical: bool,
}

/// Whether more letters are right-to-left than left-to-right.
pub(super) fn is_mostly_right_to_left<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    let (mut rtl, mut ltr) = (0usize, 0usize);
    for letter in texts.flat_map(str::chars) {
        if is_right_to_left(letter) {
            rtl += 1;
        } else if letter.is_alphabetic() {
            ltr += 1;
        }
    }
    rtl > ltr
}

/// The indexes of the words in logical order. The words are given from left to right.
pub(super) fn logical_order(words: &[VisualWord<'_>]) -> Vec<usize> {
    let directions: Vec<WordDirection> = words.iter().map(|word| word_direction(word.text)).collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    if is_mostly_right_to_left(words.iter().map(|word| word.text)) {
        for run in runs(&directions, WordDirection::LeftToRight, true) {
            order[run].reverse();
        }
        order.reverse();
    } else {
        for run in runs(&directions, WordDirection::RightToLeft, false) {
            order[run].reverse();
        }
    }
    order
}

/// The runs of words with the given direction. A run may include neutral words and numbers between such words, and ends
/// before a word of the other direction. With `include_numbers`, it also includes the numbers directly after it.
fn runs(
    directions: &[WordDirection],
    direction: WordDirection,
    include_numbers: bool,
) -> Vec<std::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut open: Option<std::ops::Range<usize>> = None;
    for (index, word) in directions.iter().enumerate() {
        if *word == direction {
            let start = open.as_ref().map_or(index, |run| run.start);
            open = Some(start..index + 1);
        } else if *word == WordDirection::Number && include_numbers {
            if let Some(run) = open.as_mut().filter(|run| run.end == index) {
                run.end = index + 1;
            }
        } else if matches!(word, WordDirection::LeftToRight | WordDirection::RightToLeft) {
            runs.extend(open.take());
        }
    }
    runs.extend(open);
    runs
}

fn word_direction(text: &str) -> WordDirection {
    if text.chars().any(is_right_to_left) {
        WordDirection::RightToLeft
    } else if text.chars().any(char::is_alphabetic) {
        WordDirection::LeftToRight
    } else if text.chars().any(char::is_numeric) {
        WordDirection::Number
    } else {
        WordDirection::Neutral
    }
}

/// The text of a word in logical order. A word without right-to-left letters stays as it is.
pub(super) fn logical_text(word: &VisualWord<'_>) -> String {
    if word.is_logical || word_direction(word.text) != WordDirection::RightToLeft {
        return word.text.to_owned();
    }
    let clusters = clusters_of(word.text);
    let mut logical = String::with_capacity(word.text.len());
    let mut at = clusters.len();
    while at > 0 {
        let end = at;
        // Numbers, including the punctuation between their digits, and Latin letters keep their order.
        while at > 0 && keeps_order(&clusters, at - 1) {
            at -= 1;
        }
        if at < end {
            clusters[at..end].iter().for_each(|cluster| logical.push_str(cluster));
        } else {
            at -= 1;
            logical.extend(clusters[at].chars().map(mirrored));
        }
    }
    logical
}

/// Splits a text into letters together with their combining marks.
fn clusters_of(text: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = text
        .char_indices()
        .filter(|(index, letter)| *index == 0 || !is_combining_mark(*letter))
        .map(|(index, _)| index)
        .collect();
    starts.push(text.len());
    starts.windows(2).map(|pair| &text[pair[0]..pair[1]]).collect()
}

fn keeps_order(clusters: &[&str], index: usize) -> bool {
    let first = |index: usize| clusters.get(index).and_then(|cluster| cluster.chars().next());
    let is_left_to_right = |letter: char| letter.is_alphanumeric() && !is_right_to_left(letter);
    match first(index) {
        Some(letter) if is_left_to_right(letter) => true,
        Some('.' | ',' | ':' | '/' | '-' | '@' | '_' | '%' | '\'') => {
            let before = index.checked_sub(1).and_then(first);
            before.is_some_and(is_left_to_right) && first(index + 1).is_some_and(is_left_to_right)
        }
        _ => false,
    }
}

fn mirrored(letter: char) -> char {
    match letter {
        '(' => ')',
        ')' => '(',
        '[' => ']',
        ']' => '[',
        '{' => '}',
        '}' => '{',
        '<' => '>',
        '>' => '<',
        '«' => '»',
        '»' => '«',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logical(visual: &str) -> String {
        let words: Vec<_> = visual.split(' ').map(|text| VisualWord { text, is_logical: false }).collect();
        let order = logical_order(&words);
        order.iter().map(|index| logical_text(&words[*index])).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn right_to_left_words_are_reversed_and_latin_words_are_not() {
        assert_eq!(logical("םולש"), "שלום");
        assert_eq!(logical("בוט םולש"), "שלום טוב");
        assert_eq!(logical("only Latin, 12 words"), "only Latin, 12 words");
    }

    #[test]
    fn numbers_and_latin_words_keep_their_order() {
        assert_eq!(logical("ג\"ק 4.2 :לקשמ"), "משקל: 4.2 ק\"ג");
        assert_eq!(logical("םויה Windows 10 תנקתה"), "התקנת Windows 10 היום");
        assert_eq!(logical("12/03/2024-ב"), "ב-12/03/2024");
        assert_eq!(
            logical("(\u{5D2}\u{5D1}\u{5D0}) \u{5D4}\u{5D3}"),
            "\u{5D3}\u{5D4} (\u{5D0}\u{5D1}\u{5D2})"
        );
        assert_eq!(logical("the word בוט םולש means hello"), "the word שלום טוב means hello");
    }

    #[test]
    fn marks_stay_on_their_letters_and_logical_words_stay_as_they_are() {
        assert_eq!(logical("ם\u{5B0}ש"), "שם\u{5B0}");
        let word = VisualWord { text: "שלום", is_logical: true };
        assert_eq!(logical_text(&word), "שלום");
    }
}
