//! Finds the label of a value: before it in its cell, in its row, above or below it.

use std::ops::Range;

use super::BusinessDocument;
use super::mentions::Form;
use super::parties::{ISSUER, RECIPIENT};
use super::party_words::AND_WORDS;
use super::phrases::{Meaning, phrase_words};
use super::weights;
use crate::normal::fold;
use crate::rules::layout::{Token, word_label_form};
use quire_domain::reading::Rect;

/// The most words before a value that may be its label.
const MAX_PHRASE_WORDS: usize = 12;
/// The most tokens at the end of a range that are read as a phrase.
const MAX_PHRASE_TOKENS: usize = 48;
/// The most cells of a row among which a label above or below is looked for. A longer row is no table head.
const MAX_CELLS_IN_ROW: usize = 64;
/// How far left and up a label is looked for, in cells and rows.
const MAX_CELLS_LEFT: usize = 6;
const MAX_ROWS_UP: usize = 6;
/// The largest distance of a label above or below its value, in line heights.
const MAX_DISTANCE_ABOVE: f32 = 2.8;
const MAX_DISTANCE_BELOW: f32 = 1.4;
/// The same for a head above others that have a second line, and the largest distance between the two lines of a head.
const MAX_DISTANCE_ABOVE_HEADS: f32 = 4.2;
const MAX_HEAD_LINE_DISTANCE: f32 = 1.6;
/// The most words of a head.
const MAX_HEAD_WORDS: usize = 6;
/// The most words between the two days of a period.
const MAX_WORDS_IN_PERIOD: usize = 3;
/// The least share of its phrase that a label must be.
const MIN_EXACTNESS: f64 = 0.5;

/// Words for what belongs to the reader and to the writer.
const YOUR: [&str; 12] =
    ["your", "su", "ihr", "ihre", "ihrer", "votre", "vos", "vostro", "vostra", "uw", "vosso", "v"];
const OUR: [&str; 9] = ["our", "nuestro", "unsere", "unser", "notre", "nostra", "nostro", "onze", "nosso"];

/// The label that says only that something is a number.
const BARE_NUMBER_LABEL: &str = "no";

/// Labels that say only that something is a date.
const BARE_DATE_LABELS: [&str; 4] = ["date", "datum", "data", "fecha"];
/// Words for a discount. A date beside one is not when to pay.
const DISCOUNT_WORDS: [&str; 12] = [
    "skonto",
    "skontiert",
    "rabatt",
    "escompte",
    "sconto",
    "korting",
    "betalingskorting",
    "discount",
    "descuento",
    "dto",
    "desconto",
    "kontant",
];
/// Words that separate two terms of payment.
const OR_WORDS: [&str; 12] =
    ["oder", "or", "ou", "o", "of", "sonst", "otherwise", "sinon", "oppure", "netto", "net", "ansonsten"];
/// The most words beside a date that may name a discount.
const MAX_WORDS_TO_DISCOUNT: usize = 8;
/// The least gap between words of two columns that stand close to each other, in line heights. A space is
/// narrower, also in a font whose letters all have one width.
const MIN_COLUMN_GAP: f32 = 0.7;
/// The most words of a line that is divided into such columns.
const MAX_COLUMN_WORDS: usize = 24;

/// The label of a value.
#[derive(Clone, Debug)]
pub(super) struct ValueLabel {
    pub meaning: Meaning,
    /// The cell of the label.
    pub cell: usize,
    pub weight: f64,
    /// The section that another word of the phrase names: "NIF (cliente)".
    pub section: Option<String>,
}

/// A label within some tokens.
struct LabelFound {
    meaning: Meaning,
    exactness: f64,
    is_at_end: bool,
    has_percent: bool,
    section: Option<String>,
}

