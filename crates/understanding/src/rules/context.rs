//! Tracks which section each part of a page is about: a heading governs the text below it, in its column.

use super::layout::Cell;

/// A heading and the part of the page that it governs.
#[derive(Clone, Debug)]
struct Region {
    x0: f32,
    section: Option<String>,
    /// Whether another cell stood to its left, so that the heading has a column of its own.
    is_column: bool,
}

/// The headings and labels that tell what the next cells are about.
#[derive(Default)]
pub(super) struct HeadingContext {
    regions: Vec<Region>,
    /// The latest labels: row, left edge, section.
    recent_labels: Vec<(usize, f32, String)>,
}

/// How far apart two left edges may be that count as aligned, in points.
const EDGE_TOLERANCE: f32 = 12.0;
/// The number of rows within which a label tells the section of the next label.
const MAX_ROWS_APART: usize = 5;
/// The most labels that are remembered.
const MAX_RECENT_LABELS: usize = 12;

impl HeadingContext {
    /// Opens the region of a heading. It ends the regions in its column and those without a column of their own.
    pub fn open_region(&mut self, cell: &Cell<'_>, section: Option<&str>, is_column: bool) {
        let x0 = cell.rect.x0;
        let ends = |region: &Region| {
            (region.x0 - x0).abs() <= EDGE_TOLERANCE || (region.x0 > x0 && !region.is_column)
        };
        self.regions.retain(|region| !ends(region));
        self.regions.push(Region { x0, section: section.map(str::to_owned), is_column });
        self.recent_labels.retain(|(_, label, _)| is_column && *label < x0 - EDGE_TOLERANCE);
    }

    /// Ends the columns that a cell crosses.
    pub fn close_crossed(&mut self, cell: &Cell<'_>) {
        let crosses = |region: &Region| {
            region.is_column
                && cell.rect.x0 < region.x0 - EDGE_TOLERANCE
                && cell.rect.x1 > region.x0 + EDGE_TOLERANCE
        };
        self.regions.retain(|region| !crosses(region));
    }

    /// Ends all regions and forgets all labels.
    pub fn clear(&mut self) {
        self.regions.clear();
        self.recent_labels.clear();
    }

    /// The index of the region that governs a horizontal position.
    pub fn region_at(&self, x0: f32) -> Option<usize> {
        let mut governing: Option<usize> = None;
        for (place, region) in self.regions.iter().enumerate() {
            if region.x0 > x0 + EDGE_TOLERANCE {
                continue;
            }
            // A column governs before the regions to its left. Otherwise the later heading governs.
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

    /// The section of the heading that governs a horizontal position.
    pub fn section_at(&self, x0: f32) -> Option<&str> {
        self.regions[self.region_at(x0)?].section.as_deref()
    }

    /// Remembers the section of a label.
    pub fn remember_label(&mut self, cell: &Cell<'_>, section: &str) {
        if self.recent_labels.len() >= MAX_RECENT_LABELS {
            self.recent_labels.remove(0);
        }
        self.recent_labels.push((cell.row, cell.rect.x0, section.to_owned()));
    }

    /// The section, among these, of a label that stands above a cell in its column, where no heading of that column governs.
    pub fn column_section(&self, cell: &Cell<'_>, among: &[&str]) -> Option<&str> {
        let governing = self.region_at(cell.rect.x0).map(|region| self.regions[region].x0);
        if governing.is_some_and(|x0| (x0 - cell.rect.x0).abs() <= EDGE_TOLERANCE) {
            return None;
        }
        let is_above = |(row, x0, section): &&(usize, f32, String)| {
            let is_aligned =
                (x0 - cell.rect.x0).abs() <= EDGE_TOLERANCE && cell.rect.x0 > 4.0 * EDGE_TOLERANCE;
            is_aligned
                && *row < cell.row
                && cell.row - row <= MAX_ROWS_APART
                && among.contains(&section.as_str())
        };
        self.recent_labels.iter().rev().find(is_above).map(|(_, _, section)| section.as_str())
    }

    /// The section, among these, of the last label in the row of a cell.
    pub fn level_section(&self, cell: &Cell<'_>, among: &[&str]) -> Option<&str> {
        let is_level = |(row, x0, section): &&(usize, f32, String)| {
            *row == cell.row && *x0 < cell.rect.x0 && among.contains(&section.as_str())
        };
        self.recent_labels.iter().rev().find(is_level).map(|(_, _, section)| section.as_str())
    }

    /// The section, among these, of the nearest label before a cell.
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
