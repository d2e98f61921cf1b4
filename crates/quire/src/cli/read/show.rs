//! Prints the outcome of reading a file.

use std::path::Path;

use quire_domain::reading::{Line, Page};
use serde_json::{Value, json};

use super::{ReadCommand, ReadDocument, ReadOutcome, output, refused};
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
    let text = if command.json {
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
    match refused(&document.quality) {
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
        match page.covered_word_count() {
            0 => {}
            1 => warnings.push(format!("page {number}: an opaque mark hides 1 word")),
            words => warnings.push(format!("page {number}: opaque marks hide {words} words")),
        }
    }
    warnings
}

fn as_json(path: &Path, read: &ReadDocument) -> Value {
    let flaws: Vec<String> = read.quality.issues.iter().map(|flaw| format!("{flaw:?}")).collect();
    json!({
        "file": path.display().to_string(),
        "kind": read.document.kind.as_str(),
        "language": read.document.language.as_deref().unwrap_or("unknown"),
        "quality": { "score": read.quality.score, "flaws": flaws },
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
    })
}

fn line(line: &Line) -> Value {
    let words: Vec<Value> = line
        .words
        .iter()
        .map(|word| {
            let rect = word.rect;
            json!({ "text": word.text, "box": [rect.x0, rect.y0, rect.x1, rect.y1] })
        })
        .collect();
    json!({ "paragraph": line.opens_paragraph, "words": words })
}
