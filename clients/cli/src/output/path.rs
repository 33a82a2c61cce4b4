//! JSON paths in kubectl's dialect: `.items[*].name`, `['a','b']`, `[-1]`, `[0:2]`, `..name`,
//! `[?(@.health=="Degraded")]`, `.labels.app\.kubernetes\.io/name`.

pub(super) mod read;

use std::cmp::Ordering;

use serde_json::Value;

/// A path from a document to some of its values.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Path {
    root: Root,
    steps: Vec<Step>,
}

/// Start of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Root {
    /// `$`: the whole document.
    Document,
    /// `@`, or nothing: the current value.
    Current,
}

#[derive(Debug, Clone, PartialEq)]
enum Step {
    /// Any of these fields.
    Fields(Vec<String>),
    /// These indices of a list, from its end if negative.
    Indices(Vec<i64>),
    Slice(Slice),
    /// Every field or entry.
    All,
    /// The value and all its descendants.
    Descendants,
    /// The entries of a list that match a condition.
    Filter(Condition),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    start: Option<i64>,
    end: Option<i64>,
    step: usize,
}

#[derive(Debug, Clone, PartialEq)]
struct Condition {
    left: Operand,
    /// None tests that the value exists.
    right: Option<(Comparison, Operand)>,
}

#[derive(Debug, Clone, PartialEq)]
enum Operand {
    Path(Path),
    Literal(Value),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

impl Path {
    /// Returns the selected values in order. `items` of a document without that field is its one list.
    pub(crate) fn select<'a>(&self, document: &'a Value, current: &'a Value) -> Vec<&'a Value> {
        let start = match self.root {
            Root::Document => document,
            Root::Current => current,
        };
        let mut found = vec![start];
        for step in &self.steps {
            found = found
                .into_iter()
                .flat_map(|value| step.take(document, value))
                .collect();
        }
        found
    }

    /// Returns the first selected value of an item.
    pub(crate) fn first<'a>(&self, item: &'a Value) -> Option<&'a Value> {
        self.select(item, item).into_iter().next()
    }
}

impl Step {
    fn take<'a>(&self, document: &'a Value, value: &'a Value) -> Vec<&'a Value> {
        match self {
            Self::Fields(names) => {
                let of = |name: &String| {
                    let field = value.get(name.as_str()).or_else(|| dotted(value, name));
                    field.or_else(|| items(document, value).filter(|_| name == "items"))
                };
                names.iter().filter_map(of).collect()
            }
            Self::Indices(places) => {
                let list = value.as_array().map(Vec::as_slice).unwrap_or_default();
                let at = |place: &i64| list.get(absolute(*place, list.len())?);
                places.iter().filter_map(at).collect()
            }
            Self::Slice(slice) => value.as_array().map_or_else(Vec::new, |it| slice.take(it)),
            Self::All => children(value),
            Self::Descendants => {
                let mut all = Vec::new();
                descendants(value, &mut all);
                all
            }
            Self::Filter(condition) => {
                let entries = children(value).into_iter();
                entries
                    .filter(|it| condition.matches(document, it))
                    .collect()
            }
        }
    }
}

/// Returns the one list of a document, which kubectl calls `items`.
pub(super) fn items<'a>(document: &'a Value, value: &'a Value) -> Option<&'a Value> {
    if !std::ptr::eq(document, value) {
        return None;
    }
    let mut lists = value.as_object()?.values().filter(|it| it.is_array());
    lists.next().filter(|_| lists.next().is_none())
}

/// `['status.phase']` is two steps where there is no such field.
fn dotted<'a>(value: &'a Value, name: &str) -> Option<&'a Value> {
    let (first, rest) = name.split_once('.')?;
    let field = value.get(first)?;
    field.get(rest).or_else(|| dotted(field, rest))
}

fn children(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(entries) => entries.iter().collect(),
        Value::Object(fields) => fields.values().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn descendants<'a>(value: &'a Value, all: &mut Vec<&'a Value>) {
    all.push(value);
    for child in children(value) {
        descendants(child, all);
    }
}

/// Converts an index that may count from the end.
fn absolute(place: i64, length: usize) -> Option<usize> {
    if place >= 0 {
        return usize::try_from(place).ok();
    }
    length.checked_sub(usize::try_from(place.unsigned_abs()).ok()?)
}

impl Slice {
    fn take(self, list: &[Value]) -> Vec<&Value> {
        let clamped = |place: i64| match place {
            ..0 => absolute(place, list.len()).unwrap_or(0),
            _ => usize::try_from(place).unwrap_or(usize::MAX).min(list.len()),
        };
        let start = self.start.map_or(0, clamped);
        let end = self.end.map_or(list.len(), clamped);
        let taken = list.get(start..end).unwrap_or_default();
        taken.iter().step_by(self.step).collect()
    }
}

impl Condition {
    fn matches(&self, document: &Value, entry: &Value) -> bool {
        let left = self.left.value(document, entry);
        let Some((comparison, right)) = &self.right else {
            return left.is_some();
        };
        match (left, right.value(document, entry)) {
            (Some(left), Some(right)) => comparison.matches(left, right),
            _ => false,
        }
    }
}

impl Operand {
    fn value<'a>(&'a self, document: &'a Value, entry: &'a Value) -> Option<&'a Value> {
        match self {
            Self::Path(path) => path.select(document, entry).into_iter().next(),
            Self::Literal(value) => Some(value),
        }
    }
}

impl Comparison {
    fn matches(self, left: &Value, right: &Value) -> bool {
        let order = compare(left, right);
        match self {
            Self::Equal => order == Ordering::Equal,
            Self::NotEqual => order != Ordering::Equal,
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Greater => order == Ordering::Greater,
            Self::GreaterOrEqual => order != Ordering::Less,
        }
    }
}

/// Compares numbers by value, also 64-bit ones, which JSON holds as texts; all else as text.
pub(super) fn compare(left: &Value, right: &Value) -> Ordering {
    match (number(left), number(right)) {
        (Some(left), Some(right)) => left.total_cmp(&right),
        _ => text(left).cmp(&text(right)),
    }
}

fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.parse().ok().filter(|it: &f64| it.is_finite()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// Returns a value for scripts: texts without quotes, all else as JSON.
pub(super) fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests;
