//! What the program tells about itself: log lines and metrics. Neither may fail or delay the work it tells about.

mod json;
mod metrics;
mod sink;

use std::io::{IsTerminal, Write, stderr};

use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::filter::LevelFilter;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, Registry, fmt};

use crate::config::{Log, LogFormat, LogLevel};

pub use json::JsonLines;
pub use metrics::{Metrics, install as install_metrics};
pub use sink::Lost;

/// Keep it until the end: dropping it writes out what is still waiting, for at most a second.
pub struct Telemetry {
    _flush: WorkerGuard,
    /// Counts the lines that could not be written.
    pub lost: Lost,
}

/// Starts logging to standard error.
pub fn start(log: Log) -> Telemetry {
    let on_terminal = stderr().is_terminal();
    let (layer, telemetry) = layer(log, on_terminal, stderr());
    // Somebody who embeds the program may have set up logging already; then theirs is used.
    let _ = tracing_subscriber::registry().with(layer).try_init();
    telemetry
}

/// A layer that logs to `output`, from a thread of its own.
pub(crate) fn layer(
    log: Log,
    on_terminal: bool,
    output: impl Write + Send + 'static,
) -> (Box<dyn Layer<Registry> + Send + Sync>, Telemetry) {
    let (sink, flush, lost) = sink::open(output);
    let pretty = match log.format {
        LogFormat::Pretty => true,
        LogFormat::Json => false,
        LogFormat::Auto => on_terminal,
    };
    let layer = if pretty { for_people(sink, on_terminal) } else { JsonLines::new(sink).boxed() };
    (layer.with_filter(level(log.level)).boxed(), Telemetry { _flush: flush, lost })
}

fn for_people(sink: NonBlocking, colours: bool) -> Box<dyn Layer<Registry> + Send + Sync> {
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
