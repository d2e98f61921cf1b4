//! Revisions: a new run on the result of a completed one. It repeats only the reviews that have a reason for it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::expanded::{ExpandedProposal, ProposalSection};
use super::persona::Persona;
use super::persona_review::{PersonaReview, ReviewMetadata};
use crate::run::RunState;

/// Below this score a persona reviews again.
const REPEAT_BELOW: f64 = 0.70;

/// What a revision needs to know about the run that it revises.
#[derive(Clone, Copy, Debug)]
pub struct RevisionParent<'a> {
    /// Its state.
    pub state: &'a RunState,
    /// Whether it has a proposal.
    pub has_proposal: bool,
    /// Its reviews.
    pub reviews: &'a [PersonaReview],
}

/// Why a run cannot be revised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RevisionBlocked {
    /// The request changes nothing.
    #[error("a revision needs edited_proposal or edit_notes")]
    NoEdit,
    /// The run has not completed.
    #[error("only a completed run can be revised; this one is {0}")]
    NotCompleted(&'static str),
    /// The run has no proposal.
    #[error("the run has no proposal to revise")]
    NoProposal,
    /// The run lacks reviews.
    #[error("the run does not have the reviews of all five personas; revise a full review")]
    ReviewsMissing,
}

/// Whether a run can be revised.
pub fn check_parent(has_edit: bool, parent: RevisionParent<'_>) -> Result<(), RevisionBlocked> {
    if !has_edit {
        return Err(RevisionBlocked::NoEdit);
    }
    if !matches!(parent.state, RunState::Completed { .. }) {
        return Err(RevisionBlocked::NotCompleted(parent.state.as_str()));
    }
    if !parent.has_proposal {
        return Err(RevisionBlocked::NoProposal);
    }
    let reviewed = |persona: Persona| parent.reviews.iter().any(|review| review.persona_id == persona.id());
    if !Persona::ALL.into_iter().all(reviewed) {
        return Err(RevisionBlocked::ReviewsMissing);
    }
    Ok(())
}

/// Where the review of a persona comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum ReviewSource {
    /// The persona reviews the proposal.
    Model,
    /// The review of the parent run stands.
    Reused(Box<PersonaReview>),
}

/// Decides whether a persona reviews again: if its score was low or if it had blocking issues, those of security among
/// them. A persona without an earlier review always reviews.
pub fn review_source(earlier: Option<&PersonaReview>) -> ReviewSource {
    let Some(earlier) = earlier else { return ReviewSource::Model };
    if earlier.confidence_score < REPEAT_BELOW || earlier.has_blocking_issues() {
        return ReviewSource::Model;
    }
    let metadata = ReviewMetadata { reused: true, ..earlier.internal_metadata.clone().unwrap_or_default() };
    ReviewSource::Reused(Box::new(PersonaReview { internal_metadata: Some(metadata), ..earlier.clone() }))
}

/// What a revision changed in the proposal of its parent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProposalDiff {
    /// The sections that differ, by name.
    pub changed_fields: BTreeMap<String, ChangedField>,
    /// How many there are.
    pub num_changes: usize,
    /// When they were compared.
    pub timestamp: Timestamp,
}

/// A section before and after a revision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedField {
    /// Its content in the parent.
    pub before: Value,
    /// Its content now.
    pub after: Value,
}

