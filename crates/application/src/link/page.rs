//! What was read from a page, as an artifact of its run.

use quire_domain::RunId;
use quire_ports::{PortError, PortResult, RunReader, WebPage};
use serde::{Deserialize, Serialize};

/// What was read from a page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebPageArtifact {
    /// The address after all redirects.
    pub final_url: String,
    /// The title.
    pub title: Option<String>,
    /// The author, as the page names them.
    pub byline: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// When it was published, as the page says it.
    pub published: Option<String>,
    /// Its language, as ISO 639-1.
    pub language: Option<String>,
    /// The address that the page calls its own.
    pub canonical_url: Option<String>,
    /// The media type of what was fetched.
    pub media_type: String,
    /// The SHA-256 of the fetched bytes.
    pub content_sha256: String,
    /// The number of fetched bytes.
    pub content_bytes: u64,
    /// Who read it.
    pub read_by: String,
    /// The main text as Markdown.
    pub text: String,
}

impl WebPageArtifact {
    /// The type of the artifact.
    pub const ARTIFACT: &str = "WEB_PAGE";

    /// What the run of this id has read, if it has.
    pub async fn of_run(history: &dyn RunReader, run: RunId) -> PortResult<Option<Self>> {
        let artifacts = history.artifacts(run).await?;
        let found = artifacts.into_iter().rfind(|artifact| artifact.artifact_type == Self::ARTIFACT);
        found.map(|artifact| serde_json::from_str(&artifact.payload)).transpose().map_err(
            |error: serde_json::Error| {
                // The message of the parser would quote the page.
                PortError::Corrupt(format!("the page of run {run}: {:?}", error.classify()))
            },
        )
    }
}

impl From<WebPage> for WebPageArtifact {
    fn from(page: WebPage) -> Self {
        Self {
            final_url: page.final_url,
            title: page.title,
            byline: page.byline,
            site_name: page.site_name,
            published: page.published,
            language: page.language,
            canonical_url: page.canonical_url,
            media_type: page.media_type,
            content_sha256: page.content_sha256,
            content_bytes: page.content_bytes,
            read_by: page.read_by.to_owned(),
            text: page.text,
        }
    }
}
