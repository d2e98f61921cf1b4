//! The confidence of a value: the probability that it is right.
//!
//! [`Feature`] names what can be known about a value: how it was found, what else could have been meant, whether its form and
//! the other fields agree, how well its page was read. [`observe`] finds these features, [`agreement`] those that compare
//! fields. [`model`] weighs them: a logistic model whose weights stand in `weights.toml`, fitted by `cargo xtask fit` on
//! documents that the tests make. The features that weighed most are the reasons that a person reads.

mod agreement;
mod feature;
mod fixed_reason;
mod model;
mod observe;

pub(crate) use self::agreement::compare_fields;
pub(crate) use self::feature::Features;
pub use self::feature::{Feature, Reason};
pub use self::fixed_reason::FixedReason;
#[cfg(test)]
pub(crate) use self::model::Model;
pub(crate) use self::model::built_in;
pub(crate) use self::observe::{LabelPlace, Sighting, observe, page_reliability};
