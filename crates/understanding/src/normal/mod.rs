//! Normal forms of values, whatever the document writes.
//!
//! Each key of a schema names its normaliser. A normaliser turns the words of a document into the normal form, or
//! into none if the words cannot be such a value.

mod address;
mod american;
mod animal;
pub(super) mod date;
mod facts;
mod fold;
mod measure;
mod money;
mod name;
mod number;
mod readings;
mod recognise;
mod tax_id;
mod tick_box;

pub use address::address;
pub(super) use address::{
    has_house_number, has_postcode, has_street, is_house_and_town, opens_with_postcode,
};
pub(super) use american::is_american;
pub use animal::{breed, pet_name, sex, species};
pub(super) use animal::{
    fact_behind_name, facts_in_line, facts_in_parts, is_kind_behind_name, part_of, parts_behind_name,
};
pub use date::{DateOrder, date};
pub(crate) use date::{DateStyle, date_in_order, date_readings};
pub(super) use facts::{
    fact_in_row, facts_in_signalment, is_age_unit, is_age_word, is_signalment, kind_before, kind_behind,
    says_kind, says_sex, starts_with_kind,
};
pub(super) use fold::{fold, folded_words, from_capitals};
pub use measure::{age, weight};
pub(super) use measure::{is_unit_of_age, is_weight_with_unit, years_between};
pub use money::{currency, decimal, iban, sum, yes_no};
pub(super) use money::{is_currency_sign, without_dashed_cents};
pub use name::{company, institution, person};
pub(super) use number::{TRANSPONDER_DIGITS, is_series_of_code};
pub use number::{amount, identifier, microchip};
pub(super) use recognise::InSentence;
use serde::{Deserialize, Serialize};
pub use tax_id::tax_id;
pub(super) use tax_id::{TaxIdForm, tax_id_form};
pub(super) use tick_box::starts_with_box;

use super::ValueType;

/// The normal form that the values of a key have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Normaliser {
    /// Text.
    #[default]
    Text,
    /// A date as `YYYY-MM-DD`.
    Date,
    /// The date of birth of the subject.
    BirthDate,
    /// Whole years.
    Age,
    /// `canino` or `felino`.
    Species,
    /// A breed without its species.
    Breed,
    /// `macho` or `hembra`.
    Sex,
    /// `N kg`.
    Weight,
    /// The digits of a microchip.
    Microchip,
    /// The name of an animal.
    PetName,
    /// The name of a person.
    Person,
    /// The name of an institution.
    Institution,
    /// The name of a party of a business document, as it is written. The first key is the issuer, the second the
    /// recipient.
    Company,
    /// The tax number of a party.
    TaxId,
    /// A postal address.
    Address,
    /// A code that contains a digit.
    Identifier,
    /// A sum of money, as the document writes it.
    Amount,
    /// A number with a decimal point.
    Number,
    /// A sum of money as a number with two decimals.
    Sum,
    /// The sum before tax. With [`Normaliser::TaxSum`] and [`Normaliser::TotalSum`] it makes a business document.
    NetSum,
    /// The tax.
    TaxSum,
    /// The sum with tax.
    TotalSum,
    /// The ISO code of a currency.
    Currency,
    /// An IBAN.
    Iban,
    /// `true` or `false`.
    YesNo,
}

impl Normaliser {
    /// All normalisers, with their names in schema files.
    pub const ALL: [(&'static str, Self); 25] = [
        ("text", Self::Text),
        ("date", Self::Date),
        ("birth_date", Self::BirthDate),
        ("age", Self::Age),
        ("species", Self::Species),
        ("breed", Self::Breed),
        ("sex", Self::Sex),
        ("weight", Self::Weight),
        ("microchip", Self::Microchip),
        ("pet_name", Self::PetName),
        ("person", Self::Person),
        ("institution", Self::Institution),
        ("company", Self::Company),
        ("tax_id", Self::TaxId),
        ("address", Self::Address),
        ("identifier", Self::Identifier),
        ("amount", Self::Amount),
        ("number", Self::Number),
        ("sum", Self::Sum),
        ("net_sum", Self::NetSum),
        ("tax_sum", Self::TaxSum),
        ("total_sum", Self::TotalSum),
        ("currency", Self::Currency),
        ("iban", Self::Iban),
        ("yes_no", Self::YesNo),
    ];

    /// The name in schema files.
    pub fn as_str(self) -> &'static str {
        Self::ALL.iter().find(|(_, one)| *one == self).map_or("text", |(name, _)| name)
    }

