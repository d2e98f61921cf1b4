//! Progress, failures and the summary of the command, on standard error.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::file_result::{COMPLETED, FileResult, ResultHeader};
use super::importer::UNREADABLE;
use super::inputs::InputFiles;

/// Without a progress bar, a status line is printed this often.
const STATUS_INTERVAL: Duration = Duration::from_secs(10);
/// How many files the summary names per error code.
const MAX_NAMED: usize = 5;

/// Counts the outcomes of files.
pub(super) struct ProcessProgress {
    bar: ProgressBar,
    is_quiet: bool,
    total: usize,
    processed: usize,
    up_to_date: usize,
    skipped: usize,
    hidden: usize,
    failed: BTreeMap<String, Vec<String>>,
    started_at: Instant,
    printed_at: Instant,
}

impl ProcessProgress {
    pub(super) fn new(bar: ProgressBar, inputs: &InputFiles, is_quiet: bool) -> Self {
        let now = Instant::now();
        let mut progress = Self {
            bar,
            is_quiet,
            total: inputs.files.len(),
            processed: 0,
            up_to_date: 0,
            skipped: inputs.skipped.len(),
            hidden: inputs.hidden,
            failed: BTreeMap::new(),
            started_at: now,
            printed_at: now,
        };
        for (name, why) in inputs.skipped.iter().chain(&inputs.unreadable) {
            progress.print(&format!("{name}: {why}"));
        }
        for (name, _) in &inputs.unreadable {
            progress.failed.entry(UNREADABLE.to_owned()).or_default().push(name.clone());
        }
        progress
    }

    /// Runs `work` while the bar is hidden.
    pub(super) fn suspended<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// Counts a written result.
    pub(super) fn written(&mut self, result: &FileResult) {
        if result.status == COMPLETED {
            self.processed += 1;
        } else {
            let code = result.error_code.as_deref().unwrap_or(&result.status);
            let message = result.message.as_deref().unwrap_or_default();
            self.print(&format!("{}: {message} ({code})", result.file));
            self.failed.entry(code.to_owned()).or_default().push(result.file.clone());
        }
        self.advance();
    }

    /// Counts a result that was already up to date.
    pub(super) fn up_to_date(&mut self, header: &ResultHeader) {
        if header.status == COMPLETED {
            self.processed += 1;
            self.up_to_date += 1;
        } else {
            let code = header.error_code.as_ref().unwrap_or(&header.status);
            self.failed.entry(code.clone()).or_default().push(header.file.clone());
        }
        self.advance();
    }

    /// Counts an unsupported file of a folder.
    pub(super) fn unsupported(&mut self, name: &str) {
        self.print(&format!("{name}: skipped, not a supported file type"));
        self.skipped += 1;
        self.total -= 1;
        self.bar.set_length(self.total as u64);
    }

    /// The number of failed documents.
    pub(super) fn failed(&self) -> usize {
        self.failed.values().map(Vec::len).sum()
    }

    /// Removes the bar.
    pub(super) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// The status in one line.
    pub(super) fn status(&self) -> String {
        format!("{} of {} documents done, {} failed", self.finished(), self.total, self.failed())
    }

    /// Prints the summary; with --quiet only if a document failed.
    pub(super) fn print_summary(&self) {
        if !self.is_quiet || self.failed() > 0 {
            eprint!("{}", self.summary());
        }
    }

    fn finished(&self) -> usize {
        self.processed + self.failed()
    }

    fn advance(&mut self) {
        let failed = self.failed();
        if failed > 0 {
            self.bar.set_message(format!(", {failed} failed"));
        }
        self.bar.set_position(self.finished() as u64);
        if self.bar.is_hidden() && !self.is_quiet && self.printed_at.elapsed() >= STATUS_INTERVAL {
            self.printed_at = Instant::now();
            eprintln!("quire: {}{}", self.status(), self.rate());
        }
    }

    /// The rate so far and the time left at that rate, without files that were up to date.
    fn rate(&self) -> String {
        let (done, left) = (self.finished() - self.up_to_date, self.total - self.finished());
        #[allow(clippy::cast_precision_loss)] // Counts of files are far below 2^52.
        let rate = done as f64 / self.started_at.elapsed().as_secs_f64();
        if done == 0 || rate <= 0.0 {
            return String::new();
        }
        #[allow(clippy::cast_precision_loss)]
        let seconds = left as f64 / rate;
        format!(", {rate:.1} per second, {seconds:.0} s left")
    }

    fn print(&self, text: &str) {
        if !self.is_quiet {
            self.bar.suspend(|| eprintln!("quire: {text}"));
        }
    }

    fn summary(&self) -> String {
        let plural = if self.total == 1 { "" } else { "s" };
        let mut text = format!("{} document{plural}: {} processed", self.total, self.processed);
        // Writing to a String cannot fail.
        if self.up_to_date > 0 {
            let _ = write!(text, " ({} before)", self.up_to_date);
        }
        let _ = write!(text, ", {} failed", self.failed());
        if self.skipped > 0 {
            let _ = write!(text, "; {} skipped (not documents)", self.skipped);
        }
        if self.hidden > 0 {
            let _ = write!(text, "; {} hidden skipped", self.hidden);
        }
        text.push('\n');
        for (code, files) in &self.failed {
            let named = files.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if files.len() > MAX_NAMED { ", …" } else { "" };
            let _ = writeln!(text, "  {} {code}: {named}{more}", files.len());
        }
        if self.failed() > 0 {
            text.push_str("Retry them with --retry-failed.\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn progress(files: usize) -> ProcessProgress {
        let input = |number| super::super::inputs::InputFile {
            path: format!("{number}").into(),
            name: format!("{number}"),
            is_named: false,
        };
        let inputs = InputFiles { files: (0..files).map(input).collect(), ..InputFiles::default() };
        ProcessProgress::new(ProgressBar::hidden(), &inputs, true)
    }

    fn result(file: &str, code: Option<&str>) -> FileResult {
        FileResult {
            file: file.to_owned(),
            status: if code.is_some() { "FAILED" } else { COMPLETED }.to_owned(),
            error_code: code.map(str::to_owned),
            ..FileResult::default()
        }
    }

    #[test]
    fn the_summary_counts_by_code_and_names_the_first() {
        let mut progress = progress(9);
        progress.written(&result("a", None));
        progress.up_to_date(&result("b", None).header());
        for name in ["c", "d", "e", "f", "g", "h"] {
            progress.written(&result(name, Some("PDF_INVALID")));
        }
        progress.unsupported("x.zip");
        assert_eq!(
            progress.summary(),
            "8 documents: 2 processed (1 before), 6 failed; 1 skipped (not documents)\n  \
             6 PDF_INVALID: c, d, e, f, g, …\nRetry them with --retry-failed.\n"
        );
        assert_eq!(progress.status(), "8 of 8 documents done, 6 failed");
    }
}
