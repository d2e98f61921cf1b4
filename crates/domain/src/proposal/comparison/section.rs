//! What changed in the sections of a proposal.

use serde::Serialize;
use similar::TextDiff;

use super::super::expanded::{ExpandedProposal, ProposalSection};

/// Unchanged lines around each change.
const CONTEXT_LINES: usize = 3;
/// The most lines of a diff that are shown.
const MAX_DIFF_LINES: usize = 50;

/// What changed in a proposal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // One for each comparison; the large one is the usual one.
pub enum ProposalChanges {
    /// Both runs have a proposal.
    Compared(SectionChanges),
    /// At least one of them has none.
    Missing {
        /// Which: `both_missing`, `run1_missing` or `run2_missing`.
        status: &'static str,
    },
}

/// What changed in each section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[allow(missing_docs)] // The names are the documentation.
pub struct SectionChanges {
    pub title: SectionChange,
    pub summary: SectionChange,
    pub problem_statement: SectionChange,
    pub proposed_solution: SectionChange,
    pub assumptions: SectionChange,
    pub scope_non_goals: SectionChange,
}

/// What happened to a section.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names are the documentation.
pub enum SectionStatus {
    Unchanged,
    Added,
    Removed,
    Modified,
}

/// What changed in a section.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SectionChange {
    /// What happened to it.
    pub status: SectionStatus,
    /// The changed lines as a unified diff, if it was modified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diff: Option<String>,
    /// Its characters before, if it was modified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub old_length: Option<usize>,
    /// Its characters now, if it was modified.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub new_length: Option<usize>,
}

impl ProposalChanges {
    /// Compares two proposals.
    pub fn between(before: Option<&ExpandedProposal>, after: Option<&ExpandedProposal>) -> Self {
        let (before, after) = match (before, after) {
            (Some(before), Some(after)) => (before, after),
            (None, None) => return Self::Missing { status: "both_missing" },
            (None, Some(_)) => return Self::Missing { status: "run1_missing" },
            (Some(_), None) => return Self::Missing { status: "run2_missing" },
        };
        let change =
            |section| SectionChange::between(&before.section_text(section), &after.section_text(section));
        Self::Compared(SectionChanges {
            title: change(ProposalSection::Title),
            summary: change(ProposalSection::Summary),
            problem_statement: change(ProposalSection::ProblemStatement),
            proposed_solution: change(ProposalSection::ProposedSolution),
            assumptions: change(ProposalSection::Assumptions),
            scope_non_goals: change(ProposalSection::ScopeNonGoals),
        })
    }
}

impl SectionChange {
    fn between(before: &str, after: &str) -> Self {
        let status = match (before.is_empty(), after.is_empty()) {
            _ if before == after => SectionStatus::Unchanged,
            (true, _) => SectionStatus::Added,
            (_, true) => SectionStatus::Removed,
            _ => SectionStatus::Modified,
        };
        if status != SectionStatus::Modified {
            return Self { status, diff: None, old_length: None, new_length: None };
        }
        Self {
            status,
            diff: Some(unified_diff(before, after)),
            old_length: Some(before.chars().count()),
            new_length: Some(after.chars().count()),
        }
    }
}

/// The changed lines with those around them. A long diff is cut, and its last line tells how much is missing.
fn unified_diff(before: &str, after: &str) -> String {
    let diff = TextDiff::from_lines(before, after);
    let unified = diff.unified_diff().context_radius(CONTEXT_LINES).missing_newline_hint(false).to_string();
    let lines: Vec<&str> = unified.lines().collect();
    match lines.split_at_checked(MAX_DIFF_LINES) {
        Some((shown, rest)) if !rest.is_empty() => {
            format!("{}\n... ({} more lines)", shown.join("\n"), rest.len())
        }
        _ => lines.join("\n"),
    }
}
