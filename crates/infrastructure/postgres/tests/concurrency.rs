//! Tests of faults that only a database with many writers can have.

// In a test a panic reports a failure.
#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use quire_domain::run::apply;
use quire_domain::{ClaimScope, Event, EventId, EventType, RunChange, SubjectId, WorkerId};
use quire_ports::{
    ClaimRequest, ClaimedRun, EventFilter, Lease, RunFilter, RunWrite, RunWriteOutcome, Store, Worker,
};
use quire_postgres::testing::TestSchema;
use quire_testkit::fixture::{document_plan, document_run};
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, Row};
use tokio::task::JoinSet;
use tokio::time::timeout;

const SOON: Duration = Duration::from_secs(20);

async fn store(test_schema: &TestSchema) -> Store {
    test_schema.store().await.into_store()
}

async fn worker(store: &Store) -> WorkerId {
    let (id, now) = (WorkerId::new(), store.clock.now());
    let lease = Some(Lease::Until(now + SignedDuration::from_secs(600)));
    let worker = Worker {
        id,
        name: "tester:1".to_owned(),
        slots: 4,
        started_at: now,
        seen_at: now,
        lease,
        program: None,
        scope: ClaimScope::default(),
    };
    store.workers.register(&worker).await.unwrap();
    id
}

async fn claim(store: &Store, worker: WorkerId, limit: usize) -> Vec<ClaimedRun> {
    let plans = [document_plan()];
    let at = store.clock.now();
    store
        .queue
        .claim(ClaimRequest { worker, at, limit, is_idle: true, plans: &plans, lanes: None })
        .await
        .unwrap()
}

fn completion(claimed: ClaimedRun, at: Timestamp) -> RunWrite {
    let end = apply(&claimed.run, RunChange::Complete, at).unwrap();
    RunWrite {
        run: claimed.run,
        at,
        events: vec![],
        artifacts: vec![],
        interpretation: None,
        proposal: Vec::new(),
        summary: None,
        text: None,
        transition: Some(end),
        repeated: false,
    }
}

async fn number(connection: &mut PgConnection, query: &'static str) -> i64 {
    connection.fetch_one(query).await.unwrap().get(0)
}

/// Waits until another connection waits for a lock that this connection holds.
async fn somebody_waits(connection: &mut PgConnection) {
    let waiting =
        "SELECT count(*) FROM pg_stat_activity WHERE pg_backend_pid() = ANY (pg_blocking_pids(pid))";
    while number(connection, waiting).await == 0 {
        tokio::task::yield_now().await;
    }
}

/// A reader never skips an event that was written first and committed last, because the later writer waits.
#[tokio::test(flavor = "multi_thread")]
async fn event_ids_appear_in_the_order_of_their_commits() {
    let test_schema = TestSchema::migrated().await;
    let store = Arc::new(store(&test_schema).await);
    let mut early = test_schema.connection().await;
    let mut other = test_schema.connection().await;
    let mut open = early.begin().await.unwrap();
    open.execute("INSERT INTO events (at, event_type) VALUES (now(), 'LOCK_HELD')").await.unwrap();

    let late = {
        let store = store.clone();
        let event = Event::new(EventType::SchedulerContention, store.clock.now());
        tokio::spawn(async move { store.queue.record(&[event]).await })
    };
    somebody_waits(&mut open).await;
    let seen = store.run_reader.events(EventId(0), EventFilter::default(), 10).await.unwrap();
    assert_eq!(seen, [], "the later one does not overtake the earlier one");
    assert_eq!(number(&mut other, "SELECT count(*) FROM events").await, 0);
    open.commit().await.unwrap();
    timeout(SOON, late).await.unwrap().unwrap().unwrap();

    let seen = store.run_reader.events(EventId(0), EventFilter::default(), 10).await.unwrap();
    let types: Vec<_> = seen.iter().map(|recorded| recorded.event.event_type).collect();
    assert_eq!(types, [EventType::LockHeld, EventType::SchedulerContention]);
    assert!(seen[0].id < seen[1].id);
}

/// A reader that continues from the last id it saw finds every event, while many writers append.
#[tokio::test(flavor = "multi_thread")]
async fn a_reader_that_follows_the_history_misses_nothing() {
    let test_schema = TestSchema::migrated().await;
    let reader = store(&test_schema).await;
    let done = Arc::new(AtomicBool::new(false));
    let follower = {
        let done = done.clone();
        tokio::spawn(async move {
            let (mut seen, mut last) = (0, EventId(0));
            loop {
                let finished = done.load(Ordering::SeqCst);
                let events = reader.run_reader.events(last, EventFilter::default(), 7).await.unwrap();
                seen += events.len();
                last = events.last().map_or(last, |event| event.id);
                if events.is_empty() && finished {
                    return seen;
                }
            }
        })
    };
    let mut writers = JoinSet::new();
    for _ in 0..4 {
        let store = store(&test_schema).await;
        writers.spawn(async move {
            for _ in 0..50 {
                store.queue.enqueue(&document_run(SubjectId::new()), store.clock.now()).await.unwrap();
            }
        });
    }
    writers.join_all().await;
    done.store(true, Ordering::SeqCst);
    assert_eq!(timeout(SOON, follower).await.unwrap().unwrap(), 200);
}

