//! The prompt for a model.

use std::fmt::Write as _;

use quire_domain::reading::{Page, Reading};
use quire_ports::{ChatMessage, ChatRole};
use quire_understanding::redaction::Redaction;

/// The version of the prompt. Each interpretation that a model made records it. Change it with any change of the text below
/// or of anything else that a model receives.
pub const PROMPT_VERSION: &str = "2";

const INSTRUCTIONS: &str = include_str!("prompt.md");

const REPAIR: &str = "That was not JSON of the form that was asked for. Answer again with the whole form as JSON: no other \
                      words, no code fence, nothing left out.";

/// How many characters of an invalid response the repair prompt repeats.
const MAX_REPEATED: usize = 8_000;

/// The first messages: the instructions and the text of the document.
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

/// The messages that ask for another response after an invalid one.
pub(super) fn repair(messages: &[ChatMessage], answer: &str) -> Vec<ChatMessage> {
    let repeated: String = answer.chars().take(MAX_REPEATED).collect();
    let more = [
        ChatMessage { role: ChatRole::Assistant, text: repeated },
        ChatMessage { role: ChatRole::User, text: REPAIR.to_owned() },
    ];
    messages.iter().cloned().chain(more).collect()
}

/// The text of the pages, each below a line with its number.
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
