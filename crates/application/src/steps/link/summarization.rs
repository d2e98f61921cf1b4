//! The step `summarization` summarises what was read, by a model or by the built-in method. Both pass the one validator.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::link::{ForwardedText, NormalizedUrl, SummaryLanguage};
use quire_domain::{Failure, FailureType, SummaryId};
use quire_ports::{LinkRun, LinkSource, NewSummary, RunReader, Step, StepContext, StepOutput};
use quire_understanding::summary::{
    self, EXTRACTIVE_METHOD, ForwardedPost, Summary, SummaryError, SummarySource,
};
use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;

use super::LinkStepServices;
use super::model_summary::SummaryModel;
use crate::link::WebPageArtifact;
use crate::steps::StepErrorCode;
use crate::steps::error_code::database_failure;

const INVALID: &str = FailureType::ValidationFailed.as_str();

/// The step `summarization`.
pub struct LinkSummarizationStep {
    /// What the steps share.
    pub shared: LinkStepServices,
    /// The artifacts of the run, which hold its page.
    pub history: Arc<dyn RunReader>,
    /// The model to ask. Without one, sentences of the text make the summary.
    pub model: Option<SummaryModel>,
    /// The language of summaries whose request names none.
    pub preferred_language: SummaryLanguage,
    /// How many texts the built-in method ranks at once. Ranking keeps a processor busy; more at once would only need more
    /// memory.
    pub ranking: Arc<Semaphore>,
}

/// A summary, and who made it.
pub(super) struct MadeSummary {
    pub(super) summary: Summary,
    pub(super) made_by: String,
    pub(super) language: String,
    pub(super) artifacts: Vec<(String, String)>,
}

#[async_trait]
impl Step for LinkSummarizationStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        self.shared.locks.with_lock(&context, self.summarise(&context)).await
    }
}

impl LinkSummarizationStep {
    async fn summarise(&self, context: &StepContext) -> Result<StepOutput, Failure> {
        let Some(link) = self.shared.load(context).await? else { return Ok(StepOutput::default()) };
        let page = WebPageArtifact::of_run(self.history.as_ref(), context.run.id).await;
        let page = page.map_err(|error| database_failure(&error))?;
        let domain = link.request.source.url().and_then(|url| NormalizedUrl::parse(url).ok());
        let input = Arc::new(SummaryInput { link, page, domain });
        let made = match &self.model {
            Some(model) => {
                let source = input.source()?;
                let requested = input.link.request.language;
                let language =
                    SummaryLanguage::choose(requested, self.preferred_language, source.text, source.language);
                model.summarise(context, &source, language, input.link.request.retry_of).await?
            }
            None => built_in(input.clone(), &self.ranking).await?,
        };
        let MadeSummary { mut summary, made_by, language, artifacts } = made;
        if let LinkSource::Forward(forward) = &input.link.request.source {
            summary.forwarded_post_extras = ForwardedPost::read(&post(forward));
        }
        let Ok(Value::Object(payload)) = serde_json::to_value(&summary) else {
            return Err(invalid(&SummaryError::NoObject));
        };
        Ok(StepOutput {
            artifacts,
            summary: Some(NewSummary { id: SummaryId::new(), language, payload, made_by }),
            ..StepOutput::default()
        })
    }
}

/// What the step summarises.
struct SummaryInput {
    link: LinkRun,
    page: Option<WebPageArtifact>,
    domain: Option<NormalizedUrl>,
}

impl SummaryInput {
    /// The text to summarise, with what is known about it.
    fn source(&self) -> Result<SummarySource<'_>, Failure> {
        match (&self.link.request.source, &self.page) {
            (LinkSource::Forward(forward), _) => {
                Ok(SummarySource { text: &forward.text, ..SummarySource::default() })
            }
            (LinkSource::Url { .. }, Some(page)) => Ok(SummarySource {
                text: &page.text,
                language: page.language.as_deref(),
                title: page.title.as_deref(),
                canonical_url: Some(page.canonical_url.as_deref().unwrap_or(&page.final_url)),
                domain: self.domain.as_ref().map(NormalizedUrl::domain),
                author: page.byline.as_deref(),
                published_at: page.published.as_deref(),
            }),
            (LinkSource::Url { .. }, None) => {
                let message = "the text of the page is missing; send the request again";
                Err(Failure::permanent(StepErrorCode::StepInputMissing.as_str(), message))
            }
        }
    }
}

/// The built-in summary. It consists of sentences of the text, so it has the language of the text.
async fn built_in(input: Arc<SummaryInput>, ranking: &Semaphore) -> Result<MadeSummary, Failure> {
    use SummaryLanguage::Auto;
    let _permit = ranking.acquire().await;
    // Ranking a long text takes a while, and requests must not wait for it.
    let made = tokio::task::spawn_blocking(move || {
        let source = input.source()?;
        Ok(MadeSummary {
            summary: summary::summarise(&source).map_err(|error| invalid(&error))?,
            made_by: EXTRACTIVE_METHOD.to_owned(),
            language: SummaryLanguage::choose(Auto, Auto, source.text, source.language),
            artifacts: Vec::new(),
        })
    });
    made.await.unwrap_or_else(|_| {
        let message = "the summary was interrupted; Quire tries again";
        Err(Failure::transient(StepErrorCode::StepPanicked.as_str(), message))
    })
}

/// Where a forwarded text comes from, as the contract of summaries names it.
fn post(forward: &ForwardedText) -> Value {
    let metadata = &forward.metadata;
    let mut post: Map<String, Value> = metadata.more.clone();
    post.insert("channel_id".to_owned(), json!(metadata.from_chat_id));
    post.insert("message_id".to_owned(), json!(metadata.from_message_id));
    Value::Object(post)
}

/// The failure of an answer that is no summary. Asking again is up to a person: it costs, and the same model may well do the
/// same.
pub(super) fn invalid(error: &SummaryError) -> Failure {
    Failure::permanent(INVALID, error.to_string()).with_failure_type(FailureType::ValidationFailed)
}
