//! Lines that stand together: an address, a letterhead, a column of the footer.

use crate::rules::layout::DocumentLayout;

/// The largest distance between lines of a block, in line heights.
const MAX_LINE_DISTANCE: f32 = 1.9;
/// How far apart the left edges of lines may be, in points.
const EDGE_TOLERANCE: f32 = 4.0;
/// The same for the right edges of lines that are aligned there.
const RIGHT_EDGE_TOLERANCE: f32 = 1.5;
/// The most blocks that may go on at the same time.
const MAX_OPEN: usize = 12;

#[derive(Default)]
pub(super) struct Blocks {
    /// The cells of each block, from top to bottom.
    pub cells: Vec<Vec<usize>>,
    /// The block of each cell.
    pub of_cell: Vec<usize>,
}

impl Blocks {
    /// `opens` tells whether a line begins a block, however near the line above it is.
    pub fn of(layout: &DocumentLayout<'_>, opens: &dyn Fn(usize) -> bool) -> Self {
        let mut blocks = Self { cells: Vec::new(), of_cell: Vec::with_capacity(layout.cells.len()) };
        let mut open: Vec<usize> = Vec::new();
        for (place, cell) in layout.cells.iter().enumerate() {
            let goes_on = |block: &usize| {
                layout.count_step();
                let Some(last) = blocks.cells[*block].last().map(|last| &layout.cells[*last]) else {
                    return false;
                };
                let distance = (cell.rect.y0 - last.rect.y0) / last.height().min(cell.height());
                let middle = |rect: quire_domain::reading::Rect| f32::midpoint(rect.x0, rect.x1);
                let is_aligned = (cell.rect.x0 - last.rect.x0).abs() <= EDGE_TOLERANCE
                    || (middle(cell.rect) - middle(last.rect)).abs() <= EDGE_TOLERANCE
                    || (cell.rect.x1 - last.rect.x1).abs() <= RIGHT_EDGE_TOLERANCE;
                last.page == cell.page && last.row != cell.row && distance <= MAX_LINE_DISTANCE && is_aligned
            };
            let goes_on = |block: &usize| goes_on(block) && !opens(place);
            let block = open.iter().rev().copied().find(goes_on).unwrap_or_else(|| {
                open.push(blocks.cells.len());
                blocks.cells.push(Vec::new());
                blocks.cells.len() - 1
            });
            if open.len() > MAX_OPEN {
                open.remove(0);
            }
            blocks.cells[block].push(place);
            blocks.of_cell.push(block);
        }
        blocks
    }
}
