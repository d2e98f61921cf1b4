//! Cuts a text at the end of a sentence or phrase.

/// Where a text may be cut: behind these marks.
const SENTENCE_ENDS: [&str; 5] = [". ", "! ", "? ", "; ", ", "];
/// Marks behind which no space follows.
const WIDE_ENDS: [char; 5] = ['。', '！', '？', '；', '，'];

/// At most `limit` characters of a text, up to its last sentence or phrase. A text without any is cut between two words,
/// and one without words anywhere.
pub fn cut(text: &str, limit: usize) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(limit) else { return text.to_owned() };
    // With one character more: the space behind the last mark may be cut off.
    let next = text[end..].chars().next().map_or(end, |next| end + next.len_utf8());
    let window = &text[..next];
    let narrow = SENTENCE_ENDS.iter().filter_map(|mark| window.rfind(mark).map(|at| at + 1)).max();
    let wide = text[..end].rfind(WIDE_ENDS).and_then(|at| Some(at + text[at..].chars().next()?.len_utf8()));
    // A phrase that ends too early would leave most of the room empty.
    let is_long = |at: &usize| *at <= end && text[..*at].chars().count() * 5 >= limit * 2;
    let phrase = narrow.max(wide).filter(is_long);
    let at = phrase.or_else(|| window.rfind(char::is_whitespace).filter(|at| *at > 0)).unwrap_or(end);
    text[..at].trim_end().trim_end_matches([',', ';', '，', '；']).trim_end().to_owned()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Proves R192 for the limits of length.
    #[test]
    fn a_text_is_cut_at_its_last_phrase() {
        assert_eq!(cut("Short.", 250), "Short.");
        assert_eq!(cut("One is here. Two is there. Three", 27), "One is here. Two is there.");
        assert_eq!(cut("One is here. Two is there. Three", 26), "One is here. Two is there.");
        assert_eq!(cut("One is here. Two is there. Three", 25), "One is here.");
        assert_eq!(cut("What? Yes, of course, my friend", 24), "What? Yes, of course");
        assert_eq!(cut("no mark at all here", 12), "no mark at");
        assert_eq!(cut("pi is 3.14159265", 10), "pi is");
        assert_eq!(cut("unbreakable", 5), "unbre");
        assert_eq!(cut("橋が完成した。祝賀会は明日。", 8), "橋が完成した。");
        assert_eq!(cut("ñandú ñu", 3), "ñan");
    }

    proptest! {
        /// Proves R192: a cut text is a beginning of the text and within its limit.
        #[test]
        fn a_cut_text_is_within_its_limit(text in "\\PC{0,400}", limit in 0usize..300) {
            let short = cut(&text, limit);
            prop_assert!(short.chars().count() <= limit);
            prop_assert!(text.trim().starts_with(&short));
        }

        #[test]
        fn a_long_text_with_words_is_not_cut_to_nothing(words in prop::collection::vec("[a-z]{1,9}[.,]?", 60..120)) {
            prop_assert!(cut(&words.join(" "), 250).chars().count() > 100);
        }
    }
}
