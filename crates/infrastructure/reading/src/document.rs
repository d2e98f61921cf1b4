//! Opens a document of any supported file type and gives access to its pages.

use quire_domain::reading::FileKind;

use crate::docx::DocxError;
use crate::image_file::{ImageFile, ImageFileError};
use crate::page_image::PageImageError;
use crate::pdf::{PdfError, PdfFile};
use crate::typeset::TooManyPages;
use crate::{CoveredText, ParsedPage, docx, text, typeset};

/// OCR works best at 300 dpi.
const OCR_SCALE: f32 = 300.0 / 72.0;
/// The longest side of an image for OCR, in pixels. A4 at 300 dpi has 3508.
const MAX_OCR_SIDE: f32 = 6000.0;

/// Why a document cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DocumentError {
    /// It is a PDF that needs a password.
    #[error("{}", PdfError::Encrypted)]
    Encrypted,
    /// It is not a PDF, or it is too damaged to read.
    #[error("{}", PdfError::Invalid)]
    InvalidPdf,
    /// It has no page with that number.
    #[error("{}", PageImageError::NoSuchPage)]
    NoSuchPage,
    /// It exceeds a limit.
    #[error("{0}")]
    TooLarge(String),
    /// It is not of the type that its first bytes suggest, or it is too damaged to read.
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
    /// A photograph or scan.
    Image(ImageFile),
    /// A text without pages of its own, laid out on pages.
    Typeset(Vec<ParsedPage>),
}

impl OpenDocument {
    /// Opens a document of the given type.
    pub fn open(kind: FileKind, file: Vec<u8>) -> Result<Self, DocumentError> {
        Ok(match kind {
            FileKind::Pdf => Self::Pdf(PdfFile::open(file)?),
            FileKind::Png | FileKind::Jpeg => Self::Image(ImageFile::open(&file)?),
            FileKind::Docx => Self::Typeset(docx::read(&file)?),
            FileKind::Text => Self::Typeset(text::read(&file)?),
        })
    }

    /// The number of pages.
    pub fn page_count(&self) -> usize {
        match self {
            Self::Pdf(pdf) => pdf.page_count(),
            Self::Image(_) => 1,
            Self::Typeset(pages) => pages.len(),
        }
    }

    /// Width and height of a page in points. `index` starts at 0.
    pub fn page_size(&self, index: usize) -> Option<(f32, f32)> {
        match self {
            Self::Pdf(pdf) => pdf.page_size(index),
            Self::Image(_) | Self::Typeset(_) => {
                self.pages(index, CoveredText::Apart).next().map(|read| (read.page.width, read.page.height))
            }
        }
    }

    /// Reads the pages from this index on, one by one, as the iterator advances.
    pub fn pages(&self, from: usize, covered: CoveredText) -> Box<dyn Iterator<Item = ParsedPage> + '_> {
        match self {
            Self::Pdf(pdf) => Box::new(pdf.read_pages(from, covered)),
            Self::Image(image) => Box::new(std::iter::once(image.page()).skip(from)),
            Self::Typeset(pages) => Box::new(pages.iter().skip(from).cloned()),
        }
    }

    /// Renders a page as PNG for people. `index` starts at 0; `scale` is pixels per point.
    pub fn render(&self, index: usize, scale: f32) -> Result<Vec<u8>, DocumentError> {
        Ok(match self {
            Self::Pdf(pdf) => pdf.render(index, scale)?,
            Self::Image(image) if index == 0 => image.render(scale)?,
            Self::Image(_) => return Err(DocumentError::NoSuchPage),
            Self::Typeset(pages) => {
                typeset::render(&pages.get(index).ok_or(DocumentError::NoSuchPage)?.page, scale)?
            }
        })
    }

    /// Renders a page as gray PNG for OCR, and returns its pixels per point. `index` starts at 0.
    pub fn render_for_ocr(&self, index: usize) -> Result<(Vec<u8>, f32), DocumentError> {
        match self {
            Self::Pdf(pdf) => {
                let (width, height) = pdf.page_size(index).ok_or(DocumentError::NoSuchPage)?;
                let scale = OCR_SCALE.min(MAX_OCR_SIDE / width.max(height));
                Ok((pdf.render_gray(index, scale)?, scale))
            }
            #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A few thousand pixels.
            Self::Image(image) if index == 0 => Ok(image.render_gray(MAX_OCR_SIDE as u32)?),
            // Laid out text needs no OCR.
            _ => Err(DocumentError::NoSuchPage),
        }
    }
}
