//! Tables without lines: gaps that run down several rows separate their columns.

use super::super::Word;
use super::rows::{PageWords, Segment, bounds, rows, text};
use super::{MAX_COLUMNS, Table, TableCell, is_figure};

/// Rows that are further apart, in heights, are not of one table.
const MAX_ROW_DISTANCE: f32 = 2.4;
/// Rows of a form and of a table that are further apart, in heights, are not of one table.
const MIN_FORM_DISTANCE: f32 = 0.8;
/// Lines of one cell are not further apart, in heights.
const MAX_LINE_DISTANCE: f32 = 1.5;
/// A table has so many rows at least.
const MIN_ROWS: usize = 3;
/// The largest share of rows whose words may stand in the gap between two columns: heads over several columns.
const MAX_CROSSING: f32 = 0.2;
/// Columns of prose have more words in a cell.
const MAX_CELL_WORDS: f32 = 8.0;

type Row<'p> = Vec<Segment<'p>>;

/// The tables among these words.
pub(super) fn tables(words: &PageWords<'_>, page: usize) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut block: Vec<Row<'_>> = Vec::new();
    for row in rows(words) {
        let distance = block.last().map_or(0.0, |last| bottom_to_top(last, &row));
        let continues = row.len() > 1 || (!block.is_empty() && distance <= words.height * 0.8);
        // A form of labels with colons ends where a table begins.
        let is_other = block.last().is_some_and(|last| is_form(last) != is_form(&row));
        let is_apart = distance > words.height * if is_other { MIN_FORM_DISTANCE } else { MAX_ROW_DISTANCE };
        if !continues || is_apart {
            tables.extend(table(std::mem::take(&mut block), words.height, page));
        }
        if continues {
            block.push(row);
        }
    }
    tables.extend(table(block, words.height, page));
    tables
}

/// Whether a row has a label with a colon.
fn is_form(row: &Row<'_>) -> bool {
    row.iter().flat_map(|segment| &segment.words).any(|word| word.text.ends_with(':'))
}

fn bottom_to_top(above: &Row<'_>, below: &Row<'_>) -> f32 {
    let bottom = above.iter().map(|segment| segment.rect.y1).fold(f32::NEG_INFINITY, f32::max);
    below.iter().map(|segment| segment.rect.y0).fold(f32::INFINITY, f32::min) - bottom
}

fn table(mut block: Vec<Row<'_>>, height: f32, page: usize) -> Option<Table> {
    // Single words above and below are no part of the table.
    while block.last().is_some_and(|row| row.len() == 1) {
        block.pop();
    }
    let start = block.iter().position(|row| row.len() > 1)?;
    block.drain(..start);
    if block.len() < MIN_ROWS {
        return None;
    }
    let separators = separators(&block);
    let columns = separators.len() + 1;
    if !(2..=MAX_COLUMNS).contains(&columns) {
        return None;
    }
    let placed = block.iter().map(|row| PlacedRow::of(row, &separators));
    let placed = join_lines(placed, height);
    let table = build(&placed, columns, height, page);
    is_table(&table).then(|| table.with_head())
}

