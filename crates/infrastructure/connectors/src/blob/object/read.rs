//! Reads objects.

use std::ops::Range;

use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{GetOptions, GetRange, GetResult, ObjectStoreExt as _};
use quire_ports::{PortError, PortResult};

use super::ObjectService;
use super::checksum;
use super::error::{is_missing, is_refused, unavailable};
use crate::blob::error::{not_found, reversed_range, too_large, too_short};
use crate::blob::name::BlobName;

pub(super) async fn get(
    service: &dyn ObjectService,
    key: &Path,
    name: &BlobName,
    limit: u64,
) -> PortResult<Vec<u8>> {
    let object = service.get_opts(key, GetOptions::default()).await.map_err(|error| failed(&error, name))?;
    if object.meta.size > limit {
        return Err(too_large(name, limit));
    }
    let attributes = object.attributes.clone();
    let content = collect(object).await?;
    if !checksum::matches(&attributes, &content) {
        return Err(PortError::Corrupt(format!(
            "the file {name} is not what was stored; its checksum differs"
        )));
    }
    Ok(content)
}

pub(super) async fn get_range(
    service: &dyn ObjectService,
    key: &Path,
    name: &BlobName,
    range: Range<u64>,
) -> PortResult<Vec<u8>> {
    let Some(length) = range.end.checked_sub(range.start) else { return Err(reversed_range()) };
    // No service knows an empty range, and no object has so many bytes.
    if length == 0 || i64::try_from(range.end).is_err() {
        let size = service.head(key).await.map_err(|error| failed(&error, name))?.size;
        return if size < range.end { Err(too_short(name, &range)) } else { Ok(Vec::new()) };
    }
    let options = GetOptions { range: Some(GetRange::Bounded(range.clone())), ..GetOptions::default() };
    match service.get_opts(key, options).await {
        Ok(object) if object.range == range => collect(object).await,
        Ok(_) => Err(too_short(name, &range)),
        // Services differ in how they refuse a range that begins behind the end.
        Err(error) if is_refused(&error) => match service.head(key).await {
            Ok(object) if object.size < range.end => Err(too_short(name, &range)),
            _ => Err(unavailable(&error)),
        },
        Err(error) => Err(failed(&error, name)),
    }
}

/// The content, in a buffer of its size.
async fn collect(object: GetResult) -> PortResult<Vec<u8>> {
    let length = object.range.end - object.range.start;
    let mut content = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    let mut pieces = object.into_stream();
    while let Some(piece) = pieces.try_next().await.map_err(|error| unavailable(&error))? {
        content.extend_from_slice(&piece);
    }
    Ok(content)
}

fn failed(error: &object_store::Error, name: &BlobName) -> PortError {
    if is_missing(error) { not_found(name) } else { unavailable(error) }
}
