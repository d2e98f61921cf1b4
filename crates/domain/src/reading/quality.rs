//! Measures whether a text is good enough to interpret.
//!
//! Some PDFs contain text that nobody wrote: fonts with wrong character maps, poorly recognised scans, tables of
//! symbols. Values from such a text would be wrong but look right, so processing stops here. The measure is
//! deliberately simple: each issue is a named share of characters or words, so that a person can see the reason.

/// The fewest visible characters that can be judged.
const MIN_CHARACTERS: usize = 20;
/// The lowest score of a text that is used.
const PASSING_SCORE: f32 = 0.60;
/// Wrong readings of "tratamiento", "traquea" and "tiene" with a swapped letter.
const SWAPPED_LETTER_WORDS: [&str; 3] = ["dratamiento", "draquea", "diene"];

/// A reason against using a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the documentation.
pub enum QualityIssue {
    TooShort,
    NotHumanReadable,
    NoLetters,
    TooFewWords,
    LowVowelRatio,
    Gibberish,
    HighPunctuation,
    LowWhitespace,
    NoLineBreaks,
    LongTokens,
    SingleLetters,
    MostlyUppercase,
    SwappedLetters,
}

/// Whether a text is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QualityVerdict {
    /// The text is used.
    Good,
    /// The text is nearly empty, or no readable text.
    Unreadable,
    /// The text is readable but too unreliable.
    Low,
}

/// The score of a text, and the issues that lower it.
#[derive(Clone, Debug, PartialEq)]
pub struct Quality {
    /// The score, from 0 to 1.
    pub score: f32,
    /// The issues of the text.
    pub issues: Vec<QualityIssue>,
}

impl Quality {
    /// Measures a text. Takes time in proportion to its length.
    pub fn of(text: &str) -> Self {
        let counts = TextCounts::of(text);
        if let Some(flaw) = counts.unreadable() {
            return Self { score: 0.0, issues: vec![flaw] };
        }
        let (flaws, penalties): (Vec<QualityIssue>, Vec<f32>) = counts.penalties().into_iter().unzip();
        let score = (1.0 - penalties.iter().sum::<f32>()).clamp(0.0, 1.0);
        Self { score, issues: flaws }
    }

    /// Whether the text is used.
    pub fn verdict(&self) -> QualityVerdict {
        let unreadable = [
            QualityIssue::TooShort,
            QualityIssue::NotHumanReadable,
            QualityIssue::NoLetters,
            QualityIssue::TooFewWords,
        ];
        if self.issues.iter().any(|flaw| unreadable.contains(flaw)) {
            QualityVerdict::Unreadable
        } else if self.score < PASSING_SCORE || self.issues.contains(&QualityIssue::SwappedLetters) {
            QualityVerdict::Low
        } else {
            QualityVerdict::Good
        }
    }
}

#[derive(Default)]
struct TextCounts {
    characters: usize,
    visible: usize,
    printable: usize,
    whitespace: usize,
    line_breaks: usize,
    letters: usize,
    uppercase: usize,
    latin: usize,
    common: usize,
    vowels: usize,
    punctuation: usize,
    odd: usize,
    tokens: usize,
    words: usize,
    long_tokens: usize,
    single_letters: usize,
    after_single: bool,
    /// The Latin words of four or more letters, and those among them that cannot be pronounced.
    latin_words: usize,
    unpronounceable: usize,
    swapped: usize,
}

impl TextCounts {
    fn of(text: &str) -> Self {
        let mut counts = Self::default();
        for character in text.chars() {
            counts.character(character);
        }
        for token in text.split_whitespace() {
            counts.token(token);
        }
        counts
    }

    fn character(&mut self, character: char) {
        self.characters += 1;
        if character.is_whitespace() {
            self.whitespace += 1;
            self.printable += 1;
            self.line_breaks += usize::from(character == '\n');
            return;
        }
        self.visible += 1;
        if character.is_control() || character == '\u{FFFD}' || is_private_use(character) {
            return;
        }
        self.printable += 1;
        if character.is_alphabetic() {
            self.letters += 1;
            self.uppercase += usize::from(character.is_uppercase());
            self.latin += usize::from(is_latin(character));
            self.common += usize::from(is_common(character));
            self.vowels += usize::from(is_vowel(character));
        } else if !character.is_numeric() {
            let usual = ".,;:!?()[]{}'\"-/%€$+*=<>&@#º°ª«»“”‘’–—•¿¡…_|".contains(character);
            self.punctuation += usize::from(usual);
            self.odd += usize::from(!usual);
        }
    }

