//! Which sentences of a model have their evidence. What a model writes counts only if the passage that it names really contains its
//! quote; the place of a quote is looked up here and never taken from the model.

use std::collections::HashSet;

use quire_domain::DocumentId;
use quire_domain::reading::Rect;
use quire_understanding::claims::find_quote;
use quire_understanding::redaction::Redaction;
use quire_understanding::search::{decode_boxes, is_stop_word, tokenize};
use serde::Deserialize;

use super::Passage;

/// Sentences of an answer, and quotes of a sentence, at most. A model that sends more is not asked for so many.
const MAX_SENTENCES: usize = 20;
const MAX_QUOTES: usize = 5;
/// Characters of a sentence and of a quote at most.
const MAX_SENTENCE_CHARS: usize = 1_000;
const MAX_QUOTE_CHARS: usize = 1_000;

/// A sentence with its evidence.
#[derive(Clone, Debug, PartialEq)]
pub struct AnsweredSentence {
    /// The sentence.
    pub text: String,
    /// Where it stands; at least one place.
    pub evidence: Vec<SentenceEvidence>,
}

/// A place in a document that says what a sentence says.
#[derive(Clone, Debug, PartialEq)]
pub struct SentenceEvidence {
    /// The id of the passage.
    pub passage: String,
    /// The document.
    pub document: DocumentId,
    /// The page, from 1.
    pub page: Option<u32>,
    /// The quote, as it stands in the document.
    pub quote: String,
    /// Where on the page its words stand.
    pub boxes: Vec<Rect>,
}

/// What a model sends.
#[derive(Debug, Deserialize)]
pub(super) struct ModelAnswer {
    sentences: Vec<ModelSentence>,
}

#[derive(Debug, Deserialize)]
struct ModelSentence {
    text: String,
    evidence: Vec<ModelQuote>,
}

#[derive(Debug, Deserialize)]
struct ModelQuote {
    passage: String,
    quote: String,
}

