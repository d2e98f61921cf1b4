//! The weight of each observation about a value. Their sum becomes the confidence.

/// A value behind its label in one cell.
pub(super) const INSIDE: f64 = 2.2;
/// A value in the same row as its label.
pub(super) const BESIDE: f64 = 2.0;
/// A value below its label.
pub(super) const ABOVE: f64 = 1.6;
/// A value behind words that lead to it in a sentence.
pub(super) const LEAD_IN: f64 = 1.0;
/// A value behind another value of the same label.
pub(super) const CHAINED: f64 = 0.9;
/// A value above its label.
pub(super) const BELOW: f64 = 0.5;
/// A value without a label.
pub(super) const UNLABELLED: f64 = -0.4;
/// A label that says only that the value is a number.
pub(super) const BARE_LABEL: f64 = 1.2;
/// How much of its phrase the label is.
pub(super) const EXACTNESS: f64 = 1.5;
/// A sum with decimals or a currency, and one without.
pub(super) const MONEY: f64 = 0.6;
pub(super) const BARE_NUMBER: f64 = -1.2;
/// A sum at the end of its row.
pub(super) const LAST_IN_ROW: f64 = 0.5;
/// A sum in a row of items.
pub(super) const ITEM_ROW: f64 = -3.5;
/// The last sum of a column, which is the sum of those above it.
pub(super) const COLUMN_TOTAL: f64 = 1.5;
/// The sum of the taxes at several rates.
pub(super) const BY_RATE: f64 = 0.3;
/// Net amount and tax are the total, and are not.
pub(super) const ADDS_UP: f64 = 3.0;
pub(super) const DOES_NOT_ADD_UP: f64 = -1.2;
/// Each further mention of the same value.
pub(super) const REPEATED: f64 = 0.4;
/// Right check digits, and a form that nothing else has.
pub(super) const CHECKED: f64 = 1.5;
pub(super) const SHAPED: f64 = 0.8;
/// What a value needs for a confidence of one half.
const THRESHOLD: f64 = 1.6;

/// The confidence that the sum of some weights gives.
pub(super) fn confidence(weight: f64) -> f64 {
    let share = 1.0 / (1.0 + (THRESHOLD - weight).exp());
    share.clamp(0.05, 0.98)
}
