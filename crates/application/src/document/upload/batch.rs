//! The files of one upload request: their shared options, and each file.

use quire_domain::Priority;
use quire_domain::reading::Extractor;

use super::{FirstRunOptions, Upload, UploadError, UploadKey, Uploader};
use crate::App;
use crate::document::{DocumentView, require_extractor, require_schema};

/// The options for all files of one request.
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
    /// The schema of the documents. Without one, the settings decide.
    pub schema: Option<String>,
    /// Who reads the documents. Without one, their schema or the settings decide.
    pub extractor: Option<Extractor>,
}

/// An accepted upload request.
pub struct UploadBatch<'a> {
    app: &'a App,
    request: UploadRequest,
}

impl<'a> UploadBatch<'a> {
    /// Accepts a request. Refuses an unknown schema, and any upload to a disk that is nearly full, before it reads a file.
    pub async fn begin(app: &'a App, request: UploadRequest) -> Result<Self, UploadError> {
        app.free_space.check().await?;
        require_extractor(app, request.extractor)?;
        if let Some(name) = &request.schema {
            require_schema(&app.store, name).await??;
        }
        Ok(Self { app, request })
    }

    /// Sets the schema of the files that are not stored yet.
    pub async fn set_schema(&mut self, name: String) -> Result<(), UploadError> {
        require_schema(&self.app.store, &name).await??;
        self.request.schema = Some(name);
        Ok(())
    }

    /// Sets who reads the files that are not stored yet.
    pub fn set_extractor(&mut self, extractor: Extractor) -> Result<(), UploadError> {
        require_extractor(self.app, Some(extractor))?;
        self.request.extractor = Some(extractor);
        Ok(())
    }

    /// Sets the priority of the files that are not stored yet.
    pub fn set_priority(&mut self, priority: Priority) {
        self.request.priority = priority;
    }

    /// The size limit, in bytes, of one file and of all files of the request together.
    pub fn max_bytes(&self) -> u64 {
        self.app.uploads.max_bytes
    }

    /// Begins the upload of one file.
    pub fn begin_file(&self) -> Upload {
        let App { store, blobs, uploads, .. } = self.app;
        Upload::begin(store.clone(), blobs.clone(), uploads.clone())
    }

    /// Stores a complete file, with its first run unless this server has processing switched off. `position` is the
    /// position of the file in the request, from 0.
    pub async fn finish_file(
        &self,
        upload: Upload,
        name: &str,
        position: u32,
        is_last: bool,
    ) -> Result<DocumentView, UploadError> {
        let request = &self.request;
        let correlation_id = Some(request.correlation_id.clone());
        let first =
            FirstRunOptions { priority: request.priority, correlation_id, extractor: request.extractor };
        let key = request.key.clone().map(|key| UploadKey { key, position, is_last });
        let uploader = Uploader { actor: request.actor.clone(), key };
        upload
            .with_schema(request.schema.clone())
            .finish(name, self.app.processing.then_some(first), &uploader)
            .await
    }
}
