//! The review of a persona and the decision, as a page shows them.

use quire_domain::proposal::{PersonaReview, ProposalDecision};
use serde_json::Value;

use super::{number, persona_name, verdict};
use crate::pages::words::Words;

/// A review.
pub(super) struct PersonaReviewView {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) confidence: String,
    /// Its weight and its share in the weighted confidence, once there is a decision.
    pub(super) share: Option<(String, String)>,
    pub(super) is_reused: bool,
    /// Each with whether it is critical for security.
    pub(super) blocking: Vec<(String, bool)>,
    /// The other parts, those without items left out.
    pub(super) parts: Vec<(&'static str, Vec<String>)>,
}

/// The decision.
pub(super) struct DecisionView {
    pub(super) verdict: (&'static str, &'static str),
    pub(super) confidence: String,
    pub(super) reports: Vec<ReportView>,
}

/// A minority report.
pub(super) struct ReportView {
    pub(super) name: String,
    pub(super) summary: String,
    pub(super) mitigation: String,
}

impl PersonaReviewView {
    pub(super) fn of(
        review: &PersonaReview,
        decision: Option<&ProposalDecision>,
        words: &'static Words,
    ) -> Self {
        let breakdown = decision.map(|decision| &decision.detailed_score_breakdown);
        let share = breakdown.and_then(|breakdown| {
            let weight = breakdown.weights.get(&review.persona_id)?;
            let contribution = breakdown.weighted_contributions.get(&review.persona_id)?;
            Some((number(*weight, 2, words), number(*contribution, 4, words)))
        });
        let issue = |issue: &quire_domain::proposal::BlockingIssue| {
            (issue.text.clone(), issue.security_critical == Some(true))
        };
        let concerns = review.concerns.iter().map(|concern| concern.text.clone()).collect();
        let risks = review.dependency_risks.iter().map(plain).collect();
        let parts = [
            ("proposals.strengths", review.strengths.clone()),
            ("proposals.concerns", concerns),
            ("proposals.recommendations", review.recommendations.clone()),
            ("proposals.risks", risks),
            ("proposals.effort", vec![plain(&review.estimated_effort)]),
        ];
        let parts = parts.into_iter().map(|(name, items)| (words.get(name), items));
        Self {
            id: review.persona_id.clone(),
            name: persona_name(&review.persona_id, &review.persona_name, words),
            confidence: number(review.confidence_score, 2, words),
            share,
            is_reused: review.internal_metadata.as_ref().is_some_and(|made| made.reused),
            blocking: review.blocking_issues.iter().map(issue).collect(),
            parts: parts.filter(|(_, items)| !items.is_empty()).collect(),
        }
    }
}

impl DecisionView {
    pub(super) fn of(decision: &ProposalDecision, words: &'static Words) -> Self {
        let reports = decision.minority_reports.iter().flatten();
        Self {
            verdict: verdict(decision.decision, words),
            confidence: number(decision.overall_weighted_confidence, 4, words),
            reports: reports
                .map(|report| ReportView {
                    name: persona_name(&report.persona_id, &report.persona_name, words),
                    summary: report.blocking_summary.clone(),
                    mitigation: report.mitigation_recommendation.clone(),
                })
                .collect(),
        }
    }
}

/// A text as it is; an object as `name: value` pairs.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Object(members) => {
            let pairs = members.iter().map(|(name, value)| format!("{name}: {}", plain(value)));
            pairs.collect::<Vec<_>>().join(", ")
        }
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_object_of_a_model_is_shown_in_words() {
        assert_eq!(plain(&json!("two weeks")), "two weeks");
        assert_eq!(plain(&json!({"days": 3, "why": {"a": "b"}})), "days: 3, why: a: b");
    }
}
