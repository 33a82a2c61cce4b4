//! Why a reporter's stream ends.

use super::{FieldError, HELLO_WITHIN, MEMORY_BYTES, SILENCE, WINDOW};
use crate::{members::TooManyMembers, store::StoreError};

/// Why a stream ended.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// The first message was another one, or none came.
    #[error("the first message must be hello, within {} s", HELLO_WITHIN.as_secs())]
    HelloExpected,
    /// A second hello.
    #[error("hello was sent before: open another stream")]
    HelloRepeated,
    /// Hello cannot be used.
    #[error("hello.{0}")]
    Hello(FieldError),
    /// Too many reporters.
    #[error(transparent)]
    TooMany(#[from] TooManyMembers),
    /// Another stream has taken over.
    #[error("a later stream has taken over from this one: open another stream to go on")]
    Fenced,
    /// The inventory stops.
    #[error("the inventory is stopping: open another stream")]
    Draining,
    /// Nothing was heard.
    #[error("nothing was heard for {} s: send a heartbeat every 10 s", SILENCE.as_secs())]
    Silent,
    /// The window was not kept to.
    #[error("more than {WINDOW} reports wait for an answer: keep to the window of welcome")]
    Window,
    /// The window in bytes was not kept to.
    #[error("more than {} MiB wait for manifests: keep to window_bytes of welcome", MEMORY_BYTES >> 20)]
    Memory,
    /// The store does not work.
    #[error("the report cannot be kept now: try again")]
    Store(#[from] StoreError),
}
