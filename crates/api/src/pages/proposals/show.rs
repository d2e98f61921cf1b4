//! `GET /app/proposals/{id}`: a proposal run with its steps, its decision and its revisions.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::proposal::{self, ProposalFilter, ProposalView, StepView};
use quire_domain::proposal::{ExpandedProposal, ProposalSection};
use quire_domain::{Priority, Role, RunId, RunState, StepStatus};

use super::review::{DecisionView, PersonaReviewView};
use super::{heading, load_frame, number, section_name, verdict};
use crate::ApiError;
use crate::pages::frame::{Frame, page};
use crate::pages::model_usage::UsageRow;
use crate::pages::moments::{Moment, lasting};
use crate::pages::runs::{self, step_name, step_status};
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Id;

/// The most revisions that are listed.
const MAX_REVISIONS: u32 = 50;

#[derive(Template)]
#[template(path = "proposals/show.html")]
struct ProposalPage {
    frame: Frame,
    run: RunPart,
}

#[derive(Template)]
#[template(path = "proposals/now.html")]
struct ProposalPart {
    frame: Frame,
    run: RunPart,
}

/// Everything that a page shows of a run.
struct RunPart {
    id: String,
    heading: String,
    idea: String,
    state: (&'static str, &'static str),
    is_urgent: bool,
    created: Moment,
    took: Option<String>,
    model: String,
    /// Why it failed: the code and the message.
    failure: Option<(String, String)>,
    /// The button that the state of the run allows: its id and its text.
    action: Option<(&'static str, &'static str)>,
    may_revise: bool,
    progress: String,
    steps: Vec<StepRow>,
    decision: Option<DecisionView>,
    reviews: Vec<PersonaReviewView>,
    sections: Vec<SectionView>,
    parent: Option<String>,
    notes: Option<String>,
    revisions: Vec<RevisionRow>,
    usage: Option<UsageRow>,
}

struct StepRow {
    name: String,
    status: (&'static str, &'static str),
    took: Option<String>,
    message: Option<String>,
    is_current: bool,
}

/// A section of the proposal. The form sends the sections whose text has changed.
struct SectionView {
    key: &'static str,
    name: &'static str,
    text: String,
    is_list: bool,
}

/// A revision of the run.
struct RevisionRow {
    id: String,
    heading: String,
    state: (&'static str, &'static str),
    decision: Option<((&'static str, &'static str), String)>,
    created: Moment,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let run = load(&app, RunId(id), &frame).await?;
    page(&ProposalPage { frame, run })
}

/// The same without the frame, for a page that is open.
pub(crate) async fn now(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    Id(id): Id,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let run = load(&app, RunId(id), &frame).await?;
    page(&ProposalPart { frame, run })
}

async fn load(app: &App, id: RunId, frame: &Frame) -> Result<RunPart, ApiError> {
    let view = proposal::show(app, id).await?;
    let revisions = ProposalFilter { parent: Some(id), limit: MAX_REVISIONS, ..ProposalFilter::default() };
    let (revisions, _) = proposal::list(app, &revisions).await?;
    let words = frame.words();
    let revisions = revisions.iter().map(|one| RevisionRow {
        id: one.run.id.to_string(),
        heading: heading(one.title.as_deref(), &one.idea),
        state: runs::state(&one.run.state, words),
        decision: one
            .verdict
            .zip(one.confidence)
            .map(|(decided, confidence)| (verdict(decided, words), number(confidence, 4, words))),
        created: Moment::of(one.run.created_at),
    });
    let revisions = revisions.collect();
    Ok(RunPart::of(&view, revisions, frame))
}

impl RunPart {
    fn of(view: &ProposalView, revisions: Vec<RevisionRow>, frame: &Frame) -> Self {
        let words = frame.words();
        let (run, proposal) = (&view.proposal.run, &view.proposal);
        let expanded = proposal.version.as_ref().map(|version| &version.proposal);
        let may = frame.visitor.may(Role::Operate);
        let decision = proposal.decision.as_ref();
        let done = view.steps.iter().filter(|step| step.status == StepStatus::Succeeded).count();
        let took = run.state.started_at().zip(run.state.completed_at());
        let is_full = decision.is_some() && proposal.reviews.len() > 1;
        Self {
            id: run.id.to_string(),
            heading: heading(expanded.and_then(|one| one.title.as_deref()), &proposal.request.input_idea),
            idea: proposal.request.input_idea.clone(),
            state: runs::state(&run.state, words),
            is_urgent: run.priority == Priority::High,
            created: Moment::of(run.created_at),
            took: took.map(|(start, end)| lasting(end.duration_since(start), words)),
            model: proposal.request.model.clone(),
            failure: run.state.reason().map(|reason| {
                let code = &reason.record.error_code;
                (code.clone(), words.run_error(code, &reason.record.message))
            }),
            action: action(&run.state).filter(|_| may).map(|(id, text)| (id, words.get(text))),
            may_revise: may && matches!(run.state, RunState::Completed { .. }) && is_full,
            progress: words.with("proposals.progress", &done.to_string()),
            steps: view.steps.iter().map(|step| StepRow::of(step, words)).collect(),
            decision: decision.map(|decision| DecisionView::of(decision, words)),
            reviews: proposal
                .reviews
                .iter()
                .map(|stored| PersonaReviewView::of(&stored.review, decision, words))
                .collect(),
            sections: expanded.map(|expanded| sections(expanded, words)).unwrap_or_default(),
            parent: proposal.request.parent.map(|parent| parent.to_string()),
            notes: proposal.request.edit_notes.clone(),
            revisions,
            usage: (view.usage.calls > 0).then(|| UsageRow::of(&view.usage, words)),
        }
    }
}

/// What a person can do about a run in this state: the id of the button, and the name of its text.
fn action(state: &RunState) -> Option<(&'static str, &'static str)> {
    match state {
        RunState::Queued { .. } => Some(("withdraw", "runs.withdraw")),
        RunState::Running { .. } => Some(("cancel", "runs.cancel")),
        RunState::Failed { .. } => Some(("retry", "proposals.retry")),
        RunState::Completed { .. } | RunState::TimedOut { .. } => None,
    }
}

impl StepRow {
    fn of(step: &StepView, words: &'static Words) -> Self {
        let took = step.started_at.zip(step.completed_at);
        Self {
            name: step_name(step.step, words),
            status: step_status(step.status, words),
            took: took.map(|(start, end)| lasting(end.duration_since(start), words)),
            message: step
                .error_message
                .as_ref()
                .map(|message| words.run_error(step.error_code.as_deref().unwrap_or_default(), message)),
            is_current: step.status == StepStatus::Running,
        }
    }
}

fn sections(proposal: &ExpandedProposal, words: &'static Words) -> Vec<SectionView> {
    let view = |section: ProposalSection| SectionView {
        key: section.as_str(),
        name: section_name(section, words),
        text: proposal.section_text(section),
        is_list: matches!(section, ProposalSection::Assumptions | ProposalSection::ScopeNonGoals),
    };
    ProposalSection::ALL.map(view).into()
}
