//! What merges leave behind: conflict markers, and headings, list numbers and long lines that stand twice.

use std::collections::BTreeMap;

use super::Problem;
use super::source::{Line, LineKind, Piece, Source};

/// A shorter line may well stand twice.
const LONG_LINE: usize = 60;

pub fn problems(source: &Source) -> Vec<Problem> {
    [conflict_markers(source), repeated_headings(source), repeated_numbers(source), repeated_lines(source)]
        .concat()
}

fn conflict_markers(source: &Source) -> Vec<Problem> {
    let is_marker = |text: &str| {
        let begins = ["<<<<<<< ", ">>>>>>> ", "||||||| "].iter().any(|marker| text.starts_with(marker));
        begins || text == "======="
    };
    let marked = source.lines.iter().filter(|line| is_marker(&line.text));
    marked.map(|line| source.problem(line.number, "this is a conflict marker of a merge")).collect()
}

/// Two headings of the same text under the same heading.
fn repeated_headings(source: &Source) -> Vec<Problem> {
    let mut above: Vec<(usize, String)> = Vec::new();
    let mut seen: BTreeMap<Vec<String>, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    for (level, Piece { line, text }) in source.headings() {
        above.retain(|(higher, _)| *higher < level);
        above.push((level, text.clone()));
        let way = above.iter().map(|(_, text)| text.clone()).collect();
        if let Some(first) = seen.insert(way, line) {
            problems
                .push(source.problem(line, format!("the heading \"{text}\" stands in line {first} already")));
        }
    }
    problems
}

/// The same number twice in one list. A list ends with a heading or with a paragraph that is not indented.
fn repeated_numbers(source: &Source) -> Vec<Problem> {
    let mut lists: Vec<(usize, Vec<u32>)> = Vec::new();
    let mut problems = Vec::new();
    let mut after_blank = true;
    for line in source.lines.iter().filter(|line| line.kind == LineKind::Prose) {
        let indent = line.text.len() - line.text.trim_start().len();
        if line.text.trim().is_empty() {
            after_blank = true;
            continue;
        }
        if let Some(number) = list_number(&line.text) {
            lists.retain(|(depth, _)| *depth <= indent);
            if lists.last().is_none_or(|(depth, _)| *depth < indent) {
                lists.push((indent, Vec::new()));
            }
            if let Some((_, numbers)) = lists.last_mut() {
                if numbers.contains(&number) {
                    problems.push(
                        source.problem(line.number, format!("this list has a number {number} already")),
                    );
                }
                numbers.push(number);
            }
        } else if indent == 0 && after_blank {
            lists.clear();
        }
        after_blank = false;
    }
    problems
}

fn list_number(text: &str) -> Option<u32> {
    let text = text.trim_start();
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = text.get(digits..)?;
    (rest.starts_with(". ") || rest.starts_with(") ")).then(|| text[..digits].parse().ok())?
}

/// A long line twice in one file. Tables and quotations repeat themselves, and so do files that a command writes.
fn repeated_lines(source: &Source) -> Vec<Problem> {
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    let mut problems = Vec::new();
    let is_free = |line: &Line| line.text.trim_start().starts_with(['|', '>']);
    let lines = if source.is_generated() { &[] } else { source.lines.as_slice() };
    for line in lines.iter().filter(|line| !is_free(line)) {
        let text = line.text.trim();
        if text.chars().count() < LONG_LINE {
            continue;
        }
        if let Some(first) = seen.insert(text, line.number) {
            problems.push(source.problem(line.number, format!("this line stands in line {first} already")));
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let problems = problems(&Source::markdown("a.md", text));
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn conflict_markers_are_found() {
        let text = "one\n<<<<<<< HEAD\ntwo\n=======\nthree\n>>>>>>> other\n";
        assert_eq!(found(text).len(), 3);
        assert_eq!(found(text)[0], "a.md:2: this is a conflict marker of a merge");
    }

    #[test]
    fn a_heading_that_stands_twice_is_found_and_one_below_another_parent_is_not() {
        assert_eq!(found("# A\n## B\n## C\n## B\n"), ["a.md:4: the heading \"B\" stands in line 2 already"]);
        assert_eq!(found("# A\n## 1.0\n### Added\n## 0.9\n### Added\n"), Vec::<String>::new());
    }

    #[test]
    fn a_number_that_stands_twice_in_a_list_is_found() {
        assert_eq!(found("1. a\n2. b\n   more\n\n2. c\n"), ["a.md:5: this list has a number 2 already"]);
        let clean = "1. a\n   1. x\n   2. y\n2. b\n   1. x\n\nNow the other:\n\n1. c\n\n## Next\n\n1. d\n";
        assert_eq!(found(clean), Vec::<String>::new());
    }

    #[test]
    fn a_long_line_that_stands_twice_is_found() {
        let long = "This line has more than sixty characters, as a sentence in a guide usually has.";
        assert_eq!(
            found(&format!("{long}\n\nshort\nshort\n{long}\n")),
            ["a.md:5: this line stands in line 1 already"]
        );
        assert_eq!(found(&format!("| {long} |\n| {long} |\n> {long}\n> {long}\n")), Vec::<String>::new());
        assert_eq!(found(&format!("Generated by `cargo xtask x`.\n{long}\n{long}\n")), Vec::<String>::new());
    }
}
