//! Why a parser ended: from how the conversation broke off, how the process ended and what it last wrote.

use std::io;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

use quire_ports::{ReadError, ReadErrorKind};

use super::Limits;

/// What Rust's runtime writes before it aborts for want of memory, and what our own limits say.
const OUT_OF_MEMORY: &str = "memory allocation of";
const PROCESSOR_TIME_UP: i32 = 24;

/// How a conversation with a parser broke off.
#[derive(Debug)]
pub(super) enum Broken {
    /// The stream ended or made no sense.
    Stream(io::Error),
    /// The document took longer than it may.
    TimeUp,
}

pub(super) fn verdict(
    broken: &Broken,
    status: Option<ExitStatus>,
    last_words: &str,
    limits: &Limits,
) -> ReadError {
    let signal = status.and_then(|status| status.signal());
    let trouble = match broken {
        Broken::TimeUp => ReadErrorKind::ParserTimeout,
        Broken::Stream(_) if signal == Some(PROCESSOR_TIME_UP) => ReadErrorKind::ParserTimeout,
        Broken::Stream(_) if last_words.contains(OUT_OF_MEMORY) => ReadErrorKind::ParserMemory,
        Broken::Stream(error) if error.kind() == io::ErrorKind::InvalidData && is_too_long(error) => {
            ReadErrorKind::DocumentTooLarge
        }
        Broken::Stream(_) => ReadErrorKind::ParserCrashed,
    };
    ReadError {
        kind: trouble,
        message: message(trouble, limits),
        diagnosis: Some(diagnosis(broken, status, last_words, limits)),
    }
}

fn is_too_long(error: &io::Error) -> bool {
    error.to_string() == super::protocol::too_long().to_string()
}

fn message(trouble: ReadErrorKind, limits: &Limits) -> String {
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

fn diagnosis(broken: &Broken, status: Option<ExitStatus>, last_words: &str, limits: &Limits) -> String {
    let how = match (broken, status) {
        (Broken::TimeUp, _) => "was ended when its time was up".to_owned(),
        (_, Some(status)) => format!("ended by itself: {status}"),
        (Broken::Stream(error), None) => format!("was ended because of its stream: {error}"),
    };
    let (memory, time) = (limits.memory >> 20, limits.time.as_secs());
    format!("The parser {how}. Limits: {memory} MB, {time} s. It last wrote: {}", last_words.trim())
}
