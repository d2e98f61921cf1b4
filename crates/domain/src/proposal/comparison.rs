//! The comparison of two runs: their proposals, their reviews and their decisions.

mod section;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

pub use self::section::{ProposalChanges, SectionChange, SectionChanges, SectionStatus};
use super::decision::{ProposalDecision, Verdict};
use super::expanded::ExpandedProposal;
use super::persona_review::PersonaReview;
use crate::ids::RunId;

/// Differences of scores are rounded to this many parts of 1, so that the noise of binary fractions does not show.
const PARTS: f64 = 1e9;

/// A run that is compared.
#[derive(Clone, Copy, Debug)]
pub struct ComparedRun<'a> {
    /// Its id.
    pub id: RunId,
    /// When it was created.
    pub created_at: Timestamp,
    /// The run that it revises.
    pub parent: Option<RunId>,
    /// Its proposal, if it has one.
    pub proposal: Option<&'a ExpandedProposal>,
    /// Its reviews.
    pub reviews: &'a [PersonaReview],
    /// Its decision, if there is one.
    pub decision: Option<&'a ProposalDecision>,
}

/// How the second run differs from the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunComparison {
    /// Which runs.
    pub metadata: RunComparisonMetadata,
    /// What changed in the proposal.
    pub proposal_changes: ProposalChanges,
    /// What changed in the reviews, by `persona_id`.
    pub persona_deltas: Vec<PersonaDelta>,
    /// What changed in the decision.
    pub decision_delta: DecisionDelta,
}

/// Which runs were compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names are the documentation.
pub struct RunComparisonMetadata {
    pub run1_id: RunId,
    pub run2_id: RunId,
    pub run1_created_at: Timestamp,
    pub run2_created_at: Timestamp,
    /// Whether one revises the other.
    pub is_parent_child: bool,
    pub relationship: Relationship,
}

/// Which run revises which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names are the documentation.
pub enum Relationship {
    #[serde(rename = "run1_is_parent_of_run2")]
    FirstIsParent,
    #[serde(rename = "run2_is_parent_of_run1")]
    SecondIsParent,
    #[serde(rename = "unrelated")]
    Unrelated,
}

/// Which of the two runs has a review by a persona.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names are the documentation.
pub enum PersonaPresence {
    #[serde(rename = "in_both")]
    InBoth,
    #[serde(rename = "added_in_run2")]
    AddedInSecond,
    #[serde(rename = "removed_in_run2")]
    RemovedInSecond,
}

/// What changed in the review of a persona. What the missing review would say is null.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)] // The names are the documentation.
pub struct PersonaDelta {
    pub persona_id: String,
    pub persona_name: String,
    pub status: PersonaPresence,
    pub old_confidence: Option<f64>,
    pub new_confidence: Option<f64>,
    pub confidence_delta: Option<f64>,
    pub blocking_issues_before: Option<bool>,
    pub blocking_issues_after: Option<bool>,
    pub blocking_issues_changed: bool,
    pub security_concerns_before: Option<bool>,
    pub security_concerns_after: Option<bool>,
    pub security_concerns_changed: bool,
}

/// What changed in the decision. What a missing decision would say is null; a confidence of 0 is a number.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[allow(missing_docs)] // The names are the documentation.
pub struct DecisionDelta {
    pub old_weighted_confidence: Option<f64>,
    pub new_weighted_confidence: Option<f64>,
    pub delta: Option<f64>,
    pub old_label: Option<Verdict>,
    pub new_label: Option<Verdict>,
    pub decision_changed: bool,
}

/// Compares two runs. The first is the older side, whichever was created first.
pub fn compare_runs(first: ComparedRun<'_>, second: ComparedRun<'_>) -> RunComparison {
    let relationship = if second.parent == Some(first.id) {
        Relationship::FirstIsParent
    } else if first.parent == Some(second.id) {
        Relationship::SecondIsParent
    } else {
        Relationship::Unrelated
    };
    RunComparison {
        metadata: RunComparisonMetadata {
            run1_id: first.id,
            run2_id: second.id,
            run1_created_at: first.created_at,
            run2_created_at: second.created_at,
            is_parent_child: relationship != Relationship::Unrelated,
            relationship,
        },
        proposal_changes: ProposalChanges::between(first.proposal, second.proposal),
        persona_deltas: persona_deltas(first.reviews, second.reviews),
        decision_delta: decision_delta(first.decision, second.decision),
    }
}

fn persona_deltas(before: &[PersonaReview], after: &[PersonaReview]) -> Vec<PersonaDelta> {
    let mut sides: BTreeMap<&str, (Option<&PersonaReview>, Option<&PersonaReview>)> = BTreeMap::new();
    for review in before {
        sides.entry(&review.persona_id).or_default().0 = Some(review);
    }
    for review in after {
        sides.entry(&review.persona_id).or_default().1 = Some(review);
    }
    sides.into_values().filter_map(|(before, after)| persona_delta(before, after)).collect()
}

fn persona_delta(before: Option<&PersonaReview>, after: Option<&PersonaReview>) -> Option<PersonaDelta> {
    let named = after.or(before)?;
    let status = match (before, after) {
        (Some(_), Some(_)) => PersonaPresence::InBoth,
        (None, _) => PersonaPresence::AddedInSecond,
        (_, None) => PersonaPresence::RemovedInSecond,
    };
    let scores = (before.map(|review| review.confidence_score), after.map(|review| review.confidence_score));
    let both = |flag: fn(&PersonaReview) -> bool| (before.map(flag), after.map(flag));
    let blocking = both(PersonaReview::has_blocking_issues);
    let security = both(PersonaReview::has_security_critical_issue);
    Some(PersonaDelta {
        persona_id: named.persona_id.clone(),
        persona_name: named.persona_name.clone(),
        status,
        old_confidence: scores.0,
        new_confidence: scores.1,
        confidence_delta: delta(scores),
        blocking_issues_before: blocking.0,
        blocking_issues_after: blocking.1,
        blocking_issues_changed: changed(blocking),
        security_concerns_before: security.0,
        security_concerns_after: security.1,
        security_concerns_changed: changed(security),
    })
}

fn decision_delta(before: Option<&ProposalDecision>, after: Option<&ProposalDecision>) -> DecisionDelta {
    let confidence =
        |decision: Option<&ProposalDecision>| decision.map(|decision| decision.overall_weighted_confidence);
    let label = |decision: Option<&ProposalDecision>| decision.map(|decision| decision.decision);
    DecisionDelta {
        old_weighted_confidence: confidence(before),
        new_weighted_confidence: confidence(after),
        delta: delta((confidence(before), confidence(after))),
        old_label: label(before),
        new_label: label(after),
        decision_changed: label(before) != label(after),
    }
}

fn delta(sides: (Option<f64>, Option<f64>)) -> Option<f64> {
    let (Some(before), Some(after)) = sides else { return None };
    Some(((after - before) * PARTS).round() / PARTS)
}

/// Whether a flag that both runs have differs.
fn changed(sides: (Option<bool>, Option<bool>)) -> bool {
    matches!(sides, (Some(before), Some(after)) if before != after)
}
