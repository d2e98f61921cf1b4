//! The pages of the web interface. The server renders them; small scripts update their live parts.
//!
//! A page is a template of `templates/` with its view; its texts are in `words/`, its styles and scripts in `assets/`.
//! Scripts use the REST API like any client. They insert parts of pages that the server rendered, so that only the
//! server has the layout.

mod address;
pub(crate) mod assets;
pub(crate) mod error_page;
mod frame;
pub(crate) mod governance;
pub(crate) mod inbox;
pub(crate) mod links;
pub(crate) mod login;
pub(crate) mod login_redirect;
pub(crate) mod model_usage;
mod moments;
pub(crate) mod operations;
mod plot;
pub(crate) mod preferences;
pub(crate) mod proposals;
pub(crate) mod review;
pub(crate) mod runs;
pub(crate) mod search;
pub(crate) mod visitor;
pub mod words;

/// Pages and files that need no role: they show no data of documents.
pub(crate) const OPEN_PAGES: [&str; 6] =
    ["/", "/app/login", "/app/logout", "/app/session", "/app/preferences", "/assets/{folder}/{*name}"];
