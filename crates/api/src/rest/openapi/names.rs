//! The closed sets of names in the description. The domain defines them.

// Outside tests nothing builds the description.
#![cfg_attr(not(test), allow(dead_code))]

use std::borrow::Cow;

use quire_application::steps::{
    AnalysisErrorKind, ModelErrorKind, ReadErrorKind, StepErrorCode as StepCode, WebErrorKind,
};
use quire_domain::{self as domain, Pipeline as DomainPipeline};
use quire_understanding::edit::conflict;
use quire_understanding::{InterpreterKind as Understands, ValueType as Kind};
use quire_understanding::{calibration, compare, structural_change};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::Code;

macro_rules! names {
    ($($(#[doc = $doc:literal])+ $name:ident = $names:expr;)+) => {$(
        $(#[doc = $doc])+
        pub(crate) enum $name {}

        impl PartialSchema for $name {
            fn schema() -> RefOr<Schema> {
                closed(&[$($doc),+], $names)
            }
        }

        impl ToSchema for $name {
            fn name() -> Cow<'static, str> {
                stringify!($name).into()
            }
        }
    )+};
}

fn closed<N: AsRef<str>>(doc: &[&str], names: impl IntoIterator<Item = N>) -> RefOr<Schema> {
    let names = names.into_iter().map(|name| name.as_ref().to_owned());
    let text: Vec<_> = doc.iter().map(|line| line.trim()).collect();
    let object = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(names));
    object.description(Some(text.join(" "))).into()
}

