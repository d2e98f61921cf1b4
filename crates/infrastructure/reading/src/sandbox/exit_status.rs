//! Explains why a parser failed, from the interrupted stream, the exit status and the end of standard error.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use quire_ports::{ReadError, ReadErrorKind};

use super::ParserLimits;

/// The message of the Rust runtime before it aborts because an allocation failed.
const OUT_OF_MEMORY_MESSAGE: &str = "memory allocation of";
/// The signal after the CPU time limit.
const SIGXCPU: i32 = 24;

/// How a request to a parser was interrupted.
#[derive(Debug)]
pub(super) enum Interruption {
    /// The stream ended, or a response was invalid.
    Stream(io::Error),
    /// The time limit of the document passed.
    Timeout,
}

/// What a parser was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ParserTask {
    /// To read the document, or to draw its pages for OCR.
    Read,
    /// To draw a page for people.
    Draw,
}

/// The error of a request that was interrupted. `status` is `None` if the parser had to be killed.
pub(super) fn explain_exit(
    interruption: &Interruption,
    status: Option<ExitStatus>,
    stderr: &str,
    limits: &ParserLimits,
    task: ParserTask,
) -> ReadError {
    let signal = status.and_then(|status| status.signal());
    let kind = match interruption {
        Interruption::Timeout => ReadErrorKind::ParserTimeout,
        Interruption::Stream(_) if signal == Some(SIGXCPU) => ReadErrorKind::ParserTimeout,
        Interruption::Stream(_) if stderr.contains(OUT_OF_MEMORY_MESSAGE) => ReadErrorKind::ParserMemory,
        Interruption::Stream(error)
            if error.kind() == io::ErrorKind::InvalidData && is_frame_too_long(error) =>
        {
            ReadErrorKind::DocumentTooLarge
        }
        Interruption::Stream(_) => ReadErrorKind::ParserCrashed,
    };
    ReadError {
        kind,
        message: message(kind, limits, task),
        diagnosis: Some(diagnosis(interruption, status, stderr, limits)),
    }
}

fn is_frame_too_long(error: &io::Error) -> bool {
    error.to_string() == super::protocol::frame_too_long().to_string()
}

fn message(kind: ReadErrorKind, limits: &ParserLimits, task: ParserTask) -> String {
    let (seconds, megabytes) = (limits.time.as_secs(), limits.memory >> 20);
    match (kind, task) {
        (ReadErrorKind::ParserTimeout, ParserTask::Read) => format!(
            "reading the document took longer than the limit of {seconds} seconds; split it, or raise \
             reading.time_limit"
        ),
        (ReadErrorKind::ParserTimeout, ParserTask::Draw) => format!(
            "drawing the page took longer than the limit of {seconds} seconds; print the document to a new PDF, or \
             raise reading.images.time_limit"
        ),
        (ReadErrorKind::ParserMemory, ParserTask::Read) => format!(
            "reading the document needs more memory than the limit of {megabytes} MB; split it, or raise \
             reading.memory_mb"
        ),
        (ReadErrorKind::ParserMemory, ParserTask::Draw) => format!(
            "drawing the page needs more memory than the limit of {megabytes} MB; make its pictures smaller, or raise \
             reading.memory_mb"
        ),
        (ReadErrorKind::DocumentTooLarge, _) => {
            "the document has more text than the limit; split it, or raise reading.max_pages or reading.max_words"
                .to_owned()
        }
        _ => "the document crashed its parser; it may be damaged; print it to a new PDF and send that"
            .to_owned(),
    }
}

fn diagnosis(
    interruption: &Interruption,
    status: Option<ExitStatus>,
    stderr: &str,
    limits: &ParserLimits,
) -> String {
    let cause = match (interruption, status) {
        (Interruption::Timeout, _) => "was killed after the time limit".to_owned(),
        (_, Some(status)) => format!("exited with {status}"),
        (Interruption::Stream(error), None) => format!("was killed after a stream error: {error}"),
    };
    let (memory, time) = (limits.memory >> 20, limits.time.as_secs());
    format!("The parser {cause}. Limits: {memory} MB, {time} s. End of standard error: {}", stderr.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_names_the_setting_of_its_task() {
        let limits = ParserLimits::default();
        let message = |task| explain_exit(&Interruption::Timeout, None, "", &limits, task).message;
        assert!(message(ParserTask::Read).ends_with("raise reading.time_limit"));
        assert!(message(ParserTask::Draw).ends_with("raise reading.images.time_limit"));
    }
}
