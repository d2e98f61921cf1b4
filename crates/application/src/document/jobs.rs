//! The runs of a document in the form of the view `document_processing_jobs`.

use quire_domain::DocumentId;
use quire_ports::DocumentJob;

use crate::{App, Result};

/// The runs of that document as jobs, oldest first.
pub async fn jobs(app: &App, id: DocumentId) -> Result<Vec<DocumentJob>> {
    // Without this check, an unknown document would have an empty list.
    app.store.documents.find(id).await?;
    Ok(app.store.run_reader.jobs(id.into()).await?)
}
