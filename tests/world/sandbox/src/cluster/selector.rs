//! Label and field selectors: parsing and matching. Pure.

use serde_json::Value;

use super::{object::Stored, refusal::Refusal, resource::Resource};

const MOST_TERMS: usize = 256;

/// Selector of a list or a watch; empty selects everything.
#[derive(Clone, Debug, Default)]
pub(crate) struct Selector {
    labels: Vec<LabelTerm>,
    fields: Vec<FieldTerm>,
}

#[derive(Clone, Debug)]
enum LabelTerm {
    In(String, Vec<String>),
    NotIn(String, Vec<String>),
    Exists(String),
    Absent(String),
}

#[derive(Clone, Debug)]
struct FieldTerm {
    path: String,
    value: String,
    negated: bool,
}

impl Selector {
    /// # Errors
    /// `BadRequest` when either text is not a selector.
    pub(crate) fn parse(labels: &str, fields: &str) -> Result<Self, Refusal> {
        Ok(Self {
            labels: parse_labels(labels)?,
            fields: parse_fields(fields)?,
        })
    }

    /// The first field that objects of this kind cannot be selected by.
    pub(crate) fn unknown_field(&self, resource: &Resource) -> Option<&str> {
        let mut paths = self.fields.iter().map(|term| term.path.as_str());
        paths.find(|path| !resource.selects_by(path))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.labels.is_empty() && self.fields.is_empty()
    }

    pub(crate) fn matches(&self, object: &Stored) -> bool {
        self.labels.iter().all(|term| term.matches(&object.labels)) && self.matches_fields(object)
    }

    fn matches_fields(&self, object: &Stored) -> bool {
        let mut parsed = None;
        self.fields.iter().all(|term| {
            let equal = match term.path.as_str() {
                "metadata.name" => object.key.name == term.value,
                "metadata.namespace" => object.key.namespace == term.value,
                path => {
                    field_text(parsed.get_or_insert_with(|| object.value()), path) == term.value
                }
            };
            equal != term.negated
        })
    }
}

impl LabelTerm {
    fn matches(&self, labels: &[(String, String)]) -> bool {
        let find = |wanted: &String| {
            labels
                .iter()
                .find(|(key, _)| key == wanted)
                .map(|(_, value)| value)
        };
        match self {
            Self::In(key, values) => find(key).is_some_and(|value| values.contains(value)),
            Self::NotIn(key, values) => !find(key).is_some_and(|value| values.contains(value)),
            Self::Exists(key) => find(key).is_some(),
            Self::Absent(key) => find(key).is_none(),
        }
    }
}

fn field_text(object: &Value, path: &str) -> String {
    let found = path.split('.').try_fold(object, |at, part| at.get(part));
    match found {
        None | Some(Value::Null) => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}

fn parse_fields(text: &str) -> Result<Vec<FieldTerm>, Refusal> {
    let terms: Vec<&str> = text
        .split(',')
        .filter(|term| !term.trim().is_empty())
        .collect();
    if terms.len() > MOST_TERMS {
        return Err(too_many());
    }
    terms.into_iter().map(parse_field).collect()
}

fn parse_field(term: &str) -> Result<FieldTerm, Refusal> {
    let (path, value, negated) = if let Some((path, value)) = term.split_once("!=") {
        (path, value, true)
    } else if let Some((path, value)) = term.split_once("==").or_else(|| term.split_once('=')) {
        (path, value, false)
    } else {
        return Err(Refusal::bad_request(format!(
            "invalid field selector {term:?}: expected path=value"
        )));
    };
    Ok(FieldTerm {
        path: path.trim().to_owned(),
        value: value.trim().to_owned(),
        negated,
    })
}

fn parse_labels(text: &str) -> Result<Vec<LabelTerm>, Refusal> {
    let mut terms = Vec::new();
    for term in split_outside_parentheses(text) {
        let term = term.trim();
        if !term.is_empty() {
            terms.push(parse_label(term)?);
        }
    }
    if terms.len() > MOST_TERMS {
        Err(too_many())
    } else {
        Ok(terms)
    }
}

fn split_outside_parentheses(text: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0_i32, 0, Vec::new());
    for (at, character) in text.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

fn parse_label(term: &str) -> Result<LabelTerm, Refusal> {
    if let Some(rest) = term.strip_suffix(')') {
        return parse_set(term, rest);
    }
    let pair = |(key, value): (&str, &str)| (key.trim().to_owned(), vec![value.trim().to_owned()]);
    if let Some((key, values)) = term.split_once("!=").map(pair) {
        return checked(term, LabelTerm::NotIn(key, values));
    }
    if let Some((key, values)) = term
        .split_once("==")
        .or_else(|| term.split_once('='))
        .map(pair)
    {
        return checked(term, LabelTerm::In(key, values));
    }
    match term.strip_prefix('!') {
        Some(key) => checked(term, LabelTerm::Absent(key.trim().to_owned())),
        None => checked(term, LabelTerm::Exists(term.to_owned())),
    }
}

fn parse_set(term: &str, rest: &str) -> Result<LabelTerm, Refusal> {
    let (head, list) = rest.split_once('(').ok_or_else(|| not_a_selector(term))?;
    let values = list
        .split(',')
        .map(|value| value.trim().to_owned())
        .collect();
    let mut words = head.split_whitespace();
    match (words.next(), words.next(), words.next()) {
        (Some(key), Some("in"), None) => checked(term, LabelTerm::In(key.to_owned(), values)),
        (Some(key), Some("notin"), None) => checked(term, LabelTerm::NotIn(key.to_owned(), values)),
        _ => Err(not_a_selector(term)),
    }
}

fn checked(term: &str, parsed: LabelTerm) -> Result<LabelTerm, Refusal> {
    let (LabelTerm::In(key, _)
    | LabelTerm::NotIn(key, _)
    | LabelTerm::Exists(key)
    | LabelTerm::Absent(key)) = &parsed;
    let fits = |character: char| character.is_ascii_alphanumeric() || "-_./".contains(character);
    let values: &[String] = match &parsed {
        LabelTerm::In(_, values) | LabelTerm::NotIn(_, values) => values,
        LabelTerm::Exists(_) | LabelTerm::Absent(_) => &[],
    };
    let is_text = values.iter().all(|value| value.chars().all(fits));
    if key.is_empty() || !key.chars().all(fits) || !is_text {
        Err(not_a_selector(term))
    } else {
        Ok(parsed)
    }
}

fn not_a_selector(term: &str) -> Refusal {
    Refusal::bad_request(format!("unable to parse label selector term {term:?}"))
}

fn too_many() -> Refusal {
    Refusal::bad_request(format!("a selector has at most {MOST_TERMS} terms"))
}

#[cfg(test)]
mod tests;
