//! `quire calibration`

use clap::Args;
use quire_api::CalibrationList;
use quire_ports::{CalibrationFilter, FieldReliability};
use quire_understanding::calibration::ReviewCounts;

use super::output;
use crate::config::Config;
use crate::error::CommandError;
use crate::wire;

/// Show what reviews have taught about confidence
///
/// For each key and each rule that finds it: how often reviewers kept its value (ACCEPTS) or changed it (EDITS), the share kept
/// over all rules of the key (OF KEY), and by how many POINTS that moves the confidence of the next value. BINS show the share kept
/// among values with a confidence below 10 %, 20 % and so on; a dot means no values.
#[derive(Args)]
#[command(after_help = "Examples:\n  quire calibration\n  quire calibration --field-key pet_name\n  \
                        quire calibration --json | jq '.items[].total'")]
pub(super) struct CalibrationCommand {
    /// Only this key
    #[arg(long, value_name = "KEY")]
    field_key: Option<String>,
    /// Only this context, by its context key
    #[arg(long, value_name = "CONTEXT")]
    context: Option<String>,
    /// Name of the confidence policy [default: the one in effect]
    #[arg(long, value_name = "NAME")]
    policy_version: Option<String>,
    /// Maximum number of rows
    #[arg(long, value_name = "N", default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1000))]
    limit: u32,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl CalibrationCommand {
    pub(super) async fn run(self, config: &Config) -> Result<String, CommandError> {
        let store = wire::open_for_command(config).await?;
        let policy_version = self.policy_version.unwrap_or_else(|| config.confidence.version.clone());
        let filter = CalibrationFilter {
            policy_version,
            field_key: self.field_key,
            context_key: self.context,
            limit: self.limit,
            skip: 0,
        };
        let entries = store.calibration.reliability(filter.clone()).await?;
        if self.json {
            let list = serde_json::to_value(CalibrationList::of(filter, entries));
            return Ok(output::json(&list.map_err(|error| CommandError::new(error.to_string()))?));
        }
        Ok(table(&filter.policy_version, &entries))
    }
}

fn table(policy_version: &str, entries: &[FieldReliability]) -> String {
    if entries.is_empty() {
        return format!("No reviews under policy {policy_version} yet.\n");
    }
    let rows: Vec<_> = entries.iter().map(row).collect();
    let heading = ["CONTEXT", "KEY", "FOUND BY", "ACCEPTS", "EDITS", "OF KEY", "POINTS", "STANDING", "BINS"];
    output::table(heading, &rows)
}

fn row(entry: &FieldReliability) -> [String; 9] {
    let counts = entry.entry.counts;
    [
        short(&entry.context_key),
        entry.field_key.clone(),
        entry.mapping_id.clone().unwrap_or_else(|| "-".to_owned()),
        counts.accepts.to_string(),
        counts.edits.to_string(),
        share(entry.of_key),
        format!("{:+.1}", counts.adjustment()),
        entry.entry.standing.as_str().to_owned(),
        entry.bins.map(share).join(" "),
    ]
}

/// Enough characters to tell contexts apart. JSON has the whole key.
fn short(context_key: &str) -> String {
    context_key.chars().take(19).collect()
}

/// A percentage, or a dot without values.
fn share(counts: ReviewCounts) -> String {
    counts.share().map_or_else(|| ".".to_owned(), |share| format!("{:.0}%", share * 100.0))
}

#[cfg(test)]
mod tests {
    use quire_understanding::calibration::{CalibrationEntry, Standing};

    use super::*;

    #[test]
    fn each_rule_of_a_key_has_one_line() {
        let counts = ReviewCounts { accepts: 3, edits: 0 };
        let entry = FieldReliability {
            context_key: "ctx_v1:0123456789abcdef".to_owned(),
            field_key: "pet_name".to_owned(),
            mapping_id: Some("label::paciente".to_owned()),
            entry: CalibrationEntry { counts, standing: Standing::Neutral },
            of_key: ReviewCounts { accepts: 3, edits: 1 },
            bins: std::array::from_fn(|bin| if bin == 6 { counts } else { ReviewCounts::default() }),
        };
        let text = table("v1", &[entry]);
        let line = text.lines().nth(1).unwrap();
        let cells: Vec<_> = line.split_whitespace().collect();
        assert_eq!(cells[..5], ["ctx_v1:0123456789ab", "pet_name", "label::paciente", "3", "0"]);
        assert_eq!(cells[5..8], ["75%", "+9.0", "neutral"]);
        assert_eq!(cells[8..].join(" "), ". . . . . . 100% . . .");
        assert_eq!(table("v2", &[]), "No reviews under policy v2 yet.\n");
    }
}
