//! A bar for those who wait.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// On a terminal, and for more than one file.
pub(super) fn bar(files: usize) -> ProgressBar {
    let shown = files > 1 && std::io::stderr().is_terminal();
    let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
    let bar = ProgressBar::with_draw_target(Some(files as u64), target);
    match ProgressStyle::with_template("{bar:40} {pos}/{len} documents, {per_sec}, {eta} left") {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
