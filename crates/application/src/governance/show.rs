//! Schemas, candidates for their changes, and decisions, for governors.

use quire_domain::DecisionId;
use quire_ports::{
    AuditTrailEntry, CandidateFilter, GovernanceDecision, SchemaVersion, SchemaVersionSummary,
    StructuralCandidate,
};
use quire_understanding::Schema;

use crate::{App, Result};

/// Candidates for changes of schemas, the most frequent first.
pub async fn candidates(app: &App, filter: CandidateFilter) -> Result<Vec<StructuralCandidate>> {
    Ok(app.store.governance.candidates(filter).await?)
}

/// Decisions after `after`, oldest first.
pub async fn decisions(app: &App, after: Option<DecisionId>, limit: u32) -> Result<Vec<GovernanceDecision>> {
    Ok(app.store.governance.decisions(after, limit).await?)
}

/// Decisions before `before` with their candidates, newest first.
pub async fn audit_trail(app: &App, before: Option<DecisionId>, limit: u32) -> Result<Vec<AuditTrailEntry>> {
    Ok(app.store.governance.trail(before, limit).await?)
}

/// The newest version of the default schema.
pub async fn current_schema(app: &App) -> Result<SchemaVersion> {
    schema_version(app, None, None).await
}

/// A version of a schema. Without a name it is the default schema; without a number it is the newest version.
pub async fn schema_version(app: &App, name: Option<&str>, number: Option<u32>) -> Result<SchemaVersion> {
    let (governance, name) = (&app.store.governance, name.unwrap_or(&app.uploads.schema));
    Ok(match number {
        Some(number) => governance.schema(name, number).await?,
        None => governance.current_schema(name).await?,
    })
}

/// The versions of a schema, newest first.
pub async fn schema_versions(app: &App, name: &str, limit: u32) -> Result<Vec<SchemaVersionSummary>> {
    Ok(app.store.governance.schema_versions(name, limit).await?)
}

/// The names of all schemas, sorted.
pub async fn schema_names(app: &App) -> Result<Vec<String>> {
    Ok(app.store.governance.schema_names().await?)
}

/// A schema and its title.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaTitle {
    /// The name of the schema.
    pub name: String,
    /// The title in the language that was asked for.
    pub title: String,
}

/// The schemas that a person can choose for a document, by name, with their titles in that language.
pub async fn schema_titles(app: &App, language: &str) -> Result<Vec<SchemaTitle>> {
    let mut titles = Vec::new();
    for name in schema_names(app).await?.into_iter().filter(|name| name != Schema::AUTO) {
        let schema = app.store.governance.current_schema(&name).await?.schema;
        titles.push(SchemaTitle { title: schema.title(language).to_owned(), name });
    }
    Ok(titles)
}
