//! Changes of schemas and decisions in words.

use quire_understanding::structural_change::{CandidateStatus, DecisionType, SchemaChangeType};

use crate::pages::words::Words;

/// The name of a kind of change.
pub(super) fn kind(change: SchemaChangeType, words: &'static Words) -> &'static str {
    words.get(match change {
        SchemaChangeType::NewKey => "governance.kind_new_key",
        SchemaChangeType::KeyRename => "governance.kind_key_rename",
        SchemaChangeType::KeyDeprecation => "governance.kind_key_deprecation",
        SchemaChangeType::KeyMapping => "governance.kind_key_mapping",
    })
}

/// The change in words.
pub(super) fn description(
    change: SchemaChangeType,
    source: Option<&str>,
    target: &str,
    words: &Words,
) -> String {
    match (change, source) {
        (SchemaChangeType::KeyDeprecation, _) => words.with("governance.change_remove", target),
        (SchemaChangeType::KeyRename, Some(source)) => {
            between("governance.change_rename", source, target, words)
        }
        (SchemaChangeType::KeyMapping, Some(source)) => {
            between("governance.change_map", source, target, words)
        }
        _ => words.with("governance.change_add", target),
    }
}

fn between(name: &str, source: &str, target: &str, words: &Words) -> String {
    words.with(name, source).replacen("{}", target, 1)
}

/// The status of a candidate and the class of its chip.
pub(super) fn status(status: CandidateStatus, words: &'static Words) -> (&'static str, &'static str) {
    let (name, tone) = match status {
        CandidateStatus::Pending => ("governance.status_pending", "waiting"),
        CandidateStatus::Approved => ("governance.status_approved", "reviewed"),
        CandidateStatus::Rejected => ("governance.status_rejected", "error"),
        CandidateStatus::Deferred => ("governance.status_deferred", ""),
    };
    (words.get(name), tone)
}

/// The text of a decision's button and its effect.
pub(super) fn decision(decision: DecisionType, words: &'static Words) -> (&'static str, &'static str) {
    let (name, effect) = match decision {
        DecisionType::Approve => ("governance.approve", "governance.approve_effect"),
        DecisionType::Reject => ("governance.reject", "governance.reject_effect"),
        DecisionType::Defer => ("governance.defer", "governance.defer_effect"),
        DecisionType::FlagCritical => ("governance.flag_critical", "governance.flag_critical_effect"),
    };
    (words.get(name), words.get(effect))
}

/// Whether this decision would change anything.
pub(super) fn is_offered(decision: DecisionType, status: CandidateStatus, is_critical: bool) -> bool {
    match (status, decision) {
        (CandidateStatus::Approved, _)
        | (CandidateStatus::Rejected, DecisionType::Reject)
        | (CandidateStatus::Deferred, DecisionType::Defer) => false,
        (_, DecisionType::FlagCritical) => !is_critical,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use quire_understanding::structural_change;

    use super::*;
    use crate::pages::words::Language;

    #[test]
    fn a_change_is_described_with_its_keys() {
        let described = |change, source| description(change, source, "b", Language::English.words());
        assert_eq!(described(SchemaChangeType::NewKey, None), "Add b");
        assert_eq!(described(SchemaChangeType::KeyRename, Some("a")), "Rename a to b");
        assert_eq!(described(SchemaChangeType::KeyMapping, Some("a")), "Map a to b");
        assert_eq!(described(SchemaChangeType::KeyDeprecation, None), "Remove b");
    }

    #[test]
    fn only_possible_decisions_are_offered() {
        for status in CandidateStatus::ALL {
            for decision in DecisionType::ALL {
                for is_critical in [false, true] {
                    let is_possible = structural_change::status_after(*status, *decision).is_some();
                    assert!(is_possible || !is_offered(*decision, *status, is_critical));
                }
            }
        }
    }
}
