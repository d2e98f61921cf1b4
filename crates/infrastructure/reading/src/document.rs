//! Opens a document of any supported file type and gives access to its pages.

use quire_domain::reading::FileKind;
use quire_imaging::{Instructions, MAX_SIDE};

use crate::docx::DocxError;
use crate::image_file::{ImageFile, ImageFileError};
use crate::ocr::OcrImage;
use crate::page_image::PageImageError;
use crate::pdf::{PdfError, PdfFile};
use crate::typeset::TooManyPages;
use crate::{CoveredText, ParsedPage, docx, einvoice, text, typeset};

/// OCR works best at 300 dpi.
const OCR_SCALE: f32 = 300.0 / 72.0;

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
            FileKind::Xml => Self::Typeset(data_pages(&file)?),
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
            Self::Pdf(pdf) => {
                // Data of the document goes with its first page.
                let data = if from == 0 { [pdf.embedded_data(), pdf.form_data()] } else { [None, None] };
                let mut data = data.into_iter().flatten().collect();
                Box::new(pdf.read_pages(from, covered).map(move |mut parsed| {
                    parsed.page.data = std::mem::take(&mut data);
                    parsed
                }))
            }
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

    /// Renders a page in gray and prepares it for OCR. `index` starts at 0.
    pub fn render_for_ocr(
        &self,
        index: usize,
        instructions: Instructions,
    ) -> Result<OcrImage, DocumentError> {
        #[allow(clippy::cast_possible_truncation, clippy::cast_precision_loss)] // A few thousand pixels.
        let (gray, scale) = match self {
            Self::Pdf(pdf) => {
                let (width, height) = pdf.page_size(index).ok_or(DocumentError::NoSuchPage)?;
                let scale = OCR_SCALE.min(MAX_SIDE as f32 / width.max(height));
                (pdf.render_gray(index, scale)?, scale)
            }
            Self::Image(image) if index == 0 => image.render_gray(MAX_SIDE as u32)?,
            // Laid out text needs no OCR.
            _ => return Err(DocumentError::NoSuchPage),
        };
        Ok(OcrImage::prepare(gray, scale, instructions)?)
    }
}

/// The values of a file that consists of data, laid out as text, with the data itself.
fn data_pages(file: &[u8]) -> Result<Vec<ParsedPage>, DocumentError> {
    let data = einvoice::read("", file).map_err(|error| {
        DocumentError::InvalidFile(format!("the file is not a readable e-invoice: {error}; export it again"))
    })?;
    let mut pages = typeset::lay_out(einvoice::render(&data))?;
    if let Some(first) = pages.first_mut() {
        first.page.data = vec![data];
    }
    Ok(pages)
}
