//! Finds the field of a JSON body that does not fit its message. Only runs after the body was refused.

use prost_reflect::{DeserializeOptions, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::Value;

use super::{Place, TranscodeError, clip, invalid, unknown, without_place};

/// The first wrong field under `prefix`, depth first.
pub(super) fn find(
    message: &MessageDescriptor,
    value: &Value,
    prefix: &str,
) -> Option<TranscodeError> {
    let Value::Object(members) = value else {
        let place = prefix.strip_suffix('.').unwrap_or(prefix);
        let place = if place.is_empty() { "body" } else { place };
        return Some(invalid(place, "must be a JSON object"));
    };
    members
        .iter()
        .find_map(|(name, member)| find_member(message, (name, member), prefix))
}

fn find_member(
    message: &MessageDescriptor,
    (name, member): (&str, &Value),
    prefix: &str,
) -> Option<TranscodeError> {
    let path = format!("{prefix}{}", clip(name));
    let Some(field) = field(message, name) else {
        return Some(unknown(Place::Body, &path, message));
    };
    let error = check(message, name, member)?;
    let inner = nested(&field).and_then(|nested| match member.as_array() {
        Some(items) if field.is_list() => items
            .iter()
            .enumerate()
            .find_map(|(index, item)| find(&nested, item, &format!("{path}[{index}]."))),
        Some(_) => None,
        None => find(&nested, member, &format!("{path}.")),
    });
    Some(inner.unwrap_or_else(|| invalid(&path, format!("is wrong: {error}"))))
}

fn field(message: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    message
        .get_field_by_json_name(name)
        .or_else(|| message.get_field_by_name(name))
}

/// The message type of a field that is written as a JSON object of its fields.
fn nested(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    let Kind::Message(message) = field.kind() else {
        return None;
    };
    let own = !field.is_map() && !message.full_name().starts_with("google.protobuf.");
    own.then_some(message)
}

fn check(message: &MessageDescriptor, name: &str, member: &Value) -> Option<String> {
    let alone = serde_json::json!({ name: member });
    let options = DeserializeOptions::new().deny_unknown_fields(true);
    DynamicMessage::deserialize_with_options(message.clone(), &alone, &options)
        .err()
        .map(|error| clip(&without_place(&error)))
}
