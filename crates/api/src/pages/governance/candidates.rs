//! `GET /app/governance`: the changes of schemas that edits suggest, and decisions about them.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::governance::{self, CandidateFilter, CandidateSample, StructuralCandidate};
use quire_understanding::structural_change::{CandidateStatus, DecisionType, SchemaChangeType};

use super::change::{decision, description, is_offered, kind, status};
use super::{GovernanceTab, Paging, address, load_frame, tabs};
use crate::ApiError;
use crate::pages::frame::{Choice, Frame, Link, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Parameters;

/// Candidates per page.
const SHOWN: u32 = 20;

#[derive(Template)]
#[template(path = "governance.html")]
struct CandidatesPage {
    frame: Frame,
    sheets: Vec<Link>,
    statuses: Vec<Choice>,
    kinds: Vec<Choice>,
    list: CandidateList,
}

#[derive(Template)]
#[template(path = "governance/candidates.html")]
struct CandidatesPart {
    frame: Frame,
    list: CandidateList,
}

struct CandidateList {
    candidates: Vec<CandidateRow>,
    is_filtered: bool,
    paging: Paging,
}

/// A candidate.
struct CandidateRow {
    id: String,
    kind: &'static str,
    description: String,
    schema: String,
    count: String,
    status_code: &'static str,
    status: &'static str,
    tone: &'static str,
    is_critical: bool,
    first: Moment,
    last: Moment,
    samples: Vec<SampleRow>,
    offers: Vec<DecisionButton>,
}

/// An edit that suggests the change.
struct SampleRow {
    href: String,
    name: String,
    snippet: Option<String>,
}

/// A button for a decision.
struct DecisionButton {
    code: &'static str,
    name: &'static str,
    effect: &'static str,
    class: &'static str,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let filter = filter(&parameters)?;
    let list = load(&app, filter, frame.words()).await?;
    let words = frame.words();
    let statuses = CandidateStatus::ALL.iter().map(|one| Choice {
        value: one.as_str(),
        name: status(*one, words).0,
        is_current: filter.status == Some(*one),
    });
    let kinds = SchemaChangeType::ALL.iter().map(|one| Choice {
        value: one.as_str(),
        name: kind(*one, words),
        is_current: filter.change == Some(*one),
    });
    let (statuses, kinds) = (statuses.collect(), kinds.collect());
    page(&CandidatesPage { frame, sheets: tabs(GovernanceTab::Candidates), statuses, kinds, list })
}

/// The same without the frame, for a page that is open.
pub(crate) async fn list(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let frame = load_frame(&app, visitor).await?;
    let list = load(&app, filter(&parameters)?, frame.words()).await?;
    page(&CandidatesPart { frame, list })
}

fn filter(parameters: &Parameters) -> Result<CandidateFilter, ApiError> {
    let is_chosen = |name: &str| parameters.non_empty(name).is_some();
    let status = parameters.one_of("status", CandidateStatus::ALL, CandidateStatus::as_str);
    let change = parameters.one_of("change_type", SchemaChangeType::ALL, SchemaChangeType::as_str);
    Ok(CandidateFilter {
        // A form also sends its empty fields.
        status: if is_chosen("status") { status? } else { None },
        change: if is_chosen("change_type") { change? } else { None },
        is_critical: None,
        limit: SHOWN,
        skip: parameters.within("offset", 0..=Paging::MAX_OFFSET)?.unwrap_or(0),
    })
}

async fn load(app: &App, filter: CandidateFilter, words: &'static Words) -> Result<CandidateList, ApiError> {
    // Reads one more than the page shows, to know whether there is a next page.
    let wanted = CandidateFilter { limit: SHOWN + 1, ..filter };
    let mut candidates = governance::candidates(app, wanted).await?;
    let has_more = candidates.len() > SHOWN as usize;
    candidates.truncate(SHOWN as usize);
    let from = |skip: u32| {
        let skip = if skip == 0 { String::new() } else { skip.to_string() };
        let chosen = [
            ("status", filter.status.map_or("", CandidateStatus::as_str)),
            ("change_type", filter.change.map_or("", SchemaChangeType::as_str)),
            ("offset", &skip),
        ];
        address("/app/governance", &chosen)
    };
    Ok(CandidateList {
        candidates: candidates.iter().map(|one| CandidateRow::of(one, words)).collect(),
        is_filtered: filter.status.is_some() || filter.change.is_some(),
        paging: Paging::of(filter.skip, SHOWN, has_more, from),
    })
}

impl CandidateRow {
    fn of(candidate: &StructuralCandidate, words: &'static Words) -> Self {
        let (stands, tone) = status(candidate.status, words);
        let offered =
            DecisionType::ALL.iter().filter(|one| is_offered(**one, candidate.status, candidate.is_critical));
        Self {
            id: candidate.id.to_string(),
            kind: kind(candidate.change, words),
            description: description(
                candidate.change,
                candidate.source_key.as_deref(),
                &candidate.target_key,
                words,
            ),
            schema: candidate.schema_name.clone(),
            count: words.count("governance.edits", candidate.occurrence_count.into()),
            status_code: candidate.status.as_str(),
            status: stands,
            tone,
            is_critical: candidate.is_critical,
            first: Moment::of(candidate.created_at),
            last: Moment::of(candidate.updated_at),
            samples: (1..).zip(&candidate.samples).map(|(number, one)| sample(number, one, words)).collect(),
            offers: offered.map(|one| DecisionButton::of(*one, words)).collect(),
        }
    }
}

impl DecisionButton {
    fn of(one: DecisionType, words: &'static Words) -> Self {
        let (name, effect) = decision(one, words);
        let class = match one {
            DecisionType::Approve => "primary",
            DecisionType::Reject => "danger",
            DecisionType::Defer | DecisionType::FlagCritical => "",
        };
        Self { code: one.as_str(), name, effect, class }
    }
}

/// Links to the page of the document with the value.
fn sample(number: usize, sample: &CandidateSample, words: &Words) -> SampleRow {
    let number = number.to_string();
    let document = format!("/app/documents/{}", sample.document);
    match &sample.evidence {
        Some(evidence) => SampleRow {
            href: format!("{document}#page-{}", evidence.page),
            name: words.with("governance.example_on_page", &number).replacen(
                "{}",
                &evidence.page.to_string(),
                1,
            ),
            snippet: Some(evidence.snippet.clone()),
        },
        None => SampleRow {
            href: document,
            name: words.with("governance.example_by_hand", &number),
            snippet: None,
        },
    }
}
