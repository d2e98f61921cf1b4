//! Fits a logistic model, and measures one.

use super::Sample;
use crate::confidence::{Feature, Model};

/// How strongly the fit prefers small weights.
const PENALTY: f64 = 1.0;
const ROUNDS: usize = 25;
/// Fields that contradict each other always count: the made documents have too few of them for a fit.
const DISAGREEMENTS: [Feature; 2] = [Feature::SumsDiffer, Feature::AgeDiffers];
const WEIGHT_OF_DISAGREEMENT: f64 = -1.5;
/// The bins of the calibration error.
const BINS: usize = 10;

/// The weights under which the samples are most likely, by Newton's method. A weight never has the sign that its feature
/// forbids.
#[allow(clippy::cast_precision_loss)] // Some thousand samples.
pub(super) fn fit(samples: &[Sample]) -> Model {
    let size = Feature::ALL.len() + 1;
    let rows: Vec<(Vec<(usize, f64)>, f64)> = samples
        .iter()
        .map(|sample| {
            let mut row = vec![(0, 1.0)];
            row.extend(sample.features.iter().map(|(feature, strength)| (feature as usize + 1, strength)));
            (row, f64::from(u8::from(sample.is_right)))
        })
        .collect();
    let mut weights = vec![0.0; size];
    for _ in 0..ROUNDS {
        let mut slope: Vec<f64> = weights.iter().map(|weight| -PENALTY * weight).collect();
        slope[0] = 0.0;
        let mut curve = vec![vec![0.0; size]; size];
        for (place, row) in curve.iter_mut().enumerate() {
            row[place] = if place == 0 { 1e-6 } else { PENALTY };
        }
        for (row, target) in &rows {
            let sum: f64 = row.iter().map(|(place, strength)| weights[*place] * strength).sum();
            let share = 1.0 / (1.0 + (-sum).exp());
            for (one, strength) in row {
                slope[*one] += (target - share) * strength;
                for (two, other) in row {
                    curve[*one][*two] += share * (1.0 - share) * strength * other;
                }
            }
        }
        for (place, weight) in weights.iter().enumerate().skip(1) {
            if *weight == 0.0 && !is_allowed(place, slope[place]) {
                curve[place].fill(0.0);
                for row in &mut curve {
                    row[place] = 0.0;
                }
                curve[place][place] = 1.0;
                slope[place] = 0.0;
            }
        }
        for (place, step) in solve(curve, slope).into_iter().enumerate() {
            let moved = weights[place] + step.clamp(-1.0, 1.0);
            weights[place] = if is_allowed(place, moved) { moved } else { 0.0 };
        }
    }
    for feature in DISAGREEMENTS {
        let weight = &mut weights[feature as usize + 1];
        *weight = weight.min(WEIGHT_OF_DISAGREEMENT);
    }
    let rounded = |number: f64| (number * 1000.0).round() / 1000.0;
    let named = |number: &dyn Fn(Feature) -> f64| {
        Feature::ALL.iter().map(|feature| (feature.as_str().to_owned(), rounded(number(*feature)))).collect()
    };
    let average = |feature: Feature| {
        let all = samples.iter().flat_map(|sample| sample.features.iter());
        all.filter(|(other, _)| *other == feature).map(|(_, strength)| strength).sum::<f64>()
            / samples.len() as f64
    };
    Model {
        bias: rounded(weights[0]),
        weights: named(&|feature| weights[feature as usize + 1]),
        averages: named(&average),
    }
}

/// Whether the weight at that place may have the sign of the number.
fn is_allowed(place: usize, number: f64) -> bool {
    let feature = place.checked_sub(1).map(|place| Feature::ALL[place]);
    feature.and_then(Feature::speaks_for).is_none_or(|is_for| number == 0.0 || (number > 0.0) == is_for)
}

/// Solves linear equations by elimination.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Vec<f64> {
    let size = right.len();
    for pivot in 0..size {
        let best =
            (pivot..size).max_by(|one, two| matrix[*one][pivot].abs().total_cmp(&matrix[*two][pivot].abs()));
        let best = best.unwrap();
        matrix.swap(pivot, best);
        right.swap(pivot, best);
        for row in pivot + 1..size {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let above = matrix[pivot].clone();
            for (own, above) in matrix[row].iter_mut().zip(above).skip(pivot) {
                *own -= factor * above;
            }
            right[row] -= factor * right[pivot];
        }
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|column| matrix[row][column] * right[column]).sum();
        right[row] = (right[row] - known) / matrix[row][row];
    }
    right
}

/// How well a confidence tells right values from wrong ones.
#[derive(Debug)]
pub(super) struct Measures {
    pub values: usize,
    pub wrong: usize,
    /// The share of pairs of a right and a wrong value in which the right one has the higher confidence.
    pub area: f64,
    /// The average difference between confidence and the share of right values, in bins of confidence.
    pub calibration_error: f64,
    /// The share of all wrong values that are among the least certain fifth.
    pub wrong_in_least_certain_fifth: f64,
}

#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // Some thousand values.
pub(super) fn measure(values: &[(f64, bool)]) -> Measures {
    let mut sorted = values.to_vec();
    sorted.sort_by(|one, two| one.0.total_cmp(&two.0).then(one.1.cmp(&two.1).reverse()));
    let wrong = sorted.iter().filter(|(_, is_right)| !is_right).count();
    let right = sorted.len() - wrong;
    // Of equal confidences, half of the pairs count.
    let (mut won, mut wrong_below) = (0.0, 0.0);
    for equal in sorted.chunk_by(|one, two| (one.0 - two.0).abs() < 1e-12) {
        let wrong_here = equal.iter().filter(|(_, is_right)| !is_right).count() as f64;
        won += (equal.len() as f64 - wrong_here) * (wrong_below + wrong_here / 2.0);
        wrong_below += wrong_here;
    }
    let mut bins = vec![(0.0, 0.0, 0.0); BINS];
    for (confidence, is_right) in &sorted {
        let bin = &mut bins[((confidence * BINS as f64) as usize).min(BINS - 1)];
        *bin = (bin.0 + 1.0, bin.1 + confidence, bin.2 + f64::from(u8::from(*is_right)));
    }
    let error = bins.iter().map(|(_, sum, right)| (sum - right).abs()).sum::<f64>() / sorted.len() as f64;
    let fifth = sorted.len() / 5;
    let in_fifth = sorted[..fifth].iter().filter(|(_, is_right)| !is_right).count();
    Measures {
        values: sorted.len(),
        wrong,
        area: won / (right as f64 * wrong as f64).max(1.0),
        calibration_error: error,
        wrong_in_least_certain_fifth: in_fifth as f64 / (wrong as f64).max(1.0),
    }
}

impl Measures {
    pub(super) fn print(&self, name: &str) {
        println!(
            "{name}: {} values, {} wrong, area under the curve {:.3}, calibration error {:.3}, wrong ones among the least \
             certain fifth {:.2}",
            self.values, self.wrong, self.area, self.calibration_error, self.wrong_in_least_certain_fifth
        );
    }
}
