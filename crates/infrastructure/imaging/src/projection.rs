//! Projective maps: how places in a prepared image lead back to the page.

use serde::{Deserialize, Serialize};

/// A map of the plane that keeps straight lines straight: scaling, rotation, perspective, and what they make together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Projection([[f64; 3]; 3]);

/// A point, x to the right and y down.
pub(crate) type Point = (f64, f64);

impl Projection {
    /// The map that changes nothing.
    pub const IDENTITY: Self = Self([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);

    /// Makes everything this many times larger.
    pub fn scaling(factor: f64) -> Self {
        Self([[factor, 0.0, 0.0], [0.0, factor, 0.0], [0.0, 0.0, 1.0]])
    }

    pub(crate) fn translation(x: f64, y: f64) -> Self {
        Self([[1.0, 0.0, x], [0.0, 1.0, y], [0.0, 0.0, 1.0]])
    }

    /// Rotates clockwise around the origin, as people see it: y goes down.
    pub(crate) fn rotation(radians: f64) -> Self {
        let (sin, cos) = radians.sin_cos();
        Self([[cos, -sin, 0.0], [sin, cos, 0.0], [0.0, 0.0, 1.0]])
    }

    /// Maps a rectangle of this size, whose top left corner is the origin, to a quadrilateral: its corners from the top left
    /// one clockwise. `None` if three of them are on a line.
    pub(crate) fn to_corners((width, height): (f64, f64), corners: [Point; 4]) -> Option<Self> {
        let [(x0, y0), (x1, y1), (x2, y2), (x3, y3)] = corners;
        let (dx1, dx2, sum_x) = (x1 - x2, x3 - x2, x0 - x1 + x2 - x3);
        let (dy1, dy2, sum_y) = (y1 - y2, y3 - y2, y0 - y1 + y2 - y3);
        let area = dx1 * dy2 - dx2 * dy1;
        if area.abs() < 1e-9 || width < 1e-9 || height < 1e-9 {
            return None;
        }
        let g = (sum_x * dy2 - dx2 * sum_y) / area;
        let h = (dx1 * sum_y - sum_x * dy1) / area;
        let unit = Self([
            [x1 - x0 + g * x1, x3 - x0 + h * x3, x0],
            [y1 - y0 + g * y1, y3 - y0 + h * y3, y0],
            [g, h, 1.0],
        ]);
        let shrink = Self([[1.0 / width, 0.0, 0.0], [0.0, 1.0 / height, 0.0], [0.0, 0.0, 1.0]]);
        Some(shrink.then(unit))
    }

    /// This map first, and then another one.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let (first, next) = (self.0, next.0);
        let cell = |row: usize, column: usize| (0..3).map(|at| next[row][at] * first[at][column]).sum();
        Self([0, 1, 2].map(|row| [0, 1, 2].map(|column| cell(row, column))))
    }

    /// The way back. `None` if there is none.
    pub fn inverse(self) -> Option<Self> {
        let [[a, b, c], [d, e, f], [g, h, i]] = self.0;
        let (minor_a, minor_b, minor_c) = (e * i - f * h, d * i - f * g, d * h - e * g);
        let determinant = a * minor_a - b * minor_b + c * minor_c;
        if determinant.abs() < 1e-12 || !determinant.is_finite() {
            return None;
        }
        let adjugate = [
            [minor_a, c * h - b * i, b * f - c * e],
            [-minor_b, a * i - c * g, c * d - a * f],
            [minor_c, b * g - a * h, a * e - b * d],
        ];
        Some(Self(adjugate.map(|row| row.map(|cell| cell / determinant))))
    }

    /// Where a point goes. `None` if it would go beyond the horizon.
    pub fn apply(&self, (x, y): (f64, f64)) -> Option<(f64, f64)> {
        let [u, v, w] = self.0.map(|[a, b, c]| a * x + b * y + c);
        let point = (u / w, v / w);
        (w > 1e-9 && point.0.is_finite() && point.1.is_finite()).then_some(point)
    }

    /// The smallest upright rectangle around where a rectangle goes: left, top, right, bottom.
    pub fn bounds(&self, [x0, y0, x1, y1]: [f64; 4]) -> Option<[f64; 4]> {
        let mut bounds = [f64::INFINITY, f64::INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY];
        for corner in [(x0, y0), (x1, y0), (x1, y1), (x0, y1)] {
            let (x, y) = self.apply(corner)?;
            bounds = [bounds[0].min(x), bounds[1].min(y), bounds[2].max(x), bounds[3].max(y)];
        }
        Some(bounds)
    }

    pub(crate) fn rows(&self) -> &[[f64; 3]; 3] {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn is_near(one: Point, other: Point) -> bool {
        (one.0 - other.0).abs() < 1e-6 && (one.1 - other.1).abs() < 1e-6
    }

    #[test]
    fn a_rectangle_goes_to_its_corners() {
        let corners = [(10.0, 20.0), (110.0, 5.0), (130.0, 200.0), (0.0, 180.0)];
        let map = Projection::to_corners((50.0, 80.0), corners).unwrap();
        for (from, to) in [(0.0, 0.0), (50.0, 0.0), (50.0, 80.0), (0.0, 80.0)].into_iter().zip(corners) {
            assert!(is_near(map.apply(from).unwrap(), to));
        }
        let flat = [(0.0, 0.0), (1.0, 0.0), (2.0, 0.0), (3.0, 0.0)];
        assert_eq!(Projection::to_corners((50.0, 80.0), flat), None);
    }

    #[test]
    fn the_bounds_of_a_rotated_rectangle_contain_it() {
        let map = Projection::rotation(std::f64::consts::FRAC_PI_2);
        let [x0, y0, x1, y1] = map.bounds([1.0, 2.0, 5.0, 4.0]).unwrap();
        assert!(is_near((x0, y0), (-4.0, 1.0)) && is_near((x1, y1), (-2.0, 5.0)));
    }

    #[test]
    fn what_lies_beyond_the_horizon_has_no_place() {
        let map = Projection([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.01, 0.0, 1.0]]);
        assert!(map.apply((50.0, 0.0)).is_some());
        assert_eq!(map.apply((100.0, 0.0)), None);
        assert_eq!(map.apply((150.0, 0.0)), None);
        assert_eq!(Projection([[f64::NAN; 3]; 3]).apply((1.0, 1.0)), None);
        assert_eq!(Projection([[0.0; 3]; 3]).inverse(), None);
    }

    proptest! {
        #[test]
        fn the_inverse_leads_back(
            tilt in -3.2f64..3.2, zoom in 0.3f64..4.0, shift in -500.0f64..500.0,
            lean in prop::array::uniform2(-2e-4f64..2e-4), x in 0.0f64..900.0, y in 0.0f64..900.0,
        ) {
            let perspective = Projection([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [lean[0], lean[1], 1.0]]);
            let map = perspective.then(Projection::rotation(tilt)).then(Projection::scaling(zoom));
            let map = map.then(Projection::translation(shift, -shift));
            let there = map.apply((x, y)).unwrap();
            let back = map.inverse().unwrap().apply(there).unwrap();
            prop_assert!((back.0 - x).abs() < 1e-5 && (back.1 - y).abs() < 1e-5, "{back:?}");
        }
    }
}
