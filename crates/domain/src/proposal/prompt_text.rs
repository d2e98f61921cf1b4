//! How much of a proposal a reviewing model gets.

/// The most characters of a text.
const MAX_TEXT_CHARS: usize = 2_000;
/// The most items of a list.
const MAX_ITEMS: usize = 10;
/// The most characters of an item.
const MAX_ITEM_CHARS: usize = 500;

/// A text of at most 2,000 characters; `…` at its end shows that it was cut.
pub fn cut_text(text: &str) -> String {
    cut(text, MAX_TEXT_CHARS)
}

/// At most 10 items of at most 500 characters, each on its line. A last line tells how many were left out.
pub fn cut_list(items: &[String]) -> String {
    let mut lines: Vec<String> =
        items.iter().take(MAX_ITEMS).map(|item| format!("- {}", cut(item, MAX_ITEM_CHARS))).collect();
    if items.len() > MAX_ITEMS {
        lines.push(format!("(and {} more)", items.len() - MAX_ITEMS));
    }
    lines.join("\n")
}

fn cut(text: &str, limit: usize) -> String {
    if text.chars().nth(limit).is_none() {
        return text.to_owned();
    }
    text.chars().take(limit - 1).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_and_lists_are_cut_at_their_limits_and_say_so() {
        let whole = "é".repeat(2_000);
        assert_eq!(cut_text(&whole), whole);
        let cut = cut_text(&"é".repeat(2_001));
        assert_eq!(cut.chars().count(), 2_000);
        assert!(cut.ends_with("é…"));
        let items: Vec<String> = (0..12).map(|number| format!("{number}{}", "x".repeat(600))).collect();
        let lines = cut_list(&items);
        assert_eq!(lines.lines().count(), 11);
        assert!(lines.lines().take(10).all(|line| line.chars().count() == 502));
        assert!(lines.ends_with("(and 2 more)"));
        assert_eq!(cut_list(&items[..10]).lines().count(), 10);
        assert_eq!(cut_list(&[]), "");
    }
}
