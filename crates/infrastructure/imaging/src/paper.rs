//! Finds a sheet of paper in a photograph: a bright quadrilateral on something darker.
//!
//! What lies outside the sheet is cut off, so a sheet counts only if at least three of its sides are seen, and if nothing
//! that may be text lies beside it.

use crate::Gray;
use crate::projection::Point;

/// The side of a block in pixels. Its brightest pixel is paper, even between letters.
const BLOCK: usize = 4;
/// The shares of the usual threshold between dark and bright that are tried.
const THRESHOLDS: [f64; 3] = [1.0, 0.8, 0.65];
/// How much brighter the sheet must be than what lies around it.
const MIN_DIFFERENCE: f64 = 40.0;
/// The smallest share of the image that a sheet covers, and the largest.
const SHARES: std::ops::Range<f64> = 0.2..0.96;
/// The smallest share of the blocks inside its corners that are bright.
const MIN_FILLED: f64 = 0.8;
/// The largest share of its blocks that are outside its corners.
const MAX_OUTSIDE: f64 = 0.04;
/// The distance of a side from the side of the image from which on it is seen, as a share of the image.
const SEEN: f64 = 0.012;
/// How many more edges there may be inside the sheet, in the same area, than outside.
const MAX_OUTSIDE_EDGES: f64 = 0.3;
/// The difference between two neighbours that is an edge of a letter.
const EDGE: u8 = 50;

/// The corners of the sheet, from the top left one clockwise. `None` if the image shows no sheet on something else.
pub(crate) fn find(image: &Gray) -> Option<[Point; 4]> {
    let blocks = Blocks::of(image)?;
    let threshold = f64::from(blocks.threshold()?);
    // Part of the sheet may be in the shadow.
    THRESHOLDS.iter().find_map(|share| sheet_brighter_than(image, &blocks, (threshold * share) as u8))
}

fn sheet_brighter_than(image: &Gray, blocks: &Blocks, threshold: u8) -> Option<[Point; 4]> {
    let sheet = blocks.largest_brighter_than(threshold)?;
    let corners = sheet.corners()?;
    let is_plausible = sheet.fills(&corners) && seen_sides(&corners, &sheet) >= 3;
    // The brightest pixel of a block at the rim may be the only one of the sheet; one block further in all are.
    let corners = corners.map(|(x, y)| (x * BLOCK as f64, y * BLOCK as f64));
    (is_plausible && has_text_inside_only(image, &corners)).then_some(corners)
}

/// The brightest pixel of each block.
struct Blocks {
    width: usize,
    height: usize,
    values: Vec<u8>,
}

impl Blocks {
    fn of(image: &Gray) -> Option<Self> {
        let (width, height) = (image.width() / BLOCK, image.height() / BLOCK);
        let mut values = vec![0; width * height];
        for (y, row) in image.rows().enumerate().take(height * BLOCK) {
            let values = &mut values[y / BLOCK * width..][..width];
            for (value, block) in values.iter_mut().zip(row.as_chunks::<BLOCK>().0) {
                *value = block.iter().copied().fold(*value, u8::max);
            }
        }
        (width > 20 && height > 20).then_some(Self { width, height, values })
    }

    /// The brightness that separates the image best into dark and bright (Otsu). `None` if they differ too little.
    fn threshold(&self) -> Option<u8> {
        let mut counts = [0.0; 256];
        self.values.iter().for_each(|value| counts[usize::from(*value)] += 1.0);
        let all = self.values.len() as f64;
        let sum: f64 = counts.iter().enumerate().map(|(value, count)| value as f64 * count).sum();
        let (mut dark, mut dark_sum) = (0.0, 0.0);
        let mut best: Option<(f64, u8, f64)> = None;
        for (value, count) in (0u8..=255).zip(counts) {
            dark += count;
            dark_sum += f64::from(value) * count;
            if dark < 1.0 || dark >= all {
                continue;
            }
            let difference = (sum - dark_sum) / (all - dark) - dark_sum / dark;
            let separation = dark * (all - dark) * difference * difference;
            if best.is_none_or(|(found, ..)| separation > found) {
                best = Some((separation, value, difference));
            }
        }
        best.filter(|(.., difference)| *difference >= MIN_DIFFERENCE).map(|(_, value, _)| value)
    }

