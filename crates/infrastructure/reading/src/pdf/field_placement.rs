//! Values of form fields take their place beside their labels: what is read on a page is "Paciente: Luna", not all labels
//! and then all values.

use quire_domain::reading::{Line, Rect};

/// A gap wider than so many heights of the value parts two cells.
const CELL_GAP: f32 = 2.5;
/// Looking for a place costs as much as the page has lines. Forms have a few hundred fields; of more, the rest goes last.
const MAX_PLACED_VALUES: usize = 500;

/// Puts each value behind the line to its left, in the line itself if it is near; else below the line above it.
pub(super) fn insert_values(lines: &mut Vec<Line>, mut values: Vec<Line>) {
    let rest = values.split_off(values.len().min(MAX_PLACED_VALUES));
    for value in values {
        let Some(place) = bounding_box(&value) else { continue };
        match line_to_the_left(lines, place) {
            Some((index, edge)) if place.x0 - edge <= CELL_GAP * height(place) => {
                lines[index].words.extend(value.words);
            }
            Some((index, _)) => lines.insert(index + 1, value),
            None => lines.insert(index_below(lines, place), value),
        }
    }
    lines.extend(rest);
}

/// The nearest line on the same row that ends before the value begins, and where it ends.
fn line_to_the_left(lines: &[Line], place: Rect) -> Option<(usize, f32)> {
    let on_row = lines.iter().enumerate().filter_map(|(index, line)| {
        let line = bounding_box(line)?;
        let shared = line.y1.min(place.y1) - line.y0.max(place.y0);
        let same_row = shared > height(line).min(height(place)) / 2.0;
        (same_row && line.x1 <= place.x0 + 1.0).then_some((index, line.x1))
    });
    on_row.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Where a line of its own goes: after the lowest line that stands above it.
fn index_below(lines: &[Line], place: Rect) -> usize {
    let above = lines.iter().enumerate().filter_map(|(index, line)| Some((index, bounding_box(line)?.y1)));
    let above = above.filter(|(_, foot)| *foot <= place.y1);
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
        Line { words: vec![Word { text: text.to_owned(), rect }], opens_paragraph: false }
    }

    fn texts(lines: &[Line]) -> Vec<String> {
        let words =
            |line: &Line| line.words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
        lines.iter().map(words).collect()
    }

    #[test]
    fn a_value_stands_with_its_label_and_one_without_a_label_below_what_is_above() {
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
    fn a_page_of_nothing_but_values_keeps_them_all() {
        let mut lines = Vec::new();
        insert_values(&mut lines, (0..600u16).map(|row| line("x", 0.0, f32::from(row) * 20.0)).collect());
        assert_eq!(lines.len(), 600);
    }
}
