//! `GET /app/governance/reliability`: how reliable confidence is, according to reviews.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_application::App;
use quire_application::calibration::{self, CalibrationContext, CalibrationFilter, FieldReliability};
use quire_understanding::calibration::Standing;

use super::curve::{Curve, curve, percent};
use super::{GovernanceTab, Paging, address, load_frame, tabs};
use crate::ApiError;
use crate::pages::frame::{Frame, Link, page};
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Parameters;

/// Mappings per page.
const SHOWN: u32 = 50;
/// Characters of the key of a context without a name.
const SHORT: usize = 14;

#[derive(Template)]
#[template(path = "governance/reliability.html")]
struct ReliabilityPage {
    frame: Frame,
    sheets: Vec<Link>,
    policy: String,
    wanted: String,
    keys: Vec<KeyRow>,
    paging: Paging,
}

/// A key in one context.
struct KeyRow {
    title: String,
    name: String,
    context: String,
    total: String,
    ways: Vec<MappingRow>,
}

/// A mapping of the key.
struct MappingRow {
    mapping: Option<String>,
    accepts: u32,
    edits: u32,
    share: String,
    adjustment: String,
    standing: &'static str,
    tone: &'static str,
    curve: Curve,
}

pub(crate) async fn show(
    State(app): State<Arc<App>>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let skip = parameters.within("offset", 0..=Paging::MAX_OFFSET)?.unwrap_or(0);
    let wanted = parameters.non_empty("field_key").map(str::trim).unwrap_or_default().to_owned();
    let filter = CalibrationFilter {
        policy_version: app.confidence_policy().version.clone(),
        field_key: Some(wanted.clone()).filter(|key| !key.is_empty()),
        context_key: None,
        limit: SHOWN + 1,
        skip,
    };
    let mut found = calibration::list(&app, filter).await?;
    let has_more = found.len() > SHOWN as usize;
    found.truncate(SHOWN as usize);
    let contexts = calibration::contexts(&app).await?;
    let frame = load_frame(&app, visitor).await?;
    let from = |skip: u32| {
        let skip = if skip == 0 { String::new() } else { skip.to_string() };
        address("/app/governance/reliability", &[("field_key", &wanted), ("offset", &skip)])
    };
    page(&ReliabilityPage {
        sheets: tabs(GovernanceTab::Reliability),
        policy: app.confidence_policy().version.clone(),
        keys: by_key(found, &contexts, &frame),
        paging: Paging::of(skip, SHOWN, has_more, from),
        wanted,
        frame,
    })
}

/// The rows come sorted by key.
fn by_key(found: Vec<FieldReliability>, contexts: &[CalibrationContext], frame: &Frame) -> Vec<KeyRow> {
    let mut keys: Vec<(String, KeyRow)> = Vec::new();
    for one in found {
        let way = MappingRow::of(&one, frame.words());
        match keys.last_mut() {
            Some((context, key)) if *context == one.context_key && key.name == one.field_key => {
                key.ways.push(way);
            }
            _ => keys.push((one.context_key.clone(), KeyRow::of(one, way, contexts, frame))),
        }
    }
    keys.into_iter().map(|(_, key)| key).collect()
}

impl KeyRow {
    fn of(one: FieldReliability, way: MappingRow, contexts: &[CalibrationContext], frame: &Frame) -> Self {
        let language = frame.language.as_str();
        let words = frame.words();
        let context = contexts.iter().find(|context| context.key == one.context_key);
        let share = one.of_key.share().map(percent).unwrap_or_default();
        let total = words.count("governance.reviews", one.of_key.volume().into());
        Self {
            title: context
                .map_or(one.field_key.as_str(), |known| known.schema.key_title(&one.field_key, language))
                .to_owned(),
            context: context.map_or_else(
                || one.context_key.chars().take(SHORT).collect(),
                |context| format!("{} · {}", context.schema.title(language), context.language),
            ),
            total: format!("{total} · {}", words.with("governance.accepted_share", &share)),
            name: one.field_key,
            ways: vec![way],
        }
    }
}

impl MappingRow {
    fn of(one: &FieldReliability, words: &'static Words) -> Self {
        let counts = one.entry.counts;
        let (standing, tone) = match one.entry.standing {
            Standing::Boosted => ("governance.boosted", "reviewed"),
            Standing::Demoted => ("governance.demoted", "error"),
            Standing::Neutral => ("governance.neutral", ""),
        };
        let adjustment = match counts.adjustment() {
            0.0 => "0".to_owned(),
            points => format!("{points:+.1}"),
        };
        Self {
            mapping: one.mapping_id.clone(),
            accepts: counts.accepts,
            edits: counts.edits,
            share: counts.share().map_or_else(|| "—".to_owned(), percent),
            adjustment: adjustment.replace('.', words.get("frame.decimal_mark")),
            standing: words.get(standing),
            tone,
            curve: curve(&one.bins, words),
        }
    }
}
