//! The one validator of summaries. What a summariser answers passes it, or there is no summary.

use serde_json::Value;

use super::content::{ForwardedPost, HallucinationRisk, Insights, Readability, Summary, SummaryMetadata};
use super::json::{member, number, snake_case, some_text, text};
use super::lists::{
    entities, key_stats, new_facts, question_and_answer, questions_answered, quotes, seo_keywords, tags,
    texts, topics,
};
use super::{SummarySource, cut, keywords, plain_text, readability};

/// The longest answer and the longest summary, as JSON, in characters.
pub const MAX_PAYLOAD_CHARS: usize = 100_000;
/// The JSON Schema of a summary, for a model's response. It is strict: every member is required and no other is allowed.
pub const RESPONSE_SCHEMA: &str = include_str!("response.schema.json");
/// The name of [`RESPONSE_SCHEMA`].
pub const RESPONSE_SCHEMA_NAME: &str = "summary";

const SHORT_CHARS: usize = 250;
const LONG_CHARS: usize = 1000;
/// How many texts stand in for a summary that has none of its three.
const MAX_SNIPPETS: usize = 6;

/// Why an answer is no summary. The messages contain nothing of the text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)] // The messages say it.
pub enum SummaryError {
    #[error("the summary is not a JSON object with at least one member")]
    NoObject,
    #[error("the summary has {0} characters as JSON; the limit is {MAX_PAYLOAD_CHARS}")]
    TooLong(usize),
    #[error("the summary has no text")]
    NoText,
}

/// Makes a summary of the answer of a summariser: names in either spelling, texts within their limits, lists without
/// repetitions, and what is missing derived from the rest and from the source.
pub fn validate(answer: &Value, source: &SummarySource<'_>) -> Result<Summary, SummaryError> {
    if answer.as_object().is_none_or(serde_json::Map::is_empty) {
        return Err(SummaryError::NoObject);
    }
    check_length(answer)?;
    let raw = &snake_case(answer);
    let plain = plain_text(source.text);
    let mut summary = Summary {
        summary_250: cut(&text(member(raw, &["summary_250"])), SHORT_CHARS),
        summary_1000: cut(&text(member(raw, &["summary_1000", "summary"])), LONG_CHARS),
        tldr: text(member(raw, &["tldr", "tl_dr"])),
        key_ideas: texts(member(raw, &["key_ideas"])),
        topic_tags: tags(member(raw, &["topic_tags", "tags"])),
        entities: entities(member(raw, &["entities"])),
        estimated_reading_time_min: minutes(member(raw, &["estimated_reading_time_min"])),
        key_stats: key_stats(member(raw, &["key_stats"])),
        answered_questions: texts(member(raw, &["answered_questions"])),
        questions_answered: questions_answered(member(raw, &["questions_answered"])),
        readability: Readability::default(),
        seo_keywords: seo_keywords(member(raw, &["seo_keywords"])),
        metadata: metadata(member(raw, &["metadata"]), source),
        extractive_quotes: quotes(member(raw, &["extractive_quotes"]), &plain),
        highlights: texts(member(raw, &["highlights"])),
        categories: texts(member(raw, &["categories"])),
        key_points_to_remember: texts(member(raw, &["key_points_to_remember"])),
        topic_taxonomy: topics(member(raw, &["topic_taxonomy"])),
        hallucination_risk: risk(member(raw, &["hallucination_risk"])),
        confidence: confidence(member(raw, &["confidence"])),
        insights: insights(member(raw, &["insights"])),
        forwarded_post_extras: forwarded(member(raw, &["forwarded_post_extras"])),
    };
    if summary.questions_answered.is_empty() {
        let pairs = summary.answered_questions.iter().filter_map(|text| question_and_answer(text));
        summary.questions_answered = pairs.collect();
    }
    fill_texts(&mut summary)?;
    let text = if plain.is_empty() { &summary.summary_1000 } else { &plain };
    summary.readability = readability_of(member(raw, &["readability"]), text);
    if summary.seo_keywords.is_empty() {
        summary.seo_keywords = keywords::keywords(text, source.language);
    }
    if summary.topic_tags.is_empty() {
        summary.topic_tags = tags(&summary.seo_keywords.iter().map(|word| word.replace(' ', "-")).collect());
    }
    check_length(&serde_json::to_value(&summary).unwrap_or_default())?;
    Ok(summary)
}

fn check_length(value: &Value) -> Result<(), SummaryError> {
    let chars = value.to_string().chars().count();
    if chars > MAX_PAYLOAD_CHARS { Err(SummaryError::TooLong(chars)) } else { Ok(()) }
}

