//! The column values that are derived from a domain type. A store binds them.

use jiff::Timestamp;
use quire_domain::{Event, FailureRecord, InterpretationId, LaneName, Run, RunId, RunState, StepStatus};
use quire_ports::{
    FirstVersion, LinkRequest, LinkSource, NewInterpretationVersion, NewSummary, PortResult, ProposalRequest,
    StepProgress,
};
use quire_understanding::{Interpretation, MadeBy, document_confidence};
use serde::Serialize;
use serde_json::Value;
use uuid::Uuid;

use crate::error::corrupt;

/// The columns of a run that depend on its state.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct RunColumns<'r> {
    pub available_at: Option<Timestamp>,
    pub lane: Option<&'r str>,
    pub started_at: Option<Timestamp>,
    pub deadline_at: Option<Timestamp>,
    pub time_used_ms: i64,
    pub completed_at: Option<Timestamp>,
    pub worker_id: Option<Uuid>,
    pub failure_type: Option<&'static str>,
    pub error: Option<&'r FailureRecord>,
}

impl<'r> From<&'r Run> for RunColumns<'r> {
    fn from(run: &'r Run) -> Self {
        let (available_at, lane, deadline_at, worker) = match &run.state {
            RunState::Queued { available_at, lane } => (*available_at, lane.as_ref(), None, None),
            RunState::Running { deadline_at, worker, .. } => (None, None, *deadline_at, *worker),
            _ => (None, None, None, None),
        };
        let reason = run.state.reason();
        Self {
            available_at,
            lane: lane.map(LaneName::as_str),
            started_at: run.state.started_at(),
            deadline_at,
            time_used_ms: i64::try_from(run.time_used.as_millis()).unwrap_or(i64::MAX),
            completed_at: run.state.completed_at(),
            worker_id: worker.map(|id| id.0),
            failure_type: reason.map(|reason| reason.failure_type.as_str()),
            error: reason.map(|reason| &reason.record),
        }
    }
}

/// A row of interpretation versions, with the values that are stored beside it for sorting.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct VersionColumns {
    pub id: InterpretationId,
    pub run: RunId,
    pub number: u32,
    pub data: String,
    pub created_at: Timestamp,
    pub created_by: Option<String>,
    /// Whether the version suggests a change of the schema.
    pub pending_review: bool,
    pub confidence: f64,
    pub made_by: Option<String>,
    pub model_tokens: i64,
}

impl VersionColumns {
    /// The version that a run made itself.
    pub fn of_first(run: RunId, first: &FirstVersion, at: Timestamp) -> PortResult<Self> {
        let made_by = first.made_by.as_ref();
        Ok(Self {
            made_by: made_by.map(serde_json::to_string).transpose().map_err(corrupt)?,
            model_tokens: i64::try_from(made_by.map_or(0, MadeBy::tokens)).unwrap_or(i64::MAX),
            ..Self::new(first.id, run, 1, &first.data, at)?
        })
    }

    /// The version that an edit makes.
    pub fn of_edit(edit: &NewInterpretationVersion) -> PortResult<Self> {
        Ok(Self {
            created_by: Some(edit.actor.clone()),
            pending_review: !edit.structural_edits.is_empty(),
            ..Self::new(edit.id, edit.run, edit.base.version + 1, &edit.data, edit.at)?
        })
    }

    fn new(
        id: InterpretationId,
        run: RunId,
        number: u32,
        data: &Interpretation,
        created_at: Timestamp,
    ) -> PortResult<Self> {
        Ok(Self {
            id,
            run,
            number,
            data: serde_json::to_string(data).map_err(corrupt)?,
            created_at,
            created_by: None,
            pending_review: false,
            confidence: document_confidence(&data.fields),
            made_by: None,
            model_tokens: 0,
        })
    }
}

/// The progress of a step after this event, if the event is about a step.
pub fn step_progress_after(event: &Event) -> Option<(RunId, StepProgress)> {
    let (status, run, step) = (event.event_type.step_status()?, event.run?, event.step?);
    let is_running = status == StepStatus::Running;
    let progress = StepProgress {
        step,
        status,
        attempt: event.attempt.unwrap_or(1),
        started_at: if is_running { Some(event.at) } else { event.started_at },
        completed_at: if is_running { None } else { Some(event.at) },
        error_code: event.error_code().map(str::to_owned),
        error_message: event.failure.as_ref().map(|failure| failure.message.clone()),
    };
    Some((run, progress))
}

/// The columns of what was asked that are stored as JSON.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct ProposalInputColumns {
    pub extra_context: Option<String>,
    pub parameters_json: String,
    pub edited_proposal_json: Option<String>,
}

impl ProposalInputColumns {
    /// The columns of this request.
    pub fn of(request: &ProposalRequest) -> PortResult<Self> {
        Ok(Self {
            extra_context: request.extra_context.as_ref().map(json_text).transpose()?,
            parameters_json: json_text(&request.parameters)?,
            edited_proposal_json: request.edited_proposal.as_ref().map(json_text).transpose()?,
        })
    }
}

/// The columns of a link request that depend on what is summarised.
#[derive(Clone, Debug, Default)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct LinkColumns<'r> {
    pub input_url: Option<&'r str>,
    pub normalized_url: Option<&'r str>,
    pub content_text: Option<&'r str>,
    pub forward_json: Option<String>,
}

impl<'r> LinkColumns<'r> {
    /// The columns of this request.
    pub fn of(request: &'r LinkRequest) -> PortResult<Self> {
        Ok(match &request.source {
            LinkSource::Url { input, normalized } => {
                Self { input_url: Some(input), normalized_url: Some(normalized), ..Self::default() }
            }
            LinkSource::Forward(forward) => Self {
                content_text: Some(&forward.text),
                forward_json: Some(json_text(&forward.metadata)?),
                ..Self::default()
            },
        })
    }
}

/// The columns of a summary that are derived from its content.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // Each field is the column of its name.
pub struct SummaryColumns {
    pub json_payload: String,
    pub search_text: String,
}

impl SummaryColumns {
    /// The columns of this summary.
    pub fn of(summary: &NewSummary) -> PortResult<Self> {
        let payload = &summary.payload;
        let metadata = payload.get("metadata");
        let named = ["title", "domain", "canonical_url"].map(|name| metadata.and_then(|all| all.get(name)));
        let texts = ["summary_1000", "tldr"].map(|name| payload.get(name));
        let tags = payload.get("topic_tags").and_then(Value::as_array).into_iter().flatten();
        let all = named.into_iter().chain(texts).flatten().chain(tags).filter_map(Value::as_str);
        Ok(Self {
            search_text: all.collect::<Vec<_>>().join("\n").to_lowercase().replace('\0', " "),
            json_payload: json_text(payload)?,
        })
    }
}

/// The pattern for LIKE, with the escape character `\`, that finds this text anywhere.
pub fn like_pattern(text: &str) -> String {
    let escaped = text.to_lowercase().replace('\\', "\\\\").replace('%', "\\%").replace('_', "\\_");
    format!("%{escaped}%").replace('\0', "")
}

/// A value as the text of its JSON.
pub fn json_text(value: &impl Serialize) -> PortResult<String> {
    serde_json::to_string(value).map_err(corrupt)
}
