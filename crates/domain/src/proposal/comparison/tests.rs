//! Comparisons of runs.

use jiff::Timestamp;
use serde_json::{Value, json};

use super::super::aggregate::aggregate;
use super::*;

fn proposal(title: Option<&str>, solution: &str, assumptions: &[&str]) -> ExpandedProposal {
    let json = json!({"title": title, "problem_statement": "P", "proposed_solution": solution,
        "assumptions": assumptions, "scope_non_goals": []});
    serde_json::from_value(json).unwrap()
}

fn review(id: &str, score: f64, security: Option<bool>) -> PersonaReview {
    let issues: Vec<Value> =
        security.iter().map(|critical| json!({"text": "b", "security_critical": critical})).collect();
    let json = json!({"persona_id": id, "persona_name": id, "confidence_score": score, "strengths": [],
        "concerns": [], "recommendations": [], "blocking_issues": issues, "estimated_effort": "e",
        "dependency_risks": []});
    serde_json::from_value(json).unwrap()
}

fn run(id: RunId) -> ComparedRun<'static> {
    let created_at = Timestamp::UNIX_EPOCH;
    ComparedRun { id, created_at, parent: None, proposal: None, reviews: &[], decision: None }
}

fn compared(first: ComparedRun<'_>, second: ComparedRun<'_>) -> Value {
    serde_json::to_value(compare_runs(first, second)).unwrap()
}

/// Proves R158.
#[test]
fn the_relationship_tells_which_run_revises_which() {
    let (a, b) = (RunId::new(), RunId::new());
    let child = ComparedRun { parent: Some(a), ..run(b) };
    let metadata = |first, second| compared(first, second)["metadata"].clone();
    assert_eq!(metadata(run(a), child)["relationship"], "run1_is_parent_of_run2");
    assert_eq!(metadata(child, run(a))["relationship"], "run2_is_parent_of_run1");
    assert_eq!(metadata(child, run(a))["is_parent_child"], true);
    assert_eq!(metadata(run(a), run(b))["relationship"], "unrelated");
    assert_eq!(metadata(run(a), run(b))["run2_created_at"], "1970-01-01T00:00:00Z");
}

/// Proves R158.
#[test]
fn sections_are_unchanged_added_removed_or_modified_with_a_unified_diff() {
    let before = proposal(None, "1\n2\n3\n4\n5\nold\n7\n8\n9\n10", &["a"]);
    let after = proposal(Some("New"), "1\n2\n3\n4\n5\nnéw\n7\n8\n9\n10", &[]);
    let (a, b) = (RunId::new(), RunId::new());
    let changes = compared(
        ComparedRun { proposal: Some(&before), ..run(a) },
        ComparedRun { proposal: Some(&after), ..run(b) },
    )["proposal_changes"]
        .clone();
    assert_eq!(changes["title"], json!({"status": "added"}));
    assert_eq!(changes["summary"], json!({"status": "unchanged"}));
    assert_eq!(changes["assumptions"], json!({"status": "removed"}));
    let expected = "@@ -3,7 +3,7 @@\n 3\n 4\n 5\n-old\n+néw\n 7\n 8\n 9";
    let modified = json!({"status": "modified", "diff": expected, "old_length": 22, "new_length": 22});
    assert_eq!(changes["proposed_solution"], modified);
    let status = |first, second| compared(first, second)["proposal_changes"]["status"].clone();
    let with = |id| ComparedRun { proposal: Some(&before), ..run(id) };
    assert_eq!(status(run(a), run(b)), "both_missing");
    assert_eq!(status(run(a), with(b)), "run1_missing");
    assert_eq!(status(with(a), run(b)), "run2_missing");
}

/// Proves R158.
#[test]
fn a_diff_of_more_than_fifty_lines_is_cut_and_says_how_much_is_missing() {
    let lines = |word: &str| (0..40).map(|number| format!("{word} {number}")).collect::<Vec<_>>().join("\n");
    let (before, after) = (proposal(None, &lines("old"), &[]), proposal(None, &lines("new"), &[]));
    let ProposalChanges::Compared(changes) = ProposalChanges::between(Some(&before), Some(&after)) else {
        panic!("both runs have a proposal")
    };
    let diff = changes.proposed_solution.diff.unwrap();
    assert_eq!(diff.lines().count(), 51);
    assert!(diff.ends_with("\n... (31 more lines)"), "{diff}");
}

/// Proves R158: a confidence of 0 is a number, not a missing one.
#[test]
fn reviews_and_decisions_are_compared_also_at_zero() {
    let before =
        [review("critic", 0.7, None), review("architect", 0.2, Some(true)), review("optimist", 0.5, None)];
    let after = [
        review("user_advocate", 1.0, None),
        review("critic", 0.9, Some(false)),
        review("architect", 0.0, None),
    ];
    let zero = aggregate(&[review("architect", 0.0, None)]).unwrap();
    let high = aggregate(&before[..2]).unwrap();
    let first = ComparedRun { reviews: &before, decision: Some(&zero), ..run(RunId::new()) };
    let second = ComparedRun { reviews: &after, decision: Some(&high), ..run(RunId::new()) };
    let whole = compared(first, second);
    let deltas = whole["persona_deltas"].as_array().unwrap();
    let ids: Vec<_> = deltas.iter().map(|delta| delta["persona_id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["architect", "critic", "optimist", "user_advocate"]);
    assert_eq!(deltas[0]["new_confidence"], 0.0);
    assert_eq!(deltas[0]["confidence_delta"], -0.2);
    assert_eq!(
        (&deltas[0]["security_concerns_before"], &deltas[0]["security_concerns_after"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(deltas[0]["blocking_issues_changed"], true);
    assert_eq!(deltas[1]["confidence_delta"], 0.2);
    assert_eq!(deltas[1]["security_concerns_changed"], false);
    assert_eq!(
        (&deltas[2]["status"], &deltas[2]["new_confidence"]),
        (&json!("removed_in_run2"), &Value::Null)
    );
    assert_eq!(
        (&deltas[3]["status"], &deltas[3]["confidence_delta"]),
        (&json!("added_in_run2"), &Value::Null)
    );
    let decision = &whole["decision_delta"];
    assert_eq!(decision["old_weighted_confidence"], 0.0);
    assert_eq!(decision["delta"], 0.225);
    assert_eq!((&decision["old_label"], &decision["decision_changed"]), (&json!("reject"), &json!(false)));
    let missing = compared(run(RunId::new()), second);
    assert_eq!(missing["decision_delta"]["delta"], Value::Null);
    assert_eq!(missing["decision_delta"]["decision_changed"], true);
}