names! {
    /// The stable code of an error. Each has a page at `/errors/{code}`.
    ErrorCode = Code::ALL.iter().map(|code| code.as_str());
    /// The reason of a conflict. Each has a page at `/errors/{reason}`.
    ConflictReason = crate::ConflictReason::ALL.iter().map(|reason| reason.as_str());
    /// The processing status of a document, derived from its runs.
    DocumentStatus = domain::DocumentStatus::ALL.map(domain::DocumentStatus::as_str);
    /// Which documents are listed.
    HiddenFilter = ["only"];
    /// The order of a list of documents.
    Sort = crate::rest::documents::list::DocumentSort::ALL.map(crate::rest::documents::list::DocumentSort::as_str);
    /// Why a question has no answer.
    NoAnswer = quire_application::ask::NoAnswer::codes();
    /// The order of results of a search.
    SearchOrder = crate::rest::search::SearchOrder::ALL.map(crate::rest::search::SearchOrder::as_str);
    /// Where a snippet comes from.
    SnippetSource = ["file_name", "values", "text"];
    /// Whether a person has reviewed a document.
    ReviewStatus = [domain::ReviewStatus::InReview, domain::ReviewStatus::Reviewed].map(domain::ReviewStatus::as_str);
    /// Whether calls are made in a lane.
    LaneState = ["OPEN", "CLOSED", "PAUSED"];
    /// The state of a run.
    RunState = domain::RunStateName::ALL.map(domain::RunStateName::as_str);
    /// Why a run failed.
    FailureType = domain::FailureType::ALL.iter().map(|failure| failure.as_str());
    /// The kind of run, which decides its steps.
    Pipeline = DomainPipeline::ALL.map(DomainPipeline::as_str);
    /// A step of a pipeline.
    StepName = DomainPipeline::ALL.iter().flat_map(|pipeline| pipeline.steps()).map(|step| step.as_str());
    /// The status of a step.
    StepStatus = {
        use domain::StepStatus::{Failed, Pending, Running, Succeeded};
        [Pending, Running, Succeeded, Failed].map(crate::rest::runs::step_status)
    };
    /// Why a step failed. These codes have a page at `/errors/{code}`; steps may have other codes.
    StepErrorCode = {
        let readers = ReadErrorKind::ALL.iter().map(|kind| kind.as_str());
        let models = ModelErrorKind::ALL.iter().map(|kind| kind.as_str());
        let pages = WebErrorKind::ALL.iter().map(|kind| kind.as_str());
        let analysers = AnalysisErrorKind::ALL.iter().map(|kind| kind.as_str());
        readers.chain(models).chain(pages).chain(analysers).chain(StepCode::ALL.iter().map(|code| code.as_str()))
    };
    /// Why a model could not be used. Each has a page at `/errors/{code}`.
    ModelErrorCode = ModelErrorKind::ALL.iter().map(|kind| kind.as_str());
    /// The priority of a run.
    Priority = domain::Priority::ALL.map(domain::Priority::as_str);
    /// Who reads a document: this machine, or Azure Document Intelligence.
    Extractor = domain::reading::Extractor::ALL.map(domain::reading::Extractor::as_str);
    /// The type of an event.
    EventType = domain::EventType::ALL.iter().map(|kind| kind.as_str());
    /// An ISO 639-1 language code.
    Language = quire_application::document::languages();
    /// The type of a value.
    ValueType = Kind::ALL.map(Kind::as_str);
    /// The origin of a value: extracted from the text, taken from data inside the file, entered by a person, or derived from
    /// other fields.
    Origin = ["machine", "embedded", "human", "derived"];
    /// The band of a confidence.
    Band = calibration::Band::ALL.map(calibration::Band::as_str);
    /// What reviews say about a mapping: nothing in particular, nearly always right, or mostly wrong.
    Standing = calibration::Standing::ALL.map(calibration::Standing::as_str);
    /// What interprets documents: the built-in rules, or a language model.
    InterpreterKind = Understands::ALL.map(Understands::as_str);
    /// What a key is about: the document, an event at a visit, or the visit itself.
    Scope = ["document", "visit", "metadata"];
    /// The kind of change of a field.
    ChangeType = ["ADD", "UPDATE", "DELETE"];
    /// How a field differs between two versions.
    Difference = compare::Difference::ALL.map(compare::Difference::as_str);
    /// The status of a change in a stale edit: the active version already has it, it can still be made, or it contradicts
    /// another person's change.
    ConflictStatus = conflict::EditStatus::ALL.map(conflict::EditStatus::as_str);
    /// The kind of change of a schema.
    StructureChange = structural_change::SchemaChangeType::ALL.iter().map(|change| change.as_str());
    /// The status of a candidate for a change of a schema.
    CandidateStatus = structural_change::CandidateStatus::ALL.iter().map(|status| status.as_str());
    /// A decision about a candidate.
    DecisionType = structural_change::DecisionType::ALL.iter().map(|decision| decision.as_str());
    /// The format of an export.
    ExportFormat = ["csv", "jsonl", "xlsx"];
    /// What a row of an exported table is about.
    ExportRows = ["values", "documents"];
    /// The status of a proposal run.
    ProposalRunStatus = crate::rest::proposals::names::STATUSES.map(|(name, _)| name);
    /// Whether a proposal run is the first about its idea, or revises another.
    ProposalRunType = [false, true].map(crate::rest::proposals::names::run_type);
    /// The status of a step of a proposal run.
    ProposalStepStatus = {
        use domain::StepStatus::{Failed, Pending, Running, Succeeded};
        [Pending, Running, Succeeded, Failed].map(crate::rest::proposals::names::step_status)
    };
    /// What becomes of a proposal.
    Verdict = domain::proposal::Verdict::ALL.map(domain::proposal::Verdict::as_str);
    /// What is summarised.
    LinkRequestType = domain::link::RequestKind::ALL.map(domain::link::RequestKind::as_str);
    /// The status of a request.
    LinkRequestStatus = ["pending", "processing", "success", "error"];
    /// The language of a summary.
    SummaryLanguage = domain::link::SummaryLanguage::ALL.map(domain::link::SummaryLanguage::as_str);
    /// The order of a list of summaries.
    SummaryOrder = crate::rest::links::summaries::ORDERS.map(|(name, _)| name);
    /// The state of a run as a job.
    JobStatus = ["PENDING", "PROCESSING", "COMPLETED", "FAILED"];
    /// The format of an interpretation: a flat list of fields, or grouped by visits.
    View = ["flat", "visits"];
}
