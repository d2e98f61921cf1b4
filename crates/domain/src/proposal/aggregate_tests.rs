//! The table of cases that defines the aggregation.

use proptest::prelude::*;

use super::aggregate::{AggregationError, aggregate};
use super::decision::{ProposalDecision, Verdict};
use super::persona::Persona;
use super::persona_review::{BlockingIssue, Concern, PersonaReview};

fn review(persona: Persona, score: f64) -> PersonaReview {
    PersonaReview {
        persona_name: persona.name().to_owned(),
        persona_id: persona.id().to_owned(),
        confidence_score: score,
        strengths: vec!["clear".to_owned()],
        concerns: vec![Concern { text: "cost".to_owned(), is_blocking: false }],
        recommendations: vec!["measure".to_owned(), "limit".to_owned()],
        blocking_issues: Vec::new(),
        estimated_effort: "two weeks".into(),
        dependency_risks: Vec::new(),
        internal_metadata: None,
    }
}

fn reviews(scores: [f64; 5]) -> Vec<PersonaReview> {
    Persona::ALL.into_iter().zip(scores).map(|(persona, score)| review(persona, score)).collect()
}

/// Reviews in which one persona has a blocking issue with that flag.
fn blocked(scores: [f64; 5], by: Persona, security_critical: Option<bool>) -> Vec<PersonaReview> {
    let mut reviews = reviews(scores);
    let mut blocking = reviews.iter_mut().filter(|review| review.persona_id == by.id());
    let issue = |text: &str| BlockingIssue { text: text.to_owned(), security_critical };
    blocking.next().unwrap().blocking_issues = vec![issue("no login"), issue("open port")];
    reviews
}

fn decide(reviews: &[PersonaReview]) -> ProposalDecision {
    aggregate(reviews).unwrap()
}

fn dissenters(decision: &ProposalDecision) -> Vec<&str> {
    decision.minority_reports.iter().flatten().map(|report| report.persona_id.as_str()).collect()
}

const GUARDIAN: Persona = Persona::SecurityGuardian;

/// Reviews, and the total, the verdict and the dissenting personas that must follow.
type Row = (Vec<PersonaReview>, f64, Verdict, &'static [&'static str]);

/// Proves R148, R149, R150: every row of the table.
#[test]
fn every_case_of_the_table_has_its_total_its_verdict_and_its_minority_reports() {
    use Verdict::{Approve, Reject, Revise};
    let high = [0.90, 0.85, 0.95, 0.80, 0.90];
    let rows: Vec<Row> = vec![
        (reviews([0.80, 0.70, 0.90, 0.75, 0.85]), 0.7875, Revise, &[]),
        (reviews([0.85, 0.80, 0.90, 0.80, 0.85]), 0.8350, Approve, &[]),
        (reviews([0.70, 0.65, 0.75, 0.70, 0.72]), 0.6980, Revise, &[]),
        (reviews([0.50, 0.45, 0.60, 0.55, 0.52]), 0.5155, Reject, &[]),
        (blocked(high, GUARDIAN, Some(true)), 0.8750, Revise, &["security_guardian"]),
        (blocked(high, GUARDIAN, Some(false)), 0.8750, Approve, &["security_guardian"]),
        (blocked(high, GUARDIAN, None), 0.8750, Approve, &["security_guardian"]),
        (reviews([0.95, 0.55, 0.98, 0.90, 0.95]), 0.8445, Approve, &["critic"]),
        (
            blocked([0.95, 0.55, 0.98, 0.85, 0.95], GUARDIAN, None),
            0.8345,
            Approve,
            &["critic", "security_guardian"],
        ),
        (reviews([0.80; 5]), 0.8, Approve, &[]),
        (reviews([0.60; 5]), 0.6, Revise, &[]),
        (reviews([0.7996; 5]), 0.7996, Revise, &[]),
        (reviews([0.5996; 5]), 0.5996, Reject, &[]),
        (blocked([0.50, 0.45, 0.60, 0.40, 0.50], GUARDIAN, Some(true)), 0.4825, Reject, &[]),
        (reviews([0.85, 0.70, 0.90, 0.65, 0.80]), 0.7725, Revise, &[]),
        (reviews([0.85, 0.75, 0.90, 0.70, 0.82]), 0.7980, Revise, &[]),
    ];
    for (number, (reviews, total, verdict, reports)) in rows.iter().enumerate() {
        let decision = decide(reviews);
        let confidence = decision.overall_weighted_confidence;
        assert!((confidence - total).abs() < 1e-12, "row {number}: {confidence}");
        assert_eq!(decision.decision, *verdict, "row {number}");
        assert_eq!(dissenters(&decision), *reports, "row {number}");
        assert_eq!(decision.minority_reports.is_none(), reports.is_empty(), "row {number}");
        assert_eq!(decision.weighted_confidence.to_bits(), confidence.to_bits());
    }
    // The sum in this order is exact at both limits.
    assert_eq!(decide(&reviews([0.80; 5])).overall_weighted_confidence.to_bits(), 0.8_f64.to_bits());
    assert_eq!(decide(&reviews([0.60; 5])).overall_weighted_confidence.to_bits(), 0.6_f64.to_bits());
}

