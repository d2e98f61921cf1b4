//! The alert rules for Prometheus.

use super::{ended, send, site};
use crate::test_env::TestEnv;

/// The rules.
const RULES: &str = include_str!("../../../../../docs/alerts.yml");

/// The metrics of an expression, each with the labels by which it is chosen or grouped.
fn metrics(expression: &str) -> Vec<(String, Vec<String>)> {
    let is_name = |char: char| char.is_ascii_alphanumeric() || char == '_';
    let grouped = expression.split("by (").nth(1).and_then(|rest| rest.split(')').next()).unwrap_or_default();
    // Prometheus adds the label `instance` itself.
    let grouped: Vec<_> =
        grouped.split(',').map(str::trim).filter(|label| !["", "instance"].contains(label)).collect();
    let metric = |(start, _): (usize, &str)| {
        let rest = &expression[start..];
        let end = rest.find(|char| !is_name(char)).unwrap_or(rest.len());
        let chosen =
            rest[end..].strip_prefix('{').and_then(|rest| rest.split('}').next()).unwrap_or_default();
        let labels = grouped.iter().map(|label| format!("{label}=\""));
        let chosen = chosen.split(',').filter(|label| !label.is_empty()).map(str::to_owned);
        (rest[..end].to_owned(), labels.chain(chosen).collect())
    };
    expression.match_indices("quire_").map(metric).collect()
}

/// Proves R211: each rule asks for metrics and labels that a server has.
#[tokio::test(flavor = "multi_thread")]
async fn the_alert_rules_ask_for_metrics_and_labels_that_exist() {
    // Nobody listens there.
    let redis = [("QUIRE_REDIS_ENABLED", "true"), ("QUIRE_REDIS_URL", "redis://127.0.0.1:1/0")];
    let env = TestEnv::on_sqlite(&redis);
    let site = site(&env);
    site.set("/broken", 503, "");
    let server = env.cli.serve();
    let failed = send(&server, &site.url("/broken"));
    ended(&env, &server, failed).await;
    let reported = server.get("/metrics").body;
    assert!(reported.contains("quire_redis_unavailable 1\n"), "{reported}");
    let expressions: Vec<_> = RULES.lines().filter_map(|line| line.trim().strip_prefix("expr: ")).collect();
    assert_eq!(expressions.len(), RULES.matches("- alert: ").count());
    for expression in expressions {
        let metrics = metrics(expression);
        assert!(!metrics.is_empty(), "{expression}");
        for (name, labels) in metrics {
            let is_of = |line: &&str| line.split(['{', ' ']).next() == Some(name.as_str());
            let is_there = |line: &str| labels.iter().all(|label| line.contains(label.as_str()));
            assert!(
                reported.lines().filter(is_of).any(is_there),
                "{name} {labels:?} of {expression:?}\n{reported}"
            );
        }
    }
}
