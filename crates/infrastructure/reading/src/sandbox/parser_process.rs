//! The server's hand on one parser.

use std::io;
use std::process::Stdio;
use std::time::Duration;

use quire_ports::{ReadError, ReadErrorKind};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::confine::Confinement;
use super::exit_status::{Interruption, explain_exit};
use super::protocol::{
    ParserRequest, ParserResponse, RejectReason, decode, encode, frame_length, frame_too_long,
    unexpected_response,
};
use super::{ParserLimits, ParserProgram};

/// A start that takes longer than this will not come.
const START_TIMEOUT: Duration = Duration::from_secs(20);
/// How much of what a parser writes on its standard error is kept.
const STDERR_TAIL_BYTES: usize = 4096;
/// How long a parser that broke off is given to end and to say why.
const EXIT_GRACE: Duration = Duration::from_secs(1);
/// No page has more bytes of words: decoded they take many times as much.
const MAX_PAGE_FRAME: u64 = 8 << 20;
/// So many documents before its last, a parser's successor is started.
const SUCCESSOR_LEAD: u32 = 5;
/// What is read from a parser at once.
const INPUT_BUFFER: usize = 256 << 10;

/// A running parser. Dropping it ends it.
pub(super) struct ParserProcess {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    stderr_tail: JoinHandle<String>,
    confinement: Confinement,
    documents: u32,
    /// False from the start of a job to its proper end.
    healthy: bool,
}

impl ParserProcess {
    pub(super) async fn start(program: &ParserProgram, limits: &ParserLimits) -> Result<Self, ReadError> {
        let started = timeout(START_TIMEOUT, Self::spawn(program, limits)).await;
        started.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(|error| ReadError {
            kind: ReadErrorKind::ParserUnavailable,
            message: "no parser could be started; the machine may be out of memory or processes".to_owned(),
            diagnosis: Some(format!("starting a parser: {error}")),
        })
    }

    async fn spawn(program: &ParserProgram, limits: &ParserLimits) -> io::Result<Self> {
        let mut child = Command::new(&program.path)
            .arg0("quire")
            .args(&program.arguments)
            .env_clear()
            // One heap: each further one would reserve address space, which is what is limited.
            .env("MALLOC_ARENA_MAX", "1")
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(to), Some(from), Some(errors)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(io::ErrorKind::BrokenPipe.into());
        };
        let last_words = tokio::spawn(read_stderr_tail(errors));
        let mut parser = Self {
            child,
            stdin: to,
            stdout: BufReader::with_capacity(INPUT_BUFFER, from),
            stderr_tail: last_words,
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

    /// Whether its last documents begin, and another one should be started. True once in its life.
    pub(super) fn needs_successor(&self, limits: &ParserLimits) -> bool {
        limits.documents.saturating_sub(self.documents) == SUCCESSOR_LEAD.min(limits.documents)
    }

    /// Whether its last job ended as it should.
    pub(super) fn is_healthy(&self) -> bool {
        self.healthy
    }

    /// Whether it can take another document.
    pub(super) fn is_reusable(&self, limits: &ParserLimits) -> bool {
        self.healthy && self.documents < limits.documents
    }

    /// Gives it a document and takes its answers. A parser that breaks off is ended before this returns.
    pub(super) async fn run(
        &mut self,
        job: ParserRequest,
        file: &[u8],
        limits: &ParserLimits,
        take: impl FnMut(ParserResponse) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        self.documents += 1;
        self.healthy = false;
        let broken = match timeout(limits.time, self.exchange(job, file, limits, take)).await {
            Ok(Ok(outcome)) => {
                // Whatever it says unasked is not for the next document.
                self.healthy = self.stdout.buffer().is_empty();
                return outcome.map_err(rejected);
            }
            Ok(Err(error)) => Interruption::Stream(error),
            Err(_) => Interruption::Timeout,
        };
        Err(self.stop(&broken, limits).await)
    }

    async fn exchange(
        &mut self,
        job: ParserRequest,
        file: &[u8],
        limits: &ParserLimits,
        mut take: impl FnMut(ParserResponse) -> io::Result<()>,
    ) -> io::Result<Result<(), (RejectReason, String)>> {
        // A parser that ended in the middle of the document has said why on its standard error.
        self.send(&encode(&job)?).await?;
        self.send(file).await?;
        let mut left = limits.answer;
        let longest = if matches!(job, ParserRequest::Read(_)) { MAX_PAGE_FRAME } else { limits.answer };
        loop {
            match self.receive(&mut left, longest).await? {
                ParserResponse::Done => return Ok(Ok(())),
                ParserResponse::Rejected(refusal, message) => return Ok(Err((refusal, message))),
                ParserResponse::Ready(_) => return Err(unexpected_response()),
                answer => take(answer)?,
            }
        }
    }

    async fn send(&mut self, content: &[u8]) -> io::Result<()> {
        self.stdin.write_all(&frame_length(content)?).await?;
        self.stdin.write_all(content).await
    }

    /// The next answer, if it is no longer than what is left of the allowance, and than a single one may be.
    async fn receive(&mut self, left: &mut u64, longest: u64) -> io::Result<ParserResponse> {
        let length = u64::from(self.stdout.read_u32_le().await?);
        if length > longest {
            return Err(frame_too_long());
        }
        *left = left.checked_sub(length).ok_or_else(frame_too_long)?;
        let mut frame = Vec::new();
        // Grows as bytes really come.
        (&mut self.stdout).take(length).read_to_end(&mut frame).await?;
        if frame.len() as u64 == length { decode(&frame) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Ends it and tells why it had to end.
    async fn stop(&mut self, broken: &Interruption, limits: &ParserLimits) -> ReadError {
        // It may be ending by itself: the end of its stream and the end of the process are two things.
        let ends_itself =
            matches!(broken, Interruption::Stream(error) if error.kind() != io::ErrorKind::InvalidData);
        let mut status = None;
        if ends_itself {
            status = timeout(EXIT_GRACE, self.child.wait()).await.ok().and_then(Result::ok);
        }
        if status.is_none() {
            let _ = self.child.kill().await;
        }
        let last_words = timeout(EXIT_GRACE, &mut self.stderr_tail).await;
        let last_words = last_words.ok().and_then(Result::ok).unwrap_or_default();
        explain_exit(broken, status, &last_words, limits)
    }
}

fn rejected((refusal, message): (RejectReason, String)) -> ReadError {
    let trouble = match refusal {
        RejectReason::Encrypted => ReadErrorKind::PdfEncrypted,
        RejectReason::PdfInvalid => ReadErrorKind::PdfInvalid,
        RejectReason::FileInvalid => ReadErrorKind::FileInvalid,
        RejectReason::PageNotFound => ReadErrorKind::PageNotFound,
        RejectReason::TooLarge => ReadErrorKind::DocumentTooLarge,
    };
    ReadError::new(trouble, message)
}

/// The end of what comes, however much it is: a parser that finds nobody listening would have to wait.
async fn read_stderr_tail(mut errors: ChildStderr) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0; 1024]);
    while let Ok(length @ 1..) = errors.read(&mut piece).await {
        kept.extend(&piece[..length]);
        kept.drain(..kept.len().saturating_sub(STDERR_TAIL_BYTES));
    }
    String::from_utf8_lossy(&kept).into_owned()
}
