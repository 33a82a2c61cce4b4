//! A table of changes with the time of day: a row for each object that was added, changed or removed.

use std::collections::BTreeMap;

use super::{
    stdout::line,
    table::{Cell, Columns, Table},
};
use crate::words::time_of_day;

const TIME: &str = "TIME";

/// Rows of objects that change.
pub(crate) struct Changes {
    table: Table,
    /// The last printed row of each object.
    shown: BTreeMap<String, Vec<Cell>>,
    more: bool,
}

impl Changes {
    /// Begins with the headings of what a watch shows, behind that of the time.
    pub(crate) fn new<C: Columns>() -> Self {
        Self {
            table: Table::new(&[&[TIME], &C::HEADINGS[..C::WATCHED]].concat()),
            shown: BTreeMap::new(),
            more: false,
        }
    }

    /// Adds the row of an object, unless it is the last printed one.
    pub(crate) fn update<C: Columns>(&mut self, name: &str, item: &C::Item) {
        let mut row = C::cells(item);
        row.truncate(C::WATCHED);
        if self.shown.get(name) != Some(&row) {
            self.shown.insert(name.to_owned(), row.clone());
            self.add(row);
        }
    }

    /// Adds a row for an object that was removed.
    pub(crate) fn remove(&mut self, name: &str) {
        if let Some(row) = self.shown.remove(name) {
            let mut row: Vec<_> = row.into_iter().take(1).collect();
            row.push(Cell::new("gone"));
            self.add(row);
        }
    }

    /// Returns the shown names that are not among `names`.
    pub(crate) fn missing(&self, names: &[&str]) -> Vec<String> {
        let shown = self.shown.keys();
        shown
            .filter(|name| !names.contains(&name.as_str()))
            .cloned()
            .collect()
    }

    /// Prints the rows that were added since the last time.
    pub(crate) fn print(&mut self) -> anyhow::Result<()> {
        if std::mem::take(&mut self.more) {
            line(self.table.page())
        } else {
            Ok(())
        }
    }

    fn add(&mut self, mut row: Vec<Cell>) {
        row.insert(0, Cell::new(time_of_day()));
        self.table.row(row);
        self.more = true;
    }
}

/// A watch that prints a line per change, with the time of day.
#[derive(Default)]
pub(crate) struct StateLines(BTreeMap<String, String>);

impl StateLines {
    /// Prints the line of an object, unless it is the one that was printed last.
    pub(crate) fn update(&mut self, name: String, state: String) -> anyhow::Result<()> {
        if self.0.get(&name) == Some(&state) {
            return Ok(());
        }
        line(format!("{}  {state}", time_of_day()))?;
        self.0.insert(name, state);
        Ok(())
    }

    /// Prints that an object was deleted; `label` is how lines name it.
    pub(crate) fn delete(&mut self, name: &str, label: &str) -> anyhow::Result<()> {
        self.0.remove(name);
        line(format!("{}  {label} deleted", time_of_day()))
    }
}

#[cfg(test)]
mod tests;
