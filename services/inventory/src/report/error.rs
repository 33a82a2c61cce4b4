//! Why a reporter's stream ends.

use std::time::Duration;

use super::{
    FieldError, WINDOW,
    stream::{HELLO_WITHIN, MEMORY_BYTES},
};
use crate::{
    report::membership::{JoinError, TooManyMembers},
    store::StoreError,
};

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
    /// Another stream has taken over, or the reporter was taken for gone.
    #[error(
        "this stream counts no more, since a later one has taken over or it was silent for too long: open another stream to go on"
    )]
    Fenced,
    /// The inventory stops.
    #[error("the inventory is stopping: open another stream")]
    Draining,
    /// Nothing was heard for so long.
    #[error("nothing was heard for {0:?}: send a heartbeat as often as hello.heartbeat_ms says")]
    Silent(Duration),
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

impl From<JoinError> for SessionError {
    fn from(error: JoinError) -> Self {
        match error {
            JoinError::TooMany(error) => error.into(),
            JoinError::Store(error) => error.into(),
        }
    }
}
