//! Errors as JSON: `google.rpc.Status` with its details written out.

use std::sync::LazyLock;

use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::pb;

/// The types of details that are written out: the standard ones.
static DETAILS: LazyLock<DescriptorPool> = LazyLock::new(|| {
    DescriptorPool::decode(pb::FILE_DESCRIPTOR_SET).expect("the library carries a valid set")
});

/// The types of details that are written out.
pub(crate) fn details() -> &'static DescriptorPool {
    &DETAILS
}

/// `{"code", "message", "details": [{"@type", …}]}`; a detail of another type is left out.
pub(crate) fn to_json(status: &Status) -> Value {
    let details = pb::Status::decode(status.details())
        .unwrap_or_default()
        .details;
    let details: Vec<Value> = details.iter().filter_map(detail).collect();
    json!({
        "code": i32::from(status.code()),
        "message": status.message(),
        "details": details,
    })
}

fn detail(detail: &prost_types::Any) -> Option<Value> {
    let name = detail.type_url.rsplit('/').next()?;
    let descriptor = DETAILS.get_message_by_name(name)?;
    let message = DynamicMessage::decode(descriptor, detail.value.as_slice()).ok()?;
    let Value::Object(mut fields) = serde_json::to_value(&message).ok()? else {
        return None;
    };
    fields.insert("@type".to_owned(), Value::from(detail.type_url.clone()));
    Some(Value::Object(fields))
}

#[cfg(test)]
mod tests;
