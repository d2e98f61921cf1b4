//! A message of a stream.

use utoipa::ToSchema;

/// A server-sent message. There is no end to them.
#[derive(ToSchema)]
pub(crate) struct Message {
    /// The `event_type`, or `ready` for the first.
    #[schema(example = "RUN_COMPLETED")]
    event: Option<String>,
    /// From here the next connection goes on, with `Last-Event-ID`.
    id: Option<String>,
    /// An `Event` as JSON; the first has only an `id`.
    data: Option<String>,
    /// Milliseconds to wait before connecting again.
    retry: Option<u32>,
}
