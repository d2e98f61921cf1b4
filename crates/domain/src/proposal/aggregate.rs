//! From the reviews of the personas to a decision. Pure arithmetic: no model is asked.

use std::collections::BTreeMap;

use super::decision::{
    MinorityReport, PersonaWeight, ProposalDecision, ScoreBreakdown, Verdict, weighted_confidence,
};
use super::persona::Persona;
use super::persona_review::PersonaReview;
use crate::pipeline::UnknownName;

/// From this sum on a proposal is approved.
const APPROVE_FROM: f64 = 0.80;
/// From this sum on a proposal is worth a revision.
const REVISE_FROM: f64 = 0.60;
/// Below this score a persona disagrees with an approval.
const DISSENT_BELOW: f64 = 0.60;

/// Why reviews cannot be combined.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AggregationError {
    /// There is nothing to combine.
    #[error("there is no review to combine")]
    NoReviews,
    /// A review is by somebody who has no weight.
    #[error(transparent)]
    UnknownPersona(#[from] UnknownName),
    /// A persona would count twice.
    #[error("there are two reviews by {0}")]
    Repeated(&'static str),
}

/// Combines reviews. The order in which they are given does not matter: scores are added in the order of
/// [`Persona::ALL`]. The step requires the reviews of all personas. Of a subset, the others would not count for more.
pub fn aggregate(reviews: &[PersonaReview]) -> Result<ProposalDecision, AggregationError> {
    let mut by_persona = BTreeMap::new();
    for review in reviews {
        let persona = Persona::parse(&review.persona_id)?;
        if by_persona.insert(persona, review).is_some() {
            return Err(AggregationError::Repeated(persona.id()));
        }
    }
    if by_persona.is_empty() {
        return Err(AggregationError::NoReviews);
    }
    let reviewed: Vec<(Persona, &PersonaReview)> = by_persona.into_iter().collect();
    let contribution =
        |(persona, review): &(Persona, &PersonaReview)| persona.weight() * review.confidence_score;
    let confidence = weighted_confidence(reviewed.iter().map(contribution));
    let decision = verdict(confidence, has_veto(&reviewed));
    let reports: Vec<MinorityReport> = reviewed
        .iter()
        .filter(|(_, review)| dissents(review, decision))
        .map(|(_, review)| minority_report(review))
        .collect();
    let by_id = |value: &dyn Fn(&(Persona, &PersonaReview)) -> f64| {
        reviewed.iter().map(|entry| (entry.0.id().to_owned(), value(entry))).collect()
    };
    Ok(ProposalDecision {
        overall_weighted_confidence: confidence,
        weighted_confidence: confidence,
        decision,
        detailed_score_breakdown: ScoreBreakdown {
            weights: by_id(&|(persona, _)| persona.weight()),
            individual_scores: by_id(&|(_, review)| review.confidence_score),
            weighted_contributions: by_id(&contribution),
            formula: "sum of weight × confidence_score over all personas".to_owned(),
        },
        score_breakdown: Some(reviewed.iter().map(|(persona, _)| weight_by_name(*persona)).collect()),
        minority_report: reports.first().cloned(),
        minority_reports: (!reports.is_empty()).then_some(reports),
    })
}

fn weight_by_name(persona: Persona) -> (String, PersonaWeight) {
    (persona.name().to_owned(), PersonaWeight { weight: persona.weight(), notes: None })
}

fn verdict(confidence: f64, vetoed: bool) -> Verdict {
    if confidence >= APPROVE_FROM && !vetoed {
        Verdict::Approve
    } else if confidence >= REVISE_FROM {
        Verdict::Revise
    } else {
        Verdict::Reject
    }
}

/// Whether the security guardian found an issue that is critical for security. Nobody else has a veto.
fn has_veto(reviewed: &[(Persona, &PersonaReview)]) -> bool {
    let guardian = reviewed.iter().find(|(persona, _)| *persona == Persona::SecurityGuardian);
    guardian.is_some_and(|(_, review)| review.has_security_critical_issue())
}

fn dissents(review: &PersonaReview, decision: Verdict) -> bool {
    match decision {
        Verdict::Approve => review.confidence_score < DISSENT_BELOW || review.has_blocking_issues(),
        Verdict::Revise => review.has_blocking_issues(),
        Verdict::Reject => false,
    }
}

fn minority_report(review: &PersonaReview) -> MinorityReport {
    let blocking: Vec<&str> = review.blocking_issues.iter().map(|issue| issue.text.as_str()).collect();
    let blocking_summary = if blocking.is_empty() {
        format!("{} has low confidence: {:.2}.", review.persona_name, review.confidence_score)
    } else {
        blocking.join("; ")
    };
    let mitigation_recommendation = if review.recommendations.is_empty() {
        format!("Discuss the concerns of {} before going on.", review.persona_name)
    } else {
        review.recommendations.join("; ")
    };
    MinorityReport {
        persona_id: review.persona_id.clone(),
        persona_name: review.persona_name.clone(),
        confidence_score: review.confidence_score,
        blocking_summary,
        mitigation_recommendation,
        strengths: Some(review.strengths.clone()),
        concerns: Some(review.concerns.iter().map(|concern| concern.text.clone()).collect()),
    }
}
