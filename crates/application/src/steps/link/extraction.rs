//! The step `extraction` reads the page of a link. A forwarded text needs no reading.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::link::NormalizedUrl;
use quire_domain::{Failure, FailureType};
use quire_ports::{CallContext, LinkSource, Step, StepContext, StepOutput, WebReader};

use super::LinkStepServices;
use crate::link::WebPageArtifact;

const FAILED: &str = FailureType::ExtractionFailed.as_str();

/// The step `extraction`.
pub struct LinkExtractionStep {
    /// What the steps share.
    pub shared: LinkStepServices,
    /// Reads pages.
    pub reader: Arc<dyn WebReader>,
}

#[async_trait]
impl Step for LinkExtractionStep {
    async fn run(&self, context: StepContext) -> Result<StepOutput, Failure> {
        self.shared.locks.with_lock(&context, self.read(&context)).await
    }
}

impl LinkExtractionStep {
    async fn read(&self, context: &StepContext) -> Result<StepOutput, Failure> {
        let Some(link) = self.shared.load(context).await? else { return Ok(StepOutput::default()) };
        let LinkSource::Url { input, .. } = &link.request.source else { return Ok(StepOutput::default()) };
        let url =
            NormalizedUrl::parse(input).map_err(|error| Failure::permanent(FAILED, error.to_string()))?;
        let page = self.reader.read(&url, &CallContext::from(context)).await;
        let page = page.map_err(|failure| failure.into_failure(self.shared.clock.now()))?;
        if page.text.trim().is_empty() {
            return Err(Failure::permanent(FAILED, "the page has no readable text"));
        }
        let payload = serde_json::to_string(&WebPageArtifact::from(page)).map_err(|_| {
            Failure::permanent(FAILED, "the text of the page cannot be stored; please report this page")
        })?;
        Ok(StepOutput {
            artifacts: vec![(WebPageArtifact::ARTIFACT.to_owned(), payload)],
            ..StepOutput::default()
        })
    }
}
