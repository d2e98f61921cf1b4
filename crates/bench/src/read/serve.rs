//! The child process that reads files with Quire on request: the other side of [`super::reader_process`].

use std::io::{self, BufRead, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use quire_ports::ReadError;
use quire_reading::ParsedPage;
use serde::Serialize;

use super::reader::Reader;
use super::reader_process::{Greeting, PlacedWord, ReaderResponse, Task};

/// The pixels per point of a page image, as on the review page.
const SCALE: f32 = 1.5;

/// The options of the hidden command.
#[derive(clap::Args, Clone, Debug)]
pub struct ReadFilesOptions {
    /// The number of parsers.
    #[arg(long)]
    parsers: usize,
}

/// Handles requests from standard input until it is closed.
pub async fn serve(options: ReadFilesOptions) {
    let reader = Reader::start(options.parsers).await;
    send(&Greeting { name: format!("Quire {}", env!("CARGO_PKG_VERSION")) });
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut parts = line.split('\t');
        let task = parts.next().and_then(Task::parse).unwrap();
        let paths: Vec<PathBuf> = parts.map(PathBuf::from).collect();
        let response = run_task(&reader, &options, task, paths).await;
        send(&response.unwrap_or_else(|error| ReaderResponse {
            error: Some(error.to_string()),
            ..ReaderResponse::default()
        }));
    }
}

fn send(message: &impl Serialize) {
    let mut out = io::stdout().lock();
    serde_json::to_writer(&mut out, message).unwrap();
    writeln!(out).unwrap();
    out.flush().unwrap();
}

async fn run_task(
    reader: &Reader,
    options: &ReadFilesOptions,
    task: Task,
    paths: Vec<PathBuf>,
) -> Result<ReaderResponse, ReadError> {
    let started = Instant::now();
    let pages = match task {
        Task::Time | Task::Words => reader.read(&paths[0]).await?,
        Task::Image => {
            reader.image(&paths[0], SCALE).await?;
            Vec::new()
        }
        Task::Parallel => {
            read_in_parallel(reader, options.parsers, paths).await?;
            Vec::new()
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    let returned = if task == Task::Words { pages } else { Vec::new() };
    Ok(ReaderResponse { seconds, pages: returned.into_iter().map(placed_words).collect(), error: None })
}

/// Reads all files, `parallel` at a time.
async fn read_in_parallel(reader: &Reader, parallel: usize, paths: Vec<PathBuf>) -> Result<(), ReadError> {
    let (paths, next) = (Arc::new(paths), Arc::new(AtomicUsize::new(0)));
    let tasks: Vec<_> = (0..parallel)
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
    for task in tasks {
        task.await.unwrap()?;
    }
    Ok(())
}

fn placed_words(parsed: ParsedPage) -> Vec<PlacedWord> {
    let words = parsed.page.lines.into_iter().flat_map(|line| line.words);
    words.map(|word| (word.rect.x0, word.rect.y0, word.rect.x1, word.rect.y1, word.text)).collect()
}