impl ProposalDiff {
    /// Compares two proposals, section by section.
    pub fn between(before: &ExpandedProposal, after: &ExpandedProposal, at: Timestamp) -> Self {
        let changed_fields: BTreeMap<String, ChangedField> = ProposalSection::ALL
            .into_iter()
            .map(|section| (section, before.section(section), after.section(section)))
            .filter(|(_, before, after)| before != after)
            .map(|(section, before, after)| (section.as_str().to_owned(), ChangedField { before, after }))
            .collect();
        Self { num_changes: changed_fields.len(), changed_fields, timestamp: at }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::persona_review::BlockingIssue;
    use super::*;

    fn review(persona: Persona, score: f64, security_critical: &[Option<bool>]) -> PersonaReview {
        let issue = |flag: &Option<bool>| BlockingIssue { text: "b".to_owned(), security_critical: *flag };
        PersonaReview {
            persona_name: persona.name().to_owned(),
            persona_id: persona.id().to_owned(),
            confidence_score: score,
            strengths: Vec::new(),
            concerns: Vec::new(),
            recommendations: Vec::new(),
            blocking_issues: security_critical.iter().map(issue).collect(),
            estimated_effort: "e".into(),
            dependency_risks: Vec::new(),
            internal_metadata: Some(ReviewMetadata {
                model: Some("m".to_owned()),
                ..ReviewMetadata::default()
            }),
        }
    }

    /// Proves R157.
    #[test]
    fn a_persona_reviews_again_for_a_low_score_or_a_blocking_issue_and_otherwise_its_review_is_reused() {
        let repeats = |review: &PersonaReview| review_source(Some(review)) == ReviewSource::Model;
        assert!(repeats(&review(Persona::Critic, 0.6999, &[])));
        assert!(!repeats(&review(Persona::Critic, 0.70, &[])));
        assert!(repeats(&review(Persona::Critic, 0.95, &[None])));
        assert!(repeats(&review(Persona::SecurityGuardian, 0.95, &[Some(true)])));
        assert!(!repeats(&review(Persona::SecurityGuardian, 0.95, &[])));
        assert_eq!(review_source(None), ReviewSource::Model);
        let earlier = review(Persona::Optimist, 0.9, &[]);
        let ReviewSource::Reused(copied) = review_source(Some(&earlier)) else {
            panic!("the review was not reused")
        };
        let metadata = copied.internal_metadata.clone().unwrap();
        assert!(metadata.reused);
        assert_eq!(metadata.model.as_deref(), Some("m"));
        assert_eq!(
            PersonaReview { internal_metadata: earlier.internal_metadata.clone(), ..*copied },
            earlier
        );
    }

    /// Proves R155.
    #[test]
    fn a_revision_needs_an_edit_and_a_completed_run_with_a_proposal_and_five_reviews() {
        let at = Timestamp::UNIX_EPOCH;
        let completed = RunState::Completed { started_at: at, completed_at: at };
        let queued = RunState::Queued { available_at: None, lane: None };
        let reviews = Persona::ALL.map(|persona| review(persona, 0.9, &[]));
        let parent = RevisionParent { state: &completed, has_proposal: true, reviews: &reviews };
        assert_eq!(check_parent(true, parent), Ok(()));
        assert_eq!(check_parent(false, parent), Err(RevisionBlocked::NoEdit));
        let waiting = RevisionParent { state: &queued, ..parent };
        assert_eq!(check_parent(true, waiting), Err(RevisionBlocked::NotCompleted("QUEUED")));
        let empty = RevisionParent { has_proposal: false, ..parent };
        assert_eq!(check_parent(true, empty), Err(RevisionBlocked::NoProposal));
        let four = RevisionParent { reviews: &reviews[1..], ..parent };
        assert_eq!(check_parent(true, four), Err(RevisionBlocked::ReviewsMissing));
    }

    /// Proves R156.
    #[test]
    fn the_diff_of_a_revision_names_each_changed_section_before_and_after() {
        let proposal = |solution: &str, assumptions: &[&str]| {
            let json = json!({"problem_statement": "P", "proposed_solution": solution,
                "assumptions": assumptions, "scope_non_goals": [], "raw_idea": solution});
            serde_json::from_value::<ExpandedProposal>(json).unwrap()
        };
        let at = Timestamp::UNIX_EPOCH;
        let diff = ProposalDiff::between(&proposal("S", &["a"]), &proposal("T", &["a", "b"]), at);
        let expected = json!({"changed_fields": {
            "assumptions": {"before": ["a"], "after": ["a", "b"]},
            "proposed_solution": {"before": "S", "after": "T"}},
            "num_changes": 2, "timestamp": "1970-01-01T00:00:00Z"});
        assert_eq!(serde_json::to_value(&diff).unwrap(), expected);
        assert_eq!(ProposalDiff::between(&proposal("S", &[]), &proposal("S", &[]), at).num_changes, 0);
    }
}
