//! Azure Document Intelligence reads documents: a file is submitted to a model, and its operation is polled.
//!
//! The contract is API version 2024-11-30. `POST …/documentModels/{model}:analyze` answers 202 with the address of the operation in
//! `Operation-Location`; `GET` of that address answers with its status until it is `succeeded` or `failed`. Both may be refused
//! with 429. The key goes to the configured host alone: an operation at another host is refused.

mod mapping;
mod response;
mod settings;
#[cfg(test)]
mod tests;

use std::time::Duration;

use async_trait::async_trait;
use http_body_util::Full;
use hyper::body::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Request, StatusCode, Uri};
use quire_domain::reading::FileKind;
use quire_ports::{
    AcceptedOperation, AnalysisError, AnalysisErrorKind, AnalysisRequest, DocumentAnalyser, OperationState,
};

use self::response::{ErrorResponse, ServiceError, ServiceOperation};
pub use self::settings::{DocumentIntelligenceSettings, DocumentIntelligenceSettingsError};
use crate::http::{HttpClient, HttpError, HttpLimits, HttpResponse};
use crate::retry::retry_after;

const API_VERSION: &str = "2024-11-30";
/// The header of the key.
const KEY: &str = "Ocp-Apim-Subscription-Key";
/// The header with the address of an operation.
const OPERATION: &str = "Operation-Location";
/// The shortest pause between two polls.
const MIN_PAUSE: Duration = Duration::from_millis(100);
/// Codes of failed operations after which another one may succeed.
const PASSING: [&str; 5] =
    ["InternalServerError", "ServiceUnavailable", "Timeout", "TooManyRequests", "OutputContentServerError"];

/// Statuses with which a proxy or a load balancer says that it lost the answer of the service, which may have accepted the file.
const LOST_ANSWERS: [StatusCode; 3] =
    [StatusCode::REQUEST_TIMEOUT, StatusCode::BAD_GATEWAY, StatusCode::GATEWAY_TIMEOUT];

/// A resource of the service.
pub struct DocumentIntelligence {
    http: HttpClient,
    settings: DocumentIntelligenceSettings,
    base: Uri,
    key: HeaderValue,
}

impl DocumentIntelligence {
    /// Checks the settings. Sends nothing yet.
    pub fn new(
        http: HttpClient,
        settings: DocumentIntelligenceSettings,
    ) -> Result<Self, DocumentIntelligenceSettingsError> {
        let (base, key) = settings.check()?;
        Ok(Self { http, settings, base, key })
    }

    fn submit_address(&self) -> String {
        let base = self.settings.url.trim().trim_end_matches('/');
        let model = &self.settings.model;
        let features = if self.settings.key_value_pairs { "&features=keyValuePairs" } else { "" };
        format!(
            "{base}/documentintelligence/documentModels/{model}:analyze?api-version={API_VERSION}\
             &stringIndexType=unicodeCodePoint{features}"
        )
    }

    /// The address of an operation, if it is at the configured host.
    fn operation_address(&self, address: &str) -> Result<Uri, AnalysisError> {
        let uri = address.parse::<Uri>().ok();
        uri.filter(|uri| place(uri) == place(&self.base)).ok_or_else(|| {
            invalid("the address of the operation is at another host than document_intelligence.url; check the setting")
        })
    }

    fn limits(&self, time: Duration) -> HttpLimits {
        let time = time.min(self.settings.timeout);
        HttpLimits { time, idle: time, bytes: self.settings.max_response_bytes }
    }

    async fn send(
        &self,
        request: Request<Full<Bytes>>,
        time: Duration,
    ) -> Result<HttpResponse, AnalysisError> {
        self.http.send(request, self.limits(time)).await.map_err(|error| match error {
            HttpError::ResponseTooLarge => AnalysisError {
                may_have_arrived: true,
                ..invalid(
                    "the response of Document Intelligence is larger than document_intelligence.max_response_mb; raise it",
                )
            },
            error => AnalysisError {
                may_have_arrived: error != HttpError::Unreachable,
                ..unavailable(&format!(
                    "the request to Document Intelligence failed: {error}; check document_intelligence.url and \
                     document_intelligence.timeout"
                ))
            },
        })
    }

    /// When to poll again.
    fn pause(&self, response: &HttpResponse) -> Duration {
        retry_after(&response.headers).unwrap_or(self.settings.poll_interval).max(MIN_PAUSE)
    }
}

#[async_trait]
impl DocumentAnalyser for DocumentIntelligence {
    async fn submit(&self, request: AnalysisRequest) -> Result<AcceptedOperation, AnalysisError> {
        let content_type = match request.kind {
            kind @ (FileKind::Pdf | FileKind::Png | FileKind::Jpeg) => kind.media_type(),
            FileKind::Docx | FileKind::Text | FileKind::Xml => "application/octet-stream",
        };
        let http = Request::post(self.submit_address())
            .header(KEY, &self.key)
            .header(CONTENT_TYPE, content_type)
            .body(Full::new(Bytes::from_owner(request.file)))
            .map_err(|_| invalid("Document Intelligence cannot be asked; check document_intelligence.url"))?;
        let response = self.send(http, request.time).await?;
        if response.status != StatusCode::ACCEPTED {
            let may_have_arrived = LOST_ANSWERS.contains(&response.status);
            return Err(AnalysisError { may_have_arrived, ..refusal(&response) });
        }
        // From here on the file is paid for.
        let address = response.headers.get(OPERATION).and_then(|value| value.to_str().ok());
        let address = address
            .ok_or_else(|| {
                unavailable("Document Intelligence accepted the file and named no operation; try again later")
            })
            .and_then(|address| self.operation_address(address).map(|_| address.to_owned()))
            .map_err(|error| AnalysisError { may_have_arrived: true, ..error })?;
        Ok(AcceptedOperation { address, wait: self.pause(&response) })
    }

