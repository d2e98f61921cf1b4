//! Governance: how schemas change.

use quire_domain::{CandidateId, DecisionId, EventType, SchemaVersionId, SubjectId};
use quire_ports::{
    AuditTrailEntry, CandidateFilter, DecisionConflict, GovernanceDecision, PortError, SchemaVersion,
    StructuralCandidate,
};
use quire_understanding::Schema;
use quire_understanding::structural_change::{
    CandidateStatus, DecisionType, SchemaChangeType, decision_events,
};

use super::interpretations::{add_field, edit};
use crate::fixture::{StoreFixture, at};

const ALL: CandidateFilter =
    CandidateFilter { status: None, change: None, is_critical: None, limit: 10, skip: 0 };

fn name() -> String {
    Schema::built_in_default().name
}

/// Adds `times` documents and edits each of them to add this key.
async fn suggest_key(fixture: &StoreFixture, key: &str, times: usize) {
    for _ in 0..times {
        let (_, run, _) = fixture.interpreted_document().await;
        fixture.edit_active_version(run, &[add_field(key, "A")], at(9)).await;
    }
}

async fn candidate(fixture: &StoreFixture, key: &str) -> StructuralCandidate {
    let all = fixture.store.governance.candidates(ALL).await.unwrap();
    all.into_iter().find(|candidate| candidate.target_key == key).unwrap()
}

pub(super) fn decision(
    about: &StructuralCandidate,
    decision_type: DecisionType,
    to: CandidateStatus,
    second: i64,
) -> GovernanceDecision {
    GovernanceDecision {
        id: DecisionId::new(),
        candidate: about.id,
        decision_type,
        previous_status: about.status,
        new_status: to,
        schema_version: None,
        reviewer: "gov".to_owned(),
        reason: Some("often seen".to_owned()),
        created_at: at(second),
    }
}

fn next_version(number: u32, second: i64) -> SchemaVersion {
    SchemaVersion {
        id: SchemaVersionId::new(),
        number,
        schema: Schema::built_in_default(),
        created_at: at(second),
        created_by: "gov".to_owned(),
        change_summary: Some("blood_group was added".to_owned()),
    }
}

pub(super) async fn decide(
    fixture: &StoreFixture,
    decision: &GovernanceDecision,
    version: Option<&SchemaVersion>,
) -> Result<(), DecisionConflict> {
    let events = decision_events(&decision.reviewer, version.is_some(), decision.created_at);
    fixture.store.governance.decide(decision, version, &events).await.unwrap()
}

/// Proves R129: a run is bound to the newest version at the time of its creation.
pub async fn a_run_keeps_the_schema_version_it_was_created_with(fixture: &StoreFixture) {
    let none = fixture.store.governance.current_schema(&name()).await;
    assert!(matches!(none, Err(PortError::NotFound(_))), "{none:?}");
    let (document, before, _) = fixture.interpreted_document().await;
    assert_eq!(fixture.run(before).await.schema, None);
    for second in [1, 2] {
        fixture.store.governance.seed(&Schema::built_in_default(), at(second)).await.unwrap();
    }
    let first = fixture.store.governance.current_schema(&name()).await.unwrap();
    assert_eq!((first.number, first.created_at, &first.schema), (1, at(1), &Schema::built_in_default()));
    let one = fixture.enqueue(document.into(), at(3)).await;

    suggest_key(fixture, "blood_group", 1).await;
    let about = candidate(fixture, "blood_group").await;
    let second = next_version(2, 4);
    let approved = GovernanceDecision {
        schema_version: Some(second.id),
        ..decision(&about, DecisionType::Approve, CandidateStatus::Approved, 4)
    };
    decide(fixture, &approved, Some(&second)).await.unwrap();
    assert_eq!(fixture.store.governance.current_schema(&name()).await.unwrap(), second);
    assert_eq!(fixture.store.governance.schema(&name(), 1).await.unwrap(), first);
    let two =
        fixture.store.queue.enqueue(&crate::fixture::document_run(document.into()), at(5)).await.unwrap();
    let bound = |run| async move { fixture.run(run).await.schema.map(|schema| schema.version) };
    assert_eq!((bound(one).await, bound(two.id).await), (Some(1), Some(2)));
    assert_eq!(
        two.schema.as_ref().map(|schema| schema.version),
        Some(2),
        "the returned run is bound already"
    );
    let without_document = fixture.enqueue(SubjectId::new(), at(6)).await;
    assert_eq!(bound(without_document).await, None, "only documents have a schema");
    let changed = fixture.sql.execute("UPDATE runs SET schema_version = 7, schema_name = 'x'").await;
    assert!(changed.as_ref().is_err_and(|message| message.contains("does not change")), "{changed:?}");
}