/// The gaps between columns: stretches in which hardly any row has words.
fn separators(block: &[Row<'_>]) -> Vec<(f32, f32)> {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    // A few rows.
    let crossing = (block.len() as f32 * MAX_CROSSING) as i32;
    let mut edges: Vec<(f32, i32)> = Vec::new();
    for segment in block.iter().flatten() {
        edges.extend([(segment.rect.x0, 1), (segment.rect.x1, -1)]);
    }
    edges.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
    let (mut depth, mut gaps, mut open) = (0, Vec::new(), None);
    for (x, step) in edges {
        let before = depth;
        depth += step;
        if before > crossing && depth <= crossing {
            open = Some(x);
        } else if before <= crossing && depth > crossing {
            gaps.extend(open.take().filter(|from| x - from > 1.0).map(|from| (from, x)));
        }
    }
    gaps
}

/// A row with the words of each column, and the column in which a cell over several columns ends.
struct PlacedRow<'p> {
    /// First column, number of columns, words.
    cells: Vec<(usize, usize, Vec<&'p Word>)>,
    top: f32,
    bottom: f32,
}

impl<'p> PlacedRow<'p> {
    fn of(row: &Row<'p>, separators: &[(f32, f32)]) -> Self {
        let column_of = |x: f32| separators.partition_point(|(from, to)| f32::midpoint(*from, *to) < x);
        let mut cells: Vec<(usize, usize, Vec<&'p Word>)> = Vec::new();
        for segment in row {
            let (first, last) = (column_of(segment.rect.x0 + 0.5), column_of(segment.rect.x1 - 0.5));
            let crosses = |word: &Word| {
                separators.iter().any(|(from, to)| {
                    word.rect.x0 < f32::midpoint(*from, *to) && f32::midpoint(*from, *to) < word.rect.x1
                })
            };
            if first == last || segment.words.iter().any(|word| crosses(word)) || segment.words.len() == 1 {
                push(&mut cells, first, last - first + 1, segment.words.clone());
            } else {
                for word in &segment.words {
                    push(&mut cells, column_of(f32::midpoint(word.rect.x0, word.rect.x1)), 1, vec![word]);
                }
            }
        }
        let top = row.iter().map(|segment| segment.rect.y0).fold(f32::INFINITY, f32::min);
        let bottom = row.iter().map(|segment| segment.rect.y1).fold(f32::NEG_INFINITY, f32::max);
        Self { cells, top, bottom }
    }

    fn has(&self, column: usize) -> bool {
        self.cells.iter().any(|(first, span, _)| (*first..first + span).contains(&column))
    }

    fn continues(&self, above: &Self, height: f32) -> bool {
        !self.has(0)
            && self.top - above.bottom <= height * (MAX_LINE_DISTANCE - 1.0)
            && self.cells.iter().all(|(column, span, words)| {
                let is_words = !is_figure(&text(words, height));
                *span == 1 && is_words && above.has(*column) && !above.is_merged_over(*column)
            })
    }

    fn is_merged_over(&self, column: usize) -> bool {
        self.cells.iter().any(|(first, span, _)| *span > 1 && (*first..first + span).contains(&column))
    }
}

/// Adds words to the cell that begins in a column.
fn push<'p>(
    cells: &mut Vec<(usize, usize, Vec<&'p Word>)>,
    column: usize,
    span: usize,
    words: Vec<&'p Word>,
) {
    match cells.iter_mut().find(|(first, ..)| *first == column) {
        Some((_, known, content)) => {
            *known = (*known).max(span);
            content.extend(words);
        }
        None => cells.push((column, span, words)),
    }
}

/// Joins a row with the one above if it is its second line: it has no first cell, no figures, and stands close below.
fn join_lines<'p>(placed: impl Iterator<Item = PlacedRow<'p>>, height: f32) -> Vec<PlacedRow<'p>> {
    let mut rows: Vec<PlacedRow<'p>> = Vec::new();
    for row in placed {
        match rows.last_mut() {
            Some(above) if row.continues(above, height) => {
                above.bottom = row.bottom;
                for (column, span, words) in row.cells {
                    push(&mut above.cells, column, span, words);
                }
            }
            _ => rows.push(row),
        }
    }
    rows
}

fn build(rows: &[PlacedRow<'_>], columns: usize, height: f32, page: usize) -> Table {
    let mut cells = Vec::new();
    for (row, placed) in rows.iter().enumerate() {
        let mut of_row: Vec<&(usize, usize, Vec<&Word>)> = placed.cells.iter().collect();
        of_row.sort_by_key(|(column, ..)| *column);
        for (column, span, words) in of_row {
            let Some(rect) = bounds(words) else { continue };
            let text = text(words, height);
            cells.push(TableCell {
                row,
                column: *column,
                column_span: *span,
                row_span: 1,
                text,
                page,
                rect,
                area: rect,
            });
        }
    }
    Table { columns, rows: rows.len(), head_rows: 0, cells }
}

/// Whether rows and columns are a table and not prose or a list of labels.
fn is_table(table: &Table) -> bool {
    #[allow(clippy::cast_precision_loss)] // Small counts.
    let share = |part: usize, whole: usize| if whole == 0 { 0.0 } else { part as f32 / whole as f32 };
    let words: usize = table.cells.iter().map(|cell| cell.text.split(' ').count()).sum();
    let figures = |column: usize| {
        let of_column = || table.cells.iter().filter(|cell| cell.column == column);
        share(of_column().filter(|cell| is_figure(&cell.text)).count(), of_column().count()) >= 0.6
    };
    table.rows >= MIN_ROWS
        && share(table.cells.len(), table.rows * table.columns) >= 0.4
        && share(words, table.cells.len()) <= MAX_CELL_WORDS
        && (table.columns > 2 || (0..2).any(figures))
}
