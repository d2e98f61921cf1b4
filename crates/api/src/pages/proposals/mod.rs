//! The pages of proposals: send in an idea, follow its steps, read the decision, revise it, compare two runs.

pub(crate) mod compare;
pub(crate) mod list;
mod review;
pub(crate) mod show;

use quire_application::{App, events};
use quire_domain::proposal::{ProposalSection, Verdict};

use super::frame::{Frame, NavigationItem};
use super::visitor::Visitor;
use super::words::Words;
use crate::ApiError;

/// Characters of a text that stands for a whole idea.
const SHORT_IDEA: usize = 100;

async fn load_frame(app: &App, visitor: Visitor) -> Result<Frame, ApiError> {
    let newest = events::newest(app).await?;
    Ok(Frame::new(visitor, NavigationItem::Proposals, &["proposals", "runs"], newest))
}

/// The name of a verdict for people, and its tone.
fn verdict(verdict: Verdict, words: &'static Words) -> (&'static str, &'static str) {
    let (name, tone) = match verdict {
        Verdict::Approve => ("proposals.approve", "reviewed"),
        Verdict::Revise => ("proposals.revise", "waiting"),
        Verdict::Reject => ("proposals.reject", "error"),
    };
    (words.get(name), tone)
}

/// The name of a section for people.
fn section_name(section: ProposalSection, words: &'static Words) -> &'static str {
    words.get(match section {
        ProposalSection::Title => "proposals.section_title",
        ProposalSection::Summary => "proposals.section_summary",
        ProposalSection::ProblemStatement => "proposals.section_problem",
        ProposalSection::ProposedSolution => "proposals.section_solution",
        ProposalSection::Assumptions => "proposals.section_assumptions",
        ProposalSection::ScopeNonGoals => "proposals.section_non_goals",
    })
}

/// The name of a persona for people.
fn persona_name(id: &str, name: &str, words: &Words) -> String {
    words.find(&["proposals.persona_", id].concat()).unwrap_or(name).to_owned()
}

/// A number with this many decimals, as the language writes it.
fn number(value: f64, decimals: usize, words: &Words) -> String {
    format!("{value:.decimals$}").replace('.', words.get("frame.decimal_mark"))
}

/// The title of a proposal, or else the beginning of its idea.
fn heading(title: Option<&str>, idea: &str) -> String {
    let text = title.unwrap_or(idea);
    let short: String = text.chars().take(SHORT_IDEA).collect();
    if short.len() < text.len() { format!("{short}…") } else { short }
}

#[cfg(test)]
mod tests {
    use super::super::words::Language;
    use super::*;

    #[test]
    fn a_long_idea_is_cut_between_characters() {
        assert_eq!(heading(None, "Ideas."), "Ideas.");
        assert_eq!(heading(Some("Title"), "Ideas."), "Title");
        assert_eq!(heading(None, &"ñ".repeat(101)), format!("{}…", "ñ".repeat(100)));
    }

    #[test]
    fn numbers_and_personas_are_written_in_the_language_of_the_reader() {
        let (english, spanish) = (Language::English.words(), Language::Spanish.words());
        assert_eq!((number(0.7875, 4, english), number(0.8, 2, spanish)), ("0.7875".into(), "0,80".into()));
        assert_eq!(persona_name("critic", "Critic", spanish), "Crítico");
        assert_eq!(persona_name("other", "Other", spanish), "Other");
    }
}
