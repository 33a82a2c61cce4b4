//! Logs each failure of a watch once, and its recovery.

use std::{mem, time::Duration};

use tracing::{debug, info, warn};

/// Tells of each trouble once, and when it is over.
pub(super) struct WatchNotices {
    noun: String,
    trouble: Option<String>,
    voice: WatchActivity,
}

/// Whether watches say anything.
#[derive(Debug, Default)]
pub(super) struct WatchActivity {
    /// Since the watch was opened.
    heard: bool,
    muteness: SilenceState,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum SilenceState {
    #[default]
    Never,
    /// A watch was mute, and another one helped or may.
    Passing,
    /// Another one did not help.
    Lasting,
}

/// What a mute watch means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// It is the first one.
    Unusual,
    /// It was heard after it was opened: that another one is opened helps.
    Nothing,
    /// It was never heard, as the one before: only lists tell what changes.
    Loss,
}

impl WatchNotices {
    pub(super) fn new(noun: &str) -> Self {
        Self {
            noun: noun.to_owned(),
            trouble: None,
            voice: WatchActivity::default(),
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

    /// A watch said something, or ended as it should.
    pub(super) fn heard(&mut self) {
        if self.voice.heard() {
            info!("the watch of {} speaks again", self.noun);
        }
    }

    /// A watch said nothing for so long, and another one is opened.
    pub(super) fn mute(&mut self, long: Duration) {
        let (noun, seconds) = (&self.noun, long.as_secs());
        match self.voice.mute() {
            Meaning::Unusual => info!(seconds, "the watch of {noun} is mute; opening it again"),
            Meaning::Nothing => debug!(seconds, "the watch of {noun} is mute; opening it again"),
            Meaning::Loss => warn!(
                seconds,
                "the watch of {noun} stays mute when it is opened again: changes are told late, by lists alone"
            ),
        }
    }
}

impl WatchActivity {
    /// Whether muteness ends by it that was told of as a loss.
    pub(super) fn heard(&mut self) -> bool {
        self.heard = true;
        let lasted = self.muteness == SilenceState::Lasting;
        if lasted {
            self.muteness = SilenceState::Passing;
        }
        lasted
    }

    pub(super) fn mute(&mut self) -> Meaning {
        let heard = mem::take(&mut self.heard);
        let (muteness, meaning) = match (self.muteness, heard) {
            (SilenceState::Never, _) => (SilenceState::Passing, Meaning::Unusual),
            (SilenceState::Passing, false) => (SilenceState::Lasting, Meaning::Loss),
            (SilenceState::Passing, true) => (SilenceState::Passing, Meaning::Nothing),
            (SilenceState::Lasting, _) => (SilenceState::Lasting, Meaning::Nothing),
        };
        self.muteness = muteness;
        meaning
    }
}

#[cfg(test)]
mod tests;
