//! The formulas of calibration, value by value.

use proptest::prelude::*;

use super::*;
use crate::{Interpretation, Value, ValueType};

/// Proves R114: the documented values.
#[test]
fn the_adjustment_has_the_documented_values() {
    for (accepts, edits, points) in [
        (2, 0, 0.0),
        (1, 1, 0.0),
        (3, 0, 9.0),
        (0, 3, -9.0),
        (2, 1, 3.0),
        (9, 1, 10.0),
        (1, 9, -10.0),
        (4, 3, 1.7),
        (10, 0, 12.5),
        (1000, 0, 15.0),
        (u32::MAX, u32::MAX, 0.0),
    ] {
        let found = adjustment_points(accepts, edits);
        assert!((found - points).abs() < 1e-9, "{accepts} accepts, {edits} edits: {found}");
    }
}

#[test]
fn a_context_key_depends_on_schema_and_language_only() {
    for (language, part) in
        [(Some("es"), "c4ce3ff3c128"), (Some("EN"), "2a820c962a39"), (None, "23b30c931088")]
    {
        let key = context_key("veterinary_record", language);
        assert!(key.starts_with("ctx_v1:") && key.contains(part), "{language:?}: {key}");
        assert_eq!(context_key("veterinary-record", language), key, "the schema of that name");
    }
}

/// Proves R113 for the composition.
#[test]
fn calibrated_confidence_adds_points_and_stays_within_0_and_1() {
    for (candidate, points, expected) in
        [(0.66, 9.0, 0.75), (0.66, -9.0, 0.57), (0.95, 15.0, 1.0), (0.1, -15.0, 0.0)]
    {
        assert!((calibrated_confidence(candidate, points) - expected).abs() < 1e-9, "{candidate} {points}");
    }
}

fn field(key: &str, value: &str, origin: Origin, mapping_id: Option<&str>) -> Field {
    let field = Field::new(key, Value::Text(value.to_owned()), ValueType::String, origin, 0.66);
    Field { mapping_id: mapping_id.map(str::to_owned), ..field }
}

/// Proves R115 for what is counted.
#[test]
fn each_key_and_mapping_gives_one_signal_and_an_edit_outweighs_an_accept() {
    let signals = field_signals(&[
        field("pet_name", "Luna", Origin::Machine, Some("label::paciente")),
        field("diagnosis", "otitis", Origin::Machine, Some("label::diagnostico")),
        field("diagnosis", "gingivitis", Origin::Human, Some("label::diagnostico")),
        field("breed", "Beagle", Origin::Human, None),
        field("age", "4", Origin::Derived, None),
        field("notes", "  ", Origin::Machine, None),
    ]);
    let signals: Vec<_> = signals.iter().map(|one| (one.field_key.as_str(), one.edited, one.bin)).collect();
    let added = ("breed", true, None);
    assert_eq!(
        signals,
        [added, ("diagnosis", true, Some(6)), ("pet_name", false, Some(6))],
        "added is never shown"
    );
}

/// Proves R117 for the bands.
#[test]
fn bands_follow_the_policy_and_overlapping_limits_are_refused() {
    let policy = ConfidencePolicy::default();
    assert_eq!(policy.check(), Ok(()));
    let bands = [0.0, 0.49, 0.5, 0.74, 0.75, 1.0].map(|confidence| policy.band(confidence).as_str());
    assert_eq!(bands, ["low", "low", "mid", "mid", "high", "high"]);
    for (broken, name) in [
        (ConfidencePolicy { low_max: 0.75, ..policy.clone() }, "low_max"),
        (ConfidencePolicy { mid_max: 1.5, ..policy.clone() }, "mid_max"),
        (ConfidencePolicy { low_max: f64::NAN, ..policy.clone() }, "low_max"),
        (ConfidencePolicy { boosted_exit: 0.9, ..policy.clone() }, "boosted_exit"),
        (ConfidencePolicy { demoted_exit: 0.3, ..policy.clone() }, "demoted_exit"),
        (ConfidencePolicy { demoted_exit: 0.74, ..policy.clone() }, "demoted_exit"),
        (ConfidencePolicy { human_edit_neutral: -0.1, ..policy.clone() }, "human_edit_neutral"),
        (ConfidencePolicy { version: String::new(), ..policy.clone() }, "policy_version"),
    ] {
        assert_eq!(broken.check().unwrap_err().0, name);
    }
}

