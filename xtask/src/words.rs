//! Taking text apart into words.

/// The longest runs of characters that pass the test, each with where it begins.
pub fn words(text: &str, is_part: impl Fn(char) -> bool) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, mark) in text.char_indices().chain([(text.len(), '\n')]) {
        match (at < text.len() && is_part(mark), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, &text[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Words of letters, digits and underscores.
pub fn names(text: &str) -> Vec<&str> {
    words(text, |mark| mark.is_ascii_alphanumeric() || mark == '_')
        .into_iter()
        .map(|(_, word)| word)
        .collect()
}

/// The names that stand alone between double quotes, such as `"RUN_CREATED"`.
pub fn quoted_names(code: &str) -> impl Iterator<Item = &str> {
    let is_part = |mark: char| mark.is_ascii_alphanumeric() || mark == '_';
    words(code, is_part).into_iter().filter_map(|(at, word)| {
        (code[..at].ends_with('"') && code[at + word.len()..].starts_with('"')).then_some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::{names, quoted_names, words};

    #[test]
    fn words_are_the_longest_runs() {
        assert_eq!(words("a.b, c", |mark| mark == '.' || mark.is_alphabetic()), [(0, "a.b"), (5, "c")]);
        assert_eq!(names("`R001`, R002_x-é"), ["R001", "R002_x"]);
    }

    #[test]
    fn only_names_that_stand_alone_in_quotes_count() {
        let code = "a = \"ONE\", \"TWO THREE\";\nb = FOUR, \"FIVE\"";
        assert_eq!(quoted_names(code).collect::<Vec<_>>(), ["ONE", "FIVE"]);
    }
}
