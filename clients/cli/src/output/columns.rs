//! Columns of the kinds that commands list and show, and the one way to print them.

use super::{Cell, Format, ListResponse, NamedMessage, Table, arranged, document, note};

/// Headings of columns.
pub(crate) type Headings = &'static [&'static str];

/// The columns of one kind.
pub(crate) trait Columns {
    /// What a row shows.
    type Item;
    const HEADINGS: Headings;
    /// Headings of columns that only `-o wide` shows.
    const WIDE: Headings = &[];
    /// Number of columns that a watch shows: ages, which change by themselves, stand behind them.
    const WATCHED: usize = Self::HEADINGS.len();
    /// Note on stderr in place of an empty table; empty prints the headings alone.
    const NONE: &'static str = "";

    /// The cells of a row.
    fn cells(item: &Self::Item) -> Vec<Cell>;
}

/// Prints a list response: the items that the flags select, in the order that they ask for.
pub(crate) fn list<C>(
    response: impl ListResponse<Item = C::Item>,
    format: Format,
) -> anyhow::Result<()>
where
    C: Columns<Item: NamedMessage>,
{
    let mut response = arranged(response)?;
    if format != Format::Table {
        return document(&response, format);
    }
    table::<C>(response.items_mut())
}

/// Prints items as a table.
pub(crate) fn table<C: Columns>(items: &[C::Item]) -> anyhow::Result<()> {
    if items.is_empty() && !C::NONE.is_empty() {
        note(C::NONE);
        return Ok(());
    }
    Table::of::<C>(items).print()
}

/// Prints one item as a table of one row, or as a document.
pub(crate) fn one<C>(item: Option<C::Item>, format: Format) -> anyhow::Result<()>
where
    C: Columns<Item: NamedMessage>,
{
    let item = item.unwrap_or_default();
    if format != Format::Table {
        return document(&item, format);
    }
    Table::of::<C>(&[item]).print()
}
