//! A document as the checks read it: its lines, each either prose or part of a code block, and the code spans, links
//! and headings in the prose.

/// A Markdown file, or the comments of a settings file.
pub struct Source {
    /// Its path from the root of the repository.
    pub path: String,
    pub lines: Vec<Line>,
}

pub struct Line {
    /// Counted from 1.
    pub number: usize,
    pub text: String,
    pub kind: LineKind,
}

#[derive(Clone, PartialEq)]
pub enum LineKind {
    Prose,
    /// Inside a fenced block of this language; empty when the fence names none.
    Code(String),
    /// A fence itself, or a line that no check reads.
    Other,
}

/// A piece of text and the line on which it begins.
#[derive(Debug, PartialEq)]
pub struct Piece {
    pub line: usize,
    pub text: String,
}

/// A fenced block.
pub struct Block<'a> {
    pub language: &'a str,
    pub lines: &'a [Line],
}

impl Source {
    /// A file that is no Markdown: every line counts.
    pub fn plain(path: &str, text: &str) -> Self {
        let line = |(index, text): (usize, &str)| Line {
            number: index + 1,
            text: text.to_owned(),
            kind: LineKind::Code(String::new()),
        };
        Self { path: path.to_owned(), lines: text.lines().enumerate().map(line).collect() }
    }

    pub fn markdown(path: &str, text: &str) -> Self {
        let mut fence: Option<String> = None;
        let lines = text.lines().enumerate().map(|(index, text)| {
            let kind = match (text.trim_start().strip_prefix("```"), &fence) {
                (Some(info), None) => {
                    fence = Some(info.split_whitespace().next().unwrap_or_default().to_owned());
                    LineKind::Other
                }
                (Some(_), Some(_)) => {
                    fence = None;
                    LineKind::Other
                }
                (None, Some(language)) => LineKind::Code(language.clone()),
                (None, None) => LineKind::Prose,
            };
            Line { number: index + 1, text: text.to_owned(), kind }
        });
        Self { path: path.to_owned(), lines: lines.collect() }
    }

    /// The comments of a TOML file are prose; its settings are not read.
    pub fn toml_comments(path: &str, text: &str) -> Self {
        let lines = text.lines().enumerate().map(|(index, text)| {
            let comment = text.strip_prefix('#');
            let kind = if comment.is_some() { LineKind::Prose } else { LineKind::Other };
            Line { number: index + 1, text: comment.unwrap_or(text).trim_start().to_owned(), kind }
        });
        Self { path: path.to_owned(), lines: lines.collect() }
    }

    /// The fenced blocks, in order.
    pub fn blocks(&self) -> Vec<Block<'_>> {
        let is_code = |line: &Line| matches!(line.kind, LineKind::Code(_));
        self.lines
            .chunk_by(|one, next| is_code(one) == is_code(next))
            .filter_map(|lines| match &lines.first()?.kind {
                LineKind::Code(language) => Some(Block { language, lines }),
                _ => None,
            })
            .collect()
    }

    /// Consecutive lines of prose, joined by line breaks: a code span may go on in the next line.
    fn paragraphs(&self) -> Vec<Piece> {
        let is_text = |line: &Line| line.kind == LineKind::Prose && !line.text.trim().is_empty();
        self.lines
            .chunk_by(|one, next| is_text(one) && is_text(next))
            .filter(|lines| lines.first().is_some_and(is_text))
            .filter_map(|lines| {
                let text: Vec<&str> = lines.iter().map(|line| line.text.as_str()).collect();
                Some(Piece { line: lines.first()?.number, text: text.join("\n") })
            })
            .collect()
    }

    /// The text between backticks in the prose, each on one line.
    pub fn code_spans(&self) -> Vec<Piece> {
        self.paragraphs().iter().flat_map(|paragraph| split_spans(paragraph).0).collect()
    }

    /// The prose without its code spans, paragraph by paragraph.
    pub fn plain_paragraphs(&self) -> Vec<Piece> {
        self.paragraphs().iter().map(|paragraph| split_spans(paragraph).1).collect()
    }

    /// The targets of links and pictures.
    pub fn links(&self) -> Vec<Piece> {
        let mut links = Vec::new();
        for Piece { line, text } in self.plain_paragraphs() {
            for (at, _) in text.match_indices("](") {
                let target = text[at + 2..].split([')', '\n', ' ']).next().unwrap_or_default();
                links.push(Piece { line: line + line_breaks(&text[..at]), text: target.to_owned() });
            }
        }
        links
    }

    /// Level, text and line of each heading.
    pub fn headings(&self) -> Vec<(usize, Piece)> {
        let headings = self.lines.iter().filter(|line| line.kind == LineKind::Prose).filter_map(|line| {
            let level = line.text.chars().take_while(|mark| *mark == '#').count();
            let text = line.text.get(level..)?.strip_prefix(' ')?;
            (1..=6).contains(&level).then(|| {
                let text = text.trim().to_owned();
                (level, Piece { line: line.number, text })
            })
        });
        headings.collect()
    }

    /// A file that a command writes says so in its first lines.
    pub fn is_generated(&self) -> bool {
        self.lines.iter().take(5).any(|line| line.text.contains("Generated by `cargo xtask"))
    }
}

