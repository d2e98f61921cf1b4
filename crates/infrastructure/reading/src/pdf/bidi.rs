//! Right to left: from the order in which letters stand to the order in which they are read.
//!
//! A line is given as a person sees it, from left to right. If most of its letters belong to a script that is written
//! from right to left, its words are read from the right; words in Latin letters, and numbers that follow them, keep
//! their order among themselves. In a line of Latin letters it is the other way round. Inside a word the letters are
//! turned, numbers and Latin letters in it are not, and brackets are exchanged, for they are drawn as mirror images. This
//! is what the bidirectional algorithm of Unicode does for ordinary lines, done backwards; nested quotations are not
//! told apart, because the page does not show them.

use super::glyph_text::is_combining_mark;

/// Whether a letter belongs to a script that is written from right to left.
pub(super) fn is_right_to_left(letter: char) -> bool {
    // Nearly all letters are before these.
    letter >= '\u{590}'
        && matches!(letter,
            '\u{590}'..='\u{65F}' | '\u{66D}'..='\u{6EF}' | '\u{6FA}'..='\u{8FF}' | '\u{FB1D}'..='\u{FDFF}'
            | '\u{FE70}'..='\u{FEFF}' | '\u{10800}'..='\u{10FFF}' | '\u{1E800}'..='\u{1EFFF}')
}

/// What decides where a word stands among others.
#[derive(Clone, Copy, PartialEq, Debug)]
enum WordDirection {
    RightToLeft,
    LeftToRight,
    Number,
    Neutral,
}

/// A word on a line, as it stands there.
pub(super) struct VisualWord<'t> {
    pub(super) text: &'t str,
    /// Whether its letters are already in the order they are read.
    pub(super) is_logical: bool,
}

/// Whether a text is more in letters from right to left than in others.
pub(super) fn is_mostly_right_to_left<'t>(texts: impl Iterator<Item = &'t str>) -> bool {
    let (mut right, mut left) = (0usize, 0usize);
    for letter in texts.flat_map(str::chars) {
        if is_right_to_left(letter) {
            right += 1;
        } else if letter.is_alphabetic() {
            left += 1;
        }
    }
    right > left
}

/// The order in which the words of a line are read, as their places from left to right.
pub(super) fn logical_order(words: &[VisualWord<'_>]) -> Vec<usize> {
    let kinds: Vec<WordDirection> = words.iter().map(|word| word_direction(word.text)).collect();
    let mut order: Vec<usize> = (0..words.len()).collect();
    if is_mostly_right_to_left(words.iter().map(|word| word.text)) {
        for run in runs(&kinds, WordDirection::LeftToRight, true) {
            order[run].reverse();
        }
        order.reverse();
    } else {
        for run in runs(&kinds, WordDirection::RightToLeft, false) {
            order[run].reverse();
        }
    }
    order
}

/// The stretches that begin with a word of a kind and reach to the last of that kind, or to a number after it, before a
/// word of the other direction comes.
fn runs(kinds: &[WordDirection], kind: WordDirection, numbers_follow: bool) -> Vec<std::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut open: Option<std::ops::Range<usize>> = None;
    for (place, seen) in kinds.iter().enumerate() {
        if *seen == kind {
            let start = open.as_ref().map_or(place, |run| run.start);
            open = Some(start..place + 1);
        } else if *seen == WordDirection::Number && numbers_follow {
            if let Some(run) = open.as_mut().filter(|run| run.end == place) {
                run.end = place + 1;
            }
        } else if matches!(seen, WordDirection::LeftToRight | WordDirection::RightToLeft) {
            runs.extend(open.take());
        }
    }
    runs.extend(open);
    runs
}

fn word_direction(letters: &str) -> WordDirection {
    if letters.chars().any(is_right_to_left) {
        WordDirection::RightToLeft
    } else if letters.chars().any(char::is_alphabetic) {
        WordDirection::LeftToRight
    } else if letters.chars().any(char::is_numeric) {
        WordDirection::Number
    } else {
        WordDirection::Neutral
    }
}

/// The letters of a word in the order they are read. Words without letters from right to left are as they are.
pub(super) fn logical_text(word: &VisualWord<'_>) -> String {
    if word.is_logical || word_direction(word.text) != WordDirection::RightToLeft {
        return word.text.to_owned();
    }
    let clusters = clusters_of(word.text);
    let mut read = String::with_capacity(word.text.len());
    let mut at = clusters.len();
    while at > 0 {
        let end = at;
        // Numbers, with what stands between their digits, and Latin letters keep their order.
        while at > 0 && keeps_order(&clusters, at - 1) {
            at -= 1;
        }
        if at < end {
            clusters[at..end].iter().for_each(|cluster| read.push_str(cluster));
        } else {
            at -= 1;
            read.extend(clusters[at].chars().map(mirrored));
        }
    }
    read
}

/// Letters with the marks over them.
fn clusters_of(letters: &str) -> Vec<&str> {
    let mut starts: Vec<usize> = letters
        .char_indices()
        .filter(|(place, letter)| *place == 0 || !is_combining_mark(*letter))
        .map(|(p, _)| p)
        .collect();
    starts.push(letters.len());
    starts.windows(2).map(|pair| &letters[pair[0]..pair[1]]).collect()
}

fn keeps_order(clusters: &[&str], place: usize) -> bool {
    let first = |place: usize| clusters.get(place).and_then(|cluster| cluster.chars().next());
    let plain = |letter: char| letter.is_alphanumeric() && !is_right_to_left(letter);
    match first(place) {
        Some(letter) if plain(letter) => true,
        Some('.' | ',' | ':' | '/' | '-' | '@' | '_' | '%' | '\'') => {
            let before = place.checked_sub(1).and_then(first);
            before.is_some_and(plain) && first(place + 1).is_some_and(plain)
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

    fn read(seen: &str) -> String {
        let words: Vec<_> =
            seen.split(' ').map(|letters| VisualWord { text: letters, is_logical: false }).collect();
        let order = logical_order(&words);
        order.iter().map(|place| logical_text(&words[*place])).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn what_stands_from_left_to_right_is_read_from_right_to_left() {
        assert_eq!(read("םולש"), "שלום");
        assert_eq!(read("בוט םולש"), "שלום טוב");
        assert_eq!(read("only Latin, 12 words"), "only Latin, 12 words");
    }

    #[test]
    fn numbers_and_latin_words_stay_readable() {
        assert_eq!(read("ג\"ק 4.2 :לקשמ"), "משקל: 4.2 ק\"ג");
        assert_eq!(read("םויה Windows 10 תנקתה"), "התקנת Windows 10 היום");
        assert_eq!(read("12/03/2024-ב"), "ב-12/03/2024");
        assert_eq!(read("(\u{5D2}\u{5D1}\u{5D0}) \u{5D4}\u{5D3}"), "\u{5D3}\u{5D4} (\u{5D0}\u{5D1}\u{5D2})");
        assert_eq!(read("the word בוט םולש means hello"), "the word שלום טוב means hello");
    }

    #[test]
    fn marks_stay_on_their_letters_and_words_already_turned_are_left_alone() {
        assert_eq!(read("ם\u{5B0}ש"), "שם\u{5B0}");
        let word = VisualWord { text: "שלום", is_logical: true };
        assert_eq!(logical_text(&word), "שלום");
    }
}
