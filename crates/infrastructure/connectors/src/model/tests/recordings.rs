//! Recorded and replayed calls.

use super::*;

#[tokio::test]
async fn a_recorded_answer_is_replayed_without_asking_and_another_request_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("recordings");
    let server = ModelServer::start(KEY, vec![completion("{\"a\":1}")]);
    let remote = model(ModelSettings { prices: prices((2.0, 10.0)), ..settings(&server.url) });
    let recording = RecordingModel { model: Arc::new(remote), folder: folder.clone() };
    let answer = recording.ask(&request()).await.unwrap();

    let replaying = ReplayingModel { folder: folder.clone() };
    let later = ModelRequest { deadline: Some(deadline(Duration::ZERO, Arc::new(SystemClock))), ..request() };
    let replayed = replaying.ask(&later).await.unwrap();
    let latency = Duration::from_millis(u64::try_from(answer.latency.as_millis()).unwrap());
    assert_eq!(replayed, ModelResponse { latency, ..answer });
    let other = ModelRequest { temperature: 0.5, ..request() };
    assert_eq!(replaying.ask(&other).await.unwrap_err().kind, ModelErrorKind::Refused);
    assert_eq!(server.requests().len(), 1);

    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(!std::fs::read_to_string(&files[0]).unwrap().contains(KEY));
}