/// Proves R164: a claim skips the runs that another claim has locked, without waiting for it.
#[tokio::test(flavor = "multi_thread")]
async fn two_claimers_share_no_run_and_neither_waits() {
    let test_schema = TestSchema::migrated().await;
    let store = store(&test_schema).await;
    for second in 0..4 {
        let at = store.clock.now() + SignedDuration::from_secs(second);
        store.queue.enqueue(&document_run(SubjectId::new()), at).await.unwrap();
    }
    let (slow, quick) = (worker(&store).await, worker(&store).await);
    let mut connection = test_schema.connection().await;
    let mut held = connection.begin().await.unwrap();
    let first: Vec<uuid::Uuid> = held
        .fetch_all(AssertSqlSafe(literal_next(slow, 2)))
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(first.len(), 2);

    let claimed = timeout(Duration::from_secs(3), claim(&store, quick, 10)).await.expect("it does not wait");
    assert_eq!(claimed.len(), 2);
    assert!(claimed.iter().all(|claimed| !first.contains(&claimed.run.id.0)));
    held.rollback().await.unwrap();
    assert_eq!(claim(&store, slow, 10).await.len(), 2);
}

/// The claim's query with its parameters written out.
fn literal_next(worker: WorkerId, limit: usize) -> String {
    quire_sql::expand(include_str!("../queries/runs/next.sql"))
        .replace("$1", "'{document}'")
        .replace("$2", &limit.to_string())
        .replace("$3", &format!("'{worker}'"))
        .replace("$4", "now()")
}

/// With few subjects and many writers every run gets its turn, one at a time, oldest first.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_run_is_left_behind_without_a_front() {
    const STORES: usize = 3;
    const EACH: usize = 120;
    let test_schema = Arc::new(TestSchema::migrated().await);
    let subjects: Arc<Vec<SubjectId>> = Arc::new((0..4).map(|_| SubjectId::new()).collect());
    let mut tasks = JoinSet::new();
    for index in 0..STORES {
        let store = Arc::new(store(&test_schema).await);
        for half in 0..2 {
            let (store, subjects) = (store.clone(), subjects.clone());
            tasks.spawn(async move {
                for turn in 0..EACH / 2 {
                    let subject = subjects[(turn + index + half) % subjects.len()];
                    store.queue.enqueue(&document_run(subject), store.clock.now()).await.unwrap();
                }
            });
        }
        for _ in 0..2 {
            tasks.spawn(settle_until_quiet(store.clone(), STORES * EACH));
        }
    }
    timeout(Duration::from_secs(90), tasks.join_all()).await.expect("nothing is stuck");

    let mut connection = test_schema.connection().await;
    let left = "SELECT count(*) FROM runs WHERE turn IS NOT NULL";
    assert_eq!(number(&mut connection, left).await, 0);
    let completed = "SELECT count(*) FROM runs WHERE state = 'COMPLETED'";
    assert_eq!(number(&mut connection, completed).await, i64::try_from(STORES * EACH).unwrap());
    // Each store estimates the server's time for itself, so the times may differ a little.
    let overlapping = "SELECT count(*) FROM runs a JOIN runs b ON a.subject_id = b.subject_id AND a.id <> b.id \
                       AND a.started_at > b.started_at AND a.started_at < b.completed_at \
                       - interval '100 milliseconds'";
    assert_eq!(number(&mut connection, overlapping).await, 0);
}

/// Claims and completes runs until the given number is done.
async fn settle_until_quiet(store: Arc<Store>, expected: usize) {
    let worker = worker(&store).await;
    loop {
        let claimed = claim(&store, worker, 3).await;
        if claimed.is_empty() {
            let filter = RunFilter {
                state: Some(quire_domain::RunStateName::Completed),
                limit: u32::try_from(expected).unwrap(),
                ..RunFilter::default()
            };
            if store.run_reader.runs(&filter).await.unwrap().len() == expected {
                return;
            }
        }
        let mut writes = JoinSet::new();
        for claimed in claimed {
            let store = store.clone();
            writes.spawn(async move {
                let at = store.clock.now();
                store.queue.write(completion(claimed, at)).await
            });
        }
        for written in writes.join_all().await {
            assert_eq!(written, Ok(RunWriteOutcome::Accepted(Vec::new())));
        }
    }
}

