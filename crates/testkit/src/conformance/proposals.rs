//! Proposals: what was asked is kept, and what steps made is stored once.

use jiff::SignedDuration;
use quire_domain::proposal::{
    ExpandedProposal, ExtraContext, Persona, PersonaReview, ProposalDecision, ProposalDiff, ProposalEdit,
    Verdict, aggregate,
};
use quire_domain::run::apply;
use quire_domain::{
    EventType, Failure, NewRun, Pipeline, Priority, RequeuePolicy, Run, RunChange, RunId, RunState,
    RunStateName, StepAttempt, StepName, SubjectId,
};
use quire_ports::{
    PortError, ProposalFilter, ProposalRequest, ProposalResult, ProposalVersion, RunWrite, RunWriteOutcome,
    StoredReview,
};
use serde_json::{Value, json};
use uuid::Uuid;

use super::writes::{step_write, transition_write};
use crate::fixture::{StoreFixture, at, new_run, proposal_request};

/// A request with every member.
fn full_request(parent: RunId) -> ProposalRequest {
    let parsed = |value: Value| match value {
        Value::Object(members) => members,
        _ => serde_json::Map::new(),
    };
    ProposalRequest {
        parent: Some(parent),
        key_id: Some(Uuid::now_v7()),
        extra_context: ExtraContext::parse(Some(json!({"team": [1, "dós"], "text": "x"}))).unwrap(),
        temperature: 1.25,
        parameters: parsed(json!({"top_p": 0.5, "seed": 7})),
        edited_proposal: ProposalEdit::parse(Some(json!({"title": "Better"}))).unwrap(),
        edit_notes: Some("cheaper".to_owned()),
        ..proposal_request("An idea — with “quotes”.")
    }
}

fn proposal(title: &str) -> ExpandedProposal {
    let json = json!({"title": title, "summary": format!("About {title}"), "problem_statement": "P",
        "proposed_solution": "S", "assumptions": ["a"], "scope_non_goals": [], "metadata": {"k": [1.5, null]}});
    serde_json::from_value(json).unwrap()
}

fn version(title: &str) -> ProposalResult {
    ProposalResult::Version(Box::new(ProposalVersion {
        proposal: proposal(title),
        diff: Some(ProposalDiff::between(&proposal("Old"), &proposal(title), at(1))),
        persona_template_version: "1.0.0".to_owned(),
        edit_notes: Some("notes".to_owned()),
    }))
}

fn review(persona: Persona, score: f64) -> PersonaReview {
    let json = json!({"persona_id": persona.id(), "persona_name": persona.name(), "confidence_score": score,
        "strengths": ["s"], "concerns": [{"text": "c", "is_blocking": true}], "recommendations": ["r"],
        "blocking_issues": [{"text": "b", "security_critical": null}], "estimated_effort": {"days": 3},
        "dependency_risks": ["d"], "internal_metadata": {"model": "m", "reused": true}});
    serde_json::from_value(json).unwrap()
}

fn stored(persona: Persona, score: f64) -> ProposalResult {
    let prompt_parameters = serde_json::Map::from_iter([("temperature".to_owned(), json!(0.2))]);
    ProposalResult::Review(Box::new(StoredReview { review: review(persona, score), prompt_parameters }))
}

/// A decision in which every persona gave this score.
fn decision(score: f64) -> ProposalDecision {
    aggregate(&Persona::ALL.map(|persona| review(persona, score))).unwrap()
}

impl StoreFixture {
    async fn create_proposal(&self, request: &ProposalRequest, second: i64) -> Run {
        let new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
        self.store.proposals.create(&new, request, at(second)).await.unwrap()
    }

    /// Writes results with the success of a step.
    async fn write_results(
        &self,
        run: &Run,
        step: StepName,
        results: Vec<ProposalResult>,
    ) -> RunWriteOutcome {
        let write = step_write(run, &[EventType::StepSucceeded], step, at(20));
        self.store.queue.write(RunWrite { proposal: results, ..write }).await.unwrap()
    }

