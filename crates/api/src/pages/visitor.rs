//! The visitor of a page and their preferences.

use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, header};
use quire_domain::{Role, Roles};

use super::words::Language;
use crate::middleware::auth::session::SessionInfo;
use crate::{ApiError, AppState};

/// The cookies with the preferences.
pub(super) const LANGUAGE: &str = "quire_language";
pub(super) const THEME: &str = "quire_theme";

/// The result of authentication for a visitor.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// Their roles; none for a visitor without a login.
    pub(crate) roles: Option<Roles>,
    /// Their session, if they are logged in.
    pub(crate) session: Option<SessionInfo>,
}

impl Identity {
    /// A visitor without a login.
    pub(crate) fn anonymous() -> Self {
        Self { roles: None, session: None }
    }

    /// The identity of the request; every role while the server needs no credential.
    fn of(extensions: &Extensions) -> Self {
        let identity = extensions.get::<Self>().cloned();
        identity.unwrap_or_else(|| Self { roles: Some(Roles::admin()), session: None })
    }
}

/// The colours of the pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// The colours of the reader's system.
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

    /// The next colours that the button chooses.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::System => Self::Dark,
            Self::Dark => Self::Light,
            Self::Light => Self::System,
        }
    }

    /// The text of the button.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::System => "frame.system",
            Self::Dark => "frame.dark",
            Self::Light => "frame.light",
        }
    }
}

/// The visitor of a page.
#[derive(Clone, Debug)]
pub(crate) struct Visitor {
    identity: Identity,
    pub(crate) language: Language,
    pub(crate) theme: Theme,
    /// The address of the page.
    pub(crate) address: String,
}

impl Visitor {
    pub(crate) fn may(&self, role: Role) -> bool {
        self.identity.roles.as_ref().is_some_and(|roles| roles.allow(role))
    }

    /// Their session, if they are logged in.
    pub(crate) fn session(&self) -> Option<&SessionInfo> {
        self.identity.session.as_ref()
    }

    /// The same visitor with the identity that authentication added to the response.
    pub(super) fn identified_by(self, extensions: &Extensions) -> Self {
        Self { identity: Identity::of(extensions), ..self }
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
            identity: Identity::of(&parts.extensions),
            language: chosen.or_else(of_browser).unwrap_or(Language::English),
            theme: cookie(headers, THEME).and_then(Theme::parse).unwrap_or_default(),
            address: parts.uri.path_and_query().map_or("/app", |address| address.as_str()).to_owned(),
        })
    }
}

/// The value of a cookie.
pub(crate) fn cookie<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let lines = headers.get_all(header::COOKIE).into_iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.into_iter().find(|(key, _)| *key == name).map(|(_, value)| value)
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
