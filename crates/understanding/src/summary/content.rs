//! What a summary consists of. Its JSON is what the API shows and what is stored.

use serde::{Deserialize, Serialize};

/// A summary that passed the validator.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Summary {
    /// At most 250 characters.
    pub summary_250: String,
    /// At most 1,000 characters.
    pub summary_1000: String,
    /// The short version, without a limit of its own.
    pub tldr: String,
    /// The main ideas.
    pub key_ideas: Vec<String>,
    /// At most ten tags, each with a leading `#`.
    pub topic_tags: Vec<String>,
    /// Who and what is named.
    pub entities: Entities,
    /// Minutes to read the text. 0 if unknown.
    pub estimated_reading_time_min: u32,
    /// Figures of the text.
    pub key_stats: Vec<KeyStat>,
    /// Questions that the text answers.
    pub answered_questions: Vec<String>,
    /// Questions with their answers.
    pub questions_answered: Vec<QuestionAnswer>,
    /// How hard the text is to read.
    pub readability: Readability,
    /// At most ten key words.
    pub seo_keywords: Vec<String>,
    /// Where the text comes from.
    pub metadata: SummaryMetadata,
    /// Sentences of the text, word by word.
    pub extractive_quotes: Vec<Quote>,
    /// The most interesting points.
    pub highlights: Vec<String>,
    /// Kinds of text to which this one belongs.
    pub categories: Vec<String>,
    /// What to remember.
    pub key_points_to_remember: Vec<String>,
    /// Topics with their weight.
    pub topic_taxonomy: Vec<Topic>,
    /// How likely it is that something is not in the text.
    pub hallucination_risk: HallucinationRisk,
    /// How sure the summariser is, from 0 to 1.
    pub confidence: f64,
    /// What goes beyond the text.
    pub insights: Insights,
    /// Where a forwarded message comes from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forwarded_post_extras: Option<ForwardedPost>,
}

/// Names in a text, each once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct Entities {
    pub people: Vec<String>,
    pub organizations: Vec<String>,
    pub locations: Vec<String>,
}

/// A figure of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct KeyStat {
    pub label: String,
    pub value: f64,
    pub unit: Option<String>,
    pub source_excerpt: Option<String>,
}

/// A question and what a text answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct QuestionAnswer {
    pub question: String,
    pub answer: String,
}

/// How hard a text is to read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Readability {
    /// `Flesch-Kincaid`.
    pub method: String,
    /// From 0 (very hard) to 100 (very easy).
    pub score: f64,
    /// The score in words.
    pub level: String,
}

/// Where a text comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct SummaryMetadata {
    pub title: Option<String>,
    pub canonical_url: Option<String>,
    pub domain: Option<String>,
    pub author: Option<String>,
    pub published_at: Option<String>,
    pub last_updated: Option<String>,
}

/// A sentence of a text, word by word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Quote {
    /// The sentence.
    pub text: String,
    /// Where it stands.
    pub source_span: Option<String>,
}

/// A topic of a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Topic {
    /// Its name.
    pub label: String,
    /// Its weight, from 0 to 1.
    pub score: f64,
    /// The topics above it.
    pub path: Option<String>,
}

/// How likely it is that a summary says something that is not in the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[allow(missing_docs)] // The names are the documentation.
pub enum HallucinationRisk {
    #[default]
    Low,
    Med,
    High,
}

/// What a summary adds beyond the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct Insights {
    pub topic_overview: String,
    pub new_facts: Vec<NewFact>,
    pub open_questions: Vec<String>,
    pub suggested_sources: Vec<String>,
    pub expansion_topics: Vec<String>,
    pub next_exploration: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caution: Option<String>,
}

impl Insights {
    /// Adds something that readers should know about the summary.
    pub fn add_caution(&mut self, caution: &str) {
        self.caution = Some(match self.caution.take() {
            Some(known) => format!("{known} {caution}"),
            None => caution.to_owned(),
        });
    }
}

/// A fact beyond the text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct NewFact {
    pub fact: String,
    pub why_it_matters: Option<String>,
    pub source_hint: Option<String>,
    pub confidence: Option<f64>,
}

/// Where a forwarded message comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[allow(missing_docs)] // The names are the documentation.
pub struct ForwardedPost {
    pub channel_id: Option<i64>,
    pub title: Option<String>,
    pub username: Option<String>,
    pub message_id: Option<i64>,
    pub post_datetime: Option<String>,
    pub hashtags: Vec<String>,
    pub mentions: Vec<String>,
}