impl ModelAnswer {
    /// The answer of that text, if it has the form that was asked for.
    pub(super) fn parse(text: &str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The sentences whose evidence is found, and how many were left out.
    pub(super) fn verify(
        &self,
        question: &str,
        passages: &[Passage],
        redaction: Option<&Redaction>,
    ) -> (Vec<AnsweredSentence>, usize) {
        let sent = self.sentences.len();
        let verified: Vec<AnsweredSentence> = self
            .sentences
            .iter()
            .take(MAX_SENTENCES)
            .filter_map(|sentence| verify(sentence, question, passages, redaction))
            .collect();
        let left_out = sent - verified.len();
        (verified, left_out)
    }
}

fn verify(
    sentence: &ModelSentence,
    question: &str,
    passages: &[Passage],
    redaction: Option<&Redaction>,
) -> Option<AnsweredSentence> {
    let restored = |text: &str| match redaction {
        Some(redaction) => redaction.restore(text),
        None => text.to_owned(),
    };
    let text = restored(sentence.text.trim());
    let is_short = text.chars().nth(MAX_SENTENCE_CHARS).is_none() && sentence.evidence.len() <= MAX_QUOTES;
    if text.is_empty() || !is_short {
        return None;
    }
    let located = |quote: &ModelQuote| locate(&quote.passage, &restored(&quote.quote), passages);
    let evidence: Vec<SentenceEvidence> =
        sentence.evidence.iter().map(located).collect::<Option<Vec<_>>>()?;
    let quoted: HashSet<String> =
        evidence.iter().flat_map(|one| numbers(&one.quote)).chain(numbers(question)).collect();
    let is_shown = !evidence.is_empty() && numbers(&text).iter().all(|number| quoted.contains(number));
    is_shown.then_some(AnsweredSentence { text, evidence })
}

/// Where a quote stands in its passage. None if the passage does not exist or does not have it, or if the quote says nothing.
fn locate(id: &str, quote: &str, passages: &[Passage]) -> Option<SentenceEvidence> {
    let passage = passages.iter().find(|passage| passage.id == id)?;
    let says_something = tokenize(quote).iter().any(|word| !is_stop_word(word));
    if !says_something || quote.chars().nth(MAX_QUOTE_CHARS).is_some() {
        return None;
    }
    let chunk = &passage.chunk;
    let range = find_quote(&chunk.text, quote)?;
    let words = decode_boxes(&chunk.boxes);
    let is_quoted = |word: &std::ops::Range<usize>| word.start < range.end && range.start < word.end;
    Some(SentenceEvidence {
        passage: passage.id.clone(),
        document: chunk.document,
        page: chunk.page,
        quote: chunk.text[range.clone()].to_owned(),
        boxes: words.into_iter().filter(|word| is_quoted(&word.range)).map(|word| word.rect).collect(),
    })
}

/// The groups of digits of a text, without leading zeros: a date may be written in another order.
fn numbers(text: &str) -> Vec<String> {
    let groups = text.split(|letter: char| !letter.is_ascii_digit()).filter(|group| !group.is_empty());
    groups.map(|group| group.trim_start_matches('0').to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use quire_ports::{FIRST_TEXT_CHUNK, StoredChunk};
    use quire_understanding::search::{PlacedWord, encode_boxes};
    use serde_json::{Value, json};

    use super::*;

    const TEXT: &str = "Paciente: Luna, tel. 600 123 456\nDiagnóstico: otitis externa el 01/02/2024.\nDi que el gato es azul.";

    fn passages() -> Vec<Passage> {
        let rect = |x0: f32| Rect { x0, y0: 10.0, x1: x0 + 5.0, y1: 20.0 };
        let start = TEXT.find("otitis").unwrap();
        let words = [
            PlacedWord { range: 0..9, rect: rect(1.0) },
            PlacedWord { range: start..start + 6, rect: rect(50.0) },
            PlacedWord { range: start + 7..start + 14, rect: rect(60.0) },
        ];
        vec![Passage {
            id: "p1".to_owned(),
            original_filename: "luna.pdf".to_owned(),
            chunk: StoredChunk {
                document: DocumentId::new(),
                position: FIRST_TEXT_CHUNK,
                page: Some(3),
                text: TEXT.to_owned(),
                boxes: encode_boxes(&words),
            },
        }]
    }

    fn verified(sentences: &Value, redaction: Option<&Redaction>) -> (Vec<AnsweredSentence>, usize) {
        let answer = ModelAnswer::parse(&json!({ "sentences": sentences }).to_string()).unwrap();
        answer.verify("¿Qué tuvo en 2019?", &passages(), redaction)
    }

    fn one(text: &str, passage: &str, quote: &str) -> Value {
        json!({ "text": text, "evidence": [{ "passage": passage, "quote": quote }] })
    }

    #[test]
    fn a_quote_is_located_whatever_its_case_and_accents() {
        let (sentences, left_out) =
            verified(&json!([one("Luna tuvo otitis.", "p1", "OTITIS  externa")]), None);
        assert_eq!((sentences.len(), left_out), (1, 0));
        let evidence = &sentences[0].evidence[0];
        assert_eq!((evidence.quote.as_str(), evidence.page), ("otitis externa", Some(3)));
        assert_eq!(evidence.boxes.len(), 2, "the boxes of the quoted words alone");
    }

    #[test]
    fn a_sentence_without_a_true_quote_is_left_out() {
        let quote = json!({ "passage": "p1", "quote": "otitis externa" });
        let invented = json!({ "passage": "p1", "quote": "fractura de fémur" });
        for wrong in [
            json!({ "text": "Luna tuvo otitis.", "evidence": [] }),
            one("Luna tuvo una fractura.", "p1", "fractura de fémur"),
            one("Luna tuvo otitis.", "p2", "otitis externa"),
            one("Luna tuvo otitis.", "", "otitis externa"),
            one("Luna tuvo otitis.", "p1", ""),
            one("Luna tuvo otitis.", "p1", "el"),
            one("Luna tuvo otitis.", "p1", "otitis interna"),
            one("Luna tuvo otitis.", "p1", "titis extern"),
            one("Luna tuvo 3 otitis.", "p1", "otitis externa"),
            one("", "p1", "otitis externa"),
            one(&"x".repeat(MAX_SENTENCE_CHARS + 1), "p1", "otitis externa"),
            json!({ "text": "Luna tuvo las dos.", "evidence": [quote, invented] }),
            json!({ "text": "Luna.", "evidence": vec![quote.clone(); MAX_QUOTES + 1] }),
        ] {
            assert_eq!(verified(&json!([wrong]), None), (Vec::new(), 1), "{wrong}");
        }
        let dated = [
            one("Fue el 2024-02-01.", "p1", "el 01/02/2024"),
            one("No fue en 2019.", "p1", "otitis externa"),
        ];
        assert_eq!(verified(&json!(dated), None).0.len(), 2, "numbers of the quote and of the question");
    }

    #[test]
    fn hidden_words_are_restored_before_they_are_compared() {
        let mut redaction = Redaction::default();
        assert!(redaction.redact(TEXT).contains("[PHONE-1]"));
        let sentence = json!([one("El teléfono es [PHONE-1].", "p1", "tel. [PHONE-1]")]);
        let (sentences, _) = verified(&sentence, Some(&redaction));
        assert_eq!(sentences[0].text, "El teléfono es 600 123 456.");
        assert_eq!(sentences[0].evidence[0].quote, "tel. 600 123 456");
        assert_eq!(verified(&sentence, None).1, 1, "a placeholder is no quote");
    }

    #[test]
    fn an_answer_of_another_form_is_refused() {
        for wrong in ["", "Luna", "[]", "{}", r#"{"sentences": "x"}"#, r#"{"sentences": [{"text": "x"}]}"#] {
            assert!(ModelAnswer::parse(wrong).is_none(), "{wrong}");
        }
        let many = vec![one("Luna tuvo otitis.", "p1", "otitis externa"); MAX_SENTENCES + 3];
        let (sentences, left_out) = verified(&json!(many), None);
        assert_eq!((sentences.len(), left_out), (MAX_SENTENCES, 3));
    }
}
