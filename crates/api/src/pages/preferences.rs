//! `POST /app/preferences`: the language and the colours of the pages, stored in cookies.

use axum::body::Bytes;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{AppendHeaders, IntoResponse, Response};

use super::visitor::{LANGUAGE, THEME, Theme};
use super::words::Language;
use crate::request::Parameters;
use crate::{ApiError, Code};

/// Stores the preferences of the form and redirects to the page it came from.
pub(crate) async fn choose(form: Bytes) -> Result<Response, ApiError> {
    let form = Parameters::parse(&String::from_utf8_lossy(&form));
    let language = chosen(&form, "language", Language::parse)?.map(Language::as_str);
    let theme = chosen(&form, "theme", Theme::parse)?.map(Theme::as_str);
    let cookies = [(LANGUAGE, language), (THEME, theme)];
    let cookies = cookies.into_iter().filter_map(|(name, value)| remembered(name, value?));
    let cookies: Vec<_> = cookies.map(|cookie| (header::SET_COOKIE, cookie)).collect();
    let back = [(header::LOCATION, back(form.non_empty("back")))];
    Ok((StatusCode::SEE_OTHER, AppendHeaders(cookies), back).into_response())
}

fn chosen<T>(form: &Parameters, name: &str, parse: fn(&str) -> Option<T>) -> Result<Option<T>, ApiError> {
    let Some(given) = form.non_empty(name) else { return Ok(None) };
    let chosen = parse(given);
    chosen
        .map(Some)
        .ok_or_else(|| ApiError::new(Code::InvalidRequest, format!("{name}: is not one of the choices")))
}

/// A cookie for a year. Its value is one of a closed set.
fn remembered(name: &str, value: &str) -> Option<HeaderValue> {
    HeaderValue::from_str(&format!("{name}={value}; Path=/; Max-Age=31536000; SameSite=Lax")).ok()
}

/// The page to return to, if it is a page of this server.
pub(super) fn back(address: Option<&str>) -> HeaderValue {
    let is_page =
        |address: &&str| *address == "/app" || address.starts_with("/app/") || address.starts_with("/app?");
    let page = address.filter(is_page).and_then(|page| HeaderValue::from_str(page).ok());
    page.unwrap_or(HeaderValue::from_static("/app"))
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn answer(form: &'static str) -> Result<Response, ApiError> {
        choose(Bytes::from_static(form.as_bytes())).await
    }

    #[tokio::test]
    async fn preferences_are_stored_and_redirect_back() {
        let chosen = answer("language=es&back=%2Fapp%3Fq%3Da").await.unwrap();
        assert_eq!(chosen.headers()[header::LOCATION], "/app?q=a");
        let cookie = chosen.headers()[header::SET_COOKIE].to_str().unwrap();
        assert!(cookie.starts_with("quire_language=es; "), "{cookie}");
        let both = answer("language=en&theme=dark").await.unwrap();
        assert_eq!(both.headers().get_all(header::SET_COOKIE).iter().count(), 2);
        assert_eq!(answer("theme=pink").await.unwrap_err().code, Code::InvalidRequest);
    }

    #[test]
    fn a_form_redirects_to_pages_of_this_server_only() {
        for elsewhere in
            ["https://evil.example", "//evil.example", "/apple", "/app\r\nX: y", "", "javascript:x"]
        {
            assert_eq!(back(Some(elsewhere)), "/app", "{elsewhere}");
        }
        assert_eq!(back(None), "/app");
        assert_eq!(back(Some("/app/documents/1")), "/app/documents/1");
    }
}
