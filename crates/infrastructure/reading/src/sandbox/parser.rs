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
use super::protocol::{Answer, Job, Refusal, decode, encode, length_of, too_long, unfit};
use super::verdict::{Broken, verdict};
use super::{Limits, Program};

/// A start that takes longer than this will not come.
const START: Duration = Duration::from_secs(20);
/// How much of what a parser writes on its standard error is kept.
const LAST_WORDS: usize = 4096;
/// How long a parser that broke off is given to end and to say why.
const LAST_MOMENT: Duration = Duration::from_secs(1);
/// No page has more bytes of words: decoded they take many times as much.
const LONGEST_PAGE: u64 = 8 << 20;
/// So many documents before its last, a parser's successor is started.
const EARLY: u32 = 5;
/// What is read from a parser at once.
const BUFFER: usize = 256 << 10;

/// A running parser. Dropping it ends it.
pub(super) struct Parser {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last_words: JoinHandle<String>,
    confinement: Confinement,
    documents: u32,
    /// False from the start of a job to its proper end.
    sound: bool,
}

impl Parser {
    pub(super) async fn start(program: &Program, limits: &Limits) -> Result<Self, ReadError> {
        let started = timeout(START, Self::spawn(program, limits)).await;
        started.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())).map_err(|error| ReadError {
            kind: ReadErrorKind::ParserUnavailable,
            message: "no parser could be started; the machine may be out of memory or processes".to_owned(),
            diagnosis: Some(format!("starting a parser: {error}")),
        })
    }

    async fn spawn(program: &Program, limits: &Limits) -> io::Result<Self> {
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
        let last_words = tokio::spawn(last_words(errors));
        let mut parser = Self {
            child,
            to,
            from: BufReader::with_capacity(BUFFER, from),
            last_words,
            confinement: Confinement::default(),
            documents: 0,
            sound: true,
        };
        parser.say(&encode(limits)?).await?;
        match parser.hear(&mut limits.answer.clone(), LONGEST_PAGE).await? {
            Answer::Ready(confinement) => parser.confinement = confinement,
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
    pub(super) fn nears_its_end(&self, limits: &Limits) -> bool {
        limits.documents.saturating_sub(self.documents) == EARLY.min(limits.documents)
    }

    /// Whether its last job ended as it should.
    pub(super) fn is_sound(&self) -> bool {
        self.sound
    }

    /// Whether it can take another document.
    pub(super) fn is_fit(&self, limits: &Limits) -> bool {
        self.sound && self.documents < limits.documents
    }

    /// Gives it a document and takes its answers. A parser that breaks off is ended before this returns.
    pub(super) async fn work(
        &mut self,
        job: Job,
        file: &[u8],
        limits: &Limits,
        take: impl FnMut(Answer) -> io::Result<()>,
    ) -> Result<(), ReadError> {
        self.documents += 1;
        self.sound = false;
        let broken = match timeout(limits.time, self.converse(job, file, limits, take)).await {
            Ok(Ok(outcome)) => {
                // Whatever it says unasked is not for the next document.
                self.sound = self.from.buffer().is_empty();
                return outcome.map_err(refused);
            }
            Ok(Err(error)) => Broken::Stream(error),
            Err(_) => Broken::TimeUp,
        };
        Err(self.end(&broken, limits).await)
    }

    async fn converse(
        &mut self,
        job: Job,
        file: &[u8],
        limits: &Limits,
        mut take: impl FnMut(Answer) -> io::Result<()>,
    ) -> io::Result<Result<(), (Refusal, String)>> {
        // A parser that ended in the middle of the document has said why on its standard error.
        self.say(&encode(&job)?).await?;
        self.say(file).await?;
        let mut left = limits.answer;
        let longest = if matches!(job, Job::Read(_)) { LONGEST_PAGE } else { limits.answer };
        loop {
            match self.hear(&mut left, longest).await? {
                Answer::Done => return Ok(Ok(())),
                Answer::Refused(refusal, message) => return Ok(Err((refusal, message))),
                Answer::Ready(_) => return Err(unfit()),
                answer => take(answer)?,
            }
        }
    }

    async fn say(&mut self, content: &[u8]) -> io::Result<()> {
        self.to.write_all(&length_of(content)?).await?;
        self.to.write_all(content).await
    }

    /// The next answer, if it is no longer than what is left of the allowance, and than a single one may be.
    async fn hear(&mut self, left: &mut u64, longest: u64) -> io::Result<Answer> {
        let length = u64::from(self.from.read_u32_le().await?);
        if length > longest {
            return Err(too_long());
        }
        *left = left.checked_sub(length).ok_or_else(too_long)?;
        let mut frame = Vec::new();
        // Grows as bytes really come.
        (&mut self.from).take(length).read_to_end(&mut frame).await?;
        if frame.len() as u64 == length { decode(&frame) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }

    /// Ends it and tells why it had to end.
    async fn end(&mut self, broken: &Broken, limits: &Limits) -> ReadError {
        // It may be ending by itself: the end of its stream and the end of the process are two things.
        let ends_itself =
            matches!(broken, Broken::Stream(error) if error.kind() != io::ErrorKind::InvalidData);
        let mut status = None;
        if ends_itself {
            status = timeout(LAST_MOMENT, self.child.wait()).await.ok().and_then(Result::ok);
        }
        if status.is_none() {
            let _ = self.child.kill().await;
        }
        let last_words = timeout(LAST_MOMENT, &mut self.last_words).await;
        let last_words = last_words.ok().and_then(Result::ok).unwrap_or_default();
        verdict(broken, status, &last_words, limits)
    }
}

fn refused((refusal, message): (Refusal, String)) -> ReadError {
    let trouble = match refusal {
        Refusal::Encrypted => ReadErrorKind::PdfEncrypted,
        Refusal::PdfInvalid => ReadErrorKind::PdfInvalid,
        Refusal::FileInvalid => ReadErrorKind::FileInvalid,
        Refusal::PageNotFound => ReadErrorKind::PageNotFound,
        Refusal::TooLarge => ReadErrorKind::DocumentTooLarge,
    };
    ReadError::new(trouble, message)
}

/// The end of what comes, however much it is: a parser that finds nobody listening would have to wait.
async fn last_words(mut errors: ChildStderr) -> String {
    let (mut kept, mut piece) = (Vec::new(), [0; 1024]);
    while let Ok(length @ 1..) = errors.read(&mut piece).await {
        kept.extend(&piece[..length]);
        kept.drain(..kept.len().saturating_sub(LAST_WORDS));
    }
    String::from_utf8_lossy(&kept).into_owned()
}
