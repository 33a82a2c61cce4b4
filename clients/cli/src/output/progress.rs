//! Progress of long work on stderr: share and remaining time, or a count while the length is unknown. Terminals only.

use std::{
    fmt,
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use indicatif::{
    HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};

const COUNT: &str = "{spinner} {prefix}: {pos}";
const SHARE: &str = "{spinner} {prefix} [{bar:30}] {percent:>3}% {pos}/{len}{rest}";
const BYTES: &str =
    "{spinner} {prefix} [{bar:30}] {percent:>3}% {binary_bytes}/{binary_total_bytes}{rest}";

/// All progress lines of the terminal.
static PROGRESS: OnceLock<MultiProgress> = OnceLock::new();
static DISABLED: AtomicBool = AtomicBool::new(false);

/// Flags of the progress display.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct ProgressArgs {
    /// Do not show progress on stderr
    #[arg(long, global = true)]
    no_progress: bool,
}

impl ProgressArgs {
    /// Sets how this process shows progress.
    pub(crate) fn begin(self) {
        DISABLED.store(self.no_progress, Ordering::Relaxed);
    }
}

/// A progress line, shown until it is dropped.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Shows work of unknown length, named as in "reading applications".
    pub(crate) fn start(what: &str) -> Self {
        Self::on(progress_lines(), ProgressBar::no_length(), COUNT, what)
    }

    /// Shows work on a number of items; a single one shows nothing.
    pub(crate) fn items(what: &str, number: usize) -> Self {
        match number {
            ..2 => Self(ProgressBar::hidden()),
            _ => Self::on(
                progress_lines(),
                ProgressBar::new(length(number)),
                SHARE,
                what,
            ),
        }
    }

    /// Shows work on a number of bytes.
    pub(crate) fn bytes(what: &str, bytes: u64) -> Self {
        Self::on(progress_lines(), ProgressBar::new(bytes), BYTES, what)
    }

    fn on(shown: &MultiProgress, bar: ProgressBar, template: &str, what: &str) -> Self {
        let bar = shown.add(bar.with_style(style(template)).with_prefix(what.to_owned()));
        if !bar.is_hidden() {
            bar.tick();
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self(bar)
    }

    /// True if it is visible.
    pub(crate) fn is_visible(&self) -> bool {
        !self.0.is_hidden()
    }

    /// Sets the number of items.
    pub(crate) fn expect(&self, number: u64) {
        self.0.set_style(style(SHARE));
        self.0.set_length(number);
    }

    /// Sets the number of finished items.
    pub(crate) fn reached(&self, number: usize) {
        self.0.set_position(length(number));
    }

    /// Adds to what is finished.
    pub(crate) fn advance(&self, by: u64) {
        self.0.inc(by);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Prints above the progress lines.
pub(super) fn above<T>(print: impl FnOnce() -> T) -> T {
    match PROGRESS.get() {
        Some(shown) => shown.suspend(print),
        None => print(),
    }
}

fn progress_lines() -> &'static MultiProgress {
    PROGRESS.get_or_init(|| {
        let target = if DISABLED.load(Ordering::Relaxed) {
            ProgressDrawTarget::hidden()
        } else {
            ProgressDrawTarget::stderr()
        };
        MultiProgress::with_draw_target(target)
    })
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template);
    style
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .with_key("rest", rest)
}

/// Writes the estimated remaining time, once anything is finished.
fn rest(state: &ProgressState, text: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // A failed write is repeated by the next tick.
        let _ = write!(text, ", {:#} left", HumanDuration(state.eta()));
    }
}

fn length(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