/// Fills the three texts from each other, or all of them from other members.
fn fill_texts(summary: &mut Summary) -> Result<(), SummaryError> {
    if [&summary.tldr, &summary.summary_1000, &summary.summary_250].iter().all(|text| text.is_empty()) {
        summary.tldr = snippets(summary).join(" ");
    }
    let Summary { tldr, summary_1000, summary_250, .. } = summary;
    if summary_1000.is_empty() {
        *summary_1000 = cut(if tldr.is_empty() { summary_250 } else { tldr }, LONG_CHARS);
    }
    if tldr.is_empty() {
        tldr.clone_from(summary_1000);
    }
    if summary_250.is_empty() {
        *summary_250 = cut(summary_1000, SHORT_CHARS);
    }
    if summary_250.is_empty() { Err(SummaryError::NoText) } else { Ok(()) }
}

/// Texts of the other members, as sentences.
fn snippets(summary: &Summary) -> Vec<String> {
    let overview = std::iter::once(&summary.insights.topic_overview);
    let lists = [&summary.key_ideas, &summary.highlights, &summary.key_points_to_remember];
    let facts = summary.insights.new_facts.iter().map(|fact| &fact.fact);
    let quotes = summary.extractive_quotes.iter().map(|quote| &quote.text);
    let answers = summary.questions_answered.iter().map(|pair| &pair.answer);
    let texts = overview.chain(lists.into_iter().flatten()).chain(facts).chain(quotes).chain(answers);
    let texts = super::lists::unique(texts.filter(|text| !text.is_empty()).cloned().collect());
    let ends = ['.', '!', '?', '…', '。'];
    let sentences = texts.into_iter().take(MAX_SNIPPETS);
    sentences.map(|text| if text.ends_with(ends) { text } else { format!("{text}.") }).collect()
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Within the range of the type.
fn minutes(value: &Value) -> u32 {
    number(value)
        .filter(|minutes| (0.0..=100_000.0).contains(minutes))
        .map_or(0, |minutes| minutes.round() as u32)
}

fn confidence(value: &Value) -> f64 {
    number(value).filter(|confidence| (0.0..=1.0).contains(confidence)).unwrap_or(1.0)
}

fn risk(value: &Value) -> HallucinationRisk {
    match text(value).to_lowercase().as_str() {
        "med" | "medium" => HallucinationRisk::Med,
        "high" => HallucinationRisk::High,
        _ => HallucinationRisk::Low,
    }
}

fn metadata(value: &Value, source: &SummarySource<'_>) -> SummaryMetadata {
    let or_known = |names: &[&str], known: Option<&str>| {
        let known = known.map(str::trim).filter(|known| !known.is_empty());
        some_text(member(value, names)).or_else(|| known.map(str::to_owned))
    };
    SummaryMetadata {
        title: or_known(&["title"], source.title),
        canonical_url: or_known(&["canonical_url", "url"], source.canonical_url),
        domain: or_known(&["domain"], source.domain),
        author: or_known(&["author"], source.author),
        published_at: or_known(&["published_at"], source.published_at),
        last_updated: or_known(&["last_updated"], None),
    }
}

fn readability_of(value: &Value, text: &str) -> Readability {
    let given = number(member(value, &["score"])).filter(|score| *score > 0.0);
    let score = given.map_or_else(|| readability::score(text), |score| score.min(100.0));
    let method = some_text(member(value, &["method"])).unwrap_or_else(|| readability::METHOD.to_owned());
    let level = some_text(member(value, &["level"])).filter(|_| given.is_some());
    Readability { method, score, level: level.unwrap_or_else(|| readability::level(score).to_owned()) }
}

fn insights(value: &Value) -> Insights {
    Insights {
        topic_overview: text(member(value, &["topic_overview"])),
        new_facts: new_facts(member(value, &["new_facts"])),
        open_questions: texts(member(value, &["open_questions"])),
        suggested_sources: texts(member(value, &["suggested_sources"])),
        expansion_topics: texts(member(value, &["expansion_topics"])),
        next_exploration: texts(member(value, &["next_exploration"])),
        caution: some_text(member(value, &["caution"])),
    }
}

impl ForwardedPost {
    /// What is known about a forwarded message, in either spelling. A member of another type is left out; the others stay.
    pub fn read(value: &Value) -> Option<Self> {
        forwarded(&snake_case(value))
    }
}

fn forwarded(value: &Value) -> Option<ForwardedPost> {
    let id = |name: &str| member(value, &[name]).as_i64();
    value.as_object().filter(|members| !members.is_empty()).map(|_| ForwardedPost {
        channel_id: id("channel_id"),
        title: some_text(member(value, &["title"])),
        username: some_text(member(value, &["username"])),
        message_id: id("message_id"),
        post_datetime: some_text(member(value, &["post_datetime"])),
        hashtags: texts(member(value, &["hashtags"])),
        mentions: texts(member(value, &["mentions"])),
    })
}
