//! The decision about a proposal: a verdict, and how the scores led to it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::member::InvalidMember;
use crate::pipeline::UnknownName;

/// What becomes of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names are the documentation.
pub enum Verdict {
    Approve,
    Revise,
    Reject,
}

impl Verdict {
    /// All of them, the best first.
    pub const ALL: [Self; 3] = [Self::Approve, Self::Revise, Self::Reject];

    /// The name that is stored and that the API shows.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approve => "approve",
            Self::Revise => "revise",
            Self::Reject => "reject",
        }
    }

    /// The verdict of that name.
    pub fn parse(name: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|verdict| verdict.as_str() == name).ok_or_else(|| UnknownName {
            what: "decision",
            name: name.to_owned(),
            known: Self::ALL.map(Self::as_str).join(", "),
        })
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The decision about a proposal.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedDecision")]
pub struct ProposalDecision {
    /// The weighted sum of the scores, from 0 to 1.
    pub overall_weighted_confidence: f64,
    /// The same under a second name, which clients also use.
    pub weighted_confidence: f64,
    /// The verdict.
    pub decision: Verdict,
    /// How the sum was made.
    pub detailed_score_breakdown: ScoreBreakdown,
    /// The weights by name of the persona, for older clients.
    pub score_breakdown: Option<BTreeMap<String, PersonaWeight>>,
    /// Who disagrees, in the order of the personas. None if nobody does.
    pub minority_reports: Option<Vec<MinorityReport>>,
    /// The first of them, for older clients.
    pub minority_report: Option<MinorityReport>,
}

/// How the weighted sum was made, by `persona_id`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScoreBreakdown {
    /// The weights.
    pub weights: BTreeMap<String, f64>,
    /// The scores.
    pub individual_scores: BTreeMap<String, f64>,
    /// Each weight times its score.
    pub weighted_contributions: BTreeMap<String, f64>,
    /// The formula, for people.
    pub formula: String,
}

/// The weight of a persona.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PersonaWeight {
    /// The weight.
    pub weight: f64,
    /// More about it.
    pub notes: Option<String>,
}

/// A persona that disagrees with the verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MinorityReport {
    /// Its id.
    pub persona_id: String,
    /// Its name.
    pub persona_name: String,
    /// Its score.
    pub confidence_score: f64,
    /// Why it disagrees.
    pub blocking_summary: String,
    /// What would help.
    pub mitigation_recommendation: String,
    /// What it finds good.
    pub strengths: Option<Vec<String>>,
    /// What it does not.
    pub concerns: Option<Vec<String>>,
}

/// The weighted sum of scores, added in the given order, from 0 to 1.
pub fn weighted_confidence(contributions: impl IntoIterator<Item = f64>) -> f64 {
    contributions.into_iter().fold(0.0, |sum, contribution| sum + contribution).clamp(0.0, 1.0)
}

#[derive(Deserialize)]
struct UncheckedDecision {
    overall_weighted_confidence: f64,
    weighted_confidence: Option<f64>,
    decision: Verdict,
    detailed_score_breakdown: ScoreBreakdown,
    score_breakdown: Option<BTreeMap<String, PersonaWeight>>,
    minority_reports: Option<Vec<MinorityReport>>,
    minority_report: Option<MinorityReport>,
}

impl TryFrom<UncheckedDecision> for ProposalDecision {
    type Error = InvalidMember;

    fn try_from(given: UncheckedDecision) -> Result<Self, InvalidMember> {
        let confidence = given.overall_weighted_confidence;
        super::member::fraction("overall_weighted_confidence", Some(confidence))?;
        if given.weighted_confidence.is_some_and(|mirrored| mirrored.to_bits() != confidence.to_bits()) {
            return Err(InvalidMember::at("weighted_confidence", "must equal overall_weighted_confidence"));
        }
        for (name, weight) in given.score_breakdown.iter().flatten() {
            if weight.weight < 0.0 {
                return Err(InvalidMember::at(
                    format!("score_breakdown.{name}.weight"),
                    "must not be negative",
                ));
            }
        }
        Ok(Self {
            overall_weighted_confidence: confidence,
            weighted_confidence: confidence,
            decision: given.decision,
            detailed_score_breakdown: given.detailed_score_breakdown,
            score_breakdown: given.score_breakdown,
            minority_reports: given.minority_reports,
            minority_report: given.minority_report,
        })
    }
}
