//! Decodes applications in bulk.

use prost::{DecodeError, Message as _, bytes::Bytes};

use crate::inventory::v1::Application;

/// Decodes each element as one application.
pub fn decode_all(encoded: Vec<Bytes>) -> Result<Vec<Application>, DecodeError> {
    encoded.into_iter().map(Application::decode).collect()
}
