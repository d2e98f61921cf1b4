//! What a model is told.

use std::fmt::Write as _;

use quire_domain::reading::{Page, Reading};
use quire_ports::{ChatMessage, ChatRole};
use quire_understanding::redaction::Redaction;

/// The version of the prompt, recorded with every version that it helped to make. It changes with the text below and with
/// anything else that is said to a model.
pub const PROMPT_VERSION: &str = "1";

const INSTRUCTIONS: &str = include_str!("prompt.md");

const REPAIR: &str = "That was not JSON of the form that was asked for. Answer again with the whole form as JSON: no other \
                      words, no code fence, nothing left out.";

/// Characters of a spoilt answer that are shown to the model again.
const MOST_SHOWN: usize = 8_000;

/// The conversation that begins with a document.
pub(super) fn messages(reading: &Reading, redaction: Option<&mut Redaction>) -> Vec<ChatMessage> {
    let text = text(&reading.pages);
    let text = match redaction {
        Some(redaction) => redaction.redact(&text),
        None => text,
    };
    vec![
        ChatMessage { role: ChatRole::System, text: INSTRUCTIONS.to_owned() },
        ChatMessage { role: ChatRole::User, text },
    ]
}

/// The same conversation, after an answer that cannot be used.
pub(super) fn repair(messages: &[ChatMessage], answer: &str) -> Vec<ChatMessage> {
    let shown: String = answer.chars().take(MOST_SHOWN).collect();
    let more = [
        ChatMessage { role: ChatRole::Assistant, text: shown },
        ChatMessage { role: ChatRole::User, text: REPAIR.to_owned() },
    ];
    messages.iter().cloned().chain(more).collect()
}

/// The pages, each under its number.
fn text(pages: &[Page]) -> String {
    let mut text = String::new();
    for (number, page) in (1..).zip(pages) {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "=== Page {number} ===");
        text.push_str(&Reading { pages: vec![page.clone()] }.plain_text().text);
        text.push('\n');
    }
    text
}
