//! What a person changed in a proposal before it is revised.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::context::{check_note, object_of_at_most};
use super::expanded::{ExpandedProposal, ProposalSection};
use super::member::InvalidMember;

/// The most characters of an edited proposal, of an object those of its JSON.
pub const MAX_EDIT_CHARS: usize = 100_000;

/// An edited proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum ProposalEdit {
    /// A text in the words of its author.
    Text(String),
    /// New content for some sections. The others stay as they are.
    Sections(Map<String, Value>),
}

impl ProposalEdit {
    /// Checks the member `edited_proposal` of a request. A blank text and an object without sections count as none.
    pub fn parse(given: Option<Value>) -> Result<Option<Self>, InvalidMember> {
        const PATH: &str = "edited_proposal";
        match given {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(check_note(PATH, Some(text), MAX_EDIT_CHARS)?.map(Self::Text)),
            Some(Value::Object(sections)) => {
                let sections = object_of_at_most(PATH, sections, MAX_EDIT_CHARS)?;
                for name in sections.keys() {
                    if !ProposalSection::ALL.iter().any(|section| section.as_str() == name) {
                        let known = ProposalSection::ALL.map(ProposalSection::as_str).join(", ");
                        let problem = format!("is not a section of a proposal; use {known}");
                        return Err(InvalidMember::at(format!("{PATH}.{name}"), problem));
                    }
                }
                Ok((!sections.is_empty()).then_some(Self::Sections(sections)))
            }
            Some(_) => Err(InvalidMember::at(PATH, "must be a text or an object")),
        }
    }

    /// The proposal with its edited sections. None if the edit is a text, which only a reader can apply.
    pub fn apply_to(&self, proposal: &ExpandedProposal) -> Result<Option<ExpandedProposal>, InvalidMember> {
        let Self::Sections(sections) = self else { return Ok(None) };
        let mut whole = proposal_members(proposal);
        whole.extend(sections.clone());
        let edited = ExpandedProposal::parse(&Value::Object(whole).to_string());
        edited.map(Some).map_err(|error| error.inside("edited_proposal"))
    }
}

fn proposal_members(proposal: &ExpandedProposal) -> Map<String, Value> {
    match serde_json::to_value(proposal) {
        Ok(Value::Object(members)) => members,
        // A proposal is always an object.
        _ => Map::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn proposal() -> ExpandedProposal {
        let json = r#"{"problem_statement":"P","proposed_solution":"S","assumptions":["a"],"scope_non_goals":[],
            "title":"T","metadata":{"k":1}}"#;
        ExpandedProposal::parse(json).unwrap()
    }

    /// Proves R156.
    #[test]
    fn edited_sections_replace_those_of_the_proposal_and_the_others_stay() {
        let edit =
            ProposalEdit::parse(Some(json!({"proposed_solution": " Better ", "title": null}))).unwrap();
        let edited = edit.unwrap().apply_to(&proposal()).unwrap().unwrap();
        let expected = ExpandedProposal { proposed_solution: "Better".to_owned(), title: None, ..proposal() };
        assert_eq!(edited, expected);
        let text = ProposalEdit::parse(Some(json!(" make it cheaper "))).unwrap().unwrap();
        assert_eq!(text, ProposalEdit::Text("make it cheaper".to_owned()));
        assert_eq!(text.apply_to(&proposal()), Ok(None));
    }

    #[test]
    fn what_is_no_section_or_has_the_wrong_form_is_named() {
        let refused = |value: Value| match ProposalEdit::parse(Some(value)) {
            Ok(Some(edit)) => edit.apply_to(&proposal()).unwrap_err().to_string(),
            other => other.unwrap_err().to_string(),
        };
        assert!(refused(json!({"solution": "x"})).starts_with("edited_proposal.solution is not a section"));
        assert_eq!(
            refused(json!({"assumptions": ["a", " "]})),
            "edited_proposal.assumptions[1] must not be empty"
        );
        assert_eq!(
            refused(json!({"problem_statement": null})),
            "edited_proposal.problem_statement is missing"
        );
        assert_eq!(refused(json!(3)), "edited_proposal must be a text or an object");
        assert!(refused(json!("x".repeat(100_001))).contains("the limit is 100000"));
        assert_eq!(ProposalEdit::parse(Some(json!({}))), Ok(None));
        assert_eq!(ProposalEdit::parse(Some(json!(" "))), Ok(None));
    }
}
