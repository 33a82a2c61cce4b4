//! Which manager owns which field (`metadata.managedFields`). Pure.

use serde_json::Value;

use super::store::{Context, Part};

pub(crate) fn record_creation(_value: &mut Value, _context: &Context<'_>) {}

pub(crate) fn record_update(_old: &Value, _value: &mut Value, _part: Part, _context: &Context<'_>) {
}

/// Whether a write changes nothing that anybody can see.
pub(crate) fn same_but_for_times(old: &Value, new: &Value) -> bool {
    old == new
}