/// The code spans of a paragraph, and the paragraph with spaces in their place.
fn split_spans(paragraph: &Piece) -> (Vec<Piece>, Piece) {
    let text = paragraph.text.as_str();
    let (mut spans, mut plain, mut at) = (Vec::new(), String::new(), 0);
    while let Some(start) = text[at..].find('`').map(|found| at + found) {
        let ticks = text[start..].chars().take_while(|mark| *mark == '`').count();
        let inside = start + ticks;
        plain.push_str(&text[at..start]);
        let Some(end) = closing(&text[inside..], ticks).map(|found| inside + found) else {
            at = inside;
            continue;
        };
        let line = paragraph.line + line_breaks(&text[..start]);
        let span = text[inside..end].replace('\n', " ").replace("\\|", "|");
        spans.push(Piece { line, text: span.trim().to_owned() });
        plain.extend(text[start..end + ticks].chars().map(|mark| if mark == '\n' { mark } else { ' ' }));
        at = end + ticks;
    }
    plain.push_str(&text[at..]);
    (spans, Piece { line: paragraph.line, text: plain })
}

/// Where a run of exactly that many backticks begins.
fn closing(text: &str, ticks: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(start) = text[at..].find('`').map(|found| at + found) {
        let run = text[start..].chars().take_while(|mark| *mark == '`').count();
        if run == ticks {
            return Some(start);
        }
        at = start + run;
    }
    None
}

fn line_breaks(text: &str) -> usize {
    text.matches('\n').count()
}

#[cfg(test)]
mod tests {
    use super::{Piece, Source};

    fn piece(line: usize, text: &str) -> Piece {
        Piece { line, text: text.to_owned() }
    }

    #[test]
    fn code_spans_are_found_also_across_lines_and_not_in_blocks() {
        let source =
            Source::markdown("a.md", "One `two` and `GET\n/three`.\n\n```sh\n`four`\n```\n`a\\|b`\n");
        assert_eq!(source.code_spans(), [piece(1, "two"), piece(1, "GET /three"), piece(7, "a|b")]);
    }

    #[test]
    fn links_are_found_outside_code() {
        let source = Source::markdown("a.md", "See [one](b.md#top)\nand ![two](c.png), not `[x](d.md)`.\n");
        assert_eq!(source.links(), [piece(1, "b.md#top"), piece(2, "c.png")]);
    }

    #[test]
    fn headings_have_their_level_and_blocks_their_language() {
        let source = Source::markdown("a.md", "# One\n\n```toml\n# not a heading\n```\n## Two\n#tag\n");
        assert_eq!(source.headings(), [(1, piece(1, "One")), (2, piece(6, "Two"))]);
        let blocks = source.blocks();
        assert_eq!((blocks.len(), blocks[0].language, blocks[0].lines[0].number), (1, "toml", 4));
    }

    #[test]
    fn only_the_comments_of_settings_are_prose() {
        let source = Source::toml_comments("a.toml", "# See `x`.\nkey = \"`y`\"\n");
        assert_eq!(source.code_spans(), [piece(1, "x")]);
    }
}
