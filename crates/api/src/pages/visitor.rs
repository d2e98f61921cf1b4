//! Who looks at a page, and how they like it.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, header};
use quire_domain::{Role, Roles};

use super::words::Language;
use crate::middleware::auth::session::BySession;
use crate::{ApiError, AppState};

/// The cookies in which a browser remembers what was chosen.
pub(super) const LANGUAGE: &str = "quire_language";
pub(super) const THEME: &str = "quire_theme";

/// What the guard found out about somebody, once anybody is asked who they are.
#[derive(Clone, Debug)]
pub(crate) struct Known {
    /// What they may do; none of those who did not say who they are.
    pub(crate) roles: Option<Roles>,
    /// Under which name they are logged in.
    pub(crate) session: Option<BySession>,
}

impl Known {
    /// Somebody who did not say who they are.
    pub(crate) fn nobody() -> Self {
        Self { roles: None, session: None }
    }

    /// What was noted; everybody may do everything while nobody is asked.
    fn of(extensions: &Extensions) -> Self {
        let known = extensions.get::<Self>().cloned();
        known.unwrap_or_else(|| Self { roles: Some(Roles::admin()), session: None })
    }
}

/// The colours of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// Those of the reader's system.
    #[default]
    System,
    Dark,
    Light,
}

impl Theme {
    const ALL: [Self; 3] = [Self::System, Self::Dark, Self::Light];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Dark => "dark",
            Self::Light => "light",
        }
    }

    pub(super) fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.as_str() == name)
    }

    /// What the button changes to.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::System => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::System,
        }
    }

    /// What the button says.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::System => "frame.system",
            Self::Dark => "frame.dark",
            Self::Light => "frame.light",
        }
    }
}

/// Whoever looks.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    known: Known,
    pub(crate) language: Language,
    pub(crate) theme: Theme,
    /// The address that they asked for.
    pub(crate) address: String,
}

impl Visitor {
    pub(crate) fn may(&self, role: Role) -> bool {
        self.known.roles.as_ref().is_some_and(|roles| roles.allow(role))
    }

    /// Under which name they are logged in.
    pub(crate) fn session(&self) -> Option<&BySession> {
        self.known.session.as_ref()
    }

    /// The same, as the guard found them to be when it answered.
    pub(super) fn found_in(self, extensions: &Extensions) -> Self {
        Self { known: Known::of(extensions), ..self }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Visitor
where
    AppState: FromRef<S>,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let headers = &parts.headers;
        let chosen = cookie(headers, LANGUAGE).and_then(Language::parse);
        let chosen = chosen.or_else(|| AppState::from_ref(state).language);
        let of_browser = || Language::preferred(headers.get(header::ACCEPT_LANGUAGE)?.to_str().ok()?);
        Ok(Self {
            known: Known::of(&parts.extensions),
            language: chosen.or_else(of_browser).unwrap_or(Language::English),
            theme: cookie(headers, THEME).and_then(Theme::parse).unwrap_or_default(),
            address: parts.uri.path_and_query().map_or("/app", |address| address.as_str()).to_owned(),
        })
    }
}

/// What a browser remembers under that name.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(of, _)| *of == name).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cookie_is_found_by_its_whole_name() {
        let mut headers = HeaderMap::new();
        headers.append(header::COOKIE, "a=1; quire_theme=dark;b".parse().unwrap());
        headers.append(header::COOKIE, "quire_language=es".parse().unwrap());
        assert_eq!(cookie(&headers, "quire_theme"), Some("dark"));
        assert_eq!(cookie(&headers, "quire_language"), Some("es"));
        assert_eq!(cookie(&headers, "theme"), None);
        assert_eq!(cookie(&headers, "b"), None);
    }

    #[test]
    fn the_button_goes_through_all_colours() {
        let theme = Theme::System;
        assert_eq!([theme.other(), theme.other().other()], [Theme::Dark, Theme::Light]);
        assert_eq!(theme.other().other().other(), theme);
        for theme in Theme::ALL {
            assert_eq!(Theme::parse(theme.as_str()), Some(theme));
        }
    }
}
