//! Which Quire answers.

use axum::Json;
use axum::extract::State;
use axum::response::IntoResponse;
use serde::Serialize;

use crate::Surface;

#[derive(Serialize)]
struct Version {
    name: &'static str,
    version: &'static str,
}

pub(crate) async fn version(State(surface): State<Surface>) -> impl IntoResponse {
    Json(Version { name: "quire", version: surface.version })
}
