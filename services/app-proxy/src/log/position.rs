//! Lines with their place in the log of a container: the time that the container runtime recorded, and the number of earlier lines of
//! that time. It is the same whenever and however a log is read, so that reading resumes without a gap and without a double.

use std::collections::VecDeque;

use jiff::Timestamp;

/// Lines before the requested last ones that are read, so that lines of one time are counted from their first.
pub(super) const LEADING: i64 = 200;
/// Bytes of the last lines that are held until their end is known.
const MAX_HELD: usize = 16 << 20;

/// Place of a line among those of its container.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Position {
    pub(crate) time: Timestamp,
    pub(crate) sequence: u32,
}

/// A line with its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Line {
    /// None if the cluster sent no time, before any line with one.
    pub(crate) at: Option<Position>,
    /// The line without its end.
    pub(crate) text: String,
    /// True if the line ended here, and is no piece of a longer one.
    pub(crate) whole: bool,
}

/// Gives lines their places.
#[derive(Debug, Default)]
pub(super) struct Counter {
    last: Option<Position>,
    is_continued: bool,
}

/// Range of the lines to pass on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Lines up to this one are left out.
    pub(super) after: Option<Position>,
    /// Lines from this time on are left out.
    pub(super) until: Option<Timestamp>,
}

/// Whether more lines can be in range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum More {
    Possible,
    Never,
}

/// The last lines, up to a number and a size.
#[derive(Debug)]
pub(super) struct LastLines {
    lines: VecDeque<Line>,
    most: usize,
    bytes: usize,
}

impl Counter {
    /// Place of the last line, also if it was left out.
    pub(super) fn last(&self) -> Option<Position> {
        self.last
    }

    /// Reads text that begins with times. A piece of a line that is too long for one text has the time of its beginning.
    pub(super) fn read(&mut self, text: &str) -> Vec<Line> {
        let lines = text.split_inclusive('\n');
        lines.map(|line| self.line(line)).collect()
    }

    fn line(&mut self, line: &str) -> Line {
        let stamped = line.split_once(' ').filter(|_| !self.is_continued);
        let stamped = stamped.and_then(|(time, text)| Some((time.parse().ok()?, text)));
        let (time, text) = match stamped {
            Some((time, text)) => (Some(time), text),
            None => (self.last.map(|last| last.time), line),
        };
        self.last = time.map(|time| self.place(time));
        let whole = text.ends_with('\n');
        self.is_continued = !whole;
        Line {
            at: self.last,
            text: text.trim_end_matches(['\n', '\r']).to_owned(),
            whole,
        }
    }

    fn place(&self, time: Timestamp) -> Position {
        let same = self.last.filter(|last| last.time == time);
        Position {
            time,
            sequence: same.map_or(0, |last| last.sequence.saturating_add(1)),
        }
    }
}

impl Bounds {
    /// Leaves out the lines that are not in range.
    pub(super) fn apply(&self, lines: &mut Vec<Line>) -> More {
        let is_late = |line: &Line| match (line.at, self.until) {
            (Some(at), Some(until)) => at.time >= until,
            _ => false,
        };
        let end = lines.iter().position(is_late);
        if let Some(end) = end {
            lines.truncate(end);
        }
        if self.after.is_some() {
            lines.retain(|line| line.at > self.after);
        }
        match end {
            Some(_) => More::Never,
            None => More::Possible,
        }
    }
}

impl LastLines {
    pub(super) fn new(most: usize) -> Self {
        Self {
            lines: VecDeque::new(),
            most,
            bytes: 0,
        }
    }

    /// Adds lines, and removes the earliest ones in excess.
    pub(super) fn extend(&mut self, lines: Vec<Line>) {
        for line in lines {
            self.bytes += line.size();
            self.lines.push_back(line);
            while self.lines.len() > self.most || self.bytes > MAX_HELD {
                let Some(first) = self.lines.pop_front() else {
                    break;
                };
                self.bytes -= first.size();
            }
        }
    }

    pub(super) fn into_lines(self) -> Vec<Line> {
        self.lines.into()
    }
}

impl Line {
    /// Approximate size in memory.
    pub(super) fn size(&self) -> usize {
        self.text.len() + 64
    }

    /// The line as the cluster sent it.
    pub(super) fn push_to(&self, text: &mut String, with_time: bool) {
        if let Some(at) = self.at.filter(|_| with_time) {
            text.push_str(&format!("{:.9} ", at.time));
        }
        text.push_str(&self.text);
        if self.whole {
            text.push('\n');
        }
    }
}

#[cfg(test)]
mod tests;
