//! The idea of a proposal, and how long it may be.

use serde::{Deserialize, Serialize};

use super::member::{InvalidMember, required_text};

/// The most characters of an idea.
pub const MAX_IDEA_CHARS: usize = 10_000;
/// The most sentences of an idea.
pub const MAX_SENTENCES: usize = 10;

/// An idea: 1 to 10 sentences and at most 10,000 characters, trimmed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Idea(String);

impl Idea {
    /// Checks an idea that was given in the member `path` of a request.
    pub fn parse(path: &str, text: Option<String>) -> Result<Self, InvalidMember> {
        let text = required_text(path, text)?;
        let chars = text.chars().count();
        if chars > MAX_IDEA_CHARS {
            let problem = format!("has {chars} characters; the limit is {MAX_IDEA_CHARS}");
            return Err(InvalidMember::at(path, problem));
        }
        match sentences(&text) {
            0 => Err(InvalidMember::at(path, "must have at least one sentence")),
            1..=MAX_SENTENCES => Ok(Self(text)),
            many => {
                Err(InvalidMember::at(path, format!("has {many} sentences; the limit is {MAX_SENTENCES}")))
            }
        }
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Idea {
    type Error = InvalidMember;

    fn try_from(text: String) -> Result<Self, InvalidMember> {
        Self::parse("idea", Some(text))
    }
}

impl From<Idea> for String {
    fn from(idea: Idea) -> Self {
        idea.0
    }
}

/// The number of sentences. A sentence ends with a run of `.`, `!` or `?` before white space or the end of the text, so
/// that `3.14` and `example.org` end none. A piece without any other character is no sentence.
fn sentences(text: &str) -> usize {
    let mut count = 0;
    let mut has_content = false;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if !matches!(char, '.' | '!' | '?') {
            has_content |= !char.is_whitespace();
            continue;
        }
        while chars.next_if(|next| matches!(next, '.' | '!' | '?')).is_some() {}
        if chars.peek().is_some_and(|next| !next.is_whitespace()) {
            has_content = true;
        } else if has_content {
            count += 1;
            has_content = false;
        }
    }
    count + usize::from(has_content)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Idea, InvalidMember> {
        Idea::parse("idea", Some(text.to_owned()))
    }

    #[test]
    fn sentences_end_at_a_run_of_marks_before_white_space_or_the_end() {
        for (text, count) in [
            ("no mark at all", 1),
            ("One. Two! Three? Four", 4),
            ("Wait... what?! Yes.", 3),
            ("Pi is 3.14 and example.org exists.", 1),
            ("One.\nTwo.", 2),
            (".start counts", 1),
            ("...", 0),
            ("? ! .", 0),
            ("One. . Two.", 2),
        ] {
            assert_eq!(sentences(text), count, "{text:?}");
        }
    }

    /// Proves R146.
    #[test]
    fn an_idea_has_one_to_ten_sentences_and_at_most_ten_thousand_characters() {
        assert!(parse(&"Go. ".repeat(10)).is_ok());
        assert_eq!(
            parse(&"Go. ".repeat(11)).unwrap_err().to_string(),
            "idea has 11 sentences; the limit is 10"
        );
        assert!(parse(&"ñ".repeat(10_000)).is_ok());
        let long = parse(&"ñ".repeat(10_001)).unwrap_err();
        assert_eq!(long.to_string(), "idea has 10001 characters; the limit is 10000");
        assert_eq!(parse("  ").unwrap_err().to_string(), "idea must not be empty");
        assert_eq!(parse("...").unwrap_err().to_string(), "idea must have at least one sentence");
        assert_eq!(Idea::parse("input_idea", None).unwrap_err().to_string(), "input_idea is missing");
        assert_eq!(parse(" Go. ").unwrap().as_str(), "Go.");
    }

    proptest! {
        /// Proves R146.
        #[test]
        fn as_many_sentences_are_counted_as_were_written(
            words in proptest::collection::vec("[a-z]{1,8}( [a-z0-9]{1,5}){0,3}[.!?]{1,3}[ \n]{1,2}", 1..20),
        ) {
            let text: String = words.concat();
            prop_assert_eq!(sentences(&text), words.len());
            prop_assert_eq!(parse(&text).is_ok(), words.len() <= MAX_SENTENCES);
        }

        /// Proves R146: whatever is accepted is within the limits, and is accepted again.
        #[test]
        fn no_text_breaks_the_rule(text in ".{0,200}") {
            prop_assert!(sentences(&text) <= text.chars().count());
            if let Ok(idea) = parse(&text) {
                prop_assert!((1..=MAX_SENTENCES).contains(&sentences(idea.as_str())));
                prop_assert_eq!(parse(idea.as_str()), Ok(idea));
            }
        }
    }
}
