//! `[confidence]`. The policy itself checks its values and names the invalid one.

use quire_understanding::calibration::ConfidencePolicy;

use super::check::InvalidSetting;

/// The name of each value in the policy, and the key of its setting.
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

pub(super) fn check(policy: &ConfidencePolicy) -> Result<(), InvalidSetting> {
    policy.check().map_err(|(name, rule)| {
        let key = KEYS.iter().find(|(known, _)| *known == name).map_or("confidence", |(_, key)| key);
        InvalidSetting { key, rule: rule.to_owned() }
    })
}
