//! `Strict-Transport-Security`: browsers use only TLS for this host from now on.

use std::str::FromStr;

use axum::http::HeaderValue;

/// The value of the header, if it is sent.
#[derive(Clone, Debug, Default)]
pub struct Hsts(pub(crate) Option<HeaderValue>);

impl FromStr for Hsts {
    type Err = String;

    /// `max-age=SECONDS`, with `includeSubDomains` and `preload` if wanted; empty sends no header.
    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(Self(None));
        }
        let is_sound =
            text.split(';').map(str::trim).enumerate().all(|(place, part)| match part.split_once('=') {
                Some(("max-age", seconds)) => place == 0 && seconds.parse::<u64>().is_ok(),
                _ => place > 0 && matches!(part, "includeSubDomains" | "preload"),
            });
        let value = HeaderValue::from_str(text).ok().filter(|_| is_sound);
        value.map(|value| Self(Some(value))).ok_or_else(|| {
            "must be such as \"max-age=63072000; includeSubDomains\", or empty to send no header".to_owned()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_setting_is_a_valid_header_or_none() {
        for (text, is_sent) in [
            ("", false),
            (" ", false),
            ("max-age=0", true),
            ("max-age=63072000; includeSubDomains; preload", true),
        ] {
            assert_eq!(text.parse::<Hsts>().unwrap().0.is_some(), is_sent, "{text}");
        }
        for wrong in
            ["63072000", "includeSubDomains", "max-age=two", "max-age=1; everything", "max-age=1;\nX: y"]
        {
            assert!(wrong.parse::<Hsts>().is_err(), "{wrong}");
        }
    }
}
