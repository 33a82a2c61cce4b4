//! The shapes of `-o`.

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
/// The largest file that a shape is read from.
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

/// How a result is printed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Shape {
    /// Columns for people; with those that only `wide` shows, or without.
    Table {
        wide: bool,
    },
    Json,
    Yaml,
    /// By the names that commands take.
    Name,
    Template(Template),
    Columns(Vec<Column>),
}

/// A column of one's own.
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
            ("jsonpath", template) => filled_by(template),
            ("jsonpath-file", file) => filled_by(read(file)?.trim_end_matches('\n')),
            ("custom-columns", columns) => columns_of(columns),
            ("custom-columns-file", file) => columns_of_lines(&read(file)?),
            _ => Err(format!("one of {ALL}")),
        }
    }
}

fn filled_by(template: &str) -> Result<Shape, String> {
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

fn columns_of(text: &str) -> Result<Shape, String> {
    let column = |text: &str| {
        let (heading, path) = text
            .split_once(':')
            .ok_or_else(|| format!("'{text}' is not HEADING:PATH"))?;
        column(heading, path)
    };
    let columns = text.split(',').map(column);
    columns.collect::<Result<_, _>>().map(Shape::Columns)
}

/// A line of headings and a line of paths.
fn columns_of_lines(text: &str) -> Result<Shape, String> {
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
    /// What it shows of an item: states in the words of tables, since columns are for people.
    pub(super) fn text(&self, item: &Value) -> String {
        let found = self.path.select(item, item);
        let found: Vec<_> = found.into_iter().map(state::text).collect();
        match found.is_empty() {
            true => "<none>".to_owned(),
            false => found.join(","),
        }
    }
}

impl Shape {
    /// What commands tell apart: whether a table is to be printed or a document.
    pub(crate) fn format(&self) -> Format {
        match self {
            Self::Table { .. } => Format::Table,
            Self::Yaml => Format::Yaml,
            Self::Json | Self::Name | Self::Template(_) | Self::Columns(_) => Format::Json,
        }
    }
}

/// The names of a document's items, each on a line; none where they have none.
pub(super) fn names(document: &Value) -> Option<String> {
    let names: Option<Vec<_>> = items(document).into_iter().map(name::of).collect();
    names.map(|names| names.join("\n"))
}

/// The items of a list, or else the document itself.
pub(super) fn items(document: &Value) -> Vec<&Value> {
    let empty = document.as_object().is_some_and(serde_json::Map::is_empty);
    if empty {
        return Vec::new();
    }
    if name::of(document).is_some() {
        return vec![document];
    }
    match path::items(document, document).and_then(Value::as_array) {
        Some(items) => items.iter().collect(),
        None => vec![document],
    }
}

/// The object of one response of a watch; none of a response that tells of none.
pub(super) fn watched(response: &Value) -> Option<&Value> {
    let event = ["updated", "deleted"]
        .into_iter()
        .find_map(|it| response.get(it));
    let other = response.get("bookmark").is_none().then_some(response);
    event.or(other)
}

#[cfg(test)]
mod tests;
