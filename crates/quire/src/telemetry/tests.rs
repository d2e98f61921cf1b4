use std::io::{self, Write};
use std::sync::mpsc::{Receiver, Sender, channel};

use jiff::Timestamp;
use quire_application::event_telemetry;
use quire_domain::{Event, EventType, Failure, Pipeline, RunId, StepName, SubjectId};
use serde_json::Value;
use tracing::subscriber::with_default;

use super::*;

const JSON: LogSection = LogSection { level: LogLevel::Info, format: LogFormat::Auto };

/// A writer that sends each write to a channel.
struct ChannelWriter(Sender<Vec<u8>>);

impl Write for ChannelWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.send(bytes.to_vec()).map_err(io::Error::other)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The lines that `action` logs.
fn logged(log: LogSection, action: impl FnOnce()) -> String {
    let (lines, written) = channel();
    let (layer, telemetry) = layer(log, false, ChannelWriter(lines));
    with_default(tracing_subscriber::registry().with(layer), action);
    drop(telemetry);
    String::from_utf8(written.iter().flatten().collect()).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Proves R039.
#[test]
fn every_json_line_has_the_required_keys() {
    let (run, document) = (RunId::new(), SubjectId::new());
    let failure = Failure::transient("PAGE_UNREADABLE", "page 3 has no \"text\"\n");
    let event = Event {
        pipeline: Some(Pipeline::Document),
        subject: Some(document),
        run: Some(run),
        step: Some(StepName::Extraction),
        attempt: Some(1),
        delay_ms: Some(500),
        failure: Some(failure.record(Some(StepName::Extraction), None)),
        ..Event::new(EventType::StepRetried, Timestamp::UNIX_EPOCH)
    };
    let text = logged(JSON, || {
        event_telemetry::log(&event, Some("c0ffee"));
        event_telemetry::log(&Event::new(EventType::SchedulerContention, Timestamp::UNIX_EPOCH), None);
        tracing::warn!(worker_id = 7, ratio = 0.5, good = true, debug = ?Some(1), "something else");
        tracing::debug!("too fine");
    });
    let lines = lines(&text);
    assert_eq!(lines.len(), 3, "{text}");
    for line in &lines {
        for key in ["timestamp", "level", "target", "message"] {
            assert!(line[key].is_string(), "{key} in {line}");
        }
        for key in ["document_id", "run_id", "step_name", "event_type", "error_code"] {
            assert!(line.as_object().unwrap().contains_key(key), "{key} in {line}");
        }
        line["timestamp"].as_str().unwrap().parse::<Timestamp>().unwrap();
    }
    let event = &lines[0];
    assert_eq!(event["timestamp"], "1970-01-01T00:00:00Z");
    assert_eq!(event["message"], "STEP_RETRIED");
    assert_eq!(event["target"], "quire::event");
    assert_eq!(event["document_id"], document.to_string());
    assert_eq!(event["run_id"], run.to_string());
    assert_eq!(event["step_name"], "EXTRACTION");
    assert_eq!(event["event_type"], "STEP_RETRIED");
    assert_eq!(event["error_code"], "PAGE_UNREADABLE");
    assert_eq!(event["correlation_id"], "c0ffee");
    assert_eq!(event["stage"], "EXTRACTION");
    assert_eq!((&event["attempt"], &event["delay_ms"]), (&Value::from(1), &Value::from(500)));
    assert_eq!(event["error"], "page 3 has no \"text\"\n");
    assert!(lines[1]["run_id"].is_null() && lines[1]["error_code"].is_null());
    let other = &lines[2];
    assert_eq!((&other["level"], &other["message"]), (&Value::from("WARN"), &Value::from("something else")));
    assert_eq!(
        (&other["worker_id"], &other["ratio"], &other["good"]),
        (&7.into(), &0.5.into(), &true.into())
    );
    assert_eq!(other["debug"], "Some(1)");
}

#[test]
fn the_pretty_format_is_plain_text_without_colours_in_a_file() {
    let text =
        logged(LogSection { format: LogFormat::Pretty, ..JSON }, || tracing::info!(slots = 2, "starting"));
    assert!(text.contains("INFO") && text.contains("starting") && text.contains("slots=2"), "{text}");
    assert!(!text.contains('\u{1b}'), "colours in a file: {text}");
}

/// An output whose every write fails.
struct FailingOutput;

impl Write for FailingOutput {
    fn write(&mut self, _: &[u8]) -> io::Result<usize> {
        Err(io::ErrorKind::StorageFull.into())
    }

    fn flush(&mut self) -> io::Result<()> {
        Err(io::ErrorKind::StorageFull.into())
    }
}

/// An output that blocks for as long as the test holds the other end of the channel.
struct HangingOutput(Receiver<()>);

impl Write for HangingOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = self.0.recv();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn log_lines(output: impl Write + Send + 'static, count: u64) -> Telemetry {
    let (layer, telemetry) = layer(JSON, false, output);
    with_default(tracing_subscriber::registry().with(layer), || {
        for number in 0..count {
            tracing::info!(number, "work goes on");
        }
    });
    telemetry
}

/// Proves R040: a failing sink costs log lines, which are counted, and nothing else.
#[test]
fn an_output_that_always_fails_costs_only_counted_lines() {
    let telemetry = log_lines(FailingOutput, 100);
    let dropped = telemetry.dropped.clone();
    // Waits until the thread has tried to write every line.
    drop(telemetry);
    assert_eq!(dropped.lines(), 100);
}

/// Proves R040: a hanging sink delays nothing. If it did, this test would not end.
#[test]
fn an_output_that_hangs_never_blocks_the_code_that_logs() {
    let (release, hold) = channel();
    let count = 20_000;
    let telemetry = log_lines(HangingOutput(hold), count);
    let dropped = telemetry.dropped.lines();
    assert!(dropped > 0 && dropped < count, "{dropped} of {count} lines were dropped");
    // Unblocks the writer thread.
    drop(release);
}

#[test]
fn every_counter_exists_before_anything_has_happened() {
    let recorder = super::metrics::builder().unwrap().build_recorder();
    let text = ::metrics::with_local_recorder(&recorder, || {
        super::metrics::describe();
        super::metrics::start_at_zero();
        ::metrics::histogram!("quire_run_wait_seconds", "pipeline" => "link").record(0.3);
        recorder.handle().render()
    });
    for line in [
        "quire_lock_skips_total{source=\"redis\"} 0",
        "quire_log_lines_dropped_total 0",
        "quire_runs_finished_total{pipeline=\"document\",outcome=\"timed_out\"} 0",
        "quire_step_retries_total{pipeline=\"link\",step=\"summarization\"} 0",
        "quire_store_errors_total{doing=\"claim\"} 0",
        "quire_model_calls_total{outcome=\"MODEL_REFUSED\"} 0",
        "quire_web_fetches_total{outcome=\"URL_NOT_ALLOWED\"} 0",
        "# TYPE quire_run_wait_seconds histogram",
        "quire_run_wait_seconds_bucket{pipeline=\"link\",le=\"0.5\"} 1",
        "# HELP quire_runs_started_total Runs started.",
    ] {
        assert!(text.lines().any(|found| found == line), "{line} is not in:\n{text}");
    }
}
