//! Set the language of a document.

use quire_domain::{Document, DocumentId};

use crate::event_telemetry;
use crate::{App, Error, Result};

/// Every code of ISO 639-1.
const CODES: &str = "aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv \
    dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it \
    iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb \
    nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss \
    st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu";

/// Every ISO 639-1 code.
pub fn languages() -> impl Iterator<Item = &'static str> {
    CODES.split_ascii_whitespace()
}

/// Whether this is an ISO 639-1 code.
pub fn is_language(code: &str) -> bool {
    languages().any(|known| known == code)
}

/// Sets or clears the language of a document for later runs. `Conflict` for an unknown code.
pub async fn set_language(
    app: &App,
    id: DocumentId,
    language: Option<&str>,
    actor: &str,
    correlation_id: Option<&str>,
) -> Result<()> {
    let store = &app.store;
    if language.is_some_and(|code| !is_language(code)) {
        return Err(Error::Conflict("a language is an ISO 639-1 code such as es".to_owned()));
    }
    let overridden = Document::language_overridden(id, actor, store.clock.now());
    store.documents.set_language(id, language, overridden.clone()).await?;
    event_telemetry::log(&overridden, correlation_id);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Proves R082.
    #[test]
    fn a_language_is_one_of_the_codes_in_small_letters() {
        for code in ["es", "en", "zu", "aa"] {
            assert!(is_language(code), "{code}");
        }
        for wrong in ["", " ", "e", "ES", "eng", "xx", "es en", "e s", "ñ"] {
            assert!(!is_language(wrong), "{wrong:?}");
        }
    }
}
