//! Error codes: each has a page under docs/errors, each page is of a code that exists, and every code or other name in
//! capitals in a document is one that the code knows.

use std::collections::BTreeSet;

use super::Problem;
use super::source::{LineKind, Source};
use crate::words::{names, quoted_names};

/// Placeholders in capitals, which a reader replaces.
const PLACEHOLDERS: [&str; 2] = ["RUN_ID", "DOCUMENT_ID"];

/// One code of each closed list in the description of the API: a list with one of them is a list of error codes.
const ONE_OF_EACH_LIST: [&str; 4] =
    ["INVALID_REQUEST", "NO_COMPLETED_RUN", "EXTRACTION_FAILED", "PDF_INVALID"];

const PAGES: &str = "docs/errors/";

/// The codes there are.
pub struct ErrorCodes {
    codes: BTreeSet<String>,
    /// Every name in capitals that the code has between quotes: codes, events, states, kinds of changes.
    known: BTreeSet<String>,
}

impl ErrorCodes {
    /// From the description of the API, whose lists a test compares with the code, and from the code.
    pub fn read(description: &str, code: &[String]) -> Self {
        let lists = description.split("\"enum\": [").skip(1).filter_map(|rest| rest.split(']').next());
        let of_errors = lists.map(|list| quoted_names(list).collect::<Vec<_>>());
        let of_errors = of_errors.filter(|list| ONE_OF_EACH_LIST.iter().any(|code| list.contains(code)));
        let codes = of_errors.flatten().map(str::to_owned).collect();
        let known = code.iter().flat_map(|text| quoted_names(text)).filter(|name| is_capital(name));
        Self { codes, known: known.map(str::to_owned).collect() }
    }

    /// Codes without a page, and pages without a code.
    pub fn problems_of_pages(&self, files: &[&str]) -> Vec<Problem> {
        let pages: BTreeSet<&str> =
            files.iter().filter_map(|file| file.strip_prefix(PAGES)?.strip_suffix(".md")).collect();
        let problem =
            |code: &str, message: String| Problem { file: format!("{PAGES}{code}.md"), line: 1, message };
        let without_page = self.codes.iter().filter(|code| !pages.contains(code.as_str()));
        let without_code = pages.iter().filter(|page| !self.codes.contains(**page));
        let missing = without_page.map(|code| problem(code, format!("the error code {code} has no page")));
        let unused = without_code.map(|page| problem(page, format!("there is no error code {page}")));
        missing.chain(unused).collect()
    }

    /// Names in capitals that nothing in the code knows. Names of environment variables are left to the settings.
    pub fn problems(&self, source: &Source, is_variable: impl Fn(&str) -> bool) -> Vec<Problem> {
        let mut problems = Vec::new();
        for line in source.lines.iter().filter(|line| line.kind != LineKind::Other) {
            for name in self.unknown_names(&line.text).into_iter().filter(|name| !is_variable(name)) {
                problems.push(
                    source.problem(
                        line.number,
                        format!("{name} is no error code and no other name in the code"),
                    ),
                );
            }
            for code in codes_by_place(&line.text).into_iter().filter(|code| !self.codes.contains(*code)) {
                problems.push(source.problem(line.number, format!("there is no error code {code}")));
            }
            // Only the reasons of conflicts are codes with a page. The code knows the others, too.
            for reason in reasons(&line.text).into_iter().filter(|reason| !self.known.contains(*reason)) {
                problems.push(source.problem(line.number, format!("there is no reason {reason}")));
            }
        }
        problems
    }

    fn unknown_names<'a>(&self, text: &'a str) -> Vec<&'a str> {
        let is_other = |name: &&str| name.starts_with("QUIRE_") || PLACEHOLDERS.contains(name);
        let is_long = |name: &&str| is_capital(name) && name.contains('_') && !name.ends_with('_');
        names(text)
            .into_iter()
            .filter(|name| is_long(name) && !is_other(name) && !self.known.contains(*name))
            .collect()
    }
}

