//! Text whose bytes were decoded by the wrong table.
//!
//! UTF-8 read as Latin-1 or Windows-1252 turns each character beyond ASCII into a letter from `Â` to `ô` and one to three
//! characters that are hardly ever seen behind such a letter. Other encodings read so turn into accented letters only.

use super::share;

/// Fewer certain pairs may be chance.
const MIN_PAIRS: usize = 2;
/// The smallest share of leading letters that begin a pair. In real text, `é` is followed by a letter or a space.
const MIN_LEADS_PAIRED: f32 = 0.5;
/// The smallest share of certain pairs among all letters. One wrong name does not spoil a text.
const MIN_OF_LETTERS: f32 = 0.005;
/// No language has a larger share of accented letters.
const MAX_ACCENTED: f32 = 0.40;
/// Fewer accented letters may be a name or a formula.
const MIN_ACCENTED: usize = 10;

#[derive(Default)]
pub(super) struct Mojibake {
    /// Letters that would begin a character in UTF-8.
    leads: usize,
    /// Those among them with a character behind them that would continue it.
    pairs: usize,
    /// Pairs that no correct text has.
    certain: usize,
    /// Letters of ASCII, and letters of Latin-1 beyond it.
    ascii: usize,
    accented: usize,
}

impl Mojibake {
    pub(super) fn of(text: &str) -> Self {
        let mut counted = Self::default();
        let mut lead = None;
        for character in text.chars() {
            if let Some(lead) = lead.filter(|_| is_continuation(character)) {
                counted.pairs += 1;
                counted.certain += usize::from(lead == 'Ã' || (lead != 'Â' && !is_punctuation(character)));
            }
            lead = ('Â'..='ô').contains(&character).then_some(character);
            counted.leads += usize::from(lead.is_some());
            counted.ascii += usize::from(character.is_ascii_alphabetic());
            counted.accented += usize::from(('À'..='ÿ').contains(&character));
        }
        counted
    }

    /// Whether the text was decoded by the wrong table. `letters` is the number of its letters.
    pub(super) fn is_likely(&self, letters: usize) -> bool {
        self.is_utf8(letters)
            || (self.accented >= MIN_ACCENTED
                && share(self.accented, self.accented + self.ascii) > MAX_ACCENTED
                && share(self.accented, letters) > MAX_ACCENTED)
    }

    /// The share of the letters that are wrong.
    pub(super) fn share(&self, letters: usize) -> f32 {
        if self.is_utf8(letters) {
            share(2 * self.pairs, letters + self.pairs).min(1.0)
        } else if self.is_likely(letters) {
            share(self.accented, letters)
        } else {
            0.0
        }
    }

    fn is_utf8(&self, letters: usize) -> bool {
        self.certain >= MIN_PAIRS
            && share(self.pairs, self.leads) >= MIN_LEADS_PAIRED
            && share(self.certain, letters) >= MIN_OF_LETTERS
    }
}

/// Whether Windows-1252 or Latin-1 shows a byte from 0x80 to 0xBF so.
fn is_continuation(character: char) -> bool {
    matches!(character, '\u{80}'..='\u{BF}') || "€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ".contains(character)
}

/// Punctuation and signs that correct text may have right behind a letter, as in `groß“`.
fn is_punctuation(character: char) -> bool {
    "’“”‘–—…™•»«€®©°›‹ºª²³·\u{AD}".contains(character)
}
