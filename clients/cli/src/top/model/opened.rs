//! What is open of one application: all about it, what differs in it, or what its pods write. Only so much of it is kept.

use std::collections::VecDeque;

use super::{
    Name,
    keys::{Key, moved},
};
use crate::output;

/// So many lines are kept; of more, the first ones go.
const MOST_LINES: usize = if cfg!(test) { 8 } else { 20_000 };
/// The same in bytes.
const MOST_BYTES: usize = 8 << 20;
/// How many characters one key moves to the side.
const ASIDE: usize = 10;

/// What is open of an application.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::top) enum Topic {
    Details,
    /// Between the cluster and Git.
    Diff,
    /// As it is written.
    Logs,
}

impl Topic {
    pub(in crate::top) fn word(self) -> &'static str {
        match self {
            Self::Details => "details",
            Self::Diff => "diff",
            Self::Logs => "logs",
        }
    }
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::top) enum Tone {
    Plain,
    Added,
    Removed,
    /// Where in a text the lines are that follow.
    Place,
    Heading,
    /// Of the pod of this number.
    Pod(usize),
}

/// A line, without anything that a terminal would act on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::top) struct Text {
    pub(in crate::top) text: String,
    pub(in crate::top) tone: Tone,
}

impl Text {
    pub(in crate::top) fn new(text: &str, tone: Tone) -> Self {
        let mut plain = String::with_capacity(text.len());
        for character in output::clean(text).chars() {
            match character {
                '\t' => plain.push_str("    "),
                control if control.is_control() => {}
                other => plain.push(other),
            }
        }
        Self { text: plain, tone }
    }

    pub(in crate::top) fn plain(text: &str) -> Self {
        Self::new(text, Tone::Plain)
    }
}

/// Whether there is more to come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::top) enum Stand {
    Loading,
    There,
}

/// What is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::top) struct Opened {
    pub(in crate::top) name: Name,
    pub(in crate::top) topic: Topic,
    pub(in crate::top) stand: Stand,
    lines: VecDeque<Text>,
    bytes: usize,
    /// The first line that is shown.
    from: usize,
    /// Number of characters that are to the left of the screen.
    pub(in crate::top) aside: usize,
    /// True if the last lines are shown, whatever comes.
    follows: bool,
}

impl Opened {
    pub(super) fn new(name: Name, topic: Topic) -> Self {
        Self {
            name,
            topic,
            stand: Stand::Loading,
            lines: VecDeque::new(),
            bytes: 0,
            from: 0,
            aside: 0,
            follows: topic == Topic::Logs,
        }
    }

    /// Replaces the content and keeps the scroll position.
    pub(super) fn replace(&mut self, lines: Vec<Text>) {
        self.stand = Stand::There;
        self.lines.clear();
        self.bytes = 0;
        lines.into_iter().for_each(|line| self.add(line));
        self.from = self.from.min(self.last());
    }

    /// Adds a line at its end.
    pub(super) fn add(&mut self, line: Text) {
        self.stand = Stand::There;
        self.bytes += line.text.len();
        self.lines.push_back(line);
        while self.lines.len() > MOST_LINES || self.bytes > MOST_BYTES && self.lines.len() > 1 {
            let gone = self.lines.pop_front();
            self.bytes -= gone.map_or(0, |gone| gone.text.len());
            self.from = self.from.saturating_sub(1);
        }
    }

    /// Number of lines.
    pub(in crate::top) fn length(&self) -> usize {
        self.lines.len()
    }

    /// Those that fit on a page.
    pub(in crate::top) fn page(&self, height: usize) -> impl Iterator<Item = &Text> {
        self.lines.iter().skip(self.first(height)).take(height)
    }

    /// The first one of a page.
    pub(in crate::top) fn first(&self, height: usize) -> usize {
        if self.follows {
            self.lines.len().saturating_sub(height)
        } else {
            self.from
        }
    }

    fn last(&self) -> usize {
        self.lines.len().saturating_sub(1)
    }

    /// True if a key moved what is shown.
    pub(super) fn moves(&mut self, key: Key, page: usize) -> bool {
        if key == Key::Left {
            self.aside = self.aside.saturating_sub(ASIDE);
            return true;
        }
        if key == Key::Right {
            self.aside += ASIDE;
            return true;
        }
        // A page is one line shorter than what is shown, so that one line is on both.
        let from = self.first(page + 1);
        let Some(to) = moved(key, from, self.lines.len(), page) else {
            return false;
        };
        let is_end = matches!(key, Key::End | Key::Character('G'));
        self.follows = self.topic == Topic::Logs && is_end;
        self.from = to;
        true
    }
}
