//! Identity providers, service accounts, sessions and buckets.

mod identities;
mod providers;
mod service_accounts;
mod sessions;
mod throttles;

use causeway_database::{Error, Row};
use serde::{Serialize, de::DeserializeOwned};

pub(super) use self::{
    providers::holder,
    sessions::{Whose, end_sessions},
};

fn to_json<T: Serialize>(value: &T) -> String {
    serde_json::to_string(value).expect("they are lists and maps of texts")
}

fn from_json<T: DeserializeOwned>(row: &Row, column: &'static str) -> Result<T, Error> {
    let text: String = row.try_get(column)?;
    serde_json::from_str(&text).map_err(|error| Row::corrupt(column, error))
}
