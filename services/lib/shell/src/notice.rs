//! Operator notices of a working part: one line per topic while the condition lasts.

use std::{borrow::Cow, collections::BTreeMap};

use tokio::sync::watch;

/// Maximum bytes of a line; longer lines are truncated.
const MAX_LINE_BYTES: usize = 1000;

/// The notices of one part, by topic. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Notices(watch::Sender<Lines>);

type Lines = BTreeMap<Cow<'static, str>, String>;

impl Notices {
    /// Sets or replaces the line of a topic.
    pub fn raise(&self, topic: impl Into<Cow<'static, str>>, mut line: String) {
        let topic = topic.into();
        line.truncate(line.floor_char_boundary(MAX_LINE_BYTES));
        self.0.send_if_modified(|notices| {
            let unchanged = notices.get(&topic) == Some(&line);
            notices.insert(topic, line);
            !unchanged
        });
    }

    /// Removes the line of a topic.
    pub fn clear(&self, topic: &str) {
        self.0
            .send_if_modified(|notices| notices.remove(topic).is_some());
    }

    /// Watches all lines, sorted by topic.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Lines> {
        self.0.subscribe()
    }
}
