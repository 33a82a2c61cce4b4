//! What a person should look at although the part works: one line for each topic, for as long as it is so.

use std::{borrow::Cow, collections::BTreeMap};

use tokio::sync::watch;

/// In bytes; what is longer is cut.
const LONGEST_LINE: usize = 1000;

/// The notices of one part, by topic. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub struct Notices(watch::Sender<Lines>);

/// Lines by topic.
type Lines = BTreeMap<Cow<'static, str>, String>;

impl Notices {
    /// Puts a topic's line in the place of the one before.
    pub fn raise(&self, topic: impl Into<Cow<'static, str>>, mut line: String) {
        let topic = topic.into();
        line.truncate(line.floor_char_boundary(LONGEST_LINE));
        self.0.send_if_modified(|notices| {
            let same = notices.get(&topic) == Some(&line);
            notices.insert(topic, line);
            !same
        });
    }

    /// Takes a topic's line away.
    pub fn clear(&self, topic: &str) {
        self.0
            .send_if_modified(|notices| notices.remove(topic).is_some());
    }

    /// All lines in the order of their topics, now and on each change.
    #[must_use]
    pub fn watch(&self) -> watch::Receiver<Lines> {
        self.0.subscribe()
    }
}
