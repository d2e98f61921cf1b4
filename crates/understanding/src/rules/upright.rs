//! Sees a page as if its text ran from left to right: a scan may lie on its side, upside down or at an angle, and its words
//! have their places on the page as it lies there.

use quire_domain::reading::{Page, Rect};

/// Words that are nearer to each other say little about the direction of their line, in points.
const MIN_LENGTH: f32 = 60.0;
/// Text at a smaller angle is only tilted, which rows allow for, in radians.
const MIN_ANGLE: f32 = 0.05;
/// The largest angle beside a quarter turn at which the sides of a word follow from the box around it, in radians.
const MAX_REST: f32 = 0.4;

/// A page turned so that its text is upright.
#[derive(Clone, Copy, Debug)]
pub(super) struct UprightPage {
    pub width: f32,
    pub height: f32,
    /// The direction of its text, clockwise from left to right, in radians. 0 if nothing has to be turned.
    angle: f32,
    /// Where the middle of the page was.
    middle: (f32, f32),
}

impl UprightPage {
    pub fn of(page: &Page) -> Self {
        let angle = Some(page).filter(|page| page.recognised).and_then(text_angle).unwrap_or(0.0);
        let (sin, cos) = (angle.sin().abs(), angle.cos().abs());
        let middle = (page.width / 2.0, page.height / 2.0);
        let (width, height) = if angle == 0.0 {
            (page.width, page.height)
        } else {
            (page.width * cos + page.height * sin, page.width * sin + page.height * cos)
        };
        Self { width, height, angle, middle }
    }

    /// Where a box on the page is when the page is upright.
    pub fn place(&self, rect: Rect) -> Rect {
        if self.angle == 0.0 {
            return rect;
        }
        let (sin, cos) = self.angle.sin_cos();
        let (x, y) = (
            f32::midpoint(rect.x0, rect.x1) - self.middle.0,
            f32::midpoint(rect.y0, rect.y1) - self.middle.1,
        );
        let (x, y) = (x * cos + y * sin + self.width / 2.0, y * cos - x * sin + self.height / 2.0);
        let (width, height) = sides(rect.x1 - rect.x0, rect.y1 - rect.y0, self.angle);
        Rect { x0: x - width / 2.0, y0: y - height / 2.0, x1: x + width / 2.0, y1: y + height / 2.0 }
    }
}

/// The sides of a word at an angle, by the sides of the box around it.
fn sides(width: f32, height: f32, angle: f32) -> (f32, f32) {
    let quarters = (angle / std::f32::consts::FRAC_PI_2).round();
    let rest = (angle - quarters * std::f32::consts::FRAC_PI_2).abs();
    let is_sideways = quarters.rem_euclid(2.0) > 0.5;
    let (width, height) = if is_sideways { (height, width) } else { (width, height) };
    if rest > MAX_REST {
        return (width, height);
    }
    let (sin, cos) = rest.sin_cos();
    let both = (2.0 * rest).cos();
    let side = |long: f32, other: f32| ((long * cos - other * sin) / both).clamp(1.0, long.max(1.0));
    (side(width, height), side(height, width))
}

/// The direction of the text of a page, if it is not from left to right: the median of its longer lines.
fn text_angle(page: &Page) -> Option<f32> {
    let middle = |rect: Rect| (f32::midpoint(rect.x0, rect.x1), f32::midpoint(rect.y0, rect.y1));
    let lines = page.lines.iter().filter_map(|line| {
        let (from, to) = (middle(line.words.first()?.rect), middle(line.words.last()?.rect));
        let along = (to.0 - from.0, to.1 - from.1);
        (along.0.hypot(along.1) > MIN_LENGTH).then_some(along)
    });
    let lines: Vec<(f32, f32)> = lines.collect();
    let (x, y) = lines.iter().fold((0.0, 0.0), |(x, y), line| (x + line.0, y + line.1));
    let usual = f32::atan2(y, x);
    // Differences from the usual direction, so that nothing is lost where angles start again.
    let full = std::f32::consts::TAU;
    let difference = |line: &(f32, f32)| {
        let difference = f32::atan2(line.1, line.0) - usual;
        difference - (difference / full).round() * full
    };
    let mut differences: Vec<f32> = lines.iter().map(difference).collect();
    differences.sort_by(f32::total_cmp);
    let angle = usual + differences.get(differences.len() / 2)?;
    Some(angle).filter(|angle| angle.is_finite() && angle.abs() > MIN_ANGLE)
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::{Line, Word};

    use super::*;

    /// A page whose words, three in a line, are seen turned by an angle around its middle.
    fn turned(degrees: f32) -> (Page, Vec<Rect>) {
        let (width, height) = (600.0, 600.0);
        let (sin, cos) = degrees.to_radians().sin_cos();
        let mut upright = Vec::new();
        let lines = (0..4u8).map(|row| {
            let words = (0..3u8).map(|place| {
                let (x0, y0) = (150.0 + f32::from(place) * 70.0, 200.0 + f32::from(row) * 20.0);
                let rect = Rect { x0, y0, x1: x0 + 50.0, y1: y0 + 10.0 };
                upright.push(rect);
                let (x, y) = (x0 + 25.0 - width / 2.0, y0 + 5.0 - height / 2.0);
                let (x, y) = (x * cos - y * sin + width / 2.0, x * sin + y * cos + height / 2.0);
                let half_width = f32::midpoint(50.0 * cos.abs(), 10.0 * sin.abs());
                let half_height = f32::midpoint(50.0 * sin.abs(), 10.0 * cos.abs());
                Word::new(
                    "x",
                    Rect { x0: x - half_width, y0: y - half_height, x1: x + half_width, y1: y + half_height },
                )
            });
            Line { words: words.collect(), opens_paragraph: false }
        });
        let page = Page { width, height, lines: lines.collect(), recognised: true, ..Page::default() };
        (page, upright)
    }

    #[test]
    fn words_of_a_turned_page_are_placed_as_on_an_upright_one() {
        for degrees in [90.0, 180.0, 270.0, -90.0, 10.0, -8.0, 100.0, 171.0] {
            let (page, expected) = turned(degrees);
            let upright = UprightPage::of(&page);
            let words = page.lines.iter().flat_map(|line| &line.words);
            let (left, top) = ((upright.width - page.width) / 2.0, (upright.height - page.height) / 2.0);
            for (word, expected) in words.zip(expected) {
                let placed = upright.place(word.rect);
                let edges = [
                    placed.x0 - left - expected.x0,
                    placed.y0 - top - expected.y0,
                    placed.x1 - left - expected.x1,
                    placed.y1 - top - expected.y1,
                ];
                assert!(edges.iter().all(|edge| edge.abs() < 0.5), "{degrees}: {placed:?} for {expected:?}");
            }
        }
    }

    #[test]
    fn upright_and_slightly_tilted_pages_and_pages_with_text_of_their_own_stay() {
        for degrees in [0.0, 1.5, -2.0] {
            let (page, _) = turned(degrees);
            assert_eq!(
                UprightPage::of(&page).place(page.lines[0].words[0].rect),
                page.lines[0].words[0].rect
            );
        }
        let page = Page { recognised: false, ..turned(90.0).0 };
        assert_eq!(UprightPage::of(&page).place(page.lines[0].words[0].rect), page.lines[0].words[0].rect);
        assert_eq!(UprightPage::of(&Page { recognised: true, ..Page::default() }).angle.to_bits(), 0);
    }
}
