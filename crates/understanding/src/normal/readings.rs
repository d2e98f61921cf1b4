//! How text that a person types is read.

use super::Normaliser;
use super::date::date_readings;
use super::money::{decimal_readings, sum_readings};

impl Normaliser {
    /// The normal forms that a typed text can have: none, one, or two if it can be read in two ways. Free text stays as it
    /// was typed, if it can be such a value at all: people know how a name is written.
    pub(crate) fn readings(self, text: &str) -> Vec<String> {
        match self {
            Self::Number => decimal_readings(text),
            Self::Sum | Self::NetSum | Self::TaxSum | Self::TotalSum => sum_readings(text),
            Self::Date | Self::BirthDate => {
                date_readings(text).into_iter().map(|date| date.to_string()).collect()
            }
            Self::Text
            | Self::Breed
            | Self::PetName
            | Self::Person
            | Self::Institution
            | Self::Company
            | Self::TaxId
            | Self::Address
            | Self::Identifier
            | Self::Amount => self.apply(text).map(|_| text.to_owned()).into_iter().collect(),
            Self::Age
            | Self::Species
            | Self::Sex
            | Self::Weight
            | Self::Microchip
            | Self::Currency
            | Self::Iban
            | Self::YesNo => self.apply(text).into_iter().collect(),
        }
    }

    /// What a typed text must be.
    pub(crate) fn expected(self) -> &'static str {
        match self {
            Self::Number | Self::Sum | Self::NetSum | Self::TaxSum | Self::TotalSum => {
                "must be a number, such as 4.5"
            }
            Self::Date | Self::BirthDate => "must be a date, such as 2024-02-01",
            Self::Age => "must be an age, such as 5",
            Self::Weight => "must be a weight from 0.5 to 120 kg, such as 4.5 kg",
            Self::Microchip => "must have 9 to 15 digits",
            Self::Currency => "must be a currency, such as EUR",
            Self::Iban => "must be an IBAN with the right check digits",
            Self::YesNo => "must be yes or no",
            _ => "does not look like a value of this key",
        }
    }
}