/// Proves R148.
#[test]
fn the_breakdown_shows_weights_scores_and_contributions_by_persona() {
    let breakdown = decide(&reviews([0.80, 0.70, 0.90, 0.75, 0.85])).detailed_score_breakdown;
    let expected = [0.20, 0.175, 0.135, 0.15, 0.1275];
    for (persona, expected) in Persona::ALL.into_iter().zip(expected) {
        assert!((breakdown.weighted_contributions[persona.id()] - expected).abs() < 1e-12);
        assert_eq!(breakdown.weights[persona.id()].to_bits(), persona.weight().to_bits());
    }
    assert_eq!(breakdown.individual_scores["critic"].to_bits(), 0.70_f64.to_bits());
    assert!(breakdown.formula.contains('×'));
}

/// Proves R149: only the guardian's flag counts, and only against an approval.
#[test]
fn nobody_but_the_security_guardian_has_a_veto() {
    let scores = [0.90, 0.85, 0.95, 0.80, 0.90];
    for persona in Persona::ALL.into_iter().filter(|persona| *persona != GUARDIAN) {
        assert_eq!(decide(&blocked(scores, persona, Some(true))).decision, Verdict::Approve, "{persona:?}");
    }
    let revise = [0.70, 0.65, 0.75, 0.70, 0.72];
    assert_eq!(decide(&blocked(revise, GUARDIAN, Some(true))).decision, Verdict::Revise);
}

/// Proves R150.
#[test]
fn a_minority_report_says_why_and_what_would_help() {
    let decision = decide(&blocked([0.95, 0.55, 0.98, 0.85, 0.95], GUARDIAN, None));
    let reports = decision.minority_reports.clone().unwrap();
    assert_eq!(reports[0].blocking_summary, "Critic has low confidence: 0.55.");
    assert_eq!(reports[1].blocking_summary, "no login; open port");
    assert_eq!(reports[1].mitigation_recommendation, "measure; limit");
    assert_eq!(reports[1].strengths.as_deref(), Some(&["clear".to_owned()][..]));
    assert_eq!(reports[1].concerns.as_deref(), Some(&["cost".to_owned()][..]));
    assert_eq!(decision.minority_report, reports.first().cloned());
    let mut silent = blocked([0.9; 5], Persona::Critic, None);
    silent[1].recommendations.clear();
    let report = decide(&silent).minority_report.unwrap();
    assert_eq!(report.mitigation_recommendation, "Discuss the concerns of Critic before going on.");
}

#[test]
fn no_review_an_unknown_persona_and_two_reviews_by_one_are_errors_and_a_missing_one_is_not_reweighted() {
    assert_eq!(aggregate(&[]), Err(AggregationError::NoReviews));
    let mut stranger = review(Persona::Critic, 0.9);
    stranger.persona_id = "stranger".to_owned();
    assert!(matches!(aggregate(&[stranger]), Err(AggregationError::UnknownPersona(_))));
    let twice = [review(Persona::Critic, 0.9), review(Persona::Critic, 0.9)];
    assert_eq!(aggregate(&twice), Err(AggregationError::Repeated("critic")));
    let alone = decide(&[review(Persona::Architect, 1.0)]);
    assert_eq!(alone.overall_weighted_confidence.to_bits(), 0.25_f64.to_bits());
    assert_eq!(alone.decision, Verdict::Reject);
}

proptest! {
    #[test]
    fn the_order_of_the_reviews_changes_nothing_and_the_decision_can_be_stored_and_read(
        scores in proptest::array::uniform5(0.0..=1.0_f64),
        turn in 0_usize..5,
    ) {
        let mut turned = reviews(scores);
        let decision = decide(&turned);
        turned.rotate_left(turn);
        prop_assert_eq!(&decide(&turned), &decision);
        // Added in the order of the personas, to the last bit.
        let sum = Persona::ALL.iter().zip(scores).fold(0.0, |sum, (persona, score)| sum + persona.weight() * score);
        prop_assert_eq!(decision.overall_weighted_confidence.to_bits(), sum.clamp(0.0, 1.0).to_bits());
        let written = serde_json::to_string(&decision).unwrap();
        let read: ProposalDecision = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(read.decision, decision.decision);
        prop_assert_eq!(&read.minority_reports, &decision.minority_reports);
        // The parser of JSON may be wrong in the last bit of a long fraction; the verdict is stored with it.
        let off = (read.overall_weighted_confidence - decision.overall_weighted_confidence).abs();
        prop_assert!(off <= f64::EPSILON, "{}", off);
    }
}

#[test]
fn a_stored_decision_out_of_range_or_with_two_confidences_is_refused() {
    let written = serde_json::to_string(&decide(&reviews([0.8; 5]))).unwrap();
    let read = |text: &str| serde_json::from_str::<ProposalDecision>(text);
    assert!(
        read(
            &written.replace(r#""overall_weighted_confidence":0.8"#, r#""overall_weighted_confidence":1.8"#)
        )
        .is_err()
    );
    assert!(read(&written.replace(r#""weighted_confidence":0.8"#, r#""weighted_confidence":0.7"#)).is_err());
    assert!(read(&written.replace("approve", "accept")).is_err());
    assert!(read(&written.replace(r#""weight":0.25"#, r#""weight":-0.25"#)).is_err());
    assert!(read(&written).is_ok());
}
