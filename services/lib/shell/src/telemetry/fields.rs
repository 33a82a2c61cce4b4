//! Field formatter of text logs; omits fields that only traces need.

use std::fmt::{self, Write as _};

use tracing::field::{Field, Visit};
use tracing_subscriber::{
    field::RecordFields,
    fmt::{FormatFields, format::Writer},
};

use super::{line::here, plain::Plain};

const ONLY_IN_TRACES: [&str; 7] = [
    "otel.",
    "rpc.system",
    "rpc.service",
    "server.",
    "http.",
    "db.",
    "k8s.",
];

/// `message key=value key=value trace_id=value`, the last where there is a trace; fields of spans have no message and none of it.
pub(super) struct ForPeople;

impl<'writer> FormatFields<'writer> for ForPeople {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        let mut line = Line {
            writer,
            empty: true,
            said: false,
            end: Ok(()),
        };
        fields.record(&mut line);
        line.end?;
        match here().filter(|_| line.said) {
            Some(here) => write!(line.writer, " trace_id={}", here.trace_id()),
            None => Ok(()),
        }
    }
}

struct Line<'writer> {
    writer: Writer<'writer>,
    empty: bool,
    /// Whether there was a message, as events have and spans have not.
    said: bool,
    end: fmt::Result,
}

impl Line<'_> {
    fn write(&mut self, field: &Field, value: fmt::Arguments<'_>) -> fmt::Result {
        if !std::mem::take(&mut self.empty) {
            self.writer.write_char(' ')?;
        }
        match field.name() {
            "message" => {
                self.said = true;
                Plain::new(&mut self.writer).write_fmt(value)
            }
            // Of our own making, and of many lines.
            "backtrace" => write!(self.writer, "backtrace={value}"),
            name => {
                write!(self.writer, "{name}=")?;
                Plain::new(&mut self.writer).write_fmt(value)
            }
        }
    }

    fn record(&mut self, field: &Field, value: fmt::Arguments<'_>) {
        let hidden = ONLY_IN_TRACES
            .iter()
            .any(|prefix| field.name().starts_with(prefix));
        if !hidden && self.end.is_ok() {
            self.end = self.write(field, value);
        }
    }
}

impl Visit for Line<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        self.record(field, format_args!("{value:?}"));
    }

    /// In quotes only where it has spaces or is empty, so that names and numbers read plainly.
    fn record_str(&mut self, field: &Field, value: &str) {
        let plain = !value.is_empty() && !value.contains(char::is_whitespace);
        if plain || field.name() == "message" {
            self.record(field, format_args!("{value}"));
        } else {
            self.record(field, format_args!("{value:?}"));
        }
    }
}
