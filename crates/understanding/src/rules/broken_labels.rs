//! Joins labels that a narrow column breaks over two lines.

use super::labels::Labels;
use super::layout::DocumentLayout;

/// Moves the words of a broken label's second line into the cell of its first line.
pub(super) fn join_broken_labels(layout: &mut DocumentLayout<'_>, labels: &Labels<'_>) {
    for row in 0..layout.rows.len().saturating_sub(1) {
        for upper in layout.rows[row].clone() {
            layout.count_step();
            let above = &layout.cells[upper];
            if above.tokens.len() > 3 || above.tokens.iter().any(|token| token.colon) {
                continue;
            }
            let is_under = |lower: &usize| {
                let below = &layout.cells[*lower];
                let is_close = below.rect.y0 - above.rect.y0 < 1.5 * above.height();
                (below.rect.x0 - above.rect.x0).abs() <= 3.0 && is_close && below.page == above.page
            };
            let Some(lower) = layout.rows[row + 1].clone().find(is_under) else { continue };
            let tokens = || above.tokens.iter().chain(&layout.cells[lower].tokens);
            let is_small = |text: &str| text.chars().next().is_some_and(char::is_lowercase);
            let goes_on = layout.cells[lower].tokens.first().is_some_and(|token| is_small(token.text));
            let is_capitals = tokens().all(|token| !token.text.chars().any(char::is_lowercase));
            if tokens().count() > 5 || !(goes_on || is_capitals) {
                continue;
            }
            let words: Vec<_> = tokens().map(|token| token.label_form.as_str()).collect();
            if labels.is_label(&words.join(" ")) {
                let mut below = std::mem::take(&mut layout.cells[lower].tokens);
                layout.cells[upper].tokens.append(&mut below);
            }
        }
    }
}
