//! `[interpreter]`, `[model]` and `[http]`

use std::collections::HashMap;

use jiff::SignedDuration;
use serde::Deserialize;

use super::check::MAX_PRICE;
use super::{Secret, duration};

/// `[interpreter]`
#[derive(Clone, Copy, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct InterpreterSection {
    pub kind: InterpreterChoice,
}

/// `kind` of `[interpreter]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)]
pub enum InterpreterChoice {
    Rules,
    Model,
}

/// `[model]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct ModelSection {
    pub url: String,
    pub allow_http: bool,
    pub name: String,
    pub fallback_models: String,
    pub api_key: Secret,
    pub api_version: String,
    pub headers: Secret,
    #[serde(deserialize_with = "duration")]
    pub timeout: SignedDuration,
    #[serde(deserialize_with = "duration")]
    pub idle_timeout: SignedDuration,
    pub max_response_mb: u64,
    pub breaker_failures: u32,
    #[serde(deserialize_with = "duration")]
    pub breaker_pause: SignedDuration,
    pub fallback: bool,
    pub redact: bool,
    pub max_answer_tokens: u64,
    pub max_tokens_per_document: u64,
    pub max_tokens_per_day: u64,
    pub price_per_million_in: f64,
    pub price_per_million_out: f64,
    pub other_prices: String,
    pub record_to: String,
    pub replay_from: String,
}

impl ModelSection {
    /// The names of the models to ask if the first one fails.
    pub fn fallback_models(&self) -> Vec<String> {
        let names = self.fallback_models.split(',').map(str::trim).filter(|name| !name.is_empty());
        names.map(str::to_owned).collect()
    }

    /// Prices of a million tokens sent and received, by the name of the model. None if a price cannot be read.
    pub fn prices(&self) -> Option<HashMap<String, (f64, f64)>> {
        let mut prices = HashMap::new();
        for entry in self.other_prices.split(';').map(str::trim).filter(|entry| !entry.is_empty()) {
            let (name, price) = entry.rsplit_once('=')?;
            let (sent, received) = price.split_once('/')?;
            let price = |text: &str| {
                let price: f64 = text.trim().parse().ok()?;
                (0.0..=MAX_PRICE).contains(&price).then_some(price)
            };
            let name = Some(name.trim()).filter(|name| !name.is_empty())?;
            prices.insert(name.to_owned(), (price(sent)?, price(received)?));
        }
        let own = (self.price_per_million_in, self.price_per_million_out);
        if own.0 > 0.0 || own.1 > 0.0 {
            prices.insert(self.name.trim().to_owned(), own);
        }
        Some(prices)
    }
}

/// `[http]`
#[derive(Clone, Debug, Deserialize)]
#[allow(missing_docs)]
pub struct HttpSection {
    pub proxy: Secret,
    pub ca_file: String,
}
