//! The report as one HTML file without references to others.

use std::fmt::Write as _;

use quire_understanding::Value;
use quire_understanding::evaluation::{CalibrationBin, KeyScore};

use super::pictures::{Pictures, SCALE};
use super::{Miss, Report};

const STYLE: &str = "body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1c1c1c;background:#fff}\
table{border-collapse:collapse;margin:1rem 0}th,td{padding:.25rem .75rem;border-bottom:1px solid #ddd;text-align:right}\
th:first-child,td:first-child{text-align:left}tr.all td{font-weight:600}\
.miss{border:1px solid #ddd;border-radius:6px;padding:.75rem 1rem;margin:1rem 0}.miss p{margin:.2rem 0}\
.page{position:relative;display:inline-block;margin-top:.5rem;border:1px solid #ccc}.page img{display:block;max-width:none}\
.page svg{position:absolute;inset:0}dl{display:grid;grid-template-columns:max-content 1fr;gap:.2rem 1.5rem}dd{margin:0}";

/// The page.
pub(super) fn page(report: &Report, pictures: &Pictures) -> String {
    let evaluation = &report.evaluation;
    let mut html = String::new();
    let title = format!("Evaluation of {}", escaped(&report.folder));
    // Writing to a String cannot fail.
    let _ = write!(
        html,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n<dl><dt>Documents</dt><dd>{}</dd><dt>Schema</dt><dd>{}</dd><dt>F1</dt><dd>{}</dd>\
         <dt>Evidence on the right page</dt><dd>{}</dd><dt>Expected calibration error</dt><dd>{}</dd>\
         <dt>Area under the curve</dt><dd>{}</dd><dt>Wrong values among the 20 % with the lowest confidence</dt><dd>{}</dd></dl>\n",
        evaluation.documents,
        escaped(report.schema.as_deref().unwrap_or("default")),
        figure(evaluation.overall.f1),
        figure(evaluation.evidence_page_right),
        figure(evaluation.confidence.expected_calibration_error),
        figure(evaluation.confidence.area_under_curve),
        figure(evaluation.confidence.wrong_in_least_certain_fifth),
    );
    html.push_str("<h2>Keys</h2>\n<table><thead><tr><th>Key</th><th>Right</th><th>Wrong</th><th>Missed</th><th>Precision</th><th>Recall</th><th>F1</th></tr></thead>\n<tbody>\n");
    for score in &evaluation.keys {
        html.push_str(&row(score, ""));
    }
    html.push_str(&row(&evaluation.overall, " class=\"all\""));
    html.push_str("</tbody></table>\n<h2>Confidence</h2>\n");
    html.push_str(&curve(&evaluation.confidence.bins));
    if !report.failed.is_empty() {
        html.push_str("<h2>Documents that could not be processed</h2>\n<ul>\n");
        for failed in &report.failed {
            let (file, code, message) =
                (escaped(&failed.file), escaped(&failed.error_code), escaped(&failed.message));
            let _ = writeln!(html, "<li>{file}: {message} (<code>{code}</code>)</li>");
        }
        html.push_str("</ul>\n");
    }
    let _ = writeln!(html, "<h2>Misses ({})</h2>", report.misses.len());
    for miss in &report.misses {
        html.push_str(&entry(miss, pictures));
    }
    html.push_str("</body>\n</html>\n");
    html
}

fn row(score: &KeyScore, class: &str) -> String {
    format!(
        "<tr{class}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        escaped(&score.key),
        score.right,
        score.wrong,
        score.missed,
        figure(score.precision),
        figure(score.recall),
        figure(score.f1),
    )
}

/// The share of right values against the confidence. On the diagonal the confidence is a probability.
fn curve(bins: &[CalibrationBin]) -> String {
    if bins.is_empty() {
        return "<p>No value was found.</p>\n".to_owned();
    }
    let (side, across, down) = (240.0, |x: f64| 30.0 + x * 240.0, |y: f64| 10.0 + (1.0 - y) * 240.0);
    let mut svg = format!(
        "<svg width=\"290\" height=\"290\" role=\"img\" aria-label=\"Share of right values by confidence\">\
         <rect x=\"30\" y=\"10\" width=\"{side}\" height=\"{side}\" fill=\"none\" stroke=\"#999\"/>\
         <line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" stroke=\"#999\" stroke-dasharray=\"4\"/>",
        across(0.0),
        down(0.0),
        across(1.0),
        down(1.0)
    );
    let points: Vec<String> =
        bins.iter().map(|bin| format!("{:.1},{:.1}", across(bin.confidence), down(bin.right))).collect();
    let _ = write!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"#1a5fb4\" stroke-width=\"2\"/>",
        points.join(" ")
    );
    for bin in bins {
        let _ = write!(
            svg,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"#1a5fb4\"/>",
            across(bin.confidence),
            down(bin.right)
        );
    }
    svg.push_str("<text x=\"110\" y=\"275\" font-size=\"12\">confidence</text></svg>\n");
    svg.push_str("<table><thead><tr><th>Confidence</th><th>Values</th><th>Average</th><th>Right</th></tr></thead><tbody>\n");
    for bin in bins {
        let _ = writeln!(
            svg,
            "<tr><td>from {:.1}</td><td>{}</td><td>{:.3}</td><td>{:.3}</td></tr>",
            bin.from, bin.count, bin.confidence, bin.right
        );
    }
    svg + "</tbody></table>\n"
}

fn entry(miss: &Miss, pictures: &Pictures) -> String {
    let judgement = &miss.judgement;
    let expected: Vec<String> = judgement.expected.iter().map(written).collect();
    let expected = if expected.is_empty() { "nothing".to_owned() } else { expected.join(" | ") };
    let found = judgement.found.as_ref().map_or_else(|| "nothing".to_owned(), written);
    let confidence = judgement.confidence.map(|confidence| format!(" ({confidence:.2})")).unwrap_or_default();
    let mut html = format!(
        "<div class=\"miss\"><p><b>{}</b> in {}</p><p>right: {}</p><p>found: {}{confidence}</p>",
        escaped(&judgement.key),
        escaped(&miss.file),
        escaped(&expected),
        escaped(&found),
    );
    if let Some(png) = pictures.of(miss) {
        let mut boxes = String::new();
        for rect in judgement.evidence.iter().flat_map(|evidence| &evidence.boxes) {
            let _ = write!(
                boxes,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"#e01b2433\" stroke=\"#e01b24\"/>",
                rect.x0 * SCALE,
                rect.y0 * SCALE,
                (rect.x1 - rect.x0) * SCALE,
                (rect.y1 - rect.y0) * SCALE
            );
        }
        let _ = write!(
            html,
            "<details><summary>Page</summary><div class=\"page\"><img alt=\"\" src=\"data:image/png;base64,{png}\">\
             <svg width=\"100%\" height=\"100%\" aria-hidden=\"true\">{boxes}</svg></div></details>"
        );
    }
    html + "</div>\n"
}

fn written(value: &Value) -> String {
    match value {
        Value::Text(text) => text.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        Value::Table(_) => serde_json::to_string(value).unwrap_or_default(),
        Value::Null => String::new(),
    }
}

fn figure(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{share:.3}"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
