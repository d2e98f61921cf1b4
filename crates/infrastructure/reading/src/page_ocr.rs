//! Decides which pages of a document need OCR, recognises them in parallel, and keeps the better text. A page of which
//! recognition is not sure is prepared in another way and recognised again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use quire_domain::reading::quality::{Quality, QualityVerdict};
use quire_domain::reading::{FileKind, Line, Page};
use quire_imaging::Instructions;
use quire_ports::{CallPermit, ReadError, ReadErrorKind, RecognisedPages};
use tokio::sync::OnceCell;
use tokio::task::JoinSet;

use crate::ocr::{Legibility, Ocr, OcrImage, OcrLanguage, replace_doubtful_words};
use crate::reader::text_of;
use crate::sandbox::{Sandbox, clamp_to_page};
use crate::{PageGraphics, ParsedPage, unread};

/// A page with fewer visible characters has no usable text.
const MIN_CHARACTERS: usize = 20;
/// A page without usable text is a scan if images cover at least this share of it.
const SCAN_COVERAGE: f32 = 0.5;
/// A page without usable text may be a scan if images cover at least this share of it.
const POSSIBLE_SCAN_COVERAGE: f32 = 0.15;
/// Less text on a scan is a stamp, a signature or an advertisement of the scanner, not the content of the page.
const MAX_STAMP_CHARACTERS: usize = 300;
/// A page without usable text but with this many shapes may be text converted to outlines.
const MIN_OUTLINE_SHAPES: u32 = 200;
/// Text is unusable if more than one in this many characters is unreadable.
const UNREADABLE_ONE_IN: usize = 10;

/// A page that failed later than this is not recognised again: it would take as long.
const REPEATED_WITHIN: Duration = Duration::from_secs(10);

/// What OCR needs to know about a document.
pub(crate) struct OcrTask {
    pub(crate) sandbox: Sandbox,
    pub(crate) ocr: Ocr,
    pub(crate) kind: FileKind,
    pub(crate) file: Arc<[u8]>,
    pub(crate) language: OcrLanguage,
    /// Pages that an earlier attempt recognised.
    pub(crate) cache: Option<Arc<dyn RecognisedPages>>,
    /// The permit to recognise pages of this document; empty inside if there was none.
    pub(crate) permit: OnceCell<Option<CallPermit>>,
}

/// Recognises the pages that need OCR, several in parallel. A page without any other text that cannot be recognised is
/// marked as unread, and the first such error is returned. Fails only if no parser can be started, or without a permit.
pub(crate) async fn recognise_pages(
    task: &Arc<OcrTask>,
    pages: &mut [ParsedPage],
) -> Result<Option<ReadError>, ReadError> {
    let mut first_error = None;
    let needed: Vec<(usize, OcrNeed)> =
        pages.iter().enumerate().filter_map(|(index, page)| Some((index, OcrNeed::of(page)?))).collect();
    let mut waiting = needed.into_iter();
    let mut running = JoinSet::new();
    // Only a few pages wait for a parser at a time, so that a long scan does not block other documents. Dropping this
    // future, or an error, drops the set and cancels all running pages.
    loop {
        for (index, need) in
            waiting.by_ref().take(task.ocr.max_parallel_pages().saturating_sub(running.len()))
        {
            let task = task.clone();
            running.spawn(async move { (index, need, task.recognise_page(index).await) });
        }
        let Some(done) = running.join_next().await else { return Ok(first_error) };
        let Ok((index, need, recognised)) = done else { return Err(ocr_interrupted()) };
        match recognised {
            Ok(lines) => replace_if_better(&mut pages[index].page, lines),
            Err(error) if error.kind == ReadErrorKind::ParserUnavailable => return Err(error),
            Err(error) if need == OcrNeed::Required => {
                let code = error.kind.as_str();
                tracing::warn!(page = index + 1, code, diagnosis = error.diagnosis, "page not recognised");
                pages[index].page.unread = Some(unread(&error));
                first_error.get_or_insert(error);
            }
            Err(error) => {
                let code = error.kind.as_str();
                tracing::debug!(page = index + 1, code, "OCR failed on a page that has other text");
            }
        }
    }
}

