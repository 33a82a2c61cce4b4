//! The one way to print lists and items of a kind.

use super::{
    document::document,
    message::{ListResponse, NamedMessage},
    printing::printing,
    shape::Format,
    stdout::note,
    table::{Columns, Table},
};

/// Prints a list response: the items that the flags select, in the order that they ask for.
pub(crate) fn list<C>(
    response: impl ListResponse<Item = C::Item>,
    format: Format,
) -> anyhow::Result<()>
where
    C: Columns<Item: NamedMessage>,
{
    let mut response = arranged(response)?;
    // Documents keep their shape without items; only tables print the note.
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
    Table::from_items::<C>(items).print()
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
    Table::from_items::<C>(&[item]).print()
}

/// Narrows and orders a list response as the flags say.
pub(crate) fn arranged<R: ListResponse>(response: R) -> anyhow::Result<R> {
    if printing().arrangement.is_none() {
        return Ok(response);
    }
    Ok(arranged_with(response, Vec::<()>::new())?.0)
}

/// Narrows and orders a list response together with a value for each of its items.
pub(crate) fn arranged_with<R: ListResponse, T>(
    mut response: R,
    values: Vec<T>,
) -> anyhow::Result<(R, Vec<T>)> {
    let printing = printing();
    if printing.arrangement.is_none() {
        return Ok((response, values));
    }
    printing.set_arranged();
    let values = printing.arrangement.apply(response.items_mut(), values)?;
    Ok((response, values))
}

/// True if a list has to be complete before any of it can be printed.
pub(crate) fn waits_for_all() -> bool {
    printing().arrangement.sorts()
}

/// True if items may be left out.
pub(crate) fn narrows() -> bool {
    printing().arrangement.narrows()
}
