//! What a model gets to answer a question. The passages are members of a JSON object, so that no text of a document can pass for
//! anything else.

use quire_ports::{ChatMessage, ChatRole};
use quire_understanding::redaction::Redaction;
use serde_json::json;

use super::Passage;

/// The version of the prompt. Change it with any change of the files or of anything else that a model receives.
pub const ASK_PROMPT_VERSION: &str = "1";

const INSTRUCTIONS: &str = include_str!("prompt.md");
/// The JSON Schema of an answer.
pub(super) const ANSWER_SCHEMA: &str = include_str!("answer.schema.json");
/// The name of that schema.
pub(super) const ANSWER_SCHEMA_NAME: &str = "answer";

const REPAIR: &str = "That was not JSON of the form that was asked for. Answer again with the whole form as JSON: no other \
                      words, no code fence, nothing left out.";

/// How many characters of an invalid answer the repair prompt repeats.
const MAX_REPEATED: usize = 8_000;

/// The first messages: the instructions, then the question with the passages. Personal data is hidden in both.
pub(super) fn messages(
    question: &str,
    passages: &[Passage],
    redaction: Option<&mut Redaction>,
) -> Vec<ChatMessage> {
    let mut hide: Box<dyn FnMut(&str) -> String> = match redaction {
        Some(redaction) => Box::new(|text| redaction.redact(text)),
        None => Box::new(str::to_owned),
    };
    let passages: Vec<_> = passages
        .iter()
        .map(|passage| json!({ "id": passage.id, "text": hide(&passage.chunk.text) }))
        .collect();
    let message = json!({ "question": hide(question), "passages": passages });
    vec![
        ChatMessage { role: ChatRole::System, text: INSTRUCTIONS.to_owned() },
        ChatMessage { role: ChatRole::User, text: message.to_string() },
    ]
}

/// The messages that ask for another answer after an invalid one.
pub(super) fn repair(messages: &[ChatMessage], answer: &str) -> Vec<ChatMessage> {
    let repeated: String = answer.chars().take(MAX_REPEATED).collect();
    let more = [
        ChatMessage { role: ChatRole::Assistant, text: repeated },
        ChatMessage { role: ChatRole::User, text: REPAIR.to_owned() },
    ];
    messages.iter().cloned().chain(more).collect()
}

#[cfg(test)]
mod tests {
    use quire_domain::hex;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn the_files_are_those_of_their_version() {
        let digest: [u8; 32] =
            Sha256::new().chain_update(INSTRUCTIONS).chain_update(ANSWER_SCHEMA).finalize().into();
        assert_eq!(
            (ASK_PROMPT_VERSION, &hex(&digest)[..16]),
            ("1", "ee2e703f9a39fdcb"),
            "the prompt has changed; give it a new version"
        );
    }
}
