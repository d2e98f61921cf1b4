//! Lists of a summary: trimmed, without repetitions, within their limits.

use std::collections::HashSet;

use serde_json::Value;

use super::content::{Entities, KeyStat, NewFact, QuestionAnswer, Quote, Topic};
use super::json::{items, member, number, some_text, text};
use super::words::normal_text;

/// The most tags and the most key words.
pub(super) const MAX_TAGS: usize = 10;
/// A longer tag is none.
const MAX_TAG_CHARS: usize = 100;
/// A longer name is none.
const MAX_ENTITY_CHARS: usize = 500;

const PEOPLE: &[&str] = &["people", "person", "persons", "names", "individuals"];
const ORGANIZATIONS: &[&str] = &[
    "organizations",
    "organization",
    "organisations",
    "organisation",
    "orgs",
    "org",
    "companies",
    "company",
    "institutions",
];
const LOCATIONS: &[&str] =
    &["locations", "location", "places", "place", "cities", "city", "countries", "country", "regions", "geo"];

/// Texts that are not empty. An object counts as its name or text.
pub(super) fn texts(value: &Value) -> Vec<String> {
    items(value).iter().filter_map(item_text).collect()
}

fn item_text(item: &Value) -> Option<String> {
    some_text(item).or_else(|| some_text(member(item, &["name", "text", "label", "title", "question"])))
}

/// The same texts, each once, whatever its case.
pub(super) fn unique(texts: Vec<String>) -> Vec<String> {
    let mut seen = HashSet::new();
    texts.into_iter().filter(|text| seen.insert(text.to_lowercase())).collect()
}

/// Tags with their leading `#`. A tag with an angle bracket is markup.
pub(super) fn tags(value: &Value) -> Vec<String> {
    let tags = texts(value).into_iter().map(|tag| tag.trim_start_matches('#').trim().to_owned());
    let is_tag = |tag: &String| {
        !tag.is_empty()
            && tag.chars().count() < MAX_TAG_CHARS
            && !tag.contains(['<', '>'])
            && !tag.contains('\n')
    };
    let tags = unique(tags.filter(is_tag).map(|tag| format!("#{tag}")).collect());
    tags.into_iter().take(MAX_TAGS).collect()
}

/// At most ten key words.
pub(super) fn seo_keywords(value: &Value) -> Vec<String> {
    unique(texts(value)).into_iter().take(MAX_TAGS).collect()
}

/// Names by their kind, given as lists by any usual name or as one list of `{type, name}`.
pub(super) fn entities(value: &Value) -> Entities {
    let of = |kinds: &[&str]| {
        let grouped = kinds.iter().flat_map(|kind| texts(member(value, &[kind])));
        let is_of_kind = |item: &&Value| {
            let kind = text(member(item, &["type", "kind", "category"])).to_lowercase();
            kinds.contains(&kind.as_str())
        };
        let listed = value.as_array().into_iter().flatten().filter(is_of_kind).filter_map(item_text);
        let names = grouped.chain(listed).filter(|name| name.chars().count() <= MAX_ENTITY_CHARS);
        unique(names.collect())
    };
    Entities { people: of(PEOPLE), organizations: of(ORGANIZATIONS), locations: of(LOCATIONS) }
}

/// Figures that have a label and a number.
pub(super) fn key_stats(value: &Value) -> Vec<KeyStat> {
    let stat = |item: &Value| {
        Some(KeyStat {
            label: some_text(member(item, &["label", "name"]))?,
            value: number(member(item, &["value"]))?,
            unit: some_text(member(item, &["unit"])),
            source_excerpt: some_text(member(item, &["source_excerpt"])),
        })
    };
    items(value).iter().filter_map(stat).collect()
}

/// Questions with their answers, as objects or as texts such as `Q: Who? A: She.`
pub(super) fn questions_answered(value: &Value) -> Vec<QuestionAnswer> {
    let pair = |item: &Value| match item {
        Value::String(text) => question_and_answer(text),
        _ => Some(QuestionAnswer {
            question: some_text(member(item, &["question", "q"]))?,
            answer: some_text(member(item, &["answer", "a"]))?,
        }),
    };
    items(value).iter().filter_map(pair).collect()
}

/// The parts of `Q: … A: …`, on one line or on two.
pub(super) fn question_and_answer(text: &str) -> Option<QuestionAnswer> {
    let text = text.trim();
    let rest = ["Q:", "q:", "Question:", "question:"].iter().find_map(|mark| text.strip_prefix(mark))?;
    let answers = [" A:", "\nA:", " a:", " Answer:", "\nAnswer:"];
    let (question, answer) = answers.iter().find_map(|mark| rest.split_once(mark))?;
    let (question, answer) = (question.trim().to_owned(), answer.trim().to_owned());
    (!question.is_empty() && !answer.is_empty()).then_some(QuestionAnswer { question, answer })
}

/// Quotes that stand in the text. Without a text, all.
pub(super) fn quotes(value: &Value, source: &str) -> Vec<Quote> {
    let source = normal_text(source);
    let quote = |item: &Value| {
        let text = item_text(item)?;
        let stands = source.is_empty() || source.contains(&normal_text(&text));
        stands.then(|| Quote { source_span: some_text(member(item, &["source_span"])), text })
    };
    items(value).iter().filter_map(quote).collect()
}

/// Topics that have a name.
pub(super) fn topics(value: &Value) -> Vec<Topic> {
    let topic = |item: &Value| {
        let score = number(member(item, &["score"])).unwrap_or_default().clamp(0.0, 1.0);
        Some(Topic { label: item_text(item)?, score, path: some_text(member(item, &["path"])) })
    };
    items(value).iter().filter_map(topic).collect()
}

/// Facts, each once.
pub(super) fn new_facts(value: &Value) -> Vec<NewFact> {
    let fact = |item: &Value| {
        let confidence = number(member(item, &["confidence"]));
        Some(NewFact {
            fact: some_text(item).or_else(|| some_text(member(item, &["fact", "text"])))?,
            why_it_matters: some_text(member(item, &["why_it_matters"])),
            source_hint: some_text(member(item, &["source_hint"])),
            confidence: confidence.filter(|confidence| (0.0..=1.0).contains(confidence)),
        })
    };
    let mut seen = HashSet::new();
    let facts = items(value).iter().filter_map(fact);
    facts.filter(|fact| seen.insert(fact.fact.to_lowercase())).collect()
}
