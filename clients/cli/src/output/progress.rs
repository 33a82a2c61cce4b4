//! A line on stderr that says how far long work has come: the share that is done and about how long the rest takes where its length is
//! known, and else a count. Nothing where nobody looks. It stays below what is printed meanwhile, and goes with its end.

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

/// All that are shown, on one terminal.
static SHOWN: OnceLock<MultiProgress> = OnceLock::new();
static UNWANTED: AtomicBool = AtomicBool::new(false);

/// Whether progress is shown.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct ProgressArgs {
    /// Do not show progress on stderr
    #[arg(long, global = true)]
    no_progress: bool,
}

impl ProgressArgs {
    /// Makes it how this process shows progress.
    pub(crate) fn begin(self) {
        UNWANTED.store(self.no_progress, Ordering::Relaxed);
    }
}

/// Shows itself from its start, goes with its end.
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Of work whose length is not known, named as in "reading applications".
    pub(crate) fn start(what: &str) -> Self {
        Self::on(shown(), ProgressBar::no_length(), COUNT, what)
    }

    /// Of so many things to do, one of which is no long work.
    pub(crate) fn of(what: &str, number: usize) -> Self {
        match number {
            ..2 => Self(ProgressBar::hidden()),
            _ => Self::on(shown(), ProgressBar::new(length(number)), SHARE, what),
        }
    }

    /// Of so many bytes.
    pub(crate) fn of_bytes(what: &str, bytes: u64) -> Self {
        Self::on(shown(), ProgressBar::new(bytes), BYTES, what)
    }

    fn on(shown: &MultiProgress, bar: ProgressBar, template: &str, what: &str) -> Self {
        let bar = shown.add(bar.with_style(style(template)).with_prefix(what.to_owned()));
        if !bar.is_hidden() {
            bar.tick();
            bar.enable_steady_tick(Duration::from_millis(200));
        }
        Self(bar)
    }

    /// Whether anybody sees it.
    pub(crate) fn is_seen(&self) -> bool {
        !self.0.is_hidden()
    }

    /// There are so many things to do, as is known from now on.
    pub(crate) fn expect(&self, number: u64) {
        self.0.set_style(style(SHARE));
        self.0.set_length(number);
    }

    /// So many of them are done.
    pub(crate) fn reached(&self, number: usize) {
        self.0.set_position(length(number));
    }

    /// So much more is done.
    pub(crate) fn advance(&self, by: u64) {
        self.0.inc(by);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

/// Prints what belongs above what is shown.
pub(super) fn above<T>(print: impl FnOnce() -> T) -> T {
    match SHOWN.get() {
        Some(shown) => shown.suspend(print),
        None => print(),
    }
}

fn shown() -> &'static MultiProgress {
    SHOWN.get_or_init(|| {
        let target = match UNWANTED.load(Ordering::Relaxed) {
            true => ProgressDrawTarget::hidden(),
            false => ProgressDrawTarget::stderr(),
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

/// About how long the rest takes, once anything is done to tell it from.
fn rest(state: &ProgressState, text: &mut dyn fmt::Write) {
    if state.pos() > 0 {
        // What cannot be written is drawn again in a moment.
        let _ = write!(text, ", {:#} left", HumanDuration(state.eta()));
    }
}

fn length(number: usize) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
