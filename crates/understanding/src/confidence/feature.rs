//! What can be known about a value.

use serde::{Deserialize, Serialize};

macro_rules! features {
    ($($(#[$doc:meta])* $name:ident = $code:literal,)*) => {
        /// One thing that is known about a value.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Feature {
            $($(#[$doc])* $name,)*
        }

        impl Feature {
            /// All features.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The name in the file of weights, in stored reasons and in the texts of the pages.
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$name => $code,)* }
            }
        }
    };
}

features! {
    /// It stands behind its label, with a colon or another mark between them.
    BehindLabel = "behind_label",
    /// Only a space stands between label and value.
    BehindSpace = "behind_space",
    /// It stands in the cell to the right of its label.
    BesideLabel = "beside_label",
    /// It stands below its label.
    BelowLabel = "below_label",
    /// It stands above its label, or further away.
    FarFromLabel = "far_from_label",
    /// It stands in a sentence.
    InSentence = "in_sentence",
    /// Its place on the page told what it is: the letterhead, the signature, a row of facts.
    ByPlace = "by_place",
    /// Its form told what it is.
    ByForm = "by_form",
    /// A line that starts a visit.
    VisitLine = "visit_line",
    /// More words than the label stand before it.
    LongLabel = "long_label",
    /// Its label means several things.
    CommonLabel = "common_label",
    /// How often its label stands in the document, as a logarithm.
    RepeatedLabel = "repeated_label",
    /// A label that text recognition had spoilt was mended.
    MendedLabel = "mended_label",
    /// Its check digits are right.
    CheckDigits = "check_digits",
    /// Its form fits few other things: a date, a number with a unit, a code.
    ClearForm = "clear_form",
    /// It is free text.
    FreeText = "free_text",
    /// It is a name.
    Name = "name",
    /// It is an address with a postcode.
    WholeAddress = "whole_address",
    /// It is an address without a postcode.
    PartAddress = "part_address",
    /// It is unusually long or short for what it is.
    OddLength = "odd_length",
    /// It contains words that are labels, or marks that values do not have.
    OddWords = "odd_words",
    /// Its words look misread: letters among figures, words without vowels.
    Misread = "misread",
    /// It ends in the middle of a phrase.
    CutOff = "cut_off",
    /// It stands below a heading of its own section.
    OwnSection = "own_section",
    /// It stands below a heading of another section.
    OtherSection = "other_section",
    /// Its day and month may have changed places.
    OpenDate = "open_date",
    /// The document states the same value several times.
    Repeated = "repeated",
    /// Another value has as good a place.
    EqualRival = "equal_rival",
    /// Its visit has several values where there should be one.
    CrowdedVisit = "crowded_visit",
    /// The date of its visit does not follow the dates of the others.
    DoubtfulVisit = "doubtful_visit",
    /// Its visit starts otherwise than the other visits.
    OddVisit = "odd_visit",
    /// A blank line stands between the date of its visit and it.
    BehindGap = "behind_gap",
    /// It has no dose or other measure, which values of its key usually have.
    NoMeasure = "no_measure",
    /// It has a dose or another measure, which values of its key usually lack.
    OtherMeasure = "other_measure",
    /// One other value could have been meant.
    OneRival = "one_rival",
    /// Several other values could have been meant.
    ManyRivals = "many_rivals",
    /// Net amount and tax are the total.
    SumsAgree = "sums_agree",
    /// Net amount and tax are not the total.
    SumsDiffer = "sums_differ",
    /// The dates of the document follow each other as they must.
    DatesAgree = "dates_agree",
    /// A date comes before one that it must follow.
    DatesDiffer = "dates_differ",
    /// The age fits the date of birth.
    AgeAgrees = "age_agrees",
    /// The age does not fit the date of birth.
    AgeDiffers = "age_differs",
    /// The page was recognised from an image.
    Recognised = "recognised",
    /// How many words of it were recognised from an image, in tens.
    RecognisedWords = "recognised_words",
    /// The visits state the same.
    VisitsAgree = "visits_agree",
    /// The visits state something else.
    VisitsDiffer = "visits_differ",
    /// A text below its label.
    TextBelow = "text_below",
    /// How much of the page was not read well.
    PoorText = "poor_text",
    /// How clearly the labels and places of a business document decided, from -1 to 1.
    Decision = "decision",
    /// It is a sum of money.
    Sum = "sum",
    /// It is a code.
    Code = "code",
    /// It is a date.
    Date = "date",
    /// It belongs to a visit.
    OfVisit = "of_visit",
    /// It stands on the first page.
    FirstPage = "first_page",
    /// A name with the legal form of a company.
    LegalForm = "legal_form",
    /// A website or mailbox of the document has the name.
    OwnDomain = "own_domain",
    /// Its register or tax number stands in the line of the name.
    OwnImprint = "own_imprint",
    /// An address stands below the name.
    AddressBelow = "address_below",
    /// The name stands where a letter names who it is written to, or a person stands below it.
    Addressee = "addressee",
    /// How much more speaks for a name than for the other names of the document, from 0 to 1.
    ClearChoice = "clear_choice",
    /// A name of a company that neither a label nor a heading tells.
    GuessedName = "guessed_name",
    /// The name of only one of two parties was found.
    LonelyName = "lonely_name",
    /// A sum without a label, which completes others.
    UnlabelledSum = "unlabelled_sum",
    /// Of net amount, tax and total, at least one was not found.
    SumsMissing = "sums_missing",
}

