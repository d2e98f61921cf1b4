//! One job of a parser: the document in, pages or an image out.

use std::io;

use super::ParserLimits;
use super::protocol::{PageImage, ParserRequest, ParserResponse, RejectReason};
use crate::document::{DocumentError, OpenDocument};

/// Why a document cannot be read, and what to do.
type Rejection = (RejectReason, String);

/// Does a job and says each page as it is read. The outer result is about the stream, the inner one about the document.
pub(super) fn handle(
    job: ParserRequest,
    file: Vec<u8>,
    limits: &ParserLimits,
    say: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    match job {
        ParserRequest::Read(kind) => match OpenDocument::open(kind, file) {
            Ok(document) => send_pages(&document, limits, say),
            Err(unreadable) => Ok(Err(rejection(&unreadable))),
        },
        ParserRequest::Render(kind, page, scale) => {
            let drawn = OpenDocument::open(kind, file).and_then(|document| document.render(page, scale));
            send_image(drawn.map(|png| PageImage { png, scale }), say)
        }
        ParserRequest::RenderForOcr(kind, page) => {
            let drawn = OpenDocument::open(kind, file).and_then(|document| document.render_for_ocr(page));
            send_image(drawn.map(|(png, scale)| PageImage { png, scale }), say)
        }
    }
}

fn send_pages(
    document: &OpenDocument,
    limits: &ParserLimits,
    say: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    if document.page_count() > limits.pages {
        let message =
            format!("the document has more than {} pages, the most that are read; split it", limits.pages);
        return Ok(Err((RejectReason::TooLarge, message)));
    }
    for page in document.pages() {
        say(ParserResponse::Page(page))?;
    }
    Ok(Ok(()))
}

fn send_image(
    drawn: Result<PageImage, DocumentError>,
    say: &mut impl FnMut(ParserResponse) -> io::Result<()>,
) -> io::Result<Result<(), Rejection>> {
    match drawn {
        Ok(image) => say(ParserResponse::Image(image)).map(Ok),
        Err(unreadable) => Ok(Err(rejection(&unreadable))),
    }
}

fn rejection(unreadable: &DocumentError) -> Rejection {
    let refusal = match unreadable {
        DocumentError::Encrypted => RejectReason::Encrypted,
        DocumentError::InvalidPdf => RejectReason::PdfInvalid,
        DocumentError::NoSuchPage => RejectReason::PageNotFound,
        DocumentError::TooLarge(_) => RejectReason::TooLarge,
        DocumentError::InvalidFile(_) => RejectReason::FileInvalid,
    };
    (refusal, unreadable.to_string())
}
