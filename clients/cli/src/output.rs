//! Results for people and programs: tables, JSON, YAML and the shapes of kubectl.

mod arrange;
mod changes;
mod clean;
mod document;
mod list;
mod message;
mod pager;
mod path;
mod printing;
mod progress;
mod shape;
mod state;
mod stdout;
mod table;
mod template;
mod tree;

pub(crate) use self::{
    arrange::Arrangement,
    changes::{Changes, StateLines},
    clean::clean,
    document::{document, named, results, show, stream_document, stream_value, value},
    list::{arranged, arranged_with, list, narrows, one, table, waits_for_all},
    message::{NamedMessage, PageResponse, to_json},
    pager::PagedOutput,
    progress::{Progress, ProgressArgs},
    shape::{Format, Shape},
    stdout::{is_colored, line, note},
    table::{Cell, Columns, Headings, Table},
    tree::{Tree, branch},
};

use self::printing::Printing;

/// Flags of the output.
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

/// Flags of the terminal.
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

impl OutputArgs {
    /// Sets how this process prints. `arrangement` belongs to a command that prints a list.
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
        printing::set(printing).shape.format()
    }
}

#[cfg(test)]
mod tests;
