//! `quire schema draft`

use std::collections::HashMap;
use std::path::PathBuf;

use clap::Args;
use quire_domain::reading::Page;
use quire_ports::{DocumentReader as _, ReadRequest};
use quire_understanding::{SchemaFile, SchemaFormat, draft_schema};

use crate::cli::progress_bar;
use crate::cli::read::files;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// The most examples that are read.
const MAX_EXAMPLES: usize = 200;

#[derive(Args)]
pub struct DraftCommand {
    /// Folder with examples of one kind of document
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    /// Name of the schema: lower-case letters, digits and dashes
    #[arg(long, default_value = "draft", value_name = "NAME")]
    name: String,
    /// Language of the documents (ISO 639-1), such as es [default: detected]
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
}

impl DraftCommand {
    /// The proposed schema file. Files that cannot be read are named on the error output and left out.
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let paths = files::find(std::slice::from_ref(&self.folder), &config.reading.formats)?;
        let reader = wire::reader::start(config).await?;
        let progress = progress_bar::simple(paths.len().min(MAX_EXAMPLES));
        let mut documents: Vec<Vec<Page>> = Vec::new();
        let mut languages: HashMap<String, usize> = HashMap::new();
        for file in paths.iter().take(MAX_EXAMPLES) {
            let read = async {
                let bytes = files::load(file.path.clone(), config.reading.max_file_mb << 20).await?;
                let request = ReadRequest { file: bytes, language: self.language.clone(), recognised: None };
                reader.read(request).await.map_err(|error| error.message)
            };
            match read.await {
                Ok(read) => {
                    *languages.entry(read.language.unwrap_or_default()).or_default() += 1;
                    documents.push(read.reading.pages);
                }
                Err(message) => progress.suspend(|| eprintln!("quire: {}: {message}", file.path.display())),
            }
            progress.inc(1);
        }
        progress.finish_and_clear();
        let detected =
            languages.into_iter().filter(|(language, _)| language.len() == 2).max_by_key(|(_, count)| *count);
        let language =
            self.language.or(detected.map(|(language, _)| language)).unwrap_or_else(|| "en".to_owned());
        let Some(schema) = draft_schema(&self.name, &language, &documents) else {
            return Err(CommandError::new(format!(
                "no label recurs in the {} documents of {}; add examples of one kind, with labels such as \"Date:\"",
                documents.len(),
                self.folder.display()
            )));
        };
        let text = schema.to_toml(1);
        SchemaFile::parse("the proposed schema", &text, SchemaFormat::Toml)?;
        Ok(format!(
            "# Proposed from {} documents. Check the titles, types and labels; mark the keys that matter with critical = true.\n\
             # docs/guide/schemas.md describes the members of this file.\n\n{text}",
            documents.len()
        ))
    }
}
