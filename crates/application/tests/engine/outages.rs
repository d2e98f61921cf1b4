//! A store that fails, before a write or after it.

use quire_domain::{EventType, SubjectId};
use quire_ports::{Breakpoint, PortError};
use quire_testkit::{Fault, snapshot, steps};

use crate::stage::{Stage, documents, strict};

crate::on_each_store! {
    a_result_survives_an_outage_and_is_stored_once,
    a_result_that_no_store_can_take_fails_the_run,
    a_claim_whose_answer_was_lost_is_given_back_and_made_again,
}

/// However a write fails, before or after it was done, the story that is kept is the same.
async fn a_result_survives_an_outage_and_is_stored_once(stage: Stage) {
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "text")) });
    let engine = stage.engine(documents(strict(), &work)).await;
    let mut stories = Vec::new();
    let faults: [&[Fault]; 4] = [
        &[],
        &[Fault::Before, Fault::After],
        &[Fault::After, Fault::Before],
        &[Fault::Before, Fault::Before],
    ];
    for faults in faults {
        for fault in faults {
            stage.observer.plan(*fault);
        }
        let run = stage.enqueue(SubjectId::new()).await;
        stage.until_state(run, "COMPLETED").await;
        stories.push(stage.told(run).await);
        assert_eq!(stage.store.history.artifacts(run).await.unwrap().len(), 2);
    }
    assert!(
        stories.windows(2).all(|pair| pair[0] == pair[1]),
        "{stories:?}\n{}",
        snapshot::of(&stage.store).await
    );
    engine.stop().await;
}

/// A result that a constraint refuses is an end, not an endless loop.
async fn a_result_that_no_store_can_take_fails_the_run(stage: Stage) {
    let subject = SubjectId::new();
    let run = stage.enqueue(subject).await;
    // The artifacts table is gone: nothing that a step produces can be stored.
    stage.bed.sql.execute("DROP TABLE artifacts").await.unwrap();
    let work = steps::step(|_| async { Ok(steps::artifact("RAW_TEXT", "text")) });
    let engine = stage.engine(documents(strict(), &work)).await;
    stage.until_state(run, "FAILED").await;
    let stored = stage.store.history.run(run).await.unwrap();
    assert_eq!(stored.state.reason().unwrap().record.error_code, "RESULT_NOT_STORABLE");
    let steps = stage.store.history.steps(run).await.unwrap();
    assert_eq!(steps[0].status, quire_domain::StepStatus::Failed);
    engine.stop().await;
}

/// The store says RUNNING and names this worker, which knows nothing of it: nobody else would look after that run.
async fn a_claim_whose_answer_was_lost_is_given_back_and_made_again(stage: Stage) {
    let gone = PortError::Unavailable {
        service: "database",
        reason: "rehearsed outage".to_owned(),
        contention: false,
    };
    stage.probe.fail_once(Breakpoint::AfterClaim, gone);
    let lost = stage.enqueue(SubjectId::new()).await;
    let engine = stage.engine(documents(strict(), &steps::nothing())).await;
    stage.until_state_in_time(lost, "COMPLETED").await;
    let told = stage.told(lost).await;
    assert_eq!(told.iter().filter(|kind| **kind == EventType::RunStarted).count(), 2);
    assert_eq!(told.iter().filter(|kind| **kind == EventType::RunRequeued).count(), 1);
    let stored = stage.store.history.run(lost).await.unwrap();
    assert_eq!((stored.attempts, stored.retry_count), (0, 0), "it was not the run's fault");
    engine.stop().await;
}
