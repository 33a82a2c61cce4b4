//! New text: scalars in the style of their place, keys, and whole collections.

use crate::{Value, change::Literals, document::Style, resolve};

/// Where a new value is written.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place<'a> {
    /// Spaces before the structure that the value belongs to.
    pub(crate) indent: usize,
    pub(crate) newline: &'a str,
    pub(crate) syntax: Syntax,
    pub(crate) literals: Literals,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Syntax {
    Block,
    Flow,
    Json,
}

impl Place<'_> {
    fn deeper(self) -> Self {
        Self {
            indent: self.indent + 2,
            ..self
        }
    }

    fn line(self) -> String {
        format!("{}{}", self.newline, " ".repeat(self.indent))
    }
}

/// The text behind `key:` or `-`, with the blank or line break before it.
pub(crate) fn after_colon(value: &Value, place: Place<'_>) -> String {
    match value {
        Value::Map(entries) if place.syntax == Syntax::Block && !entries.is_empty() => {
            let place = place.deeper();
            format!("{}{}", place.line(), map_lines(entries, place))
        }
        Value::List(items) if place.syntax == Syntax::Block && !items.is_empty() => {
            let place = place.deeper();
            format!("{}{}", place.line(), list_lines(items, place))
        }
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_) => format!(" {}", inline(value, None, place)),
    }
}

/// The text behind the dash of an item at `place`.
pub(crate) fn after_dash(value: &Value, place: Place<'_>) -> String {
    let inside = place.deeper();
    match value {
        Value::Map(entries) if !entries.is_empty() => format!(" {}", map_lines(entries, inside)),
        Value::List(items) if !items.is_empty() => format!(" {}", list_lines(items, inside)),
        Value::Null
        | Value::Bool(_)
        | Value::Number(_)
        | Value::String(_)
        | Value::List(_)
        | Value::Map(_) => format!(" {}", inline(value, None, place)),
    }
}

pub(crate) fn map_lines(entries: &[(String, Value)], place: Place<'_>) -> String {
    let lines = entries
        .iter()
        .map(|(name, value)| entry(name, value, place));
    lines.collect::<Vec<_>>().join(&place.line())
}

fn list_lines(items: &[Value], place: Place<'_>) -> String {
    let lines = items
        .iter()
        .map(|item| format!("-{}", after_dash(item, place)));
    lines.collect::<Vec<_>>().join(&place.line())
}

/// `key: value`.
pub(crate) fn entry(name: &str, value: &Value, place: Place<'_>) -> String {
    format!("{}:{}", key(name, place.syntax), after_colon(value, place))
}

fn key(name: &str, syntax: Syntax) -> String {
    if syntax != Syntax::Json && is_plain(name, Syntax::Flow) {
        name.to_owned()
    } else {
        double_quoted(name)
    }
}

/// A value on one line, or a block scalar. `style` is that of the scalar that it replaces.
pub(crate) fn inline(value: &Value, style: Option<Style>, place: Place<'_>) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => {
            value.scalar().unwrap_or_default().to_owned()
        }
        Value::String(text) => string(text, style, place),
        Value::List(items) => {
            let items = items.iter().map(|item| inline(item, None, flow(place)));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Value::Map(entries) => {
            let entries = entries
                .iter()
                .map(|(name, value)| entry(name, value, flow(place)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn flow(place: Place<'_>) -> Place<'_> {
    match place.syntax {
        Syntax::Block => Place {
            syntax: Syntax::Flow,
            ..place
        },
        Syntax::Flow | Syntax::Json => place,
    }
}

fn string(text: &str, style: Option<Style>, place: Place<'_>) -> String {
    if place.syntax == Syntax::Json {
        return double_quoted(text);
    }
    let is_block = style == Some(Style::Block) || text.contains('\n');
    let has_room = place.syntax == Syntax::Block && place.literals == Literals::Block;
    if has_room && is_block && is_literal(text) {
        return literal(text, place);
    }
    match style {
        Some(Style::Double) => double_quoted(text),
        Some(Style::Single) if is_printable(text) => format!("'{}'", text.replace('\'', "''")),
        _ if is_plain(text, place.syntax) => text.to_owned(),
        _ => double_quoted(text),
    }
}

/// JSON's form, which YAML reads the same way.
pub(crate) fn double_quoted(text: &str) -> String {
    let mut quoted = String::from('"');
    for letter in text.chars() {
        match letter {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            _ if needs_escape(letter) => quoted.push_str(&escaped(letter)),
            _ => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}

/// Control characters, other line breaks and the byte order mark.
fn needs_escape(letter: char) -> bool {
    letter.is_control()
        || ['\u{2028}', '\u{2029}', '\u{feff}', '\u{fffe}', '\u{ffff}'].contains(&letter)
}

fn escaped(letter: char) -> String {
    format!("\\u{:04x}", u32::from(letter))
}

fn is_printable(text: &str) -> bool {
    !text.chars().any(needs_escape)
}

/// Whether a literal block scalar can hold the text.
fn is_literal(text: &str) -> bool {
    let body = text.replace('\n', "");
    let starts = text.starts_with([' ', '\n', '\t']);
    !body.is_empty() && !starts && is_printable(&body.replace('\t', ""))
}

fn literal(text: &str, place: Place<'_>) -> String {
    let body = text.trim_end_matches('\n');
    let chomping = match text.len() - body.len() {
        0 => "-",
        1 => "",
        _ => "+",
    };
    let lines = body
        .split('\n')
        .chain(text[body.len()..].split('\n').skip(2));
    let line = place.deeper().line();
    let lines = lines.map(|content| match content {
        "" => place.newline.to_owned(),
        content => format!("{line}{content}"),
    });
    format!("|{chomping}{}", lines.collect::<String>())
}

/// Whether the text can stand without quotes and still be a string.
fn is_plain(text: &str, syntax: Syntax) -> bool {
    let first = text.chars().next();
    let starts = first.is_some_and(|it| it.is_alphanumeric() || "_/.".contains(it));
    let allowed = |c: char| c.is_alphanumeric() || " _-./:@+=,()%~^$;#*!?&<>|[]{}'\"\\".contains(c);
    let is_flow = syntax != Syntax::Block && text.contains([',', '[', ']', '{', '}']);
    starts
        && text.chars().all(allowed)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.ends_with([' ', ':'])
        && !is_flow
        && !text.starts_with("...")
        && is_printable(text)
        && resolve::is_string(text)
}
