//! `GET /app/proposals/{first}/compare/{second}`: two runs beside each other, with their differences.

use std::sync::Arc;

use askama::Template;
use axum::extract::{Path, State};
use axum::response::Response;
use quire_application::App;
use quire_application::proposal::{self, ProposalRun};
use quire_domain::RunId;
use quire_domain::proposal::{
    PersonaDelta, ProposalChanges, ProposalSection, SectionChange, SectionChanges, SectionStatus,
};

use super::{heading, load_frame, number, persona_name, section_name, verdict};
use crate::ApiError;
use crate::pages::frame::{Frame, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::uuid;

#[derive(Template)]
#[template(path = "proposals/compare.html")]
struct ComparePage {
    frame: Frame,
    sides: [Side; 2],
    /// The difference of the weighted confidence.
    delta: Option<String>,
    sections: Vec<SectionRow>,
    personas: Vec<PersonaRow>,
}

/// One of the two runs.
struct Side {
    id: String,
    heading: String,
    created: Moment,
    decision: Option<((&'static str, &'static str), String)>,
    notes: Option<String>,
}

struct SectionRow {
    name: &'static str,
    status: &'static str,
    is_changed: bool,
    /// The text in both runs.
    texts: [String; 2],
    /// Its lines, if a part of it has changed.
    diff: Vec<DiffLine>,
}

/// A line of a unified diff.
#[derive(Debug, PartialEq, Eq)]
struct DiffLine {
    kind: DiffKind,
    text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DiffKind {
    Added,
    Removed,
    Same,
}

struct PersonaRow {
    name: String,
    before: String,
    after: String,
    delta: String,
    /// Whether there are blocking issues, in both runs.
    blocking: [&'static str; 2],
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Path((first, second)): Path<(String, String)>,
) -> Result<Response, ApiError> {
    let (first, second) = (RunId(uuid("first", &first)?), RunId(uuid("second", &second)?));
    let compared = proposal::compare(&app, first, second).await?;
    let runs = [proposal::show(&app, first).await?.proposal, proposal::show(&app, second).await?.proposal];
    let frame = load_frame(&app, visitor).await?;
    let words = frame.words();
    let sections = match &compared.proposal_changes {
        ProposalChanges::Compared(changes) => sections(changes, &runs, words),
        ProposalChanges::Missing { .. } => Vec::new(),
    };
    page(&ComparePage {
        delta: compared.decision_delta.delta.map(|delta| signed(delta, 4, words)),
        sections,
        personas: compared.persona_deltas.iter().map(|delta| PersonaRow::of(delta, words)).collect(),
        sides: runs.map(|run| Side::of(run, words)),
        frame,
    })
}

impl Side {
    fn of(run: ProposalRun, words: &'static Words) -> Self {
        let title = run.version.as_ref().and_then(|version| version.proposal.title.as_deref());
        let decision = run.decision.as_ref();
        Self {
            id: run.run.id.to_string(),
            heading: heading(title, &run.request.input_idea),
            created: Moment::of(run.run.created_at),
            decision: decision
                .map(|one| (verdict(one.decision, words), number(one.overall_weighted_confidence, 4, words))),
            notes: run.request.edit_notes,
        }
    }
}

fn sections(changes: &SectionChanges, runs: &[ProposalRun; 2], words: &'static Words) -> Vec<SectionRow> {
    let row = |section: ProposalSection| {
        let change = change(changes, section);
        let text = |run: &ProposalRun| {
            run.version.as_ref().map(|version| version.proposal.section_text(section)).unwrap_or_default()
        };
        let status = match change.status {
            SectionStatus::Unchanged => "proposals.unchanged",
            SectionStatus::Added => "proposals.added",
            SectionStatus::Removed => "proposals.removed",
            SectionStatus::Modified => "proposals.modified",
        };
        SectionRow {
            name: section_name(section, words),
            status: words.get(status),
            is_changed: change.status != SectionStatus::Unchanged,
            texts: [text(&runs[0]), text(&runs[1])],
            diff: change.diff.as_deref().map(diff_lines).unwrap_or_default(),
        }
    };
    ProposalSection::ALL.map(row).into()
}

fn change(changes: &SectionChanges, section: ProposalSection) -> &SectionChange {
    match section {
        ProposalSection::Title => &changes.title,
        ProposalSection::Summary => &changes.summary,
        ProposalSection::ProblemStatement => &changes.problem_statement,
        ProposalSection::ProposedSolution => &changes.proposed_solution,
        ProposalSection::Assumptions => &changes.assumptions,
        ProposalSection::ScopeNonGoals => &changes.scope_non_goals,
    }
}

/// The lines of a unified diff, without its header.
fn diff_lines(diff: &str) -> Vec<DiffLine> {
    let lines = diff.lines().filter(|line| !line.starts_with("@@"));
    let line = |line: &str| {
        let kinds = [("+", DiffKind::Added), ("-", DiffKind::Removed), (" ", DiffKind::Same)];
        let marked = kinds.iter().find_map(|(mark, kind)| Some((*kind, line.strip_prefix(mark)?)));
        // The last line may say how many more there are.
        let (kind, text) = marked.unwrap_or((DiffKind::Same, line));
        DiffLine { kind, text: text.to_owned() }
    };
    lines.map(line).collect()
}

impl PersonaRow {
    fn of(delta: &PersonaDelta, words: &'static Words) -> Self {
        let score = |score: Option<f64>| score.map_or("—".to_owned(), |score| number(score, 2, words));
        let blocks = |blocks: Option<bool>| match blocks {
            Some(true) => words.get("proposals.yes"),
            Some(false) => words.get("proposals.no"),
            None => "—",
        };
        Self {
            name: persona_name(&delta.persona_id, &delta.persona_name, words),
            before: score(delta.old_confidence),
            after: score(delta.new_confidence),
            delta: delta.confidence_delta.map_or("—".to_owned(), |delta| signed(delta, 2, words)),
            blocking: [blocks(delta.blocking_issues_before), blocks(delta.blocking_issues_after)],
        }
    }
}

/// A difference with its sign.
fn signed(value: f64, decimals: usize, words: &Words) -> String {
    let sign = if value > 0.0 { "+" } else { "" };
    format!("{sign}{}", number(value, decimals, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unified_diff_becomes_lines_that_were_added_removed_or_kept() {
        let lines = diff_lines("@@ -1,2 +1,2 @@\n same\n-old\n+new\n... (3 more lines)");
        let shown: Vec<_> = lines.iter().map(|line| (line.kind, line.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                (DiffKind::Same, "same"),
                (DiffKind::Removed, "old"),
                (DiffKind::Added, "new"),
                (DiffKind::Same, "... (3 more lines)"),
            ]
        );
    }
}
