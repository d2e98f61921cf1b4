//! Pictures of pages as scanners and telephones make them: turned, tilted, coarse, pale, shaded, blurred, seen from the side.

use png::{BitDepth, ColorType, Encoder};

/// A gray picture. Each method returns another one that is worse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    width: usize,
    height: usize,
    pixels: Vec<u8>,
}

impl Picture {
    /// A picture of these gray pixels, row by row.
    pub fn new(width: usize, height: usize, pixels: Vec<u8>) -> Self {
        assert_eq!(pixels.len(), width * height);
        Self { width, height, pixels }
    }

    /// The picture as a gray PNG file.
    pub fn png(&self) -> Vec<u8> {
        let mut file = Vec::new();
        let side = |side: usize| u32::try_from(side).unwrap();
        let mut encoder = Encoder::new(&mut file, side(self.width), side(self.height));
        encoder.set_color(ColorType::Grayscale);
        encoder.set_depth(BitDepth::Eight);
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(&self.pixels).unwrap();
        writer.finish().unwrap();
        file
    }

    /// Width and height in pixels.
    pub fn size(&self) -> (usize, usize) {
        (self.width, self.height)
    }

    /// Turned clockwise by this many quarters.
    #[must_use]
    pub fn turned(&self, quarters: usize) -> Self {
        (0..quarters).fold(self.clone(), |picture, _| {
            let (width, height) = (picture.height, picture.width);
            Self::drawn(width, height, |x, y| picture.pixels[(picture.height - 1 - x) * picture.width + y])
        })
    }

    /// Tilted clockwise by this many degrees, on white.
    #[must_use]
    pub fn tilted(&self, degrees: f32) -> Self {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let (middle_x, middle_y) = (half(self.width), half(self.height));
        Self::drawn(self.width, self.height, |x, y| {
            let (x, y) = (float(x) - middle_x, float(y) - middle_y);
            self.between(x * cos + y * sin + middle_x, y * cos - x * sin + middle_y, 255)
        })
    }

    /// With this many times fewer pixels in each direction.
    #[must_use]
    pub fn shrunk(&self, factor: f32) -> Self {
        let (width, height) = (whole(float(self.width) / factor), whole(float(self.height) / factor));
        Self::drawn(width, height, |x, y| {
            // Sixteen samples of what one pixel covers.
            let samples = (0..16).map(|sample: u8| {
                let (across, down) = (f32::from(sample % 4), f32::from(sample / 4));
                let x = (float(x) + (across + 0.5) / 4.0) * factor - 0.5;
                u32::from(self.between(x, (float(y) + (down + 0.5) / 4.0) * factor - 0.5, 255))
            });
            byte(samples.sum::<u32>() / 16)
        })
    }

    /// With paper and print of these brightnesses instead of white and black.
    #[must_use]
    pub fn faded(&self, paper: u8, print: u8) -> Self {
        let (paper, print) = (u32::from(paper), u32::from(print));
        let pixels = self.pixels.iter().map(|pixel| byte(print + (paper - print) * u32::from(*pixel) / 255));
        Self { pixels: pixels.collect(), ..*self }
    }

    /// With a soft shadow across the lower right half, which leaves this share of the light.
    #[must_use]
    pub fn shaded(&self, light: f32) -> Self {
        let (wide, tall) = (float(self.width), float(self.height));
        Self::drawn(self.width, self.height, |x, y| {
            let depth = (float(x) / wide + float(y) / tall - 0.7) / 0.35;
            let light = 1.0 - (1.0 - light) * depth.clamp(0.0, 1.0);
            rounded(f32::from(self.pixels[y * self.width + x]) * light)
        })
    }

    /// Blurred: each pixel is the mean of those up to this far away, twice.
    #[must_use]
    pub fn blurred(&self, reach: usize) -> Self {
        (0..2).fold(self.clone(), |picture, _| {
            let across = picture.mean_along(reach);
            // The second direction is the first one of the picture on its side.
            across.turned(1).mean_along(reach).turned(3)
        })
    }

