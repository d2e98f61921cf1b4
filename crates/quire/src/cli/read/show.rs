//! What is printed of a file that was read, or was not.

use std::path::Path;

use quire_domain::reading::{Line, Page};
use serde_json::{Value, json};

use super::{Done, Outcome, Read, output, refused};
use crate::trouble::Trouble;

/// What became of telling an outcome.
pub(super) enum Told {
    Read,
    Failed,
    /// Whoever read what was printed has gone.
    NobodyReads,
}

/// Prints one outcome.
pub(super) fn tell(asked: &Read, path: &Path, outcome: &Outcome, several: bool) -> Result<Told, Trouble> {
    let done = match outcome {
        Ok(done) => done,
        Err(why) => {
            eprintln!("quire: {}: {why}", path.display());
            return Ok(Told::Failed);
        }
    };
    let text = if asked.json {
        format!("{}\n", as_json(path, done))
    } else if several {
        format!("==> {} <==\n{}\n", path.display(), done.text)
    } else {
        format!("{}\n", done.text.trim_end_matches('\n'))
    };
    if !output::go_on_saying(&text)? {
        return Ok(Told::NobodyReads);
    }
    match refused(&done.quality) {
        None => Ok(Told::Read),
        Some(code) => {
            eprintln!("quire: {}: the text is too poor to be processed ({code})", path.display());
            Ok(Told::Failed)
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

fn as_json(path: &Path, done: &Done) -> Value {
    let flaws: Vec<String> = done.quality.issues.iter().map(|flaw| format!("{flaw:?}")).collect();
    json!({
        "file": path.display().to_string(),
        "kind": done.document.kind.as_str(),
        "language": done.document.language.as_deref().unwrap_or("unknown"),
        "quality": { "score": done.quality.score, "flaws": flaws },
        "pages": done.document.reading.pages.iter().zip(1..).map(page).collect::<Vec<_>>(),
    })
}

fn page((page, number): (&Page, usize)) -> Value {
    json!({
        "page": number,
        "width": page.width,
        "height": page.height,
        "recognised": page.recognised,
        "lines": page.lines.iter().map(line).collect::<Vec<_>>(),
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