impl OcrTask {
    /// The lines of a page, from the cache or from OCR. `index` starts at 0.
    async fn recognise_page(&self, index: usize) -> Result<Vec<Line>, ReadError> {
        let (number, language) = (index + 1, self.language.code());
        if let Some(cache) = &self.cache
            && let Some(lines) = cache.find(number, language).await
        {
            return Ok(lines);
        }
        self.ocr.check_available(&self.language).await?;
        self.take_permit().await?;
        let _slot = self.ocr.acquire_slot().await;
        let started = Instant::now();
        let lines = match self.render_and_recognise(index).await {
            // What failed at once may pass, such as a lack of memory. The page would be missing otherwise.
            Err(error) if error.kind.is_retryable() && started.elapsed() < REPEATED_WITHIN => {
                self.render_and_recognise(index).await?
            }
            recognised => recognised?,
        };
        if let Some(cache) = &self.cache {
            cache.store(number, language, &lines).await;
        }
        Ok(lines)
    }

    /// Takes the permit of the document, if it has none.
    async fn take_permit(&self) -> Result<(), ReadError> {
        let Some(pages) = &self.cache else { return Ok(()) };
        let permit = self.permit.get_or_init(|| pages.permit()).await;
        permit.as_ref().map(drop).ok_or_else(ocr_busy)
    }

    async fn render_and_recognise(&self, index: usize) -> Result<Vec<Line>, ReadError> {
        let started = Instant::now();
        let mut best = self.attempt(index, Instructions::default()).await?;
        // Text recognition is a guess, so only its result tells whether the page was prepared as it should be.
        let may_repeat = |best: &RecognisedPage| best.image.has_text && started.elapsed() < REPEATED_WITHIN;
        for turn in best.image.turns {
            if turn == best.image.turn || !best.legibility.is_senseless() || !may_repeat(&best) {
                continue;
            }
            match self.attempt(index, Instructions { turn: Some(turn), closer: false }).await {
                Ok(other) if other.legibility.sure > best.legibility.sure => best = other,
                Ok(_) => {}
                Err(error) => log_failed_repetition(index, &error),
            }
        }
        if best.legibility.is_doubtful() && may_repeat(&best) {
            match self.attempt(index, Instructions { turn: Some(best.image.turn), closer: true }).await {
                Ok(closer) => replace_doubtful_words(&mut best.lines, closer.lines),
                Err(error) => log_failed_repetition(index, &error),
            }
        }
        Ok(best.lines)
    }

    async fn attempt(&self, index: usize, instructions: Instructions) -> Result<RecognisedPage, ReadError> {
        let image = self.sandbox.render_for_ocr(self.kind, self.file.clone(), index, instructions).await?;
        let lines = self.ocr.recognise(&image, &self.language).await?;
        Ok(RecognisedPage {
            legibility: Legibility::of(&lines),
            lines,
            image: OcrImage { png: Vec::new(), ..image },
        })
    }
}

/// What OCR made of one image of a page.
struct RecognisedPage {
    /// Without its pixels.
    image: OcrImage,
    lines: Vec<Line>,
    legibility: Legibility,
}

/// The page keeps what an earlier attempt recognised.
fn log_failed_repetition(index: usize, error: &ReadError) {
    let code = error.kind.as_str();
    tracing::debug!(page = index + 1, code, diagnosis = error.diagnosis, "page not recognised again");
}

/// Marks the scanned pages as unread, if text recognition is turned off.
pub(crate) fn mark_scans_unread(pages: &mut [ParsedPage]) {
    for parsed in pages.iter_mut().filter(|parsed| OcrNeed::of(parsed) == Some(OcrNeed::Required)) {
        parsed.page.unread.get_or_insert_with(|| unread(&recognition_turned_off()));
    }
}