    fn token(&mut self, token: &str) {
        self.tokens += 1;
        let word = token.trim_matches(|character: char| !character.is_alphabetic());
        let letters = word.chars().filter(|character| character.is_alphabetic()).count();
        self.words += usize::from(letters >= 3);
        self.long_tokens += usize::from(letters >= 12);
        let single = letters == 1 && token.chars().count() == 1;
        // "y", "a" and "o" are words. Letters of a word that was torn apart stand next to each other.
        self.single_letters += usize::from(single && (self.after_single || !word.chars().all(is_vowel)));
        self.after_single = single;
        if SWAPPED_LETTER_WORDS.iter().any(|swapped| word.to_lowercase() == *swapped) {
            self.swapped += 1;
        }
        if letters >= 4 && word.chars().all(is_latin) {
            self.latin_words += 1;
            self.unpronounceable += usize::from(!is_pronounceable(word));
        }
    }

    fn unreadable(&self) -> Option<QualityIssue> {
        if self.visible < MIN_CHARACTERS {
            Some(QualityIssue::TooShort)
        } else if self.letters == 0 {
            Some(QualityIssue::NoLetters)
        } else if share(self.printable, self.characters) < 0.90
            || share(self.letters, self.visible) < 0.35
            || share(self.odd, self.visible) >= 0.15
        {
            Some(QualityIssue::NotHumanReadable)
        } else if self.words < 3 {
            Some(QualityIssue::TooFewWords)
        } else {
            None
        }
    }

    /// Whether too many words cannot be pronounced, or letters have frequencies that no language has.
    fn is_gibberish(&self) -> bool {
        let unsaid = share(self.unpronounceable, self.latin_words);
        let enough = self.latin_words >= 5;
        enough && (unsaid > 0.30 || share(self.common, self.latin) < 0.50)
    }

    fn penalties(&self) -> Vec<(QualityIssue, f32)> {
        // The vowel checks apply to Latin script only.
        let is_latin = share(self.latin, self.letters) > 0.5;
        let rules = [
            (QualityIssue::LowVowelRatio, 0.20, is_latin && share(self.vowels, self.letters) < 0.30),
            (QualityIssue::Gibberish, 0.45, is_latin && self.is_gibberish()),
            (QualityIssue::HighPunctuation, 0.25, share(self.punctuation, self.visible) > 0.25),
            (QualityIssue::LowWhitespace, 0.20, share(self.whitespace, self.characters) < 0.10),
            (
                QualityIssue::NoLineBreaks,
                0.10,
                self.characters > 800 && share(self.line_breaks, self.characters) < 0.0005,
            ),
            (
                QualityIssue::LongTokens,
                0.35,
                self.tokens >= 80 && share(self.long_tokens, self.tokens) > 0.20,
            ),
            (
                QualityIssue::SingleLetters,
                0.35,
                self.tokens > 120 && share(self.single_letters, self.tokens) > 0.045,
            ),
            (
                QualityIssue::MostlyUppercase,
                0.20,
                self.tokens < 250 && share(self.uppercase, self.letters) > 0.80,
            ),
            (QualityIssue::SwappedLetters, 0.40, self.swapped > 0),
        ];
        rules.into_iter().filter(|(_, _, holds)| *holds).map(|(flaw, penalty, _)| (flaw, penalty)).collect()
    }
}

#[allow(clippy::cast_precision_loss)] // Shares need only a few digits.
fn share(part: usize, whole: usize) -> f32 {
    if whole == 0 { 0.0 } else { part as f32 / whole as f32 }
}

/// Private-use code points. Their meaning depends on the font.
fn is_private_use(character: char) -> bool {
    matches!(character, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFD}')
}

fn is_latin(character: char) -> bool {
    matches!(character, 'A'..='Z' | 'a'..='z' | '\u{C0}'..='\u{24F}')
}

fn is_vowel(character: char) -> bool {
    "aeiouyàáâãäåæèéêëìíîïòóôõöøùúûüýÿœ".contains(character.to_lowercase().next().unwrap_or(character))
}

/// Letters that make up most of a text in any language in Latin script.
fn is_common(character: char) -> bool {
    "eaionrstldáéíóàèìòäëïöâêîôãõå".contains(character.to_lowercase().next().unwrap_or(character))
}

/// Whether a word has a vowel and never five consonants in a row.
fn is_pronounceable(word: &str) -> bool {
    let runs = word.split(is_vowel).map(|consonants| consonants.chars().count());
    word.chars().any(is_vowel) && runs.max().unwrap_or(0) < 5
}

#[cfg(test)]
#[path = "quality_tests.rs"]
mod tests;
