//! Prints a decided proposal for people.

use std::fmt::Write as _;

use quire_application::proposal::ProposalView;
use quire_application::run::ModelUsage;
use quire_domain::proposal::{ExpandedProposal, PersonaReview, ProposalDecision};

use crate::cli::output;

/// The decision first, then the reviews, the proposal and the cost.
pub(super) fn text(view: &ProposalView) -> String {
    let run = &view.proposal;
    let reviews: Vec<&PersonaReview> = run.reviews.iter().map(|stored| &stored.review).collect();
    let parts = [
        run.decision.as_ref().map(decision),
        Some(table(&reviews)),
        run.decision.as_ref().and_then(minority_reports),
        run.version.as_ref().map(|version| proposal(&version.proposal)),
        (view.usage.calls > 0).then(|| cost(&view.usage)),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().filter(|part| !part.is_empty()).collect();
    parts.join("\n")
}

fn decision(decision: &ProposalDecision) -> String {
    format!(
        "Decision: {}, weighted confidence {:.4}\n",
        decision.decision, decision.overall_weighted_confidence
    )
}

fn table(reviews: &[&PersonaReview]) -> String {
    let rows: Vec<_> = reviews
        .iter()
        .map(|review| {
            let issues: Vec<&str> = review.blocking_issues.iter().map(|issue| issue.text.as_str()).collect();
            let is_reused = review.internal_metadata.as_ref().is_some_and(|made| made.reused);
            [
                review.persona_name.clone(),
                format!("{:.2}", review.confidence_score),
                if is_reused { "reused" } else { "" }.to_owned(),
                issues.join("; "),
            ]
        })
        .collect();
    output::table(["PERSONA", "CONFIDENCE", "REVIEW", "BLOCKING ISSUES"], &rows)
}

fn minority_reports(decision: &ProposalDecision) -> Option<String> {
    let reports = decision.minority_reports.as_ref()?;
    let mut text = String::new();
    for report in reports {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "Minority report of {}: {}", report.persona_name, report.blocking_summary);
        let _ = writeln!(text, "  {}", report.mitigation_recommendation);
    }
    Some(text)
}

fn proposal(proposal: &ExpandedProposal) -> String {
    let mut text = String::new();
    let mut section = |name: &str, content: &str| {
        if !content.is_empty() {
            let _ = writeln!(text, "{name}\n  {}", content.replace('\n', "\n  "));
        }
    };
    section("Title", proposal.title.as_deref().unwrap_or_default());
    section("Summary", proposal.summary.as_deref().unwrap_or_default());
    section("Problem", &proposal.problem_statement);
    section("Solution", &proposal.proposed_solution);
    section("Assumptions", &list(&proposal.assumptions));
    section("Not in scope", &list(&proposal.scope_non_goals));
    text
}

fn list(items: &[String]) -> String {
    items.iter().map(|item| format!("- {item}")).collect::<Vec<_>>().join("\n")
}

fn cost(usage: &ModelUsage) -> String {
    let ModelUsage { calls, tokens_in, tokens_out, .. } = usage;
    let cost = usage.cost.map_or_else(|| "cost unknown".to_owned(), |cost| format!("cost {cost:.4}"));
    format!("Model: {calls} calls, {tokens_in} tokens in, {tokens_out} out, {cost}\n")
}
