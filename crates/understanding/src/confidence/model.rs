//! A logistic model: each feature adds its weight, and the sum becomes a probability.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use serde::Deserialize;

use super::feature::{Feature, Features, Reason};

/// The weights that come with the program.
const WEIGHTS: &str = include_str!("weights.toml");
/// The least and the greatest confidence. Nothing is certain.
const LIMITS: (f64, f64) = (0.02, 0.998);
/// The most reasons for and against a value.
const MAX_REASONS: usize = 4;
/// The least change of the weight that is a reason.
const LEAST_CHANGE: f64 = 0.15;

/// The weights of all features.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub(crate) struct Model {
    /// The weight of a value about which nothing is known.
    pub bias: f64,
    /// The weight of each feature, by its name.
    pub weights: BTreeMap<String, f64>,
    /// The average strength of each feature among the values that the model was fitted on. A reason is what differs from it.
    pub averages: BTreeMap<String, f64>,
}

/// The model that comes with the program.
pub(crate) fn built_in() -> &'static Model {
    static MODEL: OnceLock<Model> = OnceLock::new();
    MODEL.get_or_init(|| toml::from_str(WEIGHTS).unwrap_or_default())
}

impl Model {
    fn weight(&self, feature: Feature) -> f64 {
        self.weights.get(feature.as_str()).copied().unwrap_or_default()
    }

    /// The probability that a value with these features is right.
    pub fn probability(&self, features: &Features) -> f64 {
        let sum: f64 = features.iter().map(|(feature, strength)| self.weight(feature) * strength).sum();
        (1.0 / (1.0 + (-self.bias - sum).exp())).clamp(LIMITS.0, LIMITS.1)
    }

    /// The features that weigh most, compared with the average value, the heaviest first. An average value has no such
    /// feature; what speaks for it is named instead.
    pub fn reasons(&self, features: &Features) -> Vec<Reason> {
        let average = |feature: Feature| self.averages.get(feature.as_str()).copied().unwrap_or_default();
        let mut changes: Vec<(f64, Feature)> = features
            .iter()
            .map(|(feature, strength)| (self.weight(feature) * (strength - average(feature)), feature))
            .filter(|(change, feature)| {
                change.abs() >= LEAST_CHANGE && feature.speaks_for() == Some(*change > 0.0)
            })
            .collect();
        changes.sort_by(|one, two| two.0.abs().total_cmp(&one.0.abs()).then(one.1.cmp(&two.1)));
        let reason = |(change, feature): (f64, Feature)| Reason {
            feature: feature.as_str().to_owned(),
            is_for: change > 0.0,
        };
        if changes.is_empty() {
            let speaks_for = |(feature, _): &(Feature, f64)| {
                feature.speaks_for() == Some(true) && self.weight(*feature) > 0.0
            };
            changes = features.iter().filter(speaks_for).map(|(feature, _)| (1.0, feature)).collect();
        }
        changes.into_iter().take(MAX_REASONS).map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_weights_in_the_repository_are_of_known_features() {
        let model: Model = toml::from_str(WEIGHTS).unwrap();
        for name in model.weights.keys().chain(model.averages.keys()) {
            assert!(Feature::ALL.iter().any(|feature| feature.as_str() == name), "{name}");
        }
        assert!(model.weights.len() > 20, "{}", model.weights.len());
    }

    /// the confidence is a probability, and its reasons are the heaviest features.
    #[test]
    fn features_for_a_value_raise_its_confidence_and_are_named() {
        let (mut good, mut bad) = (Features::default(), Features::default());
        good.mark(Feature::BehindLabel, true);
        good.mark(Feature::CheckDigits, true);
        bad.mark(Feature::ManyRivals, true);
        bad.mark(Feature::OddWords, true);
        let weights = [
            (Feature::BehindLabel, 1.0),
            (Feature::CheckDigits, 2.0),
            (Feature::ManyRivals, -1.5),
            (Feature::OddWords, -0.5),
        ];
        let model = Model {
            bias: 0.5,
            weights: weights.map(|(feature, weight)| (feature.as_str().to_owned(), weight)).into(),
            averages: BTreeMap::new(),
        };
        assert!(model.probability(&good) > 0.9 && model.probability(&bad) < 0.3);
        let named: Vec<(String, bool)> =
            model.reasons(&good).into_iter().map(|reason| (reason.feature, reason.is_for)).collect();
        assert_eq!(named, [("check_digits".to_owned(), true), ("behind_label".to_owned(), true)]);
        assert!(model.reasons(&bad).iter().all(|reason| !reason.is_for));
        let mut average = Features::default();
        average.mark(Feature::BesideLabel, true);
        assert!(model.reasons(&average).is_empty(), "a feature without weight is no reason");
    }
}
