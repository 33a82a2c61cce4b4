//! A table that goes on: a row for each thing that came, is another one than before, or went, with the time of day.

use std::collections::BTreeMap;

use super::{
    stdout::line,
    table::{Cell, Columns, Table},
};
use crate::words::time_of_day;

const TIME: &str = "TIME";

/// Rows of things that change.
pub(crate) struct Changes {
    table: Table,
    /// The row that was printed last of each.
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

    /// How a thing is now; a row that says the same as before is none.
    pub(crate) fn see<C: Columns>(&mut self, name: &str, item: &C::Item) {
        let mut row = C::cells(item);
        row.truncate(C::WATCHED);
        if self.shown.get(name) != Some(&row) {
            self.shown.insert(name.to_owned(), row.clone());
            self.add(row);
        }
    }

    /// A thing is there no more.
    pub(crate) fn gone(&mut self, name: &str) {
        if let Some(row) = self.shown.remove(name) {
            let mut row: Vec<_> = row.into_iter().take(1).collect();
            row.push(Cell::new("gone"));
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
            true => line(self.table.page()),
            false => Ok(()),
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
