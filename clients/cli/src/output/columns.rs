//! Columns without borders, as kubectl prints them.

use comfy_table::{Cell, Color, ColumnConstraint, ContentArrangement, Table, Width, presets};

use super::{Shape, Sheet, printing};

/// The space behind a column.
const SPACE: u16 = 3;

/// A table that is printed at once, or page by page with columns that grow and never shrink.
pub(crate) struct Columns {
    table: Table,
    headings: Vec<String>,
    /// How many columns there are without those that only `-o wide` shows.
    narrow: usize,
    /// What the widest page so far needed for each column.
    widths: Vec<u16>,
}

impl Columns {
    /// Begins with the headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        Self {
            headings: headings.iter().map(|it| (*it).to_owned()).collect(),
            ..Self::plain()
        }
    }

    /// Begins with the headings, and with those that only `-o wide` shows.
    pub(crate) fn with_wide(headings: &[&str], wide: &[&str]) -> Self {
        Self {
            narrow: headings.len(),
            ..Self::new(&[headings, wide].concat())
        }
    }

    /// Without headings: names and values.
    pub(crate) fn plain() -> Self {
        Self {
            table: empty(),
            headings: Vec::new(),
            narrow: usize::MAX,
            widths: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.table.add_row(cells);
    }

    /// Prints all.
    pub(crate) fn print(mut self) -> anyhow::Result<()> {
        printing().check()?;
        let mut sheet = Sheet::open();
        sheet.write(&self.page())?;
        sheet.close()
    }

    /// All, as it is printed.
    pub(crate) fn text(mut self) -> String {
        self.page()
    }

    /// The rows since the page before, as they are printed; the first page has the headings.
    pub(crate) fn page(&mut self) -> String {
        let mut table = std::mem::replace(&mut self.table, empty());
        let headings = std::mem::take(&mut self.headings);
        if printing().headings && !headings.is_empty() {
            table.set_header(headings);
        }
        if table.is_empty() && table.header().is_none() {
            return String::new();
        }
        let wide = matches!(printing().shape, Shape::Table { wide: true });
        let needed = table.column_max_content_widths();
        self.widths.resize(needed.len().max(self.widths.len()), 0);
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, SPACE));
            let width = self.widths[index].max(needed[index]);
            self.widths[index] = width;
            column.set_constraint(match index < self.narrow || wide {
                true => ColumnConstraint::LowerBoundary(Width::Fixed(width.saturating_add(SPACE))),
                false => ColumnConstraint::Hidden,
            });
        }
        let text = table.to_string();
        let lines: Vec<_> = text.lines().map(without_trailing_space).collect();
        lines.join("\n")
    }
}

fn empty() -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.enforce_styling();
    table.set_content_arrangement(ContentArrangement::Disabled);
    table
}

/// Drops the padding of a last cell, also where a code that ends its colour follows.
pub(super) fn without_trailing_space(line: &str) -> String {
    let line = line.trim_end();
    let mut end = line.len();
    while let Some(start) = line[..end].rfind("\x1b[") {
        let code = line[start + 2..end].strip_suffix('m');
        if !code.is_some_and(|code| {
            code.bytes()
                .all(|byte| byte.is_ascii_digit() || byte == b';')
        }) {
            break;
        }
        end = start;
    }
    format!("{}{}", line[..end].trim_end(), &line[end..])
}

/// A cell in the colour of a state: green for good, yellow for on its way, red for bad.
pub(crate) fn state_cell(text: &str) -> Cell {
    let cell = Cell::new(text);
    match text {
        "Synced" | "Healthy" | "Succeeded" | "Successful" | "online" | "serving" | "good"
        | "enabled" => cell.fg(Color::Green),
        "OutOfSync" | "Progressing" | "Paused" | "Pending" | "Running" | "Suspended"
        | "Warning" | "Terminating" | "not serving" | "rotating" => cell.fg(Color::Yellow),
        "Degraded" | "Missing" | "Denied" | "Failed" | "Error" | "offline" | "lost" | "revoked"
        | "expired" | "disabled" => cell.fg(Color::Red),
        _ => cell,
    }
}
