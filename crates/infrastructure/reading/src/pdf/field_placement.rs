//! Inserts the values of form fields beside their labels, so that a page reads "Paciente: Luna" and not all labels first
//! and all values last.

use quire_domain::reading::{Line, Rect};

/// A gap wider than this many heights of the value separates two cells.
const CELL_GAP: f32 = 2.5;
/// The search for a position takes time in proportion to the lines of the page. Forms have a few hundred fields; further
/// values are appended at the end.
const MAX_PLACED_VALUES: usize = 500;

/// Appends each value to the line on its left if that line is near, or inserts it after that line. A value without a line
/// on its left is inserted below the line above it.
pub(super) fn insert_values(lines: &mut Vec<Line>, mut values: Vec<Line>) {
    let rest = values.split_off(values.len().min(MAX_PLACED_VALUES));
    for value in values {
        let Some(area) = bounding_box(&value) else { continue };
        match line_to_the_left(lines, area) {
            Some((index, edge)) if area.x0 - edge <= CELL_GAP * height(area) => {
                lines[index].words.extend(value.words);
            }
            Some((index, _)) => lines.insert(index + 1, value),
            None => lines.insert(index_below(lines, area), value),
        }
    }
    lines.extend(rest);
}

/// The nearest line on the same row that ends before the value starts: its index and its right edge.
fn line_to_the_left(lines: &[Line], area: Rect) -> Option<(usize, f32)> {
    let on_row = lines.iter().enumerate().filter_map(|(index, line)| {
        let line = bounding_box(line)?;
        let overlap = line.y1.min(area.y1) - line.y0.max(area.y0);
        let same_row = overlap > height(line).min(height(area)) / 2.0;
        (same_row && line.x1 <= area.x0 + 1.0).then_some((index, line.x1))
    });
    on_row.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// The index after the lowest line above the value.
fn index_below(lines: &[Line], area: Rect) -> usize {
    let above = lines.iter().enumerate().filter_map(|(index, line)| Some((index, bounding_box(line)?.y1)));
    let above = above.filter(|(_, bottom)| *bottom <= area.y1);
    above.max_by(|(_, one), (_, other)| one.total_cmp(other)).map_or(0, |(index, _)| index + 1)
}

fn bounding_box(line: &Line) -> Option<Rect> {
    line.words.iter().map(|word| word.rect).reduce(Rect::union)
}

fn height(rect: Rect) -> f32 {
    rect.y1 - rect.y0
}

#[cfg(test)]
mod tests {
    use quire_domain::reading::Word;

    use super::*;

    fn line(text: &str, x0: f32, y0: f32) -> Line {
        let rect = Rect { x0, y0, x1: x0 + 40.0, y1: y0 + 10.0 };
        Line { words: vec![Word::new(text, rect)], opens_paragraph: false }
    }

    fn texts(lines: &[Line]) -> Vec<String> {
        let words =
            |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        lines.iter().map(words).collect()
    }

    #[test]
    fn a_value_joins_its_label_and_one_without_a_label_goes_below_the_line_above() {
        let mut lines =
            vec![line("Ficha", 0.0, 0.0), line("Paciente:", 0.0, 20.0), line("Especie:", 0.0, 40.0)];
        let values = vec![
            line("Luna", 45.0, 21.0),
            line("Felina", 200.0, 40.0),
            line("sola", 100.0, 8.0),
            line("fin", 0.0, 90.0),
        ];
        insert_values(&mut lines, values);
        assert_eq!(texts(&lines), ["Ficha", "sola", "Paciente: Luna", "Especie:", "Felina", "fin"]);
    }

    #[test]
    fn a_page_with_only_values_keeps_all_of_them() {
        let mut lines = Vec::new();
        insert_values(&mut lines, (0..600u16).map(|row| line("x", 0.0, f32::from(row) * 20.0)).collect());
        assert_eq!(lines.len(), 600);
    }
}
