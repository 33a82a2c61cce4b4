//! A line on stderr that says how far long work has come; nothing where nobody looks.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Shows itself from its start, goes with its end.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// What is done, for example "reading applications".
    pub(crate) fn start(what: &str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("{spinner} {prefix}{msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        bar.set_prefix(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// How much of it is done.
    pub(crate) fn reached(&self, number: usize) {
        self.0.set_message(format!(": {number}"));
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
