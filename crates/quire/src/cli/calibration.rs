//! `quire calibration`

use clap::Args;
use quire_api::CalibrationList;
use quire_ports::{CalibrationFilter, FieldReliability};
use quire_understanding::calibration::ReviewCounts;

use super::output;
use crate::config::Config;
use crate::trouble::Trouble;
use crate::wire;

/// Show what reviews have taught about confidence
///
/// For each key and each way of finding it: how often reviewers left what was found as it was, by how many points that moves the
/// confidence of what is found next, and what it is called. BINS are the shares left as they were among what was shown with a
/// confidence below 10 %, 20 % and so on; a dot where there was nothing.
#[derive(Args)]
#[command(after_help = "Examples:\n  quire calibration\n  quire calibration --field-key pet_name\n  \
                        quire calibration --json | jq '.items[].total'")]
pub(super) struct Calibration {
    /// Only this key
    #[arg(long, value_name = "KEY")]
    field_key: Option<String>,
    /// Only in these surroundings, by their context key
    #[arg(long, value_name = "CONTEXT")]
    context: Option<String>,
    /// What was learnt under this policy [default: the one in effect]
    #[arg(long, value_name = "NAME")]
    policy_version: Option<String>,
    /// At most so many ways of finding keys
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// As JSON
    #[arg(long)]
    json: bool,
}

impl Calibration {
    pub(super) async fn run(self, config: &Config) -> Result<String, Trouble> {
        let store = wire::open_beside(config).await?;
        let policy_version = self.policy_version.unwrap_or_else(|| config.confidence.version.clone());
        let filter = CalibrationFilter {
            policy_version,
            field_key: self.field_key,
            context_key: self.context,
            limit: self.limit,
            skip: 0,
        };
        let found = store.calibration.reliability(filter.clone()).await?;
        if self.json {
            let list = serde_json::to_value(CalibrationList::of(filter, found));
            return Ok(output::json(&list.map_err(|error| Trouble::new(error.to_string()))?));
        }
        Ok(table(&filter.policy_version, &found))
    }
}

fn table(policy_version: &str, found: &[FieldReliability]) -> String {
    if found.is_empty() {
        return format!("Nothing was learnt under policy {policy_version} yet.\n");
    }
    let rows: Vec<_> = found.iter().map(row).collect();
    let heading = ["CONTEXT", "KEY", "FOUND BY", "ACCEPTS", "EDITS", "OF KEY", "POINTS", "STANDING", "BINS"];
    output::table(heading, &rows)
}

fn row(one: &FieldReliability) -> [String; 9] {
    let counts = one.learnt.counts;
    [
        short(&one.context_key),
        one.field_key.clone(),
        one.mapping_id.clone().unwrap_or_else(|| "-".to_owned()),
        counts.accepts.to_string(),
        counts.edits.to_string(),
        share(one.of_key),
        format!("{:+.1}", counts.adjustment()),
        one.learnt.state.as_str().to_owned(),
        one.bins.map(share).join(" "),
    ]
}

/// As much of it as tells it from others; JSON has it whole.
fn short(context_key: &str) -> String {
    context_key.chars().take(19).collect()
}

/// In hundredths, or a dot.
fn share(counts: ReviewCounts) -> String {
    counts.share().map_or_else(|| ".".to_owned(), |share| format!("{:.0}%", share * 100.0))
}

#[cfg(test)]
mod tests {
    use quire_understanding::calibration::{CalibrationEntry, CalibrationState};

    use super::*;

    #[test]
    fn each_way_of_finding_a_key_is_a_line() {
        let counts = ReviewCounts { accepts: 3, edits: 0 };
        let one = FieldReliability {
            context_key: "ctx_v1:0123456789abcdef".to_owned(),
            field_key: "pet_name".to_owned(),
            mapping_id: Some("label::paciente".to_owned()),
            learnt: CalibrationEntry { counts, state: CalibrationState::Neutral },
            of_key: ReviewCounts { accepts: 3, edits: 1 },
            bins: FieldReliability::bins(&[(6, 3, 0)]),
        };
        let text = table("v1", &[one]);
        let line = text.lines().nth(1).unwrap();
        let cells: Vec<_> = line.split_whitespace().collect();
        assert_eq!(cells[..5], ["ctx_v1:0123456789ab", "pet_name", "label::paciente", "3", "0"]);
        assert_eq!(cells[5..8], ["75%", "+9.0", "neutral"]);
        assert_eq!(cells[8..].join(" "), ". . . . . . 100% . . .");
        assert_eq!(table("v2", &[]), "Nothing was learnt under policy v2 yet.\n");
    }
}
