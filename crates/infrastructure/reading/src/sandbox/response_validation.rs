//! Validates the responses of a parser. A hostile document may have taken over the parser, so the server checks amounts,
//! positions, and that numbers are finite.

use std::io;

use quire_domain::reading::{EmbeddedData, Page, Rect};
use quire_ports::ReadError;

use super::ParserLimits;
use super::protocol::frame_too_long;
use crate::einvoice::{MAX_VALUE_CHARS, MAX_VALUES};
use crate::html::{Article, MAX_METADATA_CHARS, MAX_TEXT_CHARS};
use crate::ocr::OcrImage;
use crate::{ParsedPage, unread};

const PNG_SIGNATURE: &[u8] = b"\x89PNG\r\n\x1a\n";

/// Collects the pages of a document and enforces the limits on pages and words.
#[derive(Default)]
pub(super) struct PageCollector {
    pub(super) pages: Vec<ParsedPage>,
    words: usize,
}

impl PageCollector {
    pub(super) fn push(&mut self, mut parsed: ParsedPage, limits: &ParserLimits) -> io::Result<()> {
        let page = &parsed.page;
        // An empty line takes memory too.
        self.words += page.word_count().max(page.lines.len());
        self.words += page.covered_word_count().max(page.covered.len());
        let values: usize = page.data.iter().map(|data| 1 + data.values.len() + data.findings.len()).sum();
        self.words += values + page.rulings.len();
        if self.words > limits.words || self.pages.len() >= limits.pages {
            return Err(frame_too_long());
        }
        validate_size(page.width, page.height)?;
        validate_data(&page.data)?;
        clamp_to_page(&mut parsed.page);
        self.pages.push(parsed);
        Ok(())
    }

    /// Adds a page that the parser cannot read.
    pub(super) fn push_unread(&mut self, (width, height): (f32, f32), error: &ReadError) {
        let page = Page { width, height, unread: Some(unread(error)), ..Page::default() };
        self.pages.push(ParsedPage { page, ..ParsedPage::default() });
    }
}

/// Checks the size of a page.
pub(super) fn validate_size(width: f32, height: f32) -> io::Result<()> {
    let is_valid = |side: f32| side.is_finite() && side > 0.0;
    let are_valid = is_valid(width) && is_valid(height);
    are_valid.then_some(()).ok_or_else(|| invalid_response("a page has an invalid size"))
}

/// Checks that embedded data is within the limits that the parser has to keep.
fn validate_data(data: &[EmbeddedData]) -> io::Result<()> {
    let is_long = |text: &str| text.chars().nth(MAX_VALUE_CHARS).is_some();
    let texts = data.iter().flat_map(|data| {
        let values = data.values.iter().flat_map(|value| [&value.term, &value.text, &value.path]);
        let findings =
            data.findings.iter().flat_map(|finding| [&finding.term, &finding.expected, &finding.message]);
        values.chain(findings).chain([&data.file, &data.syntax]).chain(&data.problem)
    });
    let (mut texts, mut data) = (texts, data.iter());
    if texts.any(|text| is_long(text)) || data.any(|data| data.values.len() > MAX_VALUES) {
        return Err(invalid_response("embedded data is too long"));
    }
    Ok(())
}

/// Cuts bounding boxes off at the page edge, and drops words whose box is not finite.
pub(crate) fn clamp_to_page(page: &mut Page) {
    let (width, height) = (page.width, page.height);
    for line in page.lines.iter_mut().chain(&mut page.covered) {
        line.words.retain_mut(|word| {
            let Rect { x0, y0, x1, y1 } = word.rect;
            word.rect = Rect {
                x0: x0.clamp(0.0, width),
                y0: y0.clamp(0.0, height),
                x1: x1.clamp(0.0, width),
                y1: y1.clamp(0.0, height),
            };
            [x0, y0, x1, y1].iter().all(|edge| edge.is_finite())
        });
    }
    page.rulings.retain(|line| [line.x0, line.y0, line.x1, line.y1].iter().all(|edge| edge.is_finite()));
    page.lines.retain(|line| !line.words.is_empty());
    page.covered.retain(|line| !line.words.is_empty());
}

