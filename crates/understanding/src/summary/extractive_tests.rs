use proptest::prelude::*;

use super::*;
use crate::summary::plain_text;

const BRIDGE: &str = "# A bridge for the valley\n\nThe council approved a new bridge over the river on Tuesday. \
    The bridge will replace the old crossing, which was closed after a flood in March. Engineers expect that building the \
    bridge takes two years and costs twelve million euros.\n\nMany people drank coffee in the hall during the meeting. \
    The region pays half of the costs of the bridge, and the council pays the rest.\n\n- Home\n- Contact\n\n\
    Traffic over the river has used a detour of thirty kilometres since the flood closed the old crossing. \
    The mayor said that the detour costs local companies a lot of time.\n";

fn source(text: &str) -> SummarySource<'_> {
    SummarySource {
        text,
        language: Some("en"),
        title: Some("A bridge for the valley"),
        ..SummarySource::default()
    }
}

#[test]
fn the_sentences_about_the_topic_are_chosen_word_by_word_and_in_order() {
    let summary = summarise(&source(BRIDGE)).unwrap();
    assert!(summary.summary_250.contains("approved a new bridge"), "{}", summary.summary_250);
    assert!(!summary.tldr.contains("coffee"), "{}", summary.tldr);
    let plain = plain_text(BRIDGE).replace('\n', " ");
    let mut last = 0;
    for quote in &summary.extractive_quotes {
        let at = plain.find(&quote.text).unwrap_or_else(|| panic!("{} is not in the text", quote.text));
        assert!(at >= last);
        last = at;
    }
    assert_eq!(summary.estimated_reading_time_min, 1);
    assert!(summary.insights.caution.unwrap().contains("TextRank"), "it is labelled");
    assert!(summary.seo_keywords.contains(&"bridge".to_owned()), "{:?}", summary.seo_keywords);
}

#[test]
fn other_languages_are_summarised_too() {
    for (language, text, expected) in [
        (
            "ru",
            "Городской совет одобрил строительство нового моста через реку. Кофе в буфете стоил дорого вчера вечером. \
            Строительство моста займёт два года и обойдётся в двенадцать миллионов. Новый мост заменит старую переправу через реку.",
            "мост",
        ),
        (
            "ja",
            "市議会は新しい橋の建設を承認した。会場ではコーヒーが出された。新しい橋の建設には二年かかる見込みだ。新しい橋は古い橋の代わりになる。",
            "橋",
        ),
        (
            "es",
            "El ayuntamiento aprobó un puente nuevo sobre el río. El café de la sala estaba frío aquella tarde de martes. \
            El puente nuevo costará doce millones de euros y su obra durará dos años. El puente sustituye al antiguo paso del río.",
            "puente",
        ),
    ] {
        let source = SummarySource { text, language: Some(language), ..SummarySource::default() };
        let summary = summarise(&source).unwrap();
        assert!(summary.summary_250.contains(expected), "{language}: {}", summary.summary_250);
        assert!(summary.summary_250.chars().count() <= 250);
    }
}

#[test]
fn a_long_text_is_summarised_in_parts() {
    let words: Vec<&str> = "harbour station theatre library bakery garden museum tower market school chapel prison \
        factory stadium hospital airport cinema palace gallery castle opened closed burned moved painted sold rented \
        repaired measured visited counted described forgotten remembered guarded lighted heated flooded emptied locked"
        .split_whitespace()
        .collect();
    let sentence = |number: usize| {
        let picked =
            (1..8).map(|step| words[(number * 7 + number / 40 * step + step * step * 3) % words.len()]);
        format!("Number {number} {}. ", picked.collect::<Vec<_>>().join(" "))
    };
    let text: String = (0..3000).map(sentence).collect();
    let summary = summarise(&source(&text)).unwrap();
    assert!((100..=1000).contains(&summary.summary_1000.chars().count()), "{}", summary.summary_1000);
    assert_eq!(summary.key_ideas.len(), 5);
}

#[test]
fn a_text_without_sentences_is_cut() {
    let summary = summarise(&source("Opening hours\n\nMon 9-5")).unwrap();
    assert_eq!(summary.summary_250, "Opening hours Mon 9-5");
    assert_eq!(summarise(&source("")), Err(SummaryError::NoText));
}

proptest! {
    #[test]
    fn any_text_is_summarised_within_the_limits_or_has_no_words(text in "(\\PC{0,60}[.!?\n] ?){0,20}") {
        if let Ok(summary) = summarise(&source(&text)) {
            prop_assert!(summary.summary_250.chars().count() <= 250);
        }
    }

    /// Proves R192 for the built-in summariser: each sentence of a summary is one of the text.
    #[test]
    fn key_ideas_are_sentences_of_the_text(sentences in prop::collection::vec("[A-Z][a-z]{3,9}( [a-z]{3,9}){5,9} [a-z]{7,9}\\.", 1..30)) {
        let text = sentences.join(" ");
        let summary = summarise(&source(&text)).unwrap();
        for idea in &summary.key_ideas {
            prop_assert!(sentences.contains(idea), "{}", idea);
        }
    }
}