/// If the front ends while another transaction puts a run behind it, that run still gets its turn, whichever
/// transaction is first.
#[tokio::test(flavor = "multi_thread")]
async fn a_run_put_behind_a_front_that_is_ending_becomes_the_front() {
    let test_schema = TestSchema::migrated().await;
    let store = Arc::new(store(&test_schema).await);
    let subject = SubjectId::new();
    let front = store.queue.enqueue(&document_run(subject), store.clock.now()).await.unwrap();
    let mut connection = test_schema.connection().await;
    let mut ending = connection.begin().await.unwrap();
    let end = format!(
        "UPDATE runs SET state = 'FAILED', turn = NULL, completed_at = now(), failure_type = 'WITHDRAWN', \
         error = '{{}}' WHERE id = '{}'",
        front.id
    );
    ending.execute(AssertSqlSafe(end)).await.unwrap();
    let new = document_run(subject);
    let enqueued = {
        let (store, new) = (store.clone(), new.clone());
        tokio::spawn(async move { store.queue.enqueue(&new, store.clock.now()).await })
    };
    somebody_waits(&mut ending).await;
    ending.commit().await.unwrap();
    timeout(SOON, enqueued).await.unwrap().unwrap().unwrap();
    let worker = worker(&store).await;
    let claimed = claim(&store, worker, 1).await;
    assert_eq!(claimed.len(), 1);
    assert_eq!(claimed[0].run.id, new.id);
}

/// The same request, sent many times at once from many processes, makes one run.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_requests_for_one_run_create_it_once() {
    let test_schema = TestSchema::migrated().await;
    let stores = [store(&test_schema).await, store(&test_schema).await];
    let new = document_run(SubjectId::new());
    let mut tasks = JoinSet::new();
    for index in 0..20 {
        let (store, new) = (stores[index % 2].clone(), new.clone());
        tasks.spawn(async move { store.queue.enqueue(&new, store.clock.now()).await.map(|run| run.id) });
    }
    for made in tasks.join_all().await {
        assert_eq!(made, Ok(new.id));
    }
    let mut connection = test_schema.connection().await;
    assert_eq!(number(&mut connection, "SELECT count(*) FROM runs").await, 1);
    assert_eq!(number(&mut connection, "SELECT count(*) FROM events").await, 1);
}

/// Two writes about one run may be in one batch, or in two that are written at once: one is checked against the result of the
/// other.
#[tokio::test(flavor = "multi_thread")]
async fn of_two_ends_of_one_run_one_is_refused() {
    let test_schema = TestSchema::migrated().await;
    let store = store(&test_schema).await;
    store.queue.enqueue(&document_run(SubjectId::new()), store.clock.now()).await.unwrap();
    let worker = worker(&store).await;
    let claimed = claim(&store, worker, 1).await.remove(0);
    let ends = [completion(claimed.clone(), store.clock.now()), completion(claimed, store.clock.now())];
    let [first, second] = ends;
    let (first, second) = tokio::join!(store.queue.write(first), store.queue.write(second));
    let outcomes = [first.unwrap(), second.unwrap()];
    let count = |outcome: &RunWriteOutcome| outcomes.iter().filter(|one| *one == outcome).count();
    let accepted = RunWriteOutcome::Accepted(Vec::new());
    assert_eq!((count(&accepted), count(&RunWriteOutcome::Refused)), (1, 1), "{outcomes:?}");
}

/// The first try of a write got no answer and is still committing when the second try comes: the write is stored once.
#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_write_waits_for_its_first_try_and_is_stored_once() {
    let test_schema = TestSchema::migrated().await;
    let store = Arc::new(store(&test_schema).await);
    let worker = worker(&store).await;
    let new = document_run(SubjectId::new());
    store.queue.enqueue(&new, store.clock.now()).await.unwrap();
    let claimed = claim(&store, worker, 1).await.remove(0);
    let step = claimed.started_steps[0].step;
    let succeeded = Event {
        step: Some(step),
        attempt: Some(1),
        ..Event::of_run(EventType::StepSucceeded, &claimed.run, store.clock.now())
    };
    let write = RunWrite {
        events: vec![succeeded],
        transition: None,
        repeated: true,
        ..completion(claimed.clone(), store.clock.now())
    };

    let (mut first, mut watcher) = (test_schema.connection().await, test_schema.connection().await);
    let mut open = first.begin().await.unwrap();
    open.execute("SELECT id FROM runs FOR SHARE").await.unwrap();
    let insert = format!(
        "INSERT INTO events (at, event_type, pipeline, subject_id, run_id, fence, step_name, attempt) \
         VALUES (now(), 'STEP_SUCCEEDED', 'document', '{}', '{}', {}, '{}', 1)",
        new.subject, new.id, claimed.run.fence.0, step
    );
    open.execute(AssertSqlSafe(insert)).await.unwrap();
    let second = {
        let store = store.clone();
        tokio::spawn(async move { store.queue.write(write).await })
    };
    timeout(SOON, somebody_waits(&mut open)).await.unwrap();
    open.commit().await.unwrap();
    assert_eq!(second.await.unwrap().unwrap(), RunWriteOutcome::Accepted(Vec::new()));
    let stored = "SELECT count(*) FROM events WHERE event_type = 'STEP_SUCCEEDED'";
    assert_eq!(number(&mut watcher, stored).await, 1);
}
