use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

fn valid(proposal: &Value) -> Summary {
    validate(proposal, &SummarySource::default()).unwrap()
}

/// Proves R192.
#[test]
fn a_summary_keeps_to_its_limits() {
    let sentence = "The council approved the bridge, after years of debate. ";
    let summary = valid(&json!({
        "summary_250": sentence.repeat(9),
        "summary_1000": sentence.repeat(30),
        "tldr": "Approved.",
        "topic_tags": ["bridge", "#Bridge", " #council ", "", "<script>", "x".repeat(120), 7, "typescript", "a", "b", "c", "d", "e", "f", "g", "h"],
        "entities": { "person": ["Ana", "ana", "Luis"], "company": [{ "name": "ACME" }], "city": "Madrid", "locations": ["madrid"] },
        "estimated_reading_time_min": "soon",
        "confidence": 7,
        "hallucination_risk": "none",
    }));
    assert_eq!(summary.summary_250, sentence.repeat(4).trim_end());
    assert_eq!(
        summary.summary_1000.chars().count(),
        17 * 56 + 31,
        "it ends with the phrase before the comma"
    );
    assert!(summary.summary_1000.ends_with("approved the bridge"), "{}", summary.summary_1000);
    let tags = ["#bridge", "#council", "#7", "#typescript", "#a", "#b", "#c", "#d", "#e", "#f"];
    assert_eq!(summary.topic_tags, tags);
    assert_eq!(summary.entities.people, ["Ana", "Luis"]);
    assert_eq!(summary.entities.organizations, ["ACME"]);
    assert_eq!(summary.entities.locations, ["madrid"]);
    assert_eq!((summary.estimated_reading_time_min, summary.hallucination_risk), (0, HallucinationRisk::Low));
    assert!((summary.confidence - 1.0).abs() < f64::EPSILON);
}

#[test]
fn both_spellings_and_loose_forms_are_read() {
    let summary = valid(&json!({
        "summary250": "Short.", "keyIdeas": [" one ", "", "two"], "keyStats": [
            { "label": "Cost", "value": "1,200", "unit": "EUR", "sourceExcerpt": "1,200 EUR" },
            { "label": "No number", "value": "many" }, { "value": 3 },
        ],
        "answeredQuestions": ["Q: Who? A: Ana.", "Why?"],
        "topicTaxonomy": [{ "label": "Bridges", "score": 3 }],
        "insights": { "newFacts": [{ "fact": "A" }, { "fact": "a" }, "B"], "caution": "Careful." },
        "confidence": "0.4", "hallucinationRisk": "Medium",
        "forwardedPostExtras": { "channelId": -100, "messageId": 7, "hashtags": ["#a"] },
    }));
    assert_eq!(summary.key_ideas, ["one", "two"]);
    assert_eq!(summary.key_stats.len(), 1);
    assert!((summary.key_stats[0].value - 1200.0).abs() < f64::EPSILON);
    let pair = QuestionAnswer { question: "Who?".to_owned(), answer: "Ana.".to_owned() };
    assert_eq!(summary.questions_answered, [pair]);
    assert!((summary.topic_taxonomy[0].score - 1.0).abs() < f64::EPSILON);
    let facts: Vec<&str> = summary.insights.new_facts.iter().map(|fact| fact.fact.as_str()).collect();
    assert_eq!(facts, ["A", "B"]);
    assert_eq!(summary.hallucination_risk, HallucinationRisk::Med);
    assert!((summary.confidence - 0.4).abs() < f64::EPSILON);
    let forwarded = summary.forwarded_post_extras.unwrap();
    assert_eq!((forwarded.channel_id, forwarded.message_id), (Some(-100), Some(7)));
}

/// What clients send about a forwarded message is theirs to form.
#[test]
fn a_member_of_another_type_does_not_cost_the_rest_of_a_forwarded_post() {
    let raw = json!({ "title": 7, "channel_id": 1, "message_id": "x", "username": ["a"], "hashtags": "#a", "other": {} });
    let post = ForwardedPost::read(&raw).unwrap();
    assert_eq!((post.channel_id, post.message_id, post.title.as_deref()), (Some(1), None, Some("7")));
    assert_eq!((post.username, post.hashtags), (None, vec!["#a".to_owned()]));
    assert_eq!(ForwardedPost::read(&json!({ "channelId": 2 })).unwrap().channel_id, Some(2));
}

