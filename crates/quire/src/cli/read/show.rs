//! Prints the outcome of reading a file.

use std::path::Path;

use quire_domain::reading::{Line, Page, Table};
use serde_json::{Value, json};

use super::{ReadCommand, ReadDocument, ReadOutcome, output, refused, tables};
use crate::error::CommandError;

/// The result of [`print`].
pub(super) enum Printed {
    Read,
    Failed,
    /// The output was closed.
    OutputClosed,
}

/// Prints the text or JSON of a document to standard output, or its error to standard error.
pub(super) fn print(
    command: &ReadCommand,
    path: &Path,
    outcome: &ReadOutcome,
    several: bool,
) -> Result<Printed, CommandError> {
    let document = match outcome {
        Ok(document) => document,
        Err(why) => {
            eprintln!("quire: {}: {why}", path.display());
            return Ok(Printed::Failed);
        }
    };
    let text = if let Some(format) = command.tables {
        let tables = Table::find(&document.document.reading.pages);
        tables::written(&path.display().to_string(), &tables, format)
    } else if command.json {
        format!("{}\n", as_json(path, document))
    } else if several {
        format!("==> {} <==\n{}\n", path.display(), document.text)
    } else {
        format!("{}\n", document.text.trim_end_matches('\n'))
    };
    if !output::try_print(&text)? {
        return Ok(Printed::OutputClosed);
    }
    for warning in warnings(&document.document.reading.pages) {
        eprintln!("quire: {}: {warning}", path.display());
    }
    match refused(document) {
        None => Ok(Printed::Read),
        Some(code) => {
            eprintln!("quire: {}: the text is too poor to process ({code})", path.display());
            Ok(Printed::Failed)
        }
    }
}

pub(super) fn summary(files: usize, failed: usize) -> String {
    let read = files - failed;
    let plural = if read == 1 { "" } else { "s" };
    match failed {
        0 => format!("Read {read} document{plural}."),
        failed => format!("Read {read} document{plural}; {failed} failed."),
    }
}

/// What is missing in the text of each page.
fn warnings(pages: &[Page]) -> Vec<String> {
    let mut warnings = Vec::new();
    for (page, number) in pages.iter().zip(1..) {
        if let Some(unread) = &page.unread {
            warnings
                .push(format!("page {number} could not be read: {} ({})", unread.message, unread.error_code));
        }
        for problem in page.data.iter().filter_map(|data| data.problem.as_ref()) {
            warnings.push(format!("the e-invoice inside the file could not be read: {problem}"));
        }
        match page.covered_word_count() {
            0 => {}
            1 => warnings.push(format!("page {number}: an opaque mark hides 1 word")),
            words => warnings.push(format!("page {number}: opaque marks hide {words} words")),
        }
    }
    warnings
}

fn as_json(path: &Path, read: &ReadDocument) -> Value {
    let issues: Vec<String> = read.quality.issues.iter().map(|issue| format!("{issue:?}")).collect();
    let properties = read.quality.properties.iter().map(|property| property.as_str());
    let file = path.display().to_string();
    let tables = Table::find(&read.document.reading.pages);
    let tables = tables.iter().zip(1..).map(|(table, number)| tables::line(&file, table, number));
    json!({
        "tables": tables.collect::<Vec<_>>(),
        "file": file,
        "kind": read.document.kind.as_str(),
        "language": read.document.language.as_deref().unwrap_or("unknown"),
        "quality": { "score": read.quality.score, "issues": issues, "properties": properties.collect::<Vec<_>>() },
        "pages": read.document.reading.pages.iter().zip(1..).map(page).collect::<Vec<_>>(),
    })
}

fn page((page, number): (&Page, usize)) -> Value {
    json!({
        "page": number,
        "width": page.width,
        "height": page.height,
        "recognised": page.recognised,
        "lines": page.lines.iter().map(line).collect::<Vec<_>>(),
        "covered": page.covered.iter().map(line).collect::<Vec<_>>(),
        "unread": page.unread,
        "data": page.data,
    })
}

fn line(line: &Line) -> Value {
    let words: Vec<Value> = line
        .words
        .iter()
        .map(|word| {
            let rect = word.rect;
            let mut shown = json!({ "text": word.text, "box": [rect.x0, rect.y0, rect.x1, rect.y1] });
            if let Some(confidence) = word.confidence {
                shown["confidence"] = json!(confidence);
            }
            shown
        })
        .collect();
    json!({ "paragraph": line.opens_paragraph, "words": words })
}
