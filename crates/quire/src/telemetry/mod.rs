//! Logs and metrics. Neither may fail or delay the work that they report.

mod json;
mod metrics;
mod panics;
mod sink;

use std::io::{IsTerminal, Write, stderr};

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::config::{LogFormat, LogLevel, LogSection};

pub use json::JsonLines;
pub use metrics::{PrometheusMetrics, install as install_metrics};
pub use panics::log_only_the_place_of_panics;
pub use sink::DroppedLines;

/// Keep it until the process ends: dropping it flushes buffered log lines, for at most a second.
pub struct Telemetry {
    _flush: WorkerGuard,
    /// Counts the lines that could not be written.
    pub dropped: DroppedLines,
}

/// Starts logging to standard error.
pub fn start(log: LogSection) -> Telemetry {
    let on_terminal = stderr().is_terminal();
    let (layer, telemetry) = layer(log, on_terminal, stderr());
    // A program that embeds this one may have set up logging already; then that one is used.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    telemetry
}

/// A layer that logs to `output` on its own thread.
pub(crate) fn layer(
    log: LogSection,
    on_terminal: bool,
    output: impl Write + Send + 'static,
) -> (Box<dyn Layer<Registry> + Send + Sync>, Telemetry) {
    let (sink, flush, dropped) = sink::open(output);
    let is_pretty = match log.format {
        LogFormat::Pretty => true,
        LogFormat::Json => false,
        LogFormat::Auto => on_terminal,
    };
    let layer = if is_pretty { pretty_layer(sink, on_terminal) } else { JsonLines::new(sink).boxed() };
    (layer.with_filter(level(log.level)).boxed(), Telemetry { _flush: flush, dropped })
}

fn pretty_layer(sink: NonBlocking, colours: bool) -> Box<dyn Layer<Registry> + Send + Sync> {
    fmt::layer().compact().with_ansi(colours).with_writer(sink).boxed()
}

fn level(level: LogLevel) -> LevelFilter {
    match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    }
}

#[cfg(test)]
mod tests;
