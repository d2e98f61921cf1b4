//! Finds the features of a value from its words and from how it was found.

use super::feature::{Feature, Features};
use crate::normal::{TaxIdForm, has_postcode, opens_with_postcode, tax_id_form};
use crate::{Normaliser, SchemaKey, Scope};
use quire_domain::reading::Page;

/// The digits of a transponder, and of the number of its country or maker.
const TRANSPONDER_DIGITS: usize = 15;
/// The most words of a name and of a text that are usual.
const MAX_NAME_WORDS: usize = 5;
const MAX_TEXT_WORDS: usize = 25;
/// From this confidence on, text recognition is sure of a word, and below the other one the word is as good as misread.
const SURE_WORD: f64 = 0.8;
const SENSELESS_WORD: f64 = 0.3;

/// What the rules saw when they found a value, from which its features follow.
#[derive(Clone, Debug, Default)]
#[allow(clippy::struct_excessive_bools)] // Each is an observation of its own.
pub(crate) struct Sighting<'s> {
    /// The rule or label that found it, such as `label_regex::peso`.
    pub mapping: &'s str,
    /// Where its label stands: in its cell, in its row, above it, elsewhere.
    pub label: Option<LabelPlace>,
    /// Words before the value in its cell that are not its label.
    pub extra_words: usize,
    /// Whether several keys share the label.
    pub is_common: bool,
    /// Whether text recognition had spoilt the label.
    pub is_mended: bool,
    /// Whether the page was recognised from an image.
    pub is_recognised: bool,
    /// How sure text recognition is of the word of which it is least sure, from 0 to 1.
    pub word_confidence: Option<f32>,
    /// The share of the page that was read well.
    pub reliability: f64,
    /// Whether it belongs to a visit.
    pub is_of_visit: bool,
    /// Whether the page is the first one.
    pub is_first_page: bool,
    /// Whether it stands below a heading of its section, or of another one. None without a heading.
    pub in_own_section: Option<bool>,
    /// Whether the words contain a label.
    pub has_label_words: bool,
    /// Whether a blank line stands between the date of its visit and it.
    pub is_behind_gap: bool,
    /// Whether a number with a measure is in it, such as a dose.
    pub has_measure: bool,
    /// How clearly a business document decided, from 0 to 1.
    pub decision: Option<f64>,
}

/// Where a label stands, seen from its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LabelPlace {
    Inside,
    Beside,
    Above,
    Elsewhere,
}

/// The features of a value of a key.
pub(crate) fn observe(key: &SchemaKey, raw: &str, value: Option<&str>, sighting: &Sighting<'_>) -> Features {
    let mut features = Features::default();
    found(&mut features, sighting);
    form(&mut features, key, raw, value, sighting);
    let is_guessed = key.normaliser == Normaliser::Company && sighting.label.is_none();
    features.mark(Feature::GuessedName, is_guessed);
    features.mark(Feature::Recognised, sighting.is_recognised);
    features.set(Feature::PoorText, (1.0 - sighting.reliability).clamp(0.0, 1.0));
    let is_text_below = key.normaliser == Normaliser::Text && sighting.label == Some(LabelPlace::Above);
    features.mark(Feature::TextBelow, is_text_below);
    features.mark(Feature::OfVisit, key.scope != Scope::Document || sighting.is_of_visit);
    if sighting.is_recognised {
        let words = u8::try_from(raw.split_whitespace().count().min(60)).unwrap_or(60);
        features.set(Feature::RecognisedWords, f64::from(words) / 10.0);
    }
    features.mark(Feature::BehindGap, sighting.is_behind_gap);
    if key.normaliser == Normaliser::Text && key.scope == Scope::Visit {
        features.mark(Feature::NoMeasure, !key.cues.is_empty() && !sighting.has_measure);
        features.mark(Feature::OtherMeasure, key.cues.is_empty() && sighting.has_measure);
    }
    features.mark(Feature::FirstPage, sighting.is_first_page);
    features.mark(Feature::OwnSection, sighting.in_own_section == Some(true));
    features.mark(Feature::OtherSection, sighting.in_own_section == Some(false));
    // The choice among names has a feature of its own.
    let is_weighed = key.normaliser != Normaliser::Company;
    if let Some(decision) = sighting.decision.filter(|_| is_weighed) {
        features.set(Feature::Decision, 2.0 * decision - 1.0);
    }
    features
}

fn found(features: &mut Features, sighting: &Sighting<'_>) {
    let (kind, rule) = sighting.mapping.split_once("::").unwrap_or(("", sighting.mapping));
    let feature = match (sighting.label, kind, rule) {
        (Some(LabelPlace::Inside), "fallback", _) => Feature::BehindSpace,
        (Some(LabelPlace::Inside), ..) | (None, "label_regex", _) => Feature::BehindLabel,
        (Some(LabelPlace::Beside), ..) => Feature::BesideLabel,
        (Some(LabelPlace::Above), ..) => Feature::BelowLabel,
        (Some(LabelPlace::Elsewhere), ..) => Feature::FarFromLabel,
        (None, "anchor", _) => Feature::VisitLine,
        (None, _, "sentence" | "narrative" | "told" | "lead_in" | "weight_within") => Feature::InSentence,
        (None, _, "adds_up") => Feature::UnlabelledSum,
        (None, _, "form" | "currency_of_sums") => Feature::ByForm,
        (None, ..) => Feature::ByPlace,
    };
    features.mark(feature, true);
    features.mark(Feature::LongLabel, sighting.extra_words > 0);
    features.mark(Feature::CommonLabel, sighting.is_common && sighting.in_own_section != Some(true));
    features.mark(Feature::MendedLabel, sighting.is_mended);
}

