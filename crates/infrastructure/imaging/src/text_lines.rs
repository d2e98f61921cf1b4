//! Finds how the lines of text lie on a page: which side is up, and by how much the page is tilted.
//!
//! Letters stand on a line. Seen along the lines, their lower edges therefore gather in few places; their upper edges
//! gather less, because some letters are taller than others; and seen across the lines, edges are everywhere. The
//! direction and the angle at which edges gather most are those of the text.

use std::ops::Range;

/// How a page must be turned to be upright.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Rotation {
    /// Not at all.
    Upright,
    /// By a quarter, clockwise.
    Clockwise,
    /// By a half.
    Half,
    /// By a quarter, counterclockwise.
    Counterclockwise,
}

impl Rotation {
    /// The other turn that leaves lines of text in the same direction.
    #[must_use]
    pub fn opposite(self) -> Self {
        match self {
            Self::Upright => Self::Half,
            Self::Half => Self::Upright,
            Self::Clockwise => Self::Counterclockwise,
            Self::Counterclockwise => Self::Clockwise,
        }
    }

    /// Whether width and height change places.
    pub(crate) fn is_sideways(self) -> bool {
        matches!(self, Self::Clockwise | Self::Counterclockwise)
    }
}

/// The largest tilt that is found, in degrees.
const MAX_TILT: f64 = 15.0;
const COARSE_STEP: f64 = 0.5;
const FINE_STEP: f64 = 0.1;
/// The number of edges that are looked at, for all angles and for the angles near the best one.
const COARSE_EDGES: usize = 6_000;
const FINE_EDGES: usize = 20_000;
/// Fewer edges are no text.
const MIN_EDGES: usize = 80;
/// A longer straight edge belongs to a line, a frame or a picture, in pixels.
const MAX_EDGE: usize = 40;
/// The paper beside an edge that counts, in pixels.
const BESIDE: usize = 4;
/// How much more the edges must gather down the page than across it before the page counts as lying on its side.
const SIDEWAYS: f64 = 1.3;
/// How much more upper edges than lower ones must gather before the page counts as upside down.
const UPSIDE_DOWN: f64 = 1.1;
/// A smaller tilt does no harm, in degrees.
const MIN_TILT: f64 = 0.4;
/// How much more the edges must gather in a tilted direction.
const TILTED: f64 = 1.1;

/// How the lines of text lie on a page.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TextLines {
    /// The ways to turn the page, the likeliest first.
    pub(crate) turns: [Rotation; 4],
    /// Whether there is anything that may be text.
    pub(crate) has_text: bool,
    row_tilt: f64,
    column_tilt: f64,
}

impl TextLines {
    /// Measures the lines of a page whose printed pixels are given, row by row.
    pub(crate) fn of(print: &[bool], width: usize) -> Self {
        let height = print.len() / width.max(1);
        let is_print = |x: usize, y: usize| print[y * width + x];
        // Edges inside a letter say nothing, so the paper beside an edge must be wider than the inside of a letter.
        let is_paper = |x: Range<usize>, y: Range<usize>| {
            y.into_iter().all(|y| !print[y * width + x.start..y * width + x.end].contains(&true))
        };
        let lower = edges(height, width, |y, x| {
            is_print(x, y) && is_paper(x..x + 1, y + 1..(y + 1 + BESIDE).min(height))
        });
        let upper =
            edges(height, width, |y, x| is_print(x, y) && is_paper(x..x + 1, y.saturating_sub(BESIDE)..y));
        let right = edges(width, height, |x, y| {
            is_print(x, y) && is_paper(x + 1..(x + 1 + BESIDE).min(width), y..y + 1)
        });
        let left =
            edges(width, height, |x, y| is_print(x, y) && is_paper(x.saturating_sub(BESIDE)..x, y..y + 1));
        if lower.len().min(right.len()) < MIN_EDGES {
            let turns = [Rotation::Upright, Rotation::Half, Rotation::Clockwise, Rotation::Counterclockwise];
            return Self { turns, has_text: false, row_tilt: 0.0, column_tilt: 0.0 };
        }
        let mut histogram = Histogram::new(width, height);
        // A page that is tilted clockwise is tilted so in both directions.
        let rows = histogram.direction(&lower, &upper, 1.0);
        let columns = histogram.direction(&left, &right, -1.0);
        let along = if rows.second > rows.first * UPSIDE_DOWN { Rotation::Half } else { Rotation::Upright };
        let across =
            if columns.second > columns.first { Rotation::Clockwise } else { Rotation::Counterclockwise };
        let is_sideways = columns.strength() > rows.strength() * SIDEWAYS;
        let (first, last) = if is_sideways { (across, along) } else { (along, across) };
        Self {
            turns: [first, first.opposite(), last, last.opposite()],
            has_text: true,
            row_tilt: rows.tilt,
            column_tilt: columns.tilt,
        }
    }

