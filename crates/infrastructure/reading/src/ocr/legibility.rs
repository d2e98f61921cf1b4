//! How well a page was recognised, by the confidence of its words, and what a second look at it makes better.

use quire_domain::reading::{Line, Rect, Word};

/// Recognition is sure of a word from this confidence on.
const SURE: f32 = 0.7;
/// How much surer a second look must be of a word to replace it.
const SURER: f32 = 0.1;
/// The share of letters in sure words below which a page makes no sense, and below which it is doubtful.
const SENSELESS_SHARE: f32 = 0.4;
const DOUBTFUL_SHARE: f32 = 0.85;
/// Fewer letters in sure words make no sense either.
const MIN_SURE_LETTERS: usize = 6;
/// The share of two boxes that they have in common if they are of the same word.
const SAME_PLACE: f32 = 0.5;

/// How much of a page was recognised, and how much of it surely: in letters and digits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Legibility {
    pub(crate) sure: usize,
    all: usize,
}

impl Legibility {
    /// Of a page with these lines.
    pub(crate) fn of(lines: &[Line]) -> Self {
        let mut legibility = Self::default();
        for word in lines.iter().flat_map(|line| &line.words) {
            let letters = word.text.chars().filter(|letter| letter.is_alphanumeric()).count();
            legibility.all += letters;
            legibility.sure += if is_sure(word) { letters } else { 0 };
        }
        legibility
    }

    #[allow(clippy::cast_precision_loss)] // Letters of a page.
    fn share(self) -> f32 {
        self.sure as f32 / self.all.max(1) as f32
    }

    /// Whether the page may lie on another side: hardly any word is sure.
    pub(crate) fn is_senseless(self) -> bool {
        self.sure < MIN_SURE_LETTERS || self.share() < SENSELESS_SHARE
    }

    /// Whether so many words are unsure that a second look may pay.
    pub(crate) fn is_doubtful(self) -> bool {
        self.share() < DOUBTFUL_SHARE
    }
}

fn is_sure(word: &Word) -> bool {
    word.confidence.is_none_or(|confidence| confidence >= SURE)
}

/// Replaces words that are not sure by those at the same place that a second look is surer of. If the second look found
/// much more, all of it is used.
pub(crate) fn replace_doubtful_words(lines: &mut Vec<Line>, second: Vec<Line>) {
    if Legibility::of(&second).sure * 4 > Legibility::of(lines).sure * 5 {
        *lines = second;
        return;
    }
    let mut second: Vec<Word> = second.into_iter().flat_map(|line| line.words).filter(is_sure).collect();
    second.sort_by(|one, other| one.rect.y0.total_cmp(&other.rect.y0));
    let tallest = second.iter().map(|word| word.rect.y1 - word.rect.y0).fold(0.0, f32::max);
    for word in lines.iter_mut().flat_map(|line| &mut line.words).filter(|word| !is_sure(word)) {
        // Only words that may reach down to this one.
        let first = second.partition_point(|other| other.rect.y0 < word.rect.y0 - tallest);
        let near = second[first..].iter().take_while(|other| other.rect.y0 < word.rect.y1);
        let surer = word.confidence.unwrap_or(1.0) + SURER;
        let better = near.filter(|other| other.confidence.is_none_or(|confidence| confidence >= surer));
        let same = better.map(|other| (common_share(word.rect, other.rect), other));
        let best = same.max_by(|(one, _), (other, _)| one.total_cmp(other));
        if let Some((share, better)) = best
            && share >= SAME_PLACE
        {
            word.text.clone_from(&better.text);
            word.confidence = better.confidence;
        }
    }
}

/// The area that two boxes have in common, as a share of what they cover together.
fn common_share(one: Rect, other: Rect) -> f32 {
    let area = |rect: Rect| (rect.x1 - rect.x0).max(0.0) * (rect.y1 - rect.y0).max(0.0);
    let common = area(Rect {
        x0: one.x0.max(other.x0),
        y0: one.y0.max(other.y0),
        x1: one.x1.min(other.x1),
        y1: one.y1.min(other.y1),
    });
    let together = area(one) + area(other) - common;
    if together > 0.0 { common / together } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(words: &[(&str, f32, f32)]) -> Vec<Line> {
        let word = |(text, x0, confidence): &(&str, f32, f32)| {
            Word::recognised(*text, Rect { x0: *x0, y0: 100.0, x1: x0 + 40.0, y1: 110.0 }, *confidence)
        };
        vec![Line { words: words.iter().map(word).collect(), opens_paragraph: true }]
    }

    fn texts(lines: &[Line]) -> Vec<&str> {
        lines.iter().flat_map(|line| &line.words).map(|word| word.text.as_str()).collect()
    }

    #[test]
    fn a_page_is_judged_by_the_letters_in_sure_words() {
        let judged = |words: &[(&str, f32, f32)]| {
            let legibility = Legibility::of(&lines(words));
            (legibility.is_senseless(), legibility.is_doubtful())
        };
        assert_eq!(judged(&[]), (true, true));
        assert_eq!(judged(&[("Paciente", 0.0, 0.95), ("Luna", 50.0, 0.9)]), (false, false));
        assert_eq!(judged(&[("Paciente", 0.0, 0.95), ("Lvna", 50.0, 0.5)]), (false, true));
        assert_eq!(judged(&[("ej2uaised", 0.0, 0.3), ("eun", 50.0, 0.9)]), (true, true));
    }

    #[test]
    fn a_doubtful_word_is_replaced_by_a_surer_one_at_its_place() {
        let mut first = lines(&[
            ("Paciente:", 0.0, 0.96),
            ("Lvna", 50.0, 0.4),
            ("fe1ina", 100.0, 0.6),
            ("kg", 200.0, 0.5),
            ("esterilizada", 300.0, 0.9),
        ]);
        let second = lines(&[
            ("Pac1ente:", 1.0, 0.99),
            ("Luna", 52.0, 0.93),
            ("felina", 130.0, 0.9),
            ("kq", 200.0, 0.55),
        ]);
        replace_doubtful_words(&mut first, second);
        assert_eq!(texts(&first), ["Paciente:", "Luna", "fe1ina", "kg", "esterilizada"]);
        assert_eq!(first[0].words[1].confidence, Some(0.93));
        assert_eq!(first[0].words[1].rect.x0.to_bits(), 50f32.to_bits(), "its box stays");
    }

    #[test]
    fn a_second_look_that_finds_much_more_is_used_whole() {
        let mut first = lines(&[("Paciente:", 0.0, 0.96), ("~", 50.0, 0.2)]);
        let second = lines(&[("Paciente:", 0.0, 0.9), ("Luna", 300.0, 0.9)]);
        replace_doubtful_words(&mut first, second);
        assert_eq!(texts(&first), ["Paciente:", "Luna"]);
    }
}
