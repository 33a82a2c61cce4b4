//! Tables without borders, as kubectl prints them.

use std::fmt::Display;

use unicode_width::UnicodeWidthStr as _;

use super::{clean::clean, pager::PagedOutput, printing::printing, shape::Shape};
use crate::words;

/// Spaces behind a column.
const PADDING: usize = 3;
/// Ends a colour.
const DEFAULT_COLOR: &str = "\u{1b}[39m";
const GREEN: &str = "\u{1b}[38;5;10m";
const YELLOW: &str = "\u{1b}[38;5;11m";
const RED: &str = "\u{1b}[38;5;9m";

/// Text in a column of a row, without controls of a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Cell {
    text: String,
    /// The code of its colour; empty for none.
    color: &'static str,
}

impl Cell {
    pub(crate) fn new(text: impl Display) -> Self {
        Self {
            text: clean(&text.to_string()).into_owned(),
            color: "",
        }
    }

    /// A cell in the colour of a state.
    pub(crate) fn state(text: &str) -> Self {
        let text = clean(text).into_owned();
        Self {
            color: color_of(&text),
            text,
        }
    }

    fn line(&self, number: usize) -> Self {
        Self {
            text: self.text.split('\n').nth(number).unwrap_or("").to_owned(),
            color: self.color,
        }
    }
}

/// Returns the code of a state's colour: green for good, yellow for pending, red for bad, nothing for all others.
/// A state that is stale is never green.
fn color_of(text: &str) -> &'static str {
    match words::split_staleness(text) {
        (state, false) => color_of_state(state),
        (state, true) if color_of_state(state) == RED => RED,
        (_, true) => YELLOW,
    }
}

fn color_of_state(state: &str) -> &'static str {
    match state {
        "ok" | "Synced" | "Healthy" | "Succeeded" | "Successful" | "online" | "reporting"
        | "serving" | "good" | "enabled" => GREEN,
        "warn" | "unknown" | "OutOfSync" | "Progressing" | "Paused" | "Pending" | "Running"
        | "Suspended" | "Warning" | "Terminating" | "not serving" | "rotating" => YELLOW,
        "fail" | "Degraded" | "Missing" | "Denied" | "Failed" | "Error" | "offline" | "lost"
        | "revoked" | "expired" | "disabled" => RED,
        _ => "",
    }
}

/// Headings of columns.
pub(crate) type Headings = &'static [&'static str];

/// The columns of one kind.
pub(crate) trait Columns {
    /// The item of a row.
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

/// Rows with headings, printed at once or page by page.
///
/// A page widens the columns where it has to and never narrows them, so that a long list is printed as it arrives.
pub(crate) struct Table {
    /// Until they are printed.
    headings: Option<Vec<Cell>>,
    rows: Vec<Vec<Cell>>,
    /// Number of columns without those that only `-o wide` shows.
    narrow: usize,
    widths: Vec<usize>,
}

impl Table {
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self::with_wide(headings, &[])
    }

    /// A table whose last columns only `-o wide` shows.
    pub(crate) fn with_wide(headings: &[&str], wide: &[&str]) -> Self {
        let all = headings.iter().chain(wide).map(Cell::new);
        Self {
            narrow: headings.len(),
            headings: Some(all.collect()).filter(|_| printing().headings),
            ..Self::plain()
        }
    }

    /// A table without headings: names and values.
    pub(crate) fn plain() -> Self {
        Self {
            headings: None,
            rows: Vec::new(),
            narrow: usize::MAX,
            widths: Vec::new(),
        }
    }

    /// An empty table with the columns of a kind.
    pub(crate) fn for_columns<C: Columns>() -> Self {
        Self::with_wide(C::HEADINGS, C::WIDE)
    }

    /// A table of items.
    pub(crate) fn from_items<C: Columns>(items: &[C::Item]) -> Self {
        let mut table = Self::for_columns::<C>();
        items.iter().for_each(|item| table.row(C::cells(item)));
        table
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: impl Into<Vec<Cell>>) {
        let cells = cells.into();
        let height = cells.iter().map(|it| it.text.matches('\n').count()).max();
        match height.unwrap_or(0) {
            0 => self.rows.push(cells),
            // Texts of several lines continue below themselves, in their column.
            last => {
                let line = |number| cells.iter().map(|cell| cell.line(number)).collect();
                self.rows.extend((0..=last).map(line));
            }
        }
    }

    /// Adds a name and its value, unless that is empty.
    pub(crate) fn field(&mut self, name: &str, value: impl Display) {
        self.field_cell(name, Cell::new(value));
    }

    /// Adds a name and its value in the colour of a state, unless that is empty.
    pub(crate) fn state(&mut self, name: &str, value: &str) {
        self.field_cell(name, Cell::state(value));
    }

    /// Adds a name and its value, also an empty one.
    pub(crate) fn required(&mut self, name: &str, value: impl Display) {
        self.row([Cell::new(name), Cell::new(value)]);
    }

    fn field_cell(&mut self, name: &str, value: Cell) {
        if !value.text.is_empty() {
            self.row([Cell::new(name), value]);
        }
    }

    /// Prints all.
    pub(crate) fn print(mut self) -> anyhow::Result<()> {
        printing().check()?;
        let mut sheet = PagedOutput::open();
        sheet.write(&self.page())?;
        sheet.close()
    }

    /// Returns all as it is printed.
    pub(crate) fn text(mut self) -> String {
        self.page()
    }

    /// Returns the rows since the page before, as they are printed; the first page has the headings.
    pub(crate) fn page(&mut self) -> String {
        let mut rows = std::mem::take(&mut self.rows);
        if let Some(headings) = self.headings.take() {
            rows.insert(0, headings);
        }
        let wide = matches!(printing().shape, Shape::Table { wide: true });
        let shown = if wide { usize::MAX } else { self.narrow };
        for row in &rows {
            self.widths.resize(row.len().max(self.widths.len()), 0);
            for (width, cell) in self.widths.iter_mut().zip(row) {
                *width = (*width).max(cell.text.width());
            }
        }
        let mut page = String::new();
        for row in &rows {
            if !page.is_empty() {
                page.push('\n');
            }
            self.write(&row[..row.len().min(shown)], &mut page);
        }
        page
    }

    fn write(&self, row: &[Cell], page: &mut String) {
        // Without padding behind the last text, lines have no trailing space.
        let end = row.iter().rposition(|it| !it.text.is_empty());
        let cells = row
            .iter()
            .zip(&self.widths)
            .take(end.map_or(0, |it| it + 1));
        let mut padding = 0;
        for (Cell { text, color }, width) in cells {
            page.extend(std::iter::repeat_n(' ', padding));
            page.push_str(color);
            page.push_str(text);
            if !color.is_empty() {
                page.push_str(DEFAULT_COLOR);
            }
            padding = width - text.width() + PADDING;
        }
    }
}