    /// The largest group of neighbouring blocks that are brighter than this.
    fn largest_brighter_than(&self, threshold: u8) -> Option<Sheet> {
        let mut group_of = vec![0u32; self.values.len()];
        let (mut groups, mut largest, mut largest_size) = (0, 0, 0);
        let mut waiting = Vec::new();
        for start in 0..self.values.len() {
            if self.values[start] <= threshold || group_of[start] != 0 {
                continue;
            }
            groups += 1;
            let mut size = 0;
            group_of[start] = groups;
            waiting.push(start);
            while let Some(at) = waiting.pop() {
                size += 1;
                let (x, y) = (at % self.width, at / self.width);
                let near = [
                    (x > 0).then(|| at - 1),
                    (x + 1 < self.width).then_some(at + 1),
                    (y > 0).then(|| at - self.width),
                    (y + 1 < self.height).then_some(at + self.width),
                ];
                for near in near.into_iter().flatten() {
                    if self.values[near] > threshold && group_of[near] == 0 {
                        group_of[near] = groups;
                        waiting.push(near);
                    }
                }
            }
            if size > largest_size {
                (largest, largest_size) = (groups, size);
            }
        }
        let bright = group_of.into_iter().map(|group| group == largest).collect();
        (largest_size > 0).then_some(Sheet {
            width: self.width,
            height: self.height,
            bright,
            size: largest_size,
        })
    }
}

/// The bright blocks that may be a sheet.
struct Sheet {
    width: usize,
    height: usize,
    bright: Vec<bool>,
    size: usize,
}

/// A straight line: the place across as a function of the place along it.
#[derive(Clone, Copy)]
struct Side {
    start: f64,
    slope: f64,
}

impl Sheet {
    fn blocks(&self) -> impl Iterator<Item = (usize, usize)> {
        let width = self.width;
        self.bright
            .iter()
            .enumerate()
            .filter(|(_, bright)| **bright)
            .map(move |(at, _)| (at % width, at / width))
    }

    /// The corners in blocks: where straight lines along the four sides meet.
    fn corners(&self) -> Option<[Point; 4]> {
        let extreme = |direction: (i64, i64)| {
            let place = move |(x, y): &(usize, usize)| *x as i64 * direction.0 + *y as i64 * direction.1;
            self.blocks().max_by_key(place)
        };
        let (top_left, top_right) = (extreme((-1, -1))?, extreme((1, -1))?);
        let (bottom_right, bottom_left) = (extreme((1, 1))?, extreme((-1, 1))?);
        let is_bright = |x: usize, y: usize| self.bright[y * self.width + x];
        let from_top = |x: usize| (0..self.height).find(|y| is_bright(x, *y)).map(|y| y + 1);
        let from_bottom = |x: usize| (0..self.height).rev().find(|y| is_bright(x, *y));
        let from_left = |y: usize| (0..self.width).find(|x| is_bright(*x, y)).map(|x| x + 1);
        let from_right = |y: usize| (0..self.width).rev().find(|x| is_bright(*x, y));
        let top = side(top_left.0, top_right.0, from_top)?;
        let bottom = side(bottom_left.0, bottom_right.0, from_bottom)?;
        let left = side(top_left.1, bottom_left.1, from_left)?;
        let right = side(top_right.1, bottom_right.1, from_right)?;
        Some([meeting(top, left)?, meeting(top, right)?, meeting(bottom, right)?, meeting(bottom, left)?])
    }

    /// Whether the sheet is what lies between these corners, and neither nearly all nor little of the image.
    fn fills(&self, corners: &[Point; 4]) -> bool {
        let all = (self.width * self.height) as f64;
        let within = |(x, y): Point, margin: f64| {
            let (width, height) = (self.width as f64, self.height as f64);
            x > -margin * width
                && x < (1.0 + margin) * width
                && y > -margin * height
                && y < (1.0 + margin) * height
        };
        let area = area(corners);
        let inside =
            self.blocks().filter(|(x, y)| contains(corners, (*x as f64 + 0.5, *y as f64 + 0.5))).count()
                as f64;
        is_convex(corners)
            && corners.iter().all(|corner| within(*corner, 0.02))
            && SHARES.contains(&(area / all))
            && inside >= MIN_FILLED * area
            // The blocks of the rim are outside.
            && self.size as f64 - inside <= MAX_OUTSIDE * self.size as f64 + 2.0 * (self.width + self.height) as f64
    }
}

