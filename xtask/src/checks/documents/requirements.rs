//! Requirements: each id that a test or a document names has a sentence, each sentence has a test, and the page that
//! shows both is up to date.

use std::collections::BTreeSet;

use super::Problem;
use super::source::Source;
use crate::Result;
use crate::repository::Repository;
use crate::requirements::{self, PAGE, Proof, Requirements, SENTENCES, ids};

pub fn problems(repository: &Repository, sources: &[Source]) -> Result<Vec<Problem>> {
    let requirements = match Requirements::parse(&repository.read(SENTENCES)?) {
        Ok(requirements) => requirements,
        Err((line, message)) => return Ok(vec![Problem { file: SENTENCES.to_owned(), line, message }]),
    };
    let proofs = requirements::proofs(repository)?;
    let mut problems = compare(&requirements, &proofs, sources);
    let page = repository.read(PAGE).unwrap_or_default();
    if page != requirements::page(&requirements, &proofs) {
        let message = "this page is not up to date; run `cargo xtask requirements`".to_owned();
        problems.push(Problem { file: PAGE.to_owned(), line: 1, message });
    }
    Ok(problems)
}

fn compare(requirements: &Requirements, proofs: &[Proof], sources: &[Source]) -> Vec<Problem> {
    let tested: BTreeSet<&str> = requirements.tested().map(|one| one.id.as_str()).collect();
    let untested: BTreeSet<&str> = requirements.untested().map(|one| one.id.as_str()).collect();
    let proved: BTreeSet<&str> = proofs.iter().map(|proof| proof.id.as_str()).collect();
    let mut problems = Vec::new();
    for Proof { id, file, line, .. } in proofs.iter().filter(|proof| !tested.contains(proof.id.as_str())) {
        let message = if untested.contains(id.as_str()) {
            format!("{id} is proved here, but {SENTENCES} lists it as without a test")
        } else {
            format!("there is no requirement {id}; give it a sentence in {SENTENCES}")
        };
        problems.push(Problem { file: file.clone(), line: *line, message });
    }
    for one in requirements.tested().filter(|one| !proved.contains(one.id.as_str())) {
        let message = format!("no test proves {}; move it to the group \"Without a test yet\"", one.id);
        problems.push(Problem { file: SENTENCES.to_owned(), line: one.line, message });
    }
    for source in sources.iter().filter(|source| !source.is_generated()) {
        for line in &source.lines {
            let unknown =
                ids(&line.text).into_iter().filter(|id| !tested.contains(&**id) && !untested.contains(&**id));
            problems.extend(
                unknown.map(|id| source.problem(line.number, format!("there is no requirement {id}"))),
            );
        }
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(proved: &[&str], document: &str) -> Vec<String> {
        let requirements =
            Requirements::parse("[\"Runs\"]\nR001 = \"One.\"\n[\"Without a test yet\"]\nR002 = \"Two.\"\n");
        let requirements = requirements.unwrap_or_else(|(line, message)| panic!("{line}: {message}"));
        let proof = |id: &&str| Proof {
            id: (*id).to_owned(),
            package: "quire".into(),
            test: "it_holds".into(),
            file: "a.rs".into(),
            line: 7,
        };
        let proofs: Vec<Proof> = proved.iter().map(proof).collect();
        let problems = compare(&requirements, &proofs, &[Source::markdown("a.md", document)]);
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn an_id_without_a_sentence_is_found_in_tests_and_documents() {
        assert_eq!(
            found(&["R001", "R003"], ""),
            ["a.rs:7: there is no requirement R003; give it a sentence in docs/requirements.toml"]
        );
        assert_eq!(found(&["R001"], "x\n`R003`"), ["a.md:2: there is no requirement R003"]);
    }

    #[test]
    fn a_sentence_without_a_test_is_found_and_so_is_a_test_of_what_has_none() {
        let problems = found(&["R002"], "");
        assert_eq!(problems.len(), 2, "{problems:?}");
        assert!(problems[0].starts_with("a.rs:7: R002 is proved here"), "{problems:?}");
        assert!(problems[1].starts_with("docs/requirements.toml:2: no test proves R001"), "{problems:?}");
    }

    #[test]
    fn requirements_that_are_proved_pass() {
        assert_eq!(found(&["R001"], "R001 and, later, R002."), Vec::<String>::new());
    }
}
