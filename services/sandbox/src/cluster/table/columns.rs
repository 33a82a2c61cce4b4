//! The columns of built-in kinds.

use jiff::Timestamp;
use serde_json::Value;

use super::age;

/// A column and how its cell is read.
pub(super) struct Column {
    pub(super) name: &'static str,
    pub(super) priority: i64,
    pub(super) cell: fn(&Value, Timestamp) -> Value,
}

const fn column(name: &'static str, cell: fn(&Value, Timestamp) -> Value) -> Column {
    Column {
        name,
        priority: 0,
        cell,
    }
}

const AGE: Column = column("Age", |object, now| age(object, now).into());

/// The columns after the name.
pub(super) fn of(_id: &str) -> &'static [Column] {
    const GENERIC: &[Column] = &[AGE];
    GENERIC
}
