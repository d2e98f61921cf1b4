//! The server's handle of one parser process.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use quire_ports::{ReadError, ReadErrorKind, within_awake_time};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::confine::{Confinement, ConfinementPolicy};
use super::exit_status::{Interruption, ParserTask, explain_exit};
use super::protocol::{
    ParserRequest, ParserResponse, RejectReason, decode, encode, frame_length, frame_too_long,
    unexpected_response,
};
use super::{ParserLimits, ParserProgram};

/// A parser that takes longer to start has failed.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How many of the last bytes on standard error are kept.
const STDERR_TAIL_BYTES: usize = 4096;
/// How long a failed parser may take to exit and to write the reason.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// The largest response with a page, in bytes. Decoded it takes many times as much memory.
const MAX_PAGE_FRAME: u64 = 8 << 20;
/// A parser's successor starts this many documents before its last one.
const SUCCESSOR_LEAD: u32 = 5;
/// The size of the read buffer for standard output.
const INPUT_BUFFER: usize = 256 << 10;

/// The time limits of one request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RequestTime {
    /// From the request to the last response.
    pub(super) whole: Duration,
    /// From one response to the next.
    pub(super) response: Duration,
}

impl From<Duration> for RequestTime {
    fn from(whole: Duration) -> Self {
        Self { whole, response: whole }
    }
}

/// A running parser. Dropping it kills the process.
pub(super) struct ParserProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr_tail: JoinHandle<String>,
    confinement: Confinement,
    documents: u32,
    /// False while a request is running, and after a request that failed.
    healthy: bool,
}

impl ParserProcess {
    pub(super) async fn start(
        program: &ParserProgram,
        limits: &ParserLimits,
        policy: ConfinementPolicy,
    ) -> Result<Self, ReadError> {
        let started = timeout(START_TIMEOUT, Self::spawn(program, limits)).await;
        let parser = started.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(|error| {
            ReadError {
            kind: ReadErrorKind::ParserUnavailable,
            message:
                "no parser could be started; the server may be out of memory or processes; try again later"
                    .to_owned(),
            diagnosis: Some(format!("starting a parser: {error}")),
        }
        })?;
        if parser.confinement.satisfies(policy) { Ok(parser) } else { Err(not_confined(parser.confinement)) }
    }

