//! The key words of a text: the words with meaning that it uses most, and pairs of them that belong together.

use std::collections::HashMap;

use super::lists::MAX_TAGS;
use super::sentences::sentences;
use super::words::terms;

/// The text beyond this many characters adds no key words.
const MAX_CHARS: usize = 200_000;
/// A pair of words must stand together this often.
const MIN_PAIRS: usize = 3;

/// At most ten key words, the most important first.
pub(super) fn keywords(text: &str, language: Option<&str>) -> Vec<String> {
    let end = text.char_indices().nth(MAX_CHARS).map_or(text.len(), |(end, _)| end);
    let mut counts: HashMap<String, usize> = HashMap::new();
    let mut forms: HashMap<String, HashMap<String, usize>> = HashMap::new();
    let mut pairs: HashMap<(String, String), usize> = HashMap::new();
    for sentence in sentences(&text[..end]) {
        let terms = terms(sentence, language);
        for pair in terms.windows(2) {
            // Only words that stand side by side: both stand in the sentence as they are written here.
            let phrase = format!("{} {}", pair[0].word, pair[1].word);
            if sentence.to_lowercase().contains(&phrase) {
                *pairs.entry((pair[0].stem.clone(), pair[1].stem.clone())).or_default() += 1;
            }
        }
        for term in terms {
            *counts.entry(term.stem.clone()).or_default() += 1;
            *forms.entry(term.stem).or_default().entry(term.word).or_default() += 1;
        }
    }
    let form = |stem: &String| {
        let most = forms.get(stem)?.iter().max_by(|a, b| a.1.cmp(b.1).then_with(|| b.0.cmp(a.0)))?;
        Some(most.0.clone())
    };
    // A pair stands for its words if these seldom stand alone.
    let is_fixed = |(pair, count): &(&(String, String), &usize)| {
        let rarer = counts.get(&pair.0).min(counts.get(&pair.1)).copied().unwrap_or_default();
        **count >= MIN_PAIRS && **count * 10 >= rarer * 6
    };
    let fixed: Vec<_> = pairs.iter().filter(is_fixed).collect();
    let phrases = fixed
        .iter()
        .filter_map(|(pair, count)| Some((**count * 2, format!("{} {}", form(&pair.0)?, form(&pair.1)?))));
    let is_in_phrase = |stem: &str| fixed.iter().any(|(pair, _)| pair.0 == stem || pair.1 == stem);
    let single = counts.iter().filter(|(stem, _)| !is_in_phrase(stem));
    let single = single.filter_map(|(stem, count)| Some((*count, form(stem)?)));
    let mut ranked: Vec<(usize, String)> = phrases.chain(single).collect();
    ranked.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    ranked.into_iter().take(MAX_TAGS).map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_fixed_pairs_that_are_used_most_come_first() {
        let text = "The solar panel works. A solar panel costs less. Every solar panel needs sun. The bridge is old. \
            Bridges are closed. The bridge was built in steel.";
        assert_eq!(keywords(text, Some("en"))[..2], ["solar panel", "bridge"]);
        assert!(keywords(text, Some("en")).len() <= MAX_TAGS);
        assert!(keywords("", None).is_empty());
    }
}