    /// Creates a run that completes with a decision by this score.
    async fn decided_proposal(&self, request: &ProposalRequest, second: i64, score: f64) -> Run {
        let created = self.create_proposal(request, second).await;
        let worker = self.worker(at(second)).await;
        let run = self.claim_one(worker, at(second)).await.run;
        assert_eq!(run.id, created.id);
        let decided = ProposalResult::Decision(Box::new(decision(score)));
        let results = vec![version(&request.input_idea), decided];
        assert_eq!(
            self.write_results(&run, StepName::Expand, results).await,
            RunWriteOutcome::Accepted(Vec::new())
        );
        self.store.queue.write(transition_write(&run, RunChange::Complete, at(second + 1))).await.unwrap();
        run
    }
}

/// Proves R132, R208.
pub async fn what_was_asked_is_kept_and_a_repeated_request_changes_nothing(fixture: &StoreFixture) {
    let proposals = &fixture.store.proposals;
    let parent = fixture.create_proposal(&proposal_request("First."), 0).await;
    let asked = full_request(parent.id);
    let mut new = new_run(Pipeline::Proposal, SubjectId::new(), Priority::High);
    new.requested_by = Some("alma".to_owned());
    let created = proposals.create(&new, &asked, at(5)).await.unwrap();
    assert_eq!((created.state.as_str(), created.queued_at, created.retry_count), ("QUEUED", at(5), 0));
    assert_eq!((created.priority, created.requested_by.as_deref()), (Priority::High, Some("alma")));
    let again = proposals.create(&new, &proposal_request("Another."), at(6)).await.unwrap();
    assert_eq!(again, created);
    let found = proposals.proposal(new.id).await.unwrap();
    assert_eq!((found.run, found.request), (created, asked));
    assert_eq!((found.version, found.reviews, found.decision), (None, Vec::new(), None));
    assert_eq!(fixture.count("runs").await, 2);

    let without_parent = fixture.store.proposals.proposal(parent.id).await.unwrap();
    assert_eq!(without_parent.request, proposal_request("First."));
    let document = fixture.enqueue(SubjectId::new(), at(7)).await;
    for unknown in [document, RunId::new()] {
        let missing = proposals.proposal(unknown).await;
        assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
    }
    let orphan = ProposalRequest { parent: Some(RunId::new()), ..proposal_request("Orphan.") };
    let refused = new_run(Pipeline::Proposal, SubjectId::new(), Priority::Normal);
    assert!(proposals.create(&refused, &orphan, at(8)).await.is_err());
    assert_eq!(fixture.count("runs").await, 3, "a refused request leaves no run");
}

/// Proves R152: what is written again stays as it was.
pub async fn results_are_stored_once_with_their_step_and_in_order(fixture: &StoreFixture) {
    fixture.create_proposal(&proposal_request("One."), 0).await;
    let worker = fixture.worker(at(1)).await;
    let claimed = fixture.claim_one(worker, at(2)).await;
    assert_eq!(claimed.started_steps, [StepAttempt::first(StepName::Expand)]);
    let run = claimed.run;
    let write = |step, results| fixture.write_results(&run, step, results);
    assert_eq!(write(StepName::Expand, vec![version("A")]).await, RunWriteOutcome::Accepted(Vec::new()));
    for persona in Persona::ALL.into_iter().rev() {
        write(persona.step(), vec![stored(persona, 0.8)]).await;
    }
    let decided = |score| ProposalResult::Decision(Box::new(decision(score)));
    write(StepName::AggregateDecision, vec![decided(0.8)]).await;
    let before = fixture.store.proposals.proposal(run.id).await.unwrap();
    let ids: Vec<_> = before.reviews.iter().map(|stored| stored.review.persona_id.as_str()).collect();
    assert_eq!(ids, Persona::ALL.map(Persona::id));
    assert_eq!(
        before.version.clone().map(|version| ProposalResult::Version(Box::new(version))),
        Some(version("A"))
    );
    assert_eq!(before.reviews[1].review, review(Persona::Critic, 0.8));
    assert_eq!(before.decision, Some(decision(0.8)));

    write(StepName::Expand, vec![version("B"), stored(Persona::Critic, 0.1), decided(0.1)]).await;
    assert_eq!(fixture.store.proposals.proposal(run.id).await.unwrap(), before);
    for (table, rows) in [("proposal_versions", 1), ("persona_reviews", 5), ("proposal_decisions", 1)] {
        assert_eq!(fixture.count(table).await, rows, "{table}");
    }
}

