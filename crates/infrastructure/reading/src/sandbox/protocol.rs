//! What server and parser say to each other: frames, each its length in four bytes and then so many bytes.
//!
//! The server writes the [`Limits`](super::Limits) once, then for each job the [`Job`] and the document. The parser says
//! [`Answer::Ready`] once, then for each job any number of [`Answer::Page`]s or one [`Answer::Image`], and at the end
//! [`Answer::Done`] or [`Answer::Refused`]. The server trusts nothing of it: a parser may have been taken over by the
//! document it reads.

use std::io::{self, Read, Write};

use quire_domain::reading::FileKind;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::confine::Confinement;
use crate::ParsedPage;

/// What a parser shall do with the document that follows.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParserRequest {
    /// Find the words of every page.
    Read(FileKind),
    /// Draw a page, from 0, for people, at so many pixels per point.
    Render(FileKind, usize, f32),
    /// Draw a page, from 0, for recognition, in shades of gray.
    RenderForOcr(FileKind, usize),
}

/// What a parser says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ParserResponse {
    /// It can take a job, and this is what holds it.
    Ready(Confinement),
    /// The next page.
    Page(ParsedPage),
    /// The page, drawn.
    Image(PageImage),
    /// That was all.
    Done,
    /// The document cannot be read.
    Rejected(RejectReason, String),
}

/// A drawn page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PageImage {
    /// The file, as PNG.
    pub png: Vec<u8>,
    /// Pixels per point.
    pub scale: f32,
}

/// Why a document cannot be read, as far as the parser can tell.
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
pub fn write_frame(to: &mut impl Write, content: &[u8]) -> io::Result<()> {
    to.write_all(&frame_length(content)?)?;
    to.write_all(content)
}

/// The length of a frame as it is written.
pub fn frame_length(content: &[u8]) -> io::Result<[u8; 4]> {
    u32::try_from(content.len()).map(u32::to_le_bytes).map_err(|_| frame_too_long())
}

/// Reads a frame of at most `limit` bytes. Nothing at the end of the stream.
pub fn read_frame(from: &mut impl Read, limit: u64) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 4];
    if from.read(&mut length[..1])? == 0 {
        return Ok(None);
    }
    from.read_exact(&mut length[1..])?;
    let length = u64::from(u32::from_le_bytes(length));
    if length > limit {
        return Err(frame_too_long());
    }
    let mut content = Vec::new();
    // Grows as bytes really come: a length alone takes no memory.
    if from.take(length).read_to_end(&mut content)? as u64 == length {
        Ok(Some(content))
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

/// Puts a message into the bytes of a frame.
pub fn encode(message: &impl Serialize) -> io::Result<Vec<u8>> {
    postcard::to_stdvec(message).map_err(io::Error::other)
}

/// Gets a message out of the bytes of a frame, all of them.
pub fn decode<T: DeserializeOwned>(content: &[u8]) -> io::Result<T> {
    match postcard::take_from_bytes(content) {
        Ok((message, [])) => Ok(message),
        Ok(_) => Err(io::Error::new(io::ErrorKind::InvalidData, "more than the message was sent")),
        Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
    }
}

/// That a frame is longer than it may be.
pub fn frame_too_long() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a frame is longer than it may be")
}

/// That an answer belongs to another question.
pub fn unexpected_response() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "an answer to another question")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use quire_domain::reading::{Line, Page, Rect, Word};

    use super::*;
    use crate::PageGraphics;

    fn page() -> ParsedPage {
        let rect = Rect { x0: 1.0, y0: 2.0, x1: 30.5, y1: 12.0 };
        let words = vec![Word { text: "Año".to_owned(), rect }];
        let page = Page {
            width: 595.0,
            height: 842.0,
            lines: vec![Line { words, opens_paragraph: true }],
            recognised: false,
        };
        ParsedPage { page, graphics: PageGraphics { image_coverage: 0.5, shape_count: 3 } }
    }

    #[test]
    fn what_is_written_is_read_and_then_comes_the_end() {
        let mut stream = Vec::new();
        for answer in [ParserResponse::Page(page()), ParserResponse::Done] {
            write_frame(&mut stream, &encode(&answer).unwrap()).unwrap();
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
        /// A parser that was taken over may say anything.
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