    /// The normaliser of a type, for keys that name none.
    pub fn default_for(value_type: ValueType) -> Self {
        match value_type {
            ValueType::Date => Self::Date,
            ValueType::Number => Self::Number,
            ValueType::Boolean => Self::YesNo,
            ValueType::String | ValueType::Table | ValueType::Unknown => Self::Text,
        }
    }

    /// Whether its normal forms can be values of that type.
    pub fn produces(self, value_type: ValueType) -> bool {
        match value_type {
            ValueType::Date => matches!(self, Self::Date | Self::BirthDate),
            ValueType::Number => matches!(self, Self::Number | Self::Age) || self.is_sum(),
            ValueType::Boolean => self == Self::YesNo,
            ValueType::Table => self == Self::Text,
            ValueType::String | ValueType::Unknown => true,
        }
    }

    /// The normal form of these words. Dates have the day first.
    pub fn apply(self, words: &str) -> Option<String> {
        self.apply_in(words, DateOrder::DayFirst)
    }

    /// The normal form of these words, in a document that writes dates in this order.
    pub fn apply_in(self, words: &str, order: DateOrder) -> Option<String> {
        let words = tick_box::ticked(words)?;
        match self {
            Self::Text => text(words),
            Self::Date | Self::BirthDate => date_in_order(words, order).map(|date| date.to_string()),
            Self::Age => age(words).map(|years| years.to_string()),
            Self::Species => species(words).map(str::to_owned),
            Self::Breed => breed(words),
            Self::Sex => sex(words).map(str::to_owned),
            Self::Weight => weight(words),
            Self::Microchip => microchip(words),
            Self::PetName => pet_name(words),
            Self::Person => person(words),
            Self::Institution => institution(words),
            Self::Company => company(words),
            Self::TaxId => tax_id(words),
            Self::Address => address(words),
            Self::Identifier => identifier(words),
            Self::Amount => amount(words),
            Self::Number => decimal(words),
            Self::Sum | Self::NetSum | Self::TaxSum | Self::TotalSum => sum(words),
            Self::Currency => currency(words).map(str::to_owned),
            Self::Iban => iban(words),
            Self::YesNo => yes_no(words).map(str::to_owned),
        }
    }

    /// Whether its values are sums of money as numbers.
    pub fn is_sum(self) -> bool {
        matches!(self, Self::Sum | Self::NetSum | Self::TaxSum | Self::TotalSum)
    }

    /// Whether it recognises its values without a label, so that a space may separate them from their label.
    pub fn is_strict(self) -> bool {
        matches!(
            self,
            Self::Date
                | Self::BirthDate
                | Self::Age
                | Self::Species
                | Self::Sex
                | Self::Weight
                | Self::Microchip
                | Self::Identifier
                | Self::Number
                | Self::TaxId
                | Self::Currency
                | Self::Iban
        ) || self.is_sum()
    }
}

/// The words without separators around them and without a final full stop.
fn text(words: &str) -> Option<String> {
    let apart = |c: char| c.is_whitespace() || "-–—|•·:;,".contains(c);
    let words = without_item_number(words.trim_matches(apart));
    let words = match words.strip_suffix('.') {
        Some(rest) if !rest.ends_with('.') => rest,
        _ => words,
    };
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().any(char::is_alphanumeric).then_some(words)
}

/// The words without the number of a list item, such as `1.` or `2)`.
fn without_item_number(words: &str) -> &str {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    let behind = words[digits..].strip_prefix(['.', ')']).filter(|_| (1..=2).contains(&digits));
    behind.and_then(|behind| behind.strip_prefix(' ')).map_or(words, str::trim_start)
}

#[cfg(test)]
mod tests;
