//! Documents must not lie. This check reads every Markdown file and the comments of quire.default.toml, and compares
//! the paths, commands, settings, metrics, error codes, routes, requirements and tests of attacks that they name with
//! those there are. It also finds what merges leave behind.

mod attacks;
mod commands;
mod debris;
mod error_codes;
mod metrics;
mod paths;
mod requirements;
mod routes;
mod settings;
mod source;
mod trees;

use std::fmt;

use self::commands::{Commands, Reference};
use self::error_codes::ErrorCodes;
use self::metrics::KnownMetrics;
use self::routes::Routes;
use self::settings::Settings;
use self::source::Source;
use crate::Result;
use crate::cargo::workspace_root;
use crate::repository::{Repository, has_extension, product_code};

const DEFAULT_SETTINGS: &str = "quire.default.toml";
const COMMANDS_PAGE: &str = "docs/reference/commands.md";
const API_DESCRIPTION: &str = "docs/openapi.json";
const ROUTES: &str = "crates/api/src/routes.rs";
/// The source file of this name lists other environment variables for settings.
const ALIASES: &str = "/config/aliases.rs";

/// Something in a document that is not true.
#[derive(Clone, Debug)]
pub struct Problem {
    file: String,
    line: usize,
    message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl Source {
    fn problem(&self, line: usize, message: impl Into<String>) -> Problem {
        Problem { file: self.path.clone(), line, message: message.into() }
    }
}

/// Prints every problem, and fails if there is one.
pub fn check() -> Result<()> {
    let problems = problems(&Repository::open(&workspace_root())?)?;
    for problem in &problems {
        println!("{problem}");
    }
    match problems.len() {
        0 => Ok(()),
        1 => Err("1 problem in the documents; correct it".into()),
        count => Err(format!("{count} problems in the documents; correct them")),
    }
}

fn problems(repository: &Repository) -> Result<Vec<Problem>> {
    let sources = sources(repository)?;
    let product: Vec<String> = product_code(repository)?.into_iter().map(|(_, text)| text).collect();
    let all_code = all_code(repository)?;
    let commands = Commands { quire: Reference::read(&repository.read(COMMANDS_PAGE)?) };
    let settings = Settings::read(&repository.read(DEFAULT_SETTINGS)?, &aliases(repository)?, &all_code);
    let metrics = KnownMetrics::read(&product);
    let codes = ErrorCodes::read(&repository.read(API_DESCRIPTION)?, &product);
    let routes = Routes::read(&repository.read(ROUTES)?);
    let functions = attacks::functions(&all_code);
    let read = |path: &str| repository.read(path).ok().map(|text| Source::markdown(path, &text));

    let mut problems = codes.problems_of_pages(&repository.files_where(|_| true));
    for source in &sources {
        problems.extend(paths::problems(source, repository, read));
        problems.extend(trees::problems(source, repository));
        problems.extend(commands.problems(source));
        problems.extend(settings.problems(source));
        problems.extend(metrics.problems(source));
        problems.extend(codes.problems(source, |name| settings.has_variable(name)));
        problems.extend(routes.problems(source));
        problems.extend(attacks::problems(source, &functions));
        problems.extend(debris::problems(source));
    }
    // Dashboards and alert rules read metrics too.
    for file in
        repository.files_where(|file| has_extension(file, "yml") || file.starts_with("deploy/grafana/"))
    {
        problems.extend(metrics.problems(&Source::plain(file, &repository.read(file)?)));
    }
    problems.extend(requirements::problems(repository, &sources)?);
    Ok(problems)
}

/// Every document. The prompt for the language model is not one.
fn sources(repository: &Repository) -> Result<Vec<Source>> {
    let is_document = |file: &str| has_extension(file, "md") && !file.ends_with("/prompt.md");
    let mut sources = Vec::new();
    for file in repository.files_where(is_document) {
        sources.push(Source::markdown(file, &repository.read(file)?));
    }
    sources.push(Source::toml_comments(DEFAULT_SETTINGS, &repository.read(DEFAULT_SETTINGS)?));
    Ok(sources)
}

fn aliases(repository: &Repository) -> Result<String> {
    let files = repository.files_where(|file| file.ends_with(ALIASES));
    let file = files.first().ok_or_else(|| format!("there is no file that ends in {ALIASES}"))?;
    repository.read(file)
}

/// All Rust code but this check's own, whose tests name things that do not exist.
fn all_code(repository: &Repository) -> Result<Vec<String>> {
    let files = repository
        .files_where(|file| has_extension(file, "rs") && !file.starts_with("xtask/src/checks/documents/"));
    files.into_iter().map(|file| repository.read(file)).collect()
}

/// The anchor of a heading, as GitHub makes it.
fn slug(heading: &str) -> String {
    let kept = heading.chars().filter(|mark| mark.is_alphanumeric() || " -_".contains(*mark));
    kept.map(|mark| if mark == ' ' { '-' } else { mark.to_ascii_lowercase() }).collect()
}

#[cfg(test)]
mod tests {
    use super::slug;

    #[test]
    fn anchors_are_made_as_github_makes_them() {
        assert_eq!(slug("When two people edit the same `field`"), "when-two-people-edit-the-same-field");
        assert_eq!(slug("1. Send a document"), "1-send-a-document");
    }
}
