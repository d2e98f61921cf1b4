//! The plain text of Markdown.

/// A longer link is none. An unclosed bracket must not cost the length of the text each time.
const MAX_BRACKET_CHARS: usize = 1000;

/// A part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Heading(String),
    Paragraph(String),
    /// An item of a list or a row of a table.
    Item(String),
}

impl Block {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Heading(text) | Self::Paragraph(text) | Self::Item(text) => text,
        }
    }
}

/// The words of a Markdown text, each block on a line of its own, without code.
pub fn plain_text(markdown: &str) -> String {
    let blocks = blocks(markdown);
    blocks.iter().map(Block::text).collect::<Vec<_>>().join("\n")
}

/// The blocks of a Markdown text that have words. Code is left out.
pub(super) fn blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut paragraph = String::new();
    let mut fence: Option<&str> = None;
    let flush = |paragraph: &mut String, blocks: &mut Vec<Block>| {
        let text = inline(paragraph);
        if !text.is_empty() {
            blocks.push(Block::Paragraph(text));
        }
        paragraph.clear();
    };
    for line in markdown.lines() {
        let line = line.trim().trim_start_matches("> ").trim_start_matches('>').trim();
        let mark = ["```", "~~~"].into_iter().find(|mark| line.starts_with(mark));
        if fence.is_some() || mark.is_some() {
            flush(&mut paragraph, &mut blocks);
            fence = if fence.is_none() { mark } else { fence.filter(|open| mark != Some(*open)) };
        } else if line.is_empty() || is_rule(line) {
            flush(&mut paragraph, &mut blocks);
        } else if let Some(heading) = heading(line) {
            flush(&mut paragraph, &mut blocks);
            blocks.extend(some(inline(heading)).map(Block::Heading));
        } else if let Some(item) = item(line) {
            flush(&mut paragraph, &mut blocks);
            // The following lines may belong to the item.
            blocks.extend(some(inline(&item)).map(Block::Item));
        } else {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
        }
    }
    flush(&mut paragraph, &mut blocks);
    blocks
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

fn heading(line: &str) -> Option<&str> {
    let text = line.trim_start_matches('#');
    let level = line.len() - text.len();
    ((1..=6).contains(&level) && text.starts_with(' ')).then(|| text.trim().trim_end_matches('#').trim())
}

/// The text of an item of a list, or the cells of a row.
fn item(line: &str) -> Option<String> {
    if let Some(row) = line.strip_prefix('|') {
        let cells = row.trim_end_matches('|').split('|').map(str::trim).filter(|cell| !cell.is_empty());
        return Some(cells.collect::<Vec<_>>().join(" "));
    }
    let bullet = ["- ", "* ", "+ "].into_iter().find_map(|mark| line.strip_prefix(mark));
    let numbered = || {
        let rest = line.trim_start_matches(|char: char| char.is_ascii_digit());
        (rest.len() < line.len()).then(|| rest.strip_prefix(". ").or_else(|| rest.strip_prefix(") ")))?
    };
    bullet.or_else(numbered).map(str::to_owned)
}

/// Whether a line is a rule, the line under a heading, or the line under the head of a table.
fn is_rule(line: &str) -> bool {
    line.chars().all(|char| matches!(char, '-' | '*' | '_' | '=' | '|' | ':' | ' ')) && line.len() >= 3
}

/// A line without marks: the text of links, no images, no emphasis, no escapes.
fn inline(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(char) = rest.chars().next() {
        let after = &rest[char.len_utf8()..];
        rest = match char {
            '\\' => match after.chars().next().filter(char::is_ascii_punctuation) {
                Some(escaped) => {
                    plain.push(escaped);
                    &after[escaped.len_utf8()..]
                }
                None => after,
            },
            '!' if after.starts_with('[') => {
                if let Some((_, behind)) = link(after) {
                    behind
                } else {
                    plain.push(char);
                    after
                }
            }
            '[' => {
                if let Some((text, behind)) = link(rest) {
                    plain.push_str(&inline(text));
                    behind
                } else {
                    plain.push(char);
                    after
                }
            }
            '*' | '`' => after,
            // Inside a word it is a letter.
            '_' if !(plain.ends_with(char::is_alphanumeric) && after.starts_with(char::is_alphanumeric)) => {
                after
            }
            _ => {
                plain.push(char);
                after
            }
        };
    }
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The text of `[text](address)`, and what follows. None if this is no link.
fn link(text: &str) -> Option<(&str, &str)> {
    let end = matching(text, '[', ']')?;
    let behind = &text[end + 1..];
    let address = matching(behind, '(', ')')?;
    Some((&text[1..end], &behind[address + 1..]))
}

/// The place of the bracket that closes the one at the beginning.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut escaped = false;
    for (at, char) in text.char_indices().take(MAX_BRACKET_CHARS) {
        match char {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if char == open => depth += 1,
            _ if char == close => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > 0).then_some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn marks_are_removed_and_words_are_kept() {
        let markdown = "# A *title*\n\nA [link](https://example.com/a_(b)) and **bold** `code`, snake_case \\* star.\nSame \
            paragraph.\n\n![picture](x.png)\n\n- one\n- two\n1. three\n\n> quoted\n\n```\nlet code = 1;\n```\n\n\
            | a | b |\n|---|---|\n| 1 | 2 |\n";
        assert_eq!(
            plain_text(markdown),
            "A title\nA link and bold code, snake_case * star. Same paragraph.\none\ntwo\nthree\nquoted\na b\n1 2"
        );
    }

    #[test]
    fn unclosed_brackets_are_text_and_cost_little() {
        assert_eq!(plain_text("[a](b and ![c"), "[a](b and ![c");
        assert_eq!(plain_text(&"[".repeat(20_000)).len(), 20_000);
    }

    proptest! {
        #[test]
        fn any_text_is_read_and_plain_words_stay(text in "[ -~\\n]{0,200}", words in "[a-z]{1,8}( [a-z]{1,8}){0,5}") {
            let _ = plain_text(&text);
            prop_assert_eq!(plain_text(&words), words);
        }
    }
}
