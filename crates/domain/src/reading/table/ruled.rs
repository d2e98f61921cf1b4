//! Tables whose cells have lines around them.

use super::super::{Page, Rect, Word};
use super::rows::{PageWords, bounds, text};
use super::{MAX_COLUMNS, Table, TableCell};

/// A page with more rulings has a drawing, not a table.
const MAX_RULINGS: usize = 400;
/// Lines that are nearer, in points, are one.
const SAME: f32 = 3.0;

/// The lines of one table.
#[derive(Default)]
struct Grid {
    across: Vec<Rect>,
    down: Vec<Rect>,
}

/// The ruled tables of a page, and the words outside of them.
pub(super) fn tables<'p>(page: &Page, words: PageWords<'p>, number: usize) -> (Vec<Table>, PageWords<'p>) {
    let PageWords { mut words, height } = words;
    let mut tables = Vec::new();
    for grid in grids(&page.rulings) {
        let (xs, ys) =
            (places(grid.down.iter().map(|line| line.x0)), places(grid.across.iter().map(|line| line.y0)));
        if xs.len() < 3 || ys.len() < 3 || xs.len() > MAX_COLUMNS + 1 {
            continue;
        }
        let (left, right, top, bottom) = (xs[0], xs[xs.len() - 1], ys[0], ys[ys.len() - 1]);
        let is_inside = |word: &&Word| {
            let (x, y) = middle(word);
            x > left && x < right && y > top && y < bottom
        };
        let (inside, outside): (Vec<&Word>, Vec<&Word>) = words.into_iter().partition(is_inside);
        words = outside;
        if inside.is_empty() {
            continue;
        }
        tables.push(grid.table(&xs, &ys, &inside, height, number));
    }
    (tables, PageWords { words, height })
}

/// The rulings that touch each other, as grids.
fn grids(rulings: &[Rect]) -> Vec<Grid> {
    if rulings.len() > MAX_RULINGS {
        return Vec::new();
    }
    let mut group: Vec<usize> = (0..rulings.len()).collect();
    for one in 0..rulings.len() {
        for other in 0..one {
            if touch(rulings[one], rulings[other]) {
                let (from, to) = (group[one], group[other]);
                if from != to {
                    group.iter_mut().filter(|group| **group == from).for_each(|group| *group = to);
                }
            }
        }
    }
    let mut names: Vec<usize> = group.clone();
    names.sort_unstable();
    names.dedup();
    let grid = |name: &usize| {
        let mut grid = Grid::default();
        for (line, _) in rulings.iter().zip(&group).filter(|(_, group)| *group == name) {
            if line.x1 - line.x0 >= line.y1 - line.y0 {
                grid.across.push(*line);
            } else {
                grid.down.push(*line);
            }
        }
        grid
    };
    names.iter().map(grid).collect()
}

fn touch(one: Rect, other: Rect) -> bool {
    one.x0 <= other.x1 + SAME
        && other.x0 <= one.x1 + SAME
        && one.y0 <= other.y1 + SAME
        && other.y0 <= one.y1 + SAME
}

/// The distinct places, in order.
fn places(values: impl Iterator<Item = f32>) -> Vec<f32> {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.dedup_by(|later, earlier| *later - *earlier < SAME);
    values
}

fn middle(word: &Word) -> (f32, f32) {
    (f32::midpoint(word.rect.x0, word.rect.x1), f32::midpoint(word.rect.y0, word.rect.y1))
}

impl Grid {
    fn table(&self, xs: &[f32], ys: &[f32], words: &[&Word], height: f32, page: usize) -> Table {
        let (columns, rows) = (xs.len() - 1, ys.len() - 1);
        let origins = self.origins(xs, ys);
        let mut content: Vec<Vec<&Word>> = vec![Vec::new(); columns * rows];
        for word in words {
            let (x, y) = middle(word);
            let column = xs.partition_point(|edge| *edge <= x).clamp(1, columns) - 1;
            let row = ys.partition_point(|edge| *edge <= y).clamp(1, rows) - 1;
            content[origins[row * columns + column]].push(word);
        }
        let mut spans = vec![(1, 1); columns * rows];
        for (place, origin) in origins.iter().enumerate() {
            let (across, down) =
                (place % columns - origin % columns + 1, place / columns - origin / columns + 1);
            spans[*origin] = (across.max(spans[*origin].0), down.max(spans[*origin].1));
        }
        let mut cells = Vec::new();
        for (place, words) in content.iter().enumerate() {
            let Some(rect) = bounds(words) else { continue };
            let (row, column) = (place / columns, place % columns);
            let (column_span, row_span) = spans[place];
            let (right, bottom) = ((column + column_span).min(columns), (row + row_span).min(rows));
            let area = Rect { x0: xs[column], y0: ys[row], x1: xs[right], y1: ys[bottom] };
            cells.push(TableCell {
                row,
                column,
                column_span,
                row_span,
                text: text(words, height),
                page,
                rect,
                area,
            });
        }
        Table { columns, rows, head_rows: 0, cells }.with_head()
    }

    /// For each place of the grid the place where its cell begins: where a line is missing, two places are one cell.
    fn origins(&self, xs: &[f32], ys: &[f32]) -> Vec<usize> {
        let (columns, rows) = (xs.len() - 1, ys.len() - 1);
        let mut origins: Vec<usize> = (0..columns * rows).collect();
        for row in 0..rows {
            for column in 0..columns {
                let (x, y) = (f32::midpoint(xs[column], xs[column + 1]), f32::midpoint(ys[row], ys[row + 1]));
                let place = row * columns + column;
                let open_left = column > 0
                    && !self
                        .down
                        .iter()
                        .any(|line| (line.x0 - xs[column]).abs() < SAME && line.y0 <= y && y <= line.y1);
                let open_above = row > 0
                    && !self
                        .across
                        .iter()
                        .any(|line| (line.y0 - ys[row]).abs() < SAME && line.x0 <= x && x <= line.x1);
                if open_left {
                    origins[place] = origins[place - 1];
                } else if open_above {
                    origins[place] = origins[place - columns];
                }
            }
        }
        origins
    }
}
