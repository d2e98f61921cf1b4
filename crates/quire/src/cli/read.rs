//! `quire read`

pub(super) mod files;
mod show;

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use quire_domain::reading::quality::{Quality, QualityVerdict};
use quire_ports::{PageImageRequest, ReadOutput, ReadRequest, Reader};
use quire_reading::LocalReader;

use super::{output, progress};
use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// Read documents and print what stands on their pages
///
/// The reading step alone, without server or database: PDF, PNG, JPEG, DOCX and plain text, scans through tesseract. Of
/// a folder, everything that can be read is. Says what could not be read and then ends with 1.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire read invoice.pdf                        its text\n  \
    quire read --json *.pdf > words.jsonl         pages, words and boxes, one document a line\n  \
    quire read --images pages/ --scale 2 scans/   every page as PNG")]
pub(super) struct Read {
    /// Files, or folders with files
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Print pages, words and boxes as JSON, one document a line; boxes are in points from the page's top left
    #[arg(long)]
    json: bool,
    /// Also write every page as PNG into this folder
    #[arg(long, value_name = "DIR")]
    images: Option<PathBuf>,
    /// Pixels per point of those images: 1.5 is 108 dots per inch
    #[arg(long, default_value_t = 1.5, value_name = "SCALE", requires = "images")]
    scale: f32,
    /// The language of the documents as ISO 639-1, such as es, instead of what they seem to be in
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
}

/// What was read of one file, or why not.
type Outcome = Result<Done, String>;

/// One file that was read.
struct Done {
    document: ReadOutput,
    text: String,
    quality: Quality,
}

impl Read {
    pub(super) async fn run(self, config: &Config) -> Result<ExitCode, Trouble> {
        if !(0.1..=config.reading.images.max_scale).contains(&self.scale) {
            let most = config.reading.images.max_scale;
            return Err(Trouble::new(format!("--scale {}: must be between 0.1 and {most}", self.scale)));
        }
        let found = files::gather(&self.paths, &config.reading.formats)?;
        if self.images.is_some() {
            files::require_apart(&found)?;
        }
        let reader = Arc::new(wire::reading::start(config).await?);
        let progress = progress::bar(found.len());
        let mut failed = 0;
        let mut under_way = VecDeque::new();
        let mut waiting = found.iter();
        // As many at once as there are parsers, and a few more so that none waits; printed in the order of the names.
        let most = wire::reading::parsers(config) + 2;
        loop {
            while under_way.len() < most {
                let Some(file) = waiting.next() else { break };
                under_way.push_back((file, self.begin(config, &reader, file.clone())));
            }
            let Some((file, reading)) = under_way.pop_front() else { break };
            let outcome =
                reading.await.unwrap_or_else(|_| Err("reading it broke off; please report this file".into()));
            match progress.suspend(|| show::tell(&self, &file.path, &outcome, found.len() > 1))? {
                show::Told::Read => {}
                show::Told::Failed => failed += 1,
                show::Told::NobodyReads => return Ok(ExitCode::SUCCESS),
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        if found.len() > 1 {
            eprintln!("{}", show::summary(found.len(), failed));
        }
        Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn begin(
        &self,
        config: &Config,
        reader: &Arc<LocalReader>,
        found: files::Found,
    ) -> tokio::task::JoinHandle<Outcome> {
        let reader = reader.clone();
        let language = self.language.clone();
        let images = self.images.clone().map(|folder| (folder, self.scale));
        let largest = config.reading.max_file_mb << 20;
        tokio::spawn(async move {
            let file = files::load(found.path.clone(), largest).await?;
            let request = ReadRequest { file: file.clone(), language, recognised: None };
            let read = reader.read(request).await;
            let document = read.map_err(|error| format!("{} ({})", error.message, error.kind.as_str()))?;
            if let Some((folder, scale)) = images {
                let stem = folder.join(found.image_stem());
                draw(&*reader, &file, document.reading.pages.len(), scale, &stem).await?;
            }
            let text = document.reading.plain_text().text;
            let quality = Quality::of(&text);
            Ok(Done { document, text, quality })
        })
    }
}

async fn draw(
    reader: &dyn Reader,
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
        let mut place = stem.as_os_str().to_owned();
        place.push(format!("-{page}.png"));
        let place = PathBuf::from(place);
        tokio::fs::write(&place, png).await.map_err(|error| format!("{}: {error}", place.display()))?;
    }
    Ok(())
}

/// The code under which a run of this document would fail.
fn refused(quality: &Quality) -> Option<&'static str> {
    match quality.verdict() {
        QualityVerdict::Good => None,
        QualityVerdict::Unreadable => Some("EXTRACTION_FAILED"),
        QualityVerdict::Low => Some("EXTRACTION_LOW_QUALITY"),
    }
}
