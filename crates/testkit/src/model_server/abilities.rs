//! What an endpoint supports. Many endpoints that are compatible with `OpenAI` lack a part and refuse it by name.

use serde_json::Value;

use super::reply::ModelReply;

/// The abilities of an endpoint. What it lacks, it refuses with status 400 and a message that names it.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::struct_excessive_bools, missing_docs)] // Each is a member of the request or a value of one.
pub struct Abilities {
    pub json_schema: bool,
    pub json_object: bool,
    pub stream: bool,
    pub stream_options: bool,
    pub max_tokens: bool,
    pub temperature: bool,
}

impl Default for Abilities {
    fn default() -> Self {
        Self {
            json_schema: true,
            json_object: true,
            stream: true,
            stream_options: true,
            max_tokens: true,
            temperature: true,
        }
    }
}

impl Abilities {
    /// The refusal of a request that uses what the endpoint lacks.
    pub(super) fn refusal(self, body: &Value) -> Option<ModelReply> {
        let format = body["response_format"]["type"].as_str().unwrap_or_default();
        let refused = [
            (
                !self.json_schema && format == "json_schema",
                "'response_format' of type 'json_schema' is not supported",
            ),
            (
                !self.json_object && format == "json_object",
                "'response_format' of type 'json_object' is not supported",
            ),
            (
                !self.stream_options && body.get("stream_options").is_some(),
                "Unknown parameter: 'stream_options'",
            ),
            (!self.stream && body["stream"] == true, "Streaming is not supported"),
            (
                !self.max_tokens && body.get("max_tokens").is_some(),
                "'max_tokens' is not supported. Use 'max_completion_tokens' instead",
            ),
            (
                !self.temperature && body.get("temperature").is_some(),
                "'temperature' does not support this value",
            ),
        ];
        refused.iter().find(|(is_refused, _)| *is_refused).map(|(_, message)| ModelReply::Refused(message))
    }
}
