//! Figures as people read them.

/// The middle one.
pub fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The value below which that share of the others lies.
pub fn percentile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // An index into the list.
    let index = ((values.len() - 1) as f64 * share).round() as usize;
    values[index]
}

/// One line of a table: what was measured, what came out, what was wanted, and whether it was met.
pub struct Line {
    /// What was measured.
    pub what: String,
    /// What came out.
    pub figure: String,
    /// What was wanted.
    pub wanted: String,
    /// Whether it was met.
    pub met: bool,
}

impl Line {
    /// A figure that must be at least so much.
    pub fn at_least(what: impl Into<String>, value: f64, wanted: f64, unit: &str) -> Self {
        Self {
            what: what.into(),
            figure: format!("{value:.2}{unit}"),
            wanted: format!("at least {wanted}{unit}"),
            met: value >= wanted,
        }
    }

    /// A figure that must be at most so much.
    pub fn at_most(what: impl Into<String>, value: f64, wanted: f64, unit: &str) -> Self {
        Self {
            what: what.into(),
            figure: format!("{value:.2}{unit}"),
            wanted: format!("at most {wanted}{unit}"),
            met: value <= wanted,
        }
    }
}

/// What one measurement has to say.
#[derive(Default)]
pub struct Table {
    /// Its figures.
    pub lines: Vec<Line>,
    /// What else came out on the way.
    pub notes: Vec<String>,
}

/// Prints with which profile this program was built: figures of different profiles cannot be compared.
pub fn print_profile() {
    println!("Built with profile `{}`.", env!("QUIRE_BUILD_PROFILE"));
}

/// Prints a table in Markdown, so that it can go into the documentation as it is. False if something was missed.
pub fn print(title: &str, table: &Table) -> bool {
    println!("\n### {title}\n\n| measured | figure | wanted | met |\n|---|---|---|---|");
    for line in &table.lines {
        let met = if line.met { "yes" } else { "**no**" };
        println!("| {} | {} | {} | {met} |", line.what, line.figure, line.wanted);
    }
    if !table.notes.is_empty() {
        println!("\n{}.", table.notes.join("; "));
    }
    table.lines.iter().all(|line| line.met)
}
