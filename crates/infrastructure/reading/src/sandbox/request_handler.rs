//! Handles one request in the parser process: opens the document and sends its pages or an image.

use std::io;

use super::ParserLimits;
use super::protocol::{PageImage, ParserRequest, ParserResponse, RejectReason};
use crate::document::{DocumentError, OpenDocument};

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
        ParserRequest::Read(kind) => match OpenDocument::open(kind, file) {
            Ok(document) => send_pages(&document, limits, send),
            Err(error) => Ok(Err(rejection(&error))),
        },
        ParserRequest::Render(kind, page, scale) => {
            let rendered = OpenDocument::open(kind, file).and_then(|document| document.render(page, scale));
            send_image(rendered.map(|png| PageImage { png, scale }), send)
        }
        ParserRequest::RenderForOcr(kind, page) => {
            let rendered = OpenDocument::open(kind, file).and_then(|document| document.render_for_ocr(page));
            send_image(rendered.map(|(png, scale)| PageImage { png, scale }), send)
        }
    }
}

fn send_pages(
    document: &OpenDocument,
    limits: &ParserLimits,
    send: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    if document.page_count() > limits.pages {
        let message = format!(
            "The document has more pages than the limit of {}. Split it, or raise reading.max_pages.",
            limits.pages
        );
        return Ok(Err((RejectReason::TooLarge, message)));
    }
    for page in document.pages() {
        send(ParserResponse::Page(page))?;
    }
    Ok(Ok(()))
}

fn send_image(
    rendered: Result<PageImage, DocumentError>,
    send: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    match rendered {
        Ok(image) => send(ParserResponse::Image(image)).map(Ok),
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
