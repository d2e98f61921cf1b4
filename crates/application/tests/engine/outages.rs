//! A store that fails, before a write or after it.

use quire_domain::SubjectId;
use quire_testkit::{Fault, snapshot, steps};

use crate::stage::{Stage, documents, strict};

crate::on_each_store! {
    a_result_survives_an_outage_and_is_stored_once,
    a_result_that_no_store_can_take_fails_the_run,
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
    engine.stop().await;
}
