//! What commands print: tables for people, JSON, YAML and the shapes of kubectl for programs, one line for an error.

mod arrange;
mod changes;
mod columns;
mod message;
mod pager;
mod path;
mod progress;
mod shape;
mod state;
mod table;
mod template;

use std::{
    io::{self, Write as _},
    sync::{
        Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use anstream::AutoStream;
use anyhow::{Context as _, bail};
use prost_reflect::{DynamicMessage, SerializeOptions};
use serde_json::Value;

pub(crate) use self::{
    arrange::Arrangement,
    changes::{Changes, StateLines},
    columns::{Columns, Headings, list, one, table},
    message::{ListResponse, NamedMessage, PageResponse},
    pager::Sheet,
    progress::{Progress, ProgressArgs},
    shape::Shape,
    table::{Cell, Table},
};

/// What a command is to print. The shapes of a document are told apart where it is printed, and nowhere else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// Columns for people
    Table,
    /// A document, one per line from a watch
    Json,
    /// YAML
    Yaml,
}

/// The flags that say how a command prints.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct OutputArgs {
    /// How to print the result: table, wide, json, yaml, name, jsonpath=TEMPLATE, jsonpath-file=FILE, custom-columns=HEADING:PATH,… or custom-columns-file=FILE. States are the contract's in JSON, YAML and jsonpath (HEALTH_STATUS_HEALTHY), and in columns the words of tables (Healthy); --field-selector takes both
    #[arg(
        short,
        long,
        global = true,
        value_name = "FORMAT",
        default_value = "table",
        env = "CAUSEWAY_OUTPUT"
    )]
    output: Shape,
    /// Print tables without headers
    #[arg(long, global = true)]
    no_headers: bool,
    #[command(flatten)]
    screen: ScreenArgs,
}

/// The flags that say what a terminal gets.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ScreenArgs {
    /// Print colours; auto does on a terminal unless NO_COLOR is set
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        env = "CAUSEWAY_COLOR"
    )]
    color: Color,
    /// Pager for long tables; PAGER or less by default
    #[arg(long, global = true, value_name = "COMMAND", env = "CAUSEWAY_PAGER")]
    pager: Option<String>,
    /// Do not use a pager
    #[arg(long, global = true)]
    no_pager: bool,
    #[command(flatten)]
    progress: ProgressArgs,
}

#[derive(clap::ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum Color {
    Auto,
    Always,
    Never,
}

/// How this process prints, chosen once before its command runs.
static PRINTING: OnceLock<Printing> = OnceLock::new();

struct Printing {
    shape: Shape,
    headings: bool,
    /// The program that pages; none to print at once.
    pager: Option<String>,
    arrangement: Arrangement,
    /// Whether the command has a list that was arranged.
    arranged: AtomicBool,
    /// The columns of a stream, which keep the widths that they once had.
    stream: Mutex<Option<Table>>,
}

impl OutputArgs {
    /// Makes it how this process prints. `arrangement` is of a command that prints a list.
    pub(crate) fn begin(&self, arrangement: Arrangement) -> Format {
        self.screen
            .begin_as(self.output.clone(), self.no_headers, arrangement)
    }
}

impl ScreenArgs {
    fn begin_as(&self, shape: Shape, no_headers: bool, arrangement: Arrangement) -> Format {
        match self.color {
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        }
        .write_global();
        self.progress.begin();
        let printing = Printing {
            headings: !no_headers,
            pager: pager::program(self.pager.as_deref()).filter(|_| !self.no_pager),
            ..Printing::new(shape, arrangement)
        };
        PRINTING.get_or_init(|| printing).shape.format()
    }
}

impl Printing {
    fn new(shape: Shape, arrangement: Arrangement) -> Self {
        Self {
            shape,
            headings: true,
            pager: None,
            arrangement,
            arranged: AtomicBool::new(false),
            stream: Mutex::new(None),
        }
    }

    /// Fails where flags would arrange what no list is.
    fn check(&self) -> anyhow::Result<()> {
        if !self.arrangement.is_none() && !self.arranged.load(Ordering::Relaxed) {
            bail!("--field-selector and --sort-by do nothing to this table: try -o json");
        }
        Ok(())
    }