    async fn poll(&self, operation: &str, time: Duration) -> Result<OperationState, AnalysisError> {
        let http = Request::get(self.operation_address(operation)?)
            .header(KEY, &self.key)
            .body(Full::default())
            .map_err(|_| invalid("the operation cannot be polled; process the document again"))?;
        let response = self.send(http, time).await?;
        if response.status == StatusCode::NOT_FOUND {
            let message =
                "Document Intelligence does not know the operation any more; Quire submits the file again";
            return Err(AnalysisError { is_vanished: true, ..unavailable(message) });
        }
        if response.status != StatusCode::OK {
            return Err(refusal(&response));
        }
        let operation: ServiceOperation = serde_json::from_slice(&response.body).map_err(|_| {
            unavailable("the response of Document Intelligence cannot be read; try again later")
        })?;
        match operation.status.as_str() {
            "notStarted" | "running" => Ok(OperationState::Running { wait: self.pause(&response) }),
            "succeeded" => succeeded(&operation),
            "failed" | "canceled" | "skipped" => Err(failed(&operation.error.unwrap_or_default())),
            _ => Err(unavailable("Document Intelligence answered with an unknown status; try again later")),
        }
    }
}

/// Where an address leads: its scheme, its host and its port, which may be left out if it is that of the scheme.
fn place(uri: &Uri) -> Option<(&str, String, u16)> {
    let scheme = uri.scheme_str()?;
    let port = uri.port_u16().unwrap_or(if scheme == "https" { 443 } else { 80 });
    Some((scheme, uri.host()?.to_ascii_lowercase(), port))
}

fn succeeded(operation: &ServiceOperation) -> Result<OperationState, AnalysisError> {
    let result = operation.result.as_ref().ok_or_else(|| {
        invalid("the result of Document Intelligence is missing; process the document again")
    })?;
    let document = mapping::document(result).map_err(|why| {
        tracing::warn!(?why, "Document Intelligence: the result cannot be used");
        invalid("the result of Document Intelligence has pages without a place or size; process the document again")
    })?;
    Ok(OperationState::Succeeded(Box::new(document)))
}

/// The service accepted the file and could not read it.
fn failed(error: &ServiceError) -> AnalysisError {
    let message = format!(
        "Document Intelligence could not read the document ({}); try the local extractor, or save the file again",
        error.codes()
    );
    let kind = AnalysisErrorKind::Failed;
    if PASSING.contains(&error.code.as_str()) {
        AnalysisError::transient(kind, message)
    } else {
        AnalysisError::permanent(kind, message)
    }
}

/// A response with an error status.
fn refusal(response: &HttpResponse) -> AnalysisError {
    let status = response.status;
    let number = status.as_u16();
    let error: Option<ErrorResponse> = serde_json::from_slice(&response.body).ok();
    let codes = error.map(|response| response.error.codes()).filter(|codes| !codes.is_empty());
    let codes = codes.map(|codes| format!(", {codes}")).unwrap_or_default();
    if status == StatusCode::TOO_MANY_REQUESTS {
        return match retry_after(&response.headers) {
            Some(wait) => AnalysisError {
                retry_after: Some(wait),
                ..AnalysisError::transient(
                    AnalysisErrorKind::RateLimited,
                    "Document Intelligence limits the request rate (HTTP 429); Quire continues later",
                )
            },
            None => unavailable(
                "Document Intelligence limits the request rate (HTTP 429) and names no time; try again later",
            ),
        };
    }
    if status == StatusCode::PAYLOAD_TOO_LARGE {
        let message = "the file is too large for Document Intelligence (HTTP 413); split it, or use the local extractor";
        return AnalysisError::permanent(AnalysisErrorKind::Refused, message);
    }
    if status.is_client_error() && status != StatusCode::REQUEST_TIMEOUT {
        let message = format!(
            "Document Intelligence refused the request (HTTP {number}{codes}); check document_intelligence.url, \
             document_intelligence.api_key and document_intelligence.model"
        );
        return AnalysisError::permanent(AnalysisErrorKind::Refused, message);
    }
    unavailable(&format!("Document Intelligence answered with HTTP {number}{codes}; try again later"))
}

fn unavailable(message: &str) -> AnalysisError {
    AnalysisError::transient(AnalysisErrorKind::Unavailable, message)
}

fn invalid(message: &str) -> AnalysisError {
    AnalysisError::permanent(AnalysisErrorKind::AnswerInvalid, message)
}
