//! Metrics: every `quire_…` name in a document is one that the program describes.

use std::collections::BTreeSet;

use super::Problem;
use super::source::{LineKind, Source};
use crate::words::{names, quoted_names};

/// What Prometheus adds to the name of a histogram.
const HISTOGRAM_ENDINGS: [&str; 3] = ["_bucket", "_sum", "_count"];

/// The names of the metrics.
pub struct KnownMetrics(BTreeSet<String>);

impl KnownMetrics {
    /// From the code: the names in the files that describe metrics.
    pub fn read(code: &[String]) -> Self {
        let describing = code.iter().filter(|text| text.contains("describe_counter!("));
        let names = describing.flat_map(|text| quoted_names(text)).filter(|name| is_metric(name));
        Self(names.map(str::to_owned).collect())
    }

    pub fn problems(&self, source: &Source) -> Vec<Problem> {
        let mut problems = Vec::new();
        for line in source.lines.iter().filter(|line| line.kind != LineKind::Other) {
            let unknown = names(&line.text).into_iter().filter(|name| is_metric(name) && !self.has(name));
            problems.extend(
                unknown.map(|name| source.problem(line.number, format!("there is no metric {name}"))),
            );
        }
        problems
    }

    fn has(&self, name: &str) -> bool {
        let is_of_histogram =
            |ending: &&str| name.strip_suffix(*ending).is_some_and(|name| self.0.contains(name));
        self.0.contains(name) || HISTOGRAM_ENDINGS.iter().any(is_of_histogram)
    }
}

/// A key begins with `quire_` as well, but is written as `quire_<id>_<secret>`.
fn is_metric(name: &str) -> bool {
    name.starts_with("quire_") && name != "quire_"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let code = [
            "describe_counter!(\"quire_runs_total\", \"x\"); describe(\"quire_wait_seconds\")".to_owned(),
            "cookie(\"quire_session\")".to_owned(),
        ];
        let problems = KnownMetrics::read(&code).problems(&Source::markdown("a.md", text));
        problems.into_iter().map(|problem| problem.to_string()).collect()
    }

    #[test]
    fn a_metric_that_does_not_exist_is_found() {
        assert_eq!(found("x\n`quire_run_total`"), ["a.md:2: there is no metric quire_run_total"]);
        assert_eq!(found("```\nrate(quire_session[5m])\n```").len(), 1);
    }

    #[test]
    fn true_metrics_pass() {
        assert_eq!(
            found("`quire_runs_total`, `quire_wait_seconds_bucket`, `quire_<id>_<secret>`"),
            Vec::<String>::new()
        );
    }
}