/// A line through the places at which the sheet begins. A second look leaves out those that are off the first line.
fn side(from: usize, to: usize, edge: impl Fn(usize) -> Option<usize>) -> Option<Side> {
    let margin = to.checked_sub(from)? / 10;
    let places = (from + margin..=to - margin).filter_map(|at| Some((at as f64 + 0.5, edge(at)? as f64)));
    let places: Vec<(f64, f64)> = places.collect();
    let first = fitted(&places)?;
    let near = |place: &&(f64, f64)| (first.start + first.slope * place.0 - place.1).abs() < 2.0;
    let kept: Vec<(f64, f64)> = places.iter().filter(near).copied().collect();
    if kept.len() * 2 < places.len() { None } else { fitted(&kept) }
}

fn fitted(places: &[(f64, f64)]) -> Option<Side> {
    let count = places.len() as f64;
    let (sum_x, sum_y) = places.iter().fold((0.0, 0.0), |(x, y), place| (x + place.0, y + place.1));
    let (mean_x, mean_y) = (sum_x / count, sum_y / count);
    let spread: f64 = places.iter().map(|place| (place.0 - mean_x).powi(2)).sum();
    let shared: f64 = places.iter().map(|place| (place.0 - mean_x) * (place.1 - mean_y)).sum();
    let slope = shared / spread;
    (places.len() > 10 && slope.is_finite()).then_some(Side { start: mean_y - slope * mean_x, slope })
}

/// Where a side that runs across meets one that runs down.
fn meeting(across: Side, down: Side) -> Option<Point> {
    let determinant = 1.0 - across.slope * down.slope;
    let y = (across.start + across.slope * down.start) / determinant;
    (determinant > 0.3).then_some((down.start + down.slope * y, y))
}

fn area(corners: &[Point; 4]) -> f64 {
    let next = corners.iter().cycle().skip(1);
    corners.iter().zip(next).map(|(one, two)| one.0 * two.1 - two.0 * one.1).sum::<f64>() / 2.0
}

fn is_convex(corners: &[Point; 4]) -> bool {
    (0..4).all(|at| {
        let ((x0, y0), (x1, y1), (x2, y2)) = (corners[at], corners[(at + 1) % 4], corners[(at + 2) % 4]);
        (x1 - x0) * (y2 - y1) - (y1 - y0) * (x2 - x1) > 0.0
    })
}

/// Whether a point is inside a convex quadrilateral.
fn contains(corners: &[Point; 4], (x, y): Point) -> bool {
    (0..4).all(|at| {
        let ((x0, y0), (x1, y1)) = (corners[at], corners[(at + 1) % 4]);
        (x1 - x0) * (y - y0) - (y1 - y0) * (x - x0) >= 0.0
    })
}

/// The number of sides that are not sides of the image.
fn seen_sides(corners: &[Point; 4], sheet: &Sheet) -> usize {
    let (width, height) = (sheet.width as f64, sheet.height as f64);
    let [top_left, top_right, bottom_right, bottom_left] = *corners;
    let distances = [
        f64::midpoint(top_left.1, top_right.1) / height,
        1.0 - f64::midpoint(top_right.0, bottom_right.0) / width,
        1.0 - f64::midpoint(bottom_left.1, bottom_right.1) / height,
        f64::midpoint(top_left.0, bottom_left.0) / width,
    ];
    distances.into_iter().filter(|distance| *distance > SEEN).count()
}

/// Whether the edges of letters are inside the corners and not around them.
fn has_text_inside_only(image: &Gray, corners: &[Point; 4]) -> bool {
    // The rim of the sheet is an edge too, on neither side.
    let grown = scaled(corners, 1.04);
    let shrunk = scaled(corners, 0.98);
    let (mut inside, mut outside, mut inside_area, mut outside_area) = (0.0, 0.0, 1.0, 1.0);
    for (y, row) in image.rows().enumerate().step_by(2) {
        for (x, pair) in row.windows(2).enumerate() {
            let edge = f64::from(u8::from(pair[0].abs_diff(pair[1]) > EDGE));
            let point = (x as f64, y as f64);
            if contains(&shrunk, point) {
                inside_area += 1.0;
                inside += edge;
            } else if !contains(&grown, point) {
                outside_area += 1.0;
                outside += edge;
            }
        }
    }
    outside / outside_area <= MAX_OUTSIDE_EDGES * inside / inside_area
}

/// The corners moved away from their middle.
fn scaled(corners: &[Point; 4], factor: f64) -> [Point; 4] {
    let (x, y) = corners.iter().fold((0.0, 0.0), |(x, y), corner| (x + corner.0 / 4.0, y + corner.1 / 4.0));
    corners.map(|corner| (x + (corner.0 - x) * factor, y + (corner.1 - y) * factor))
}
