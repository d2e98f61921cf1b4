//! What an endpoint supports. Compatible endpoints differ; each refuses what it does not know, and the next request does
//! without it.

/// How the form of the response is enforced, the strictest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AnswerFormat {
    /// The endpoint enforces the JSON Schema.
    JsonSchema,
    /// The endpoint enforces JSON; the schema is in the prompt.
    JsonObject,
    /// The schema is in the prompt.
    Plain,
}

/// Whether the response is streamed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Streaming {
    /// With the token counts at the end.
    WithUsage,
    /// Without token counts.
    WithoutUsage,
    /// Not streamed.
    Off,
}

/// The features that a request uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct EndpointFeatures {
    pub(super) format: AnswerFormat,
    pub(super) streaming: Streaming,
    /// Whether the limit of tokens is called `max_completion_tokens`, as newer models of `OpenAI` want it, which most
    /// other endpoints do not know.
    pub(super) completion_tokens: bool,
    /// Whether the temperature can be set.
    pub(super) temperature: bool,
}

impl EndpointFeatures {
    /// All of them. What the endpoint does not support is found out.
    pub(super) const ALL: Self = Self {
        format: AnswerFormat::JsonSchema,
        streaming: Streaming::WithUsage,
        completion_tokens: false,
        temperature: true,
    };

    /// Without the feature that the error message of the endpoint names. None if it names none that is in use.
    pub(super) fn without_refused(self, message: &str) -> Option<Self> {
        let message = message.to_ascii_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| has_word(&message, word));
        let begins = |words: &[&str]| words.iter().any(|word| has_beginning(&message, word));
        if !self.completion_tokens && names(&["max_completion_tokens"]) {
            return Some(Self { completion_tokens: true, ..self });
        }
        if self.temperature && names(&["temperature"]) {
            return Some(Self { temperature: false, ..self });
        }
        if self.format != AnswerFormat::Plain
            && begins(&[
                "response_format",
                "json_schema",
                "json_object",
                "structured output",
                "guided",
                "grammar",
            ])
        {
            let format = match self.format {
                AnswerFormat::JsonSchema => AnswerFormat::JsonObject,
                AnswerFormat::JsonObject | AnswerFormat::Plain => AnswerFormat::Plain,
            };
            return Some(Self { format, ..self });
        }
        if self.streaming == Streaming::WithUsage && names(&["stream_options", "include_usage"]) {
            return Some(Self { streaming: Streaming::WithoutUsage, ..self });
        }
        if self.streaming != Streaming::Off && names(&["stream", "streaming", "streamed"]) {
            return Some(Self { streaming: Streaming::Off, ..self });
        }
        None
    }

    /// Whether the endpoint refused this schema rather than schemas: other requests can go on using them.
    pub(super) fn is_refused_schema(message: &str) -> bool {
        let message = message.to_ascii_lowercase();
        ["invalid schema", "invalid_json_schema", "unsupported schema"]
            .iter()
            .any(|words| message.contains(words))
    }
}

/// Whether a text has this word, on its own: `upstream` and `stream_options` are other words than `stream`.
fn has_word(text: &str, word: &str) -> bool {
    let is_part = |char: char| char.is_alphanumeric() || char == '_';
    text.match_indices(word).any(|(start, _)| {
        let (before, after) = (&text[..start], &text[start + word.len()..]);
        !before.ends_with(is_part) && !after.starts_with(is_part)
    })
}

/// Whether a text has a word, or a part of a name such as `guided_json`, that begins like this.
fn has_beginning(text: &str, beginning: &str) -> bool {
    text.match_indices(beginning).any(|(start, _)| !text[..start].ends_with(char::is_alphanumeric))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Messages as endpoints send them.
    #[test]
    fn a_refused_feature_is_left_out_of_the_next_request() {
        let all = EndpointFeatures::ALL;
        let object = EndpointFeatures { format: AnswerFormat::JsonObject, ..all };
        for (message, expected) in [
            (
                "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
                object,
            ),
            ("This response_format type is unavailable now", object),
            (
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                EndpointFeatures { completion_tokens: true, ..all },
            ),
            (
                "Unsupported value: 'temperature' does not support 0 with this model.",
                EndpointFeatures { temperature: false, ..all },
            ),
            (
                "Unknown parameter: 'stream_options'.",
                EndpointFeatures { streaming: Streaming::WithoutUsage, ..all },
            ),
            ("Streaming is not supported", EndpointFeatures { streaming: Streaming::Off, ..all }),
            (
                r#"{"error":{"message":"not supported","param":"stream"}}"#,
                EndpointFeatures { streaming: Streaming::Off, ..all },
            ),
            ("guided_json cannot be used here", object),
        ] {
            assert_eq!(all.without_refused(message), Some(expected), "{message}");
        }
        assert_eq!(object.without_refused("response_format").map(|it| it.format), Some(AnswerFormat::Plain));
        for message in [
            "",
            "This model's maximum context length is 8192 tokens.",
            "Incorrect API key",
            "upstream provider error",
            "The request was misguided",
            "unknown header x_stream_id",
        ] {
            assert_eq!(all.without_refused(message), None, "{message}");
        }
    }

    /// Each refusal leaves something out, so the requests come to an end.
    #[test]
    fn an_endpoint_that_refuses_everything_is_asked_a_limited_number_of_times() {
        let message = "max_completion_tokens temperature response_format stream_options stream";
        let steps =
            std::iter::successors(Some(EndpointFeatures::ALL), |features| features.without_refused(message));
        assert_eq!(steps.count(), 7);
    }
}
