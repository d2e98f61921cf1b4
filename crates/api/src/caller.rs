//! On whose behalf a request is made.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::Extensions;
use axum::http::request::Parts;

/// The name under which whoever asks is remembered: that of their credential, or `local` while none is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Caller(pub(crate) String);

impl Caller {
    /// Somebody on this machine who was not asked who they are.
    const LOCAL: &'static str = "local";

    /// Whoever the guard let through.
    pub(crate) fn of(extensions: &Extensions) -> Self {
        extensions.get::<Self>().cloned().unwrap_or_else(|| Self(Self::LOCAL.to_owned()))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Caller {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        Ok(Self::of(&parts.extensions))
    }
}
