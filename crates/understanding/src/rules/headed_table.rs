//! Finds tables of visits without lines around their cells, whose columns stand so close together, or whose cells have so many
//! lines, that the gaps between words do not tell the cells. The head does: a word belongs to the column that starts before it.

use super::FieldFinder;
use super::layout::Token;
use super::ruled_table::{RuledCell, RuledColumn, RuledTable};
use super::segments::OTHER_OCCASION_WORDS;
use super::value_position::{TokenSpan, TokenSpans};
use super::visit_start::date_at;

/// The fewest and the most columns.
const COLUMNS: std::ops::RangeInclusive<usize> = 4..=16;
/// The fewest columns of a list with its own days.
const MIN_LIST_COLUMNS: usize = 3;
/// The most lines of a table.
const MAX_LINES: usize = 400;
/// The largest distance between two lines of a table, in line heights.
const MAX_LINE_DISTANCE: f32 = 4.0;
/// The least gap between the heads of two columns, in line heights.
const MIN_GAP: f32 = 0.5;
/// How far the words of a column may start before its head, in points.
const TOLERANCE: f32 = 4.0;
/// One line in that many may have a word that crosses the edge of its column.
const MAX_CROSSING: usize = 10;

/// The head of a column, and where it stands.
struct ColumnHead {
    span: TokenSpan,
    left: f32,
    right: f32,
}

