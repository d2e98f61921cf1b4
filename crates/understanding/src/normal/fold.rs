//! Folds case and accents, so that words compare as people compare them.

/// The text in lower case and without accents.
pub(crate) fn fold(text: &str) -> String {
    text.chars().flat_map(char::to_lowercase).map(without_accent).collect()
}

fn without_accent(letter: char) -> char {
    match letter {
        'á' | 'à' | 'ä' | 'â' | 'ã' | 'ª' => 'a',
        'é' | 'è' | 'ë' | 'ê' => 'e',
        'í' | 'ì' | 'ï' | 'î' => 'i',
        'ó' | 'ò' | 'ö' | 'ô' | 'õ' | 'º' | '°' => 'o',
        'ú' | 'ù' | 'ü' | 'û' => 'u',
        'ñ' => 'n',
        'ç' => 'c',
        letter => letter,
    }
}

/// The folded words of a text: runs of letters and digits.
pub(crate) fn folded_words(text: &str) -> Vec<String> {
    let words = fold(text);
    let words = words.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_owned).collect()
}

/// Words that stay in lower case within a name.
const SMALL: [&str; 12] = ["de", "del", "la", "las", "los", "el", "y", "e", "of", "the", "and", "nº"];

/// A name that is written in capitals, in mixed case. Other names stay as they are.
pub(crate) fn from_capitals(name: &str) -> String {
    let letters = || name.chars().filter(|c| c.is_alphabetic() && !"ºª".contains(*c));
    if letters().count() < 2 || letters().any(char::is_lowercase) {
        return name.to_owned();
    }
    let word = |(place, word): (usize, &str)| {
        let small = word.to_lowercase();
        // A short word without vowels is an abbreviation, such as HV, and keeps its capitals.
        let is_short_form = word.chars().count() <= 3
            && word.chars().all(char::is_alphabetic)
            && !fold(word).contains(['a', 'e', 'i', 'o', 'u', 'y']);
        let has_figure = word.chars().any(|c| c.is_ascii_digit());
        let is_short_form = is_short_form || has_figure || word.trim_end_matches('.').contains('.');
        if is_short_form || (place > 0 && SMALL.contains(&small.as_str())) {
            return if is_short_form { word.to_owned() } else { small };
        }
        capitalised(&small)
    };
    name.split(' ').enumerate().map(word).collect::<Vec<_>>().join(" ")
}

/// The word with its first letter as a capital.
pub(crate) fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}
