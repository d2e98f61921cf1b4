//! Calls to language models and their sums.

use std::time::Duration;

use jiff::Timestamp;
use quire_domain::{ModelCallId, RunId, StepName};
use quire_ports::{MODEL_CALL_OK, ModelCall, ModelUsage};

use crate::fixture::{StoreFixture, at};

/// A call that ended at this time.
pub(super) fn call(run: Option<RunId>, created_at: Timestamp) -> ModelCall {
    ModelCall {
        id: ModelCallId::new(),
        run_id: run,
        step: run.map(|_| StepName::ReviewCritic),
        step_attempt: 1,
        credential: None,
        model: "small".to_owned(),
        tokens_in: 700,
        tokens_out: 50,
        cost: Some(0.25),
        latency: Duration::from_millis(120),
        outcome: MODEL_CALL_OK.to_owned(),
        created_at,
    }
}

/// Sums count every call once, failed ones too, and only what belongs to them.
pub async fn calls_to_models_are_summed_by_run_day_credential_and_model(fixture: &StoreFixture) {
    let calls = &fixture.store.model_calls;
    let (run, other) = (RunId::new(), RunId::new());
    let day = |text: &str| text.parse::<Timestamp>().unwrap();
    let alma = Some("alma".to_owned());
    let failed = ModelCall {
        tokens_in: 0,
        tokens_out: 0,
        cost: None,
        outcome: "MODEL_UNAVAILABLE".to_owned(),
        step_attempt: 2,
        ..call(Some(run), day("2026-03-01T23:59:59.999999Z"))
    };
    let first = call(Some(run), day("2026-03-01T00:00:00Z"));
    let next_day = ModelCall { credential: alma.clone(), ..call(Some(other), day("2026-03-02T00:00:00Z")) };
    let large = ModelCall { model: "large".to_owned(), cost: None, ..next_day.clone() };
    let large = ModelCall { id: ModelCallId::new(), run_id: None, step: None, ..large };
    let all = [first.clone(), failed.clone(), next_day, large];
    calls.record(&all).await.unwrap();
    calls.record(&all[..2]).await.unwrap();
    assert_eq!(calls.of_run(run).await.unwrap(), [first, failed], "recording again changes nothing");

    let expected = ModelUsage {
        calls: 2,
        failed: 1,
        tokens_in: 700,
        tokens_out: 50,
        cost: Some(0.25),
        latency: Duration::from_millis(240),
    };
    assert_eq!(calls.usage_of_run(run).await.unwrap(), expected);
    assert_eq!(calls.usage_of_run(RunId::new()).await.unwrap(), ModelUsage::default());

    let (from, before) = (day("2026-03-01T00:00:00Z"), day("2026-03-03T00:00:00Z"));
    let days = calls.daily_usage(from, before).await.unwrap();
    let shown: Vec<_> = days
        .iter()
        .map(|sum| {
            (sum.day.to_string(), sum.credential.clone(), sum.model.as_str(), sum.usage.calls, sum.usage.cost)
        })
        .collect();
    let (first_day, second_day) = ("2026-03-01T00:00:00Z".to_owned(), "2026-03-02T00:00:00Z".to_owned());
    assert_eq!(
        shown,
        [
            (first_day, None, "small", 2, Some(0.25)),
            (second_day.clone(), alma.clone(), "large", 1, None),
            (second_day, alma, "small", 1, Some(0.25)),
        ]
    );
    assert_eq!(calls.daily_usage(from, day("2026-03-02T00:00:00Z")).await.unwrap().len(), 1);
    let since = async |time: &str| calls.tokens_since(day(time)).await.unwrap();
    assert_eq!((since("2026-03-01T00:00:00Z").await, since("2026-03-02T00:00:00Z").await), (2250, 1500));
    assert_eq!(since("2026-03-02T00:00:01Z").await, 0);
}

/// Nobody changes a bill, and the purge of a document does not make it smaller.
pub async fn calls_to_models_cannot_be_changed_and_survive_a_purge(fixture: &StoreFixture) {
    let (document, run, _) = fixture.interpreted_document().await;
    let stored = call(Some(run), at(3));
    fixture.store.model_calls.record(std::slice::from_ref(&stored)).await.unwrap();
    for change in ["UPDATE model_calls SET cost = 0", "DELETE FROM model_calls"] {
        assert!(fixture.sql.execute(change).await.is_err(), "{change}");
    }
    fixture.store.documents.purge(document.into(), at(9)).await.unwrap();
    assert_eq!(fixture.store.model_calls.of_run(run).await.unwrap(), [stored]);
}
