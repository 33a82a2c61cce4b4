//! Which fields of an answer are wanted: `fields=applications.name,nextPageToken`.
//!
//! A path goes on through the items of a list. It ends at a map and at the types of `google.protobuf`, which are taken whole.

use std::collections::BTreeMap;

use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor, Value};

use super::{TranscodeError, clip, invalid, nearest_fields, suggestion};

/// The name that every read takes.
pub(crate) const NAME: &str = "$fields";
/// The same, where the request has no field of this name.
pub(crate) const SHORT_NAME: &str = "fields";

const PATHS: usize = 100;
const DEPTH: usize = 16;

/// What is wanted of a message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Mask {
    Whole,
    /// These fields, by number, and what is wanted of each.
    Fields(BTreeMap<u32, Self>),
}

impl Mask {
    /// Reads a list of paths of `answer`, in the names of JSON or those of the contract. `*` is all of it.
    pub(crate) fn parse(text: &str, answer: &MessageDescriptor) -> Result<Self, TranscodeError> {
        let paths: Vec<_> = text.split(',').map(str::trim).collect();
        if paths.len() > PATHS {
            return Err(wrong(format!("has more than {PATHS} paths")));
        }
        let mut mask = Self::Fields(BTreeMap::new());
        for path in paths {
            match path {
                "" => {
                    return Err(wrong(
                        "has an empty path; write for example name,status.sync",
                    ));
                }
                "*" => mask = Self::Whole,
                path => {
                    let names: Vec<_> = path.split('.').collect();
                    if names.len() > DEPTH {
                        return Err(wrong("is nested too deeply"));
                    }
                    mask.add(answer, &names)?;
                }
            }
        }
        Ok(mask)
    }

    fn add(&mut self, message: &MessageDescriptor, names: &[&str]) -> Result<(), TranscodeError> {
        let Some((name, rest)) = names.split_first() else {
            *self = Self::Whole;
            return Ok(());
        };
        let field = field(message, name)?;
        // What is wanted whole stays so, but what else is named must still exist.
        let mut aside = Self::Fields(BTreeMap::new());
        let inner = match self {
            Self::Whole => &mut aside,
            Self::Fields(fields) => fields
                .entry(field.number())
                .or_insert_with(|| Self::Fields(BTreeMap::new())),
        };
        if rest.is_empty() {
            *inner = Self::Whole;
            return Ok(());
        }
        let nested = nested(&field)
            .ok_or_else(|| wrong(format!("names a part of '{name}', which is taken whole")))?;
        inner.add(&nested, rest)
    }

    /// Removes what is not wanted.
    pub(crate) fn apply(&self, message: &mut DynamicMessage) {
        let Self::Fields(wanted) = self else {
            return;
        };
        let set: Vec<_> = message.fields().map(|(field, _)| field).collect();
        for field in set {
            match wanted.get(&field.number()) {
                None => message.clear_field(&field),
                Some(mask) => mask.apply_to(message.get_field_mut(&field)),
            }
        }
    }

    fn apply_to(&self, value: &mut Value) {
        if let Some(items) = value.as_list_mut() {
            items.iter_mut().for_each(|item| self.apply_to(item));
        } else if let Some(message) = value.as_message_mut() {
            self.apply(message);
        }
    }
}

fn field(message: &MessageDescriptor, name: &str) -> Result<FieldDescriptor, TranscodeError> {
    let found = message
        .get_field_by_json_name(name)
        .or_else(|| message.get_field_by_name(name));
    found.ok_or_else(|| {
        let meant = suggestion(&nearest_fields(name, message));
        let name = clip(name);
        wrong(format!("names '{name}', which the answer lacks{meant}"))
    })
}

fn nested(field: &FieldDescriptor) -> Option<MessageDescriptor> {
    let Kind::Message(message) = field.kind() else {
        return None;
    };
    let own = !field.is_map() && !message.full_name().starts_with("google.protobuf.");
    own.then_some(message)
}

fn wrong(problem: impl Into<String>) -> TranscodeError {
    invalid(SHORT_NAME, problem)
}

#[cfg(test)]
mod tests;
