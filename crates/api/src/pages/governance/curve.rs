//! Reliability curves, drawn by the server: the share of accepted values by shown confidence. A well calibrated confidence lies on
//! the diagonal.

use quire_understanding::calibration::{BINS, ReviewCounts};

use crate::pages::words::Words;

/// A curve in units of the drawing, which is 100 wide and 100 high.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve {
    pub(super) points: Vec<Point>,
    /// The path through the points.
    pub(super) path: String,
    /// The same as a table.
    pub(super) bins: Vec<Bin>,
    pub(super) summary: String,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) radius: f64,
}

/// The reviews of values with a confidence in this tenth.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bin {
    pub(super) range: String,
    pub(super) accepts: u32,
    pub(super) edits: u32,
    pub(super) share: String,
}

/// Draws the counts by tenths of confidence. Empty tenths are left out.
pub(super) fn curve(bins: &[ReviewCounts], words: &Words) -> Curve {
    let counted = (0..BINS).zip(bins).filter_map(|(number, counts)| Some((number, *counts, counts.share()?)));
    let counted: Vec<_> = counted.collect();
    let points: Vec<_> =
        counted.iter().map(|(number, counts, share)| point(*number, *counts, *share)).collect();
    let bins: Vec<_> = counted.iter().map(|(number, counts, share)| bin(*number, *counts, *share)).collect();
    let path: Vec<_> = points.iter().map(|point| format!("{} {:.1}", point.x, point.y)).collect();
    let said = |bin: &Bin| words.with("governance.curve_point", &bin.range).replacen("{}", &bin.share, 1);
    Curve {
        path: if path.is_empty() { String::new() } else { format!("M{}", path.join("L")) },
        summary: bins.iter().map(said).collect::<Vec<_>>().join("; "),
        points,
        bins,
    }
}

/// In the middle of its tenth; the radius grows with the count.
fn point(number: u8, counts: ReviewCounts, share: f64) -> Point {
    Point {
        x: (f64::from(number) + 0.5) * 100.0 / f64::from(BINS),
        y: 100.0 * (1.0 - share),
        radius: 3.0 + f64::from(counts.volume()).log10().min(3.0),
    }
}

fn bin(number: u8, counts: ReviewCounts, share: f64) -> Bin {
    let ReviewCounts { accepts, edits } = counts;
    Bin { range: format!("{}–{} %", number * 10, (number + 1) * 10), accepts, edits, share: percent(share) }
}

/// A share in percent.
pub(super) fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::words::Language;

    #[test]
    fn a_calibrated_confidence_lies_on_the_diagonal() {
        let mut bins = [ReviewCounts::default(); BINS as usize];
        bins[6] = ReviewCounts { accepts: 65, edits: 35 };
        bins[9] = ReviewCounts { accepts: 1, edits: 0 };
        let curve = curve(&bins, Language::English.words());
        assert_eq!(curve.path, "M65 35.0L95 0.0");
        assert_eq!(curve.points[1], Point { x: 95.0, y: 0.0, radius: 3.0 });
        assert!((curve.points[0].y - 35.0).abs() < 1e-9 && curve.points[0].radius > 4.9);
        assert_eq!(curve.bins.len(), 2, "what was never shown is not drawn");
        assert_eq!(curve.summary, "confidence 60–70 %: 65 % accepted; confidence 90–100 %: 100 % accepted");
    }

    #[test]
    fn without_counts_there_is_no_curve() {
        let curve = curve(&[ReviewCounts::default(); BINS as usize], Language::Spanish.words());
        assert!(curve.points.is_empty() && curve.path.is_empty() && curve.summary.is_empty());
    }
}
