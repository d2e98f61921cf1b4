//! Why a parser ended: from how the conversation broke off, how the process ended and what it last wrote.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use quire_ports::{ReadError, ReadErrorKind};

use super::ParserLimits;

/// What Rust's runtime writes before it aborts for want of memory, and what our own limits say.
const OUT_OF_MEMORY_MESSAGE: &str = "memory allocation of";
const SIGXCPU: i32 = 24;

/// How a conversation with a parser broke off.
#[derive(Debug)]
pub(super) enum Interruption {
    /// The stream ended or made no sense.
    Stream(io::Error),
    /// The document took longer than it may.
    Timeout,
}

pub(super) fn explain_exit(
    broken: &Interruption,
    status: Option<ExitStatus>,
    last_words: &str,
    limits: &ParserLimits,
) -> ReadError {
    let signal = status.and_then(|status| status.signal());
    let trouble = match broken {
        Interruption::Timeout => ReadErrorKind::ParserTimeout,
        Interruption::Stream(_) if signal == Some(SIGXCPU) => ReadErrorKind::ParserTimeout,
        Interruption::Stream(_) if last_words.contains(OUT_OF_MEMORY_MESSAGE) => ReadErrorKind::ParserMemory,
        Interruption::Stream(error)
            if error.kind() == io::ErrorKind::InvalidData && is_frame_too_long(error) =>
        {
            ReadErrorKind::DocumentTooLarge
        }
        Interruption::Stream(_) => ReadErrorKind::ParserCrashed,
    };
    ReadError {
        kind: trouble,
        message: message(trouble, limits),
        diagnosis: Some(diagnosis(broken, status, last_words, limits)),
    }
}

fn is_frame_too_long(error: &io::Error) -> bool {
    error.to_string() == super::protocol::frame_too_long().to_string()
}

fn message(trouble: ReadErrorKind, limits: &ParserLimits) -> String {
    match trouble {
        ReadErrorKind::ParserTimeout => format!(
            "the document could not be read within {} seconds; split it, or raise reading.time_limit",
            limits.time.as_secs()
        ),
        ReadErrorKind::ParserMemory => format!(
            "reading the document takes more than {} MB of memory; split it, or raise reading.memory_mb",
            limits.memory >> 20
        ),
        ReadErrorKind::DocumentTooLarge => {
            "the document holds more text than can be kept; split it".to_owned()
        }
        _ => "the document made its parser crash; it may be damaged: print it to a new PDF and send that"
            .to_owned(),
    }
}

fn diagnosis(
    broken: &Interruption,
    status: Option<ExitStatus>,
    last_words: &str,
    limits: &ParserLimits,
) -> String {
    let how = match (broken, status) {
        (Interruption::Timeout, _) => "was ended when its time was up".to_owned(),
        (_, Some(status)) => format!("ended by itself: {status}"),
        (Interruption::Stream(error), None) => format!("was ended because of its stream: {error}"),
    };
    let (memory, time) = (limits.memory >> 20, limits.time.as_secs());
    format!("The parser {how}. Limits: {memory} MB, {time} s. It last wrote: {}", last_words.trim())
}
