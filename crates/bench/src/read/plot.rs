//! Plots the time of each file as SVG: `PyMuPDF` on the x axis, Quire on the y axis, both logarithmic.

use std::fmt::Write as _;

use super::corpus::Source;
use super::speed::TARGET;

/// The times of one file, in seconds.
pub struct Point {
    /// The origin of the file.
    pub source: Source,
    /// The time of `PyMuPDF`.
    pub theirs: f64,
    /// The time of Quire.
    pub ours: f64,
}

/// The side of the plot area, in pixels.
const SIDE: f64 = 480.0;
const LEFT: f64 = 70.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = LEFT + SIDE + 30.0;
const HEIGHT: f64 = TOP + SIDE + 60.0;

/// The plot as SVG.
pub fn svg(points: &[Point]) -> String {
    let scale = Scale::around(points);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"13\" fill=\"#333\">\n<title>Time to read each file, Quire against PyMuPDF</title>\n\
         <rect width=\"{WIDTH}\" height=\"{HEIGHT}\" fill=\"#fff\"/>\n"
    );
    draw_grid(&mut svg, &scale);
    draw_ratio(&mut svg, &scale, 1.0, "same time as PyMuPDF", "#999");
    draw_ratio(&mut svg, &scale, TARGET, &format!("target: {TARGET}×"), "#c2410c");
    draw_points(&mut svg, &scale, points);
    draw_legend(&mut svg, points);
    svg.push_str("</svg>\n");
    svg
}

/// The exponents of ten that enclose all points. Both axes have the same scale.
struct Scale {
    lowest: i32,
    highest: i32,
}

impl Scale {
    fn around(points: &[Point]) -> Self {
        let exponents = || points.iter().flat_map(|point| [point.theirs.log10(), point.ours.log10()]);
        let (low, high) = (exponents().fold(-3.0, f64::min), exponents().fold(-2.0, f64::max));
        #[allow(clippy::cast_possible_truncation)] // Logarithms of seconds are small.
        let scale = Self { lowest: low.floor() as i32, highest: high.ceil() as i32 };
        scale
    }

    /// The distance along an axis, in pixels.
    fn along(&self, seconds: f64) -> f64 {
        (seconds.log10() - f64::from(self.lowest)) / f64::from(self.highest - self.lowest) * SIDE
    }

    fn x(&self, seconds: f64) -> f64 {
        LEFT + self.along(seconds)
    }

    fn y(&self, seconds: f64) -> f64 {
        TOP + SIDE - self.along(seconds)
    }

    fn powers(&self) -> impl Iterator<Item = f64> {
        (self.lowest..=self.highest).map(|exponent| 10f64.powi(exponent))
    }
}

fn draw_grid(svg: &mut String, scale: &Scale) {
    let (right, bottom) = (LEFT + SIDE, TOP + SIDE);
    for power in scale.powers() {
        let (x, y, label) = (scale.x(power), scale.y(power), duration(power));
        writeln!(
            svg,
            "<path d=\"M{x:.1} {TOP}V{bottom}M{LEFT} {y:.1}H{right}\" stroke=\"#e5e5e5\" fill=\"none\"/>\n\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>",
            bottom + 18.0,
            LEFT - 8.0,
            y + 4.0,
        )
        .unwrap();
    }
    writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">PyMuPDF, one core</text>\n\
         <text transform=\"translate(16 {:.1}) rotate(-90)\" text-anchor=\"middle\">Quire, one core, sandboxed</text>",
        LEFT + SIDE / 2.0,
        bottom + 42.0,
        TOP + SIDE / 2.0,
    )
    .unwrap();
}

/// A power of ten of seconds, with a unit.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 0.9e-3 => format!("{:.0} µs", s * 1e6),
        s if s < 0.9 => format!("{:.0} ms", s * 1e3),
        s => format!("{s:.0} s"),
    }
}

/// Draws the line where the time of Quire is `ratio` times that of `PyMuPDF`.
fn draw_ratio(svg: &mut String, scale: &Scale, ratio: f64, label: &str, colour: &str) {
    let (low, high) = (10f64.powi(scale.lowest), 10f64.powi(scale.highest));
    let (start, end) = ((low / ratio).max(low), (high / ratio).min(high));
    let (from, to) = ((scale.x(start), scale.y(start * ratio)), (scale.x(end), scale.y(end * ratio)));
    // The label must not cross its line: the lower line has it at its start on the right, the upper one at its end on the
    // left.
    let (x, y, anchor) =
        if ratio < 1.0 { (from.0 + 16.0, from.1 - 8.0, "start") } else { (to.0, to.1 - 8.0, "end") };
    writeln!(
        svg,
        "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"{colour}\" stroke-width=\"1.5\" fill=\"none\"/>\n\
         <text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" fill=\"{colour}\">{label}</text>",
        from.0, from.1, to.0, to.1,
    )
    .unwrap();
}

fn colour(source: Source) -> &'static str {
    match source {
        Source::Generated => "#2563eb",
        Source::Manual => "#15803d",
        Source::User => "#7e22ce",
    }
}

fn draw_points(svg: &mut String, scale: &Scale, points: &[Point]) {
    for point in points {
        writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{}\" fill-opacity=\"0.6\"/>",
            scale.x(point.theirs),
            scale.y(point.ours),
            colour(point.source)
        )
        .unwrap();
    }
}

fn draw_legend(svg: &mut String, points: &[Point]) {
    let mut y = TOP + 22.0;
    for source in Source::ALL {
        let count = points.iter().filter(|point| point.source == source).count();
        if count == 0 {
            continue;
        }
        writeln!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{}\"/><text x=\"{:.1}\" y=\"{y:.1}\">{count} {}</text>",
            LEFT + 16.0,
            y - 4.0,
            colour(source),
            LEFT + 28.0,
            source.name()
        )
        .unwrap();
        y += 20.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(theirs: f64, ours: f64) -> Point {
        Point { source: Source::Generated, theirs, ours }
    }

    #[test]
    fn each_file_is_a_point_within_the_plot_area() {
        let points = [point(0.002, 0.000_4), point(1.5, 0.9), point(0.01, 0.02)];
        let scale = Scale::around(&points);
        for point in &points {
            assert!((LEFT..=LEFT + SIDE).contains(&scale.x(point.theirs)));
            assert!((TOP..=TOP + SIDE).contains(&scale.y(point.ours)));
        }
        let svg = svg(&points);
        assert_eq!(svg.matches("fill-opacity").count(), 3);
        assert!(svg.contains("3 generated") && !svg.contains("user files"), "{svg}");
        assert!(svg.contains("100 µs"), "{svg}");
    }

    #[test]
    fn equal_times_are_on_the_diagonal_and_faster_ones_below_it() {
        let scale = Scale::around(&[point(0.01, 0.01)]);
        let height = |seconds| TOP + SIDE - scale.y(seconds);
        assert!((height(0.01) - (scale.x(0.01) - LEFT)).abs() < 1e-9);
        assert!(scale.y(0.005) > scale.y(0.01), "down is faster");
    }

    #[test]
    fn every_element_is_closed() {
        let svg = svg(&[point(0.01, 0.01)]);
        let opened = svg.matches('<').count() - svg.matches("</").count();
        assert_eq!(opened, svg.matches("/>").count() + svg.matches("</").count());
    }

    #[test]
    fn durations_have_units() {
        assert_eq!([1e-4, 1e-3, 1e-1, 1.0].map(duration), ["100 µs", "1 ms", "100 ms", "1 s"]);
    }
}
