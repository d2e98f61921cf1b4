//! The parser: what the child process does from its start to its end.
//!
//! One thread listens, so that the end of the server is heard in the middle of a document; the other works. Both are
//! there before the process confines itself, since afterwards it can start none.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use super::confine::{self, Confinement};
use super::protocol::{self, ParserRequest, ParserResponse, decode, encode, read_frame, write_frame};
use super::{ParserLimits, request_handler};

/// The first argument of a process that shall be a parser.
pub const ARGUMENT: &str = "parse-child";

/// Deeply nested documents are parsed by functions that call themselves.
const STACK_BYTES: usize = 32 << 20;
/// Frames are gathered up to this size, so that small pages do not cost a system call each.
const OUTPUT_BUFFER: usize = 64 << 10;
/// Room for a job or the limits as a frame.
const MAX_REQUEST_FRAME: u64 = 1024;

/// How a parser ends that broke off; what it wrote on its standard error says why.
const EXIT_STREAM_ERROR: u8 = 70;

/// Parses what comes on standard input until it ends.
pub fn run() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "{error}");
            ExitCode::from(EXIT_STREAM_ERROR)
        }
    }
}

fn serve() -> io::Result<()> {
    let mut from = io::stdin().lock();
    let limits: ParserLimits = match read_frame(&mut from, MAX_REQUEST_FRAME)? {
        Some(frame) => decode(&frame)?,
        None => return Ok(()),
    };
    confine::limit_memory(limits.memory)?;
    // Asking for the time looks around in the system once, which is not possible later.
    confine::limit_cpu_time(limits.time.as_secs())?;
    // Landlock binds this thread and those it starts, seccomp all there are.
    let landlock = confine::restrict_files(&[]);
    let (jobs, taken) = mpsc::sync_channel::<(ParserRequest, Vec<u8>)>(0);
    let (begun, begins) = mpsc::sync_channel(0);
    thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let _ = begun.send(());
        let ended = handle_requests(&taken, &limits);
        if let Err(error) = &ended {
            let _ = writeln!(io::stderr(), "{error}");
        }
        std::process::exit(if ended.is_ok() { 0 } else { i32::from(EXIT_STREAM_ERROR) });
    })?;
    // A thread that begins makes system calls of its own.
    let _ = begins.recv();
    let seccomp = confine::allow_only_computing();
    let ready = ParserResponse::Ready(Confinement { memory: true, landlock, seccomp });
    let mut to = io::stdout();
    write_frame(&mut to, &encode(&ready)?)?;
    to.flush()?;

    while let Some(job) = read_frame(&mut from, MAX_REQUEST_FRAME)? {
        let document = read_frame(&mut from, limits.file)?.ok_or_else(protocol::frame_too_long)?;
        if jobs.send((decode(&job)?, document)).is_err() {
            break;
        }
    }
    // Nobody waits for an answer any more, so whatever is being worked on does not matter.
    Ok(())
}

fn handle_requests(jobs: &mpsc::Receiver<(ParserRequest, Vec<u8>)>, limits: &ParserLimits) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(OUTPUT_BUFFER, io::stdout());
    while let Ok((job, document)) = jobs.recv() {
        confine::limit_cpu_time(limits.time.as_secs())?;
        let mut say = |answer: ParserResponse| write_frame(&mut to, &encode(&answer)?);
        let last = match request_handler::handle(job, document, limits, &mut say)? {
            Ok(()) => ParserResponse::Done,
            Err((refusal, message)) => ParserResponse::Rejected(refusal, message),
        };
        say(last)?;
        to.flush()?;
    }
    Ok(())
}
