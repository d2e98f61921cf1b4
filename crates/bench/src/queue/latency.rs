//! How long an accepted run waits on an idle system before its first step starts.

use std::time::Instant;

use quire_domain::{NewRun, Pipeline, Priority, RunId, SubjectId};
use quire_ports::{NoProbe, StepOutput};
use quire_testkit::steps;
use tokio::sync::mpsc;

use super::drain::{no_op_documents, settings};
use crate::database::{self, Grouping, Kind};
use crate::report::{Line, Table, percentile};

const ROUNDS: usize = 300;

/// The table for one database.
pub async fn measure(kind: Kind) -> Table {
    let database = database::fresh(kind, Grouping::Usual).await;
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
        std::sync::Arc::new(NoProbe),
    )
    .await
    .unwrap();
    let (mut from_call, mut from_answer) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let new = NewRun {
            id: RunId::new(),
            pipeline: Pipeline::Document,
            subject: SubjectId::new(),
            priority: Priority::Normal,
            correlation_id: None,
        };
        let called = Instant::now();
        store.queue.enqueue(&new, store.clock.now()).await.unwrap();
        let answered = Instant::now();
        let start = starts.recv().await.unwrap();
        let ms = |since: Instant| start.saturating_duration_since(since).as_secs_f64() * 1000.0;
        from_call.push(ms(called));
        from_answer.push(ms(answered));
        // Idle again before the next one comes.
        super::settled(store, new.id).await;
    }
    engine.stop().await;
    let wanted = if kind == Kind::Sqlite { 2.0 } else { 5.0 };
    let note = format!(
        "from the call, which is two commits: p50 {:.2} ms, p99 {:.2} ms",
        percentile(from_call.clone(), 0.5),
        percentile(from_call, 0.99)
    );
    let lines = vec![
        Line::at_most(
            "accepted → first step started, p50",
            percentile(from_answer.clone(), 0.5),
            wanted,
            " ms",
        ),
        Line {
            what: "the same, p99".to_owned(),
            figure: format!("{:.2} ms", percentile(from_answer, 0.99)),
            wanted: "reported".to_owned(),
            met: true,
        },
    ];
    Table { lines, notes: vec![note] }
}