impl BusinessDocument<'_> {
    /// The labels of a mention, the best first.
    pub(super) fn labels_of(&self, mention: usize) -> Vec<ValueLabel> {
        let it = &self.mentions.all[mention];
        if matches!(it.form, Form::Percent) {
            return Vec::new();
        }
        let is_amount = self.is_amount(mention);
        let (start, before) = self.phrase_before(mention);
        let words = start..it.tokens.start;
        if matches!(it.form, Form::Date) && self.is_of_discount(mention) {
            return Vec::new();
        }
        let column = self.column_of(it.cell, &it.tokens);
        // A label before the value may be that of another column.
        let has_colon = it.tokens.start > 0 && self.layout.cells[it.cell].tokens[it.tokens.start - 1].colon;
        let is_first_column =
            has_colon || column.start <= start || self.labels_above_apart(mention, &column).is_empty();
        if is_first_column && let Some(label) = self.label_inside(it.cell, &words) {
            return vec![label];
        }
        // "01.03.2024 bis 31.03.2024" is a period, and its end is not when to pay.
        let is_date = |other: usize| matches!(self.mentions.all[other].form, Form::Date);
        let ends_period = before.is_some_and(is_date) && words.len() <= MAX_WORDS_IN_PERIOD;
        if let Some(label) = self.lead_in(it.cell, &words).filter(|_| !ends_period) {
            return vec![label];
        }
        let is_short = self.phrase(it.cell, &words, true).len() <= 2;
        if before.is_some_and(|before| self.mentions.all[before].tokens.end <= column.start) {
            let above = self.labels_above_apart(mention, &column);
            if !above.is_empty() {
                return above;
            }
        }
        if let Some(before) = before.filter(|_| is_short) {
            let chained = self.labels[before]
                .first()
                .map(|label| ValueLabel { weight: weights::CHAINED, ..label.clone() });
            return chained.into_iter().collect();
        }
        if !is_short {
            return Vec::new();
        }
        let mut labels: Vec<ValueLabel> = Vec::new();
        labels.extend(self.label_beside(it.cell, is_amount));
        if labels.is_empty() || is_amount {
            labels.extend(self.label_above(it.cell, &column, is_amount));
        }
        if labels.is_empty() {
            labels.extend(self.label_below(it.cell));
        }
        labels
    }

    /// The label before a value in its cell. Words behind a comma say more than those before it.
    fn label_inside(&self, cell: usize, words: &Range<usize>) -> Option<ValueLabel> {
        let tokens = &self.layout.cells[cell].tokens;
        let comma = words.clone().rev().skip(1).find(|at| tokens[*at].text.ends_with([',', ';']));
        let behind = comma.and_then(|comma| {
            self.value_label_in(cell, &(comma + 1..words.end), weights::INSIDE, true)
                .filter(|label| label.meaning.key.is_some())
        });
        let label = behind.or_else(|| self.value_label_in(cell, words, weights::INSIDE, true))?;
        // "Main Road 14, no. 88": behind anything else in its cell, the word for a number says nothing.
        let stands_alone = words.start == 0 || tokens[words.start - 1].is_separator();
        let is_bare = label.meaning.words == BARE_NUMBER_LABEL;
        (!is_bare || (stands_alone && self.phrase(cell, words, true).len() == 1)).then_some(label)
    }

    /// Whether a date is the end of the time in which a discount is given: "2 % Skonto bis 05.03.2024".
    fn is_of_discount(&self, mention: usize) -> bool {
        let it = &self.mentions.all[mention];
        let tokens = &self.layout.cells[it.cell].tokens;
        let before = &tokens[it.tokens.start.saturating_sub(MAX_WORDS_TO_DISCOUNT)..it.tokens.start];
        let behind = &tokens[it.tokens.end..tokens.len().min(it.tokens.end + MAX_WORDS_TO_DISCOUNT)];
        let ends = |token: &Token<'_>| token.colon || token.text.ends_with([';', ',']);
        let is_other = |token: &Token<'_>| OR_WORDS.contains(&token.word.as_str());
        let is_discount = |token: &Token<'_>| {
            self.layout.count_step();
            DISCOUNT_WORDS.contains(&token.word.as_str())
        };
        let is_before =
            before.iter().rev().take_while(|token| !ends(token) && !is_other(token)).any(is_discount);
        if is_before || tokens[it.tokens.end - 1].text.ends_with([',', ';', '.']) {
            return is_before;
        }
        for token in behind.iter().take_while(|token| !is_other(token)) {
            if is_discount(token) {
                return true;
            }
            if ends(token) {
                return false;
            }
        }
        false
    }

    /// The words of a cell that stand in one column with some of its tokens. Columns of a narrow table are cells of their
    /// own only if the gap between them is wide.
    fn column_of(&self, cell: usize, tokens: &Range<usize>) -> Range<usize> {
        let it = &self.layout.cells[cell];
        if it.tokens.len() > MAX_COLUMN_WORDS || it.is_recognised {
            return it.token_range();
        }
        let is_apart = |at: usize| {
            self.layout.count_step();
            let (before, behind) = (it.tokens[at - 1].rect, it.tokens[at].rect);
            behind.x0 - before.x1 > MIN_COLUMN_GAP * (before.y1 - before.y0).max(1.0)
        };
        let start = (1..=tokens.start).rev().find(|at| is_apart(*at)).unwrap_or(0);
        let end = (tokens.end..it.tokens.len()).find(|at| is_apart(*at)).unwrap_or(it.tokens.len());
        start..end
    }

    fn rect_of(&self, cell: usize, tokens: &Range<usize>) -> Rect {
        let tokens = &self.layout.cells[cell].tokens[tokens.clone()];
        tokens.iter().skip(1).fold(tokens[0].rect, |all, token| all.union(token.rect))
    }

    /// The label above a value that stands in a column of its own within its cell.
    fn labels_above_apart(&self, mention: usize, column: &Range<usize>) -> Vec<ValueLabel> {
        let cell = self.mentions.all[mention].cell;
        if *column == self.layout.cells[cell].token_range() {
            return Vec::new();
        }
        self.label_above(cell, column, self.is_amount(mention)).into_iter().collect()
    }

    /// The words of a cell that stand above some place.
    fn column_at(&self, cell: usize, place: Rect) -> Option<Range<usize>> {
        let it = &self.layout.cells[cell];
        let all = it.token_range();
        if it.tokens.len() > MAX_COLUMN_WORDS {
            return are_in_column(it.rect, place).then_some(all);
        }
        let mut start = 0;
        let mut nearest: Option<(f32, Range<usize>)> = None;
        while start < all.end {
            let column = self.column_of(cell, &(start..start + 1));
            let rect = self.rect_of(cell, &column);
            let overlap = rect.x1.min(place.x1) - rect.x0.max(place.x0);
            if are_in_column(rect, place) && nearest.as_ref().is_none_or(|(most, _)| overlap > *most) {
                nearest = Some((overlap, column.clone()));
            }
            start = column.end;
        }
        nearest.map(|(_, column)| self.head_at(cell, column, place))
    }

    /// The head above some place, of several that stand so close together that they look like one: "Your order Delivery
    /// note Due date".
    fn head_at(&self, cell: usize, column: Range<usize>, place: Rect) -> Range<usize> {
        if column.len() < 2 || !self.mentions.in_cell(cell).is_empty() {
            return column;
        }
        let mut heads: Vec<Range<usize>> = Vec::new();
        let (mut known, mut is_open) = (0, false);
        let mut at = column.start;
        while at < column.end {
            let most = column.end.min(at + MAX_HEAD_WORDS);
            let end = (at + 1..=most).rev().find(|end| {
                self.layout.count_step();
                let words = self.phrase(cell, &(at..*end), true);
                !words.is_empty()
                    && self.phrases.longest(&words).is_some_and(|found| found.count == words.len())
            });
            known += usize::from(end.is_some());
            match heads.last_mut().filter(|_| is_open && end.is_none()) {
                // Words between two heads are one that nobody knows.
                Some(last) => last.end = at + 1,
                None => heads.push(at..end.unwrap_or(at + 1)),
            }
            is_open = end.is_none();
            at = end.unwrap_or(at + 1);
        }
        if known < 2 {
            return column;
        }
        let overlap = |head: &Range<usize>| {
            let rect = self.rect_of(cell, head);
            rect.x1.min(place.x1) - rect.x0.max(place.x0)
        };
        heads.into_iter().max_by(|one, two| overlap(one).total_cmp(&overlap(two))).unwrap_or(column)
    }

    /// Where the phrase before a mention starts, and the mention that it starts behind.
    fn phrase_before(&self, mention: usize) -> (usize, Option<usize>) {
        let it = &self.mentions.all[mention];
        let tokens = &self.layout.cells[it.cell].tokens;
        let mut start = it.tokens.start;
        while start > 0 && it.tokens.start - start < 2 * MAX_PHRASE_WORDS {
            self.layout.count_step();
            let token = start - 1;
            if let Some(other) = self.mentions.at(it.cell, token) {
                if !matches!(self.mentions.all[other].form, Form::Percent) {
                    return (start, Some(other));
                }
                start = self.mentions.all[other].tokens.start;
                continue;
            }
            let is_bar = tokens[token].text.contains(['|', '·', '•']);
            if is_bar || (tokens[token].colon && start < it.tokens.start) {
                break;
            }
            start = token;
        }
        (start, None)
    }

    /// The words of some tokens that are no mentions, with or without those in brackets.
    pub(super) fn phrase(&self, cell: usize, tokens: &Range<usize>, with_brackets: bool) -> Vec<String> {
        let mut words = Vec::new();
        let mut is_in_brackets = false;
        for at in tokens.end.saturating_sub(MAX_PHRASE_TOKENS).max(tokens.start)..tokens.end {
            self.layout.count_step();
            let text = self.layout.cells[cell].tokens[at].text;
            is_in_brackets |= text.starts_with('(');
            if self.mentions.at(cell, at).is_none() && (with_brackets || !is_in_brackets) {
                words.extend(phrase_words(text));
            }
            is_in_brackets &= !text.ends_with(')');
        }
        words.split_off(words.len().saturating_sub(MAX_PHRASE_WORDS))
    }

    fn label_in(&self, cell: usize, tokens: &Range<usize>) -> Option<LabelFound> {
        let all = self.phrase(cell, tokens, true);
        let outside = self.phrase(cell, tokens, false);
        let found = [&outside, &all].into_iter().find_map(|words| {
            let found = self.phrases.longest(words)?;
            let found = self.of_what(found, words, &all);
            let rest = words[found.start + found.count..].iter().chain(&words[..found.start]);
            let rest: Vec<String> = rest.cloned().collect();
            // A label that is repeated in another language makes the phrase longer, but not less exact.
            let again = self.phrases.longest(&rest).map_or(0, |again| again.count);
            #[allow(clippy::cast_precision_loss)] // A few words.
            let exactness = ((found.count + again) as f64 / words.len() as f64).min(1.0);
            Some((found.meaning.clone(), exactness, found.start + found.count == words.len()))
        });
        let (meaning, exactness, is_at_end) = match found {
            Some((meaning, exactness, is_at_end))
                if exactness >= MIN_EXACTNESS && (meaning.key.is_some() || !meaning.shared.is_empty()) =>
            {
                (meaning, exactness, is_at_end)
            }
            found => self.alternative(cell, tokens).map(|meaning| (meaning, 1.0, true)).or(found)?,
        };
        let has_percent = all.iter().any(|word| word == "%");
        let named = |word: &String| self.phrases.longest(std::slice::from_ref(word))?.meaning.section.clone();
        let section = meaning.section.clone().or_else(|| {
            let named = all.iter().find_map(named);
            named.or_else(|| self.phrases.longest(&all)?.meaning.section.clone()).or_else(|| self.owner(&all))
        });
        Some(LabelFound { meaning, exactness, is_at_end, has_percent, section })
    }

    /// The section of the party that a possessive names: "Your VAT number", "V/ NIF".
    fn owner(&self, words: &[String]) -> Option<String> {
        let has = |list: &[&str]| list.iter().any(|known| words.contains(&word_label_form(known)));
        let party = match () {
            () if has(&YOUR) => RECIPIENT,
            () if has(&OUR) => ISSUER,
            () => return None,
        };
        self.schema.keys[self.party_keys()[party]?].section.clone()
    }

    /// A label that is one of several joined by a slash: "Échéance / Mode de règlement".
    fn alternative(&self, cell: usize, tokens: &Range<usize>) -> Option<Meaning> {
        let from = tokens.end.saturating_sub(MAX_PHRASE_TOKENS).max(tokens.start);
        let words = (from..tokens.end).filter(|at| self.mentions.at(cell, *at).is_none());
        let text: Vec<&str> = words.map(|at| self.layout.cells[cell].tokens[at].text).collect();
        let text = text.join(" ");
        // "C.F. e P.IVA", "NIF y CIF".
        let words = text.split_whitespace();
        let joined = words.map(|word| if AND_WORDS.contains(&word) { "/" } else { word });
        let text = joined.collect::<Vec<_>>().join(" ");
        let mut parts = text.split('/').filter(|_| text.contains('/')).map(phrase_words);
        parts.find_map(|words| {
            let found = self.phrases.longest(&words).filter(|found| found.count == words.len())?;
            let is_known = found.meaning.key.is_some() || !found.meaning.shared.is_empty();
            is_known.then(|| found.meaning.clone())
        })
    }

    /// The label in some tokens. Within the cell of the value, a label directly before it needs not be the whole phrase.
    fn value_label_in(
        &self,
        cell: usize,
        tokens: &Range<usize>,
        weight: f64,
        is_same_cell: bool,
    ) -> Option<ValueLabel> {
        let found = self.label_in(cell, tokens)?;
        // "No." alone says little. Behind other words it is the number of something else.
        let is_bare = found.meaning.words == BARE_NUMBER_LABEL;
        // "Date" behind or before other words is the date of something else: "Date of departure".
        let is_whole = is_bare || BARE_DATE_LABELS.contains(&found.meaning.words.as_str());
        let least = if is_whole { 1.0 } else { MIN_EXACTNESS };
        let is_exact = found.exactness >= least || (is_same_cell && found.is_at_end && !is_whole);
        let weight = weight - if is_bare { weights::BARE_LABEL } else { 0.0 };
        (is_exact && !found.has_percent).then_some(ValueLabel {
            meaning: found.meaning,
            cell,
            weight: weight + weights::EXACTNESS * found.exactness,
            section: found.section,
        })
    }

    fn lead_in(&self, cell: usize, tokens: &Range<usize>) -> Option<ValueLabel> {
        let from = tokens.end.saturating_sub(5).max(tokens.start);
        let words = self.layout.cells[cell].tokens[from..tokens.end].iter();
        let words: Vec<String> = words.map(|token| fold(token.text.trim_start_matches('('))).collect();
        let key = self.phrases.lead_in(&words)?;
        let meaning = Meaning { key: Some(key), words: words.join(" "), ..Meaning::default() };
        Some(ValueLabel { meaning, cell, weight: weights::LEAD_IN, section: None })
    }

    /// Whether a cell has nothing but values and currencies.
    pub(super) fn is_values_only(&self, cell: usize) -> bool {
        let tokens = self.layout.cells[cell].token_range();
        let words = self.phrase(cell, &tokens, true);
        words.iter().all(|word| is_unit(word))
    }

    fn label_beside(&self, cell: usize, skips_values: bool) -> Option<ValueLabel> {
        let row = self.layout.rows[self.layout.cells[cell].row].clone();
        for left in (row.start..cell).rev().take(MAX_CELLS_LEFT) {
            self.layout.count_step();
            if self.is_values_only(left) {
                if skips_values {
                    continue;
                }
                return None;
            }
            // The label of another value in the same cell is taken.
            let is_taken = !skips_values && !self.mentions.in_cell(left).is_empty();
            let all = self.layout.cells[left].token_range();
            return self.value_label_in(left, &all, weights::BESIDE, false).filter(|_| !is_taken);
        }
        None
    }

    fn label_above(&self, cell: usize, column: &Range<usize>, skips_values: bool) -> Option<ValueLabel> {
        let it = &self.layout.cells[cell];
        let place = self.rect_of(cell, column);
        let mut last = cell;
        let mut most = MAX_DISTANCE_ABOVE;
        for row in (0..it.row).rev().take(MAX_ROWS_UP) {
            let cells = self.layout.rows[row].clone();
            if self.layout.cells[cells.start].page != it.page {
                return None;
            }
            let Some((above, words)) = self.words_above(row, place) else {
                // The heads of other columns may have a second line: the head of this one is as much further up.
                if last == cell && self.is_second_line_of_heads(row, cell) {
                    most = MAX_DISTANCE_ABOVE_HEADS;
                }
                continue;
            };
            if self.distance(above, last) > most {
                return None;
            }
            let has_value = words.clone().any(|at| self.mentions.at(above, at).is_some());
            let is_value = self.phrase(above, &words, true).iter().all(|word| is_unit(word));
            if is_value {
                if !skips_values {
                    return None;
                }
                last = above;
                continue;
            }
            if has_value {
                return None;
            }
            return self
                .head_of_two_lines(above, &words, place)
                .or_else(|| self.value_label_in(above, &words, weights::ABOVE, false));
        }
        None
    }

    /// The words of a row that stand above some place, and their cell.
    fn words_above(&self, row: usize, place: Rect) -> Option<(usize, Range<usize>)> {
        let mut cells = self.layout.rows[row].clone().take(MAX_CELLS_IN_ROW);
        cells.find_map(|above| {
            self.layout.count_step();
            let rect = self.layout.cells[above].rect;
            let is_near = rect.x0 - 4.0 <= place.x1 && place.x0 <= rect.x1 + 4.0;
            is_near.then(|| Some((above, self.column_at(above, place)?))).flatten()
        })
    }

    /// Whether a row directly above a cell has only words of heads, and the row above it has more of them.
    fn is_second_line_of_heads(&self, row: usize, cell: usize) -> bool {
        let cells = self.layout.rows[row].clone().take(MAX_CELLS_IN_ROW);
        let Some(above) = row.checked_sub(1).map(|above| self.layout.rows[above].clone()) else {
            return false;
        };
        let mut both = cells.clone().chain(above.clone().take(MAX_CELLS_IN_ROW));
        above.len() > 1
            && self.distance(cells.clone().next().unwrap_or(cell), cell) <= MAX_DISTANCE_ABOVE
            && self.distance(above.start, cells.clone().next().unwrap_or(cell)) <= MAX_HEAD_LINE_DISTANCE
            && both.all(|other| {
                self.layout.count_step();
                self.mentions.in_cell(other).is_empty()
            })
    }

    /// The label of a head whose words stand in two lines: "Due" above "date".
    fn head_of_two_lines(&self, lower: usize, words: &Range<usize>, place: Rect) -> Option<ValueLabel> {
        let it = &self.layout.cells[lower];
        let row = it.row.checked_sub(1)?;
        let first = self.layout.rows[row].start;
        if self.layout.cells[first].page != it.page {
            return None;
        }
        let rect = self.rect_of(lower, words).union(place);
        let (upper, above) = self.words_above(row, Rect { y0: it.rect.y0, y1: it.rect.y1, ..rect })?;
        if self.distance(upper, lower) > MAX_HEAD_LINE_DISTANCE || !self.mentions.in_cell(upper).is_empty() {
            return None;
        }
        let all = [self.phrase(upper, &above, true), self.phrase(lower, words, true)].concat();
        let found = self.phrases.longest(&all).filter(|found| found.count == all.len() && all.len() > 1)?;
        Some(ValueLabel {
            meaning: found.meaning.clone(),
            cell: lower,
            weight: weights::ABOVE + weights::EXACTNESS,
            section: found.meaning.section.clone(),
        })
    }

    fn label_below(&self, cell: usize) -> Option<ValueLabel> {
        let row = self.layout.cells[cell].row + 1;
        let mut cells = self.layout.rows.get(row)?.clone().take(MAX_CELLS_IN_ROW);
        let below = cells.find(|below| self.is_in_column(*below, cell))?;
        if self.distance(cell, below) > MAX_DISTANCE_BELOW || !self.mentions.in_cell(below).is_empty() {
            return None;
        }
        let label =
            self.value_label_in(below, &self.layout.cells[below].token_range(), weights::BELOW, false)?;
        (label.weight >= weights::BELOW + weights::EXACTNESS - 0.01).then_some(label)
    }

    /// Whether two cells stand in the same column.
    fn is_in_column(&self, one: usize, two: usize) -> bool {
        self.layout.count_step();
        are_in_column(self.layout.cells[one].rect, self.layout.cells[two].rect)
    }

    /// The distance of two cells, in line heights.
    pub(super) fn distance(&self, above: usize, below: usize) -> f32 {
        let (above, below) = (&self.layout.cells[above], &self.layout.cells[below]);
        (below.rect.y0 - above.rect.y0) / above.height().min(below.height())
    }
}

/// Whether two places are in the same column: they overlap, or end at the same position.
fn are_in_column(one: Rect, two: Rect) -> bool {
    let overlap = one.x1.min(two.x1) - one.x0.max(two.x0);
    let narrow = (one.x1 - one.x0).min(two.x1 - two.x0);
    overlap > 0.5 * narrow || (one.x1 - two.x1).abs() <= 4.0 || (one.x0 - two.x0).abs() <= 4.0
}

/// Whether a word only says what a number counts.
fn is_unit(word: &str) -> bool {
    word == "%" || crate::normal::is_currency_sign(word)
}
