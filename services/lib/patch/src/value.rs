//! The new value of an edit.

use std::fmt;

use crate::PatchError;

const MAX_DEPTH: usize = 32;
const MAX_NODES: usize = 10_000;

/// A value to write or to expect. Mappings keep their order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    Null,
    Bool(bool),
    /// A number as it is written, so that no digit is lost.
    Number(String),
    String(String),
    List(Vec<Self>),
    Map(Vec<(String, Self)>),
}

impl Value {
    /// A text.
    #[must_use]
    pub fn string(text: &str) -> Self {
        Self::String(text.to_owned())
    }

    /// Refuses values that are too deep or too large, and numbers that are none.
    pub(crate) fn check(&self) -> Result<(), PatchError> {
        let mut left = MAX_NODES;
        self.check_below(MAX_DEPTH, &mut left)
            .map_err(PatchError::InvalidValue)
    }

    fn check_below(&self, depth: usize, left: &mut usize) -> Result<(), &'static str> {
        let depth = depth.checked_sub(1).ok_or("nested deeper than 32 levels")?;
        *left = left.checked_sub(1).ok_or("has more than 10000 values")?;
        match self {
            Self::Null | Self::Bool(_) | Self::String(_) => Ok(()),
            Self::Number(text) => check_number(text),
            Self::List(items) => items.iter().try_for_each(|it| it.check_below(depth, left)),
            Self::Map(entries) => {
                check_keys(entries)?;
                let mut values = entries.iter();
                values.try_for_each(|(_, value)| value.check_below(depth, left))
            }
        }
    }

    /// The text of a scalar, as it is compared with a document.
    pub(crate) fn scalar(&self) -> Option<&str> {
        match self {
            Self::Null => Some("null"),
            Self::Bool(true) => Some("true"),
            Self::Bool(false) => Some("false"),
            Self::Number(text) | Self::String(text) => Some(text),
            Self::List(_) | Self::Map(_) => None,
        }
    }
}

fn check_number(text: &str) -> Result<(), &'static str> {
    match serde_json::from_str::<serde_json::Number>(text) {
        Ok(_) => Ok(()),
        Err(_) => Err("a number is not written as in JSON"),
    }
}

fn check_keys(entries: &[(String, Value)]) -> Result<(), &'static str> {
    let mut keys: Vec<_> = entries.iter().map(|(key, _)| key).collect();
    keys.sort();
    let repeated = keys.windows(2).any(|pair| pair[0] == pair[1]);
    let merge = keys.iter().any(|key| *key == "<<");
    match (repeated, merge) {
        (true, _) => Err("a mapping has a key twice"),
        (_, true) => Err("a mapping has the key <<"),
        (false, false) => Ok(()),
    }
}

impl From<serde_json::Value> for Value {
    fn from(value: serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Null,
            serde_json::Value::Bool(it) => Self::Bool(it),
            serde_json::Value::Number(it) => Self::Number(it.to_string()),
            serde_json::Value::String(it) => Self::String(it),
            serde_json::Value::Array(items) => {
                Self::List(items.into_iter().map(Self::from).collect())
            }
            serde_json::Value::Object(entries) => {
                let entries = entries.into_iter().map(|(key, value)| (key, value.into()));
                Self::Map(entries.collect())
            }
        }
    }
}

/// JSON, which is also how a value is shown in messages.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::String(text) => f.write_str(&crate::render::double_quoted(text)),
            Self::Null | Self::Bool(_) | Self::Number(_) => {
                f.write_str(self.scalar().unwrap_or_default())
            }
            Self::List(items) => {
                f.write_str("[")?;
                for (position, item) in items.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{item}")?;
                }
                f.write_str("]")
            }
            Self::Map(entries) => {
                f.write_str("{")?;
                for (position, (key, value)) in entries.iter().enumerate() {
                    let comma = if position == 0 { "" } else { ", " };
                    write!(f, "{comma}{}: {value}", crate::render::double_quoted(key))?;
                }
                f.write_str("}")
            }
        }
    }
}
