//! Lists and removes objects, a page at a time. A page has at most a few thousand keys.

use futures_util::{StreamExt as _, stream};
use jiff::Timestamp;
use object_store::ObjectMeta;
use object_store::list::{PaginatedListOptions, PaginatedListResult};
use object_store::path::Path;
use quire_ports::{BlobFile, FolderPage, PortResult};

use super::ObjectService;
use super::error::{is_missing, unavailable};
use crate::blob::name::BlobName;

/// The names of the folders below a prefix, one page of them.
pub(super) async fn folders(
    service: &dyn ObjectService,
    prefix: &str,
    after: Option<&str>,
) -> PortResult<FolderPage> {
    let page = page(service, prefix, Some("/"), after.map(str::to_owned)).await?;
    let folders = page.result.common_prefixes.iter().filter_map(Path::filename);
    // Objects of other programs may have other names.
    let names = folders.filter(|name| BlobName::parse(name).is_ok()).map(str::to_owned).collect();
    Ok(FolderPage { names, next: page.page_token })
}

/// The files below a part of the prefix of this storage. Objects of other programs may have names that no file has.
pub(super) async fn files(
    service: &dyn ObjectService,
    prefix: &str,
    below: &str,
) -> PortResult<Vec<BlobFile>> {
    let mut files = Vec::new();
    let mut pages = Pages::of(below);
    while let Some(objects) = pages.next(service).await? {
        files.extend(objects.into_iter().filter_map(|object| {
            let name = object.location.as_ref().strip_prefix(prefix)?;
            BlobName::parse(name).ok()?;
            Some(BlobFile { name: name.to_owned(), bytes: object.size })
        }));
    }
    Ok(files)
}

/// When an object below this prefix was last written.
pub(super) async fn last_written(service: &dyn ObjectService, prefix: &str) -> PortResult<Option<Timestamp>> {
    let mut newest = None;
    let mut pages = Pages::of(prefix);
    while let Some(objects) = pages.next(service).await? {
        let times = objects.iter().map(|object| object.last_modified.timestamp());
        newest = newest.max(times.max());
    }
    Ok(newest.and_then(|seconds| Timestamp::from_second(seconds).ok()))
}

/// Removes every object below this prefix. Returns whether there were any.
pub(super) async fn remove_below(service: &dyn ObjectService, prefix: &str) -> PortResult<bool> {
    let mut removed_any = false;
    let mut pages = Pages::of(prefix);
    while let Some(objects) = pages.next(service).await? {
        removed_any |= !objects.is_empty();
        delete(service, objects.into_iter().map(|object| object.location).collect()).await?;
    }
    Ok(removed_any)
}

/// Removes these objects, many with one request. One that is gone already is no error.
pub(super) async fn delete(service: &dyn ObjectService, keys: Vec<Path>) -> PortResult<()> {
    let mut deleted = service.delete_stream(stream::iter(keys).map(Ok).boxed());
    let mut failure = None;
    while let Some(outcome) = deleted.next().await {
        failure = failure.or(outcome.err().filter(|error| !is_missing(error)));
    }
    failure.map_or(Ok(()), |error| Err(unavailable(&error)))
}

/// The pages of a list.
struct Pages<'p> {
    prefix: &'p str,
    /// None after the last page.
    next: Option<PageToken>,
}

enum PageToken {
    First,
    After(String),
}

impl<'p> Pages<'p> {
    fn of(prefix: &'p str) -> Self {
        Self { prefix, next: Some(PageToken::First) }
    }

    async fn next(&mut self, service: &dyn ObjectService) -> PortResult<Option<Vec<ObjectMeta>>> {
        let after = match self.next.take() {
            None => return Ok(None),
            Some(PageToken::First) => None,
            Some(PageToken::After(token)) => Some(token),
        };
        let page = page(service, self.prefix, None, after).await?;
        self.next = page.page_token.map(PageToken::After);
        Ok(Some(page.result.objects))
    }
}

async fn page(
    service: &dyn ObjectService,
    prefix: &str,
    delimiter: Option<&'static str>,
    page_token: Option<String>,
) -> PortResult<PaginatedListResult> {
    let options = PaginatedListOptions {
        delimiter: delimiter.map(Into::into),
        page_token,
        ..PaginatedListOptions::default()
    };
    let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
    service.list_paginated(prefix, options).await.map_err(|error| unavailable(&error))
}
