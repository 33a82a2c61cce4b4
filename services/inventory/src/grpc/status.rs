//! Errors as callers see them.

use causeway_proto::error::v1::Reason;
use causeway_shell::status::status;
use tonic::{Code, Status};

use crate::{
    inventory::{FindError, GetError, HistoryError, ListError, NameError},
    page_key::ForeignCursor,
    report::{FieldError, SessionError},
    reporters::ReportersError,
    store::StoreError,
    watch::WatchError,
};

/// A stored application that cannot be read.
pub(crate) fn corrupt(error: prost::DecodeError) -> Status {
    StoreError::Failed(error.into()).into()
}

impl From<FieldError> for Status {
    fn from(error: FieldError) -> Self {
        status(
            Code::InvalidArgument,
            Reason::FieldInvalid,
            error.to_string(),
        )
    }
}

impl From<ForeignCursor> for Status {
    fn from(error: ForeignCursor) -> Self {
        // By this reason clients begin again without a cursor.
        status(
            Code::InvalidArgument,
            Reason::CursorExpired,
            error.to_string(),
        )
    }
}

impl From<StoreError> for Status {
    fn from(error: StoreError) -> Self {
        match &error {
            StoreError::Unavailable => status(
                Code::Unavailable,
                Reason::UpstreamUnavailable,
                error.to_string(),
            ),
            StoreError::Stopped => status(Code::Unavailable, Reason::Draining, error.to_string()),
            StoreError::Failed(cause) => {
                tracing::error!(%cause, "the store does not work");
                Self::unavailable("the store does not work: see the log of the inventory")
            }
            StoreError::Corrupt(what) => {
                tracing::error!(what, "the store holds something that cannot be read");
                Self::internal("internal error")
            }
        }
    }
}

impl From<NameError> for Status {
    fn from(error: NameError) -> Self {
        match &error {
            NameError::Unknown => status(
                Code::PermissionDenied,
                Reason::RuntimeUnknown,
                error.to_string(),
            ),
            NameError::Unavailable(_) => status(
                Code::Unavailable,
                Reason::UpstreamUnavailable,
                error.to_string(),
            ),
        }
    }
}

impl From<ListError> for Status {
    fn from(error: ListError) -> Self {
        let text = error.to_string();
        match error {
            ListError::OtherScope | ListError::OtherSort | ListError::Forgotten => {
                status(Code::InvalidArgument, Reason::FieldInvalid, text)
            }
            ListError::TooMany => status(Code::FailedPrecondition, Reason::TooLarge, text),
            ListError::Store(error) => error.into(),
        }
    }
}

impl From<GetError> for Status {
    fn from(error: GetError) -> Self {
        let text = error.to_string();
        match error {
            GetError::Unknown { .. } => status(Code::NotFound, Reason::ApplicationUnknown, text),
            GetError::Ambiguous(_) => status(Code::InvalidArgument, Reason::FieldInvalid, text),
            GetError::Store(error) => error.into(),
        }
    }
}

impl From<ListError> for WatchError {
    fn from(error: ListError) -> Self {
        match error {
            ListError::Store(error) => error.into(),
            ListError::TooMany
            | ListError::OtherScope
            | ListError::OtherSort
            | ListError::Forgotten => Self::TooMany,
        }
    }
}

impl From<ReportersError> for Status {
    fn from(error: ReportersError) -> Self {
        let text = error.to_string();
        match error {
            ReportersError::Unknown(_) => status(Code::NotFound, Reason::RuntimeUnknown, text),
            ReportersError::Store(error) => error.into(),
        }
    }
}

impl From<FindError> for Status {
    fn from(error: FindError) -> Self {
        let text = error.to_string();
        match error {
            FindError::Unknown(_) => status(Code::NotFound, Reason::ResourceUnknown, text),
            FindError::Several(_) => status(Code::InvalidArgument, Reason::FieldInvalid, text),
            FindError::Store(error) => error.into(),
        }
    }
}

impl From<HistoryError> for Status {
    fn from(error: HistoryError) -> Self {
        let text = error.to_string();
        match error {
            HistoryError::Get(error) => error.into(),
            HistoryError::Before { .. } => status(Code::OutOfRange, Reason::HistoryUnknown, text),
            HistoryError::Gone { .. } => status(Code::NotFound, Reason::ApplicationUnknown, text),
            HistoryError::Corrupt => status(Code::DataLoss, Reason::HistoryCorrupt, text),
            HistoryError::Store(error) => error.into(),
        }
    }
}

impl From<WatchError> for Status {
    fn from(error: WatchError) -> Self {
        let text = error.to_string();
        match error {
            WatchError::CursorExpired | WatchError::ScopeChanged => {
                status(Code::OutOfRange, Reason::CursorExpired, text)
            }
            WatchError::Draining => status(Code::Unavailable, Reason::Draining, text),
            WatchError::Slow(_) => status(Code::Unavailable, Reason::Overloaded, text),
            WatchError::TooMany => status(Code::FailedPrecondition, Reason::TooLarge, text),
            WatchError::Broken => Self::internal(text),
            WatchError::Store(error) => error.into(),
        }
    }
}

impl From<SessionError> for Status {
    fn from(error: SessionError) -> Self {
        let text = error.to_string();
        match error {
            SessionError::HelloExpected | SessionError::HelloRepeated | SessionError::Hello(_) => {
                status(Code::InvalidArgument, Reason::FieldInvalid, text)
            }
            SessionError::TooMany(_) | SessionError::Window | SessionError::Memory => {
                status(Code::ResourceExhausted, Reason::Overloaded, text)
            }
            SessionError::Fenced => status(Code::FailedPrecondition, Reason::EpochFenced, text),
            SessionError::Draining => status(Code::Unavailable, Reason::Draining, text),
            SessionError::Silent(_) => Self::deadline_exceeded(text),
            SessionError::Store(error) => error.into(),
        }
    }
}
