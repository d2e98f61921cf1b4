//! Pictures of the pages with misses.

use std::collections::BTreeMap;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use quire_ports::{DocumentReader as _, PageImageRequest};

use super::Miss;
use super::pairs::EvaluatedDocument;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// The most pages that are drawn. A report has to stay small enough for a browser.
const MAX_PICTURES: usize = 60;
/// Pixels per point.
pub(super) const SCALE: f32 = 1.0;

/// Pages as PNG in base64, by file and page.
#[derive(Default)]
pub(super) struct Pictures(BTreeMap<(String, u32), String>);

impl Pictures {
    /// Draws the pages of the first misses.
    pub(super) async fn draw(
        config: &Config,
        documents: &[EvaluatedDocument],
        misses: &[Miss],
    ) -> Result<Self, CommandError> {
        let mut pictures = Self::default();
        if misses.is_empty() {
            return Ok(pictures);
        }
        let reader = wire::reader::start(config).await?;
        for miss in misses {
            let place = (miss.file.clone(), page_of(miss));
            if pictures.0.len() == MAX_PICTURES {
                break;
            }
            let document = documents.iter().find(|document| document.name == miss.file);
            let Some(document) = document.filter(|_| !pictures.0.contains_key(&place)) else { continue };
            let Ok(file) = std::fs::read(&document.path) else { continue };
            let page = usize::try_from(place.1).unwrap_or(1);
            let request = PageImageRequest { file: Arc::from(file), page, scale: SCALE };
            // A page that cannot be drawn is no reason to lose the report.
            if let Ok(png) = reader.image(request).await {
                pictures.0.insert(place, STANDARD.encode(png));
            }
        }
        Ok(pictures)
    }

    /// The picture for a miss.
    pub(super) fn of(&self, miss: &Miss) -> Option<&str> {
        self.0.get(&(miss.file.clone(), page_of(miss))).map(String::as_str)
    }
}

/// The page that shows why: where the wrong value was found, else where the right one is, else the first.
fn page_of(miss: &Miss) -> u32 {
    let found = miss.judgement.evidence.as_ref().map(|evidence| evidence.page);
    found.or(miss.judgement.true_page).unwrap_or(1)
}
