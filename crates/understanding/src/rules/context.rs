//! Whom a part of the page speaks of: headings govern what stands below them, in their column.

use super::layout::Cell;

/// A heading and what it governs.
#[derive(Clone, Debug)]
struct Region {
    x0: f32,
    section: Option<String>,
    /// Whether something stood to its left, so that it has a column of its own.
    is_column: bool,
}

/// The headings that govern what comes next.
#[derive(Default)]
pub(super) struct HeadingContext {
    regions: Vec<Region>,
    /// The last labels that spoke of somebody: the row, the left edge, whom.
    recent_labels: Vec<(usize, f32, String)>,
}

/// How far apart left edges may be that are meant as one.
const EDGE_TOLERANCE: f32 = 12.0;
/// Rows after which a label no longer tells whom the next one speaks of.
const MAX_ROWS_APART: usize = 5;
/// Labels that are remembered.
const MAX_RECENT_LABELS: usize = 12;

impl HeadingContext {
    /// A heading opens its region. It ends those in its column, and those that had no column of their own.
    pub fn open_region(&mut self, cell: &Cell<'_>, section: Option<&str>, is_column: bool) {
        let x0 = cell.rect.x0;
        let ends = |region: &Region| {
            (region.x0 - x0).abs() <= EDGE_TOLERANCE || (region.x0 > x0 && !region.is_column)
        };
        self.regions.retain(|region| !ends(region));
        self.regions.push(Region { x0, section: section.map(str::to_owned), is_column });
        self.recent_labels.clear();
    }

    /// A cell that reaches across columns ends those that it crosses.
    pub fn close_crossed(&mut self, cell: &Cell<'_>) {
        let crosses = |region: &Region| {
            region.is_column
                && cell.rect.x0 < region.x0 - EDGE_TOLERANCE
                && cell.rect.x1 > region.x0 + EDGE_TOLERANCE
        };
        self.regions.retain(|region| !crosses(region));
    }

    /// Nothing governs any more.
    pub fn clear(&mut self) {
        self.regions.clear();
        self.recent_labels.clear();
    }

    /// The region that governs a place, as a number that tells it from others.
    pub fn region_at(&self, x0: f32) -> Option<usize> {
        let mut governing: Option<usize> = None;
        for (place, region) in self.regions.iter().enumerate() {
            if region.x0 > x0 + EDGE_TOLERANCE {
                continue;
            }
            // A column is nearer than what stands to its left; otherwise the later heading counts.
            let is_nearer = governing.is_none_or(|other| {
                let other = &self.regions[other];
                !other.is_column || region.x0 > other.x0
            });
            if is_nearer {
                governing = Some(place);
            }
        }
        governing
    }

    /// Whom the heading above a place speaks of.
    pub fn section_at(&self, x0: f32) -> Option<&str> {
        self.regions[self.region_at(x0)?].section.as_deref()
    }

    /// A label spoke of somebody.
    pub fn remember_label(&mut self, cell: &Cell<'_>, section: &str) {
        if self.recent_labels.len() >= MAX_RECENT_LABELS {
            self.recent_labels.remove(0);
        }
        self.recent_labels.push((cell.row, cell.rect.x0, section.to_owned()));
    }

    /// Of whom among these the nearest label before a place spoke.
    pub fn nearest_section(&self, cell: &Cell<'_>, among: &[&str]) -> Option<&str> {
        let is_near = |(row, x0, section): &&(usize, f32, String)| {
            let is_level = *row == cell.row;
            let is_above =
                cell.row - row <= MAX_ROWS_APART && (x0 - cell.rect.x0).abs() <= 4.0 * EDGE_TOLERANCE;
            (is_level || is_above) && among.contains(&section.as_str())
        };
        self.recent_labels.iter().rev().find(is_near).map(|(_, _, section)| section.as_str())
    }
}
