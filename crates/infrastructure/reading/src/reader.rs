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
use crate::{Ink, PageRead};

/// A page with fewer visible characters says next to nothing.
const FEWEST_CHARACTERS: usize = 20;
/// Of a page that says nothing, the share that pictures cover if it is a scan, and if it may be one.
const SCAN: f32 = 0.5;
const MAYBE_SCAN: f32 = 0.15;
/// Less text on a scan is a stamp, a signature or the scanner's own advertisement, and not what the page says.
const STAMP: usize = 300;
/// So many shapes on a page that says nothing may be letters drawn as outlines.
const OUTLINES: u32 = 200;
/// One in so many characters without a meaning makes the text of a page useless.
const MEANINGLESS: usize = 10;

/// Reads files in child processes.
pub struct LocalReader {
    /// The kinds that are read.
    pub kinds: Vec<FileKind>,
    /// Where documents are parsed and pages drawn.
    pub parsing: Sandbox,
    /// What recognises scans; nothing if they are left as they are.
    pub ocr: Option<Ocr>,
}

#[async_trait]
impl Reader for LocalReader {
    async fn read(&self, request: ReadRequest) -> Result<ReadOutput, ReadError> {
        let kind = self.kind_of(&request.file)?;
        let mut pages = self.parsing.read(kind, request.file.clone()).await?;
        if let Some(ocr) = &self.ocr {
            let task = Recognition {
                parsing: self.parsing.clone(),
                ocr: ocr.clone(),
                kind,
                file: request.file.clone(),
                language: match (&request.language, language_of(&pages)) {
                    (Some(set), _) => PageLanguage::Set(set.clone()),
                    (None, Some(seems)) => PageLanguage::Likely(seems),
                    (None, None) => PageLanguage::Unknown,
                },
                kept: request.recognised.clone(),
            };
            recognise(&Arc::new(task), &mut pages).await?;
        }
        let language = request.language.or_else(|| language_of(&pages));
        let pages = pages.into_iter().map(|read| read.page).collect();
        Ok(ReadOutput { kind, reading: Reading { pages }, language })
    }

    async fn image(&self, request: PageImageRequest) -> Result<Vec<u8>, ReadError> {
        let kind = self.kind_of(&request.file)?;
        let index = request.page.checked_sub(1).ok_or_else(no_such_page)?;
        self.parsing.image(kind, request.file, index, request.scale).await
    }
}

