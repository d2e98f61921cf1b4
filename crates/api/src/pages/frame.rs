//! The frame of every page: navigation, texts and settings for scripts.

use askama::Template;
use axum::http::{HeaderValue, header};
use axum::response::{Html, IntoResponse, Response};
use quire_domain::{EventId, Role};
use serde_json::{Value, json};

use super::assets;
use super::visitor::{Theme, Visitor};
use super::words::{Language, Words};
use crate::{ApiError, Code};

/// Pages load resources of this server only, run no inline scripts, and cannot be framed.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; worker-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; \
     form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
);
/// Pages show documents, so they must not be cached.
const NOT_KEPT: HeaderValue = HeaderValue::from_static("no-store");

/// A part of the web interface, as the navigation names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NavigationItem {
    Inbox,
    Search,
    Proposals,
    Links,
    Operations,
    Governance,
}

/// The data that every template needs.
pub(super) struct Frame {
    pub(super) visitor: Visitor,
    pub(super) language: Language,
    pub(super) theme: Theme,
    /// The folder of styles and scripts.
    pub(super) assets: &'static str,
    /// The page to return to after changing preferences.
    pub(super) back: String,
    part: NavigationItem,
    /// The sections of texts that scripts need.
    sections: &'static [&'static str],
    /// The newest event that the page shows. Scripts follow the events after it.
    newest: EventId,
}

pub(super) struct Link {
    pub(super) href: &'static str,
    pub(super) word: &'static str,
    pub(super) is_current: bool,
}

pub(super) struct Choice {
    pub(super) value: &'static str,
    pub(super) name: &'static str,
    pub(super) is_current: bool,
}

impl Frame {
    pub(super) fn new(
        visitor: Visitor,
        part: NavigationItem,
        sections: &'static [&'static str],
        newest: EventId,
    ) -> Self {
        let (language, theme, back) = (visitor.language, visitor.theme, visitor.address.clone());
        Self { visitor, language, theme, assets: &assets::FOLDER, back, part, sections, newest }
    }

    pub(super) fn words(&self) -> &'static Words {
        self.language.words()
    }

    pub(super) fn t<'a>(&self, name: &'a str) -> &'a str
    where
        'static: 'a,
    {
        self.words().get(name)
    }

    /// The links of the navigation. Links that the visitor's roles do not allow are left out.
    pub(super) fn places(&self) -> Vec<Link> {
        let all = [
            (NavigationItem::Inbox, "/app", "frame.documents", Role::Read),
            // Not texts of the frame, which every page hands to its scripts.
            (NavigationItem::Search, "/app/search", "search.title", Role::Read),
            (NavigationItem::Proposals, "/app/proposals", "proposals.title", Role::Read),
            (NavigationItem::Links, "/app/links", "links.title", Role::Read),
            (NavigationItem::Operations, "/app/operations", "frame.operations", Role::Read),
            (NavigationItem::Governance, "/app/governance", "governance.title", Role::Govern),
        ];
        let offered = all.into_iter().filter(|(_, _, _, role)| self.visitor.may(*role));
        offered.map(|(part, href, word, _)| Link { href, word, is_current: part == self.part }).collect()
    }

    pub(super) fn languages(&self) -> Vec<Choice> {
        let choice = |language: Language| Choice {
            value: language.as_str(),
            name: language.own_name(),
            is_current: language == self.language,
        };
        Language::ALL.into_iter().map(choice).collect()
    }

    /// Whether scripts follow events: only if the visitor may read.
    pub(super) fn listens(&self) -> bool {
        self.visitor.may(Role::Read)
    }

    /// The data of the page for its scripts, escaped so that it cannot end its element.
    pub(super) fn for_scripts(&self) -> String {
        let words: serde_json::Map<String, Value> = self
            .words()
            .sections(&["frame", "errors"])
            .chain(self.words().sections(self.sections))
            .map(|(name, text)| (name.to_owned(), Value::from(text)))
            .collect();
        let may = |role| self.visitor.may(role);
        let known = json!({
            "language": self.language.as_str(),
            "assets": self.assets,
            "csrf": self.visitor.session().map(|session| &session.form_token),
            "name": self.visitor.session().map(|session| &session.name),
            "event": self.newest,
            "may": { "operate": may(Role::Operate), "review": may(Role::Review), "govern": may(Role::Govern) },
            "words": words,
        });
        known.to_string().replace('<', "\\u003c")
    }
}

/// Renders a page, or a part of one.
pub(super) fn page(template: &impl Template) -> Result<Response, ApiError> {
    let text = template.render().map_err(|error| {
        tracing::error!(%error, "page rendering failed");
        ApiError::new(Code::InternalError, "the page could not be rendered")
    })?;
    let headers = [(header::CONTENT_SECURITY_POLICY, POLICY), (header::CACHE_CONTROL, NOT_KEPT)];
    Ok((headers, Html(text)).into_response())
}
