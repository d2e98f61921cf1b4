//! What reviews have taught about confidence.

use quire_understanding::Schema;
use quire_understanding::calibration::context_key;

pub use quire_ports::{CalibrationFilter, FieldReliability};

use crate::{App, Result};

/// Languages whose contexts have names. Other contexts are known by their key alone.
const LANGUAGES: [&str; 11] = ["es", "en", "ca", "gl", "eu", "pt", "fr", "it", "de", "nl", "unknown"];

/// A context in which confidence is calibrated: documents of one schema in one language.
pub struct CalibrationContext {
    /// The key under which it is stored.
    pub key: String,
    /// The current version of the schema.
    pub schema: Schema,
    /// The language as ISO 639-1, or `unknown`.
    pub language: &'static str,
}

/// How reliable each way of finding a field is, by context, key and mapping.
pub async fn list(app: &App, filter: CalibrationFilter) -> Result<Vec<FieldReliability>> {
    Ok(app.store.calibration.reliability(filter).await?)
}

/// The contexts that can be named for people.
pub async fn contexts(app: &App) -> Result<Vec<CalibrationContext>> {
    let mut contexts = Vec::new();
    for name in app.store.governance.schema_names().await? {
        let schema = app.store.governance.current_schema(&name).await?.schema;
        contexts.extend(LANGUAGES.map(|language| CalibrationContext {
            key: context_key(&name, Some(language)),
            schema: schema.clone(),
            language,
        }));
    }
    Ok(contexts)
}
