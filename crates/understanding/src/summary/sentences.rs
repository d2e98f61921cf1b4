//! Splits a text into sentences.

/// Words that end with a dot and end no sentence, in lower case.
const ABBREVIATIONS: &[&str] = &[
    "mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "e.g", "i.e", "etc", "inc", "ltd", "co", "corp",
    "no", "vol", "fig", "approx", "gen", "sen", "rep", "gov", "u.s", "u.k", "jan", "feb", "mar", "apr",
    "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "sra", "srta", "dra", "ud", "uds", "pág", "art",
    "núm", "p.ej", "ee.uu", "z.b", "d.h", "bzw", "usw", "ca", "hr", "fr", "nr", "mme", "mlle", "т.е", "т.д",
    "т.п", "др", "г", "гг", "ул", "им", "см", "руб", "тыс", "млн", "млрд", "стр", "рис",
];

/// The sentences of a text, trimmed. A line break ends a sentence.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(sentences_of_line).map(str::trim).filter(|sentence| !sentence.is_empty())
}

fn sentences_of_line(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = end_of_sentence(rest);
        let (sentence, after) = rest.split_at(end);
        rest = after;
        Some(sentence)
    })
}

/// The byte behind the first sentence of a line.
fn end_of_sentence(line: &str) -> usize {
    let mut chars = line.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let end = at + char.len_utf8();
        if matches!(char, '。' | '！' | '？') {
            return behind_closing(line, end);
        }
        if !matches!(char, '.' | '!' | '?' | '…') || chars.peek().is_some_and(|(_, next)| is_end(*next)) {
            continue;
        }
        let end = behind_closing(line, end);
        let after = &line[end..];
        let next = after.trim_start().chars().next();
        let begins_sentence = after.starts_with(char::is_whitespace)
            && next.is_none_or(|next| !next.is_lowercase() && !matches!(next, ',' | ';' | ':' | ')' | '.'));
        if begins_sentence && !(char == '.' && is_abbreviation(&line[..at])) {
            return end;
        }
    }
    line.len()
}

fn is_end(char: char) -> bool {
    matches!(char, '.' | '!' | '?' | '…')
}

/// Behind quotes and brackets that close the sentence.
fn behind_closing(line: &str, end: usize) -> usize {
    let closing = line[end..]
        .chars()
        .take_while(|char| matches!(char, '"' | '\'' | '”' | '’' | '»' | ')' | ']' | '」'));
    end + closing.map(char::len_utf8).sum::<usize>()
}

/// Whether the text before a dot ends with an abbreviation or an initial.
fn is_abbreviation(before: &str) -> bool {
    let word =
        before.rsplit(|char: char| char.is_whitespace() || matches!(char, '(' | '"' | '«' | '“')).next();
    let word = word.unwrap_or_default();
    let mut chars = word.chars();
    let is_initial = matches!((chars.next(), chars.next()), (Some(first), None) if first.is_uppercase());
    is_initial || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn split(text: &str) -> Vec<&str> {
        sentences(text).collect()
    }

    #[test]
    fn sentences_end_at_marks_but_not_at_abbreviations_numbers_and_initials() {
        assert_eq!(split("One. Two! Three? Four"), ["One.", "Two!", "Three?", "Four"]);
        assert_eq!(
            split("Dr. J. Smith paid 3.50 dollars. He left."),
            ["Dr. J. Smith paid 3.50 dollars.", "He left."]
        );
        assert_eq!(split("She said \"Go.\" He went."), ["She said \"Go.\"", "He went."]);
        assert_eq!(
            split("Это 2024 г. Москвы, т.е. столицы. Конец."),
            ["Это 2024 г. Москвы, т.е. столицы.", "Конец."]
        );
        assert_eq!(split("Wait... what?! Yes."), ["Wait... what?!", "Yes."]);
        assert_eq!(split("橋が完成した。祝賀会は明日。"), ["橋が完成した。", "祝賀会は明日。"]);
        assert_eq!(split("A title\nA sentence of it."), ["A title", "A sentence of it."]);
        assert_eq!(
            split("example.org is a site. ¿Qué es? ¡Sí!"),
            ["example.org is a site.", "¿Qué es?", "¡Sí!"]
        );
    }

    proptest! {
        #[test]
        fn sentences_contain_all_letters_in_order(text in "\\PC{0,200}") {
            let letters = |text: &str| text.chars().filter(|char| !char.is_whitespace()).collect::<String>();
            prop_assert_eq!(sentences(&text).map(letters).collect::<String>(), letters(&text));
        }
    }
}