/// Proves R127: the same edit on several documents is one candidate with its count and samples.
pub async fn the_same_edit_on_several_documents_is_one_candidate(fixture: &StoreFixture) {
    fixture.store.governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    suggest_key(fixture, "blood_group", 12).await;
    suggest_key(fixture, "colour", 2).await;
    let (_, run, _) = fixture.interpreted_document().await;
    let base = fixture.active_version(run).await;
    let delete = quire_understanding::edit::EditOperation::Delete { field: base.data.fields[0].field_id };
    fixture.store.reviews.save(&edit(&base, &[delete], at(9))).await.unwrap().unwrap();

    let all = fixture.store.governance.candidates(ALL).await.unwrap();
    let candidates: Vec<_> = all
        .iter()
        .map(|one| (one.change, one.target_key.as_str(), one.occurrence_count, one.is_critical))
        .collect();
    assert_eq!(
        candidates,
        [
            (SchemaChangeType::NewKey, "blood_group", 12, false),
            (SchemaChangeType::NewKey, "colour", 2, false),
            (SchemaChangeType::KeyDeprecation, "pet_name", 1, true),
        ],
        "the most frequent first; critical keys are flagged"
    );
    assert_eq!(all[0].samples.len(), 10, "at most 10 samples");
    assert_eq!(all[0].schema_name, name());
    let filter = CandidateFilter { change: Some(SchemaChangeType::KeyDeprecation), ..ALL };
    assert_eq!(fixture.store.governance.candidates(filter).await.unwrap().len(), 1);
    let filter = CandidateFilter { is_critical: Some(false), skip: 1, limit: 1, ..ALL };
    assert_eq!(fixture.store.governance.candidates(filter).await.unwrap()[0].target_key, "colour");
    let filter = CandidateFilter { status: Some(CandidateStatus::Rejected), ..ALL };
    assert!(fixture.store.governance.candidates(filter).await.unwrap().is_empty());
    assert_eq!(fixture.store.governance.candidate(all[1].id).await.unwrap(), all[1]);
    let missing = fixture.store.governance.candidate(CandidateId::new()).await;
    assert!(matches!(missing, Err(PortError::NotFound(_))), "{missing:?}");
}

/// Proves R128, R130, R131: a decision changes its candidate, is listed in order of time and changes nothing else.
pub async fn decisions_are_listed_in_order_and_change_nothing_else(fixture: &StoreFixture) {
    fixture.store.governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    suggest_key(fixture, "blood_group", 1).await;
    let counts = || async {
        let mut counts = Vec::new();
        for table in ["documents", "runs", "interpretation_versions", "artifacts"] {
            counts.push(fixture.sql.number(&format!("SELECT count(*) FROM {table}")).await);
        }
        counts
    };
    let before = counts().await;
    let mut decisions = Vec::new();
    for (kind, to, second) in [
        (DecisionType::Defer, CandidateStatus::Deferred, 10),
        (DecisionType::FlagCritical, CandidateStatus::Pending, 11),
        (DecisionType::Reject, CandidateStatus::Rejected, 12),
    ] {
        let about = candidate(fixture, "blood_group").await;
        let decision = decision(&about, kind, to, second);
        decide(fixture, &decision, None).await.unwrap();
        decisions.push(decision);
    }
    let now = candidate(fixture, "blood_group").await;
    assert_eq!((now.status, now.is_critical, now.updated_at), (CandidateStatus::Rejected, true, at(12)));
    assert_eq!(fixture.store.governance.decisions(None, 10).await.unwrap(), decisions);
    assert_eq!(fixture.store.governance.decisions(Some(decisions[0].id), 1).await.unwrap(), decisions[1..2]);
    assert_eq!(counts().await, before);
    let events = fixture.events().await;
    let recorded = events.iter().filter(|one| one.event.event_type == EventType::GovernanceDecisionRecorded);
    assert_eq!(recorded.count(), 3);
    fixture
        .assert_refused(
            &[
                "UPDATE governance_decisions SET reason = 'x'",
                "DELETE FROM governance_decisions",
                "UPDATE schema_versions SET definition = '{}'",
                "DELETE FROM schema_versions",
            ],
            "append-only",
        )
        .await;
}

