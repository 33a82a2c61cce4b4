//! Spans of statements within a trace: operation and table, never the text. They have the level `debug` of this crate, so they
//! cost nothing unless traces are exported.

use opentelemetry::{Context, trace::TraceContextExt as _};
use tracing::{Instrument as _, Span, field::Empty};

use crate::Error;

/// Database system of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum System {
    Sqlite,
    Postgres,
}

/// Operation and first table of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Summary<'sql> {
    operation: &'sql str,
    table: &'sql str,
}

impl<'sql> Summary<'sql> {
    fn of(sql: &'sql str) -> Self {
        let separates = |letter: char| !(letter.is_ascii_alphanumeric() || letter == '_');
        let mut words = sql.split(separates).filter(|word| !word.is_empty());
        let operation = words.next().unwrap_or_default();
        let names = |word: &str| {
            let names = ["FROM", "INTO", "UPDATE"];
            names.iter().any(|it| word.eq_ignore_ascii_case(it))
        };
        let table = if names(operation) {
            words.next()
        } else {
            words.find(|word| names(word)).and_then(|_| words.next())
        };
        Self {
            operation,
            table: table.unwrap_or_default(),
        }
    }
}

/// Creates the span of a statement; disabled if it would not be exported.
pub(crate) fn span(system: System, sql: &str) -> Span {
    // Not `span_enabled!`: when it asks about a span that is not created, per-layer filters drop the next log line.
    let recorded = Context::map_current(|here| here.span().span_context().is_sampled());
    if !recorded {
        return Span::none();
    }
    let Summary { operation, table } = Summary::of(sql);
    let system = match system {
        System::Sqlite => "sqlite",
        System::Postgres => "postgresql",
    };
    tracing::debug_span!(
        "sql",
        otel.name = format!("{operation} {table}").trim_end(),
        otel.kind = "client",
        otel.status_code = Empty,
        db.system.name = system,
        db.operation.name = operation,
        db.collection.name = table,
    )
}

/// Runs a statement in its span.
pub(crate) async fn traced<T>(
    span: Span,
    running: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let done = running.instrument(span.clone()).await;
    if done.is_err() {
        span.record("otel.status_code", "ERROR");
    }
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verb_and_first_table_name_a_statement() {
        let cases = [
            (
                "SELECT * FROM runtimes WHERE account = $1",
                "SELECT",
                "runtimes",
            ),
            ("INSERT INTO event(account) VALUES ($1)", "INSERT", "event"),
            (
                "\n  UPDATE sessions SET last_seen_at = $1",
                "UPDATE",
                "sessions",
            ),
            ("DELETE FROM api_keys", "DELETE", "api_keys"),
            (
                "WITH live AS (SELECT 1 FROM application) SELECT 1 FROM live",
                "WITH",
                "application",
            ),
            ("SELECT pg_notify('secret', $1)", "SELECT", ""),
            ("COMMIT", "COMMIT", ""),
        ];
        for (sql, operation, table) in cases {
            assert_eq!(Summary::of(sql), Summary { operation, table }, "{sql}");
        }
    }
}
