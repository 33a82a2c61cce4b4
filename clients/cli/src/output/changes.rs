//! A table that goes on: a row for each thing that came, is another one than before, or went, with the time of day.

use std::collections::BTreeMap;

use super::{Lines, Text, line};
use crate::watch::now;

const TIME: &str = "TIME";

/// Rows of things that change.
pub(crate) struct Changes {
    lines: Lines,
    /// The row that was printed last of each.
    shown: BTreeMap<String, Vec<Text>>,
    more: bool,
}

impl Changes {
    /// Begins with the headings, behind that of the time.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self {
            lines: Lines::new(&[&[TIME], headings].concat(), &[]),
            shown: BTreeMap::new(),
            more: false,
        }
    }

    /// How a thing is now; a row that says the same as before is none.
    pub(crate) fn see(&mut self, name: &str, row: Vec<Text>) {
        if self.shown.get(name) != Some(&row) {
            self.shown.insert(name.to_owned(), row.clone());
            self.add(row);
        }
    }

    /// A thing is there no more.
    pub(crate) fn gone(&mut self, name: &str) {
        if let Some(row) = self.shown.remove(name) {
            let mut row: Vec<_> = row.into_iter().take(1).collect();
            row.push(Text::new("gone"));
            self.add(row);
        }
    }

    /// The names of those that are not among these.
    pub(crate) fn without(&self, names: &[&str]) -> Vec<String> {
        let shown = self.shown.keys();
        shown
            .filter(|name| !names.contains(&name.as_str()))
            .cloned()
            .collect()
    }

    /// Prints what came since it was printed last.
    pub(crate) fn print(&mut self) -> anyhow::Result<()> {
        match std::mem::take(&mut self.more) {
            true => line(self.lines.page()),
            false => Ok(()),
        }
    }

    fn add(&mut self, mut row: Vec<Text>) {
        row.insert(0, Text::new(now()));
        self.lines.row(row);
        self.more = true;
    }
}

#[cfg(test)]
mod tests;