/// Of two decisions on the same candidate or the same schema version, the second is refused and nothing of it is stored.
pub async fn a_decision_on_a_changed_candidate_is_refused(fixture: &StoreFixture) {
    fixture.store.governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    suggest_key(fixture, "blood_group", 1).await;
    suggest_key(fixture, "colour", 1).await;
    let (one, two) = (candidate(fixture, "blood_group").await, candidate(fixture, "colour").await);
    let version = next_version(2, 10);
    let approve = |about: &StructuralCandidate, version: &SchemaVersion| GovernanceDecision {
        schema_version: Some(version.id),
        ..decision(about, DecisionType::Approve, CandidateStatus::Approved, 10)
    };
    decide(fixture, &approve(&one, &version), Some(&version)).await.unwrap();
    let again = next_version(3, 11);
    let late = decide(fixture, &approve(&one, &again), Some(&again)).await;
    assert_eq!(late, Err(DecisionConflict::Candidate));
    let same_number = next_version(2, 12);
    let conflicting = decide(fixture, &approve(&two, &same_number), Some(&same_number)).await;
    assert_eq!(conflicting, Err(DecisionConflict::Schema));
    assert_eq!(candidate(fixture, "colour").await.status, CandidateStatus::Pending);
    assert_eq!(fixture.store.governance.current_schema(&name()).await.unwrap(), version);
    assert_eq!(fixture.store.governance.decisions(None, 10).await.unwrap().len(), 1);
}

/// The trail lists decisions, newest first, with their change and the schema version that they made.
pub async fn the_audit_trail_shows_what_each_decision_was_about(fixture: &StoreFixture) {
    let governance = &fixture.store.governance;
    governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    suggest_key(fixture, "blood_group", 2).await;
    suggest_key(fixture, "colour", 1).await;
    let about = candidate(fixture, "colour").await;
    let rejected = decision(&about, DecisionType::Reject, CandidateStatus::Rejected, 10);
    decide(fixture, &rejected, None).await.unwrap();
    let about = candidate(fixture, "blood_group").await;
    let version = next_version(2, 11);
    let approved = GovernanceDecision {
        schema_version: Some(version.id),
        ..decision(&about, DecisionType::Approve, CandidateStatus::Approved, 11)
    };
    decide(fixture, &approved, Some(&version)).await.unwrap();

    let trail = governance.trail(None, 10).await.unwrap();
    let entry = |decision: &GovernanceDecision, key: &str, version_number| AuditTrailEntry {
        decision: decision.clone(),
        schema_name: name(),
        change: SchemaChangeType::NewKey,
        source_key: None,
        target_key: key.to_owned(),
        version_number,
    };
    assert_eq!(trail, [entry(&approved, "blood_group", Some(2)), entry(&rejected, "colour", None)]);
    assert_eq!(governance.trail(Some(approved.id), 10).await.unwrap(), trail[1..]);
    assert_eq!(governance.trail(None, 1).await.unwrap(), trail[..1]);
    assert_eq!(governance.trail(Some(DecisionId::new()), 10).await.unwrap(), []);

    let versions = governance.schema_versions(&name(), 10).await.unwrap();
    let listed: Vec<_> = versions
        .iter()
        .map(|one| (one.number, one.created_at, one.created_by.as_str(), one.change_summary.as_deref()))
        .collect();
    assert_eq!(listed, [(2, at(11), "gov", Some("blood_group was added")), (1, at(0), "quire", listed[1].3)]);
    assert_eq!(governance.schema_versions(&name(), 1).await.unwrap(), versions[..1]);
    assert_eq!(governance.schema_versions("another", 10).await.unwrap(), []);
}
