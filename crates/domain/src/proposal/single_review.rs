//! The decision after one review by a reviewer without a persona.

use std::collections::BTreeMap;

use super::decision::{PersonaWeight, ProposalDecision, ScoreBreakdown, Verdict, weighted_confidence};
use super::persona_review::PersonaReview;

/// The id of the reviewer without a persona.
pub const GENERIC_REVIEWER_ID: &str = "generic_reviewer";
/// The name of the reviewer without a persona.
pub const GENERIC_REVIEWER_NAME: &str = "GenericReviewer";

/// From this score on a proposal without blocking issues is approved.
const APPROVE_FROM: f64 = 0.70;

/// The decision that follows from a single review: a blocking issue rejects, otherwise the score approves or asks for a
/// revision.
pub fn decide_alone(review: &PersonaReview) -> ProposalDecision {
    let score = review.confidence_score;
    let confidence = weighted_confidence([score]);
    let by_id = |value: f64| BTreeMap::from([(review.persona_id.clone(), value)]);
    let decision = if review.has_blocking_issues() {
        Verdict::Reject
    } else if score >= APPROVE_FROM {
        Verdict::Approve
    } else {
        Verdict::Revise
    };
    ProposalDecision {
        overall_weighted_confidence: confidence,
        weighted_confidence: confidence,
        decision,
        detailed_score_breakdown: ScoreBreakdown {
            weights: by_id(1.0),
            individual_scores: by_id(score),
            weighted_contributions: by_id(score),
            formula: "the score of the only reviewer".to_owned(),
        },
        score_breakdown: Some(BTreeMap::from([(
            review.persona_name.clone(),
            PersonaWeight { weight: 1.0, notes: None },
        )])),
        minority_reports: None,
        minority_report: None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::persona_review::BlockingIssue;
    use super::*;

    #[test]
    fn a_blocking_issue_rejects_and_otherwise_the_score_decides_at_seventy_percent() {
        let review = |score: f64| PersonaReview {
            persona_name: GENERIC_REVIEWER_NAME.to_owned(),
            persona_id: GENERIC_REVIEWER_ID.to_owned(),
            confidence_score: score,
            strengths: Vec::new(),
            concerns: Vec::new(),
            recommendations: Vec::new(),
            blocking_issues: Vec::new(),
            estimated_effort: "small".into(),
            dependency_risks: Vec::new(),
            internal_metadata: None,
        };
        assert_eq!(decide_alone(&review(0.70)).decision, Verdict::Approve);
        assert_eq!(decide_alone(&review(0.6999)).decision, Verdict::Revise);
        assert_eq!(decide_alone(&review(0.0)).decision, Verdict::Revise);
        let issue = BlockingIssue { text: "illegal".to_owned(), security_critical: None };
        let blocked = PersonaReview { blocking_issues: vec![issue], ..review(1.0) };
        let decision = decide_alone(&blocked);
        assert_eq!(decision.decision, Verdict::Reject);
        assert_eq!(
            decision.detailed_score_breakdown.weights[GENERIC_REVIEWER_ID].to_bits(),
            1.0_f64.to_bits()
        );
    }
}
