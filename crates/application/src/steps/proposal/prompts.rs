//! The prompts for the models, as files. Their version is [`SemanticVersion::PROMPT_SET`]; changing a file is a new version, and a
//! test compares the files with the version.

use quire_domain::proposal::{
    ExpandedProposal, GENERIC_REVIEWER_ID, GENERIC_REVIEWER_NAME, Persona, ProposalEdit, ProposalSection,
    cut_list, cut_text,
};
use quire_ports::{ChatMessage, ChatRole, ProposalRequest};

/// What the reviewer without a persona looks at.
const GENERIC_FOCUS: &str = "the whole proposal";

/// The JSON Schema of an expanded proposal.
pub(super) const PROPOSAL_SCHEMA: &str = include_str!("prompts/expanded_proposal.schema.json");
/// The JSON Schema of a review.
pub(super) const REVIEW_SCHEMA: &str = include_str!("prompts/persona_review.schema.json");

const EXPAND: &str = include_str!("prompts/expand.md");
const REVISE: &str = include_str!("prompts/revise.md");
const REVIEW: &str = include_str!("prompts/review.md");

/// Who reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reviewer {
    /// One of the five.
    Persona(Persona),
    /// The only reviewer of a draft.
    Generic,
}

impl Reviewer {
    pub(super) fn id(self) -> &'static str {
        match self {
            Self::Persona(persona) => persona.id(),
            Self::Generic => GENERIC_REVIEWER_ID,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Persona(persona) => persona.name(),
            Self::Generic => GENERIC_REVIEWER_NAME,
        }
    }

    fn focus(self) -> &'static str {
        match self {
            Self::Persona(persona) => persona.focus(),
            Self::Generic => GENERIC_FOCUS,
        }
    }

    /// How this reviewer looks at a proposal.
    fn stance(self) -> &'static str {
        match self {
            Self::Persona(Persona::Architect) => include_str!("prompts/personas/architect.md"),
            Self::Persona(Persona::Critic) => include_str!("prompts/personas/critic.md"),
            Self::Persona(Persona::Optimist) => include_str!("prompts/personas/optimist.md"),
            Self::Persona(Persona::SecurityGuardian) => include_str!("prompts/personas/security_guardian.md"),
            Self::Persona(Persona::UserAdvocate) => include_str!("prompts/personas/user_advocate.md"),
            Self::Generic => include_str!("prompts/personas/generic_reviewer.md"),
        }
    }
}

/// Asks for the expansion of an idea.
pub(super) fn expand(request: &ProposalRequest) -> Vec<ChatMessage> {
    conversation(EXPAND.to_owned(), &idea(request))
}

/// Asks for the expansion of an idea whose earlier proposal a person has edited.
pub(super) fn revise(
    request: &ProposalRequest,
    earlier: &ExpandedProposal,
    edited: Option<&ExpandedProposal>,
) -> Vec<ChatMessage> {
    let mut parts = idea(request);
    parts.push(("Earlier proposal", whole(earlier)));
    match (&request.edited_proposal, edited) {
        (Some(ProposalEdit::Text(text)), _) => parts.push(("Edited proposal", text.clone())),
        (Some(ProposalEdit::Sections(sections)), Some(edited)) => {
            let names: Vec<&str> = sections.keys().map(String::as_str).collect();
            parts.push(("Edited sections", names.join(", ")));
            parts.push(("Edited proposal", whole(edited)));
        }
        _ => {}
    }
    parts.extend(request.edit_notes.clone().map(|notes| ("Notes", notes)));
    conversation(REVISE.to_owned(), &parts)
}

/// Asks for a review. Long proposals are cut.
pub(super) fn review(reviewer: Reviewer, proposal: &ExpandedProposal) -> Vec<ChatMessage> {
    let instructions = REVIEW
        .replace("{persona_name}", reviewer.name())
        .replace("{persona_id}", reviewer.id())
        .replace("{focus}", reviewer.focus())
        .replace("{stance}", reviewer.stance().trim());
    let cut = |section| cut_text(&proposal.section_text(section));
    let parts = [
        ("Title", cut(ProposalSection::Title)),
        ("Summary", cut(ProposalSection::Summary)),
        ("Problem", cut(ProposalSection::ProblemStatement)),
        ("Solution", cut(ProposalSection::ProposedSolution)),
        ("Assumptions", cut_list(&proposal.assumptions)),
        ("Not in scope", cut_list(&proposal.scope_non_goals)),
    ];
    conversation(instructions, &parts)
}

