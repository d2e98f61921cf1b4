//! The record of each call.

use quire_domain::{RunId, StepName};

use super::*;

#[tokio::test]
async fn each_call_is_recorded_with_its_work_tokens_cost_and_outcome() {
    let replies = vec![ModelReply::Status(500, ""), completion("{}"), ModelReply::Refusal("no")];
    let server = ModelServer::start(KEY, replies);
    let settings = ModelSettings { prices: prices((2.0, 10.0)), ..settings(&server.url) };
    let calls = Arc::new(RecordedCalls::default());
    let model = RemoteModel::new(client(), settings, call_log(calls.clone())).unwrap();
    let context = CallContext {
        run_id: Some(RunId::new()),
        step: Some(StepName::Expand),
        step_attempt: 3,
        credential: Some("alma".to_owned()),
        ..CallContext::default()
    };
    let request = ModelRequest { context: context.clone(), ..request() };
    model.ask(&request).await.unwrap_err();
    model.ask(&request).await.unwrap();
    model.ask(&request).await.unwrap_err();
    let recorded = calls.all();
    let shown: Vec<_> = recorded
        .iter()
        .map(|call| (call.outcome.as_str(), call.model.as_str(), call.tokens_in, call.tokens_out, call.cost))
        .collect();
    assert_eq!(
        shown,
        [
            ("MODEL_UNAVAILABLE", "any", 0, 0, None),
            ("OK", MODEL, TOKENS.0, TOKENS.1, Some(0.0019)),
            ("MODEL_REFUSED", "any", TOKENS.0, TOKENS.1, Some(0.0019)),
        ]
    );
    for call in &recorded {
        assert_eq!((call.run_id, call.step, call.step_attempt), (context.run_id, context.step, 3));
        assert!(call.credential == context.credential && call.latency > Duration::ZERO);
    }
    let billed = server.billed_tokens();
    let sum = recorded.iter().fold((0, 0), |sum, call| (sum.0 + call.tokens_in, sum.1 + call.tokens_out));
    assert_eq!(sum, billed, "the provider counts the same");
}

/// An answer that is paid for is not thrown away because the store is down.
#[tokio::test]
async fn calls_that_could_not_be_recorded_are_recorded_with_the_next_one() {
    let server = ModelServer::start(KEY, vec![completion("{}")]);
    let calls = Arc::new(RecordedCalls::default());
    let model = RemoteModel::new(client(), settings(&server.url), call_log(calls.clone())).unwrap();
    calls.set_down(true);
    model.ask(&request()).await.unwrap();
    model.ask(&request()).await.unwrap();
    assert!(calls.all().is_empty());
    calls.set_down(false);
    model.ask(&request()).await.unwrap();
    assert_eq!(calls.all().len(), 3);
}

/// A run that is cancelled drops its call. The provider may bill it, so it is recorded.
#[tokio::test]
async fn a_call_that_is_dropped_is_recorded_as_cancelled() {
    let server = ModelServer::start(KEY, vec![ModelReply::NoResponse]);
    let calls = Arc::new(RecordedCalls::default());
    let model = RemoteModel::new(client(), settings(&server.url), call_log(calls.clone())).unwrap();
    let run_id = Some(RunId::new());
    let request = ModelRequest { context: CallContext { run_id, ..CallContext::default() }, ..request() };
    let asking = tokio::spawn(async move { model.ask(&request).await });
    while server.requests().is_empty() {
        tokio::task::yield_now().await;
    }
    asking.abort();
    assert!(asking.await.is_err());
    while calls.all().is_empty() {
        tokio::task::yield_now().await;
    }
    let recorded = calls.all();
    assert_eq!((recorded.len(), recorded[0].outcome.as_str()), (1, "CANCELLED"));
    assert_eq!((recorded[0].run_id, recorded[0].model.as_str()), (run_id, "any"));
    assert!(recorded[0].latency > Duration::ZERO);
}
