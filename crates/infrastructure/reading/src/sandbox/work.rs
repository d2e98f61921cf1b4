//! One job of a parser: the document in, pages or an image out.

use std::io;

use super::Limits;
use super::protocol::{Answer, Image, Job, Refusal};
use crate::document::{OpenDocument, Unreadable};

/// Why a document cannot be read, and what to do.
type Refused = (Refusal, String);

/// Does a job and says each page as it is read. The outer result is about the stream, the inner one about the document.
pub(super) fn work(
    job: Job,
    file: Vec<u8>,
    limits: &Limits,
    say: &mut impl FnMut(Answer) -> io::Result<()>,
) -> io::Result<Result<(), Refused>> {
    match job {
        Job::Read(kind) => match OpenDocument::open(kind, file) {
            Ok(document) => read(&document, limits, say),
            Err(unreadable) => Ok(Err(refused(&unreadable))),
        },
        Job::Draw(kind, page, scale) => {
            let drawn = OpenDocument::open(kind, file).and_then(|document| document.draw(page, scale));
            answer(drawn.map(|png| Image { png, scale }), say)
        }
        Job::Scan(kind, page) => {
            let drawn = OpenDocument::open(kind, file).and_then(|document| document.scan(page));
            answer(drawn.map(|(png, scale)| Image { png, scale }), say)
        }
    }
}

fn read(
    document: &OpenDocument,
    limits: &Limits,
    say: &mut impl FnMut(Answer) -> io::Result<()>,
) -> io::Result<Result<(), Refused>> {
    if document.page_count() > limits.pages {
        let message =
            format!("the document has more than {} pages, the most that are read; split it", limits.pages);
        return Ok(Err((Refusal::TooLarge, message)));
    }
    for page in document.pages() {
        say(Answer::Page(page))?;
    }
    Ok(Ok(()))
}

fn answer(
    drawn: Result<Image, Unreadable>,
    say: &mut impl FnMut(Answer) -> io::Result<()>,
) -> io::Result<Result<(), Refused>> {
    match drawn {
        Ok(image) => say(Answer::Image(image)).map(Ok),
        Err(unreadable) => Ok(Err(refused(&unreadable))),
    }
}

fn refused(unreadable: &Unreadable) -> Refused {
    let refusal = match unreadable {
        Unreadable::Encrypted => Refusal::Encrypted,
        Unreadable::Pdf => Refusal::PdfInvalid,
        Unreadable::NoSuchPage => Refusal::PageNotFound,
        Unreadable::TooLarge(_) => Refusal::TooLarge,
        Unreadable::File(_) => Refusal::FileInvalid,
    };
    (refusal, unreadable.to_string())
}
