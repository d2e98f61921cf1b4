//! `quire read`

pub(super) mod files;
mod show;
mod tables;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use quire_domain::reading::quality::{Quality, QualityVerdict};
use quire_ports::{DocumentReader, PageImageRequest, ReadOutput, ReadRequest};
use quire_reading::LocalReader;

use super::{output, progress_bar};
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Print the text of documents
///
/// Runs only the reading step, without server or database. Reads PDF, PNG, JPEG, DOCX, plain text and e-invoices, and scans through
/// tesseract. Reads every supported file of a folder. The exit code is 1 if a file could not be read.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire read invoice.pdf                        print its text\n  \
    quire read --json *.pdf > words.jsonl         one line of JSON per document\n  \
    quire read --tables csv invoice.pdf           print its tables\n  \
    quire read --images pages/ --scale 2 scans/   write every page as PNG")]
pub(super) struct ReadCommand {
    /// Files or folders
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Print one line of JSON per document with pages, words and boxes (in points from the top left of the page)
    #[arg(long)]
    json: bool,
    /// Print the tables of the documents instead of their text
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    tables: Option<tables::TableFormat>,
    /// Also write every page as PNG to this folder
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
    /// Pixels per point of the images; 1.5 is 108 dpi
    #[arg(long, default_value_t = 1.5, value_name = "SCALE", requires = "images")]
    scale: f32,
    /// Language of the documents (ISO 639-1), such as es [default: detected]
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
}

/// A document, or why it could not be read.
type ReadOutcome = Result<ReadDocument, String>;

/// A document that was read.
struct ReadDocument {
    document: ReadOutput,
    text: String,
    quality: Quality,
}

impl ReadCommand {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, CommandError> {
        if !(wire::MIN_SCALE..=config.reading.images.max_scale).contains(&self.scale) {
            let (min, max) = (wire::MIN_SCALE, config.reading.images.max_scale);
            return Err(CommandError::new(format!(
                "--scale {}: must be between {min} and {max}",
                self.scale
            )));
        }
        let files = files::find(&self.paths, &config.reading.formats)?;
        if self.images.is_some() {
            files::require_distinct_images(&files)?;
        }
        let reader = Arc::new(wire::reader::start(config).await?);
        let progress = progress_bar::simple(files.len());
        let mut failed = 0;
        let mut tasks = VecDeque::new();
        let mut remaining = files.iter();
        // Two more than there are parsers, so that none is idle. Printed in the order of the names.
        let concurrency = config.parsers() as usize + 2;
        loop {
            while tasks.len() < concurrency {
                let Some(file) = remaining.next() else { break };
                tasks.push_back((file, self.start(config, &reader, file.clone())));
            }
            let Some((file, task)) = tasks.pop_front() else { break };
            let outcome =
                task.await.unwrap_or_else(|_| Err("reading was aborted; please report this file".into()));
            match progress.suspend(|| show::print(&self, &file.path, &outcome, files.len() > 1))? {
                show::Printed::Read => {}
                show::Printed::Failed => failed += 1,
                show::Printed::OutputClosed => return Ok(ExitCode::SUCCESS),
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        if files.len() > 1 {
            eprintln!("{}", show::summary(files.len(), failed));
        }
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn start(
        &self,
        config: &Config,
        reader: &Arc<LocalReader>,
        input: files::ReadableFile,
    ) -> tokio::task::JoinHandle<ReadOutcome> {
        let reader = reader.clone();
        let language = self.language.clone();
        let images = self.images.clone().map(|folder| (folder, self.scale));
        let largest = config.reading.max_file_mb << 20;
        tokio::spawn(async move {
            let file = files::load(input.path.clone(), largest).await?;
            let request = ReadRequest { file: file.clone(), language, recognised: None };
            let read = reader.read(request).await;
            let document = read.map_err(|error| format!("{} ({})", error.message, error.kind.as_str()))?;
            if let Some((folder, scale)) = images {
                let stem = folder.join(input.image_stem());
                draw(&*reader, &file, document.reading.pages.len(), scale, &stem).await?;
            }
            let text = document.reading.plain_text().text;
            let quality = Quality::of(&text);
            Ok(ReadDocument { document, text, quality })
        })
    }
}

async fn draw(
    reader: &dyn DocumentReader,
    file: &Arc<[u8]>,
    pages: usize,
    scale: f32,
    stem: &Path,
) -> Result<(), String> {
    if let Some(folder) = stem.parent() {
        tokio::fs::create_dir_all(folder).await.map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    for page in 1..=pages {
        let png = reader.image(PageImageRequest { file: file.clone(), page, scale }).await;
        let png = png.map_err(|error| format!("page {page}: {} ({})", error.message, error.kind.as_str()))?;
        let mut path = stem.as_os_str().to_owned();
        path.push(format!("-{page}.png"));
        let path = PathBuf::from(path);
        tokio::fs::write(&path, png).await.map_err(|error| format!("{}: {error}", path.display()))?;
    }
    Ok(())
}

/// The error code of a run of this document, if its text cannot be what the pages show. Data in the file makes up for it.
fn refused(read: &ReadDocument) -> Option<&'static str> {
    match read.quality.verdict() {
        _ if read.document.reading.has_data() => None,
        QualityVerdict::Good => None,
        QualityVerdict::Unreadable => Some("EXTRACTION_FAILED"),
        QualityVerdict::Low => Some("EXTRACTION_LOW_QUALITY"),
    }
}
