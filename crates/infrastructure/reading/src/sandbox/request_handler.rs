//! Handles one request in the parser process: opens the document and sends its pages or an image.

use std::io;

use super::ParserLimits;
use super::protocol::{PagesRequest, ParserRequest, ParserResponse, RejectReason};
use crate::document::{DocumentError, OpenDocument};
use crate::html;

/// The size of a page that states none: A4, in points.
const UNKNOWN_SIZE: (f32, f32) = (595.0, 842.0);

/// The reason, and a message that tells people what to do.
type Rejection = (RejectReason, String);

/// Handles a request and sends each page as soon as it is read. The outer result is about the stream, the inner one about
/// the document.
pub(super) fn handle(
    request: ParserRequest,
    file: Vec<u8>,
    limits: &ParserLimits,
    send: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    match request {
        ParserRequest::Read(pages) => match OpenDocument::open(pages.kind, file) {
            Ok(document) => send_pages(&document, pages, limits, send),
            Err(error) => Ok(Err(rejection(&error))),
        },
        ParserRequest::Render(kind, page, scale) => {
            let rendered = OpenDocument::open(kind, file).and_then(|document| document.render(page, scale));
            send_image(rendered.map(ParserResponse::Image), send)
        }
        ParserRequest::RenderForOcr(kind, page, instructions) => {
            let opened = OpenDocument::open(kind, file);
            let rendered = opened.and_then(|document| document.render_for_ocr(page, instructions));
            send_image(rendered.map(ParserResponse::OcrImage), send)
        }
        ParserRequest::ReadArticle(options) => {
            send(ParserResponse::Article(html::read(&file, &options))).map(Ok)
        }
    }
}

fn send_pages(
    document: &OpenDocument,
    request: PagesRequest,
    limits: &ParserLimits,
    send: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    if document.page_count() > limits.pages {
        let message = format!(
            "the document has more pages than the limit of {}; split it, or raise reading.max_pages",
            limits.pages
        );
        return Ok(Err((RejectReason::TooLarge, message)));
    }
    send(ParserResponse::PageCount(document.page_count()))?;
    let mut pages = document.pages(request.from, request.covered);
    for index in request.from..document.page_count() {
        if request.one_by_one {
            let (width, height) = document.page_size(index).unwrap_or(UNKNOWN_SIZE);
            send(ParserResponse::NextPage(width, height))?;
        }
        if let Some(page) = pages.next() {
            send(ParserResponse::Page(page))?;
        }
    }
    Ok(Ok(()))
}

fn send_image(
    rendered: Result<ParserResponse, DocumentError>,
    send: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    match rendered {
        Ok(image) => send(image).map(Ok),
        Err(error) => Ok(Err(rejection(&error))),
    }
}

fn rejection(error: &DocumentError) -> Rejection {
    let reason = match error {
        DocumentError::Encrypted => RejectReason::Encrypted,
        DocumentError::InvalidPdf => RejectReason::PdfInvalid,
        DocumentError::NoSuchPage => RejectReason::PageNotFound,
        DocumentError::TooLarge(_) => RejectReason::TooLarge,
        DocumentError::InvalidFile(_) => RejectReason::FileInvalid,
    };
    (reason, error.to_string())
}