/// How much a page needs OCR.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OcrNeed {
    /// The page is a scan. Without OCR its content would be missing.
    Required,
    /// The page has unusable text, or may be a scan. OCR may find better text.
    Optional,
}

impl OcrNeed {
    /// `None` if the page needs no OCR.
    fn of(parsed: &ParsedPage) -> Option<Self> {
        if parsed.page.unread.is_some() {
            return None;
        }
        let text = text_of(&parsed.page);
        let PageGraphics { image_coverage, shape_count } = parsed.graphics;
        let characters = visible_characters(&text);
        if characters >= MIN_CHARACTERS {
            let is_stamp = image_coverage >= SCAN_COVERAGE && characters < MAX_STAMP_CHARACTERS;
            return (is_stamp || is_unusable(&text)).then_some(Self::Optional);
        }
        if image_coverage >= SCAN_COVERAGE {
            Some(Self::Required)
        } else if image_coverage >= POSSIBLE_SCAN_COVERAGE || shape_count >= MIN_OUTLINE_SHAPES {
            Some(Self::Optional)
        } else {
            None
        }
    }
}

/// Whether a text has too many unreadable characters, or cannot be what the page shows.
fn is_unusable(text: &str) -> bool {
    let is_unreadable = |letter: &char| matches!(letter, '\u{FFFD}' | '\u{E000}'..='\u{F8FF}');
    let unreadable = text.chars().filter(is_unreadable).count();
    unreadable * UNREADABLE_ONE_IN > visible_characters(text)
        || Quality::of(text).verdict() == QualityVerdict::Low
}

/// Replaces the lines of a page by recognised ones, if these have more text or are usable where the old ones are not.
fn replace_if_better(page: &mut Page, lines: Vec<Line>) {
    let mut recognised = Page { lines, recognised: true, ..Page { lines: Vec::new(), ..page.clone() } };
    clamp_to_page(&mut recognised);
    let (old, new) = (text_of(page), text_of(&recognised));
    if visible_characters(&new) > visible_characters(&old)
        || (is_unusable(&old) && !is_unusable(&new) && visible_characters(&new) >= MIN_CHARACTERS)
    {
        *page = recognised;
    }
}

fn visible_characters(text: &str) -> usize {
    text.chars().filter(|letter| !letter.is_whitespace()).count()
}

fn recognition_turned_off() -> ReadError {
    ReadError::new(
        ReadErrorKind::OcrNotAvailable,
        "the page is a scan, and text recognition is turned off; set reading.ocr.enabled = true and process the document \
         again",
    )
}

fn ocr_busy() -> ReadError {
    ReadError::new(
        ReadErrorKind::ParserUnavailable,
        "the text recognition is busy or paused; the document waits",
    )
}

fn ocr_interrupted() -> ReadError {
    ReadError::new(
        ReadErrorKind::OcrFailed,
        "text recognition of a page was interrupted; process the document again; if it fails again, report the document",
    )
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::{Rect, Word};

    use super::*;

    fn page(text: &str, image_coverage: f32, shape_count: u32) -> ParsedPage {
        let rect = Rect { x0: 0.0, y0: 0.0, x1: 1.0, y1: 1.0 };
        let words = text.split_whitespace().map(|text| Word::new(text, rect)).collect();
        let lines = vec![Line { words, opens_paragraph: true }];
        ParsedPage {
            page: Page { lines, ..Page::default() },
            graphics: PageGraphics { image_coverage, shape_count },
        }
    }

    #[test]
    fn only_pages_without_usable_text_need_ocr() {
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
        for (page, need) in cases {
            assert_eq!(OcrNeed::of(&page), need, "{}", text_of(&page.page));
        }
    }

    #[test]
    fn recognised_text_replaces_shorter_or_unusable_text_only() {
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
