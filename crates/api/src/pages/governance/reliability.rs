//! `GET /app/governance/reliability`: how far confidence can be trusted, by what reviews have taught.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use quire_ports::{CalibrationFilter, FieldReliability};
use quire_understanding::Schema;
use quire_understanding::calibration::{CalibrationState, context_key};

use super::curve::{Curve, curve, percent};
use super::{FURTHEST, Paging, Sheet, address, framed, sheets};
use crate::pages::frame::{Frame, Place, page};
use crate::pages::visitor::Visitor;
use crate::pages::words::Words;
use crate::request::Parameters;
use crate::{ApiError, Product};

/// Ways of finding keys that are shown at once.
const SHOWN: u32 = 50;
/// Languages by which surroundings are told apart; others are shown by their key alone.
const LANGUAGES: [&str; 11] = ["es", "en", "ca", "gl", "eu", "pt", "fr", "it", "de", "nl", "unknown"];
/// Characters of a key of surroundings that nobody can name.
const SHORT: usize = 14;

#[derive(Template)]
#[template(path = "governance/reliability.html")]
struct Page {
    frame: Frame,
    sheets: Vec<Place>,
    policy: String,
    wanted: String,
    keys: Vec<Key>,
    paging: Paging,
}

/// A key in its surroundings.
struct Key {
    title: String,
    name: String,
    context: String,
    total: String,
    ways: Vec<Way>,
}

/// One way of finding it.
struct Way {
    mapping: Option<String>,
    accepts: u32,
    edits: u32,
    share: String,
    adjustment: String,
    standing: &'static str,
    tone: &'static str,
    curve: Curve,
}

pub(in crate::pages) async fn show(
    State(product): State<Product>,
    visitor: Visitor,
    parameters: Parameters,
) -> Result<Response, ApiError> {
    let skip = parameters.within("offset", 0..=FURTHEST)?.unwrap_or(0);
    let wanted = parameters.text("field_key").map(str::trim).unwrap_or_default().to_owned();
    let filter = CalibrationFilter {
        policy_version: product.confidence.version.clone(),
        field_key: Some(wanted.clone()).filter(|key| !key.is_empty()),
        context_key: None,
        limit: SHOWN + 1,
        skip,
    };
    let mut found = product.store.calibration.reliability(filter).await?;
    let has_more = found.len() > SHOWN as usize;
    found.truncate(SHOWN as usize);
    let surroundings = surroundings(&product).await?;
    let frame = framed(&product, visitor).await?;
    let from = |skip: u32| {
        let skip = if skip == 0 { String::new() } else { skip.to_string() };
        address("/app/governance/reliability", &[("field_key", &wanted), ("offset", &skip)])
    };
    page(&Page {
        sheets: sheets(Sheet::Reliability),
        policy: product.confidence.version.clone(),
        keys: by_key(found, &surroundings, &frame),
        paging: Paging::of(skip, SHOWN, has_more, from),
        wanted,
        frame,
    })
}

/// Surroundings have keys that say nothing to people: here is what each stands for.
async fn surroundings(product: &Product) -> Result<Vec<(String, Schema, &'static str)>, ApiError> {
    let mut known = Vec::new();
    for name in product.store.governance.schema_names().await? {
        let schema = product.store.governance.current_schema(&name).await?.schema;
        for language in LANGUAGES {
            known.push((context_key(&name, Some(language)), schema.clone(), language));
        }
    }
    Ok(known)
}

/// They come in the order of their keys.
fn by_key(found: Vec<FieldReliability>, known: &[(String, Schema, &'static str)], frame: &Frame) -> Vec<Key> {
    let mut keys: Vec<(String, Key)> = Vec::new();
    for one in found {
        let way = Way::of(&one, frame.words());
        match keys.last_mut() {
            Some((context, key)) if *context == one.context_key && key.name == one.field_key => {
                key.ways.push(way);
            }
            _ => keys.push((one.context_key.clone(), Key::of(one, way, known, frame))),
        }
    }
    keys.into_iter().map(|(_, key)| key).collect()
}

impl Key {
    fn of(one: FieldReliability, way: Way, known: &[(String, Schema, &'static str)], frame: &Frame) -> Self {
        let language = frame.language.as_str();
        let words = frame.words();
        let known = known.iter().find(|(context, _, _)| *context == one.context_key);
        let share = one.of_key.share().map(percent).unwrap_or_default();
        let total = words.count("governance.reviews", one.of_key.volume().into());
        Self {
            title: known
                .map_or(one.field_key.as_str(), |known| known.1.key_title(&one.field_key, language))
                .to_owned(),
            context: known.map_or_else(
                || one.context_key.chars().take(SHORT).collect(),
                |(_, schema, of)| format!("{} · {of}", schema.title(language)),
            ),
            total: format!("{total} · {}", words.with("governance.accepted_share", &share)),
            name: one.field_key,
            ways: vec![way],
        }
    }
}

impl Way {
    fn of(one: &FieldReliability, words: &'static Words) -> Self {
        let counts = one.learnt.counts;
        let (standing, tone) = match one.learnt.state {
            CalibrationState::Boosted => ("governance.boosted", "reviewed"),
            CalibrationState::Demoted => ("governance.demoted", "error"),
            CalibrationState::Neutral => ("governance.neutral", ""),
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
