//! Metrics by the minute, for charts. The engine counts in memory and adds the counts to the store every 10 seconds. A
//! crash may lose the last counts; the event history itself is exact.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use quire_domain::{Effect, Event, EventType, Pipeline, Run, Transition};
use quire_ports::{MinuteMetrics, PortResult};

use super::EngineCore;

const FLUSH_EVERY: Duration = Duration::from_secs(10);
const MINUTE_SECONDS: i64 = 60;

/// Counts that are not in the store yet.
#[derive(Default)]
pub(super) struct MinuteCounters {
    minutes: Mutex<BTreeMap<(Timestamp, Pipeline), MinuteMetrics>>,
}

pub(super) async fn keep_counting(engine: Arc<EngineCore>) {
    let mut queue_was_empty = true;
    loop {
        let last = tokio::select! {
            () = engine.store.clock.sleep(FLUSH_EVERY) => false,
            () = engine.aborting.cancelled() => true,
        };
        match engine.flush(queue_was_empty).await {
            Ok(empty) => queue_was_empty = empty,
            Err(error) => tracing::warn!(%error, "minute metrics: write failed, will retry"),
        }
        if last {
            return;
        }
    }
}

impl EngineCore {
    /// Adds the counts and the depth of the queue to the store. Returns whether the queue is empty.
    async fn flush(&self, queue_was_empty: bool) -> PortResult<bool> {
        let now = self.store.clock.now();
        let depth = self.store.run_reader.queue_depth().await?;
        for waiting in &depth {
            let oldest = waiting.oldest_queued_at.map_or(0, |at| now.duration_since(at).as_millis());
            let oldest_ms = u64::try_from(oldest).unwrap_or(0);
            self.minute_counters.with(now, waiting.pipeline, |minute| {
                minute.queued = waiting.queued.max(minute.queued);
                minute.oldest_ms = oldest_ms.max(minute.oldest_ms);
            });
        }
        if depth.is_empty() && !queue_was_empty {
            // One row of zeroes, so that a chart returns to zero.
            for plan in &self.plans {
                self.minute_counters.with(now, plan.pipeline, |_| ());
            }
        }
        let minutes = self.minute_counters.take();
        if minutes.is_empty() {
            return Ok(depth.is_empty());
        }
        if let Err(error) = self.store.metrics.add(&minutes).await {
            self.minute_counters.put_back(minutes);
            return Err(error);
        }
        Ok(depth.is_empty())
    }
}

impl MinuteCounters {
    /// Counts the start of a run. A run that goes on after a wait was counted before.
    pub(super) fn count_started(&self, run: &Run, at: Timestamp) {
        if !run.goes_on() {
            self.with(at, run.pipeline, |minute| minute.started += 1);
        }
    }

    pub(super) fn count(&self, event: &Event) {
        let Some(pipeline) = event.pipeline else { return };
        let duration = event.started_at.map_or(0, |start| event.at.duration_since(start).as_millis());
        let duration_ms = u64::try_from(duration).unwrap_or(0);
        match event.event_type {
            EventType::RunCompleted => self.with(event.at, pipeline, |minute| {
                minute.completed += 1;
                minute.duration_ms += duration_ms;
            }),
            EventType::RunFailed | EventType::RunRecoveredAsFailed => {
                self.with(event.at, pipeline, |minute| minute.failed += 1);
            }
            EventType::RunTimedOut => self.with(event.at, pipeline, |minute| minute.timed_out += 1),
            EventType::RunRequeued if event.is_wait() => {}
            EventType::RunRequeued => self.with(event.at, pipeline, |minute| minute.requeued += 1),
            EventType::StepRetried => self.with(event.at, pipeline, |minute| minute.step_retries += 1),
            EventType::LateWriteRefused => self.with(event.at, pipeline, |minute| minute.refused += 1),
            _ => {}
        }
    }

    pub(super) fn count_transition(&self, transition: &Transition) {
        for effect in &transition.effects {
            if let Effect::Record(event) = effect {
                self.count(event);
            }
        }
    }

    pub(super) fn count_recovered(&self, transition: &Transition) {
        let at = transition.run.state.completed_at().unwrap_or(transition.run.queued_at);
        self.with(at, transition.run.pipeline, |minute| minute.recovered += 1);
    }

    fn with(&self, at: Timestamp, pipeline: Pipeline, change: impl FnOnce(&mut MinuteMetrics)) {
        let second = at.as_second().div_euclid(MINUTE_SECONDS) * MINUTE_SECONDS;
        let minute = Timestamp::from_second(second).unwrap_or(at);
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        change(minutes.entry((minute, pipeline)).or_insert_with(|| MinuteMetrics::empty(minute, pipeline)));
    }

    fn take(&self) -> Vec<MinuteMetrics> {
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *minutes).into_values().collect()
    }

    /// Adds counts back that could not be written, so that the next flush writes them.
    fn put_back(&self, minutes: Vec<MinuteMetrics>) {
        for kept in minutes {
            self.with(kept.minute, kept.pipeline, |minute| {
                minute.started += kept.started;
                minute.completed += kept.completed;
                minute.failed += kept.failed;
                minute.timed_out += kept.timed_out;
                minute.requeued += kept.requeued;
                minute.step_retries += kept.step_retries;
                minute.recovered += kept.recovered;
                minute.refused += kept.refused;
                minute.duration_ms += kept.duration_ms;
            });
        }
    }
}
