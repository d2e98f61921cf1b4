//! `GET /app/governance/trail`: the decisions, newest first.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::governance::{self, AuditTrailEntry};
use quire_domain::DecisionId;

use super::change::{decision, description, status};
use super::{GovernanceTab, address, load_frame, tabs};
use crate::ApiError;
use crate::pages::frame::{Frame, Link, page};
use crate::pages::moments::Moment;
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::{Parameters, uuid};

/// Decisions per page.
const SHOWN: u32 = 50;

#[derive(Template)]
#[template(path = "governance/trail.html")]
struct AuditTrailPage {
    frame: Frame,
    sheets: Vec<Link>,
    entries: Vec<DecisionRow>,
    is_first: bool,
    older: Option<String>,
}

struct DecisionRow {
    made: Moment,
    by: String,
    decision: &'static str,
    description: String,
    before: &'static str,
    after: (&'static str, &'static str),
    /// The schema version that it created: its address and number.
    version: Option<(String, u32)>,
    reason: Option<String>,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let before = parameters.non_empty("before").map(|text| uuid("before", text)).transpose()?.map(DecisionId);
    let mut found = governance::audit_trail(&app, before, SHOWN + 1).await?;
    let has_more = found.len() > SHOWN as usize;
    found.truncate(SHOWN as usize);
    let last = found.last().filter(|_| has_more).map(|entry| entry.decision.id.to_string());
    let frame = load_frame(&app, visitor).await?;
    page(&AuditTrailPage {
        sheets: tabs(GovernanceTab::Trail),
        entries: found.into_iter().map(|entry| decision_row(entry, frame.words())).collect(),
        is_first: before.is_none(),
        older: last.map(|last| address("/app/governance/trail", &[("before", &last)])),
        frame,
    })
}

fn decision_row(entry: AuditTrailEntry, words: &'static Words) -> DecisionRow {
    let AuditTrailEntry { decision: decided, schema_name, .. } = entry;
    let version = entry.version_number.map(|number| {
        let chosen = [("schema", schema_name.as_str()), ("version", &number.to_string())];
        (address("/app/governance/schemas", &chosen), number)
    });
    DecisionRow {
        made: Moment::of(decided.created_at),
        by: decided.reviewer,
        decision: decision(decided.decision_type, words).0,
        description: description(entry.change, entry.source_key.as_deref(), &entry.target_key, words),
        before: status(decided.previous_status, words).0,
        after: status(decided.new_status, words),
        version,
        reason: decided.reason,
    }
}
