//! On whose behalf a request is made.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// The name under which whoever asks is remembered: that of their credential, or `local` while none is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller(pub(crate) String);

impl Caller {
    /// Somebody on this machine who was not asked who they are.
    const LOCAL: &'static str = "local";
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let known = parts.extensions.get::<Self>().cloned();
        Ok(known.unwrap_or_else(|| Self(Self::LOCAL.to_owned())))
    }
}
