//! The JSON of the chat completions API: the request body, and the members of a response that are used.

mod events;
mod request;
mod response;

pub(super) use events::EventParser;
pub(super) use request::request_body;
pub(super) use response::{
    Completion, EndpointError, StreamedCompletion, Usage, error_message, parse_completion,
};