/// A worker that has lost its run stores nothing about the proposal.
pub async fn a_late_write_stores_no_result_of_a_proposal(fixture: &StoreFixture) {
    fixture.create_proposal(&proposal_request("One."), 0).await;
    let worker = fixture.worker(at(1)).await;
    let run = fixture.claim_one(worker, at(2)).await.run;
    let failure = Failure::permanent("LLM_FAILED", "no");
    let fail = RunChange::Fail { step: StepName::Expand, failure, requeue: RequeuePolicy::Never };
    fixture.store.queue.write(transition_write(&run, fail, at(3))).await.unwrap();
    let late = fixture.write_results(&run, StepName::Expand, vec![version("Late")]).await;
    assert_eq!(late, RunWriteOutcome::Refused);
    assert_eq!(fixture.count("proposal_versions").await, 0);
}

/// Proves R153: neither the request nor a worker starts it again, and what it made stays.
pub async fn a_completed_proposal_run_that_is_delivered_again_is_skipped(fixture: &StoreFixture) {
    let held = fixture.decided_proposal(&proposal_request("First."), 0, 0.9).await;
    let before = fixture.store.proposals.proposal(held.id).await.unwrap();
    let steps = fixture.steps(held.id).await;
    let again = NewRun { id: held.id, ..new_run(Pipeline::Proposal, held.subject, Priority::High) };
    let delivered =
        fixture.store.proposals.create(&again, &proposal_request("Another."), at(50)).await.unwrap();
    assert_eq!(delivered, before.run);
    assert!(matches!(delivered.state, RunState::Completed { .. }));
    let worker = fixture.worker(at(51)).await;
    assert!(fixture.claim(worker, at(52), 10).await.is_empty());
    let limit = SignedDuration::from_secs(60);
    let start = apply(&delivered, RunChange::Start { worker, limit }, at(53));
    assert!(start.is_err(), "{start:?}");
    let late = fixture.write_results(&held, StepName::Expand, vec![version("Late")]).await;
    assert_eq!(late, RunWriteOutcome::Refused);
    assert_eq!(fixture.store.proposals.proposal(held.id).await.unwrap(), before);
    assert_eq!(fixture.steps(held.id).await, steps);
    assert_eq!(fixture.count("runs").await, 1);
}

/// Proves R144.
pub async fn proposals_are_listed_newest_first_and_by_every_filter(fixture: &StoreFixture) {
    let first = fixture.decided_proposal(&proposal_request("First."), 0, 0.9).await;
    let revision = ProposalRequest { parent: Some(first.id), ..proposal_request("Second.") };
    let second = fixture.decided_proposal(&revision, 10, 0.65).await;
    let third = fixture.create_proposal(&proposal_request("Third."), 20).await;
    fixture.enqueue(SubjectId::new(), at(21)).await;
    let listed = async |filter: ProposalFilter| {
        let (page, total) = fixture.store.proposals.proposals(&filter).await.unwrap();
        (page.iter().map(|item| item.run.id).collect::<Vec<_>>(), total)
    };
    let all = ProposalFilter { limit: 30, ..ProposalFilter::default() };
    let cases = [
        (all.clone(), vec![third.id, second.id, first.id]),
        (ProposalFilter { states: vec![RunStateName::Completed], ..all.clone() }, vec![second.id, first.id]),
        (
            ProposalFilter { states: vec![RunStateName::Queued, RunStateName::Failed], ..all.clone() },
            vec![third.id],
        ),
        (ProposalFilter { is_revision: Some(true), ..all.clone() }, vec![second.id]),
        (ProposalFilter { is_revision: Some(false), ..all.clone() }, vec![third.id, first.id]),
        (ProposalFilter { parent: Some(first.id), ..all.clone() }, vec![second.id]),
        (ProposalFilter { parent: Some(third.id), ..all.clone() }, vec![]),
        (ProposalFilter { verdict: Some(Verdict::Approve), ..all.clone() }, vec![first.id]),
        (ProposalFilter { verdict: Some(Verdict::Revise), ..all.clone() }, vec![second.id]),
        (ProposalFilter { min_confidence: Some(0.0), ..all.clone() }, vec![second.id, first.id]),
        (ProposalFilter { min_confidence: Some(0.7), ..all.clone() }, vec![first.id]),
        (ProposalFilter { created_from: Some(at(10)), ..all.clone() }, vec![third.id, second.id]),
        (ProposalFilter { created_until: Some(at(10)), ..all.clone() }, vec![second.id, first.id]),
    ];
    for (filter, expected) in cases {
        let total = expected.len() as u64;
        assert_eq!(listed(filter.clone()).await, (expected, total), "{filter:?}");
    }
    let page = ProposalFilter { limit: 1, offset: 1, ..all.clone() };
    assert_eq!(listed(page).await, (vec![second.id], 3));
    let (items, _) = fixture.store.proposals.proposals(&all).await.unwrap();
    assert_eq!((items[0].title.clone(), items[0].confidence, items[0].verdict), (None, None, None));
    assert_eq!(items[1].title.as_deref(), Some("Second."));
    assert_eq!((items[0].idea.as_str(), items[1].idea.as_str()), ("Third.", "Second."));
    assert_eq!(items[1].summary.as_deref(), Some("About Second."));
    assert_eq!((items[1].parent, items[1].verdict), (Some(first.id), Some(Verdict::Revise)));
    assert_eq!(items[2].confidence, Some(decision(0.9).overall_weighted_confidence));
}

