//! Prepares the image of a page for text recognition.

use std::f64::consts::{FRAC_PI_2, PI};

use crate::light::Light;
use crate::projection::Point;
use crate::sharpen::sharpen;
use crate::text_lines::{Rotation, TextLines};
use crate::warp::warp;
use crate::{Gray, Projection, paper};

/// The longest side of a prepared image, in pixels. A4 at 300 dpi has 3508.
pub const MAX_SIDE: usize = 6000;
/// The longest side of the image that is looked at.
const REDUCED_SIDE: usize = 1200;
/// Recognition works best at this resolution.
const GOOD_DPI: f64 = 300.0;
/// An image with less is enlarged.
const MIN_DPI: f64 = 200.0;
const MAX_ZOOM: f64 = 3.0;
/// How much larger than usual a page is made for a second look.
const CLOSER: f64 = 1.4;
/// The longer side of a sheet whose size is unknown, in inches: that of A4.
const SHEET_INCHES: f64 = 842.0 / 72.0;

/// How to prepare an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Instructions {
    /// How to turn the page. Without it, it is turned as its lines of text suggest.
    pub turn: Option<Rotation>,
    /// Whether to enlarge, sharpen and brighten the page although it seems to be good: for a second look.
    pub closer: bool,
}

/// An image that is ready for text recognition.
#[derive(Clone, Debug, PartialEq)]
pub struct Prepared {
    /// The image.
    pub image: Gray,
    /// Leads from places in the prepared image to places in the given one.
    pub to_source: Projection,
    /// Its pixels per inch.
    pub dpi: f64,
    /// The ways to turn the page, the likeliest first. The first one was used, unless the instructions named one.
    pub turns: [Rotation; 4],
    /// Whether it shows anything that may be text.
    pub has_text: bool,
}

/// Prepares the image of a page. `dpi` is its resolution. A good image comes back as it is.
pub fn prepare(image: Gray, dpi: f64, instructions: Instructions) -> Prepared {
    let factor = image.long_side().div_ceil(REDUCED_SIDE).max(1);
    let reduced = image.shrunk(factor);
    let sheet = Sheet::of(&reduced, factor);
    let (reduced, view, dpi) = match &sheet {
        Some(sheet) => (sheet.seen_from_above(&reduced, factor), sheet.view, sheet.dpi()),
        None => (reduced, Projection::IDENTITY, dpi),
    };
    let size = sheet.as_ref().map_or((image.width() as f64, image.height() as f64), |sheet| sheet.size);
    let light = Light::of(&reduced);
    let lines = TextLines::of(&light.print(&reduced), reduced.width());
    let turn = instructions.turn.unwrap_or(lines.turns[0]);
    let tilt = lines.tilt(turn);
    let placed = Placed::new(size, turn, tilt, zoom(size, dpi, instructions.closer));
    let is_moved = sheet.is_some() || turn != Rotation::Upright || tilt != 0.0 || placed.zoom > 1.0;
    let to_source = if is_moved { placed.to_view.then(view) } else { Projection::IDENTITY };
    let mut image = if is_moved { warp(&image, placed.width, placed.height, &to_source) } else { image };
    if light.is_poor() || instructions.closer {
        // Measured again: the image may be turned now.
        Light::of(&image.shrunk(image.long_side().div_ceil(REDUCED_SIDE).max(1))).correct(&mut image);
    }
    if instructions.closer {
        sharpen(&mut image);
    }
    Prepared { image, to_source, dpi: dpi * placed.zoom, turns: lines.turns, has_text: lines.has_text }
}

/// How many times larger an image is made.
fn zoom((width, height): (f64, f64), dpi: f64, closer: bool) -> f64 {
    let zoom = if dpi < MIN_DPI { (GOOD_DPI / dpi.max(1.0)).min(MAX_ZOOM) } else { 1.0 };
    let zoom = if closer { zoom * CLOSER } else { zoom };
    zoom.min(MAX_SIDE as f64 / width.max(height)).max(1.0)
}

/// A sheet of paper in a photograph.
struct Sheet {
    /// Leads from places on the sheet, in pixels from its top left corner, to places in the image.
    view: Projection,
    size: (f64, f64),
}

impl Sheet {
    fn of(reduced: &Gray, factor: usize) -> Option<Self> {
        let corners = paper::find(reduced)?.map(|(x, y)| (x * factor as f64, y * factor as f64));
        let [top_left, top_right, bottom_right, bottom_left] = corners;
        let width = distance(top_left, top_right).max(distance(bottom_left, bottom_right));
        let height = distance(top_left, bottom_left).max(distance(top_right, bottom_right));
        Some(Self { view: Projection::to_corners((width, height), corners)?, size: (width, height) })
    }

    fn seen_from_above(&self, reduced: &Gray, factor: usize) -> Gray {
        let factor = factor as f64;
        let view = Projection::scaling(factor).then(self.view).then(Projection::scaling(1.0 / factor));
        warp(reduced, (self.size.0 / factor) as usize, (self.size.1 / factor) as usize, &view)
    }

    fn dpi(&self) -> f64 {
        self.size.0.max(self.size.1) / SHEET_INCHES
    }
}

fn distance(one: Point, other: Point) -> f64 {
    (one.0 - other.0).hypot(one.1 - other.1)
}

/// A page that is turned, straightened and enlarged.
struct Placed {
    width: usize,
    height: usize,
    zoom: f64,
    /// Leads from its places to those of the page as it was.
    to_view: Projection,
}

impl Placed {
    fn new((width, height): (f64, f64), turn: Rotation, tilt: f64, zoom: f64) -> Self {
        let turned = match turn {
            Rotation::Upright => 0.0,
            Rotation::Clockwise => -FRAC_PI_2,
            Rotation::Half => PI,
            Rotation::Counterclockwise => FRAC_PI_2,
        };
        let angle = turned + tilt;
        let (sin, cos) = (angle.sin().abs(), angle.cos().abs());
        let zoom =
            zoom.min(MAX_SIDE as f64 / (width * cos + height * sin).max(width * sin + height * cos)).max(0.1);
        let side = |length: f64| (length * zoom - 1e-6).ceil().max(1.0);
        let (new_width, new_height) = (side(width * cos + height * sin), side(width * sin + height * cos));
        let to_view = Projection::translation(-new_width / 2.0, -new_height / 2.0)
            .then(Projection::scaling(1.0 / zoom))
            .then(Projection::rotation(angle))
            .then(Projection::translation(width / 2.0, height / 2.0));
        Self { width: new_width as usize, height: new_height as usize, zoom, to_view }
    }
}

#[cfg(test)]
#[path = "prepare_tests.rs"]
mod tests;
