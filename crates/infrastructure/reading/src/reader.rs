//! The reader port on this machine: detects the file type, parses the file in the sandbox, and runs OCR on pages without
//! usable text.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::{EmbeddedData, FileKind, Page, Reading};
use quire_ports::{
    DocumentReader, FetchedPage, PageArticle, PageImageRequest, PageReader, ReadError, ReadErrorKind,
    ReadOutput, ReadRequest,
};
use tokio::sync::OnceCell;

use crate::html::PageOptions;
use crate::language::detect;
use crate::ocr::{Ocr, OcrLanguage};
use crate::page_image::PageImageError;
use crate::page_ocr::{OcrTask, mark_scans_unread, recognise_pages};
use crate::sandbox::Sandbox;
use crate::{CoveredText, ParsedPage};

/// The longest name of a character encoding.
const MAX_CHARSET_BYTES: usize = 100;

/// Reads files in child processes.
pub struct LocalReader {
    /// The supported file types. Others are refused.
    pub kinds: Vec<FileKind>,
    /// The parsers.
    pub sandbox: Sandbox,
    /// OCR for scanned pages. Without it they are unread.
    pub ocr: Option<Ocr>,
    /// What to do with text under opaque marks.
    pub covered: CoveredText,
}

#[async_trait]
impl DocumentReader for LocalReader {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        let kind = self.detect_kind(&request.file)?;
        let mut pages = self.sandbox.read(kind, request.file.clone(), self.covered).await?;
        let mut ocr_error = None;
        if let Some(ocr) = &self.ocr {
            let task = OcrTask {
                sandbox: self.sandbox.clone(),
                ocr: ocr.clone(),
                kind,
                file: request.file.clone(),
                language: match (&request.language, language_of(&pages)) {
                    (Some(language), _) => OcrLanguage::Set(language.clone()),
                    (None, Some(detected)) => OcrLanguage::Likely(detected),
                    (None, None) => OcrLanguage::Unknown,
                },
                cache: request.recognised.clone(),
                permit: OnceCell::new(),
            };
            ocr_error = recognise_pages(&Arc::new(task), &mut pages).await?;
        } else {
            mark_scans_unread(&mut pages);
        }
        require_text(&pages, ocr_error)?;
        let language = request.language.or_else(|| language_of(&pages));
        let pages = pages.into_iter().map(|parsed| parsed.page).collect();
        let covered_used = self.covered == CoveredText::Read;
        Ok(ReadOutput { kind, reading: Reading { pages }, covered_used, language })
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        let kind = self.detect_kind(&request.file)?;
        let index = request.page.checked_sub(1).ok_or_else(page_not_found)?;
        self.sandbox.render(kind, request.file, index, request.scale).await
    }

    async fn page_count(&self, file: Arc<[u8]>) -> Option<usize> {
        let kind = self.detect_kind(&file).ok()?;
        self.sandbox.page_count(kind, file).await.ok()
    }

    fn detect_language(&self, text: &str) -> Option<String> {
        detect(text).map(str::to_owned)
    }
}

#[async_trait]
impl PageReader for LocalReader {
    async fn read_page(&self, content: FetchedPage) -> Result<PageArticle, ReadError> {
        let FetchedPage { bytes, is_html, charset, url } = content;
        // Nobody names an encoding with a longer name.
        let charset = charset.filter(|charset| charset.len() <= MAX_CHARSET_BYTES);
        let article = self.sandbox.read_article(&bytes, PageOptions { is_html, charset, url }).await?;
        Ok(PageArticle {
            title: article.title,
            byline: article.byline,
            site_name: article.site_name,
            published: article.published,
            language: article.language,
            canonical_url: article.canonical_url,
            text: article.text,
        })
    }
}

impl LocalReader {
    fn detect_kind(&self, file: &[u8]) -> Result<FileKind, ReadError> {
        FileKind::sniff(file)
            .filter(|kind| self.kinds.contains(kind))
            .ok_or_else(|| unsupported_type(&self.kinds))
    }
}

/// Fails if there are unread pages, no other page has any text, and the file contains no data.
fn require_text(pages: &[ParsedPage], ocr_error: Option<ReadError>) -> Result<(), ReadError> {
    let unread = pages.iter().find_map(|parsed| parsed.page.unread.as_ref());
    let has_text = pages.iter().any(|parsed| {
        let has_data = parsed.page.data.iter().any(EmbeddedData::is_document);
        has_data || !parsed.page.lines.is_empty()
    });
    let Some(unread) = unread.filter(|_| !has_text) else { return Ok(()) };
    Err(ocr_error.unwrap_or_else(|| {
        let kind = ReadErrorKind::ALL.iter().find(|kind| kind.as_str() == unread.error_code);
        ReadError::new(kind.copied().unwrap_or(ReadErrorKind::OcrFailed), unread.message.clone())
    }))
}

fn unsupported_type(supported: &[FileKind]) -> ReadError {
    let names: Vec<&str> = supported.iter().map(|kind| type_name(*kind)).collect();
    let names = match names.as_slice() {
        [first @ .., last] if !first.is_empty() => format!("{} or {last}", first.join(", ")),
        names => names.concat(),
    };
    let message = format!("file type not supported; send a {names} file");
    ReadError::new(ReadErrorKind::UnsupportedMediaType, message)
}

fn type_name(kind: FileKind) -> &'static str {
    match kind {
        FileKind::Pdf => "PDF",
        FileKind::Png => "PNG",
        FileKind::Jpeg => "JPEG",
        FileKind::Docx => "DOCX",
        FileKind::Text => "text",
        FileKind::Xml => "e-invoice",
    }
}

fn page_not_found() -> ReadError {
    ReadError::new(ReadErrorKind::PageNotFound, PageImageError::NoSuchPage.to_string())
}

fn language_of(pages: &[ParsedPage]) -> Option<String> {
    let text: String = pages.iter().map(|parsed| text_of(&parsed.page)).collect();
    detect(&text).map(str::to_owned)
}

/// The words of a page, separated by spaces.
pub(crate) fn text_of(page: &Page) -> String {
    let words = page.lines.iter().flat_map(|line| &line.words);
    words.flat_map(|word| [word.text.as_str(), " "]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unsupported_type_is_refused_with_the_supported_ones() {
        let all = FileKind::ALL;
        let expected = "file type not supported; send a PDF, PNG, JPEG, DOCX, text or e-invoice file";
        assert_eq!(unsupported_type(&all).message, expected);
        let expected = "file type not supported; send a PDF file";
        assert_eq!(unsupported_type(&all[..1]).message, expected);
    }
}
