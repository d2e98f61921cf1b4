//! How far it is and how it went, for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;

use super::inputs::Inputs;
use super::intake::UNREADABLE;
use super::outcome::{COMPLETED, Head, Outcome};

/// Where no bar is shown, a line says so often how far it is.
const TELL_EVERY: Duration = Duration::from_secs(10);
/// How many files that failed for the same reason are named in the end.
const NAMED: usize = 5;

/// Counts what becomes of files.
pub(super) struct Tally {
    bar: ProgressBar,
    is_quiet: bool,
    total: usize,
    understood: usize,
    kept: usize,
    passed_over: usize,
    hidden: usize,
    failed: BTreeMap<String, Vec<String>>,
    began: Instant,
    told: Instant,
}

impl Tally {
    pub(super) fn new(bar: ProgressBar, inputs: &Inputs, is_quiet: bool) -> Self {
        let now = Instant::now();
        let mut tally = Self {
            bar,
            is_quiet,
            total: inputs.files.len(),
            understood: 0,
            kept: 0,
            passed_over: inputs.strange.len(),
            hidden: inputs.hidden,
            failed: BTreeMap::new(),
            began: now,
            told: now,
        };
        for (name, why) in inputs.strange.iter().chain(&inputs.closed) {
            tally.say(&format!("{name}: {why}"));
        }
        for (name, _) in &inputs.closed {
            tally.failed.entry(UNREADABLE.to_owned()).or_default().push(name.clone());
        }
        tally
    }

    /// Does something with the bar out of the way.
    pub(super) fn suspended<T>(&self, work: impl FnOnce() -> T) -> T {
        self.bar.suspend(work)
    }

    /// A result was written.
    pub(super) fn done(&mut self, outcome: &Outcome) {
        if outcome.status == COMPLETED {
            self.understood += 1;
        } else {
            let code = outcome.error_code.as_deref().unwrap_or(&outcome.status);
            let message = outcome.message.as_deref().unwrap_or_default();
            self.say(&format!("{}: {message} ({code})", outcome.file));
            self.failed.entry(code.to_owned()).or_default().push(outcome.file.clone());
        }
        self.advance();
    }

    /// A result was there already.
    pub(super) fn kept(&mut self, head: &Head) {
        if head.status == COMPLETED {
            self.understood += 1;
            self.kept += 1;
        } else {
            let code = head.error_code.as_ref().unwrap_or(&head.status);
            self.failed.entry(code.clone()).or_default().push(head.file.clone());
        }
        self.advance();
    }

    /// A file is no document.
    pub(super) fn passed_over(&mut self, name: &str) {
        self.say(&format!("{name}: is no document, and is passed over"));
        self.passed_over += 1;
        self.total -= 1;
        self.bar.set_length(self.total as u64);
    }

    /// How many documents failed.
    pub(super) fn failed(&self) -> usize {
        self.failed.values().map(Vec::len).sum()
    }

    /// No more is coming.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }

    /// How far it is.
    pub(super) fn so_far(&self) -> String {
        format!("{} of {} documents are done, {} failed", self.finished(), self.total, self.failed())
    }

    /// Says how it went.
    pub(super) fn sum_up(&self) {
        if !self.is_quiet || self.failed() > 0 {
            eprint!("{}", self.summary());
        }
    }

    fn finished(&self) -> usize {
        self.understood + self.failed()
    }

    fn advance(&mut self) {
        let failed = self.failed();
        if failed > 0 {
            self.bar.set_message(format!(", {failed} failed"));
        }
        self.bar.set_position(self.finished() as u64);
        if self.bar.is_hidden() && !self.is_quiet && self.told.elapsed() >= TELL_EVERY {
            self.told = Instant::now();
            eprintln!("quire: {}{}", self.so_far(), self.pace());
        }
    }

    /// The pace so far, and how long the rest takes at that pace. What was there already took no time.
    fn pace(&self) -> String {
        let (done, left) = (self.finished() - self.kept, self.total - self.finished());
        #[allow(clippy::cast_precision_loss)] // Counts of files are far below 2^52.
        let rate = done as f64 / self.began.elapsed().as_secs_f64();
        if done == 0 || rate <= 0.0 {
            return String::new();
        }
        #[allow(clippy::cast_precision_loss)]
        let seconds = left as f64 / rate;
        format!(", {rate:.1} a second, {seconds:.0} s left")
    }

    fn say(&self, text: &str) {
        if !self.is_quiet {
            self.bar.suspend(|| eprintln!("quire: {text}"));
        }
    }

    fn summary(&self) -> String {
        let plural = if self.total == 1 { "" } else { "s" };
        let mut text = format!("{} document{plural}: {} understood", self.total, self.understood);
        // Writing to a String cannot fail.
        if self.kept > 0 {
            let _ = write!(text, " ({} before)", self.kept);
        }
        let _ = write!(text, ", {} failed", self.failed());
        if self.passed_over > 0 {
            let _ = write!(text, "; {} passed over that are no documents", self.passed_over);
        }
        if self.hidden > 0 {
            let _ = write!(text, "; {} hidden", self.hidden);
        }
        text.push('\n');
        for (code, files) in &self.failed {
            let named = files.iter().take(NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
            let more = if files.len() > NAMED { ", …" } else { "" };
            let _ = writeln!(text, "  {} {code}: {named}{more}", files.len());
        }
        if self.failed() > 0 {
            text.push_str("Try them again with --retry-failed.\n");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tally(files: usize) -> Tally {
        let input = |number| super::super::inputs::Input {
            path: format!("{number}").into(),
            name: format!("{number}"),
            is_named: false,
        };
        let inputs = Inputs { files: (0..files).map(input).collect(), ..Inputs::default() };
        Tally::new(ProgressBar::hidden(), &inputs, true)
    }

    fn outcome(file: &str, code: Option<&str>) -> Outcome {
        Outcome {
            file: file.to_owned(),
            status: if code.is_some() { "FAILED" } else { COMPLETED }.to_owned(),
            error_code: code.map(str::to_owned),
            ..Outcome::default()
        }
    }

    #[test]
    fn the_summary_counts_by_code_and_names_the_first() {
        let mut tally = tally(9);
        tally.done(&outcome("a", None));
        tally.kept(&outcome("b", None).head());
        for name in ["c", "d", "e", "f", "g", "h"] {
            tally.done(&outcome(name, Some("PDF_INVALID")));
        }
        tally.passed_over("x.zip");
        assert_eq!(
            tally.summary(),
            "8 documents: 2 understood (1 before), 6 failed; 1 passed over that are no documents\n  \
             6 PDF_INVALID: c, d, e, f, g, …\nTry them again with --retry-failed.\n"
        );
        assert_eq!(tally.so_far(), "8 of 8 documents are done, 6 failed");
    }
}
