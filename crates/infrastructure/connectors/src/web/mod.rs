//! Web pages: fetches what is behind an address that somebody sent, and hands it to the readers.
//!
//! [`Guard`] decides which hosts may be reached; every connection to an address that a user can influence goes through
//! it. `fetch` follows redirects within limits and asks each host in its lane, `host_spacing` spaces requests to one host,
//! [`DirectWebReader`] reads what was fetched, and [`FirecrawlReader`] lets Firecrawl do it.

mod allow;
mod decompress;
mod direct;
mod fetch;
mod firecrawl;
mod guard;
mod host_spacing;
mod resolver;
mod robots;
mod settings;

pub use allow::{AllowList, InvalidEntry};
pub use direct::DirectWebReader;
pub use firecrawl::FirecrawlReader;
pub use guard::{Guard, HostRefused};
pub use resolver::{Resolver, SystemResolver};
pub use settings::{FirecrawlSettings, WebSettings, WebSettingsError};

#[cfg(test)]
mod tests;
