//! Results in the shape of the service: pages with words, lines, spans and polygons, keys with their values, and tables.

use serde_json::{Value, json};

/// A result with everything that the service puts into one, also what Quire ignores: a photographed invoice with a table, keys
/// without a value, selection marks, handwriting, sections and figures. Lengths and names follow the published contract.
pub fn photographed_invoice() -> Value {
    serde_json::from_str(include_str!("invoice-layout.json")).unwrap()
}

/// A form that was filled in by hand, as the service returns it: 5 tables with cells over several columns and rows, 29 keys of which
/// 3 have no value, marks as values, keys of two lines, styles of several spans, nested sections, figures with text, and offsets
/// that count characters as people see them (`textElements`).
pub fn filled_form() -> Value {
    serde_json::from_str(include_str!("form-layout.json")).unwrap()
}

/// A page of a result.
#[derive(Clone, Debug)]
pub struct LayoutPage {
    /// In units.
    pub width: f64,
    /// In units.
    pub height: f64,
    /// `inch` or `pixel`.
    pub unit: &'static str,
    /// The turn of the text, clockwise in degrees.
    pub angle: f64,
    /// The lines, in reading order.
    pub lines: Vec<LayoutLine>,
}

/// A line of a page.
#[derive(Clone, Debug)]
pub struct LayoutLine {
    /// Its left side, in units.
    pub x: f64,
    /// Its top, in units.
    pub y: f64,
    /// The width of a character, in units. A line is twice as high.
    pub size: f64,
    /// Its words.
    pub text: String,
}

/// The `analyzeResult` of these pages. Each pair names a key, a value and the confidence of both.
pub fn analyze_result(pages: &[LayoutPage], pairs: &[(&str, &str, f64)]) -> Value {
    let (mut content, mut shown, mut paragraphs) = (String::new(), Vec::new(), Vec::new());
    for (page, number) in pages.iter().zip(1..) {
        let (mut words, mut lines) = (Vec::new(), Vec::new());
        let start = characters(&content);
        for line in &page.lines {
            let offset = characters(&content);
            let mut x = line.x;
            for word in line.text.split(' ') {
                let span = json!({ "offset": characters(&content), "length": characters(word) });
                let width = line.size * as_number(characters(word));
                let polygon = polygon(x, line.y, width, line.size * 2.0);
                words.push(json!({ "content": word, "polygon": polygon, "confidence": 0.97, "span": span }));
                x += width + line.size;
                content.push_str(word);
                content.push(' ');
            }
            content.pop();
            let length = characters(&content) - offset;
            let polygon = polygon(line.x, line.y, x - line.size - line.x, line.size * 2.0);
            let span = json!({ "offset": offset, "length": length });
            lines.push(json!({ "content": line.text, "polygon": polygon, "spans": [span] }));
            let region = json!({ "pageNumber": number, "polygon": polygon });
            paragraphs.push(json!({ "content": line.text, "spans": [span], "boundingRegions": [region] }));
            content.push('\n');
        }
        let span = json!({ "offset": start, "length": characters(&content) - start });
        shown.push(json!({
            "pageNumber": number, "angle": page.angle, "width": page.width, "height": page.height, "unit": page.unit,
            "words": words, "lines": lines, "spans": [span],
        }));
    }
    let pairs: Vec<Value> =
        pairs.iter().map(|(key, value, confidence)| pair(pages, key, value, *confidence)).collect();
    json!({
        "apiVersion": "2024-11-30", "modelId": "prebuilt-layout", "stringIndexType": "unicodeCodePoint",
        "contentFormat": "text", "content": content, "pages": shown, "paragraphs": paragraphs, "tables": [],
        "keyValuePairs": pairs, "styles": [],
    })
}

fn characters(text: &str) -> usize {
    text.chars().count()
}

#[allow(clippy::cast_precision_loss)] // Lines are short.
fn as_number(count: usize) -> f64 {
    count as f64
}

/// Four corners, clockwise from the top left.
fn polygon(x: f64, y: f64, width: f64, height: f64) -> Value {
    json!([x, y, x + width, y, x + width, y + height, x, y + height])
}

/// A key with its value; their boxes are those of the first line that contains them.
fn pair(pages: &[LayoutPage], key: &str, value: &str, confidence: f64) -> Value {
    let element = |text: &str| {
        let found = pages.iter().zip(1..).find_map(|(page, number)| {
            page.lines.iter().find(|line| line.text.contains(text)).map(|line| (line, number))
        });
        let regions: Vec<Value> = found
            .map(|(line, number)| {
                let before = line.text.find(text).map_or(0, |place| characters(&line.text[..place]));
                let width = line.size * as_number(characters(text));
                let x = line.x + line.size * as_number(before);
                json!({ "pageNumber": number, "polygon": polygon(x, line.y, width, line.size * 2.0) })
            })
            .into_iter()
            .collect();
        json!({ "content": text, "boundingRegions": regions, "spans": [] })
    };
    if value.is_empty() {
        return json!({ "key": element(key), "confidence": confidence });
    }
    json!({ "key": element(key), "value": element(value), "confidence": confidence })
}
