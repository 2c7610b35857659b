//! The progress bar.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::time::{Duration, Instant};

/// The interval between lines if standard error is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(2);

/// A bar on standard error, or lines at intervals if that is no terminal (under `phalanx run`).
pub struct Progress {
    bar: ProgressBar,
    steps: usize,
    /// The time of the last line; `None` if no lines are written.
    written: Option<Instant>,
}

impl Progress {
    /// A bar of a number of steps, which is hidden unless `shown`.
    pub fn new(steps: usize, shown: bool) -> Progress {
        let is_terminal = std::io::stderr().is_terminal();
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let template = "diffusion {bar:40} {pos}/{len} steps, {eta} left";
        // The template is constant; if it were wrong, the default bar would be shown.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let written = (shown && !is_terminal).then(Instant::now);
        Progress { bar, steps, written }
    }

    /// Shows the number of completed steps.
    pub fn reached(&mut self, step: usize) {
        self.bar.set_position(step as u64);
        if let Some(written) = &mut self.written
            && written.elapsed() >= LINE_EVERY
        {
            *written = Instant::now();
            eprintln!("diffusion {step}/{} steps", self.steps);
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
