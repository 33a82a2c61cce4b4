//! Strategic merge patch.

use serde_json::Value;

use super::super::refusal::Refusal;

pub(super) fn merge(object: &mut Value, change: &Value) -> Result<(), Refusal> {
    json_patch::merge(object, change);
    Ok(())
}
