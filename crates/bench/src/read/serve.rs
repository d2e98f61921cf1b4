//! The process that reads files with Quire when the bench tells it to: the other end of [`super::contender`].

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use quire_ports::ReadError;
use quire_reading::ParsedPage;
use serde::Serialize;

use super::contender::{Answer, Greeting, PlacedWord, Task};
use super::reader::Reader;

/// Pixels per point of a page image, as people get it.
const SCALE: f32 = 1.5;

/// How to read.
#[derive(clap::Args, Clone, Debug)]
pub struct Options {
    /// How many parsers to keep.
    #[arg(long)]
    parsers: usize,
}

/// Does what standard input asks for until it ends.
pub async fn serve(options: Options) {
    let reader = Reader::start(options.parsers).await;
    say(&Greeting { name: format!("Quire {}", env!("CARGO_PKG_VERSION")) });
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut parts = line.split('\t');
        let task = parts.next().and_then(Task::named).unwrap();
        let paths: Vec<PathBuf> = parts.map(PathBuf::from).collect();
        let answer = carry_out(&reader, &options, task, paths).await;
        say(&answer.unwrap_or_else(|error| Answer { error: Some(error.to_string()), ..Answer::default() }));
    }
}

fn say(message: &impl Serialize) {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, message).unwrap();
    writeln!(out).unwrap();
    out.flush().unwrap();
}

async fn carry_out(
    reader: &Reader,
    options: &Options,
    task: Task,
    paths: Vec<PathBuf>,
) -> Result<Answer, ReadError> {
    let started = Instant::now();
    let pages = match task {
        Task::Time | Task::Words => reader.read(&paths[0]).await?,
        Task::Image => {
            reader.image(&paths[0], SCALE).await?;
            Vec::new()
        }
        Task::Together => {
            read_together(reader, options.parsers, paths).await?;
            Vec::new()
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let wanted = if task == Task::Words { pages } else { Vec::new() };
    Ok(Answer { seconds, pages: wanted.into_iter().map(placed).collect(), error: None })
}

/// Reads all of them, so many at a time.
async fn read_together(reader: &Reader, at_a_time: usize, paths: Vec<PathBuf>) -> Result<(), ReadError> {
    let (paths, next) = (Arc::new(paths), Arc::new(AtomicUsize::new(0)));
    let lanes: Vec<_> = (0..at_a_time)
        .map(|_| {
            let (reader, paths, next) = (reader.clone(), paths.clone(), next.clone());
            tokio::spawn(async move {
                while let Some(path) = paths.get(next.fetch_add(1, Ordering::Relaxed)) {
                    reader.read(path).await?;
                }
                Ok(())
            })
        })
        .collect();
    for lane in lanes {
        lane.await.unwrap()?;
    }
    Ok(())
}

fn placed(read: ParsedPage) -> Vec<PlacedWord> {
    let words = read.page.lines.into_iter().flat_map(|line| line.words);
    words.map(|word| (word.rect.x0, word.rect.y0, word.rect.x1, word.rect.y1, word.text)).collect()
}
