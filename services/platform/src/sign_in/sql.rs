//! JSON columns shared by the SQL stores of sign-in.

use causeway_database::{Error, Row};
use serde::{Serialize, de::DeserializeOwned};

pub(crate) use crate::{
    identity_providers::sql::holder,
    sessions::sql::{SessionSelector, end_sessions},
};

pub(crate) fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("they are lists and maps of texts")
}

pub(crate) fn from_json<T: DeserializeOwned>(row: &Row, column: &'static str) -> Result<T, Error> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| Row::corrupt(column, error))
}
