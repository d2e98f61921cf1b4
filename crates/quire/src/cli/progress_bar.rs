//! Progress bars on standard error, on a terminal only.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use quire_application::storage::Progress;

/// A bar for more than one file.
pub(super) fn simple(files: usize) -> ProgressBar {
    styled(files, files > 1, "{bar:40} {pos}/{len} documents, {per_sec}, {eta} left")
}

/// A bar that also shows how many files failed.
pub(super) fn with_failures(files: usize, is_quiet: bool) -> ProgressBar {
    styled(files, files > 1 && !is_quiet, "{bar:40} {pos}/{len} documents{msg}, {per_sec}, {eta} left")
}

/// A bar for links that also shows what is being done, for one link too.
pub(super) fn links(links: usize) -> ProgressBar {
    let bar = styled(links, true, "{bar:40} {pos}/{len} links, {msg}");
    bar.tick();
    bar
}

/// A bar whose length is set when the work begins. It disappears when it is dropped.
pub(super) struct WorkBar(ProgressBar);

impl WorkBar {
    /// A bar that counts `what`.
    pub(super) fn new(what: &str) -> Self {
        Self(styled(0, true, &format!("{{bar:40}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left")))
    }
}

impl Progress for WorkBar {
    fn begin(&self, steps: u64) {
        self.0.set_length(steps);
    }

    fn done(&self, steps: u64) {
        self.0.inc(steps);
    }
}

impl Drop for WorkBar {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

fn styled(files: usize, is_visible: bool, template: &str) -> ProgressBar {
    let is_drawn = is_visible && std::io::stderr().is_terminal();
    let target = if is_drawn { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(files as u64), target);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