impl LocalReader {
    fn kind_of(&self, file: &[u8]) -> Result<FileKind, ReadError> {
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
async fn recognise(task: &Arc<Recognition>, pages: &mut [PageRead]) -> Result<(), ReadError> {
    let needed: Vec<(usize, Need)> =
        pages.iter().enumerate().filter_map(|(index, page)| Some((index, Need::of(page)?))).collect();
    let mut waiting = needed.into_iter();
    let mut under_way = JoinSet::new();
    // A long scan takes part in the queue for parsers with a few pages at a time, so that others get their turn. Whoever
    // stops waiting, or an error here, drops the set and with it all that is under way.
    loop {
        for (index, need) in waiting.by_ref().take(task.ocr.width().saturating_sub(under_way.len())) {
            let task = task.clone();
            under_way.spawn(async move { (index, need, task.page(index).await) });
        }
        let Some(done) = under_way.join_next().await else { return Ok(()) };
        let Ok((index, need, recognised)) = done else { return Err(broken_off()) };
        match recognised {
            Ok(lines) => improve(&mut pages[index].page, lines),
            Err(error) if need == Need::Scan => return Err(error),
            Err(error) => {
                let code = error.kind.as_str();
                tracing::debug!(page = index + 1, code, "a page was not recognised");
            }
        }
    }
}

/// What recognising the pages of one document takes.
struct Recognition {
    parsing: Sandbox,
    ocr: Ocr,
    kind: FileKind,
    file: Arc<[u8]>,
    language: PageLanguage,
    kept: Option<Arc<dyn RecognisedPages>>,
}

impl Recognition {
    /// The lines of a page, from 0: from before, else recognised now and kept at once.
    async fn page(&self, index: usize) -> Result<Vec<Line>, ReadError> {
        let (number, language) = (index + 1, self.language.code());
        if let Some(kept) = &self.kept
            && let Some(lines) = kept.find(number, language).await
        {
            return Ok(lines);
        }
        self.ocr.check(&self.language).await?;
        let _turn = self.ocr.turn().await;
        let image = self.parsing.scan(self.kind, self.file.clone(), index).await?;
        let lines = self.ocr.recognise(&image, &self.language).await?;
        if let Some(kept) = &self.kept {
            kept.keep(number, language, &lines).await;
        }
        Ok(lines)
    }
}

/// How much a page needs to be recognised from its picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Need {
    /// It is a scan: without recognition its content would be missing.
    Scan,
    /// Its text is poor; recognition may find better.
    PoorText,
}

impl Need {
    fn of(read: &PageRead) -> Option<Self> {
        let text = text_of(&read.page);
        let Ink { pictures, shapes } = read.ink;
        let characters = visible(&text);
        if characters >= FEWEST_CHARACTERS {
            let is_stamp = pictures >= SCAN && characters < STAMP;
            return (is_stamp || is_poor(&text)).then_some(Self::PoorText);
        }
        if pictures >= SCAN {
            Some(Self::Scan)
        } else if pictures >= MAYBE_SCAN || shapes >= OUTLINES {
            Some(Self::PoorText)
        } else {
            None
        }
    }
}

/// Letters that mean nothing, or words that nobody could say.
fn is_poor(text: &str) -> bool {
    let meaningless = |letter: &char| matches!(letter, '\u{FFFD}' | '\u{E000}'..='\u{F8FF}');
    let lost = text.chars().filter(meaningless).count();
    lost * MEANINGLESS > visible(text) || Quality::of(text).issues.contains(&QualityIssue::Gibberish)
}

/// Takes what was recognised, unless it says less than what was there.
fn improve(page: &mut Page, lines: Vec<Line>) {
    let recognised = Page { lines, recognised: true, ..Page { lines: Vec::new(), ..page.clone() } };
    let (old, new) = (text_of(page), text_of(&recognised));
    if visible(&new) > visible(&old)
        || (is_poor(&old) && !is_poor(&new) && visible(&new) >= FEWEST_CHARACTERS)
    {
        *page = recognised;
    }
}

fn text_of(page: &Page) -> String {
    let words = page.lines.iter().flat_map(|line| &line.words);
    words.flat_map(|word| [word.text.as_str(), " "]).collect()
}

fn visible(text: &str) -> usize {
    text.chars().filter(|letter| !letter.is_whitespace()).count()
}

fn language_of(pages: &[PageRead]) -> Option<String> {
    let text: String = pages.iter().map(|read| text_of(&read.page)).collect();
    detect(&text).map(str::to_owned)
}

fn no_such_page() -> ReadError {
    ReadError::new(ReadErrorKind::PageNotFound, "pages are counted from 1")
}

fn broken_off() -> ReadError {
    ReadError::new(
        ReadErrorKind::OcrFailed,
        "recognising a page broke off; try again, or report this document",
    )
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::{Rect, Word};

    use super::*;

    fn page(text: &str, pictures: f32, shapes: u32) -> PageRead {
        let rect = Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 };
        let words = text.split_whitespace().map(|text| Word { text: text.to_owned(), rect }).collect();
        let lines = vec![Line { words, opens_paragraph: true }];
        PageRead { page: Page { lines, ..Page::default() }, ink: Ink { pictures, shapes } }
    }

    #[test]
    fn only_pages_without_usable_text_are_recognised() {
        let fine = "El paciente come bien y duerme toda la noche.";
        let gibberish = "xkrtpl mndfgh qwrtzx bcdfgk plmknj hgfdsz";
        let cases = [
            (page(fine, 0.2, 0), None),
            (page("Firmado digitalmente por la clínica el 12/03/2024", 0.9, 0), Some(Need::PoorText)),
            (page(&fine.repeat(10), 1.0, 0), None),
            (page("", 0.9, 0), Some(Need::Scan)),
            (page("3", 0.9, 0), Some(Need::Scan)),
            (page("Anexo", 0.2, 0), Some(Need::PoorText)),
            (page("Anexo", 0.0, 3), None),
            (page("", 0.0, 0), None),
            (page("", 0.0, 5000), Some(Need::PoorText)),
            (page(&"\u{FFFD}".repeat(40), 0.0, 0), Some(Need::PoorText)),
            (page(gibberish, 0.0, 0), Some(Need::PoorText)),
            (page("12,5 34,7 8,9 10,2 33,1 7,7 1,5", 0.0, 0), None),
        ];
        for (read, need) in cases {
            assert_eq!(Need::of(&read), need, "{}", text_of(&read.page));
        }
    }

    #[test]
    fn what_was_recognised_replaces_less_and_worse_but_not_more() {
        let lines = |text| page(text, 0.0, 0).page.lines;
        let after = |old, new| {
            let mut page = page(old, 1.0, 0).page;
            improve(&mut page, lines(new));
            text_of(&page).trim().to_owned()
        };
        assert_eq!(after("3", "Historia clínica 3"), "Historia clínica 3");
        assert_eq!(after("Página 3", "3"), "Página 3");
        let lost = "\u{FFFD}".repeat(60);
        assert_eq!(after(&lost, "El paciente come bien hoy"), "El paciente come bien hoy");
    }
}
