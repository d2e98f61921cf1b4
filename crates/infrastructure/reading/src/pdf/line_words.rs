//! Collects the words of a line in reading order.

use quire_domain::reading::Word;

use super::bidi::{VisualWord, logical_order, logical_text};
use super::glyph::WORD_GAP;
use super::reading_order::{PlacedLine, ReadingOrder};
use super::words::{DrawnWord, PageText, PdfSpan};

/// Two drawn words that overlap by more than this share of the font size are never one word.
const MAX_OVERLAP: f32 = 0.2;

pub(super) struct LineWords<'p> {
    pub(super) page: &'p PageText,
    /// For each word of the page, whether it duplicates another one.
    pub(super) duplicates: &'p [bool],
    pub(super) order: &'p ReadingOrder,
}

impl<'p> LineWords<'p> {
    /// The words of a line in reading order.
    pub(super) fn of(&self, line: &PlacedLine) -> Vec<Word> {
        if self.page.has_right_to_left { self.bidirectional(line) } else { self.left_to_right(line) }
    }

    /// Whether the last word of a line ends with a character that ends sentences.
    pub(super) fn ends_sentence(&self, line: &PlacedLine) -> bool {
        let last = self.spans(line).next_back().and_then(|span| self.drawn_words(span).next_back());
        last.is_some_and(|word| self.page.text[word.text.clone()].ends_with(['.', ':', '!', '?']))
    }

    fn spans(&self, line: &PlacedLine) -> impl DoubleEndedIterator<Item = &'p PdfSpan> {
        let draw_indexes = &self.order.spans[line.spans.clone()];
        let page = self.page;
        draw_indexes.iter().filter_map(move |index| page.spans.get(usize::try_from(*index).ok()?))
    }

    fn drawn_words(&self, span: &PdfSpan) -> impl DoubleEndedIterator<Item = &'p DrawnWord> {
        let (page, duplicates) = (self.page, self.duplicates);
        span.words.clone().filter(move |word| !duplicates[*word]).map(move |word| &page.words[word])
    }

    fn left_to_right(&self, line: &PlacedLine) -> Vec<Word> {
        let mut words: Vec<Word> = Vec::new();
        self.for_each(line, |drawn, continues| {
            let text = &self.page.text[drawn.text.clone()];
            match words.last_mut().filter(|_| continues) {
                Some(word) => {
                    word.text.push_str(text);
                    word.rect = word.rect.union(drawn.rect);
                }
                None => words.push(Word::new(text, drawn.rect)),
            }
        });
        words
    }

    /// The words of a line of a page with right-to-left text.
    fn bidirectional(&self, line: &PlacedLine) -> Vec<Word> {
        let mut drawn: Vec<&DrawnWord> = Vec::new();
        for span in self.spans(line) {
            let start = drawn.len();
            drawn.extend(self.drawn_words(span));
            drawn[start..].sort_by(|a, b| a.start.total_cmp(&b.start));
        }
        let visual: Vec<VisualWord<'_>> = drawn
            .iter()
            .map(|word| VisualWord {
                text: &self.page.text[word.text.clone()],
                is_logical: word.drawn_right_to_left,
            })
            .collect();
        let word = |index: usize| Word::new(logical_text(&visual[index]), drawn[index].rect);
        logical_order(&visual).into_iter().map(word).collect()
    }

    /// Calls `visit` with each drawn word of a line, and whether it continues the one before it: some producers draw words
    /// letter by letter.
    fn for_each(&self, line: &PlacedLine, mut visit: impl FnMut(&'p DrawnWord, bool)) {
        let mut previous: Option<(f32, &PdfSpan)> = None;
        for span in self.spans(line) {
            let mut is_first = true;
            for word in self.drawn_words(span) {
                let continues =
                    is_first && previous.is_some_and(|(end, other)| touches(end, word.start, other, span));
                visit(word, continues);
                previous = Some((word.end, span));
                is_first = false;
            }
        }
    }
}

#[allow(clippy::cast_possible_truncation)] // A constant.
fn touches(end: f32, next_start: f32, span: &PdfSpan, next: &PdfSpan) -> bool {
    let gap = (next_start - end) / span.font_size.max(next.font_size);
    span.direction == next.direction && gap < WORD_GAP as f32 && gap > -MAX_OVERLAP
}
