//! Documents for programs: JSON, YAML, names, templates and custom columns.

use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use serde_json::{Value, json};

use super::{
    clean::escape_json,
    message::{NamedMessage, to_json},
    printing::printing,
    shape::{self, Format, Shape},
    stdout::{document_line, line},
    table::{Cell, Table},
};

/// Custom columns of a stream: later documents have no headings and keep the widths.
static STREAM: Mutex<Option<Table>> = Mutex::new(None);

/// Prints a message as one document.
pub(crate) fn document<M: NamedMessage>(message: &M, format: Format) -> anyhow::Result<()> {
    value(&to_json(message)?, format)
}

/// Prints a message as `print` does for people, or as one document.
pub(crate) fn show<M: NamedMessage>(
    message: &M,
    format: Format,
    print: impl FnOnce(&M) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    match format {
        Format::Table => print(message),
        Format::Json | Format::Yaml => document(message, format),
    }
}

/// Prints a message as one line of JSON, or as one YAML document of a stream.
pub(crate) fn stream_document<M: NamedMessage>(message: &M, format: Format) -> anyhow::Result<()> {
    stream_value(&to_json(message)?, format)
}

/// Prints what became of several objects as one document: that of a single one itself, else the list `results`.
pub(crate) fn results(documents: Vec<Value>, format: Format) -> anyhow::Result<()> {
    match <[Value; 1]>::try_from(documents) {
        Ok([one]) => value(&one, format),
        Err(documents) => value(&json!({ "results": documents }), format),
    }
}

/// Converts a message about an object to JSON that names the object.
pub(crate) fn named<M: NamedMessage>(
    message: &M,
    (runtime, namespace, name): (&str, &str, &str),
) -> anyhow::Result<Value> {
    let mut document = to_json(message)?;
    if let Some(fields) = document.as_object_mut() {
        for (field, value) in [
            ("runtime", runtime),
            ("namespace", namespace),
            ("name", name),
        ] {
            fields.entry(field).or_insert_with(|| json!(value));
        }
    }
    Ok(document)
}

/// Prints JSON as one document.
pub(crate) fn value(value: &Value, format: Format) -> anyhow::Result<()> {
    printing().check()?;
    if let Some(text) = shaped(value)? {
        return print_text(&text);
    }
    match format {
        Format::Yaml => document_line(
            serde_saphyr::to_string(value)
                .context("writing YAML")?
                .trim_end(),
        ),
        Format::Json | Format::Table => {
            let json = serde_json::to_string_pretty(value).context("writing JSON")?;
            document_line(&escape_json(json))
        }
    }
}

/// Prints JSON as one line, or as one YAML document of a stream.
pub(crate) fn stream_value(one: &Value, format: Format) -> anyhow::Result<()> {
    let printing = printing();
    printing.check()?;
    if matches!(
        printing.shape,
        Shape::Name | Shape::Template(_) | Shape::Columns(_)
    ) {
        let Some(object) = shape::watched(one) else {
            return Ok(());
        };
        return print_text(&shaped(object)?.unwrap_or_default());
    }
    if format == Format::Yaml {
        line("---")?;
        return value(one, format);
    }
    let json = serde_json::to_string(one).context("writing JSON")?;
    document_line(&escape_json(json))
}

/// Returns a document in a shape that is not the whole of it.
fn shaped(value: &Value) -> anyhow::Result<Option<String>> {
    Ok(Some(match &printing().shape {
        Shape::Table { .. } | Shape::Json | Shape::Yaml => return Ok(None),
        Shape::Name => shape::names(value).context(
            "what this command prints has no names: use -o json, jsonpath or custom-columns",
        )?,
        Shape::Template(template) => template.fill(value),
        Shape::Columns(columns) => {
            let mut stream = STREAM.lock().unwrap_or_else(PoisonError::into_inner);
            let headings: Vec<_> = columns.iter().map(|it| it.heading.as_str()).collect();
            let table = stream.get_or_insert_with(|| Table::new(&headings));
            for item in shape::items(value) {
                let cells = columns.iter().map(|it| Cell::new(it.text(item)));
                table.row(cells.collect::<Vec<_>>());
            }
            table.page()
        }
    }))
}

/// Prints a text, without an empty line behind one that ends itself.
fn print_text(text: &str) -> anyhow::Result<()> {
    if text.is_empty() {
        return Ok(());
    }
    document_line(text.strip_suffix('\n').unwrap_or(text))
}
