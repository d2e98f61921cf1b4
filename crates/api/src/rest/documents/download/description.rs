//! The responses of a download in the `OpenAPI` description.

#![allow(dead_code)] // Only the description reads it.

use std::collections::BTreeMap;

use quire_domain::reading::FileKind;
use utoipa::openapi::header::HeaderBuilder;
use utoipa::openapi::{Content, Ref, RefOr, Response, ResponseBuilder};
use utoipa::{IntoResponses, ToSchema as _};

use crate::rest::openapi::Binary;

/// The file, or a part of it. Each has the content type of its kind.
pub(super) enum FileResponses {}

impl IntoResponses for FileResponses {
    fn responses() -> BTreeMap<String, RefOr<Response>> {
        let whole = [
            ("Content-Disposition", "`inline` or `attachment`, and the file name."),
            ("ETag", "The ETag of the file: the hash of its content."),
        ];
        let part = [("Content-Range", "The bytes of the part, and the size of the file.")];
        [
            ("200".to_owned(), file_response("The file with its detected type.", &whole)),
            ("206".to_owned(), file_response("The part of the file.", &part)),
        ]
        .into()
    }
}

fn file_response(description: &str, headers: &[(&str, &str)]) -> RefOr<Response> {
    let mut response = ResponseBuilder::new().description(description);
    for kind in FileKind::ALL {
        let content = Content::new(Some(Ref::from_schema_name(Binary::name())));
        response = response.content(kind.media_type(), content);
    }
    for (name, text) in headers {
        response = response.header(*name, HeaderBuilder::new().description(Some(*text)).build());
    }
    response.build().into()
}
