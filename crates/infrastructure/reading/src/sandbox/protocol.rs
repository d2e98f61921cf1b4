//! The protocol between server and parser. Each message is a frame: its length in four bytes, then its bytes.
//!
//! The server sends the [`ParserLimits`](super::ParserLimits) once. For each request it sends a [`ParserRequest`] and the
//! document. The parser sends [`ParserResponse::Ready`] once. To each request it responds with the
//! number of pages and any number of [`ParserResponse::Page`]s, or with one [`ParserResponse::Image`],
//! [`ParserResponse::OcrImage`] or [`ParserResponse::Article`], and then with [`ParserResponse::Done`] or [`ParserResponse::Rejected`]. The server trusts no response: a hostile document may have taken over the parser.

use std::io::{self, Read, Write};

use quire_domain::reading::FileKind;
use quire_imaging::Instructions;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::confine::Confinement;
use crate::html::{Article, PageOptions};
use crate::ocr::OcrImage;
use crate::{CoveredText, ParsedPage};

/// A request to a parser. The document follows in its own frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParserRequest {
    /// Read the words of pages.
    Read(PagesRequest),
    /// Render a page for people: its index from 0, and the pixels per point.
    Render(FileKind, usize, f32),
    /// Render a page in gray and prepare it for OCR: its index from 0, and how.
    RenderForOcr(FileKind, usize, Instructions),
    /// Find the main text of a web page.
    ReadArticle(PageOptions),
}

/// Which pages to read, and how.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PagesRequest {
    /// The type of the document.
    pub kind: FileKind,
    /// What to do with text under opaque marks.
    pub covered: CoveredText,
    /// The index of the first page.
    pub from: usize,
    /// Whether to send each page as soon as it is read, announced by [`ParserResponse::NextPage`]. This shows which page a
    /// parser cannot read, but needs more system calls.
    pub one_by_one: bool,
}

/// A response of a parser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParserResponse {
    /// It is ready for requests, with this confinement.
    Ready(Confinement),
    /// The next page.
    Page(ParsedPage),
    /// The rendered page as PNG.
    Image(Vec<u8>),
    /// The request is done.
    Done,
    /// The document cannot be read. The message tells people what to do.
    Rejected(RejectReason, String),
    /// The number of pages of the document. The first response to [`ParserRequest::Read`].
    PageCount(usize),
    /// The parser starts to read the next page, which has this width and height in points.
    NextPage(f32, f32),
    /// The main text of a web page.
    Article(Article),
    /// The page that is prepared for OCR.
    OcrImage(OcrImage),
}

/// Why a parser cannot read a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[allow(missing_docs)] // The names are the documentation.
pub enum RejectReason {
    Encrypted,
    PdfInvalid,
    FileInvalid,
    PageNotFound,
    TooLarge,
}

/// Writes a frame.
pub fn write_frame(stream: &mut impl Write, content: &[u8]) -> io::Result<()> {
    stream.write_all(&frame_length(content)?)?;
    stream.write_all(content)
}

/// The length of a frame in its encoded form.
pub fn frame_length(content: &[u8]) -> io::Result<[u8; 4]> {
    u32::try_from(content.len()).map(u32::to_le_bytes).map_err(|_| frame_too_long())
}

/// Reads a frame of at most `limit` bytes. `None` at the end of the stream.
pub fn read_frame(stream: &mut impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    if stream.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut length[1..])?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > limit {
        return Err(frame_too_long());
    }
    let mut content = Vec::new();
    // The buffer grows with the received bytes, so a large length alone takes no memory.
    if stream.take(length).read_to_end(&mut content)? as u64 == length {
        Ok(Some(content))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Encodes a message as the bytes of a frame.
pub fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(message).map_err(io::Error::other)
}

/// Decodes a message from all bytes of a frame.
pub fn decode<T: DeserializeOwned>(content: &[u8]) -> io::Result<T> {
    match postcard::take_from_bytes(content) {
        Ok((message, [])) => Ok(message),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "a frame has bytes after its message")),
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    }
}

/// The error for a frame that exceeds a limit.
pub fn frame_too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a frame exceeds the limit")
}

/// The error for a response that does not belong to the request.
pub fn unexpected_response() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "unexpected response")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quire_domain::reading::{Line, Page, Rect, Word};

    use super::*;
    use crate::PageGraphics;

    fn page() -> ParsedPage {
        let rect = Rect { x0: 1.0, y0: 2.0, x1: 30.5, y1: 12.0 };
        let words = vec![Word::new("Año", rect)];
        let page = Page {
            width: 595.0,
            height: 842.0,
            lines: vec![Line { words, opens_paragraph: true }],
            ..Page::default()
        };
        ParsedPage { page, graphics: PageGraphics { image_coverage: 0.5, shape_count: 3 } }
    }

    #[test]
    fn frames_are_read_as_they_were_written_until_the_end() {
        let mut stream = Vec::new();
        for response in [ParserResponse::Page(page()), ParserResponse::Done] {
            write_frame(&mut stream, &encode(&response).unwrap()).unwrap();
        }
        let mut from = stream.as_slice();
        let mut next =
            || read_frame(&mut from, 1000).unwrap().map(|frame| decode::<ParserResponse>(&frame).unwrap());
        assert_eq!(next(), Some(ParserResponse::Page(page())));
        assert_eq!(next(), Some(ParserResponse::Done));
        assert_eq!(next(), None);
    }

    #[test]
    fn a_frame_that_is_too_long_or_cut_short_is_an_error() {
        let mut stream = Vec::new();
        write_frame(&mut stream, b"twelve bytes").unwrap();
        assert!(read_frame(&mut stream.as_slice(), 11).is_err());
        for cut in 1..stream.len() {
            assert!(read_frame(&mut &stream[..cut], 100).is_err(), "cut after {cut} bytes");
        }
        assert!(
            decode::<ParserResponse>(&[encode(&ParserResponse::Done).unwrap(), vec![0]].concat()).is_err()
        );
    }

    proptest! {
        /// A parser under the control of an attacker may send anything.
        #[test]
        fn any_bytes_are_a_message_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let mut from = bytes.as_slice();
            while let Ok(Some(frame)) = read_frame(&mut from, 200) {
                let _ = decode::<ParserResponse>(&frame);
            }
            let _ = decode::<ParserResponse>(&bytes);
            let _ = decode::<ParserRequest>(&bytes);
        }

        #[test]
        fn a_message_with_flipped_bytes_is_a_message_or_an_error(at in 0usize..60, value in any::<u8>()) {
            let mut bytes = encode(&ParserResponse::Page(page())).unwrap();
            let at = at % bytes.len();
            bytes[at] = value;
            let _ = decode::<ParserResponse>(&bytes);
        }
    }
}
