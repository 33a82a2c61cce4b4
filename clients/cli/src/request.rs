//! Request IDs and retries: a request with the same ID has no second effect.

use std::{sync::OnceLock, time::Duration};

use causeway_client::reason;
use causeway_proto::{error::v1::Reason, ids::RequestId};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;

/// Delays before retries of a request.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// Command line that finds out how this process's requests ended.
static RETRY_COMMAND: OnceLock<String> = OnceLock::new();

/// The flag of commands that change state.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct RequestIdArgs {
    /// The id of this command; the same command with the same id has no second effect
    #[arg(long, value_name = "UUID")]
    request_id: Option<RequestId>,
}

/// Derives the IDs of one command's requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requests {
    command: Uuid,
    many: bool,
}

impl RequestIdArgs {
    /// For a command on the one object that it names.
    ///
    /// # Errors
    /// The id cannot be made a UUID.
    pub(crate) fn for_one(self) -> anyhow::Result<Requests> {
        self.for_many(false)
    }

    /// For a command that selects objects, or names more than one (`many`).
    ///
    /// # Errors
    /// The id cannot be made a UUID.
    pub(crate) fn for_many(self, many: bool) -> anyhow::Result<Requests> {
        let id = self.request_id.unwrap_or_else(RequestId::generate);
        let command = Uuid::parse_str(&id.to_string())?;
        let requests = Requests { command, many };
        set_retry_command(&requests.retry_command());
        Ok(requests)
    }
}

impl Requests {
    /// Returns the ID of the request about an object: the command's own for one object. It is independent of
    /// the number of objects, so that a repeated command has the same IDs for more or fewer objects.
    pub(crate) fn request_id(self, name: &str) -> String {
        if self.many {
            Uuid::new_v5(&self.command, name.as_bytes()).to_string()
        } else {
            self.command.to_string()
        }
    }

    /// Returns the command that finds out how a request ended.
    pub(crate) fn retry_command(self) -> String {
        format!("the same command with --request-id {}", self.command)
    }
}

/// Stores the command that finds out how this process's requests ended, for messages after a timeout.
pub(crate) fn set_retry_command(retry_command: &str) {
    RETRY_COMMAND.get_or_init(|| retry_command.to_owned());
}

/// Returns the command that finds out how this process's requests ended, if it made any.
pub(crate) fn retry_command() -> Option<&'static str> {
    RETRY_COMMAND.get().map(String::as_str)
}

/// Retries a call until its outcome is known. The error after the last retry names `retry_command`.
///
/// # Errors
/// The call's own.
pub(crate) async fn send<T>(
    retry_command: &str,
    call: impl AsyncFn() -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    send_after(&PAUSES, Some(retry_command), call).await
}

/// Makes a change whose request carries a generated id. A retry has the same id, so that it has no second effect.
///
/// # Errors
/// The call's own.
pub(crate) async fn change<R: Clone, T>(
    request: R,
    call: impl AsyncFn(R) -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    send_after(&PAUSES, None, async || call(request.clone()).await).await
}

async fn send_after<T>(
    pauses: &[Duration],
    retry_command: Option<&str>,
    call: impl AsyncFn() -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    // The request keeps its ID, so that a retry cannot take effect twice.
    for pause in pauses {
        match call().await {
            Err(status) if is_lost(&status) => tokio::time::sleep(*pause).await,
            known => return Ok(known?.into_inner()),
        }
    }
    match call().await {
        Err(status) if may_have_taken_effect(&status) => {
            Err(with_retry_command(&status, retry_command).into())
        }
        known => Ok(known?.into_inner()),
    }
}

/// True if a part was lost before or after it received the request: a retry finds it again.
fn is_lost(status: &Status) -> bool {
    may_have_taken_effect(status) || reason(status) == Some(Reason::UpstreamUnavailable)
}

/// True if the request may have taken effect, or may on a retry.
fn may_have_taken_effect(status: &Status) -> bool {
    match reason(status) {
        Some(Reason::TunnelLost | Reason::OutcomeUnknown | Reason::Draining) => true,
        Some(Reason::UpstreamUnavailable) => status.get_details_error_info().is_some_and(|info| {
            info.metadata
                .get("outcome")
                .is_some_and(|it| it == "unknown")
        }),
        Some(_) => false,
        None => matches!(
            status.code(),
            Code::Unavailable | Code::DeadlineExceeded | Code::Unknown
        ),
    }
}

fn with_retry_command(status: &Status, retry_command: Option<&str>) -> Status {
    let next = retry_command.map_or_else(String::new, |command| {
        format!(": {command} finds out and has no second effect")
    });
    let message = format!(
        "{}; whether it took effect is not known{next}",
        status.message()
    );
    Status::with_details(status.code(), message, status.details().to_vec().into())
}

#[cfg(test)]
mod tests;