fn idea(request: &ProposalRequest) -> Vec<(&'static str, String)> {
    let context = request.extra_context.as_ref().map(|context| ("Context", context.to_prompt()));
    [("Idea", request.input_idea.clone())].into_iter().chain(context).collect()
}

/// Every section of a proposal, uncut.
fn whole(proposal: &ExpandedProposal) -> String {
    let section = |section: &ProposalSection| (section.as_str(), proposal.section_text(*section));
    let sections: Vec<_> =
        ProposalSection::ALL.iter().map(section).filter(|(_, text)| !text.is_empty()).collect();
    sections.iter().map(|(name, text)| format!("{name}:\n{text}")).collect::<Vec<_>>().join("\n\n")
}

fn conversation(instructions: String, parts: &[(&str, String)]) -> Vec<ChatMessage> {
    let parts: Vec<String> = parts
        .iter()
        .filter(|(_, text)| !text.is_empty())
        .map(|(name, text)| format!("=== {name} ===\n{text}"))
        .collect();
    vec![
        ChatMessage { role: ChatRole::System, text: instructions },
        ChatMessage { role: ChatRole::User, text: parts.join("\n\n") },
    ]
}

#[cfg(test)]
mod tests {
    use quire_domain::hex;
    use quire_domain::proposal::SemanticVersion;
    use sha2::{Digest as _, Sha256};

    use super::*;

    /// The checksum of the prompts of each version. A changed prompt needs a new version and a new line here.
    const CHECKSUMS: [(SemanticVersion, &str); 1] =
        [(SemanticVersion(1, 0, 0), "129501d1465ebc880e6277f7fd7995d47deb4b8aadd420cbf0d84fe8b46d37be")];

    fn all_files() -> String {
        let reviewers = Persona::ALL.map(Reviewer::Persona).into_iter().chain([Reviewer::Generic]);
        let stances: Vec<&str> = reviewers.map(Reviewer::stance).collect();
        [EXPAND, REVISE, REVIEW, PROPOSAL_SCHEMA, REVIEW_SCHEMA, &stances.join("\n")].join("\n===\n")
    }

    #[test]
    fn a_changed_prompt_has_a_new_version() {
        let (version, checksum) = CHECKSUMS[CHECKSUMS.len() - 1];
        assert_eq!(version, SemanticVersion::PROMPT_SET, "add the checksum of the new version");
        let actual = hex(&Sha256::digest(all_files()));
        assert_eq!(
            actual, checksum,
            "a prompt was changed: raise SemanticVersion::PROMPT_SET and add its checksum"
        );
    }

    #[test]
    fn each_reviewer_is_told_who_it_is_and_no_placeholder_is_left() {
        let proposal = ExpandedProposal::parse(
            r#"{"problem_statement":"P","proposed_solution":"S","assumptions":["a"],"scope_non_goals":[]}"#,
        )
        .unwrap();
        for reviewer in Persona::ALL.map(Reviewer::Persona).into_iter().chain([Reviewer::Generic]) {
            let messages = review(reviewer, &proposal);
            let instructions = &messages[0].text;
            for part in [reviewer.id(), reviewer.name(), reviewer.focus(), reviewer.stance().trim()] {
                assert!(instructions.contains(part), "{part}");
            }
            assert!(!instructions.contains('{') && !instructions.contains('}'), "{instructions}");
            assert_eq!(
                messages[1].text,
                "=== Problem ===\nP\n\n=== Solution ===\nS\n\n=== Assumptions ===\n- a"
            );
        }
    }

    #[test]
    fn the_schemas_are_objects_whose_members_are_all_required_and_closed() {
        for schema in [PROPOSAL_SCHEMA, REVIEW_SCHEMA] {
            let schema: serde_json::Value = serde_json::from_str(schema).unwrap();
            let members: Vec<_> = schema["properties"].as_object().unwrap().keys().collect();
            let mut required: Vec<_> =
                schema["required"].as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect();
            required.sort_unstable();
            assert_eq!(members, required);
            assert_eq!(schema["additionalProperties"], false);
        }
    }
}