#[test]
fn a_state_is_entered_with_enough_signals_and_left_later_than_entered() {
    let policy = ConfidencePolicy::default();
    let after = |before, accepts, edits| policy.standing_after(before, accepts, edits);
    assert_eq!(after(Standing::Neutral, 4, 0), Standing::Neutral, "too few");
    assert_eq!(after(Standing::Neutral, 5, 0), Standing::Boosted);
    assert_eq!(after(Standing::Neutral, 8, 2), Standing::Neutral, "0.80 does not enter");
    assert_eq!(after(Standing::Boosted, 8, 2), Standing::Boosted, "and does not leave");
    assert_eq!(after(Standing::Boosted, 7, 3), Standing::Neutral);
    assert_eq!(after(Standing::Neutral, 1, 4), Standing::Demoted);
    assert_eq!(after(Standing::Demoted, 4, 5), Standing::Demoted);
    assert_eq!(after(Standing::Demoted, 5, 5), Standing::Neutral);
    assert_eq!(after(Standing::Boosted, 0, 2), Standing::Neutral, "what was taken back is too few again");
}

/// Proves R116 for the counts: signals can be reverted, and counts never go below 0.
#[test]
fn reverting_a_signal_restores_the_counts() {
    let policy = ConfidencePolicy { min_volume: 1, ..ConfidencePolicy::default() };
    let signal =
        |edited| FieldSignal { field_key: "breed".to_owned(), mapping_id: None, edited, bin: Some(5) };
    let mut entry = CalibrationEntry::default();
    for edited in [false, true, true] {
        let after = entry.after(&signal(edited), SignalDirection::Add, &policy);
        assert_eq!(after.counts.volume(), entry.counts.volume() + 1);
        assert_eq!(after.after(&signal(edited), SignalDirection::Remove, &policy).counts, entry.counts);
        entry = after;
    }
    assert_eq!((entry.counts, entry.standing), (ReviewCounts { accepts: 1, edits: 2 }, Standing::Demoted));
    let none = CalibrationEntry::default().after(&signal(true), SignalDirection::Remove, &policy);
    assert_eq!(none, CalibrationEntry::default());
}

#[test]
fn signals_count_for_the_context_of_the_version_and_the_current_policy() {
    let version = Interpretation {
        schema_version: Interpretation::V0.to_owned(),
        document_id: quire_domain::DocumentId::new(),
        processing_run_id: quire_domain::RunId::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
        context_key: Some("ctx_v1:x".to_owned()),
        policy_version: Some("v0".to_owned()),
        fields: vec![field("pet_name", "Luna", Origin::Machine, Some(""))],
    };
    let policy = ConfidencePolicy::default();
    let signals = ReviewSignals::of(&version, &policy).unwrap();
    assert_eq!((signals.context_key.as_str(), signals.policy_version.as_str()), ("ctx_v1:x", "v1"));
    assert_eq!(signals.signals[0].mapping_id, None, "no name is as good as none");
    assert_eq!(ReviewSignals::of(&Interpretation { context_key: None, ..version.clone() }, &policy), None);
    assert_eq!(ReviewSignals::of(&Interpretation { fields: Vec::new(), ..version }, &policy), None);
    assert_eq!(calibration_mapping(Some(&"é".repeat(300))).unwrap().chars().count(), 200);
}

proptest! {
    #[test]
    fn accepts_never_lower_the_adjustment_and_edits_never_raise_it(accepts in 0u32..5000, edits in 0u32..5000) {
        let here = adjustment_points(accepts, edits);
        prop_assert!((-15.0..=15.0).contains(&here));
        if accepts + edits >= MIN_SIGNALS_TO_ADJUST {
            prop_assert!(adjustment_points(accepts + 1, edits) >= here);
            prop_assert!(adjustment_points(accepts, edits + 1) <= here);
        }
    }
}
