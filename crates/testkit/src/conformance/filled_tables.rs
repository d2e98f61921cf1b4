//! A database with rows in every table.

use quire_domain::{
    DocumentId, HideChange, InstallationId, LaneName, Pipeline, ReviewStatus, RunId, SubjectId,
};
use quire_ports::{
    CandidateFilter, HideRequest, IdempotencyKey, MinuteMetrics, NewDocument, OutdatedDocument,
};
use quire_understanding::Schema;
use quire_understanding::structural_change::{CandidateStatus, DecisionType};

use super::calibration::labelled_field;
use super::governance::{decide, decision};
use super::interpretations::add_field;
use super::model_calls::call;
use super::search::indexed_text;
use super::sessions::{create_key, owner, session};
use crate::fixture::{StoreFixture, at, document, document_run};

/// What [`fill_every_table`] leaves.
pub struct FilledTables {
    /// A completed run.
    pub completed: RunId,
    /// Two runs of one subject; the second waits behind the first.
    pub waiting: [RunId; 2],
}

/// Adds what the steps of a proposal leave to a run, whatever its pipeline.
async fn add_proposal(fixture: &StoreFixture, run: RunId) {
    let of = format!("created_at FROM runs WHERE id = {}", fixture.sql.id(run.0));
    for insert in [
        "proposal_inputs (run_id, scope, input_idea, model, temperature, parameters_json, created_at) \
         SELECT id, 'full', 'an idea', 'a model', 0.5, '{}',",
        "proposal_versions (run_id, expanded_proposal_json, persona_template_version, created_at) \
         SELECT id, '{}', '1',",
        "persona_reviews (run_id, persona_id, persona_name, review_json, confidence_score, blocking_issues_present, \
                          security_concerns_present, prompt_parameters_json, created_at) \
         SELECT id, 'critic', 'Critic', '{}', 0.5, 1 = 0, 1 = 0, '{}',",
        "proposal_decisions (run_id, decision_json, overall_weighted_confidence, decision_label, created_at) \
         SELECT id, '{}', 0.5, 'revise',",
    ] {
        assert_eq!(fixture.sql.execute(&format!("INSERT INTO {insert} {of}")).await, Ok(1));
    }
}

/// Adds what the steps of a link leave to a run, whatever its pipeline.
async fn add_link(fixture: &StoreFixture, run: RunId) {
    let (hash, id) = ("0".repeat(64), fixture.sql.id(run.0));
    for insert in [
        format!(
            "link_requests (run_id, request_type, normalized_url, dedupe_hash, language, created_at) \
             SELECT id, 'url', 'https://example.com/', '{hash}', 'auto', created_at"
        ),
        format!("link_hashes (user_id, dedupe_hash, run_id) SELECT id, '{hash}', id"),
        "summaries (run_id, id, language, json_payload, made_by, search_text, version, is_read, created_at) \
         SELECT id, id, 'en', '{}', 'model', '', 1, 1 = 0, created_at"
            .to_owned(),
    ] {
        let statement = format!("INSERT INTO {insert} FROM runs WHERE id = {id}");
        assert_eq!(fixture.sql.execute(&statement).await, Ok(1));
    }
}

/// Puts at least one row into every table, through the ports.
pub async fn fill_every_table(fixture: &StoreFixture) -> FilledTables {
    let store = &fixture.store;
    store.installation.set_installation_id(InstallationId::new()).await.unwrap();
    store.governance.seed(&Schema::built_in_default(), at(0)).await.unwrap();
    let purged = SubjectId::new();
    let run = fixture.enqueue(purged, at(0)).await;
    let worker = fixture.worker(at(0)).await;
    fixture.claim_one(worker, at(1)).await;
    fixture.complete_run(run).await;
    store.documents.purge(purged, at(7)).await.unwrap();

    let fields = vec![labelled_field("pet_name", "Luna", 0.66), labelled_field("notes", "nada", 0.5)];
    let (reviewed, completed, _) = fixture.document_with_fields(fields).await;
    fixture.edit_active_version(completed, &[add_field("blood_group", "A")], at(9)).await;
    let indexed = OutdatedDocument { id: reviewed, run: Some(completed) };
    let text: Vec<String> = (0..30).map(|number| format!("texto{number}")).collect();
    assert!(store.search.reindex(indexed, Some(&indexed_text("es", &[&text.join(" ")]))).await.unwrap());
    let filter = CandidateFilter { limit: 1, ..CandidateFilter::default() };
    let candidate = store.governance.candidates(filter).await.unwrap().remove(0);
    let deferred = decision(&candidate, DecisionType::Defer, CandidateStatus::Deferred, 10);
    decide(fixture, &deferred, None).await.unwrap();
    let mark = fixture.review_request(reviewed, ReviewStatus::Reviewed, "ana", at(11)).await;
    store.reviews.set_review_status(&mark).await.unwrap().unwrap();

    let minute = MinuteMetrics { completed: 3, ..MinuteMetrics::empty(at(20), Pipeline::Document) };
    store.metrics.add(std::slice::from_ref(&minute)).await.unwrap();
    store.model_calls.record(&[call(Some(completed), at(20))]).await.unwrap();
    add_proposal(fixture, completed).await;
    store.lanes.register(&[LaneName::ocr()]).await.unwrap();
    add_link(fixture, completed).await;
    let key = create_key(fixture, "alma").await;
    store.sessions.begin(&session(1, owner(&key)), None).await.unwrap();

    let uploaded = document(DocumentId::new());
    let first = document_run(uploaded.id.into());
    let idempotency_key = Some(IdempotencyKey {
        owner: "ana".to_owned(),
        key: "k".to_owned(),
        position: 0,
        fingerprint: [1; 32],
        expired_before: at(0),
    });
    let new = NewDocument { idempotency_key, ..NewDocument::uploaded_by("ana", &uploaded, Some(&first)) };
    store.documents.add(new, at(12)).await.unwrap();
    let second = fixture.enqueue(uploaded.id.into(), at(13)).await;
    let (document, actor) = (uploaded.id, "ana".to_owned());
    let hide = HideRequest { document, change: HideChange::Hide, actor, at: at(14) };
    store.documents.set_hidden(&hide).await.unwrap();
    FilledTables { completed, waiting: [first.id, second] }
}
