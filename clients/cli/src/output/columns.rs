//! Columns without borders, as kubectl prints them.

use comfy_table::{Cell, Color, ColumnConstraint, ContentArrangement, Table, presets};

use super::{Shape, Sheet, printing};

/// A table that is printed at once.
pub(crate) struct Columns {
    table: Table,
    headings: Vec<String>,
    /// How many columns there are without those that only `-o wide` shows.
    narrow: usize,
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
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.table.add_row(cells);
    }

    /// Prints all.
    pub(crate) fn print(self) -> anyhow::Result<()> {
        printing().check()?;
        let mut sheet = Sheet::open();
        sheet.write(&self.text())?;
        sheet.close()
    }

    /// All, as it is printed.
    pub(crate) fn text(self) -> String {
        let mut table = self.table;
        if printing().headings && !self.headings.is_empty() {
            table.set_header(self.headings);
        }
        let wide = matches!(printing().shape, Shape::Table { wide: true });
        for (index, column) in table.column_iter_mut().enumerate() {
            column.set_padding((0, 3));
            if index >= self.narrow && !wide {
                column.set_constraint(ColumnConstraint::Hidden);
            }
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

/// A cell in the colour of a state.
pub(crate) fn state_cell(text: &str) -> Cell {
    let cell = Cell::new(text);
    match color_of(text) {
        GREEN => cell.fg(Color::Green),
        YELLOW => cell.fg(Color::Yellow),
        RED => cell.fg(Color::Red),
        _ => cell,
    }
}

const GREEN: &str = "\u{1b}[38;5;10m";
const YELLOW: &str = "\u{1b}[38;5;11m";
const RED: &str = "\u{1b}[38;5;9m";

/// The code of the colour of a state: green for good, yellow for on its way, red for bad, nothing for what is none of these.
pub(super) fn color_of(text: &str) -> &'static str {
    match text {
        "ok" | "Synced" | "Healthy" | "Succeeded" | "Successful" | "online" | "reporting"
        | "serving" | "good" | "enabled" => GREEN,
        "warn" | "unknown" | "OutOfSync" | "Progressing" | "Paused" | "Pending" | "Running"
        | "Suspended" | "Warning" | "Terminating" | "not serving" | "rotating" => YELLOW,
        "fail" | "Degraded" | "Missing" | "Denied" | "Failed" | "Error" | "offline" | "lost"
        | "revoked" | "expired" | "disabled" => RED,
        _ => "",
    }
}
