//! Reads a file from its bytes to its words: sniffed, parsed in the sandbox, and recognised page by page where there is
//! a picture and no text.

use std::sync::Arc;

use async_trait::async_trait;
use quire_domain::reading::quality::{Quality, QualityIssue};
use quire_domain::reading::{FileKind, Line, Page, Reading};
use quire_ports::{
    PageImageRequest, ReadError, ReadErrorKind, ReadOutput, ReadRequest, Reader, RecognisedPages,
};
use tokio::task::JoinSet;

use crate::language::detect;
use crate::ocr::{Ocr, PageLanguage};
use crate::sandbox::Sandbox;
use crate::{PageGraphics, ParsedPage};

/// A page with fewer visible characters says next to nothing.
const MIN_CHARACTERS: usize = 20;
/// Of a page that says nothing, the share that pictures cover if it is a scan, and if it may be one.
const SCAN_COVERAGE: f32 = 0.5;
const POSSIBLE_SCAN_COVERAGE: f32 = 0.15;
/// Less text on a scan is a stamp, a signature or the scanner's own advertisement, and not what the page says.
const MAX_STAMP_CHARACTERS: usize = 300;
/// So many shapes on a page that says nothing may be letters drawn as outlines.
const MIN_OUTLINE_SHAPES: u32 = 200;
/// One in so many characters without a meaning makes the text of a page useless.
const UNREADABLE_ONE_IN: usize = 10;

/// Reads files in child processes.
pub struct LocalReader {
    /// The kinds that are read.
    pub kinds: Vec<FileKind>,
    /// Where documents are parsed and pages drawn.
    pub sandbox: Sandbox,
    /// What recognises scans; nothing if they are left as they are.
    pub ocr: Option<Ocr>,
}

#[async_trait]
impl Reader for LocalReader {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        let kind = self.detect_kind(&request.file)?;
        let mut pages = self.sandbox.read(kind, request.file.clone()).await?;
        if let Some(ocr) = &self.ocr {
            let task = OcrTask {
                sandbox: self.sandbox.clone(),
                ocr: ocr.clone(),
                kind,
                file: request.file.clone(),
                language: match (&request.language, language_of(&pages)) {
                    (Some(set), _) => PageLanguage::Set(set.clone()),
                    (None, Some(seems)) => PageLanguage::Likely(seems),
                    (None, None) => PageLanguage::Unknown,
                },
                cache: request.recognised.clone(),
            };
            run_ocr(&Arc::new(task), &mut pages).await?;
        }
        let language = request.language.or_else(|| language_of(&pages));
        let pages = pages.into_iter().map(|read| read.page).collect();
        Ok(ReadOutput { kind, reading: Reading { pages }, language })
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        let kind = self.detect_kind(&request.file)?;
        let index = request.page.checked_sub(1).ok_or_else(page_not_found)?;
        self.sandbox.render(kind, request.file, index, request.scale).await
    }
}

impl LocalReader {
    fn detect_kind(&self, file: &[u8]) -> Result<FileKind, ReadError> {
        FileKind::sniff(file).filter(|kind| self.kinds.contains(kind)).ok_or_else(|| {
            let kinds: Vec<&str> = self.kinds.iter().map(|kind| kind.as_str()).collect();
            ReadError::new(
                ReadErrorKind::UnsupportedMediaType,
                format!("the file is of a kind that is not read; send one of these: {}", kinds.join(", ")),
            )
        })
    }
}

/// Recognises the pages that need it, side by side.
async fn run_ocr(task: &Arc<OcrTask>, pages: &mut [ParsedPage]) -> Result<(), ReadError> {
    let needed: Vec<(usize, OcrNeed)> =
        pages.iter().enumerate().filter_map(|(index, page)| Some((index, OcrNeed::of(page)?))).collect();
    let mut waiting = needed.into_iter();
    let mut under_way = JoinSet::new();
    // A long scan takes part in the queue for parsers with a few pages at a time, so that others get their turn. Whoever
    // stops waiting, or an error here, drops the set and with it all that is under way.
    loop {
        for (index, need) in
            waiting.by_ref().take(task.ocr.max_parallel_pages().saturating_sub(under_way.len()))
        {
            let task = task.clone();
            under_way.spawn(async move { (index, need, task.recognise_page(index).await) });
        }
        let Some(done) = under_way.join_next().await else { return Ok(()) };
        let Ok((index, need, recognised)) = done else { return Err(ocr_interrupted()) };
        match recognised {
            Ok(lines) => replace_if_better(&mut pages[index].page, lines),
            Err(error) if need == OcrNeed::Required => return Err(error),
            Err(error) => {
                let code = error.kind.as_str();
                tracing::debug!(page = index + 1, code, "a page was not recognised");
            }
        }
    }
}

/// What recognising the pages of one document takes.
struct OcrTask {
    sandbox: Sandbox,
    ocr: Ocr,
    kind: FileKind,
    file: Arc<[u8]>,
    language: PageLanguage,
    cache: Option<Arc<dyn RecognisedPages>>,
}

impl OcrTask {
    /// The lines of a page, from 0: from before, else recognised now and kept at once.
    async fn recognise_page(&self, index: usize) -> Result<Vec<Line>, ReadError> {
        let (number, language) = (index + 1, self.language.code());
        if let Some(kept) = &self.cache
            && let Some(lines) = kept.find(number, language).await
        {
            return Ok(lines);
        }
        self.ocr.check_available(&self.language).await?;
        let _turn = self.ocr.acquire_slot().await;
        let image = self.sandbox.render_for_ocr(self.kind, self.file.clone(), index).await?;
        let lines = self.ocr.recognise(&image, &self.language).await?;
        if let Some(kept) = &self.cache {
            kept.keep(number, language, &lines).await;
        }
        Ok(lines)
    }
}

