//! An open document of any kind that can be read.

use quire_domain::reading::FileKind;

use crate::docx::DocxError;
use crate::draw::DrawError;
use crate::pdf::{PdfError, PdfFile};
use crate::picture::{Picture, PictureError};
use crate::typeset::TooManyPages;
use crate::{PageRead, docx, text, typeset};

/// Recognition works best at 300 dots per inch.
const SCAN_SCALE: f32 = 300.0 / 72.0;
/// A picture for recognition has no side of more pixels: A4 has 3508.
const LONGEST_SIDE: f32 = 6000.0;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// It is a PDF that wants a password.
    #[error("{}", PdfError::Encrypted)]
    Encrypted,
    /// It is no PDF, or too damaged.
    #[error("{}", PdfError::Invalid)]
    Pdf,
    /// It has no such page.
    #[error("the document has no such page")]
    NoSuchPage,
    /// It is larger than can be handled.
    #[error("{0}")]
    TooLarge(String),
    /// It is not what it seemed, or too damaged.
    #[error("{0}")]
    File(String),
}

impl From<PdfError> for Unreadable {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::Encrypted => Self::Encrypted,
            PdfError::Invalid => Self::Pdf,
        }
    }
}

impl From<TooManyPages> for Unreadable {
    fn from(error: TooManyPages) -> Self {
        Self::TooLarge(error.to_string())
    }
}

impl From<DocxError> for Unreadable {
    fn from(error: DocxError) -> Self {
        match error {
            DocxError::TooLarge | DocxError::TooManyPages(_) => Self::TooLarge(error.to_string()),
            _ => Self::File(error.to_string()),
        }
    }
}

impl From<PictureError> for Unreadable {
    fn from(error: PictureError) -> Self {
        match error {
            PictureError::Invalid => Self::File(error.to_string()),
            PictureError::TooLarge => Self::TooLarge(error.to_string()),
        }
    }
}

impl From<DrawError> for Unreadable {
    fn from(error: DrawError) -> Self {
        match error {
            DrawError::NoSuchPage => Self::NoSuchPage,
            _ => Self::TooLarge(error.to_string()),
        }
    }
}

/// An open document.
pub enum OpenDocument {
    /// A PDF.
    Pdf(PdfFile),
    /// A photograph or a scan.
    Picture(Picture),
    /// Pages that were set here, of a text that came without.
    Set(Vec<PageRead>),
}

impl OpenDocument {
    /// Opens a document.
    pub fn open(kind: FileKind, file: Vec<u8>) -> Result<Self, Unreadable> {
        Ok(match kind {
            FileKind::Pdf => Self::Pdf(PdfFile::open(file)?),
            FileKind::Png | FileKind::Jpeg => Self::Picture(Picture::open(&file)?),
            FileKind::Docx => Self::Set(docx::read(&file)?),
            FileKind::Text => Self::Set(text::read(&file)?),
        })
    }

    /// How many pages it has.
    pub fn page_count(&self) -> usize {
        match self {
            Self::Pdf(pdf) => pdf.page_count(),
            Self::Picture(_) => 1,
            Self::Set(pages) => pages.len(),
        }
    }

    /// Its pages, one after the other.
    pub fn pages(&self) -> Box<dyn Iterator<Item = PageRead> + '_> {
        match self {
            Self::Pdf(pdf) => Box::new(pdf.read_pages()),
            Self::Picture(picture) => Box::new(std::iter::once(picture.page())),
            Self::Set(pages) => Box::new(pages.iter().cloned()),
        }
    }

    /// A page, from 0, drawn for people as PNG.
    pub fn draw(&self, index: usize, scale: f32) -> Result<Vec<u8>, Unreadable> {
        Ok(match self {
            Self::Pdf(pdf) => pdf.image(index, scale)?,
            Self::Picture(picture) if index == 0 => picture.image(scale)?,
            Self::Picture(_) => return Err(Unreadable::NoSuchPage),
            Self::Set(pages) => typeset::draw(&pages.get(index).ok_or(Unreadable::NoSuchPage)?.page, scale)?,
        })
    }

    /// A page, from 0, drawn for recognition, and its pixels per point.
    pub fn scan(&self, index: usize) -> Result<(Vec<u8>, f32), Unreadable> {
        match self {
            Self::Pdf(pdf) => {
                let (width, height) = pdf.page_size(index).ok_or(Unreadable::NoSuchPage)?;
                let scale = SCAN_SCALE.min(LONGEST_SIDE / width.max(height));
                Ok((pdf.gray_image(index, scale)?, scale))
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A few thousand pixels.
            Self::Picture(picture) if index == 0 => Ok(picture.gray_image(LONGEST_SIDE as u32)?),
            // What was set here has its words already.
            _ => Err(Unreadable::NoSuchPage),
        }
    }
}
