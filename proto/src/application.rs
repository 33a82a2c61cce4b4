//! Applications of their encodings, many at once. A decoder is compiled where it is used for the first time, and the command line,
//! which reads ten thousand of them, is compiled to be small: here it is compiled to be fast.

use prost::{DecodeError, Message as _, bytes::Bytes};

use crate::inventory::v1::Application;

/// Applications of which each is encoded by itself.
///
/// # Errors
/// One of them is no application.
pub fn decode_all(encoded: Vec<Bytes>) -> Result<Vec<Application>, DecodeError> {
    encoded.into_iter().map(Application::decode).collect()
}