/// How much a page needs to be recognised from its picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OcrNeed {
    /// It is a scan: without recognition its content would be missing.
    Required,
    /// Its text is poor; recognition may find better.
    Optional,
}

impl OcrNeed {
    fn of(read: &ParsedPage) -> Option<Self> {
        let text = text_of(&read.page);
        let PageGraphics { image_coverage: pictures, shape_count: shapes } = read.graphics;
        let characters = visible_characters(&text);
        if characters >= MIN_CHARACTERS {
            let is_stamp = pictures >= SCAN_COVERAGE && characters < MAX_STAMP_CHARACTERS;
            return (is_stamp || is_unusable(&text)).then_some(Self::Optional);
        }
        if pictures >= SCAN_COVERAGE {
            Some(Self::Required)
        } else if pictures >= POSSIBLE_SCAN_COVERAGE || shapes >= MIN_OUTLINE_SHAPES {
            Some(Self::Optional)
        } else {
            None
        }
    }
}

/// Letters that mean nothing, or words that nobody could say.
fn is_unusable(text: &str) -> bool {
    let meaningless = |letter: &char| matches!(letter, '\u{FFFD}' | '\u{E000}'..='\u{F8FF}');
    let lost = text.chars().filter(meaningless).count();
    lost * UNREADABLE_ONE_IN > visible_characters(text)
        || Quality::of(text).flaws.contains(&QualityIssue::Gibberish)
}

/// Takes what was recognised, unless it says less than what was there.
fn replace_if_better(page: &mut Page, lines: Vec<Line>) {
    let recognised = Page { lines, recognised: true, ..Page { lines: Vec::new(), ..page.clone() } };
    let (old, new) = (text_of(page), text_of(&recognised));
    if visible_characters(&new) > visible_characters(&old)
        || (is_unusable(&old) && !is_unusable(&new) && visible_characters(&new) >= MIN_CHARACTERS)
    {
        *page = recognised;
    }
}

fn text_of(page: &Page) -> String {
    let words = page.lines.iter().flat_map(|line| &line.words);
    words.flat_map(|word| [word.text.as_str(), " "]).collect()
}

fn visible_characters(text: &str) -> usize {
    text.chars().filter(|letter| !letter.is_whitespace()).count()
}

fn language_of(pages: &[ParsedPage]) -> Option<String> {
    let text: String = pages.iter().map(|read| text_of(&read.page)).collect();
    detect(&text).map(str::to_owned)
}

fn page_not_found() -> ReadError {
    ReadError::new(ReadErrorKind::PageNotFound, "pages are counted from 1")
}

fn ocr_interrupted() -> ReadError {
    ReadError::new(
        ReadErrorKind::OcrFailed,
        "recognising a page broke off; try again, or report this document",
    )
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::{Rect, Word};

    use super::*;

    fn page(text: &str, pictures: f32, shapes: u32) -> ParsedPage {
        let rect = Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 };
        let words = text.split_whitespace().map(|text| Word { text: text.to_owned(), rect }).collect();
        let lines = vec![Line { words, opens_paragraph: true }];
        ParsedPage {
            page: Page { lines, ..Page::default() },
            graphics: PageGraphics { image_coverage: pictures, shape_count: shapes },
        }
    }

    #[test]
    fn only_pages_without_usable_text_are_recognised() {
        let fine = "El paciente come bien y duerme toda la noche.";
        let gibberish = "xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz";
        let cases = [
            (page(fine, 0.2, 0), None),
            (page("Firmado digitalmente por la clínica el 12/03/2024", 0.9, 0), Some(OcrNeed::Optional)),
            (page(&fine.repeat(10), 1.0, 0), None),
            (page("", 0.9, 0), Some(OcrNeed::Required)),
            (page("3", 0.9, 0), Some(OcrNeed::Required)),
            (page("Anexo", 0.2, 0), Some(OcrNeed::Optional)),
            (page("Anexo", 0.0, 3), None),
            (page("", 0.0, 0), None),
            (page("", 0.0, 5000), Some(OcrNeed::Optional)),
            (page(&"\u{FFFD}".repeat(40), 0.0, 0), Some(OcrNeed::Optional)),
            (page(gibberish, 0.0, 0), Some(OcrNeed::Optional)),
            (page("12,5 34,7 8,9 10,2 33,1 7,7 1,5", 0.0, 0), None),
        ];
        for (read, need) in cases {
            assert_eq!(OcrNeed::of(&read), need, "{}", text_of(&read.page));
        }
    }

    #[test]
    fn what_was_recognised_replaces_less_and_worse_but_not_more() {
        let lines = |text| page(text, 0.0, 0).page.lines;
        let after = |old, new| {
            let mut page = page(old, 1.0, 0).page;
            replace_if_better(&mut page, lines(new));
            text_of(&page).trim().to_owned()
        };
        assert_eq!(after("3", "Historia clínica 3"), "Historia clínica 3");
        assert_eq!(after("Página 3", "3"), "Página 3");
        let lost = "\u{FFFD}".repeat(60);
        assert_eq!(after(&lost, "El paciente come bien hoy"), "El paciente come bien hoy");
    }
}
