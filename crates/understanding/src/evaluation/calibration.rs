//! What the confidence says about the values: whether it is a probability, and whether it ranks wrong values below right ones.

use serde::Serialize;

use super::share;

/// The number of bins.
const BINS: usize = 10;
/// The share of the values that a reviewer checks who looks at the least certain ones.
const CHECKED: f64 = 0.20;

/// Values of about the same confidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CalibrationBin {
    /// The lowest confidence of the bin.
    pub from: f64,
    /// The number of values.
    pub count: usize,
    /// Their average confidence.
    pub confidence: f64,
    /// The share of them that is right.
    pub right: f64,
}

/// What the confidence is worth.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ConfidenceQuality {
    /// The bins that have values.
    pub bins: Vec<CalibrationBin>,
    /// The expected calibration error: how far confidence and share of right values are apart on average. None without values.
    pub expected_calibration_error: Option<f64>,
    /// The probability that a right value has more confidence than a wrong one. None unless there are both.
    pub area_under_curve: Option<f64>,
    /// The share of the wrong values that are among the least certain 20 % of all. None if no value is wrong.
    pub wrong_in_least_certain_fifth: Option<f64>,
}

impl ConfidenceQuality {
    /// From the confidence of each value and whether it is right.
    pub fn of(mut values: Vec<(f64, bool)>) -> Self {
        values.sort_by(|one, other| one.0.total_cmp(&other.0));
        let bins = bins(&values);
        #[allow(clippy::cast_precision_loss)] // Far fewer values than that.
        let error = |bin: &CalibrationBin| {
            (bin.confidence - bin.right).abs() * bin.count as f64 / values.len() as f64
        };
        Self {
            expected_calibration_error: (!values.is_empty()).then(|| bins.iter().map(error).sum()),
            area_under_curve: area_under_curve(&values),
            wrong_in_least_certain_fifth: wrong_among_least_certain(&values),
            bins,
        }
    }
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Small and positive.
fn bins(values: &[(f64, bool)]) -> Vec<CalibrationBin> {
    let index = |confidence: f64| ((confidence.clamp(0.0, 1.0) * BINS as f64) as usize).min(BINS - 1);
    let bin = |number: usize| {
        let of_bin: Vec<_> = values.iter().filter(|(confidence, _)| index(*confidence) == number).collect();
        let count = of_bin.len();
        (count > 0).then(|| CalibrationBin {
            from: number as f64 / BINS as f64,
            count,
            confidence: of_bin.iter().map(|(confidence, _)| confidence).sum::<f64>() / count as f64,
            right: of_bin.iter().filter(|(_, right)| *right).count() as f64 / count as f64,
        })
    };
    (0..BINS).filter_map(bin).collect()
}

/// Groups of values with the same confidence: how many are wrong, how many right. The values are sorted.
fn ties(values: &[(f64, bool)]) -> impl Iterator<Item = (usize, usize)> {
    let groups = values.chunk_by(|one, other| one.0.total_cmp(&other.0).is_eq());
    groups.map(|group| {
        let right = group.iter().filter(|(_, right)| *right).count();
        (group.len() - right, right)
    })
}

#[allow(clippy::cast_precision_loss)]
fn area_under_curve(values: &[(f64, bool)]) -> Option<f64> {
    let (mut wrong_below, mut won, mut right_total) = (0.0, 0.0, 0.0);
    for (wrong, right) in ties(values) {
        let (wrong, right) = (wrong as f64, right as f64);
        won += right * (wrong_below + wrong / 2.0);
        wrong_below += wrong;
        right_total += right;
    }
    (wrong_below > 0.0 && right_total > 0.0).then(|| won / (wrong_below * right_total))
}

/// Of values with the same confidence at the boundary, the same share counts as is checked.
#[allow(clippy::cast_precision_loss)]
fn wrong_among_least_certain(values: &[(f64, bool)]) -> Option<f64> {
    let mut left = values.len() as f64 * CHECKED;
    let (mut seen, mut all) = (0.0, 0);
    for (wrong, right) in ties(values) {
        let checked = share(wrong, wrong + right).unwrap_or(0.0) * left.min((wrong + right) as f64).max(0.0);
        seen += checked;
        left -= (wrong + right) as f64;
        all += wrong;
    }
    (all > 0).then(|| seen / all as f64)
}
