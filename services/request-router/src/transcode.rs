//! Between JSON over HTTP and protobuf: path, query and body become one request message; responses become JSON.
//!
//! Nothing unknown is passed over in silence: a name that the request does not have is refused, with those that look like it.

mod error_field;
pub(crate) mod mask;
mod query;

use std::borrow::{Borrow, Cow};

use causeway_shell::suggest;
use prost_reflect::{
    DeserializeOptions, DynamicMessage, FieldDescriptor, MessageDescriptor, ReflectMessage as _,
    Value,
};
use serde::de::DeserializeSeed as _;

use self::mask::Mask;
pub(crate) use self::query::DEPTH;
use crate::table::Body;

/// A request that is being put together.
#[derive(Debug)]
pub(crate) struct Draft {
    message: DynamicMessage,
    /// What the path has filled.
    bound: Vec<FieldDescriptor>,
}

/// A request that cannot be translated. `field` is where, in the words of the JSON form.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub(crate) enum TranscodeError {
    #[error("{place} has no '{field}'{}", suggestion(nearest))]
    UnknownField {
        place: Place,
        field: String,
        nearest: Vec<String>,
    },
    #[error("'{field}' {problem}")]
    InvalidField { field: String, problem: String },
    #[error("the body is not JSON: {problem} at line {line}, column {column}")]
    MalformedJson {
        problem: String,
        line: usize,
        column: usize,
    },
    #[error("this call takes no body: leave it out")]
    BodyNotTaken,
}

/// Where a name was found.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Place {
    Query,
    Body,
}

impl std::fmt::Display for Place {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Query => "the query of this call",
            Self::Body => "the body of this call",
        })
    }
}

/// A message of a peer that is not of its type.
#[derive(Debug, thiserror::Error)]
#[error("the answer is not a valid {0}")]
pub(crate) struct ResponseError(String);

impl Draft {
    /// Begins with the body, which fills what `taken` says.
    pub(crate) fn from_body(
        request: &MessageDescriptor,
        taken: &Body,
        body: &[u8],
    ) -> Result<Self, TranscodeError> {
        let mut message = DynamicMessage::new(request.clone());
        let empty = body.iter().all(u8::is_ascii_whitespace);
        match taken {
            _ if empty => {}
            Body::Nothing => return Err(TranscodeError::BodyNotTaken),
            Body::Message => message = parse(request, body)?,
            Body::Field(field) => fill_field(&mut message, field, body)?,
        }
        Ok(Self {
            message,
            bound: Vec::new(),
        })
    }

    /// Puts in what the path says. A body that says otherwise is refused.
    pub(crate) fn bind_path(
        &mut self,
        fields: &[FieldDescriptor],
        values: &[&str],
    ) -> Result<(), TranscodeError> {
        for (field, value) in fields.iter().zip(values) {
            let value = Value::String((*value).to_owned());
            if self.message.has_field(field) && *self.message.get_field(field) != value {
                return Err(invalid(field.json_name(), "differs from the path"));
            }
            self.message.set_field(field, value);
            self.bound.push(field.clone());
        }
        Ok(())
    }

    /// Puts in what the query says, but for keys that are no fields. After a body of `*` nothing is left for a query.
    pub(crate) fn bind_query(
        &mut self,
        query: &str,
        taken: &Body,
        other: impl Fn(&str) -> bool,
    ) -> Result<(), TranscodeError> {
        let mut closed = self.bound.clone();
        match taken {
            Body::Nothing => {}
            Body::Message => closed.extend(self.message.descriptor().fields()),
            Body::Field(field) => closed.push(field.clone()),
        }
        query::bind(&mut self.message, query, &closed, other)
    }

    /// The text of a field; empty if it is not set.
    pub(crate) fn text(&self, number: u32) -> Cow<'_, str> {
        match self.message.get_field_by_number(number) {
            Some(Cow::Borrowed(Value::String(text))) => Cow::Borrowed(text),
            Some(Cow::Owned(Value::String(text))) => Cow::Owned(text),
            _ => Cow::Borrowed(""),
        }
    }

    /// Sets the text of a field.
    pub(crate) fn set_text(&mut self, number: u32, text: String) {
        self.message
            .set_field_by_number(number, Value::String(text));
    }

    /// The request.
    pub(crate) fn message(&self) -> &DynamicMessage {
        &self.message
    }
}

