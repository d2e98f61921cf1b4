//! An open document of any kind that can be read.

use quire_domain::reading::FileKind;

use crate::docx::DocxError;
use crate::image_file::{ImageFile, ImageFileError};
use crate::page_image::PageImageError;
use crate::pdf::{PdfError, PdfFile};
use crate::typeset::TooManyPages;
use crate::{ParsedPage, docx, text, typeset};

/// Recognition works best at 300 dots per inch.
const OCR_SCALE: f32 = 300.0 / 72.0;
/// A picture for recognition has no side of more pixels: A4 has 3508.
const MAX_OCR_SIDE: f32 = 6000.0;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is a PDF that wants a password.
    #[error("{}", PdfError::Encrypted)]
    Encrypted,
    /// It is no PDF, or too damaged.
    #[error("{}", PdfError::Invalid)]
    InvalidPdf,
    /// It has no such page.
    #[error("the document has no such page")]
    NoSuchPage,
    /// It is larger than can be handled.
    #[error("{0}")]
    TooLarge(String),
    /// It is not what it seemed, or too damaged.
    #[error("{0}")]
    InvalidFile(String),
}

impl From<PdfError> for DocumentError {
    fn from(error: PdfError) -> Self {
        match error {
            PdfError::Encrypted => Self::Encrypted,
            PdfError::Invalid => Self::InvalidPdf,
        }
    }
}

impl From<TooManyPages> for DocumentError {
    fn from(error: TooManyPages) -> Self {
        Self::TooLarge(error.to_string())
    }
}

impl From<DocxError> for DocumentError {
    fn from(error: DocxError) -> Self {
        match error {
            DocxError::TooLarge | DocxError::TooManyPages(_) => Self::TooLarge(error.to_string()),
            _ => Self::InvalidFile(error.to_string()),
        }
    }
}

impl From<ImageFileError> for DocumentError {
    fn from(error: ImageFileError) -> Self {
        match error {
            ImageFileError::Invalid => Self::InvalidFile(error.to_string()),
            ImageFileError::TooLarge => Self::TooLarge(error.to_string()),
        }
    }
}

impl From<PageImageError> for DocumentError {
    fn from(error: PageImageError) -> Self {
        match error {
            PageImageError::NoSuchPage => Self::NoSuchPage,
            _ => Self::TooLarge(error.to_string()),
        }
    }
}

/// An open document.
pub enum OpenDocument {
    /// A PDF.
    Pdf(PdfFile),
    /// A photograph or a scan.
    Image(ImageFile),
    /// Pages that were set here, of a text that came without.
    Typeset(Vec<ParsedPage>),
}

impl OpenDocument {
    /// Opens a document.
    pub fn open(kind: FileKind, file: Vec<u8>) -> Result<Self, DocumentError> {
        Ok(match kind {
            FileKind::Pdf => Self::Pdf(PdfFile::open(file)?),
            FileKind::Png | FileKind::Jpeg => Self::Image(ImageFile::open(&file)?),
            FileKind::Docx => Self::Typeset(docx::read(&file)?),
            FileKind::Text => Self::Typeset(text::read(&file)?),
        })
    }

    /// How many pages it has.
    pub fn page_count(&self) -> usize {
        match self {
            Self::Pdf(pdf) => pdf.page_count(),
            Self::Image(_) => 1,
            Self::Typeset(pages) => pages.len(),
        }
    }

    /// Its pages, one after the other.
    pub fn pages(&self) -> Box<dyn Iterator<Item = ParsedPage> + '_> {
        match self {
            Self::Pdf(pdf) => Box::new(pdf.read_pages()),
            Self::Image(picture) => Box::new(std::iter::once(picture.page())),
            Self::Typeset(pages) => Box::new(pages.iter().cloned()),
        }
    }

    /// A page, from 0, drawn for people as PNG.
    pub fn render(&self, index: usize, scale: f32) -> Result<Vec<u8>, DocumentError> {
        Ok(match self {
            Self::Pdf(pdf) => pdf.render(index, scale)?,
            Self::Image(picture) if index == 0 => picture.render(scale)?,
            Self::Image(_) => return Err(DocumentError::NoSuchPage),
            Self::Typeset(pages) => {
                typeset::render(&pages.get(index).ok_or(DocumentError::NoSuchPage)?.page, scale)?
            }
        })
    }

    /// A page, from 0, drawn for recognition, and its pixels per point.
    pub fn render_for_ocr(&self, index: usize) -> Result<(Vec<u8>, f32), DocumentError> {
        match self {
            Self::Pdf(pdf) => {
                let (width, height) = pdf.page_size(index).ok_or(DocumentError::NoSuchPage)?;
                let scale = OCR_SCALE.min(MAX_OCR_SIDE / width.max(height));
                Ok((pdf.render_gray(index, scale)?, scale))
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A few thousand pixels.
            Self::Image(picture) if index == 0 => Ok(picture.render_gray(MAX_OCR_SIDE as u32)?),
            // What was set here has its words already.
            _ => Err(DocumentError::NoSuchPage),
        }
    }
}
