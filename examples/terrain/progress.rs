//! The progress bar.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar on standard error, if that is a terminal.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar of so many steps; hidden unless it is to be shown.
    pub fn new(steps: usize, shown: bool) -> Progress {
        // indicatif draws nothing where standard error is no terminal.
        let target =
            if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let bar = ProgressBar::with_draw_target(Some(steps as u64), target);
        let template = "diffusion {bar:40} {pos}/{len} steps, {eta} left";
        // The template is constant; were it wrong, the default bar would do.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress(bar)
    }

    /// Shows that so many steps are done.
    pub fn reached(&self, step: usize) {
        self.0.set_position(step as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
