//! Parses tesseract's `tsv` output: a table of boxes, of which those of level 5 are words.

use quire_domain::reading::{Line, Rect, Word};

/// Words below this confidence, in percent, are specks or lines that look like letters.
const MIN_CONFIDENCE: f32 = 10.0;
const WORD_LEVEL: &str = "5";

/// The lines of a page. `place` gives the position of a rectangle of pixels on the page. Invalid rows are skipped.
pub(super) fn parse_lines(table: &str, place: impl Fn(Rect) -> Option<Rect>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let (mut last_line, mut last_paragraph) = (None, None);
    for row in table.lines().filter_map(TsvRow::parse) {
        let Some(rect) = place(row.rect()) else { continue };
        let paragraph = (row.block, row.paragraph);
        let line = (paragraph, row.line);
        if last_line != Some(line) {
            lines.push(Line { words: Vec::new(), opens_paragraph: last_paragraph != Some(paragraph) });
            (last_line, last_paragraph) = (Some(line), Some(paragraph));
        }
        if let Some(line) = lines.last_mut() {
            line.words.push(Word::recognised(row.text, rect, row.confidence / 100.0));
        }
    }
    lines
}

struct TsvRow<'t> {
    block: u32,
    paragraph: u32,
    line: u32,
    left: f32,
    top: f32,
    width: f32,
    height: f32,
    confidence: f32,
    text: &'t str,
}

impl<'t> TsvRow<'t> {
    fn parse(row: &'t str) -> Option<Self> {
        let mut columns = row.splitn(12, '\t');
        if columns.next()? != WORD_LEVEL {
            return None;
        }
        let _page = columns.next()?;
        let mut number = || columns.next()?.parse().ok();
        let (block, paragraph, line, _word) = (number()?, number()?, number()?, number()?);
        let mut measure = || columns.next()?.parse().ok().filter(|value: &f32| value.is_finite());
        let (left, top, width, height) = (measure()?, measure()?, measure()?, measure()?);
        let confidence: f32 = measure()?;
        let text = columns.next()?.trim();
        let is_word = confidence >= MIN_CONFIDENCE && !text.is_empty();
        is_word.then_some(Self { block, paragraph, line, left, top, width, height, confidence, text })
    }

    fn rect(&self) -> Rect {
        let Self { left, top, width, height, .. } = self;
        Rect { x0: *left, y0: *top, x1: left + width, y1: top + height }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TABLE: &str = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
        1\t1\t0\t0\t0\t0\t0\t0\t2480\t3508\t-1\t\n\
        5\t1\t1\t1\t1\t1\t100\t200\t80\t40\t96.5\tPeso:\n\
        5\t1\t1\t1\t1\t2\t200\t200\t60\t40\t91.0\t4,2\n\
        5\t1\t1\t1\t2\t1\t100\t260\t60\t40\t95.0\tkg\n\
        5\t1\t1\t2\t1\t1\t100\t400\t60\t40\t95.0\tfin\n\
        5\t1\t2\t1\t1\t1\t100\t500\t60\t40\t4.0\t~\n\
        5\t1\t2\t1\t1\t2\t100\t500\t60\t40\t88.0\t \n";

    /// Four pixels are a point.
    #[allow(clippy::unnecessary_wraps)]
    fn quarter(Rect { x0, y0, x1, y1 }: Rect) -> Option<Rect> {
        Some(Rect { x0: x0 / 4.0, y0: y0 / 4.0, x1: x1 / 4.0, y1: y1 / 4.0 })
    }

    #[test]
    fn words_are_grouped_into_lines_and_paragraphs_with_boxes_in_points() {
        let lines = parse_lines(TABLE, quarter);
        let texts: Vec<Vec<&str>> =
            lines.iter().map(|line| line.words.iter().map(|word| word.text.as_str()).collect()).collect();
        assert_eq!(texts, [vec!["Peso:", "4,2"], vec!["kg"], vec!["fin"]]);
        assert_eq!(lines.iter().map(|line| line.opens_paragraph).collect::<Vec<_>>(), [true, false, true]);
        assert_eq!(lines[0].words[0].rect, Rect { x0: 25.0, y0: 50.0, x1: 45.0, y1: 60.0 });
        let confidence =
            |line: usize| lines[line].words.iter().map(|word| word.confidence).collect::<Vec<_>>();
        assert_eq!((confidence(0), confidence(1)), (vec![Some(0.97), Some(0.91)], vec![Some(0.95)]));
        assert_eq!(parse_lines(TABLE, |_| None), [], "a word that is nowhere on the page");
    }

    proptest! {
        #[test]
        fn any_table_gives_lines_with_words_or_no_lines(table in "([0-9a-z\t\n.-]|5\t1\t){0,300}") {
            prop_assert!(parse_lines(&table, quarter).iter().all(|line| !line.words.is_empty()));
        }
    }
}
