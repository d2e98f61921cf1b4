//! Whether two rectangles say that a word stands at the same place.

use quire_domain::reading::Rect;

/// How far left and right edges may lie apart, in points.
pub const EDGES_WITHIN: f32 = 1.0;
/// How much of the height that both cover together both must cover.
pub const OVERLAP: f32 = 0.6;

/// Whether they do. Heights are a matter of convention (the font's square, or its highest and lowest letters), so they
/// need only overlap; left and right are not.
pub fn agree(ours: Rect, theirs: Rect) -> bool {
    let near = |a: f32, b: f32| (a - b).abs() <= EDGES_WITHIN;
    near(ours.x0, theirs.x0) && near(ours.x1, theirs.x1) && vertical_overlap(ours, theirs) >= OVERLAP
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
    fn edges_may_lie_a_point_apart_and_no_more() {
        assert!(agree(WORD, WORD));
        assert!(agree(Rect { x0: 9.0, x1: 41.0, ..WORD }, WORD));
        assert!(!agree(Rect { x0: 8.9, ..WORD }, WORD));
        assert!(!agree(Rect { x1: 41.1, ..WORD }, WORD));
    }

    #[test]
    fn heights_may_differ_and_lines_may_not() {
        assert!(agree(Rect { y0: 98.0, y1: 112.0, ..WORD }, WORD));
        assert!(!agree(Rect { y0: 90.0, y1: 112.0, ..WORD }, WORD));
        assert!(!agree(Rect { y0: 112.0, y1: 122.0, ..WORD }, WORD));
        assert!(!agree(Rect { y1: 100.0, ..WORD }, Rect { y1: 100.0, ..WORD }), "nothing covers nothing");
    }
}
