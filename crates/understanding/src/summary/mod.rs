//! Summaries of texts: what one consists of, the one validator that every summary passes, and the built-in summariser.
//!
//! A language model or [`extractive`] proposes a summary as JSON; [`validate`] makes a [`Summary`] of it or says why not.

mod content;
mod contract;
mod cut;
pub mod extractive;
mod json;
mod keywords;
mod lists;
mod parts;
mod plain;
mod readability;
mod sentences;
mod words;

pub use content::{
    Entities, ForwardedPost, HallucinationRisk, Insights, KeyStat, NewFact, QuestionAnswer, Quote,
    Readability, Summary, SummaryMetadata, Topic,
};
pub use contract::{MAX_PAYLOAD_CHARS, RESPONSE_SCHEMA, RESPONSE_SCHEMA_NAME, SummaryError, validate};
pub use cut::cut;
pub use extractive::{METHOD as EXTRACTIVE_METHOD, summarise};
pub use parts::split;
pub use plain::plain_text;

/// The text that a summary is of, and what is known about it.
#[derive(Clone, Copy, Debug, Default)]
pub struct SummarySource<'a> {
    /// The text, as Markdown.
    pub text: &'a str,
    /// Its language as ISO 639-1.
    pub language: Option<&'a str>,
    /// Its title.
    pub title: Option<&'a str>,
    /// Its address.
    pub canonical_url: Option<&'a str>,
    /// The host of its address.
    pub domain: Option<&'a str>,
    /// Its author.
    pub author: Option<&'a str>,
    /// When it was published, as the page says it.
    pub published_at: Option<&'a str>,
}

#[cfg(test)]
mod tests;
