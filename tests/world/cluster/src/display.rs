//! Shows the progress of a build: a bar on a terminal, otherwise a line now and then.

use std::{
    io::{IsTerminal, stderr},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressStyle};

use crate::{Program, Progress, Step, command::say};

/// Shows the steps of a build on standard error.
pub struct Display {
    bar: Option<ProgressBar>,
    shown: Option<(Program, Milestone)>,
}

/// Stage of a build; without a terminal each change writes a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Milestone {
    Waiting,
    Downloading,
    Compiling { tenths: u8 },
    Linking,
    Finished,
}

const WIDTH: u64 = 1000;
const TICK: Duration = Duration::from_millis(200);

impl Display {
    pub fn on_standard_error() -> Self {
        let bar = stderr().is_terminal().then(|| {
            let style = ProgressStyle::with_template("{spinner} {prefix:<12}{bar:30} {msg}");
            let bar = ProgressBar::new(WIDTH);
            // The link is silent for half a minute.
            bar.enable_steady_tick(TICK);
            bar.with_style(style.expect("the template is fixed and right"))
        });
        Self { bar, shown: None }
    }

    pub fn show(&mut self, progress: &Progress) {
        let line = describe(progress);
        let milestone = (progress.program, milestone(progress));
        let changed = self.shown.replace(milestone) != Some(milestone);
        match &self.bar {
            None if changed => say(&format!("{:<12}{line}", progress.program)),
            None => {}
            Some(bar) if progress.step == Step::Finished => {
                bar.suspend(|| say(&format!("{:<12}{line}", progress.program)));
            }
            Some(bar) => {
                bar.set_prefix(progress.program.name());
                bar.set_position(thousandths(progress));
                bar.set_message(line);
            }
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "from 0 to 1000"
)]
fn thousandths(progress: &Progress) -> u64 {
    (progress.part() * 1000.0).round() as u64
}

fn milestone(progress: &Progress) -> Milestone {
    match progress.step {
        Step::Waiting => Milestone::Waiting,
        Step::Downloading { .. } => Milestone::Downloading,
        Step::Compiling { .. } => {
            let tenths = u8::try_from(thousandths(progress) / 100);
            Milestone::Compiling {
                tenths: tenths.unwrap_or(10),
            }
        }
        Step::Linking => Milestone::Linking,
        Step::Finished => Milestone::Finished,
    }
}

fn describe(progress: &Progress) -> String {
    let taken = minutes(progress.elapsed);
    match progress.step {
        Step::Waiting => "waiting for another build".to_owned(),
        Step::Downloading { modules } => format!("{taken}  downloading, {modules} modules"),
        Step::Compiling { packages, of } => {
            let left = progress
                .left()
                .map(|left| format!(", about {} left", minutes(left)));
            let percent = thousandths(progress) / 10;
            format!(
                "{taken}  {percent} %, {packages} of {of} packages{}",
                left.unwrap_or_default()
            )
        }
        Step::Linking => format!("{taken}  linking"),
        Step::Finished => format!("{taken}  built"),
    }
}

/// "4:07"
fn minutes(time: Duration) -> String {
    let seconds = time.as_secs();
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

#[cfg(test)]
mod tests;