    /// With grain: brightness that differs by up to this much.
    #[must_use]
    pub fn grained(&self, amount: u32) -> Self {
        let mut state = 11u32;
        let pixels = self.pixels.iter().map(|pixel| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let change = (state >> 16) % (2 * amount + 1);
            byte((u32::from(*pixel) + change).saturating_sub(amount).min(255))
        });
        Self { pixels: pixels.collect(), ..*self }
    }

    /// Photographed from the side as a sheet on a dark desk.
    #[must_use]
    pub fn photographed(&self) -> Self {
        let (wide, tall) = (float(self.width), float(self.height));
        let (width, height) = (whole(wide * 1.25), whole(tall * 1.2));
        // The corners of the sheet, from the top left one clockwise.
        let corners = [(0.2, 0.09), (1.06, 0.05), (1.17, 1.12), (0.05, 1.08)];
        let [c0, c1, c2, c3] = corners.map(|(x, y)| (x * wide, y * tall));
        let place = |x: f32, y: f32| to_unit_square([c0, c1, c2, c3], (x, y));
        Self::drawn(width, height, |x, y| {
            let (u, v) = place(float(x), float(y));
            if (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v) {
                self.between(u * wide, v * tall, 255)
            } else {
                // A board every sixty pixels.
                if x / 60 % 2 == 0 { 74 } else { 82 }
            }
        })
    }

    fn drawn(width: usize, height: usize, pixel: impl Fn(usize, usize) -> u8) -> Self {
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y))).map(|(x, y)| pixel(x, y));
        Self { width, height, pixels: pixels.collect() }
    }

    /// The brightness between four pixels.
    fn between(&self, x: f32, y: f32, outside: u8) -> u8 {
        let (left, top) = (x.floor(), y.floor());
        let (across, down) = (x - left, y - top);
        let at = |x: f32, y: f32| {
            let is_inside = x >= 0.0 && y >= 0.0 && x < float(self.width) && y < float(self.height);
            f32::from(if is_inside { self.pixels[whole(y) * self.width + whole(x)] } else { outside })
        };
        let upper = at(left, top) * (1.0 - across) + at(left + 1.0, top) * across;
        let lower = at(left, top + 1.0) * (1.0 - across) + at(left + 1.0, top + 1.0) * across;
        rounded(upper * (1.0 - down) + lower * down)
    }

    fn mean_along(&self, reach: usize) -> Self {
        let mut pixels = Vec::with_capacity(self.pixels.len());
        for row in self.pixels.chunks_exact(self.width) {
            for x in 0..self.width {
                let near = &row[x.saturating_sub(reach)..(x + reach + 1).min(self.width)];
                let sum: u32 = near.iter().map(|pixel| u32::from(*pixel)).sum();
                pixels.push(byte(sum / u32::try_from(near.len()).unwrap()));
            }
        }
        Self { pixels, ..*self }
    }
}

/// The place in the unit square from which perspective makes a place in a quadrilateral.
#[allow(clippy::many_single_char_names)] // As in the formula.
fn to_unit_square(corners: [(f32, f32); 4], (x, y): (f32, f32)) -> (f32, f32) {
    let [(x0, y0), (x1, y1), (x2, y2), (x3, y3)] = corners;
    let (dx1, dx2, sx) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
    let (dy1, dy2, sy) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
    let area = dx1 * dy2 - dx2 * dy1;
    let (g, h) = ((sx * dy2 - dx2 * sy) / area, (dx1 * sy - sx * dy1) / area);
    // x (g u + h v + 1) = a u + b v + x0, and so for y: two equations for u and v.
    let (a, b) = (x1 - x0 + g * x1 - g * x, x3 - x0 + h * x3 - h * x);
    let (d, e) = (y1 - y0 + g * y1 - g * y, y3 - y0 + h * y3 - h * y);
    let determinant = a * e - b * d;
    (((x - x0) * e - b * (y - y0)) / determinant, (a * (y - y0) - (x - x0) * d) / determinant)
}

#[allow(clippy::cast_precision_loss)] // A few thousand pixels.
fn float(pixels: usize) -> f32 {
    pixels as f32
}

fn half(pixels: usize) -> f32 {
    float(pixels) / 2.0
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // A few thousand pixels.
fn whole(pixels: f32) -> usize {
    pixels as usize
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Clamped.
fn rounded(brightness: f32) -> u8 {
    (brightness + 0.5).clamp(0.0, 255.0) as u8
}

fn byte(brightness: u32) -> u8 {
    u8::try_from(brightness).unwrap_or(255)
}
