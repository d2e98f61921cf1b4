//! Draws an image anew, seen through a projection.

use crate::{Gray, Projection};

/// What lies outside the image is paper.
const OUTSIDE: u8 = 255;

/// An image of this size. `to_source` leads from its places to those of the source. Pixels between those of the source are
/// found with cubic curves, which keep the edges of letters sharp; pixels that fall on one of the source are that pixel.
pub(crate) fn warp(source: &Gray, width: usize, height: usize, to_source: &Projection) -> Gray {
    let mut image = Gray::plain(width, height, OUTSIDE);
    let [[a, b, c], [d, e, f], [g, h, i]] = *to_source.rows();
    let (right, bottom) = (source.width() as f64, source.height() as f64);
    for (y, row) in image.pixels_mut().chunks_exact_mut(width.max(1)).enumerate() {
        let y = y as f64 + 0.5;
        for (x, pixel) in row.iter_mut().enumerate() {
            let x = x as f64 + 0.5;
            let w = g * x + h * y + i;
            let (u, v) = ((a * x + b * y + c) / w, (d * x + e * y + f) / w);
            if w > 1e-9 && u >= 0.0 && v >= 0.0 && u < right && v < bottom {
                *pixel = sample(source, (u - 0.5) as f32, (v - 0.5) as f32);
            }
        }
    }
    image
}

fn sample(source: &Gray, x: f32, y: f32) -> u8 {
    let (left, top) = (x.floor(), y.floor());
    let (across, down) = (weights(x - left), weights(y - top));
    let (left, top) = (left as isize - 1, top as isize - 1);
    let (width, height) = (source.width() as isize, source.height() as isize);
    let inside = left >= 0 && top >= 0 && left + 4 <= width && top + 4 <= height;
    let mut sum = 0.0;
    for (row, down) in (0isize..).zip(down) {
        let y = (top + row).clamp(0, height - 1);
        let mut line = 0.0;
        if inside {
            let start = (y * width + left) as usize;
            for (pixel, across) in source.pixels()[start..start + 4].iter().zip(across) {
                line += f32::from(*pixel) * across;
            }
        } else {
            for (column, across) in (0isize..).zip(across) {
                let x = (left + column).clamp(0, width - 1);
                line += f32::from(source.pixels()[(y * width + x) as usize]) * across;
            }
        }
        sum += line * down;
    }
    (sum + 0.5).clamp(0.0, 255.0) as u8
}

/// The weights of the four pixels around a place that is this far behind the second (Catmull-Rom).
fn weights(t: f32) -> [f32; 4] {
    let (t2, t3) = (t * t, t * t * t);
    [-0.5 * t3 + t2 - 0.5 * t, 1.5 * t3 - 2.5 * t2 + 1.0, -1.5 * t3 + 2.0 * t2 + 0.5 * t, 0.5 * t3 - 0.5 * t2]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered() -> Gray {
        Gray::new(5, 4, (0..20).map(|pixel| pixel * 12).collect()).unwrap()
    }

    #[test]
    fn pixels_that_fall_on_pixels_stay_as_they_are() {
        assert_eq!(warp(&numbered(), 5, 4, &Projection::IDENTITY), numbered());
        let quarter =
            Projection::rotation(std::f64::consts::FRAC_PI_2).then(Projection::translation(5.0, 0.0));
        let turned = warp(&numbered(), 4, 5, &quarter);
        assert_eq!(turned.at(0, 0), numbered().at(4, 0));
        assert_eq!(turned.at(3, 0), numbered().at(4, 3));
        assert_eq!(turned.at(0, 4), numbered().at(0, 0));
    }

    #[test]
    fn outside_the_image_is_paper_and_a_plain_image_stays_plain() {
        let plain = Gray::plain(9, 9, 40);
        let shifted = warp(&plain, 9, 9, &Projection::translation(4.5, 0.0));
        assert_eq!((shifted.at(3, 3), shifted.at(5, 3)), (40, OUTSIDE));
        let larger = warp(&plain, 20, 20, &Projection::scaling(0.45));
        assert!(larger.pixels().iter().all(|pixel| *pixel == 40));
    }
}