impl FieldFinder<'_> {
    /// Adds the tables that only their heads divide into columns to those with lines.
    pub(super) fn find_headed_tables(&mut self) {
        if self.schema.visit_date().is_none() {
            return;
        }
        let mut row = 0;
        while row < self.layout.rows.len() {
            self.layout.count_step();
            match self.headed_table(row) {
                Some((table, end)) => {
                    self.add_ruled_table(table);
                    row = end;
                }
                None => row += 1,
            }
        }
    }

    /// The table whose head is this row, and the row after it.
    fn headed_table(&self, row: usize) -> Option<(RuledTable, usize)> {
        let heads = self.column_heads(row, true)?;
        let mut columns: Vec<RuledColumn> =
            heads.iter().map(|head| self.column_head(std::slice::from_ref(&head.span))).collect();
        let dated =
            columns.iter().position(|column| column.is_date).or_else(|| self.column_of_days(row, &heads))?;
        columns[dated].is_date = true;
        let mut rows: Vec<Vec<RuledCell>> = Vec::new();
        let (mut lines, mut crossing, mut is_needed) = (0, 0, false);
        let mut last = self.layout.rows[row].start;
        let mut next = row + 1;
        while next < self.layout.rows.len() && lines < MAX_LINES {
            let first = self.layout.rows[next].start;
            if self.is_running[next] || self.layout.cells[first].in_margin {
                next += 1;
                continue;
            }
            let parts = self.parts_of_line(next, &heads);
            // The rows of a list start with what is listed, or with the day.
            let starts = parts.iter().any(|(column, (cell, tokens))| {
                *column == dated
                    && date_at(&self.layout.cells[*cell].tokens, tokens.start, self.dates.order).is_some()
            });
            let is_same_page = self.layout.cells[first].page == self.layout.cells[last].page;
            let is_near = is_same_page && self.line_distance(last, first) <= MAX_LINE_DISTANCE;
            if !(starts || is_near && !rows.is_empty()) || !self.is_line_of_table(next, &heads) {
                break;
            }
            // Cells that gaps do not tell apart, or that go on in the next line.
            is_needed |= !starts || parts.windows(2).any(|pair| pair[0].1.0 == pair[1].1.0);
            crossing += usize::from(self.crosses_edge(&parts, &heads));
            if starts {
                rows.push(Vec::new());
            }
            push_line(rows.last_mut()?, parts, &heads);
            lines += 1;
            last = first;
            next += 1;
        }
        if rows.is_empty() || crossing * MAX_CROSSING > lines {
            return None;
        }
        self.end_last_column(&mut rows, heads.len() - 1);
        let may_be_visits = is_needed && dated < 2 && COLUMNS.contains(&heads.len());
        let may_be_list = lines < 2 * rows.len() && self.is_head_of_list(row, &columns);
        let is_wanted = |table: &RuledTable| {
            if table.is_of_visits() { may_be_visits } else { table.is_list() && may_be_list }
        };
        let table = self.table_of_rows(columns, rows).filter(is_wanted)?;
        Some((table, next))
    }

    /// The last column has no other to its right: it ends where its longest line does.
    fn end_last_column(&self, rows: &mut [Vec<RuledCell>], last: usize) {
        let lines = rows.iter().flatten().filter(|cell| cell.column == last).flat_map(|cell| &cell.lines);
        let ends = lines.filter_map(|(cell, tokens)| self.layout.cells[*cell].tokens[tokens.clone()].last());
        let right = ends.map(|token| token.rect.x1).fold(0.0, f32::max) + TOLERANCE;
        for cell in rows.iter_mut().flatten().filter(|cell| cell.column == last) {
            cell.right = right;
        }
    }

    /// Whether a row heads a list of what visits have several of. A row with figures has values.
    fn is_head_of_list(&self, row: usize, columns: &[RuledColumn]) -> bool {
        let mut words = self.layout.rows[row].clone().flat_map(|cell| &self.layout.cells[cell].tokens);
        let has_figures = words.any(|token| token.text.bytes().any(|b| b.is_ascii_digit()));
        !has_figures && columns.iter().filter_map(|column| column.key).any(|key| self.is_list_of_visits(key))
    }

    /// The column with a day in the row below a head, of a list whose head does not say so: "Vacuna | Administrada | Próxima".
    fn column_of_days(&self, row: usize, heads: &[ColumnHead]) -> Option<usize> {
        let below = Some(row + 1).filter(|below| *below < self.layout.rows.len())?;
        let parts = self.parts_of_line(below, heads);
        let has_day = |(column, (cell, tokens)): &&(usize, TokenSpan)| {
            let (own, words) = &heads[*column].span;
            let is_other = self.layout.cells[*own].tokens[words.clone()]
                .iter()
                .any(|token| OTHER_OCCASION_WORDS.contains(&token.word.as_str()));
            !is_other && date_at(&self.layout.cells[*cell].tokens, tokens.start, self.dates.order).is_some()
        };
        parts.iter().find(has_day).map(|(column, _)| *column)
    }

    /// The heads of the columns, if a row is made of labels. Of a list with its own days, half of them may be unknown.
    fn column_heads(&self, row: usize, may_be_list: bool) -> Option<Vec<ColumnHead>> {
        let mut heads: Vec<ColumnHead> = Vec::new();
        for cell in self.layout.rows[row].clone().take(*COLUMNS.end() + 1) {
            let it = &self.layout.cells[cell];
            if self.in_table[cell] || it.in_margin || it.tokens.iter().any(|token| token.colon) {
                return None;
            }
            for (at, token) in it.tokens.iter().enumerate() {
                let is_apart = at == 0 || token.rect.x0 - it.tokens[at - 1].rect.x1 > MIN_GAP * it.height();
                match heads.last_mut().filter(|_| !is_apart) {
                    Some(head) => {
                        head.span.1.end = at + 1;
                        head.right = token.rect.x1;
                    }
                    None => heads.push(ColumnHead {
                        span: (cell, at..at + 1),
                        left: token.rect.x0,
                        right: token.rect.x1,
                    }),
                }
            }
        }
        let is_label = |head: &&ColumnHead| {
            let (cell, tokens) = &head.span;
            self.labels.label_at_start(&self.layout.cells[*cell].tokens[tokens.clone()]).is_some()
        };
        let labels = heads.iter().filter(is_label).count();
        let count = heads.len();
        let is_table = COLUMNS.contains(&count) && 2 * labels > count;
        let is_list = (MIN_LIST_COLUMNS..=*COLUMNS.end()).contains(&count) && 2 * labels >= count;
        (is_table || (is_list && may_be_list)).then_some(heads)
    }

    /// Whether a row is no heading, no other head, no part of another table and not left of the table.
    fn is_line_of_table(&self, row: usize, heads: &[ColumnHead]) -> bool {
        let start = self.layout.rows[row].start;
        let first = &self.layout.cells[start];
        first.rect.x0 > heads[0].left - 2.0 * TOLERANCE
            && !self.in_table[start]
            && self.labels.heading(&first.tokens[first.first_word()..]).is_none()
            && !self.is_title_in_capitals(start)
            && !self.is_title(row, heads)
            && self.column_heads(row, false).is_none()
    }

    /// Whether a row is made of labels alone: the title of another table, at the edge of this one, or the head of it.
    fn is_title(&self, row: usize, heads: &[ColumnHead]) -> bool {
        let cells = self.layout.rows[row].clone();
        let is_at_edge = self.layout.cells[cells.start].rect.x0 <= heads[0].left + TOLERANCE;
        is_at_edge && cells.take(*COLUMNS.end()).all(|cell| self.sole_label(cell).is_some())
    }

    /// Whether a cell is a label in capitals and nothing else, in a table whose words are not in capitals: the title of what follows.
    fn is_title_in_capitals(&self, cell: usize) -> bool {
        let words = &self.layout.cells[cell].tokens;
        let is_capital = |token: &Token<'_>| !token.text.chars().any(char::is_lowercase);
        self.sole_label(cell).is_some() && words.iter().all(is_capital)
    }

    /// The words of a line, column by column.
    fn parts_of_line(&self, row: usize, heads: &[ColumnHead]) -> Vec<(usize, TokenSpan)> {
        let mut parts: Vec<(usize, TokenSpan)> = Vec::new();
        let column_at = |x0: f32| heads.iter().rposition(|head| x0 >= head.left - TOLERANCE).unwrap_or(0);
        for cell in self.layout.rows[row].clone() {
            let it = &self.layout.cells[cell];
            let first = column_at(it.rect.x0);
            // The figures of a column may end where its head does, and start before it.
            let is_figure = it.tokens.len() <= 2 && (it.rect.x0 - heads[first].left).abs() > TOLERANCE;
            let ends = heads.iter().position(|head| (it.rect.x1 - head.right).abs() <= TOLERANCE);
            if let Some(column) = ends.filter(|ends| is_figure && *ends == first + 1) {
                parts.push((column, (cell, it.token_range())));
                continue;
            }
            for (at, token) in it.tokens.iter().enumerate() {
                self.layout.count_step();
                let column = column_at(token.rect.x0);
                match parts.last_mut().filter(|(last, span)| span.0 == cell && *last >= column) {
                    Some((_, span)) => span.1.end = at + 1,
                    None => parts.push((column, (cell, at..at + 1))),
                }
            }
        }
        parts
    }

    /// Whether a word goes on beyond the edge of the next column.
    fn crosses_edge(&self, parts: &[(usize, TokenSpan)], heads: &[ColumnHead]) -> bool {
        parts.iter().any(|(column, (cell, tokens))| {
            let words = &self.layout.cells[*cell].tokens[tokens.clone()];
            let edge = heads.get(column + 1).map(|next| next.left);
            edge.is_some_and(|edge| words.iter().any(|word| word.rect.x1 > edge + TOLERANCE))
        })
    }
}

/// Adds the words of a line to the cells of a row.
fn push_line(row: &mut Vec<RuledCell>, parts: Vec<(usize, TokenSpan)>, heads: &[ColumnHead]) {
    for (column, span) in parts {
        if let Some(cell) = row.iter_mut().find(|cell| cell.column == column) {
            cell.lines.push(span);
            continue;
        }
        let right = heads.get(column + 1).map_or(f32::INFINITY, |next| next.left - TOLERANCE);
        let lines: TokenSpans = vec![span];
        row.push(RuledCell { column, lines, right });
    }
}