impl Feature {
    /// Whether it speaks for a value or against it. The fit gives it no weight of the other sign, so that chance among the
    /// documents that were fitted on cannot turn its meaning round. None says nothing to a person: it only corrects the
    /// weights of the others.
    pub(crate) fn speaks_for(self) -> Option<bool> {
        match self {
            Self::BehindLabel
            | Self::BesideLabel
            | Self::CheckDigits
            | Self::ClearForm
            | Self::WholeAddress
            | Self::OwnSection
            | Self::Repeated
            | Self::SumsAgree
            | Self::DatesAgree
            | Self::AgeAgrees
            | Self::VisitsAgree
            | Self::LegalForm
            | Self::OwnDomain
            | Self::OwnImprint
            | Self::AddressBelow
            | Self::Addressee
            | Self::ClearChoice
            | Self::Decision => Some(true),
            Self::FarFromLabel
            | Self::InSentence
            | Self::ByPlace
            | Self::CommonLabel
            | Self::GuessedName
            | Self::LonelyName
            | Self::UnlabelledSum
            | Self::SumsMissing
            | Self::RepeatedLabel
            | Self::MendedLabel
            | Self::PartAddress
            | Self::OddLength
            | Self::OddWords
            | Self::Misread
            | Self::CutOff
            | Self::OtherSection
            | Self::OpenDate
            | Self::EqualRival
            | Self::CrowdedVisit
            | Self::BehindGap
            | Self::DoubtfulVisit
            | Self::OddVisit
            | Self::NoMeasure
            | Self::OtherMeasure
            | Self::OneRival
            | Self::ManyRivals
            | Self::SumsDiffer
            | Self::DatesDiffer
            | Self::AgeDiffers
            | Self::VisitsDiffer
            | Self::Recognised
            | Self::RecognisedWords
            | Self::PoorText => Some(false),
            _ => None,
        }
    }
}

/// The features of a value, each with how strongly it holds. Most hold or do not: one or nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Features(Vec<(Feature, f64)>);

impl Features {
    pub fn set(&mut self, feature: Feature, strength: f64) {
        self.0.retain(|(other, _)| *other != feature);
        if strength.abs() > 1e-9 {
            self.0.push((feature, strength));
        }
    }

    pub fn mark(&mut self, feature: Feature, holds: bool) {
        if holds {
            self.set(feature, 1.0);
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Feature, f64)> + '_ {
        self.0.iter().copied()
    }
}

/// Why a value has its confidence: one feature, and whether it speaks for the value or against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reason {
    /// The name of the feature.
    pub feature: String,
    /// Whether it speaks for the value.
    pub is_for: bool,
}
