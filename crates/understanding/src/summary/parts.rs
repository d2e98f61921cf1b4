//! Splits a long text into parts that a summariser can take at once.

/// Parts of at most `max_chars` characters that together are the whole text: at paragraphs where possible, else between
/// two words.
pub fn split(text: &str, max_chars: usize) -> Vec<&str> {
    let max_chars = max_chars.max(1);
    let mut parts = Vec::new();
    let mut rest = text.trim();
    while !rest.is_empty() {
        let Some((end, _)) = rest.char_indices().nth(max_chars) else {
            parts.push(rest);
            break;
        };
        let window = &rest[..end];
        // Not in the first half: parts should be few.
        let late = |at: &usize| *at > end / 2;
        let at = window.rfind("\n\n").filter(late).or_else(|| window.rfind('\n').filter(late));
        let at = at.or_else(|| window.rfind(char::is_whitespace).filter(|at| *at > 0)).unwrap_or(end);
        let (part, after) = rest.split_at(at);
        parts.push(part.trim_end());
        rest = after.trim_start();
    }
    parts
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_text_is_split_at_paragraphs() {
        assert_eq!(split("one two\n\nthree four\n\nfive", 20), ["one two\n\nthree four", "five"]);
        assert_eq!(split("short", 20), ["short"]);
        assert_eq!(split("", 20), Vec::<&str>::new());
    }

    proptest! {
        #[test]
        fn parts_are_within_the_limit_and_lose_no_word(text in "[a-z \n]{0,300}", limit in 1usize..50) {
            let parts = split(&text, limit);
            prop_assert!(parts.iter().all(|part| part.chars().count() <= limit && !part.is_empty()));
            let letters = |text: &str| text.split_whitespace().collect::<String>();
            prop_assert_eq!(parts.iter().map(|part| letters(part)).collect::<String>(), letters(&text));
        }
    }
}
