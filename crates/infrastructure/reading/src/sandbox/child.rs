//! The main function of the child process that parses documents.
//!
//! One thread reads requests, so that the process notices the end of the server while it parses a document. The other
//! thread parses. Both start before the process confines itself, because afterwards it cannot start threads.

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use super::confine::{self, Confinement};
use super::protocol::{self, ParserRequest, ParserResponse, decode, encode, read_frame, write_frame};
use super::{ParserLimits, request_handler};

/// The first argument that makes a process a parser.
pub const ARGUMENT: &str = "parse-child";

/// The stack of the parsing thread. Deeply nested documents need deep recursion.
const STACK_BYTES: usize = 32 << 20;
/// Responses are buffered, so that small pages do not need a system call each.
const OUTPUT_BUFFER: usize = 64 << 10;
/// The largest frame for a request or for the limits, in bytes.
const MAX_REQUEST_FRAME: u64 = 64 << 10;

/// The exit code after an error on a stream. The reason is on standard error.
const EXIT_STREAM_ERROR: u8 = 70;

/// Handles requests from standard input until it is closed.
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
    print_only_the_place_of_panics();
    let mut stdin = io::stdin().lock();
    let limits: ParserLimits = match read_frame(&mut stdin, MAX_REQUEST_FRAME)? {
        Some(frame) => decode(&frame)?,
        None => return Ok(()),
    };
    confine::limit_memory(limits.memory)?;
    // The first use of the clock makes system calls that are not allowed later.
    confine::limit_cpu_time(limits.time.as_secs())?;
    // Landlock applies to this thread and the threads it starts; seccomp to all existing threads.
    let landlock = confine::restrict_files(&[]);
    let (requests, received) = mpsc::sync_channel::<(ParserRequest, Vec<u8>)>(0);
    let (started, has_started) = mpsc::sync_channel(0);
    thread::Builder::new().stack_size(STACK_BYTES).spawn(move || {
        let _ = started.send(());
        let outcome = handle_requests(&received, &limits);
        if let Err(error) = &outcome {
            let _ = writeln!(io::stderr(), "{error}");
        }
        std::process::exit(if outcome.is_ok() { 0 } else { i32::from(EXIT_STREAM_ERROR) });
    })?;
    // A starting thread makes system calls that seccomp would not allow.
    let _ = has_started.recv();
    let seccomp = confine::allow_only_computing();
    let ready = ParserResponse::Ready(Confinement { memory: true, landlock, seccomp });
    let mut stdout = io::stdout();
    write_frame(&mut stdout, &encode(&ready)?)?;
    stdout.flush()?;

    while let Some(request) = read_frame(&mut stdin, MAX_REQUEST_FRAME)? {
        let document = read_frame(&mut stdin, limits.file)?.ok_or_else(protocol::frame_too_long)?;
        if requests.send((decode(&request)?, document)).is_err() {
            break;
        }
    }
    // The server is gone, so the current document does not matter any more.
    Ok(())
}

/// From now on a panic of this process leaves only its place in the code. Its message may quote the document, and the
/// server stores what a parser writes to standard error.
pub fn print_only_the_place_of_panics() {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map_or_else(|| "an unknown place".to_owned(), ToString::to_string);
        let _ = writeln!(io::stderr(), "panicked at {place}");
    }));
}

fn handle_requests(
    requests: &mpsc::Receiver<(ParserRequest, Vec<u8>)>,
    limits: &ParserLimits,
) -> io::Result<()> {
    let mut stdout = BufWriter::with_capacity(OUTPUT_BUFFER, io::stdout());
    while let Ok((request, document)) = requests.recv() {
        confine::limit_cpu_time(limits.time.as_secs())?;
        let mut send = |response: ParserResponse| {
            write_frame(&mut stdout, &encode(&response)?)?;
            // The server must know them even if the next page ends this process.
            let is_progress = matches!(response, ParserResponse::PageCount(_) | ParserResponse::NextPage(..));
            if is_progress { stdout.flush() } else { Ok(()) }
        };
        let last = match request_handler::handle(request, document, limits, &mut send)? {
            Ok(()) => ParserResponse::Done,
            Err((reason, message)) => ParserResponse::Rejected(reason, message),
        };
        send(last)?;
        stdout.flush()?;
    }
    Ok(())
}
