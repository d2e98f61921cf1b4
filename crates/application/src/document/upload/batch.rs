//! The files of one upload request: what they share, and each file on its own.

use quire_domain::Priority;

use super::{FirstRun, Upload, UploadError, UploadKey, Uploader, require_schema};
use crate::App;
use crate::document::DocumentView;

/// What a client asks for all files of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UploadRequest {
    /// The name of the client.
    pub actor: String,
    /// The priority of the first run of each document.
    pub priority: Priority,
    /// Ties the runs to the request in the log.
    pub correlation_id: String,
    /// The client's idempotency key.
    pub key: Option<String>,
    /// The schema to interpret the documents by; the default of the settings without one.
    pub schema: Option<String>,
}

/// An accepted upload request.
pub struct UploadBatch<'a> {
    app: &'a App,
    request: UploadRequest,
}

impl<'a> UploadBatch<'a> {
    /// Accepts a request. Refuses a schema that does not exist before any file is read.
    pub async fn begin(app: &'a App, request: UploadRequest) -> Result<Self, UploadError> {
        if let Some(name) = &request.schema {
            require_schema(&app.store, name).await?;
        }
        Ok(Self { app, request })
    }

    /// Bytes of the largest file, and of all files of the request together.
    pub fn max_bytes(&self) -> u64 {
        self.app.uploads.largest
    }

    /// Begins one file.
    pub async fn begin_file(&self) -> Result<Upload, UploadError> {
        let App { store, blobs, uploads, .. } = self.app;
        Upload::begin(store.clone(), blobs.clone(), uploads.clone()).await
    }

    /// Stores a file that arrived whole, with its first run unless this server processes none. `place` is its place in the
    /// request, from 0.
    pub async fn finish_file(
        &self,
        upload: Upload,
        name: &str,
        place: u32,
        is_last: bool,
    ) -> Result<DocumentView, UploadError> {
        let request = &self.request;
        let correlation_id = Some(request.correlation_id.clone());
        let first = FirstRun { priority: request.priority, correlation_id };
        let key = request.key.clone().map(|key| UploadKey { key, place, is_last });
        let uploader = Uploader { actor: request.actor.clone(), key };
        upload
            .by_schema(request.schema.clone())
            .finish(name, self.app.processing.then_some(first), &uploader)
            .await
    }
}