#[test]
fn the_three_texts_are_filled_from_each_other_or_from_the_rest() {
    let texts = |proposal: Value| {
        let summary = valid(&proposal);
        (summary.tldr, summary.summary_1000, summary.summary_250)
    };
    let all = |text: &str| (text.to_owned(), text.to_owned(), text.to_owned());
    assert_eq!(texts(json!({ "tldr": "A text." })), all("A text."));
    assert_eq!(texts(json!({ "summary": "A text." })), all("A text."));
    assert_eq!(texts(json!({ "summary_250": "A text." })), all("A text."));
    let ideas = json!({ "key_ideas": ["One", "Two!"], "highlights": ["one", "Three"] });
    assert_eq!(texts(ideas), all("One. Two! Three."));
    let many: Vec<String> = (0..9).map(|number| format!("Idea {number}.")).collect();
    let (tldr, _, _) = texts(json!({ "key_ideas": many }));
    assert!(tldr.ends_with("Idea 5."), "{tldr}");
}

#[test]
fn what_the_source_tells_fills_what_is_missing() {
    let text = "# Bridge\n\nThe council approved the bridge. The bridge costs **two** million.";
    let source = SummarySource {
        text,
        language: Some("en"),
        title: Some("Bridge"),
        domain: Some("example.com"),
        author: Some(" "),
        ..SummarySource::default()
    };
    let quotes = json!([{ "text": "The bridge costs two million." }, { "text": "It was free." }]);
    let proposal = json!({ "tldr": "A bridge.", "metadata": { "domain": "other.example" }, "extractive_quotes": quotes });
    let summary = validate(&proposal, &source).unwrap();
    assert_eq!(summary.metadata.title.as_deref(), Some("Bridge"));
    assert_eq!(summary.metadata.domain.as_deref(), Some("other.example"));
    assert_eq!(summary.metadata.author, None);
    assert_eq!(summary.seo_keywords[0], "bridge");
    assert_eq!(summary.topic_tags[0], "#bridge");
    assert_eq!(summary.readability.method, "Flesch-Kincaid");
    assert!(summary.readability.score > 0.0 && !summary.readability.level.is_empty());
    assert_eq!(summary.extractive_quotes.len(), 1, "a quote that is not in the text is none");
}

#[test]
fn what_is_no_summary_is_refused() {
    let refused = |proposal: Value| validate(&proposal, &SummarySource::default()).unwrap_err();
    for nothing in [json!({}), json!([]), json!(null), json!("text"), json!(3)] {
        assert_eq!(refused(nothing), SummaryError::NoObject);
    }
    assert_eq!(refused(json!({ "confidence": 1 })), SummaryError::NoText);
    assert_eq!(refused(json!({ "tldr": " ", "key_ideas": [""] })), SummaryError::NoText);
    assert!(matches!(refused(json!({ "tldr": "x".repeat(100_000) })), SummaryError::TooLong(100_011)));
}

#[test]
fn the_schema_for_models_names_exactly_the_members_of_a_summary() {
    let schema: Value = serde_json::from_str(RESPONSE_SCHEMA).unwrap();
    let summary = serde_json::to_value(Summary::default()).unwrap();
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&schema["properties"]), names(&summary));
}

proptest! {
    /// Proves R192: whatever a model answers, a summary keeps to its limits, and validating it again changes nothing.
    #[test]
    fn a_valid_summary_stays_as_it_is(
        tldr in "\\PC{0,600}", long in "[a-zA-Z ,.!]{0,1500}", tags in prop::collection::vec("\\PC{0,20}", 0..15),
        confidence in -2.0f64..3.0,
    ) {
        let proposal = json!({ "tldr": tldr, "summary_1000": long, "topic_tags": tags, "confidence": confidence });
        let Ok(summary) = validate(&proposal, &SummarySource::default()) else { return Ok(()) };
        prop_assert!(summary.summary_250.chars().count() <= 250 && summary.summary_1000.chars().count() <= 1000);
        prop_assert!(summary.topic_tags.len() <= 10 && summary.topic_tags.iter().all(|tag| tag.starts_with('#')));
        prop_assert!((0.0..=1.0).contains(&summary.confidence));
        let again = validate(&serde_json::to_value(&summary).unwrap(), &SummarySource::default()).unwrap();
        prop_assert_eq!(again.summary_1000, summary.summary_1000);
        prop_assert_eq!(again.topic_tags, summary.topic_tags);
    }
}

#[test]
fn a_built_in_summary_says_what_it_has_not_read() {
    let sentence = "The council approved the new bridge over the river on Tuesday. ";
    let short = summarise(&SummarySource { text: sentence, ..SummarySource::default() }).unwrap();
    assert!(!short.insights.caution.unwrap().contains("Only the first"));
    let text = sentence.repeat(7_000);
    let long = summarise(&SummarySource { text: &text, ..SummarySource::default() }).unwrap();
    let caution = long.insights.caution.unwrap();
    let expected = format!("Only the first 400000 of {} characters", text.chars().count());
    assert!(caution.contains("TextRank") && caution.contains(&expected), "{caution}");
}
