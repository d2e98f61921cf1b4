//! Decides whether two boxes are the box of the same word.

use quire_domain::reading::Rect;

/// The largest distance of the left, and of the right, edges, in points.
pub const MAX_EDGE_DISTANCE: f32 = 1.0;
/// The least share of the total height that both boxes must cover.
pub const MIN_VERTICAL_OVERLAP: f32 = 0.6;

/// Whether two boxes agree. Readers define the height of a box differently, so heights need only overlap. The left and right
/// edges must be equal within a tolerance.
pub fn agree(ours: Rect, theirs: Rect) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() <= MAX_EDGE_DISTANCE;
    near(ours.x0, theirs.x0)
        && near(ours.x1, theirs.x1)
        && vertical_overlap(ours, theirs) >= MIN_VERTICAL_OVERLAP
}

fn vertical_overlap(first: Rect, second: Rect) -> f32 {
    let both = first.y1.min(second.y1) - first.y0.max(second.y0);
    let either = first.y1.max(second.y1) - first.y0.min(second.y0);
    if either > 0.0 { both / either } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WORD: Rect = Rect { x0: 10.0, y0: 100.0, x1: 40.0, y1: 110.0 };

    #[test]
    fn edges_may_differ_by_one_point() {
        assert!(agree(WORD, WORD));
        assert!(agree(Rect { x0: 9.0, x1: 41.0, ..WORD }, WORD));
        assert!(!agree(Rect { x0: 8.9, ..WORD }, WORD));
        assert!(!agree(Rect { x1: 41.1, ..WORD }, WORD));
    }

    #[test]
    fn heights_may_differ_but_lines_may_not() {
        assert!(agree(Rect { y0: 98.0, y1: 112.0, ..WORD }, WORD));
        assert!(!agree(Rect { y0: 90.0, y1: 112.0, ..WORD }, WORD));
        assert!(!agree(Rect { y0: 112.0, y1: 122.0, ..WORD }, WORD));
        assert!(!agree(Rect { y1: 100.0, ..WORD }, Rect { y1: 100.0, ..WORD }), "empty boxes do not agree");
    }
}
