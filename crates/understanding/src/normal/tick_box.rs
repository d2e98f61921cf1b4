//! Boxes of forms: `[X] Perro [ ] Gato`, `☒ Hembra ☐ Macho`.

const EMPTY: [&str; 5] = ["( )", "[ ]", "☐", "□", "❏"];
const TICKED: [&str; 10] = ["(x)", "(X)", "[x]", "[X]", "☒", "☑", "■", "✓", "✔", "✗"];

/// The words beside the ticked box. Without boxes, all words. None if no box is ticked.
pub(crate) fn ticked(words: &str) -> Option<&str> {
    let tick = TICKED.iter().filter_map(|tick| Some((words.find(tick)?, tick.len()))).min();
    match tick {
        Some((at, length)) => {
            let behind = &words[at + length..];
            let end = boxes().filter_map(|mark| behind.find(mark)).min().unwrap_or(behind.len());
            let own = behind[..end].trim();
            // The box may stand behind its words: "Perro [X] Gato [ ]".
            if own.is_empty() {
                let before = &words[..at];
                let start = boxes().filter_map(|mark| Some(before.rfind(mark)? + mark.len())).max();
                return Some(before[start.unwrap_or(0)..].trim());
            }
            Some(own)
        }
        None if EMPTY.iter().any(|empty| words.contains(empty)) => None,
        None => Some(words),
    }
}

/// Whether words start with a box, ticked or not.
pub(crate) fn starts_with_box(words: &str) -> bool {
    boxes().any(|mark| words.starts_with(mark))
}

fn boxes() -> impl Iterator<Item = &'static str> {
    EMPTY.into_iter().chain(TICKED)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_beside_the_ticked_box_count() {
        assert_eq!(ticked("[ ] Macho [X] Hembra"), Some("Hembra"));
        assert_eq!(ticked("☒ Perro ☐ Gato"), Some("Perro"));
        assert_eq!(ticked("Perro [ ] Gato [x]"), Some("Gato"));
        assert_eq!(ticked("( ) Sí ( ) No"), None, "no box is ticked");
        assert_eq!(ticked("Hembra"), Some("Hembra"), "no boxes");
        assert!(starts_with_box("[ ] Macho") && starts_with_box("☑ Sí") && !starts_with_box("Macho [X]"));
    }
}