/// Translates a request with its query and body, and the body as an answer. No error is of interest here, but a panic is.
pub(crate) fn try_both_ways(method: &prost_reflect::MethodDescriptor, query: &str, body: &[u8]) {
    for (taken, body) in [(Body::Message, body), (Body::Nothing, &[][..])] {
        let draft = Draft::from_body(&method.input(), &taken, body);
        let _ = draft.and_then(|mut draft| draft.bind_query(query, &taken, |_| false));
    }
    let mask = Mask::parse(query, &method.output()).unwrap_or(Mask::Whole);
    let view = View::new(method.output(), mask);
    let _ = view
        .read(body)
        .and_then(|message| view.write(message, &mut Vec::new()));
}

/// How the messages of an answer are written: as JSON, whole or as far as they are wanted.
#[derive(Clone, Debug)]
pub(crate) struct View {
    answer: MessageDescriptor,
    mask: Mask,
}

impl View {
    pub(crate) fn new(answer: MessageDescriptor, mask: Mask) -> Self {
        Self { answer, mask }
    }

    /// Reads a message of a peer.
    pub(crate) fn read(&self, message: &[u8]) -> Result<DynamicMessage, ResponseError> {
        DynamicMessage::decode(self.answer.clone(), message).map_err(|_| self.error())
    }

    /// Writes it at the end of `out`.
    pub(crate) fn write(
        &self,
        mut message: DynamicMessage,
        out: &mut Vec<u8>,
    ) -> Result<(), ResponseError> {
        self.mask.apply(&mut message);
        serde_json::to_writer(out, &message).map_err(|_| self.error())
    }

    fn error(&self) -> ResponseError {
        ResponseError(self.answer.full_name().to_owned())
    }
}

fn parse(request: &MessageDescriptor, body: &[u8]) -> Result<DynamicMessage, TranscodeError> {
    let mut json = serde_json::Deserializer::from_slice(body);
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    DynamicMessage::deserialize_with_options(request.clone(), &mut json, &options)
        .and_then(|message| json.end().map(|()| message))
        .map_err(|error| explain(request, body, &error))
}

fn fill_field(
    message: &mut DynamicMessage,
    field: &FieldDescriptor,
    body: &[u8],
) -> Result<(), TranscodeError> {
    let value: serde_json::Value =
        serde_json::from_slice(body).map_err(|error| malformed(&error))?;
    let whole = serde_json::json!({ field.json_name(): value });
    let request = message.descriptor();
    let filled = request
        .clone()
        .deserialize(&whole)
        .map_err(|error| explain(&request, whole.to_string().as_bytes(), &error))?;
    message.set_field(field, filled.get_field(field).into_owned());
    Ok(())
}

/// Finds the field that a body failed at; the parser only knows the place in the text.
fn explain(request: &MessageDescriptor, body: &[u8], error: &serde_json::Error) -> TranscodeError {
    match serde_json::from_slice::<serde_json::Value>(body) {
        Err(error) => malformed(&error),
        Ok(value) => error_field::find(request, &value, "").unwrap_or_else(|| malformed(error)),
    }
}

fn malformed(error: &serde_json::Error) -> TranscodeError {
    TranscodeError::MalformedJson {
        problem: without_place(error),
        line: error.line(),
        column: error.column(),
    }
}

fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ")
        .map_or(text.as_str(), |(problem, _)| problem)
        .to_owned()
}

fn invalid(field: &str, problem: impl Into<String>) -> TranscodeError {
    TranscodeError::InvalidField {
        field: field.to_owned(),
        problem: problem.into(),
    }
}

fn unknown(place: Place, field: &str, request: &MessageDescriptor) -> TranscodeError {
    let field = clip(field);
    let last = field.rsplit('.').next().unwrap_or(&field);
    TranscodeError::UnknownField {
        place,
        nearest: nearest_fields(last, request),
        field,
    }
}

fn nearest_fields(name: &str, message: &MessageDescriptor) -> Vec<String> {
    let known = message.fields().map(|field| field.json_name().to_owned());
    suggest(name, known.map(|name| (name.clone(), name)))
}

fn suggestion<N: Borrow<str>>(nearest: &[N]) -> String {
    match nearest {
        [] => String::new(),
        names => format!("; did you mean '{}'?", names.join("', '")),
    }
}

/// Names come from outside, so they are cut before they go into an answer.
fn clip(text: &str) -> String {
    text.chars()
        .filter(|found| !found.is_control())
        .take(100)
        .collect()
}

#[cfg(test)]
mod tests;
