//! Small bar charts, drawn by the server.

/// A chart for a template.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Plot {
    pub(super) title: String,
    /// The chart in words, for screen readers.
    pub(super) summary: String,
    pub(super) bars: Vec<Bar>,
    /// The value of the full height.
    pub(super) top: u64,
    pub(super) begins: String,
}

/// A bar in units of the drawing, which is 600 wide and 100 high.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Bar {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
    /// The class of the bar, which names the counted kind.
    pub(super) kind: &'static str,
}

const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 100.0;

/// Draws one stack of bars per interval: for each kind its values.
pub(super) fn bars(series: &[(&'static str, Vec<u64>)]) -> (Vec<Bar>, u64) {
    let length = series.iter().map(|(_, values)| values.len()).max().unwrap_or(0);
    let at = |values: &[u64], place: usize| values.get(place).copied().unwrap_or(0);
    let total = |place: usize| series.iter().map(|(_, values)| at(values, place)).sum::<u64>();
    let top = (0..length).map(total).max().unwrap_or(0);
    let (step, scale) = (WIDTH / precise(length.max(1) as u64), HEIGHT / precise(top.max(1)));
    let mut bars = Vec::new();
    for place in 0..length {
        let mut ground = HEIGHT;
        for (kind, values) in series {
            let height = precise(at(values, place)) * scale;
            if height > 0.0 {
                ground -= height;
                bars.push(Bar {
                    x: precise(place as u64) * step,
                    y: ground,
                    width: (step - 1.0).max(1.0),
                    height,
                    kind,
                });
            }
        }
    }
    (bars, top)
}

#[allow(clippy::cast_precision_loss)] // Counts for a drawing.
fn precise(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_stack_fills_the_chart() {
        let (bars, top) = bars(&[("done", vec![3, 0, 1]), ("failed", vec![1, 0, 0])]);
        assert_eq!(top, 4);
        let drawn: Vec<_> = bars.iter().map(|bar| (bar.kind, bar.x, bar.y, bar.height)).collect();
        assert_eq!(
            drawn,
            [("done", 0.0, 25.0, 75.0), ("failed", 0.0, 0.0, 25.0), ("done", 400.0, 75.0, 25.0)]
        );
    }

    #[test]
    fn an_empty_series_has_no_bars() {
        assert_eq!(bars(&[]), (Vec::new(), 0));
        assert_eq!(bars(&[("done", vec![0, 0])]), (Vec::new(), 0));
    }
}
