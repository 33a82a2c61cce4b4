//! Logs each failure of a watch once, and its recovery.

use std::{mem, time::Duration};

use tracing::{debug, info, warn};

/// Logs each failure once, and its recovery.
pub(super) struct WatchNotices {
    noun: String,
    trouble: Option<String>,
    activity: WatchActivity,
}

/// Activity of successive watches.
#[derive(Debug, Default)]
pub(super) struct WatchActivity {
    /// The current watch has sent something.
    active: bool,
    silence: SilenceState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SilenceState {
    #[default]
    Never,
    /// A watch fell silent; reopening helped or may help.
    Temporary,
    /// Reopening did not help.
    Persistent,
}

/// Severity of a silent watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SilenceNotice {
    /// The first silent watch.
    Unusual,
    /// The watch was active before, so reopening it helps.
    Nothing,
    /// Two watches in a row were never active, so only lists show changes.
    Loss,
}

impl WatchNotices {
    pub(super) fn new(noun: &str) -> Self {
        Self {
            noun: noun.to_owned(),
            trouble: None,
            activity: WatchActivity::default(),
        }
    }

    pub(super) fn failed(&mut self, cause: String) {
        if self.trouble.as_ref() != Some(&cause) {
            warn!("{cause}; trying again");
            self.trouble = Some(cause);
        }
    }

    pub(super) fn worked(&mut self) {
        if self.trouble.take().is_some() {
            info!("{} are read again", self.noun);
        }
    }

    pub(super) fn on_activity(&mut self) {
        if self.activity.on_activity() {
            info!("the watch of {} sends events again", self.noun);
        }
    }

    pub(super) fn on_silence(&mut self, duration: Duration) {
        let (noun, seconds) = (&self.noun, duration.as_secs());
        match self.activity.on_silence() {
            SilenceNotice::Unusual => info!(seconds, "the watch of {noun} is silent; reopening it"),
            SilenceNotice::Nothing => {
                debug!(seconds, "the watch of {noun} is silent; reopening it")
            }
            SilenceNotice::Loss => warn!(
                seconds,
                "the watch of {noun} stays silent after it was reopened: changes are reported late, by lists alone"
            ),
        }
    }
}

impl WatchActivity {
    /// Returns true when this ends a persistent silence.
    pub(super) fn on_activity(&mut self) -> bool {
        self.active = true;
        let was_persistent = self.silence == SilenceState::Persistent;
        if was_persistent {
            self.silence = SilenceState::Temporary;
        }
        was_persistent
    }

    pub(super) fn on_silence(&mut self) -> SilenceNotice {
        let active = mem::take(&mut self.active);
        let (silence, notice) = match (self.silence, active) {
            (SilenceState::Never, _) => (SilenceState::Temporary, SilenceNotice::Unusual),
            (SilenceState::Temporary, false) => (SilenceState::Persistent, SilenceNotice::Loss),
            (SilenceState::Temporary, true) => (SilenceState::Temporary, SilenceNotice::Nothing),
            (SilenceState::Persistent, _) => (SilenceState::Persistent, SilenceNotice::Nothing),
        };
        self.silence = silence;
        notice
    }
}

#[cfg(test)]
mod tests;
