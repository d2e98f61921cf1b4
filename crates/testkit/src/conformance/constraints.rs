//! Constraints that the database itself enforces, and the answer for missing rows.

use quire_domain::{DocumentId, RunId, SubjectId};
use quire_ports::PortError;

use crate::fixture::{StoreFixture, at};

/// States, counters and timestamps have constraints.
pub async fn the_database_refuses_impossible_runs(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let literal = fixture.sql.id(id.0);
    for change in [
        "state = 'PAUSED'",
        "pipeline = 'other'",
        "priority = 7",
        "retry_count = -1",
        "attempts = -1",
        "retry_count = 1",
        "turn = NULL",
        "turn = 'NEXT'",
        "turn = 'DELAYED'",
        "started_at = created_at",
        "completed_at = created_at",
        "state = 'RUNNING', turn = 'HELD'",
        "state = 'COMPLETED', turn = NULL",
        "state = 'FAILED', turn = NULL, completed_at = created_at",
        "fence = -1",
    ] {
        let done = fixture.sql.execute(&format!("UPDATE runs SET {change} WHERE id = {literal}")).await;
        assert!(done.is_err(), "{change}: {done:?}");
    }
    assert_eq!(fixture.state(id).await, "QUEUED");
}

/// Proves R041, R138 in the database.
pub async fn the_database_refuses_unknown_steps(fixture: &StoreFixture) {
    let id = fixture.enqueue(SubjectId::new(), at(0)).await;
    let literal = fixture.sql.id(id.0);
    let insert = |name: &str, status: &str| {
        format!(
            "INSERT INTO step_progress (run_id, step_name, step_order, status) \
             VALUES ({literal}, '{name}', 0, '{status}')"
        )
    };
    assert!(fixture.sql.execute(&insert("invalid_step", "PENDING")).await.is_err());
    assert!(fixture.sql.execute(&insert("EXTRACTION", "DONE")).await.is_err());
    assert_eq!(fixture.sql.execute(&insert("EXTRACTION", "PENDING")).await, Ok(1));
    assert!(
        fixture.sql.execute(&insert("EXTRACTION", "PENDING")).await.is_err(),
        "a run has one row for each step"
    );
    let unknown = fixture.sql.id(RunId::new().0);
    let without_run = insert("EXTRACTION", "PENDING").replace(&literal, &unknown);
    assert!(fixture.sql.execute(&without_run).await.is_err(), "a step needs its run");
}

/// Every port answers `NotFound`.
pub async fn missing_rows_are_reported_as_not_found(fixture: &StoreFixture) {
    let missing = |answer: Result<(), PortError>| matches!(answer, Err(PortError::NotFound(_)));
    let run = RunId::new();
    assert!(missing(fixture.store.run_reader.run(run).await.map(drop)));
    assert!(missing(fixture.store.queue.withdraw(run, "local", at(0)).await.map(drop)));
    assert!(missing(fixture.store.documents.find(DocumentId::new()).await.map(drop)));
    assert!(fixture.steps(run).await.is_empty());
    assert!(fixture.attempts(run).await.is_empty());
}
