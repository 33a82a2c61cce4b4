//! What commands print: tables for people, JSON and YAML for programs, one line for an error.

use std::io::{self, Write as _};

use anstream::AutoStream;
use anyhow::Context as _;
use comfy_table::{Cell, Color, ContentArrangement, Table, presets};
use prost::Message;
use prost_reflect::{DynamicMessage, SerializeOptions};
use serde_json::Value;

/// How to print a result.
#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// One JSON document, or one per line from a watch
    Json,
    /// YAML
    Yaml,
}

/// The flag that every command has.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct OutputArgs {
    /// How to print the result
    #[arg(
        short,
        long,
        global = true,
        value_enum,
        default_value = "table",
        env = "CAUSEWAY_OUTPUT"
    )]
    pub(crate) output: Format,
}

/// Prints a line; a reader that went away ends the command in silence, as in every Unix tool.
pub(crate) fn line(text: impl AsRef<str>) -> anyhow::Result<()> {
    writeln!(AutoStream::auto(io::stdout()), "{}", text.as_ref()).context("cannot write the result")
}

/// Prints a line on stderr: progress and advice, never a result.
pub(crate) fn note(text: impl AsRef<str>) {
    // Nothing is left to be told to if stderr is gone.
    let _ = writeln!(AutoStream::auto(io::stderr()), "{}", text.as_ref());
}

/// Prints a message as one document in the format of programs.
pub(crate) fn document<M: Message>(name: &str, message: &M, format: Format) -> anyhow::Result<()> {
    value(&to_json(name, message)?, format)
}

/// Prints JSON as one document in the format of programs.
pub(crate) fn value(value: &Value, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Yaml => line(
            serde_saphyr::to_string(value)
                .context("writing YAML")?
                .trim_end(),
        ),
        Format::Json | Format::Table => {
            line(serde_json::to_string_pretty(value).context("writing JSON")?)
        }
    }
}

/// Prints a message as one line of JSON, or as one YAML document of a stream.
pub(crate) fn stream_document<M: Message>(
    name: &str,
    message: &M,
    format: Format,
) -> anyhow::Result<()> {
    stream_value(&to_json(name, message)?, format)
}

/// The same of JSON.
pub(crate) fn stream_value(one: &Value, format: Format) -> anyhow::Result<()> {
    if format == Format::Yaml {
        line("---")?;
        return value(one, format);
    }
    line(serde_json::to_string(one).context("writing JSON")?)
}

/// A message as JSON.
pub(crate) fn to_json<M: Message>(name: &str, message: &M) -> anyhow::Result<Value> {
    let descriptor = causeway_proto::descriptor_pool()
        .get_message_by_name(name)
        .with_context(|| format!("the contract has no {name}"))?;
    let dynamic = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice())
        .context("reading a message by its descriptor")?;
    let options = SerializeOptions::new().skip_default_fields(true);
    dynamic
        .serialize_with_options(serde_json::value::Serializer, &options)
        .context("writing JSON")
}

/// Columns without borders, as kubectl prints them.
pub(crate) struct Columns(Table);

impl Columns {
    /// Begins with the headings.
    pub(crate) fn new(headings: &[&str]) -> Self {
        let mut columns = Self::plain();
        columns.0.set_header(headings.iter().map(Cell::new));
        columns
    }

    /// Without headings: names and values.
    pub(crate) fn plain() -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        table.enforce_styling();
        table.set_content_arrangement(ContentArrangement::Disabled);
        Self(table)
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<Cell>) {
        self.0.add_row(cells);
    }

    /// Prints all.
    pub(crate) fn print(self) -> anyhow::Result<()> {
        line(self.text())
    }

    /// All, as it is printed.
    pub(crate) fn text(mut self) -> String {
        for column in self.0.column_iter_mut() {
            column.set_padding((0, 3));
        }
        let text = self.0.to_string();
        let lines: Vec<_> = text.lines().map(without_trailing_space).collect();
        lines.join("\n")
    }
}

/// Drops the padding of a last cell, also where a code that ends its colour follows.
fn without_trailing_space(line: &str) -> String {
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

#[cfg(test)]
mod tests;
