//! Marks the sentences of a text from which its summary was made.

/// A part of a line, marked or not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) text: String,
    pub(super) is_marked: bool,
}

/// The lines of a text, with the quotes marked where they first stand.
pub(super) fn lines(text: &str, quotes: &[String]) -> Vec<Vec<Part>> {
    text.lines().filter(|line| !line.trim().is_empty()).map(|line| parts(line, quotes)).collect()
}

fn parts(line: &str, quotes: &[String]) -> Vec<Part> {
    let found = quotes.iter().filter(|quote| !quote.is_empty()).filter_map(|quote| {
        let start = line.find(quote.as_str())?;
        Some((start, start + quote.len()))
    });
    let mut found: Vec<(usize, usize)> = found.collect();
    found.sort_unstable();
    let mut parts = Vec::new();
    let mut at = 0;
    let mut push = |from: usize, to: usize, is_marked: bool| {
        if from < to {
            parts.push(Part { text: line[from..to].to_owned(), is_marked });
        }
    };
    for (start, end) in found {
        if start >= at {
            push(at, start, false);
            push(start, end, true);
            at = end;
        }
    }
    push(at, line.len(), false);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_marked_and_nothing_is_lost() {
        let quotes =
            ["Ñandú corre.".to_owned(), "corre. Llueve".to_owned(), String::new(), "nada".to_owned()];
        let lines = lines("Hoy. Ñandú corre. Llueve.\n\nFin", &quotes);
        assert_eq!(lines.len(), 2);
        let text: String = lines[0].iter().map(|part| part.text.as_str()).collect();
        assert_eq!(text, "Hoy. Ñandú corre. Llueve.");
        let marked: Vec<_> = lines[0].iter().filter(|part| part.is_marked).collect();
        assert_eq!(marked.len(), 1, "an overlapping quote is not marked twice");
        assert_eq!(marked[0].text, "Ñandú corre.");
    }
}
