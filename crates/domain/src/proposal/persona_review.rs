//! The review of a proposal by one persona.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::member::{InvalidMember, fraction, list, parse, required_text, text_or_object, texts};

/// A review. Texts are trimmed and not empty; the score is from 0 to 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedReview")]
pub struct PersonaReview {
    /// The name of the persona.
    pub persona_name: String,
    /// The id of the persona.
    pub persona_id: String,
    /// How sure the persona is that the proposal is good.
    pub confidence_score: f64,
    /// What is good.
    pub strengths: Vec<String>,
    /// What is not.
    pub concerns: Vec<Concern>,
    /// What to change.
    pub recommendations: Vec<String>,
    /// What must change.
    pub blocking_issues: Vec<BlockingIssue>,
    /// A text or an object.
    pub estimated_effort: Value,
    /// Each a text or an object.
    pub dependency_risks: Vec<Value>,
    /// How the review was made.
    pub internal_metadata: Option<ReviewMetadata>,
}

/// A concern of a persona.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Concern {
    /// What it is.
    pub text: String,
    /// Whether the persona calls it blocking. People read it; only [`BlockingIssue`] decides.
    pub is_blocking: bool,
}

/// An issue that must be solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockingIssue {
    /// What it is.
    pub text: String,
    /// Whether it is critical for security. Only the veto of the security guardian reads this.
    pub security_critical: Option<bool>,
}

/// How a review was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ReviewMetadata {
    /// The model that made it.
    pub model: Option<String>,
    /// How long the model took, in milliseconds.
    pub latency_ms: Option<u64>,
    /// The correlation id of the run in which a model made it.
    pub request_id: Option<String>,
    /// When, as RFC 3339.
    pub timestamp: Option<String>,
    /// Whether it was copied from the run that this one revises.
    pub reused: bool,
}

impl PersonaReview {
    /// Parses and checks a review of any persona.
    pub fn parse(json: &str) -> Result<Self, InvalidMember> {
        parse::<UncheckedReview>(json)?.try_into()
    }

    /// Parses and checks the answer of a model that was asked to be the persona with this id and name.
    pub fn parse_answer(json: &str, id: &str, name: &str) -> Result<Self, InvalidMember> {
        let review = Self::parse(json)?;
        if review.persona_id != id {
            return Err(InvalidMember::at("persona_id", format!("must be {id}, the persona that was asked")));
        }
        if review.persona_name != name {
            return Err(InvalidMember::at("persona_name", format!("must be {name}")));
        }
        Ok(review)
    }

    /// Whether there is any blocking issue.
    pub fn has_blocking_issues(&self) -> bool {
        !self.blocking_issues.is_empty()
    }

    /// Whether any blocking issue is critical for security.
    pub fn has_security_critical_issue(&self) -> bool {
        self.blocking_issues.iter().any(|issue| issue.security_critical == Some(true))
    }
}

#[derive(Deserialize)]
struct UncheckedReview {
    persona_name: Option<String>,
    persona_id: Option<String>,
    confidence_score: Option<f64>,
    strengths: Option<Vec<String>>,
    concerns: Option<Vec<UncheckedConcern>>,
    recommendations: Option<Vec<String>>,
    blocking_issues: Option<Vec<UncheckedIssue>>,
    estimated_effort: Option<Value>,
    dependency_risks: Option<Vec<Value>>,
    internal_metadata: Option<ReviewMetadata>,
}

#[derive(Deserialize)]
struct UncheckedConcern {
    text: Option<String>,
    is_blocking: Option<bool>,
}

#[derive(Deserialize)]
struct UncheckedIssue {
    text: Option<String>,
    security_critical: Option<bool>,
}

impl TryFrom<UncheckedReview> for PersonaReview {
    type Error = InvalidMember;

    fn try_from(given: UncheckedReview) -> Result<Self, InvalidMember> {
        let concern = |path: &str, concern: UncheckedConcern| {
            let is_blocking = concern.is_blocking;
            Ok(Concern {
                text: required_text(&format!("{path}.text"), concern.text)?,
                is_blocking: is_blocking
                    .ok_or_else(|| InvalidMember::at(format!("{path}.is_blocking"), "is missing"))?,
            })
        };
        let issue = |path: &str, issue: UncheckedIssue| {
            Ok(BlockingIssue {
                text: required_text(&format!("{path}.text"), issue.text)?,
                security_critical: issue.security_critical,
            })
        };
        Ok(Self {
            persona_name: required_text("persona_name", given.persona_name)?,
            persona_id: required_text("persona_id", given.persona_id)?,
            confidence_score: fraction("confidence_score", given.confidence_score)?,
            strengths: texts("strengths", given.strengths)?,
            concerns: list("concerns", given.concerns, concern)?,
            recommendations: texts("recommendations", given.recommendations)?,
            blocking_issues: list("blocking_issues", given.blocking_issues, issue)?,
            estimated_effort: text_or_object("estimated_effort", given.estimated_effort)?,
            dependency_risks: list("dependency_risks", given.dependency_risks, |path, risk| {
                text_or_object(path, Some(risk))
            })?,
            internal_metadata: given.internal_metadata,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"persona_name":"Critic","persona_id":" critic ","confidence_score":0.5,
        "strengths":["s"],"concerns":[{"text":"c","is_blocking":false}],"recommendations":["r"],
        "blocking_issues":[{"text":"b"},{"text":"x","security_critical":true}],
        "estimated_effort":{"days":3},"dependency_risks":["d",{"name":"e"}]}"#;

    #[test]
    fn what_is_written_can_be_read_and_flags_follow_from_the_issues() {
        let review = PersonaReview::parse_answer(WHOLE, "critic", "Critic").unwrap();
        assert!(review.has_blocking_issues() && review.has_security_critical_issue());
        assert_eq!(review.blocking_issues[0].security_critical, None);
        let written = serde_json::to_string(&review).unwrap();
        assert_eq!(PersonaReview::parse(&written), Ok(review));
        let none = WHOLE.replace("true", "false");
        assert!(!PersonaReview::parse(&none).unwrap().has_security_critical_issue());
    }

    #[test]
    fn an_error_names_the_path_of_the_wrong_member() {
        let broken = |from: &str, to: &str| {
            assert!(WHOLE.contains(from), "{from}");
            PersonaReview::parse_answer(&WHOLE.replace(from, to), "critic", "Critic").unwrap_err().to_string()
        };
        assert_eq!(broken("0.5", "1.01"), "confidence_score must be from 0 to 1");
        assert_eq!(broken("0.5", "-0.1"), "confidence_score must be from 0 to 1");
        assert_eq!(broken("0.5", r#""high""#), "confidence_score must be a number");
        assert_eq!(broken(r#""confidence_score":0.5,"#, ""), "confidence_score is missing");
        assert_eq!(broken(r#","is_blocking":false"#, ""), "concerns[0].is_blocking is missing");
        assert_eq!(broken("false", r#""no""#), "concerns[0].is_blocking must be a boolean");
        assert_eq!(broken(r#"{"text":"b"}"#, r#"{"text":" "}"#), "blocking_issues[0].text must not be empty");
        assert_eq!(broken(r#"{"days":3}"#, "3"), "estimated_effort must be a text or an object");
        assert_eq!(broken(r#""d","#, r#""","#), "dependency_risks[0] must not be empty");
        assert_eq!(broken(" critic ", "optimist"), "persona_id must be critic, the persona that was asked");
        assert_eq!(broken("Critic", "Optimist"), "persona_name must be Critic");
    }
}
