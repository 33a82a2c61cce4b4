//! The query of a URL as fields of a message: `pageSize=10`, `filter.runtime=prod`, `filter.sync=1&filter.sync=2`.

use causeway_shell::suggest_names;
use prost_reflect::{
    Cardinality, DynamicMessage, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor,
    ReflectMessage as _, Value,
};

use super::{Place, TranscodeError, clip, invalid, suggestion, unknown};

const PAIRS: usize = 100;
/// How many names of a key may stand after each other.
pub(crate) const DEPTH: usize = 8;

/// Sets what `query` says. `closed` are fields at the top that something else has filled; `other` are keys that are no fields.
pub(super) fn bind(
    message: &mut DynamicMessage,
    query: &str,
    closed: &[FieldDescriptor],
    other: impl Fn(&str) -> bool,
) -> Result<(), TranscodeError> {
    for (index, (key, value)) in form_urlencoded::parse(query.as_bytes()).enumerate() {
        if index >= PAIRS {
            return Err(invalid(
                &clip(&key),
                format!("is too much: a query has at most {PAIRS} keys"),
            ));
        }
        if !other(&key) {
            set(message, &key, &value, closed)?;
        }
    }
    Ok(())
}

fn set(
    message: &mut DynamicMessage,
    key: &str,
    value: &str,
    closed: &[FieldDescriptor],
) -> Result<(), TranscodeError> {
    let names: Vec<_> = key.split('.').collect();
    if names.len() > DEPTH {
        return Err(invalid(&clip(key), "is nested too deeply"));
    }
    let open = |found: &FieldDescriptor| !closed.contains(found);
    let [parents @ .., last] = names.as_slice() else {
        return Err(unknown(Place::Query, key, &message.descriptor()));
    };
    let mut target = message;
    for name in parents {
        let parent = field(&target.descriptor(), name, key)?;
        if !matches!(parent.kind(), Kind::Message(_))
            || parent.is_list()
            || parent.is_map()
            || !open(&parent)
        {
            return Err(invalid(
                &clip(key),
                "has no fields of its own that a query can set",
            ));
        }
        target = target
            .get_field_mut(&parent)
            .as_message_mut()
            .ok_or_else(|| invalid(&clip(key), "is not a message"))?;
    }
    let last = field(&target.descriptor(), last, key)?;
    if !open(&last) {
        return Err(invalid(
            &clip(key),
            "cannot be set by the query: it belongs into the path or the body",
        ));
    }
    put(target, &last, key, value)
}

fn field(
    message: &MessageDescriptor,
    name: &str,
    key: &str,
) -> Result<FieldDescriptor, TranscodeError> {
    message
        .get_field_by_json_name(name)
        .or_else(|| message.get_field_by_name(name))
        .ok_or_else(|| unknown(Place::Query, key, message))
}

fn put(
    message: &mut DynamicMessage,
    field: &FieldDescriptor,
    key: &str,
    text: &str,
) -> Result<(), TranscodeError> {
    if field.is_map() {
        return Err(invalid(&clip(key), "is a map, which a query cannot set"));
    }
    let value = value(field, text).map_err(|problem| invalid(&clip(key), problem))?;
    if field.cardinality() == Cardinality::Repeated {
        if let Some(list) = message.get_field_mut(field).as_list_mut() {
            list.push(value);
        }
        return Ok(());
    }
    // A value that is the default leaves no mark, but giving it twice changes nothing either.
    if message.has_field(field) && *message.get_field(field) != value {
        return Err(invalid(&clip(key), "is given twice; it takes one value"));
    }
    message.set_field(field, value);
    Ok(())
}

fn value(field: &FieldDescriptor, text: &str) -> Result<Value, String> {
    match field.kind() {
        Kind::String => Ok(Value::String(text.to_owned())),
        Kind::Bool => boolean(text),
        Kind::Enum(names) => enum_number(&names, text).map(Value::EnumNumber),
        Kind::Message(message) => well_known(&message, text),
        Kind::Bytes => json(field, serde_json::Value::from(text), "must be base64"),
        Kind::Float | Kind::Double => json(field, number(text), "must be a number"),
        Kind::Int32
        | Kind::Sint32
        | Kind::Sfixed32
        | Kind::Int64
        | Kind::Sint64
        | Kind::Sfixed64 => json(field, number(text), "must be a whole number"),
        Kind::Uint32 | Kind::Fixed32 | Kind::Uint64 | Kind::Fixed64 => json(
            field,
            number(text),
            "must be a whole number that is not negative",
        ),
    }
}

fn boolean(text: &str) -> Result<Value, String> {
    match text {
        "true" => Ok(Value::Bool(true)),
        "false" => Ok(Value::Bool(false)),
        _ => Err("must be true or false".to_owned()),
    }
}

fn enum_number(names: &EnumDescriptor, text: &str) -> Result<i32, String> {
    if let Some(value) = names.get_value_by_name(text) {
        return Ok(value.number());
    }
    let known = |number: &i32| names.get_value(*number).is_some();
    text.parse().ok().filter(known).ok_or_else(|| {
        let names: Vec<_> = names
            .values()
            .map(|value| value.name().to_owned())
            .collect();
        let meant = suggest_names(text, names.iter().map(String::as_str));
        format!("must be one of {}{}", names.join(", "), suggestion(&meant))
    })
}

/// Numbers in text are what the JSON form of 64-bit numbers is, and all number kinds take them.
fn number(text: &str) -> serde_json::Value {
    serde_json::Value::from(text)
}

fn well_known(message: &MessageDescriptor, text: &str) -> Result<Value, String> {
    let whole = !message.full_name().starts_with("google.protobuf.");
    if whole {
        return Err("is a message; name one of its fields after a '.'".to_owned());
    }
    let value = serde_json::Value::from(text);
    DynamicMessage::deserialize(message.clone(), &value)
        .map(Value::Message)
        .map_err(|error| format!("is wrong: {error}"))
}

/// Reads a scalar as its JSON form is read.
fn json(
    field: &FieldDescriptor,
    value: serde_json::Value,
    problem: &'static str,
) -> Result<Value, String> {
    let value = if field.is_list() {
        serde_json::Value::Array(vec![value])
    } else {
        value
    };
    let whole = serde_json::json!({ field.json_name(): value });
    let message = DynamicMessage::deserialize(field.parent_message().clone(), &whole);
    let message = message.map_err(|_| problem.to_owned())?;
    let value = message.get_field(field).into_owned();
    let Value::List(mut values) = value else {
        return Ok(value);
    };
    values.pop().ok_or_else(|| problem.to_owned())
}
