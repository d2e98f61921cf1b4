//! Routes: every method with a path in a document (`GET /documents/{id}`) is one that the server declares.

use super::Problem;
use super::source::{LineKind, Source};

/// The methods, and the functions that declare them.
const METHODS: [(&str, &str); 5] =
    [("GET", "get("), ("POST", "post("), ("PUT", "put("), ("PATCH", "patch("), ("DELETE", "delete(")];

/// The routes of the server.
pub struct Routes(Vec<Route>);

struct Route {
    methods: Vec<&'static str>,
    path: String,
}

impl Routes {
    /// From the file that declares them: each with its path, then with the handler of each method.
    pub fn read(code: &str) -> Self {
        let declared = code.split(".route(").skip(1).filter_map(|rest| {
            let (path, handlers) = rest.trim_start().strip_prefix('"')?.split_once('"')?;
            let functions: Vec<&str> = handlers.split_inclusive('(').collect();
            let declares = |function: &str| {
                functions.iter().any(|text| {
                    let before = text.strip_suffix(function);
                    before.is_some_and(|before| {
                        !before.ends_with(|mark: char| mark.is_alphanumeric() || mark == '_')
                    })
                })
            };
            let methods =
                METHODS.iter().filter(|(_, function)| declares(function)).map(|(method, _)| *method);
            Some(Route { methods: methods.collect(), path: path.to_owned() })
        });
        Self(declared.collect())
    }

    pub fn problems(&self, source: &Source) -> Vec<Problem> {
        let mut problems = Vec::new();
        for line in source.lines.iter().filter(|line| line.kind != LineKind::Other) {
            let unknown = requests(&line.text).into_iter().filter(|(method, path)| !self.has(method, path));
            problems.extend(unknown.map(|(method, path)| {
                source.problem(line.number, format!("there is no route {method} {path}"))
            }));
        }
        problems
    }

    fn has(&self, method: &str, path: &str) -> bool {
        self.0.iter().any(|route| route.methods.contains(&method) && fits(&route.path, path))
    }
}

/// Each method that a path follows, without the parameters of its query.
fn requests(text: &str) -> Vec<(&'static str, &str)> {
    let mut requests = Vec::new();
    for (method, _) in METHODS {
        for (at, _) in text.match_indices(method) {
            let is_word = !text[..at].ends_with(|mark: char| mark.is_alphanumeric() || mark == '_');
            let Some(rest) = text[at + method.len()..].strip_prefix(' ') else { continue };
            if is_word && rest.starts_with('/') {
                let is_end = |mark: char| mark.is_whitespace() || "?`\"',;:)|<…".contains(mark);
                let path = rest.split(is_end).next().unwrap_or_default();
                requests.push((method, path.trim_end_matches('.')));
            }
        }
    }
    requests
}

/// Whether the path can be one of the route, whose parts in braces stand for anything.
fn fits(route: &str, path: &str) -> bool {
    let (route, path): (Vec<&str>, Vec<&str>) = (route.split('/').collect(), path.split('/').collect());
    route.len() == path.len()
        && route.iter().zip(path).all(|(part, given)| part.starts_with('{') || *part == given)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let code = "Router::new()\n.route(\"/documents\", get(list).post(upload))\n\
                    .route(\n\"/documents/{id}/hide\",\npost(hide).delete(unhide),\n)\n.layer(from_fn(budget(1)))";
        let problems = Routes::read(code).problems(&Source::markdown("a.md", text));
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_route_that_does_not_exist_is_found() {
        assert_eq!(found("x\nLoad it (`GET /candidates`)."), ["a.md:2: there is no route GET /candidates"]);
        assert_eq!(found("`PATCH /documents`"), ["a.md:1: there is no route PATCH /documents"]);
        assert_eq!(
            found("```\nGET /documents/ID/hide?x=1\n```"),
            ["a.md:2: there is no route GET /documents/ID/hide"]
        );
        assert_eq!(found("`DELETE /documents/ID/hide/all`").len(), 1);
    }

    #[test]
    fn true_routes_and_other_words_pass() {
        let text = "`GET /documents?sort=name`, POST /documents. `POST` or `DELETE /documents/{id}/hide`; FORGET /x, GET x";
        assert_eq!(found(text), Vec::<String>::new());
    }
}
