//! Values of `-o`.

mod name;

use std::{fs, str::FromStr};

use serde_json::Value;

use super::{
    path::{self, Path},
    state,
    template::Template,
};

pub(super) const ALL: &str = "table, wide, json, yaml, name, jsonpath=TEMPLATE, jsonpath-file=FILE, \
    custom-columns=HEADING:PATH,… or custom-columns-file=FILE";
/// Maximum size of a template file.
const LARGEST_FILE: u64 = 64 << 10;

/// What commands tell apart: tables and documents. Only [`super::document`] tells the shapes of documents apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// A document, one per line from a watch
    Json,
    /// YAML
    Yaml,
}

/// Format of a result.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// A table, with the columns of `wide` or without.
    Table {
        wide: bool,
    },
    Json,
    Yaml,
    /// Names that commands accept.
    Name,
    Template(Template),
    Columns(Vec<Column>),
}

/// A custom column.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Column {
    pub(super) heading: String,
    path: Path,
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, rest) = text.split_once('=').unwrap_or((text, ""));
        match (word, rest) {
            ("table", "") => Ok(Self::Table { wide: false }),
            ("wide", "") => Ok(Self::Table { wide: true }),
            ("json", "") => Ok(Self::Json),
            ("yaml", "") => Ok(Self::Yaml),
            ("name", "") => Ok(Self::Name),
            ("jsonpath", "") => {
                Err("give a template, for example jsonpath='{.items[*].name}'".to_owned())
            }
            ("jsonpath", template) => parse_template(template),
            ("jsonpath-file", file) => parse_template(read(file)?.trim_end_matches('\n')),
            ("custom-columns", columns) => parse_columns(columns),
            ("custom-columns-file", file) => parse_columns_file(&read(file)?),
            _ => Err(format!("one of {ALL}")),
        }
    }
}

fn parse_template(template: &str) -> Result<Shape, String> {
    let template = template.parse::<Template>();
    template
        .map(Shape::Template)
        .map_err(|error| error.to_string())
}

fn read(file: &str) -> Result<String, String> {
    let size = fs::metadata(file).map(|it| it.len());
    match size.map_err(|error| format!("cannot read '{file}': {error}"))? {
        ..=LARGEST_FILE => {
            fs::read_to_string(file).map_err(|error| format!("cannot read '{file}': {error}"))
        }
        _ => Err(format!("'{file}' is larger than {LARGEST_FILE} bytes")),
    }
}

fn parse_columns(text: &str) -> Result<Shape, String> {
    let column = |text: &str| {
        let (heading, path) = text
            .split_once(':')
            .ok_or_else(|| format!("'{text}' is not HEADING:PATH"))?;
        column(heading, path)
    };
    let columns = text.split(',').map(column);
    columns.collect::<Result<_, _>>().map(Shape::Columns)
}

/// Parses a line of headings and a line of paths.
fn parse_columns_file(text: &str) -> Result<Shape, String> {
    let mut lines = text
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>());
    let (headings, paths) = (
        lines.next().unwrap_or_default(),
        lines.next().unwrap_or_default(),
    );
    if headings.is_empty() || headings.len() != paths.len() {
        return Err("the file holds one line of headings and one of as many paths".to_owned());
    }
    let columns = headings.into_iter().zip(paths);
    let columns = columns.map(|(heading, path)| column(heading, path));
    columns.collect::<Result<_, _>>().map(Shape::Columns)
}

fn column(heading: &str, path: &str) -> Result<Column, String> {
    Ok(Column {
        heading: heading.to_owned(),
        path: Path::relaxed(path).map_err(|error| error.to_string())?,
    })
}

impl Column {
    /// Returns the text of an item, with states in the words of tables.
    pub(super) fn text(&self, item: &Value) -> String {
        let found = self.path.select(item, item);
        let found: Vec<_> = found.into_iter().map(state::text).collect();
        if found.is_empty() {
            "<none>".to_owned()
        } else {
            found.join(",")
        }
    }
}

impl Shape {
    /// Returns the format that commands distinguish.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Table { .. } => Format::Table,
            Self::Yaml => Format::Yaml,
            Self::Json | Self::Name | Self::Template(_) | Self::Columns(_) => Format::Json,
        }
    }
}

/// Returns the names of a document's items, one per line; none if they have no names.
pub(super) fn names(document: &Value) -> Option<String> {
    let names: Option<Vec<_>> = items(document).into_iter().map(name::full_name).collect();
    names.map(|names| names.join("\n"))
}

/// Returns the items of a list, or the document itself.
pub(super) fn items(document: &Value) -> Vec<&Value> {
    let empty = document.as_object().is_some_and(serde_json::Map::is_empty);
    if empty {
        return Vec::new();
    }
    if name::full_name(document).is_some() {
        return vec![document];
    }
    match path::items(document, document).and_then(Value::as_array) {
        Some(items) => items.iter().collect(),
        None => vec![document],
    }
}

/// Returns the object of a watch response; none for a bookmark.
pub(super) fn watched(response: &Value) -> Option<&Value> {
    let event = ["updated", "deleted"]
        .into_iter()
        .find_map(|it| response.get(it));
    let other = response.get("bookmark").is_none().then_some(response);
    event.or(other)
}

#[cfg(test)]
mod tests;