/// Checks that an image is a PNG.
pub(super) fn validate_image(png: Vec<u8>) -> io::Result<Vec<u8>> {
    if png.starts_with(PNG_SIGNATURE) { Ok(png) } else { Err(invalid_response("an image is not a PNG")) }
}

/// Checks that an image for OCR is a PNG with a valid resolution. Whether its places are on the page is checked for each
/// word.
pub(super) fn validate_ocr_image(image: OcrImage) -> io::Result<OcrImage> {
    if !image.dpi.is_finite() || image.dpi <= 0.0 {
        return Err(invalid_response("an image has an invalid resolution"));
    }
    Ok(OcrImage { png: validate_image(image.png)?, ..image })
}

/// Checks that an article is within the limits that the parser has to keep.
pub(super) fn validate_article(article: Article) -> io::Result<Article> {
    let metadata = [
        &article.title,
        &article.byline,
        &article.site_name,
        &article.published,
        &article.language,
        &article.canonical_url,
    ];
    let is_long = |text: &str, limit: usize| text.chars().nth(limit).is_some();
    if metadata.into_iter().flatten().any(|text| is_long(text, MAX_METADATA_CHARS))
        || is_long(&article.text, MAX_TEXT_CHARS)
    {
        return Err(invalid_response("an article is too long"));
    }
    Ok(article)
}

fn invalid_response(message: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::{Line, Word};
    use quire_imaging::{Gray, Instructions};

    use super::*;

    fn page(rects: &[[f32; 4]]) -> ParsedPage {
        let word = |[x0, y0, x1, y1]: &[f32; 4]| Word::new("a", Rect { x0: *x0, y0: *y0, x1: *x1, y1: *y1 });
        let lines =
            rects.iter().map(|rect| Line { words: vec![word(rect)], opens_paragraph: false }).collect();
        ParsedPage {
            page: Page { width: 100.0, height: 50.0, lines, ..Page::default() },
            ..ParsedPage::default()
        }
    }

    #[test]
    fn boxes_are_cut_at_the_page_edge_and_words_without_a_finite_box_are_dropped() {
        let mut pages = PageCollector::default();
        let rects = [[10.0, -5.0, 300.0, 20.0], [0.0, 0.0, f32::INFINITY, 1.0], [f32::NAN, 0.0, 1.0, 1.0]];
        pages.push(page(&rects), &ParserLimits::default()).unwrap();
        let kept = &pages.pages[0].page.lines;
        assert_eq!(kept.len(), 1);
        assert_eq!(kept[0].words[0].rect, Rect { x0: 10.0, y0: 0.0, x1: 100.0, y1: 20.0 });
    }

    #[test]
    fn too_many_pages_words_or_empty_lines_are_refused() {
        let limits = ParserLimits { pages: 2, words: 3, ..ParserLimits::default() };
        let one = [0.0, 0.0, 1.0, 1.0];
        assert!(PageCollector::default().push(page(&[one; 4]), &limits).is_err());
        let mut empty_lines = page(&[one; 4]);
        empty_lines.page.lines.iter_mut().for_each(|line| line.words.clear());
        assert!(PageCollector::default().push(empty_lines, &limits).is_err());
        let mut pages = PageCollector::default();
        pages.push(page(&[one]), &limits).unwrap();
        pages.push(page(&[one]), &limits).unwrap();
        assert!(pages.push(page(&[one]), &limits).is_err());
    }

    #[test]
    fn pages_with_an_invalid_size_and_invalid_images_are_refused() {
        for width in [0.0, -1.0, f32::NAN, f32::INFINITY] {
            let mut parsed = page(&[]);
            parsed.page.width = width;
            assert!(PageCollector::default().push(parsed, &ParserLimits::default()).is_err(), "{width}");
        }
        let image = |png: &[u8], dpi| {
            let white = Gray::plain(40, 40, 255);
            let image = OcrImage::prepare(white, 1.0, Instructions::default()).unwrap();
            validate_ocr_image(OcrImage { png: png.to_vec(), dpi, ..image }).is_ok()
        };
        assert!(image(PNG_SIGNATURE, 150.0) && validate_image(PNG_SIGNATURE.to_vec()).is_ok());
        assert!(!image(b"GIF89a", 150.0) && !image(PNG_SIGNATURE, 0.0) && !image(PNG_SIGNATURE, f64::NAN));
    }
}
