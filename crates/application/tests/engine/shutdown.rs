//! Stopping.

use std::sync::Arc;

use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, StepOutput};
use quire_testkit::steps;
use tokio::sync::Semaphore;

use crate::stage::{SECOND, Stage, documents, lenient, strict};

crate::on_each_store! {
    a_shutdown_waits_for_what_is_under_way_and_takes_nothing_new,
    what_is_not_done_in_time_is_settled_as_recovery_would,
    what_has_not_begun_is_handed_back_untouched,
}

fn gated(gate: &Arc<Semaphore>) -> Arc<dyn quire_ports::Step> {
    let gate = gate.clone();
    steps::step(move |_| {
        let gate = gate.clone();
        async move {
            gate.acquire().await.unwrap().forget();
            Ok(StepOutput::default())
        }
    })
}

/// Proves R024.
async fn a_shutdown_waits_for_what_is_under_way_and_takes_nothing_new(stage: Stage) {
    let gate = Arc::new(Semaphore::new(0));
    let under_way = stage.enqueue(SubjectId::new()).await;
    let engine = stage.engine(documents(strict(), &gated(&gate))).await;
    stage.probe.wait_for(Breakpoint::BeforeStep, 1).await;
    let stopping = tokio::spawn(engine.stop());
    let late = stage.enqueue(SubjectId::new()).await;
    gate.add_permits(2);
    stopping.await.unwrap();
    assert_eq!(stage.state(under_way).await, "COMPLETED");
    assert_eq!(stage.state(late).await, "QUEUED");
    assert_eq!(stage.store.workers.list().await.unwrap()[0].lease, None, "it has resigned");
}

/// Proves R024 when the wait is over: bounded, and nothing is left RUNNING.
async fn what_is_not_done_in_time_is_settled_as_recovery_would(stage: Stage) {
    for (policy, state, last) in
        [(strict(), "FAILED", EventType::RunRecoveredAsFailed), (lenient(), "QUEUED", EventType::RunRequeued)]
    {
        let run = stage.enqueue(SubjectId::new()).await;
        let before = stage.probe.count(Breakpoint::BeforeStep);
        let engine = stage.engine(documents(policy, &steps::step(|_| std::future::pending()))).await;
        stage.probe.wait_for(Breakpoint::BeforeStep, before + 1).await;
        let stopping = tokio::spawn(engine.stop());
        stage.observer.wait_until_advancing(&stage.clock, SECOND, || async { stopping.is_finished() }).await;
        assert_eq!(stage.state(run).await, state);
        assert_eq!(stage.told(run).await.last(), Some(&last));
    }
}

/// Claimed at the very moment of the shutdown: it goes back as it was, and no attempt is counted.
async fn what_has_not_begun_is_handed_back_untouched(stage: Stage) {
    let run = stage.enqueue(SubjectId::new()).await;
    stage.probe.hold_once(Breakpoint::AfterClaim);
    let engine = stage.engine(documents(strict(), &steps::no_op())).await;
    stage.probe.wait_for(Breakpoint::AfterClaim, 1).await;
    assert_eq!(stage.state(run).await, "RUNNING");
    let mut stopping = std::pin::pin!(engine.stop());
    tokio::select! {
        biased;
        () = &mut stopping => panic!("it waits for what it has claimed"),
        () = std::future::ready(()) => stage.probe.release(),
    }
    stopping.await;
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!(stored.state.as_str(), "QUEUED");
    assert_eq!((stored.attempts, stored.retry_count), (0, 0));
    assert_eq!(stage.told(run).await.last(), Some(&EventType::RunRequeued));
    let steps = stage.store.history.steps(run).await.unwrap();
    assert_eq!(steps[0].status, quire_domain::StepStatus::Pending);
}
