//! Send in a page or a forwarded text.

use quire_domain::link::{
    ForwardedText, InvalidUrl, NormalizedUrl, SummaryLanguage, background_correlation_id,
};
use quire_domain::run::run_created;
use quire_domain::{NewRun, Pipeline, Priority, RunId, SubjectId, hex};
use quire_ports::{LinkCreation, LinkRequest, LinkSource, Store};
use sha2::{Digest as _, Sha256};

use crate::event_telemetry;
use crate::proposal::key_id;
use crate::{App, Error};

/// A request, and who sends it.
#[derive(Clone, Debug)]
pub struct NewLink {
    /// What is summarised.
    pub input: LinkInput,
    /// The language of the summary.
    pub language: SummaryLanguage,
    /// The name of the client.
    pub actor: String,
    /// Links the run to the request.
    pub correlation_id: String,
}

/// What is summarised, as a client gives it.
#[derive(Clone, Debug)]
pub enum LinkInput {
    /// The address of a page.
    Url(String),
    /// A text that somebody forwarded.
    Forward(ForwardedText),
}

/// Why a request is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LinkError {
    /// The address is not one of a page.
    #[error(transparent)]
    Url(#[from] InvalidUrl),
    /// A model is configured in part.
    #[error(transparent)]
    NotConfigured(#[from] SummariesNotConfigured),
    /// The database does not answer.
    #[error(transparent)]
    Other(#[from] Error),
}

/// A model is to summarise, and a setting of it is missing. Without any, the built-in summary would be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "links are to be summarised by a model, but {0} is not set; set it, or leave model.url and model.name empty for built-in summaries"
)]
pub struct SummariesNotConfigured(pub &'static str);

/// Whether summaries can be made as they were asked for.
pub(super) fn require_summariser(app: &App) -> Result<(), SummariesNotConfigured> {
    app.missing_model_setting.map_or(Ok(()), |setting| Err(SummariesNotConfigured(setting)))
}

/// Accepts a request, unless the same client has an unfinished or summarised one for the same. When this returns, its run
/// is stored and will be executed even after a crash.
pub async fn create(app: &App, new: NewLink) -> Result<LinkCreation, LinkError> {
    let (source, dedupe_hash) = source_of(new.input)?;
    require_summariser(app)?;
    let request = LinkRequest {
        source,
        dedupe_hash,
        key_id: key_id(app, &new.actor).await?,
        language: new.language,
        retry_of: None,
    };
    Ok(accept(&app.store, &request, &new.actor, Some(new.correlation_id)).await?)
}

/// What is summarised, and the hash by which it is known.
pub fn source_of(input: LinkInput) -> Result<(LinkSource, String), InvalidUrl> {
    Ok(match input {
        LinkInput::Url(input) => {
            let url = NormalizedUrl::parse(&input)?;
            let hash = url.url_hash().as_str().to_owned();
            (LinkSource::Url { input, normalized: url.as_str().to_owned() }, hash)
        }
        LinkInput::Forward(text) => {
            let hash = hex(&Sha256::digest(text.identity().as_bytes()));
            (LinkSource::Forward(text), hash)
        }
    })
}

/// Stores a request and its run, which is its own subject. Without a correlation id the run gets one of its own, so that
/// every log line of it has one.
pub async fn accept(
    store: &Store,
    request: &LinkRequest,
    actor: &str,
    correlation_id: Option<String>,
) -> Result<LinkCreation, Error> {
    let id = RunId::new();
    let new = NewRun {
        id,
        pipeline: Pipeline::Link,
        subject: SubjectId(id.0),
        priority: Priority::Normal,
        correlation_id: Some(correlation_id.unwrap_or_else(|| background_correlation_id(id))),
        requested_by: Some(actor.to_owned()),
        extractor: None,
        continues: None,
    };
    let creation = store.links.create(&new, request, store.clock.now()).await?;
    if let LinkCreation::Created(run) = &creation {
        event_telemetry::log(&run_created(run), run.correlation_id.as_deref());
    }
    Ok(creation)
}
