//! `POST /ask`

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use quire_application::App;
use quire_application::ask::{
    self, Answer, AskError, AskRequest, AskResult, DEFAULT_PASSAGES, MAX_PASSAGES, Passage, SentenceEvidence,
};
use quire_domain::DocumentId;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiError;
use crate::caller::Caller;
use crate::middleware::request_id::RequestId;
use crate::request::JsonBody;
use crate::rest::documents::page_content::RectResponse;
use crate::rest::openapi::names;

/// A question about the documents.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Question, example = json!({ "question": "Which dogs had otitis?", "q": "species:canino" }))]
pub(crate) struct QuestionRequest {
    /// The question.
    #[schema(min_length = 1, max_length = 1000)]
    question: String,
    /// Which documents it is about, as a query of the search: `species:canino reviewed:yes`. All by default.
    #[serde(default)]
    #[schema(max_length = 900)]
    q: Option<String>,
    /// The number of passages (default: 8).
    #[serde(default)]
    #[schema(minimum = 1, maximum = 20)]
    limit: Option<u32>,
}

/// The answer to a question, and the passages from which it was made.
#[derive(Serialize, ToSchema)]
#[schema(as = QuestionAnswered)]
pub struct AskResponse {
    /// Null if there is none; `reason` says why.
    answer: Option<AnswerResponse>,
    /// Why there is no answer. Null if there is one.
    #[schema(value_type = Option<names::NoAnswer>)]
    reason: Option<&'static str>,
    /// The passages that fit the question, best first.
    chunks: Vec<ChunkResponse>,
}

/// An answer of which every sentence has its evidence.
#[derive(Serialize, ToSchema)]
#[schema(as = Answer)]
struct AnswerResponse {
    sentences: Vec<SentenceResponse>,
    /// How many sentences of the model were left out, because no quote shows that they are right.
    left_out: usize,
    /// The model that answered.
    model: String,
}

/// A sentence of an answer.
#[derive(Serialize, ToSchema)]
#[schema(as = AnswerSentence)]
struct SentenceResponse {
    text: String,
    /// Where it stands; at least one place.
    evidence: Vec<EvidenceResponse>,
}

/// A place in a document that says what a sentence says.
#[derive(Serialize, ToSchema)]
#[schema(as = AnswerEvidence)]
struct EvidenceResponse {
    /// The `id` of the passage.
    chunk: String,
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    original_filename: String,
    /// The page, from 1.
    page: Option<u32>,
    /// The quote, as it stands in the document.
    quote: String,
    /// Where on the page its words stand.
    boxes: Vec<RectResponse>,
}

/// A part of a document that fits a question.
#[derive(Serialize, ToSchema)]
#[schema(as = AnswerChunk)]
struct ChunkResponse {
    id: String,
    #[schema(value_type = Uuid)]
    document_id: DocumentId,
    original_filename: String,
    /// The page, from 1.
    page: Option<u32>,
    text: String,
}

/// Answers a question from the documents.
///
/// The search finds the passages that fit best, and the configured language model answers from them. Every sentence has the place in
/// a document where it stands; a sentence whose quote is not there is left out. Without a model, or if it fails, `answer` is null and
/// the passages are returned alone. Personal data is hidden from the model as for documents.
#[utoipa::path(
    post,
    path = "/ask",
    tag = "search",
    operation_id = "ask",
    request_body = QuestionRequest,
    responses((status = 200, description = "The answer, or the passages alone.", body = AskResponse)),
)]
pub(crate) async fn ask(
    State(app): State<Arc<App>>,
    Extension(RequestId(correlation_id)): Extension<RequestId>,
    Caller(actor): Caller,
    JsonBody(body): JsonBody<QuestionRequest>,
) -> Result<Json<AskResponse>, ApiError> {
    let limit = body.limit.unwrap_or(DEFAULT_PASSAGES);
    if !(1..=MAX_PASSAGES).contains(&limit) {
        return Err(ApiError::invalid("limit", &format!("must be a whole number from 1 to {MAX_PASSAGES}")));
    }
    let request = AskRequest {
        question: body.question,
        filters: body.q.unwrap_or_default(),
        limit,
        correlation_id: Some(correlation_id),
        actor: Some(actor),
    };
    let result = ask::ask(&app, &request).await?;
    Ok(Json(result.into()))
}

impl From<AskResult> for AskResponse {
    fn from(AskResult { passages, answer }: AskResult) -> Self {
        let reason = answer.as_ref().err().map(|reason| reason.as_str());
        Self {
            answer: answer.ok().map(|answer| answer_response(answer, &passages)),
            reason,
            chunks: passages.into_iter().map(chunk).collect(),
        }
    }
}

fn answer_response(answer: Answer, passages: &[Passage]) -> AnswerResponse {
    let name = |id: &str| {
        let passage = passages.iter().find(|passage| passage.id == id);
        passage.map(|passage| passage.original_filename.clone()).unwrap_or_default()
    };
    let evidence = |one: SentenceEvidence| EvidenceResponse {
        original_filename: name(&one.passage),
        chunk: one.passage,
        document_id: one.document,
        page: one.page,
        quote: one.quote,
        boxes: one.boxes.into_iter().map(RectResponse::from).collect(),
    };
    let sentences = answer.sentences.into_iter().map(|sentence| SentenceResponse {
        text: sentence.text,
        evidence: sentence.evidence.into_iter().map(evidence).collect(),
    });
    AnswerResponse { sentences: sentences.collect(), left_out: answer.left_out, model: answer.model }
}

fn chunk(passage: Passage) -> ChunkResponse {
    ChunkResponse {
        id: passage.id,
        document_id: passage.chunk.document,
        original_filename: passage.original_filename,
        page: passage.chunk.page,
        text: passage.chunk.text,
    }
}

impl From<AskError> for ApiError {
    fn from(error: AskError) -> Self {
        match error {
            AskError::Question => Self::invalid("question", &error.to_string()),
            AskError::Filters => Self::invalid("q", &error.to_string()),
            AskError::Search(error) => error.into(),
        }
    }
}