    /// A document in a shape of its own, without headings where a stream has had them; none where it is printed whole.
    fn shaped(&self, value: &Value) -> anyhow::Result<Option<String>> {
        Ok(Some(match &self.shape {
            Shape::Table { .. } | Shape::Json | Shape::Yaml => return Ok(None),
            Shape::Name => shape::names(value).context(
                "what this command prints has no names: use -o json, jsonpath or custom-columns",
            )?,
            Shape::Template(template) => template.fill(value),
            Shape::Columns(columns) => {
                let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
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
}

fn printing() -> &'static Printing {
    PRINTING.get_or_init(|| Printing::new(Shape::Table { wide: false }, Arrangement::default()))
}

/// Prints a line; a reader that went away ends the command in silence, as in every Unix tool.
pub(crate) fn line(text: impl AsRef<str>) -> anyhow::Result<()> {
    let print = || writeln!(AutoStream::auto(io::stdout()), "{}", text.as_ref());
    progress::above(print).context("cannot write the result")
}

/// Whether colours are seen on stdout.
pub(crate) fn is_colored() -> bool {
    AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
}

/// Prints a line on stderr: progress and advice, never a result.
pub(crate) fn note(text: impl AsRef<str>) {
    // Nothing is left to be told to if stderr is gone.
    let _ = progress::above(|| writeln!(AutoStream::auto(io::stderr()), "{}", text.as_ref()));
}

/// Whether what goes to the terminal may have colours.
pub(crate) fn wants_colors() -> bool {
    AutoStream::choice(&io::stdout()) != anstream::ColorChoice::Never
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
    printing.arranged.store(true, Ordering::Relaxed);
    let values = printing.arrangement.apply(response.items_mut(), values)?;
    Ok((response, values))
}

/// Whether a list has to be there as a whole before any of it can be printed.
pub(crate) fn waits_for_all() -> bool {
    printing().arrangement.sorts()
}

/// Whether some of a list may be left out of what is printed.
pub(crate) fn narrows() -> bool {
    printing().arrangement.narrows()
}

/// Prints a message as one document in the format of programs.
pub(crate) fn document<M: NamedMessage>(message: &M, format: Format) -> anyhow::Result<()> {
    value(&to_json(message)?, format)
}

/// Prints JSON as one document in the format of programs.
pub(crate) fn value(value: &Value, format: Format) -> anyhow::Result<()> {
    let printing = printing();
    printing.check()?;
    if let Some(text) = printing.shaped(value)? {
        return ended(&text);
    }
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

/// Prints a text as a line; nothing for none, and no empty line behind one that ends itself.
fn ended(text: &str) -> anyhow::Result<()> {
    match text.strip_suffix('\n').unwrap_or(text) {
        "" if text.is_empty() => Ok(()),
        text => line(text),
    }
}

/// Prints a message as one line of JSON, or as one YAML document of a stream.
pub(crate) fn stream_document<M: NamedMessage>(message: &M, format: Format) -> anyhow::Result<()> {
    stream_value(&to_json(message)?, format)
}

/// The same of JSON.
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
        return ended(&printing.shaped(object)?.unwrap_or_default());
    }
    if format == Format::Yaml {
        line("---")?;
        return value(one, format);
    }
    line(serde_json::to_string(one).context("writing JSON")?)
}

/// Converts a message to JSON.
pub(crate) fn to_json<M: NamedMessage>(message: &M) -> anyhow::Result<Value> {
    let descriptor = causeway_proto::descriptor_pool()
        .get_message_by_name(M::NAME)
        .with_context(|| format!("the contract has no {}", M::NAME))?;
    let message = DynamicMessage::decode(descriptor, message.encode_to_vec().as_slice())
        .context("reading a message by its descriptor")?;
    let options = SerializeOptions::new().skip_default_fields(true);
    message
        .serialize_with_options(serde_json::value::Serializer, &options)
        .context("writing JSON")
}

#[cfg(test)]
mod tests;
