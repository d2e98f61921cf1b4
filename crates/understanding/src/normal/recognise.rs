//! What the rules may ask a normaliser about its values. No rule needs to know what the values mean.

use super::Normaliser;
use super::animal;

/// How a value is found within a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InSentence {
    /// Behind its label, if at most this many words have a normal form.
    BehindLabel(usize),
    /// Behind its label, as figures that may stand in groups.
    FiguresBehindLabel,
    /// Behind its label, as one word with figures.
    CodeBehindLabel,
    /// Behind its label, as at most this many capitalised words.
    CapitalsBehindLabel(usize),
    /// Never.
    No,
}

impl Normaliser {
    /// Whether the value describes the subject of a document. Its section is then the section of the subject.
    pub(crate) fn describes_subject(self) -> bool {
        matches!(self, Self::PetName | Self::Species | Self::Breed | Self::Microchip)
    }

    /// Whether the value is a name. A word that is a label is none.
    pub(crate) fn is_name(self) -> bool {
        matches!(self, Self::PetName | Self::Person | Self::Institution | Self::Breed)
    }

    /// What a plain word or two beside the facts about the subject are: "Labrador".
    pub(crate) const KIND_OF_SUBJECT: Self = Self::Breed;

    /// Whether the value is the name of the subject.
    pub(crate) fn names_subject(self) -> bool {
        self == Self::PetName
    }

    /// Whether a sentence with a label of the value is about the subject, and not about others of its kind.
    pub(crate) fn marks_subject(self) -> bool {
        matches!(self, Self::Breed | Self::Microchip | Self::PetName)
    }

    /// Whether the label of the value keeps its meaning within a longer label. Labels of dates and names do not.
    pub(crate) fn has_robust_label(self) -> bool {
        matches!(
            self,
            Self::Weight
                | Self::Microchip
                | Self::Species
                | Self::Sex
                | Self::Breed
                | Self::Age
                | Self::BirthDate
        )
    }

    /// Whether the value is a few words that follow their label after a space only at the start of a cell.
    pub(crate) fn is_short(self) -> bool {
        matches!(self, Self::Age | Self::Identifier | Self::Species | Self::Sex)
    }

    /// How the value is found within a sentence.
    pub(crate) fn in_sentence(self) -> InSentence {
        match self {
            Self::Microchip => InSentence::FiguresBehindLabel,
            Self::Identifier => InSentence::CodeBehindLabel,
            Self::BirthDate => InSentence::BehindLabel(6),
            Self::Breed => InSentence::CapitalsBehindLabel(3),
            _ => InSentence::No,
        }
    }

    /// Whether this folded word alone is such a value, in a sentence about the subject.
    pub(crate) fn is_word(self, word: &str) -> bool {
        match self {
            Self::Species => animal::species(word).is_some(),
            Self::Sex => word.len() > 1 && animal::sex(word).is_some(),
            _ => false,
        }
    }

    /// Splits two values that stand behind the label of one of them: `Canino - Beagle`.
    pub(crate) fn split(self, words: &str) -> Option<[(Self, &str); 2]> {
        match self {
            Self::Species | Self::Breed => animal::species_and_breed(words),
            _ => None,
        }
    }

    /// The normal form of words that mean something only behind this label.
    pub(crate) fn apply_behind(self, label: &str, words: &str) -> Option<String> {
        match self {
            Self::Sex => animal::sex_behind_label(label, words).map(str::to_owned),
            _ => None,
        }
    }

    /// The longest value that has a normal form, in words.
    pub(crate) fn most_words(self) -> usize {
        match self {
            Self::Date | Self::BirthDate | Self::Microchip => 6,
            Self::Age => 3,
            Self::Weight => 4,
            _ => 1,
        }
    }
}
