//! Marks the sentences of a text from which its summary was made.

/// A part of a line, and the number of the quote that it is, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MarkedPart {
    pub(super) text: String,
    pub(super) quote: Option<usize>,
}

/// The lines of a text that have words, with each quote marked where it first stands.
pub(super) fn lines(text: &str, quotes: &[String]) -> Vec<Vec<MarkedPart>> {
    let mut unseen: Vec<(usize, &str)> =
        quotes.iter().enumerate().map(|(number, quote)| (number + 1, quote.trim())).collect();
    unseen.retain(|(_, quote)| !quote.is_empty());
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines.map(|line| parts(line, &mut unseen)).collect()
}

fn parts(line: &str, unseen: &mut Vec<(usize, &str)>) -> Vec<MarkedPart> {
    let found = unseen.iter().filter_map(|(number, quote)| Some((line.find(quote)?, quote.len(), *number)));
    let mut found: Vec<(usize, usize, usize)> = found.collect();
    found.sort_unstable();
    let mut parts = Vec::new();
    let mut at = 0;
    let mut push = |from: usize, to: usize, quote: Option<usize>| {
        if from < to {
            parts.push(MarkedPart { text: line[from..to].to_owned(), quote });
        }
    };
    for (start, length, number) in found {
        // A quote within another one is marked with it.
        if start >= at {
            push(at, start, None);
            at = start + length;
            push(start, at, Some(number));
            unseen.retain(|(one, _)| *one != number);
        }
    }
    push(at, line.len(), None);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_quote_is_marked_once_and_nothing_is_lost() {
        let quotes = ["Ñandú corre.", "corre. Llueve", "", "nada", "Fin"].map(str::to_owned);
        let lines = lines("Hoy. Ñandú corre. Llueve.\n\nFin y Fin\nÑandú corre.", &quotes);
        let whole: Vec<String> =
            lines.iter().map(|line| line.iter().map(|part| part.text.as_str()).collect()).collect();
        assert_eq!(whole, ["Hoy. Ñandú corre. Llueve.", "Fin y Fin", "Ñandú corre."]);
        let marked = lines.iter().flatten().filter_map(|part| Some((part.quote?, part.text.as_str())));
        assert_eq!(marked.collect::<Vec<_>>(), [(1, "Ñandú corre."), (5, "Fin")]);
    }
}
