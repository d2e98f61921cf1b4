//! Names from closed sets, as the description lists them. The domain says which there are.

use std::borrow::Cow;

use quire_application::steps::StepErrorCode as StepCode;
use quire_domain::{self as domain, Pipeline as Line};
use quire_ports::{ModelErrorKind, ReadErrorKind};
use quire_understanding::edit::conflict;
use quire_understanding::{InterpreterKind as Understands, ValueType as Kind};
use quire_understanding::{calibration, compare, structure};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

use crate::{Code, Reason};

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
    /// The stable code of an error. Each has its page at `/errors/{code}`.
    ErrorCode = Code::ALL.iter().map(|code| code.as_str());
    /// Why something conflicts with what is there. Each has its page at `/errors/{reason}`.
    ConflictReason = Reason::ALL.iter().map(|reason| reason.as_str());
    /// Where the processing of a document stands; it follows from its runs.
    DocumentStatus = domain::DocumentStatus::ALL.map(domain::DocumentStatus::as_str);
    /// In which order documents are listed.
    Sort = crate::documents::list::Sort::ALL.map(crate::documents::list::Sort::as_str);
    /// Whether a person has checked a document.
    ReviewStatus = [domain::ReviewStatus::InReview, domain::ReviewStatus::Reviewed].map(domain::ReviewStatus::as_str);
    /// Where a run stands.
    RunState = ["QUEUED", "RUNNING", "COMPLETED", "FAILED", "TIMED_OUT"];
    /// Why a run failed.
    FailureType = domain::FailureType::ALL.iter().map(|failure| failure.as_str());
    /// Which steps a run goes through.
    Pipeline = Line::ALL.map(Line::as_str);
    /// A step of a pipeline.
    StepName = Line::ALL.iter().flat_map(|pipeline| pipeline.steps()).map(|step| step.as_str());
    /// Where a step stands.
    StepStatus = {
        use domain::StepStatus::{Failed, Pending, Running, Succeeded};
        [Pending, Running, Succeeded, Failed].map(crate::runs::step_status)
    };
    /// Why a step failed, where that has a page at `/errors/{code}`. Steps may have codes of their own beside these.
    StepErrorCode = {
        let troubles = ReadErrorKind::ALL.iter().map(|trouble| trouble.as_str());
        let models = ModelErrorKind::ALL.iter().map(|trouble| trouble.as_str());
        troubles.chain(models).chain(StepCode::ALL.iter().map(|code| code.as_str()))
    };
    /// Why a model was of no use. Each has its page at `/errors/{code}`.
    ModelErrorCode = ModelErrorKind::ALL.iter().map(|trouble| trouble.as_str());
    /// How urgent a run is.
    Priority = domain::Priority::ALL.map(domain::Priority::as_str);
    /// What happened.
    EventType = domain::EventType::ALL.iter().map(|kind| kind.as_str());
    /// A language, as ISO 639-1 writes it.
    Language = quire_application::document::languages();
    /// What a value is meant as.
    ValueType = Kind::ALL.map(Kind::as_str);
    /// Who says that a field has its value: it was found, a person put it in, or it follows from others.
    Origin = ["machine", "human", "derived"];
    /// How sure a field is, for people.
    Band = calibration::Band::ALL.map(calibration::Band::as_str);
    /// What reviews say of a way of finding a key: nothing in particular, that it is nearly always right, or mostly wrong.
    Standing = calibration::CalibrationState::ALL.map(calibration::CalibrationState::as_str);
    /// Who understands documents: the rules that come with the program, or a language model.
    InterpreterKind = Understands::ALL.map(Understands::as_str);
    /// What a key tells about: the document as a whole, what happened at a visit, or a visit itself.
    Scope = ["document", "visit", "metadata"];
    /// How a field changes.
    ChangeType = ["ADD", "UPDATE", "DELETE"];
    /// How a field differs between two versions.
    Difference = compare::Difference::ALL.map(compare::Difference::as_str);
    /// What became of a change of an edit that came too late: the active version already has it, it can still be made, or it
    /// contradicts what somebody else has done.
    ConflictStatus = conflict::ChangeStatus::ALL.map(conflict::ChangeStatus::as_str);
    /// How a schema might change.
    StructureChange = structure::StructureChange::ALL.iter().map(|change| change.as_str());
    /// Where a candidate for a change of the schema stands.
    CandidateStatus = structure::CandidateStatus::ALL.iter().map(|status| status.as_str());
    /// What a person decides about a candidate.
    DecisionType = structure::DecisionType::ALL.iter().map(|decision| decision.as_str());
    /// What an export is written as.
    ExportFormat = ["csv", "jsonl"];
    /// Where a run stands, in the words of the job view.
    JobStatus = ["PENDING", "PROCESSING", "COMPLETED", "FAILED"];
    /// How an interpretation is shown: as a flat list of fields, or grouped by visits.
    View = ["flat", "visits"];
}
