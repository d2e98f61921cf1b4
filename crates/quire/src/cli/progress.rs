//! A bar for those who wait.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// On a terminal, and for more than one file.
pub(super) fn bar(files: usize) -> ProgressBar {
    styled(files, files > 1, "{bar:40} {pos}/{len} documents, {per_sec}, {eta} left")
}

/// The same, with room for how many failed.
pub(super) fn process_bar(files: usize, is_quiet: bool) -> ProgressBar {
    styled(files, files > 1 && !is_quiet, "{bar:40} {pos}/{len} documents{msg}, {per_sec}, {eta} left")
}

fn styled(files: usize, is_wanted: bool, template: &str) -> ProgressBar {
    let shown = is_wanted && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(files as u64), target);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
