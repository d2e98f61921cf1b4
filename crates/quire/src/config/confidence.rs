//! `[confidence]`: the policy of the domain, whose rules name the setting that breaks them.

use quire_understanding::calibration::ConfidencePolicy;

use super::check::Broken;

/// The settings, each with the name that the policy has for it.
const KEYS: [(&str, &str); 8] = [
    ("policy_version", "confidence.policy_version"),
    ("low_max", "confidence.low_max"),
    ("mid_max", "confidence.mid_max"),
    ("boosted_enter", "confidence.boosted_enter"),
    ("boosted_exit", "confidence.boosted_exit"),
    ("demoted_enter", "confidence.demoted_enter"),
    ("demoted_exit", "confidence.demoted_exit"),
    ("human_edit_neutral", "confidence.human_edit_neutral"),
];

pub(super) fn check(policy: &ConfidencePolicy) -> Result<(), Broken> {
    policy.check().map_err(|(name, rule)| {
        let key = KEYS.iter().find(|(known, _)| *known == name).map_or("confidence", |(_, key)| key);
        Broken { key, rule: rule.to_owned() }
    })
}