    async fn spawn(program: &ParserProgram, limits: &ParserLimits) -> io::Result<Self> {
        let mut child = Command::new(&program.path)
            .arg0("quire")
            .args(&program.arguments)
            .env_clear()
            // One heap: every further heap reserves address space, which is limited.
            .env("MALLOC_ARENA_MAX", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let stderr_tail = tokio::spawn(read_stderr_tail(stderr));
        let mut parser = Self {
            child,
            stdin,
            stdout: BufReader::with_capacity(INPUT_BUFFER, stdout),
            stderr_tail,
            confinement: Confinement::default(),
            documents: 0,
            healthy: true,
        };
        parser.send(&encode(limits)?).await?;
        match parser.receive(&mut limits.answer.clone(), MAX_PAGE_FRAME).await? {
            ParserResponse::Ready(confinement) => parser.confinement = confinement,
            _ => return Err(io::ErrorKind::InvalidData.into()),
        }
        Ok(parser)
    }

    pub(super) fn confinement(&self) -> Confinement {
        self.confinement
    }

    pub(super) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Whether to start its successor now. True for exactly one of its documents.
    pub(super) fn needs_successor(&self, limits: &ParserLimits) -> bool {
        limits.documents.saturating_sub(self.documents) == SUCCESSOR_LEAD.min(limits.documents)
    }

    /// Whether its last request ended properly.
    pub(super) fn is_healthy(&self) -> bool {
        self.healthy
    }

    /// Whether it can handle another document.
    pub(super) fn is_reusable(&self, limits: &ParserLimits) -> bool {
        self.healthy && self.documents < limits.documents
    }

    /// Sends a request and passes the responses to `accept`. If the parser fails, it has exited when this returns.
    pub(super) async fn run(
        &mut self,
        request: ParserRequest,
        file: &[u8],
        limits: &ParserLimits,
        time: RequestTime,
        accept: impl FnMut(ParserResponse) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        self.documents += 1;
        self.healthy = false;
        let task = match request {
            ParserRequest::Read(_) | ParserRequest::RenderForOcr(..) | ParserRequest::ReadArticle(_) => {
                ParserTask::Read
            }
            ParserRequest::Render(..) => ParserTask::Draw,
        };
        let exchange = self.exchange(request, file, limits, time.response, accept);
        let interruption = match within_awake_time(time.whole, exchange).await {
            Some(Ok(outcome)) => {
                // A parser that sends more than it was asked for is not reused.
                self.healthy = self.stdout.buffer().is_empty();
                return outcome.map_err(rejected);
            }
            Some(Err(error)) if error.kind() == io::ErrorKind::TimedOut => Interruption::Timeout,
            Some(Err(error)) => Interruption::Stream(error),
            None => Interruption::Timeout,
        };
        Err(self.stop(&interruption, limits, task).await)
    }

    async fn exchange(
        &mut self,
        request: ParserRequest,
        file: &[u8],
        limits: &ParserLimits,
        response_time: Duration,
        mut accept: impl FnMut(ParserResponse) -> io::Result<()>,
    ) -> io::Result<Result<(), (RejectReason, String)>> {
        // If the parser exits in the middle of the document, the reason is on standard error.
        self.send(&encode(&request)?).await?;
        self.send(file).await?;
        let mut left = limits.answer;
        let is_text = matches!(request, ParserRequest::Read(_) | ParserRequest::ReadArticle(_));
        let longest = if is_text { MAX_PAGE_FRAME } else { limits.answer };
        loop {
            let response = within_awake_time(response_time, self.receive(&mut left, longest)).await;
            match response.unwrap_or_else(|| Err(io::ErrorKind::TimedOut.into()))? {
                ParserResponse::Done => return Ok(Ok(())),
                ParserResponse::Rejected(reason, message) => return Ok(Err((reason, message))),
                ParserResponse::Ready(_) => return Err(unexpected_response()),
                response => accept(response)?,
            }
        }
    }

    async fn send(&mut self, content: &[u8]) -> io::Result<()> {
        self.stdin.write_all(&frame_length(content)?).await?;
        self.stdin.write_all(content).await
    }

    /// Receives the next response. `left` is the number of bytes that the parser may still send, `longest` the largest
    /// response.
    async fn receive(&mut self, left: &mut u64, longest: u64) -> io::Result<ParserResponse> {
        let length = u64::from(self.stdout.read_u32_le().await?);
        if length > longest {
            return Err(frame_too_long());
        }
        *left = left.checked_sub(length).ok_or_else(frame_too_long)?;
        let mut frame = Vec::new();
        // The buffer grows with the received bytes, not with the announced length.
        (&mut self.stdout).take(length).read_to_end(&mut frame).await?;
        if frame.len() as u64 == length { decode(&frame) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Stops the process and explains why it failed.
    async fn stop(
        &mut self,
        interruption: &Interruption,
        limits: &ParserLimits,
        task: ParserTask,
    ) -> ReadError {
        // The process may still be exiting: its streams close before it ends.
        let is_exiting =
            matches!(interruption, Interruption::Stream(error) if error.kind() != io::ErrorKind::InvalidData);
        let mut status = None;
        if is_exiting {
            status = timeout(EXIT_GRACE, self.child.wait()).await.ok().and_then(Result::ok);
        }
        if status.is_none() {
            let _ = self.child.kill().await;
        }
        let stderr_tail = timeout(EXIT_GRACE, &mut self.stderr_tail).await;
        let stderr_tail = stderr_tail.ok().and_then(Result::ok).unwrap_or_default();
        explain_exit(interruption, status, &stderr_tail, limits, task)
    }
}

fn not_confined(confinement: Confinement) -> ReadError {
    ReadError {
        kind: ReadErrorKind::ParserUnavailable,
        message: "the parsers of this server are not confined as reading.confinement asks for; ask your administrator"
            .to_owned(),
        diagnosis: Some(confinement.missing()),
    }
}

fn rejected((reason, message): (RejectReason, String)) -> ReadError {
    let kind = match reason {
        RejectReason::Encrypted => ReadErrorKind::PdfEncrypted,
        RejectReason::PdfInvalid => ReadErrorKind::PdfInvalid,
        RejectReason::FileInvalid => ReadErrorKind::FileInvalid,
        RejectReason::PageNotFound => ReadErrorKind::PageNotFound,
        RejectReason::TooLarge => ReadErrorKind::DocumentTooLarge,
    };
    ReadError::new(kind, message)
}

/// Reads standard error to its end and keeps the last bytes. Not reading it would block the parser.
async fn read_stderr_tail(mut stderr: ChildStderr) -> String {
    let (mut tail, mut buffer) = (Vec::new(), [0; 1024]);
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        tail.extend(&buffer[..length]);
        tail.drain(..tail.len().saturating_sub(STDERR_TAIL_BYTES));
    }
    String::from_utf8_lossy(&tail).into_owned()
}