/// Codes that can be told by their place, also those of one word: `409 CONFLICT`, `"error_code": "CONFLICT"`, `/errors/CONFLICT`.
fn codes_by_place(text: &str) -> Vec<&str> {
    let mut codes = Vec::new();
    for before in ["\"error_code\": \"", "\"failure_type\": \"", "/errors/"] {
        codes.extend(names_after(text, before));
    }
    let words: Vec<&str> = text.split([' ', '`']).collect();
    for pair in words.windows(2) {
        let is_status =
            pair[0].len() == 3 && pair[0].starts_with(['4', '5']) && pair[0].parse::<u16>().is_ok();
        if is_status && pair[1].len() > 3 && is_capital(pair[1]) {
            codes.push(pair[1]);
        }
    }
    codes.retain(|code| is_capital(code));
    codes
}

/// Reasons in the details of an error.
fn reasons(text: &str) -> Vec<&str> {
    names_after(text, "\"reason\": \"").filter(|reason| is_capital(reason)).collect()
}

/// The names directly after that text.
fn names_after<'a>(text: &'a str, before: &str) -> impl Iterator<Item = &'a str> {
    let rest = text.match_indices(before).map(|(at, found)| &text[at + found.len()..]);
    // What follows may be the end of a line, or a placeholder such as CODE.
    rest.filter_map(|rest| names(rest).first().copied().filter(|name| rest.starts_with(name)))
        .filter(|name| !["CODE", "REASON"].contains(name))
}

fn is_capital(name: &str) -> bool {
    name.starts_with(|mark: char| mark.is_ascii_uppercase())
        && name.chars().all(|mark| mark.is_ascii_uppercase() || mark.is_ascii_digit() || mark == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes() -> ErrorCodes {
        let description =
            r#"{"enum": ["INVALID_REQUEST", "CONFLICT"], "x": {"enum": ["ADD"]}, "enum": ["PDF_INVALID"]}"#;
        ErrorCodes::read(description, &["Created = \"RUN_CREATED\", \"PDF_INVALID\"".to_owned()])
    }

    fn found(text: &str) -> Vec<String> {
        let problems = codes().problems(&Source::markdown("a.md", text), |name| name == "AUTH_TOKEN");
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_code_that_does_not_exist_is_found() {
        assert_eq!(
            found("x\n`PDF_BROKEN`"),
            ["a.md:2: PDF_BROKEN is no error code and no other name in the code"]
        );
        assert_eq!(found("`409 CONFLICTS`"), ["a.md:1: there is no error code CONFLICTS"]);
        assert_eq!(found("\"error_code\": \"GONE\""), ["a.md:1: there is no error code GONE"]);
        assert_eq!(found("at `/errors/GONE`").len(), 1);
        assert_eq!(found("\"reason\": \"NOBODY\""), ["a.md:1: there is no reason NOBODY"]);
    }

    #[test]
    fn true_codes_and_other_names_pass() {
        let text = "`PDF_INVALID`, RUN_CREATED, `409 CONFLICT`, `/errors/CODE`, `AUTH_TOKEN`, `QUIRE_X`, `RUN_ID:1`, GET, `429`, \
                    \"reason\": \"RUN_CREATED\"";
        assert_eq!(found(text), Vec::<String>::new());
    }

    #[test]
    fn codes_and_pages_belong_together() {
        let pages =
            ["docs/errors/CONFLICT.md", "docs/errors/INVALID_REQUEST.md", "docs/errors/OLD.md", "docs/a.md"];
        let problems: Vec<String> =
            codes().problems_of_pages(&pages).iter().map(ToString::to_string).collect();
        assert_eq!(
            problems,
            [
                "docs/errors/PDF_INVALID.md:1: the error code PDF_INVALID has no page",
                "docs/errors/OLD.md:1: there is no error code OLD"
            ]
        );
    }
}