fn form(features: &mut Features, key: &SchemaKey, raw: &str, value: Option<&str>, sighting: &Sighting<'_>) {
    use Normaliser::{Address, Company, Iban, Identifier, Institution, TaxId, Text};
    let value = value.unwrap_or(raw);
    let words = value.split_whitespace().count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let normaliser = key.normaliser;
    let is_name = normaliser.is_name() || matches!(normaliser, Company | Institution);
    let is_transponder = normaliser.describes_subject() && normaliser.is_strict() && digits >= 9;
    let is_checked = match normaliser {
        Iban => true,
        TaxId => tax_id_form(value) == Some(TaxIdForm::Checked),
        _ => is_transponder && digits == TRANSPONDER_DIGITS,
    };
    features.mark(Feature::CheckDigits, is_checked);
    features.mark(Feature::ClearForm, normaliser.is_strict() && !is_checked && normaliser != Identifier);
    features.mark(Feature::FreeText, normaliser == Text);
    features.mark(Feature::Name, is_name);
    features.mark(Feature::Sum, normaliser.is_sum());
    features.mark(Feature::Code, normaliser == Identifier);
    features.mark(Feature::Date, matches!(normaliser, Normaliser::Date | Normaliser::BirthDate));
    let is_wordy = is_name || matches!(normaliser, Text | Address);
    let doubt = sighting.word_confidence.map_or(0.0, doubt);
    let looks_misread = raw.split_whitespace().any(|word| is_misread(word, is_wordy));
    features.set(Feature::Misread, if looks_misread { 1.0 } else { doubt });
    features.mark(Feature::CutOff, is_wordy && is_cut_off(value));
    let has_code = has_postcode(value) || value.split(", ").any(opens_with_postcode);
    features.mark(Feature::WholeAddress, normaliser == Address && has_code);
    features.mark(Feature::PartAddress, normaliser == Address && !has_code);
    let letters = value.chars().filter(|c| c.is_alphabetic()).count();
    let is_odd = match normaliser {
        Text => words > MAX_TEXT_WORDS || letters < 3,
        Identifier => value.len() < 3 || words > 2,
        _ if is_transponder => digits != TRANSPONDER_DIGITS,
        _ if is_name => {
            words > MAX_NAME_WORDS || letters < 3 || value.chars().next().is_some_and(char::is_lowercase)
        }
        _ => false,
    };
    features.mark(Feature::OddLength, is_odd);
    let has_marks = is_name && (digits > 0 || value.contains([':', '=', '(', '@', '|', '_']));
    features.mark(Feature::OddWords, sighting.has_label_words || has_marks || value.contains(": "));
}

/// How much a word of this confidence may be misread, from 0 to 1.
fn doubt(confidence: f32) -> f64 {
    let (sure, senseless) = (SURE_WORD, SENSELESS_WORD);
    ((sure - f64::from(confidence)) / (sure - senseless)).clamp(0.0, 1.0)
}

/// Whether a word has letters and figures where it should have one of them.
fn is_misread(word: &str, is_wordy: bool) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
    let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
    let figures = bare.chars().filter(char::is_ascii_digit).count();
    let inner = bare.chars().zip(bare.chars().skip(1));
    let changes = inner.filter(|(one, two)| one.is_alphabetic() && two.is_ascii_digit()).count();
    let has_vowel = bare.chars().any(|c| "aeiouyáéíóúàèìòùâêîôûäëïöüãõAEIOUYÁÉÍÓÚÀÈÌÒÙÄËÏÖÜ".contains(c));
    let is_latin = bare.chars().all(|c| (c as u32) < 0x250);
    if is_wordy {
        (changes > 0 && letters > figures && bare.contains(['0', '1', '5', '8', '7']))
            || (is_latin && letters > 4 && !has_vowel && figures == 0)
    } else {
        figures > 2 && changes > 0 && bare.contains(['o', 'O', 'l', 'S', 'I'])
    }
}

/// Whether a text ends with a word that something must follow.
fn is_cut_off(value: &str) -> bool {
    let last = value.split_whitespace().last().map(crate::normal::fold).unwrap_or_default();
    let open = [
        "de", "del", "la", "el", "los", "las", "y", "e", "con", "en", "a", "por", "para", "of", "the", "and",
        "with", "to",
    ];
    value.ends_with([',', '-', '(', '/']) || open.contains(&last.as_str())
}

/// The share of the words of a page that look like words: letters with a vowel, or figures. Broken glyphs and noise do not,
/// nor do words of which text recognition is not sure.
#[allow(clippy::cast_precision_loss)] // Words of one page.
pub(crate) fn page_reliability(page: &Page) -> f64 {
    let (mut all, mut good) = (0_usize, 0_usize);
    for word in page.lines.iter().flat_map(|line| &line.words) {
        let bare = word.text.trim_matches(|c: char| !c.is_alphanumeric());
        if bare.is_empty() {
            continue;
        }
        all += 1;
        let letters = bare.chars().filter(|c| c.is_alphabetic()).count();
        let figures = bare.chars().filter(char::is_ascii_digit).count();
        let is_mixed = letters > 0 && figures > 0 && letters > figures && letters + figures > 4;
        let has_vowel = bare.chars().any(|c| "aeiouyáéíóúàèìòùâêîôûäëïöüãõAEIOUYÁÉÍÓÚÀÈÌÒÙÄËÏÖÜ".contains(c));
        let is_latin = bare.chars().all(|c| (c as u32) < 0x250);
        let is_doubtful = word.confidence.is_some_and(|confidence| doubt(confidence) >= 0.5);
        good += usize::from(!is_mixed && !is_doubtful && (letters < 4 || has_vowel || !is_latin));
    }
    if all == 0 { 1.0 } else { good as f64 / all as f64 }
}
