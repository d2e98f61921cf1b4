//! `quire evaluate`

mod html;
mod pairs;
mod pictures;

use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use quire_understanding::Field;
use quire_understanding::evaluation::{Evaluation, Judgement, KeyScore, Outcome, judge};
use serde::{Deserialize, Serialize};

use self::pairs::EvaluatedDocument;
use self::pictures::Pictures;
use super::process::{COMPLETED, EXIT_USAGE, ProcessCommand};
use super::{CommonFlags, output};
use crate::StepFactory;
use crate::config::Config;
use crate::error::CommandError;

/// The most misses that the report lists.
const MAX_MISSES: usize = 500;

/// Compare extracted fields with the right values of documents
///
/// Processes every document of a folder that has its right values beside it (NAME.truth.json), without a server, and writes a
/// report: precision, recall and F1 of each key, how reliable the confidence is, and each miss with a picture of its page. The exit
/// code is 0 if every document was processed and reaches --min-f1, 1 if not, and 2 for invalid arguments or truth files.
#[derive(Args)]
#[command(after_help = "Examples:\n  \
    quire evaluate samples/                            write evaluation/report.html and report.json\n  \
    quire evaluate invoices/ --schema invoice --out judged/\n  \
    quire evaluate invoices/ --schema invoice --min-f1 0.9    fail below 0.9, for continuous integration\n\n\
    A truth file has a value or a list of values for each key: {\"total_amount\": 12.50, \"line_item\": [\"Bread\", \"Coffee\"]}")]
pub(super) struct EvaluateCommand {
    /// Folder with documents and their truth files
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Folder for the report
    #[arg(long, value_name = "DIR", default_value = "evaluation")]
    out: PathBuf,
    /// Schema of the documents, or auto for the one that fits best [default: schemas.default]; see `quire schema list`
    #[arg(long, value_name = "NAME")]
    schema: Option<String>,
    /// Language of the documents (ISO 639-1), such as es [default: detected]
    #[arg(long, value_name = "CODE")]
    language: Option<String>,
    /// Documents processed at the same time [default: two per core]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    jobs: Option<u32>,
    /// Lowest F1 over all keys; below it the exit code is 1
    #[arg(long, value_name = "F1")]
    min_f1: Option<f64>,
    /// Write no pictures of pages into the report
    #[arg(long)]
    no_pictures: bool,
}

/// The part of a result of `quire process` that counts here.
#[derive(Deserialize)]
struct ProcessedFile {
    file: String,
    status: String,
    error_code: Option<String>,
    message: Option<String>,
    #[serde(default)]
    fields: Vec<Field>,
}

/// A document that could not be processed.
#[derive(Serialize)]
struct UnreadDocument {
    file: String,
    error_code: String,
    message: String,
}

/// A value that is wrong or missing.
#[derive(Serialize)]
struct Miss {
    file: String,
    #[serde(flatten)]
    judgement: Judgement,
}

/// The report, as JSON.
#[derive(Serialize)]
struct Report {
    folder: String,
    schema: Option<String>,
    #[serde(flatten)]
    evaluation: Evaluation,
    failed: Vec<UnreadDocument>,
    /// The first misses, the most certain ones first.
    misses: Vec<Miss>,
}

