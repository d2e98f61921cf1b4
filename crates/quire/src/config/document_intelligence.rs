//! `[document_intelligence]`

use jiff::SignedDuration;
use quire_domain::reading::Extractor;
use serde::Deserialize;

use super::check::{InvalidSetting, MAX_PRICE, duration_within, minutes, within};
use super::{Config, Secret, duration};
use crate::wire;

/// `[document_intelligence]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct DocumentIntelligenceSection {
    pub url: String,
    pub allow_http: bool,
    pub api_key: Secret,
    pub model: String,
    pub key_value_pairs: bool,
    #[serde(deserialize_with = "duration")]
    pub timeout: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub poll_interval: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub wait_in_slot: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub max_wait: SignedDuration,
    pub max_response_mb: u64,
    pub price_per_1000_pages: f64,
    pub max_cost_per_day: f64,
    pub fallback: bool,
}

impl DocumentIntelligenceSection {
    /// Whether there is an endpoint.
    pub fn is_configured(&self) -> bool {
        !self.url.trim().is_empty()
    }

    /// The price of a page, if it is set.
    pub fn price_per_page(&self) -> Option<f64> {
        (self.price_per_1000_pages > 0.0).then_some(self.price_per_1000_pages / 1000.0)
    }
}

pub(super) fn check(config: &Config) -> Result<(), InvalidSetting> {
    let section = &config.document_intelligence;
    let second = SignedDuration::from_secs(1);
    duration_within("document_intelligence.timeout", section.timeout, second..=minutes(10))?;
    let interval = SignedDuration::from_millis(100)..=minutes(10);
    duration_within("document_intelligence.poll_interval", section.poll_interval, interval)?;
    duration_within(
        "document_intelligence.wait_in_slot",
        section.wait_in_slot,
        SignedDuration::ZERO..=minutes(10),
    )?;
    duration_within("document_intelligence.max_wait", section.max_wait, second..=minutes(24 * 60))?;
    within("document_intelligence.max_response_mb", &section.max_response_mb, 1..=2048)?;
    within("document_intelligence.price_per_1000_pages", &section.price_per_1000_pages, 0.0..=MAX_PRICE)?;
    within("document_intelligence.max_cost_per_day", &section.max_cost_per_day, 0.0..=MAX_PRICE)?;
    let invalid = |key, rule: &str| Err(InvalidSetting { key, rule: rule.to_owned() });
    if section.max_cost_per_day > 0.0 && section.price_per_page().is_none() {
        let rule = "needs document_intelligence.price_per_1000_pages, by which the cost is counted";
        return invalid("document_intelligence.max_cost_per_day", rule);
    }
    if config.reading.extractor == Extractor::DocumentIntelligence && !section.is_configured() {
        let rule = "needs document_intelligence.url and document_intelligence.api_key";
        return invalid("reading.extractor", rule);
    }
    wire::check_document_intelligence(config).map_err(|(key, rule)| InvalidSetting { key, rule })
}