    /// By how much the page is tilted clockwise if it is turned so, in radians. 0 if that does no harm.
    pub(crate) fn tilt(&self, turn: Rotation) -> f64 {
        if turn.is_sideways() { self.column_tilt } else { self.row_tilt }
    }
}

/// An edge of a letter: its place along the supposed line, and across it.
type Edge = (f32, f32);

/// The short straight edges in an image, line by line.
fn edges(lines: usize, length: usize, is_edge: impl Fn(usize, usize) -> bool) -> Vec<Edge> {
    let mut edges = Vec::new();
    for line in 0..lines {
        let mut start = None;
        for place in 0..=length {
            let goes_on = place < length && is_edge(line, place);
            match start {
                None if goes_on => start = Some(place),
                Some(from) if !goes_on => {
                    if place - from <= MAX_EDGE {
                        edges.extend((from..place).map(|place| (place as f32, line as f32)));
                    }
                    start = None;
                }
                _ => {}
            }
        }
    }
    edges
}

/// How edges gather in one direction: at which tilt, and how much the edges of both sides do there.
#[derive(Clone, Copy, Debug)]
struct Direction {
    tilt: f64,
    first: f64,
    second: f64,
}

impl Direction {
    fn strength(&self) -> f64 {
        self.first.max(self.second)
    }
}

struct Histogram {
    counts: Vec<u32>,
    middle: f32,
}

impl Histogram {
    fn new(width: usize, height: usize) -> Self {
        // A place across the lines moves by at most the tangent of the tilt; half as much again is safe.
        let reach = width + height;
        Self { counts: vec![0; 2 * reach + 4], middle: reach as f32 + 1.0 }
    }

    fn direction(&mut self, first: &[Edge], second: &[Edge], sign: f32) -> Direction {
        let mut both = |tilt: f64, limit: usize| {
            let first = self.gathering(first, tilt, sign, limit);
            (first, self.gathering(second, tilt, sign, limit))
        };
        let sum = |(first, second): (f64, f64)| first + second;
        let coarse = best(-MAX_TILT, MAX_TILT, COARSE_STEP, |tilt| sum(both(tilt, COARSE_EDGES)));
        let (from, to) = (coarse - COARSE_STEP, coarse + COARSE_STEP);
        let fine = best(from, to, FINE_STEP, |tilt| sum(both(tilt, FINE_EDGES)));
        let (straight, tilted) = (both(0.0, FINE_EDGES), both(fine, FINE_EDGES));
        let is_tilted = fine.abs() >= MIN_TILT && sum(tilted) > sum(straight) * TILTED;
        let (tilt, (first, second)) = if is_tilted { (fine.to_radians(), tilted) } else { (0.0, straight) };
        Direction { tilt, first, second }
    }

    /// How much edges gather across lines with this tilt in degrees: 1 if they are everywhere.
    fn gathering(&mut self, edges: &[Edge], tilt: f64, side: f32, limit: usize) -> f64 {
        self.counts.fill(0);
        let (sin, cos) = tilt.to_radians().sin_cos();
        let (sin, cos) = (sin as f32 * side, cos as f32);
        let (mut lowest, mut highest, mut number) = (usize::MAX, 0, 0.0);
        for (along, across) in edges.iter().step_by(edges.len().div_ceil(limit).max(1)) {
            let place = (across * cos - along * sin + self.middle) as usize;
            if let Some(count) = self.counts.get_mut(place) {
                *count += 1;
                (lowest, highest) = (lowest.min(place), highest.max(place));
                number += 1.0;
            }
        }
        let squares: f64 = self.counts.iter().map(|count| f64::from(*count) * f64::from(*count)).sum();
        if number == 0.0 { 0.0 } else { squares / (number * number) * (highest - lowest + 1) as f64 }
    }
}

/// The value between two others at which a measure is largest. 0 if it is nowhere larger than there.
fn best(from: f64, to: f64, step: f64, mut measure: impl FnMut(f64) -> f64) -> f64 {
    let steps = ((to - from) / step).round() as usize;
    let values = (0..=steps).map(|at| from + at as f64 * step);
    let measured = values.map(|value| (value, measure(value)));
    measured.max_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0.0, |(value, _)| value)
}
