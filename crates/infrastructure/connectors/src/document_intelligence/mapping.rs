//! From the service's result to pages with words and boxes.
//!
//! The service measures pages of a PDF in inches and pictures in pixels, from the top left. A polygon becomes the smallest
//! rectangle around it, also on a page whose text is turned: boxes are places on the page as it is shown. Offsets are compared
//! with each other alone, so that it does not matter what they count: code points, as Quire asks for, or characters as people
//! see them (`textElements`).

use quire_domain::reading::{
    AnalysedCell, AnalysedDocument, AnalysedTable, Analysis, KeyValuePair, Line, PICTURE_LONG_SIDE, Page,
    PlacedText, Reading, Rect, Word,
};
use quire_ports::missing_page;

use super::response::{AnalyzeResult, BoundingRegion, DocumentPage, PageWord, PairElement, ServiceSpan};

/// Points in an inch.
const POINTS_PER_INCH: f32 = 72.0;
/// More pages than the service reads at once.
const MAX_PAGES: u32 = 10_000;

/// Why a result cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnusableResult {
    /// A page has no size, or one in an unknown unit.
    PageSize,
    /// The pages are not numbered from 1.
    PageNumber,
}

/// The document of a result.
pub(super) fn document(result: &AnalyzeResult) -> Result<AnalysedDocument, UnusableResult> {
    let count = result.pages.iter().map(|page| page.page_number).max().unwrap_or(0);
    if count > MAX_PAGES || result.pages.iter().any(|page| page.page_number == 0) {
        return Err(UnusableResult::PageNumber);
    }
    let mut starts: Vec<u64> =
        result.paragraphs.iter().filter_map(|paragraph| Some(paragraph.spans.first()?.offset)).collect();
    starts.sort_unstable();
    let mut reading = Reading::default();
    let mut analysis = Analysis::default();
    let mut scales = Vec::new();
    for number in 1..=count {
        let page = result.pages.iter().find(|page| page.page_number == number);
        let (page, confidence, scale) = match page {
            Some(page) => map_page(page, &starts)?,
            None => (missing_page(), Vec::new(), 1.0),
        };
        reading.pages.push(page);
        analysis.word_confidence.push(confidence);
        scales.push(scale);
    }
    let places = Places { scales };
    analysis.pairs = result
        .key_value_pairs
        .iter()
        .map(|pair| KeyValuePair {
            key: places.of_element(&pair.key),
            value: pair.value.as_ref().map(|value| places.of_element(value)),
            confidence: pair.confidence.clamp(0.0, 1.0),
        })
        .collect();
    analysis.tables = result.tables.iter().map(|table| places.table(table)).collect();
    analysis.warnings = result.warnings.iter().map(|warning| warning.code.clone()).collect();
    Ok(AnalysedDocument { reading, analysis })
}

/// The page, the confidence of its words, and points per unit.
fn map_page(page: &DocumentPage, starts: &[u64]) -> Result<(Page, Vec<f32>, f32), UnusableResult> {
    let is_size = |size: &f32| size.is_finite() && *size > 0.0;
    let size = page.width.filter(is_size).zip(page.height.filter(is_size));
    let (width, height) = size.ok_or(UnusableResult::PageSize)?;
    let scale = match page.unit.as_deref() {
        Some("inch") => POINTS_PER_INCH,
        Some("pixel") => PICTURE_LONG_SIDE / width.max(height),
        _ => return Err(UnusableResult::PageSize),
    };
    let whole = Rect { x0: 0.0, y0: 0.0, x1: width * scale, y1: height * scale };
    let mut words: Vec<&PageWord> = page.words.iter().collect();
    words.sort_by_key(|word| word.span.offset);
    let mut lines = Vec::with_capacity(page.lines.len());
    let mut confidence = Vec::with_capacity(words.len());
    let mut is_taken = vec![false; words.len()];
    for line in &page.lines {
        let around = rectangle(&line.polygon, scale).unwrap_or(whole);
        let mut of_line = Vec::new();
        for span in &line.spans {
            let first = words.partition_point(|word| word.span.offset < span.offset);
            let inside = words[first..].iter().take_while(|word| word.span.offset < end(*span));
            for (word, place) in inside.zip(first..) {
                if !std::mem::replace(&mut is_taken[place], true) {
                    of_line.push(map_word(word, around, scale));
                    confidence.push(word.confidence.clamp(0.0, 1.0));
                }
            }
        }
        let offset = line.spans.first().map(|span| span.offset);
        push_line(&mut lines, of_line, offset, starts);
    }
    // Words that belong to no line, such as a stamp, follow one by one.
    for (word, _) in words.iter().zip(&is_taken).filter(|(_, is_taken)| !**is_taken) {
        confidence.push(word.confidence.clamp(0.0, 1.0));
        push_line(&mut lines, vec![map_word(word, whole, scale)], Some(word.span.offset), starts);
    }
    let page = Page { width: whole.x1, height: whole.y1, lines, recognised: true, ..Page::default() };
    Ok((page, confidence, scale))
}

fn push_line(lines: &mut Vec<Line>, words: Vec<Word>, offset: Option<u64>, starts: &[u64]) {
    if !words.is_empty() {
        let opens_paragraph = offset.is_some_and(|offset| starts.binary_search(&offset).is_ok());
        lines.push(Line { words, opens_paragraph });
    }
}

fn map_word(word: &PageWord, around: Rect, scale: f32) -> Word {
    let rect = rectangle(&word.polygon, scale).unwrap_or(around);
    Word::recognised(&word.content, rect, word.confidence)
}

fn end(span: ServiceSpan) -> u64 {
    span.offset.saturating_add(span.length)
}

/// The smallest rectangle around a polygon, in points. None without at least two corners.
fn rectangle(polygon: &[f32], scale: f32) -> Option<Rect> {
    let corners = polygon.chunks_exact(2).filter(|corner| corner.iter().all(|at| at.is_finite()));
    let corner = |corner: &[f32]| {
        let (x, y) = (corner[0] * scale, corner[1] * scale);
        Rect { x0: x, y0: y, x1: x, y1: y }
    };
    if polygon.len() < 4 {
        return None;
    }
    corners.map(corner).reduce(Rect::union)
}

/// Points per unit of each page.
struct Places {
    scales: Vec<f32>,
}

impl Places {
    fn of_element(&self, element: &PairElement) -> PlacedText {
        self.placed(&element.content, &element.bounding_regions)
    }

    /// A text with its boxes on its first page.
    fn placed(&self, text: &str, regions: &[BoundingRegion]) -> PlacedText {
        let page = regions.first().map_or(1, |region| region.page_number);
        let scale = (page as usize).checked_sub(1).and_then(|index| self.scales.get(index)).copied();
        let on_page = regions.iter().filter(|region| region.page_number == page);
        let boxes = on_page.filter_map(|region| rectangle(&region.polygon, scale?)).collect();
        PlacedText { text: text.trim().to_owned(), page, boxes }
    }

    fn table(&self, table: &super::response::ServiceTable) -> AnalysedTable {
        let cells = table.cells.iter().map(|cell| AnalysedCell {
            row: cell.row_index,
            column: cell.column_index,
            row_span: cell.row_span.unwrap_or(1),
            column_span: cell.column_span.unwrap_or(1),
            is_heading: matches!(cell.kind.as_deref(), Some("columnHeader" | "rowHeader" | "stubHead")),
            content: self.placed(&cell.content, &cell.bounding_regions),
        });
        AnalysedTable { rows: table.row_count, columns: table.column_count, cells: cells.collect() }
    }
}
