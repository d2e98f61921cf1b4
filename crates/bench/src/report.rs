//! Statistics, and tables of results in Markdown.

/// The median.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The percentile, given as a share from 0 to 1.
pub fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // An index into the list.
    let index = ((values.len() - 1) as f64 * share).round() as usize;
    values[index]
}

/// One row of a table.
pub struct Measurement {
    /// What was measured.
    pub name: String,
    /// The result, with its unit.
    pub value: String,
    /// The target, with its unit.
    pub target: String,
    /// Whether the result meets the target.
    pub met: bool,
}

impl Measurement {
    /// A value that must be at least `target`.
    pub fn at_least(name: impl Into<String>, value: f64, target: f64, unit: &str) -> Self {
        Self {
            name: name.into(),
            value: format!("{value:.2}{unit}"),
            target: format!("at least {target}{unit}"),
            met: value >= target,
        }
    }

    /// A value that must be at most `target`.
    pub fn at_most(name: impl Into<String>, value: f64, target: f64, unit: &str) -> Self {
        Self {
            name: name.into(),
            value: format!("{value:.2}{unit}"),
            target: format!("at most {target}{unit}"),
            met: value <= target,
        }
    }
}

/// The results of one part of a benchmark.
#[derive(Default)]
pub struct Table {
    /// Results with targets.
    pub measurements: Vec<Measurement>,
    /// Further results, without targets.
    pub notes: Vec<String>,
}

/// Prints the build profile of this program: results of different profiles cannot be compared.
pub fn print_profile() {
    println!("Built with profile `{}`.", env!("BENCH_BUILD_PROFILE"));
}

/// Prints a table in Markdown, ready for the documentation. Returns whether all targets are met.
pub fn print(title: &str, table: &Table) -> bool {
    println!("\n### {title}\n\n| measured | result | target | met |\n|---|---|---|---|");
    for measurement in &table.measurements {
        let met = if measurement.met { "yes" } else { "**no**" };
        println!("| {} | {} | {} | {met} |", measurement.name, measurement.value, measurement.target);
    }
    if !table.notes.is_empty() {
        println!("\n{}.", table.notes.join("; "));
    }
    table.measurements.iter().all(|measurement| measurement.met)
}
