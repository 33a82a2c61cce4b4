//! What the full-screen view knows and what a key does to it: no terminal and no platform in here.

mod arrange;
mod keys;
mod opened;

use std::collections::{BTreeMap, BTreeSet};

use prost_types::Timestamp;

pub(super) use arrange::{Choice, Field, Order};
pub(super) use keys::Key;
pub(super) use opened::{Opened, Stand, Text, Tone, Topic};

/// The full name of an application.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Name {
    pub(super) runtime: String,
    pub(super) namespace: String,
    pub(super) name: String,
    /// As its runtime calls it.
    pub(super) cluster: String,
}

impl Name {
    /// RUNTIME/NAMESPACE/NAME, as commands take it.
    pub(super) fn whole(&self) -> String {
        format!("{}/{}/{}", self.runtime, self.namespace, self.name)
    }
}

/// An application as a line shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) project: String,
    pub(super) sync: &'static str,
    pub(super) health: &'static str,
    /// When its runtime was last heard, if it is not heard now.
    pub(super) stale_since: Option<Timestamp>,
    /// The phase of its operation; empty where none is under way.
    pub(super) operation: &'static str,
    pub(super) revision: String,
    pub(super) message: String,
    /// When the platform accepted this state, in milliseconds since 1970.
    pub(super) changed: i64,
}

/// What can be done to the chosen application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Sync,
    Refresh,
    HardRefresh,
}

impl Action {
    /// Its word, as in "sync web?".
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Sync => "sync",
            Self::Refresh => "refresh",
            Self::HardRefresh => "refresh, rendering again,",
        }
    }
}

/// What a key asks of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Effect {
    None,
    Quit,
    Act(Action, Name),
    /// This of it is wanted.
    Open(Topic, Name),
}

/// What keys go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Mode {
    List,
    /// The filter is being typed; as it was before.
    Filter(String),
    /// The place in the list of choices.
    Choices(usize),
    /// What is open is read.
    Opened,
    /// What is asked about, which stays that whatever happens to the lines meanwhile.
    Confirm(Action, Name),
    Help,
}

/// How the watch stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Feed {
    /// All that was there at the beginning is not here yet.
    Loading,
    Live,
    Cut,
}

pub(super) struct Model {
    rows: BTreeMap<Name, (Row, u64)>,
    /// Counted up when the watch begins again from nothing: rows of an older round are gone when it has sent all.
    round: u64,
    pub(super) feed: Feed,
    pub(super) mode: Mode,
    pub(super) order: Order,
    pub(super) reversed: bool,
    /// Words, each of which a line has.
    pub(super) filter: String,
    chosen: BTreeMap<Field, BTreeSet<String>>,
    /// Those that are shown, in their order.
    shown: Vec<Name>,
    selected: Option<Name>,
    /// The place of the selected one, which stays when it goes.
    place: usize,
    /// How many lines a page has.
    pub(super) page: usize,
    /// What was done last, or why it was not.
    pub(super) notice: String,
    opened: Option<Opened>,
    /// True if the application changed since its details were had.
    stale: bool,
}

impl Model {
    pub(super) fn new() -> Self {
        Self {
            rows: BTreeMap::new(),
            round: 0,
            feed: Feed::Loading,
            mode: Mode::List,
            order: Order::Health,
            reversed: false,
            filter: String::new(),
            chosen: BTreeMap::new(),
            shown: Vec::new(),
            selected: None,
            place: 0,
            page: 1,
            notice: String::new(),
            opened: None,
            stale: false,
        }
    }

    /// The application is now so, and details that are open are old.
    pub(super) fn update(&mut self, name: Name, row: Row) {
        self.stale |= self.reads(&name, Topic::Details);
        self.rows.insert(name, (row, self.round));
    }

    /// Whose details are open and old; told once.
    pub(super) fn wants_details(&mut self) -> Option<Name> {
        let stale = std::mem::take(&mut self.stale);
        self.opened
            .as_ref()
            .filter(|it| stale && it.topic == Topic::Details)
            .map(|it| it.name.clone())
    }

    /// What is open.
    pub(super) fn opened(&self) -> Option<&Opened> {
        self.opened.as_ref()
    }

    /// True if this is open.
    pub(super) fn reads(&self, name: &Name, topic: Topic) -> bool {
        let opened = self.opened.as_ref();
        opened.is_some_and(|it| it.name == *name && it.topic == topic)
    }

    /// What was asked for has come; it is of no use where something else is open by now.
    pub(super) fn read(&mut self, name: &Name, topic: Topic, lines: Vec<Text>) {
        if let Some(opened) = self.opened.as_mut()
            && opened.name == *name
            && opened.topic == topic
        {
            opened.replace(lines);
        }
    }

    /// The same of one more line.
    pub(super) fn read_on(&mut self, name: &Name, topic: Topic, line: Text) {
        if let Some(opened) = self.opened.as_mut()
            && opened.name == *name
            && opened.topic == topic
        {
            opened.add(line);
        }
    }

    pub(super) fn delete(&mut self, name: &Name) {
        self.rows.remove(name);
    }

    /// All that there is has been sent.
    pub(super) fn complete(&mut self) {
        let round = self.round;
        self.rows.retain(|_, (_, seen)| *seen == round);
        self.feed = Feed::Live;
    }

    /// The watch was cut. It goes on where it was, or begins again from nothing.
    pub(super) fn cut(&mut self, from_nothing: bool) {
        self.round += u64::from(from_nothing);
        self.feed = Feed::Cut;
    }

    /// The watch goes on.
    pub(super) fn resume(&mut self) {
        if self.feed == Feed::Cut {
            self.feed = Feed::Live;
        }
    }

    /// How many there are, shown or not.
    pub(super) fn total(&self) -> usize {
        self.rows.len()
    }

    /// The lines from one place on, at most so many, and which of them is selected.
    pub(super) fn lines(
        &self,
        from: usize,
        most: usize,
    ) -> impl Iterator<Item = (&Name, &Row, bool)> {
        let shown = self.shown.iter().skip(from).take(most);
        shown.filter_map(|name| {
            let (row, _) = self.rows.get(name)?;
            Some((name, row, self.selected.as_ref() == Some(name)))
        })
    }

    /// How many are shown, and the place of the selected one among them.
    pub(super) fn position(&self) -> (usize, usize) {
        (self.shown.len(), self.place)
    }

    #[cfg(test)]
    pub(super) fn selected(&self) -> Option<&Name> {
        self.selected.as_ref()
    }

    /// Puts the lines into their order, and the selection where it belongs.
    pub(super) fn arrange(&mut self) {
        self.shown = arrange::shown(self);
        let last = self.shown.len().saturating_sub(1);
        let selected = self.selected.take();
        let found = selected.and_then(|name| self.shown.iter().position(|it| *it == name));
        self.place = found.unwrap_or(self.place.min(last));
        self.selected = self.shown.get(self.place).cloned();
    }

    fn select(&mut self, place: usize) {
        self.place = place.min(self.shown.len().saturating_sub(1));
        self.selected = self.shown.get(self.place).cloned();
    }
}

#[cfg(test)]
mod tests;
