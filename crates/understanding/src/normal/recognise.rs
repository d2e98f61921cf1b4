//! What the rules ask a normaliser about its values, so that no rule needs to know what the values mean.

use super::Normaliser;
use super::animal;

/// How a value is found within a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InSentence {
    /// Behind its label, if at most so many words have a normal form.
    BehindLabel(usize),
    /// Behind its label, as at most so many words that begin with a capital.
    CapitalsBehindLabel(usize),
    /// Not at all.
    No,
}

impl Normaliser {
    /// Whether such a value describes the subject of a document, so that its section is the section of the subject.
    pub(crate) fn describes_subject(self) -> bool {
        matches!(self, Self::PetName | Self::Species | Self::Breed | Self::Microchip)
    }

    /// Whether such a value is the name of the subject of a document.
    pub(crate) fn names_subject(self) -> bool {
        self == Self::PetName
    }

    /// Whether a sentence with a label of such a value is about the subject, and not about others of its kind.
    pub(crate) fn marks_subject(self) -> bool {
        matches!(self, Self::Breed | Self::Microchip | Self::PetName)
    }

    /// Whether a label of such a value means the same whatever words stand around it. Labels of dates and names do not.
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

    /// Whether a value has a few words only, and stands behind its label without a mark between them only at the
    /// beginning of a cell.
    pub(crate) fn is_short(self) -> bool {
        matches!(self, Self::Age | Self::Identifier | Self::Species | Self::Sex)
    }

    /// How such a value is found within a sentence.
    pub(crate) fn in_sentence(self) -> InSentence {
        match self {
            Self::Microchip => InSentence::BehindLabel(1),
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

    /// Two values that stand together behind the label of one: `Canino - Beagle`.
    pub(crate) fn split(self, words: &str) -> Option<[(Self, &str); 2]> {
        match self {
            Self::Species | Self::Breed => animal::species_and_breed(words),
            _ => None,
        }
    }

    /// Words of the longest value that has a normal form, for looking it up in a text.
    pub(crate) fn most_words(self) -> usize {
        match self {
            Self::Date | Self::BirthDate | Self::Microchip => 6,
            Self::Age | Self::Weight => 3,
            _ => 1,
        }
    }
}
