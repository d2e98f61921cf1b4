//! Measures how long an accepted run waits on an idle system until its first step starts.

use std::time::Instant;

use quire_domain::{NewRun, Pipeline, Priority, RunId, SubjectId};
use quire_ports::{NoBreakpoints, StepOutput};
use quire_testkit::steps;
use tokio::sync::mpsc;

use super::drain::{lanes, no_op_documents, settings};
use crate::database::{self, CommitGrouping, DatabaseKind};
use crate::report::{Measurement, Table, percentile};

const ROUNDS: usize = 300;

/// Measures on one kind of database.
pub async fn measure(kind: DatabaseKind) -> Table {
    let database = database::create(kind, CommitGrouping::Default).await;
    let store = &database.store;
    let (started, mut starts) = mpsc::unbounded_channel();
    let work = steps::step(move |context| {
        if context.step.order() == 0 {
            started.send(Instant::now()).unwrap();
        }
        async { Ok(StepOutput::default()) }
    });
    let mut pipelines = no_op_documents();
    pipelines[0].steps = steps::for_every_step(&pipelines[0].plan, &work);
    let engine = quire_application::engine::Engine::start(
        store.clone(),
        settings(2),
        pipelines,
        lanes(store),
        std::sync::Arc::new(NoBreakpoints),
    )
    .await
    .unwrap();
    let (mut from_call, mut from_accepted) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let new = NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject: SubjectId::new(),
            priority: Priority::Normal,
            correlation_id: None,
            requested_by: None,
            extractor: None,
            continues: None,
        };
        let called = Instant::now();
        store.queue.enqueue(&new, store.clock.now()).await.unwrap();
        let accepted = Instant::now();
        let start = starts.recv().await.unwrap();
        let ms = |since: Instant| start.saturating_duration_since(since).as_secs_f64() * 1000.0;
        from_call.push(ms(called));
        from_accepted.push(ms(accepted));
        // The system must be idle before the next round.
        super::wait_until_ended(store, new.id).await;
    }
    engine.stop().await;
    let target = if kind == DatabaseKind::Sqlite { 2.0 } else { 5.0 };
    let note = format!(
        "from the start of the enqueue call, which includes two commits: p50 {:.2} ms, p99 {:.2} ms",
        percentile(from_call.clone(), 0.5),
        percentile(from_call, 0.99)
    );
    let lines = vec![
        Measurement::at_most(
            "accepted → first step started, p50",
            percentile(from_accepted.clone(), 0.5),
            target,
            " ms",
        ),
        Measurement {
            name: "accepted → first step started, p99".to_owned(),
            value: format!("{:.2} ms", percentile(from_accepted, 0.99)),
            target: "none".to_owned(),
            met: true,
        },
    ];
    Table { measurements: lines, notes: vec![note] }
}
