//! Requests that change something are known by their ids, so that one whose outcome was lost is sent again without a second effect.

use std::{sync::OnceLock, time::Duration};

use causeway_client::reason;
use causeway_proto::{error::v1::Reason, ids::RequestId};
use tonic::{Code, Status};
use tonic_types::StatusExt as _;
use uuid::Uuid;

/// How long to wait before a request is sent again.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// What finds out how the requests of this process's command ended.
static BEGUN: OnceLock<String> = OnceLock::new();

/// The flag of commands that change something.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct Ids {
    /// The id of this command; the same command with the same id has no second effect
    #[arg(long, value_name = "UUID")]
    request_id: Option<RequestId>,
}

/// The requests of one command, and by which ids they are known.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Requests {
    command: Uuid,
    many: bool,
}

impl Ids {
    /// For a command that is about the one object that it names.
    ///
    /// # Errors
    /// The id cannot be made a UUID.
    pub(crate) fn of_one(self) -> anyhow::Result<Requests> {
        self.requests(false)
    }

    /// For a command that may be about `many`: that selects, or names more than one.
    ///
    /// # Errors
    /// The id cannot be made a UUID.
    pub(crate) fn requests(self, many: bool) -> anyhow::Result<Requests> {
        let id = self.request_id.unwrap_or_else(RequestId::generate);
        let command = Uuid::parse_str(&id.to_string())?;
        let requests = Requests { command, many };
        begin(&requests.again());
        Ok(requests)
    }
}

impl Requests {
    /// The id of the request about the object of this name: the command's own where it is about one. It does not depend on how
    /// many there happen to be, so that the same command has the same ids when there are more or fewer of them.
    pub(crate) fn id_of(self, name: &str) -> String {
        match self.many {
            false => self.command.to_string(),
            true => Uuid::new_v5(&self.command, name.as_bytes()).to_string(),
        }
    }

    /// What finds out how a request ended whose outcome was lost.
    pub(crate) fn again(self) -> String {
        format!("the same command with --request-id {}", self.command)
    }
}

/// Remembers what finds out how the command's requests ended, for one that is given up before it is known.
pub(crate) fn begin(again: &str) {
    BEGUN.get_or_init(|| again.to_owned());
}

/// What finds out how the command's requests ended; nothing where it made none that change something.
pub(crate) fn begun() -> Option<&'static str> {
    BEGUN.get().map(String::as_str)
}

/// Calls until the outcome is known or it has been tried often enough; what is said then names what finds out.
///
/// # Errors
/// The call's own.
pub(crate) async fn send<T>(
    again: &str,
    call: impl AsyncFn() -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    send_after(&PAUSES, again, call).await
}

async fn send_after<T>(
    pauses: &[Duration],
    again: &str,
    call: impl AsyncFn() -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    for pause in pauses {
        match call().await {
            Err(status) if is_open(&status) => tokio::time::sleep(*pause).await,
            known => return Ok(known?.into_inner()),
        }
    }
    match call().await {
        Err(status) if is_open(&status) => Err(told(&status, again).into()),
        known => Ok(known?.into_inner()),
    }
}

/// Whether it may have taken effect, or would have in a moment.
fn is_open(status: &Status) -> bool {
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

fn told(status: &Status, again: &str) -> Status {
    let message = format!(
        "{}; whether it took effect is not known: {again} finds out and has no second effect",
        status.message()
    );
    Status::with_details(status.code(), message, status.details().to_vec().into())
}

#[cfg(test)]
mod tests;
