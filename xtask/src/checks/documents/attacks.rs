//! The table of attacks in SECURITY.md: every test that it names exists.

use std::collections::BTreeSet;

use super::Problem;
use super::source::Source;
use crate::words::names;

const PAGE: &str = "SECURITY.md";

/// The names of all functions in the code.
pub fn functions(code: &[String]) -> BTreeSet<&str> {
    let declarations = code.iter().flat_map(|text| text.split("fn ").skip(1));
    declarations.filter_map(|rest| names(rest).first().copied()).collect()
}

/// Tests in the last column of the table that do not exist.
pub fn problems(source: &Source, functions: &BTreeSet<&str>) -> Vec<Problem> {
    let rows = source.lines.iter().filter(|line| source.path == PAGE && line.text.starts_with('|'));
    let mut problems = Vec::new();
    for row in rows {
        let tests = row.text.trim_end().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let named = tests.split('`').skip(1).step_by(2).filter(|name| is_test(name));
        let unknown = named.filter(|name| !functions.contains(name));
        problems.extend(unknown.map(|name| source.problem(row.number, format!("there is no test {name}"))));
    }
    problems
}

/// The name of a test is a sentence. Names of drills and of files are not.
fn is_test(name: &str) -> bool {
    name.contains('_') && name.chars().all(|mark| mark.is_ascii_lowercase() || "_0123456789".contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_does_not_exist_is_found() {
        let code = ["#[test]\nfn it_holds() {}\npub async fn it_holds_too(x: u8) {}".to_owned()];
        let functions = functions(&code);
        let table = "`a_b`\n| attack | `x_y` | drill `stalled.rs`; `it_holds`, `it_holds_too` |\n| a | b | `it_held` |\n";
        let found = |path| {
            let problems = problems(&Source::markdown(path, table), &functions);
            problems.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(found("SECURITY.md"), ["SECURITY.md:3: there is no test it_held"]);
        assert_eq!(found("README.md"), Vec::<String>::new());
    }
}