impl EvaluateCommand {
    pub(super) async fn run(
        self,
        config: &Config,
        steps: StepFactory,
        common: &CommonFlags,
    ) -> Result<ExitCode, CommandError> {
        let documents = match pairs::find(&self.folder, &self.out) {
            Ok(documents) => documents,
            Err(message) => {
                CommandError::new(message).print();
                return Ok(ExitCode::from(EXIT_USAGE));
            }
        };
        // Results of an earlier build of the program must not count, so the state is a new one each time.
        let state = self.out.join(".quire");
        let _ = std::fs::remove_dir_all(&state);
        let results = state.join("results.jsonl");
        std::fs::create_dir_all(&self.out).map_err(|error| {
            CommandError::new(format!("cannot create {} ({error}); choose another --out", self.out.display()))
        })?;
        let paths = documents.iter().map(|document| document.path.clone()).collect();
        let process = ProcessCommand::into_file(paths, results.clone(), state.clone()).with_options(
            self.schema.clone(),
            self.language.clone(),
            self.jobs,
        );
        let code = process.run(config, steps, common).await?;
        let processed = read_results(&results);
        let _ = std::fs::remove_dir_all(&state);
        let Ok(processed) = processed else { return Ok(code) };
        if processed.len() < documents.len() {
            // Interrupted, or invalid arguments: the processing has said which.
            return Ok(code);
        }
        let report = self.report(&documents, processed);
        let pictures = if self.no_pictures {
            Pictures::default()
        } else {
            Pictures::draw(config, &documents, &report.misses).await?
        };
        self.write(&report, &pictures)?;
        output::print(&summary(&report, &self.out))?;
        let reached =
            self.min_f1.is_none_or(|least| report.evaluation.overall.f1.is_some_and(|f1| f1 >= least));
        if !reached {
            eprintln!("quire: F1 is below {}", self.min_f1.unwrap_or_default());
        }
        Ok(if reached && report.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }

    fn report(&self, documents: &[EvaluatedDocument], processed: Vec<ProcessedFile>) -> Report {
        let keys: BTreeSet<String> =
            documents.iter().flat_map(|document| document.truth.keys.keys().cloned()).collect();
        let mut by_name: HashMap<String, ProcessedFile> =
            processed.into_iter().map(|result| (result.file.clone(), result)).collect();
        let (mut judgements, mut misses, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        for document in documents {
            let Some(result) = by_name.remove(&document.name) else { continue };
            if result.status != COMPLETED {
                failed.push(UnreadDocument {
                    file: document.name.clone(),
                    error_code: result.error_code.unwrap_or_default(),
                    message: result.message.unwrap_or_default(),
                });
            }
            // A document that could not be processed misses all its values.
            for judgement in judge(&document.truth, &result.fields, &keys) {
                if matches!(judgement.outcome, Outcome::Wrong | Outcome::Missed) {
                    misses.push(Miss { file: document.name.clone(), judgement: judgement.clone() });
                }
                judgements.push(judgement);
            }
        }
        let confidence = |miss: &Miss| miss.judgement.confidence.unwrap_or(0.0);
        misses.sort_by(|one, other| confidence(other).total_cmp(&confidence(one)));
        misses.truncate(MAX_MISSES);
        Report {
            folder: self.folder.display().to_string(),
            schema: self.schema.clone(),
            evaluation: Evaluation::of(documents.len(), &judgements),
            failed,
            misses,
        }
    }

    fn write(&self, report: &Report, pictures: &Pictures) -> Result<(), CommandError> {
        let json =
            serde_json::to_string_pretty(report).map_err(|error| CommandError::new(error.to_string()))?;
        for (name, content) in [("report.json", json), ("report.html", html::page(report, pictures))] {
            let path = self.out.join(name);
            std::fs::write(&path, content)
                .map_err(|error| CommandError::new(format!("cannot write {} ({error})", path.display())))?;
        }
        Ok(())
    }
}

fn read_results(path: &Path) -> Result<Vec<ProcessedFile>, CommandError> {
    let text = std::fs::read_to_string(path)?;
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    lines
        .map(|line| serde_json::from_str(line).map_err(|error| CommandError::new(error.to_string())))
        .collect()
}

/// The table of keys, and a sentence for each figure.
fn summary(report: &Report, out: &Path) -> String {
    let figure = |share: Option<f64>| share.map_or_else(|| "-".to_owned(), |share| format!("{share:.3}"));
    let row = |score: &KeyScore| {
        [
            score.key.clone(),
            score.right.to_string(),
            score.wrong.to_string(),
            score.missed.to_string(),
            figure(score.precision),
            figure(score.recall),
            figure(score.f1),
        ]
    };
    let Evaluation { keys, overall, confidence, evidence_page_right, documents } = &report.evaluation;
    let rows: Vec<_> = keys.iter().chain([overall]).map(row).collect();
    let mut text = output::table(["KEY", "RIGHT", "WRONG", "MISSED", "PRECISION", "RECALL", "F1"], &rows);
    let lines = [
        ("documents", documents.to_string()),
        ("evidence on the right page", figure(*evidence_page_right)),
        ("expected calibration error", figure(confidence.expected_calibration_error)),
        ("area under the curve", figure(confidence.area_under_curve)),
        (
            "wrong values among the 20 % with the lowest confidence",
            figure(confidence.wrong_in_least_certain_fifth),
        ),
        ("report", out.join("report.html").display().to_string()),
    ];
    text.push('\n');
    for (name, value) in lines {
        // Writing to a String cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    }
    text
}