/// Proves R141: and its revisions, with theirs.
pub async fn deleting_a_proposal_run_deletes_its_results_and_its_revisions(fixture: &StoreFixture) {
    let first = fixture.decided_proposal(&proposal_request("First."), 0, 0.9).await;
    let revision = ProposalRequest { parent: Some(first.id), ..proposal_request("Second.") };
    let second = fixture.decided_proposal(&revision, 10, 0.65).await;
    let revision = ProposalRequest { parent: Some(second.id), ..proposal_request("Third.") };
    fixture.decided_proposal(&revision, 20, 0.5).await;
    let other = fixture.decided_proposal(&proposal_request("Other."), 30, 0.5).await;
    fixture.store.documents.purge(first.subject, at(40)).await.unwrap();
    for table in ["runs", "proposal_inputs", "proposal_versions", "proposal_decisions"] {
        assert_eq!(fixture.count(table).await, 1, "{table}");
    }
    let steps = fixture.count("step_progress").await;
    assert!(steps > 0, "the other run keeps its steps");
    assert_eq!(fixture.steps(other.id).await.len(), usize::try_from(steps).unwrap());
}

/// The database itself keeps what was asked and what was made.
pub async fn what_was_asked_made_and_decided_cannot_be_changed(fixture: &StoreFixture) {
    let run = fixture.decided_proposal(&proposal_request("First."), 0, 0.9).await;
    let id = fixture.sql.id(run.id.0);
    fixture
        .assert_refused(
            &["UPDATE proposal_inputs SET input_idea = 'x'", "DELETE FROM proposal_inputs"],
            "what was asked of a run is kept",
        )
        .await;
    fixture
        .assert_refused(
            &["UPDATE proposal_versions SET edit_notes = 'x'", "DELETE FROM proposal_versions"],
            "append-only",
        )
        .await;
    fixture
        .assert_refused(
            &["UPDATE proposal_decisions SET decision_label = 'reject'", "DELETE FROM proposal_decisions"],
            "append-only",
        )
        .await;
    let review = |score: &str| {
        format!(
            "INSERT INTO persona_reviews (run_id, persona_id, persona_name, review_json, confidence_score, \
             blocking_issues_present, security_concerns_present, prompt_parameters_json, created_at) \
             SELECT run_id, 'critic', 'Critic', '{{}}', {score}, 1 = 1, 1 = 1, '{{}}', created_at \
             FROM proposal_versions WHERE run_id = {id}"
        )
    };
    for score in ["1.01", "-0.01"] {
        assert!(fixture.sql.execute(&review(score)).await.is_err(), "{score}");
    }
    fixture.sql.execute(&review("1.0")).await.unwrap();
    assert!(fixture.sql.execute(&review("1.0")).await.is_err(), "a persona reviews once");
    fixture
        .assert_refused(
            &["UPDATE persona_reviews SET confidence_score = 0", "DELETE FROM persona_reviews"],
            "append-only",
        )
        .await;
}
