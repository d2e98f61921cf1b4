//! The expanded proposal: what a model makes of an idea.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::member::{InvalidMember, optional_text, parse, required_text, storable_object, texts};

/// An idea, expanded. Texts are trimmed and not empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "UncheckedProposal")]
pub struct ExpandedProposal {
    /// A short name.
    pub title: Option<String>,
    /// One paragraph.
    pub summary: Option<String>,
    /// The problem to solve.
    pub problem_statement: String,
    /// How to solve it.
    pub proposed_solution: String,
    /// What is taken for granted.
    pub assumptions: Vec<String>,
    /// What the proposal does not try to do.
    pub scope_non_goals: Vec<String>,
    /// The idea, as it was given.
    pub raw_idea: Option<String>,
    /// The text from which the proposal was made.
    pub raw_expanded_proposal: Option<String>,
    /// More about how it was made. No rule reads it.
    pub metadata: Option<Map<String, Value>>,
}

/// A part of a proposal that people compare and edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // The names are the documentation.
pub enum ProposalSection {
    Title,
    Summary,
    ProblemStatement,
    ProposedSolution,
    Assumptions,
    ScopeNonGoals,
}

impl ProposalSection {
    /// All sections, in the order in which they are shown.
    pub const ALL: [Self; 6] = [
        Self::Title,
        Self::Summary,
        Self::ProblemStatement,
        Self::ProposedSolution,
        Self::Assumptions,
        Self::ScopeNonGoals,
    ];

    /// The name of its member.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Summary => "summary",
            Self::ProblemStatement => "problem_statement",
            Self::ProposedSolution => "proposed_solution",
            Self::Assumptions => "assumptions",
            Self::ScopeNonGoals => "scope_non_goals",
        }
    }
}

impl ExpandedProposal {
    /// Parses and checks a proposal. Members that a proposal does not have are ignored.
    pub fn parse(json: &str) -> Result<Self, InvalidMember> {
        parse::<UncheckedProposal>(json)?.try_into()
    }

    /// The content of a section as JSON: a text, a list of texts, or null.
    pub fn section(&self, section: ProposalSection) -> Value {
        match section {
            ProposalSection::Title => self.title.clone().into(),
            ProposalSection::Summary => self.summary.clone().into(),
            ProposalSection::ProblemStatement => self.problem_statement.clone().into(),
            ProposalSection::ProposedSolution => self.proposed_solution.clone().into(),
            ProposalSection::Assumptions => self.assumptions.clone().into(),
            ProposalSection::ScopeNonGoals => self.scope_non_goals.clone().into(),
        }
    }

    /// The content of a section as lines of text. Empty if there is none.
    pub fn section_text(&self, section: ProposalSection) -> String {
        match section {
            ProposalSection::Title => self.title.clone().unwrap_or_default(),
            ProposalSection::Summary => self.summary.clone().unwrap_or_default(),
            ProposalSection::ProblemStatement => self.problem_statement.clone(),
            ProposalSection::ProposedSolution => self.proposed_solution.clone(),
            ProposalSection::Assumptions => self.assumptions.join("\n"),
            ProposalSection::ScopeNonGoals => self.scope_non_goals.join("\n"),
        }
    }
}

/// A proposal whose values are not checked yet.
#[derive(Deserialize)]
struct UncheckedProposal {
    title: Option<String>,
    summary: Option<String>,
    problem_statement: Option<String>,
    proposed_solution: Option<String>,
    assumptions: Option<Vec<String>>,
    scope_non_goals: Option<Vec<String>>,
    raw_idea: Option<String>,
    raw_expanded_proposal: Option<String>,
    metadata: Option<Map<String, Value>>,
}

impl TryFrom<UncheckedProposal> for ExpandedProposal {
    type Error = InvalidMember;

    fn try_from(given: UncheckedProposal) -> Result<Self, InvalidMember> {
        if let Some(metadata) = &given.metadata {
            storable_object("metadata", metadata)?;
        }
        Ok(Self {
            title: optional_text("title", given.title)?,
            summary: optional_text("summary", given.summary)?,
            problem_statement: required_text("problem_statement", given.problem_statement)?,
            proposed_solution: required_text("proposed_solution", given.proposed_solution)?,
            assumptions: texts("assumptions", given.assumptions)?,
            scope_non_goals: texts("scope_non_goals", given.scope_non_goals)?,
            raw_idea: optional_text("raw_idea", given.raw_idea)?,
            raw_expanded_proposal: optional_text("raw_expanded_proposal", given.raw_expanded_proposal)?,
            metadata: given.metadata,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: &str = r#"{"problem_statement":" P ","proposed_solution":"S","assumptions":[" a "],
        "scope_non_goals":[],"title":"  ","summary":" short ","unknown":1}"#;

    #[test]
    fn texts_are_trimmed_blank_optional_ones_become_null_and_what_is_written_can_be_read() {
        let proposal = ExpandedProposal::parse(WHOLE).unwrap();
        assert_eq!(proposal.problem_statement, "P");
        assert_eq!(proposal.assumptions, ["a"]);
        assert_eq!((proposal.title.clone(), proposal.summary.as_deref()), (None, Some("short")));
        let written = serde_json::to_string(&proposal).unwrap();
        assert!(written.contains(r#""title":null"#) && !written.contains("unknown"), "{written}");
        assert_eq!(ExpandedProposal::parse(&written), Ok(proposal.clone()));
        assert_eq!(serde_json::from_str::<ExpandedProposal>(&written).unwrap(), proposal);
    }

    #[test]
    fn an_error_names_the_path_of_the_wrong_member_and_does_not_quote_it() {
        let broken = |from: &str, to: &str| {
            assert!(WHOLE.contains(from));
            ExpandedProposal::parse(&WHOLE.replace(from, to)).unwrap_err().to_string()
        };
        assert_eq!(
            broken(r#""P""#.replace('P', " P ").as_str(), r#""  ""#),
            "problem_statement must not be empty"
        );
        assert_eq!(broken(r#""proposed_solution":"S","#, ""), "proposed_solution is missing");
        assert_eq!(broken(r#""S""#, "null"), "proposed_solution is missing");
        assert_eq!(broken(r#"[" a "]"#, r#"["secret", 7]"#), "assumptions[1] must be a string");
        assert_eq!(broken(r#"[" a "]"#, r#"["b", ""]"#), "assumptions[1] must not be empty");
        assert_eq!(broken(r#"[" a "]"#, r#""secret""#), "assumptions must be a list");
        assert_eq!(broken("[]", r#"["\u0000"]"#), "scope_non_goals[0] must not contain the character NUL");
        assert_eq!(broken("}", ""), ". is not complete JSON");
        assert_eq!(broken("}", "} x"), ". must be one JSON value, and nothing after it");
        assert_eq!(ExpandedProposal::parse("[]").unwrap_err().to_string(), ". must be an object");
        assert!(serde_json::from_str::<ExpandedProposal>(&WHOLE.replace("\"S\"", "\"\"")).is_err());
    }
}
