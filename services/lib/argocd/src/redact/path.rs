//! Field paths in rules: `spec.containers[*].env[name=X].value`.

use std::str::FromStr;

use serde_json::{Map, Value};

const MAX_STEPS: usize = 32;

/// Path of a field in an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Path(Vec<Step>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    AnyKey,
    Index(usize),
    AnyIndex,
    /// Entries of a list whose field has this value.
    Where(String, String),
}

/// Syntax error of a path, with its position.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("at character {at}: {problem}")]
pub(super) struct PathError {
    at: usize,
    problem: &'static str,
}

impl Path {
    /// Returns true if the path selects at most one field.
    pub(super) fn is_exact(&self) -> bool {
        let exact = |step: &Step| matches!(step, Step::Key(_) | Step::Index(_));
        self.0.iter().all(exact)
    }

    /// Calls `found` with each selected value.
    pub(super) fn visit(&self, object: &mut Map<String, Value>, found: &mut dyn FnMut(&mut Value)) {
        let mut root = Value::Object(std::mem::take(object));
        visit(&self.0, &mut root, found);
        if let Value::Object(map) = root {
            *object = map;
        }
    }
}

fn visit(steps: &[Step], value: &mut Value, found: &mut dyn FnMut(&mut Value)) {
    let Some((step, rest)) = steps.split_first() else {
        found(value);
        return;
    };
    match (step, value) {
        (Step::Key(key), Value::Object(map)) => {
            if let Some(value) = map.get_mut(key) {
                visit(rest, value, found);
            }
        }
        (Step::AnyKey, Value::Object(map)) => {
            map.values_mut().for_each(|value| visit(rest, value, found));
        }
        (Step::Index(index), Value::Array(list)) => {
            if let Some(value) = list.get_mut(*index) {
                visit(rest, value, found);
            }
        }
        (Step::AnyIndex, Value::Array(list)) => {
            list.iter_mut().for_each(|value| visit(rest, value, found));
        }
        (Step::Where(field, expected), Value::Array(list)) => {
            let with =
                |value: &&mut Value| value.get(field).and_then(Value::as_str) == Some(expected);
            let with = list.iter_mut().filter(with);
            with.for_each(|value| visit(rest, value, found));
        }
        _ => {}
    }
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let mut steps = Vec::new();
        let mut rest = text;
        let problem = |rest: &str, problem| PathError {
            at: text.len() - rest.len() + 1,
            problem,
        };
        while !rest.is_empty() {
            let (step, taken) = match rest.strip_prefix('[') {
                Some(inside) => parse_bracket(inside).map(|(step, taken)| (step, taken + 1)),
                None => parse_key(rest),
            }
            .map_err(|error| problem(rest, error))?;
            steps.push(step);
            rest = &rest[taken..];
            if let Some(after) = rest.strip_prefix('.') {
                if after.is_empty() || after.starts_with(['.', '[']) {
                    return Err(problem(after, "a field must follow the dot"));
                }
                rest = after;
            } else if !rest.is_empty() && !rest.starts_with('[') {
                return Err(problem(rest, "a dot or '[' must follow ']'"));
            }
        }
        match steps.len() {
            0 => Err(problem(
                rest,
                "it is empty: name a field, for example spec.password",
            )),
            1..=MAX_STEPS => Ok(Self(steps)),
            _ => Err(problem(rest, "it has more than 32 steps")),
        }
    }
}

fn parse_key(text: &str) -> Result<(Step, usize), &'static str> {
    let end = text.find(['.', '[', ']']).unwrap_or(text.len());
    match &text[..end] {
        "" => Err("a field must stand here, for example spec"),
        "*" => Ok((Step::AnyKey, end)),
        name if name.contains(char::is_whitespace) || name.contains('*') => {
            Err("a field with blanks or wildcards in it is written ['…']")
        }
        name => Ok((Step::Key(name.to_owned()), end)),
    }
}

/// Parses the text after `[`, including its `]`.
fn parse_bracket(text: &str) -> Result<(Step, usize), &'static str> {
    if let Some(quote) = text.chars().next().filter(|first| "'\"".contains(*first)) {
        let inside = &text[1..];
        let end = inside.find(quote).ok_or("the quote does not end")?;
        let closed = inside[end + 1..].starts_with(']');
        let step = Step::Key(inside[..end].to_owned());
        return closed
            .then_some((step, end + 3))
            .ok_or("']' must follow the quote");
    }
    let end = text.find(']').ok_or("']' is missing")?;
    let inside = &text[..end];
    let step = match (inside, inside.split_once('=')) {
        ("*", _) => Step::AnyIndex,
        (_, Some((field, value))) if !field.is_empty() && !value.is_empty() => {
            Step::Where(field.to_owned(), value.to_owned())
        }
        (number, _) => Step::Index(
            number
                .parse()
                .map_err(|_| "in brackets stands *, a number, name=value or a key in quotes")?,
        ),
    };
    Ok((step, end + 1))
}

#[cfg(test)]
mod tests;
