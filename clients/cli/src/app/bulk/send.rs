//! Requests that change something are known by their ids, so that one whose outcome was lost is sent again without a second effect.

use std::time::Duration;

use anyhow::bail;
use causeway_client::reason;
use causeway_proto::{error::v1::Reason, ids::RequestId, inventory::v1 as pb};
use tonic::{Code, Status};
use uuid::Uuid;

use crate::app::find;

/// How long to wait before a request is sent again.
const PAUSES: [Duration; 3] = [
    Duration::from_millis(200),
    Duration::from_secs(1),
    Duration::from_secs(3),
];

/// The flag of commands that change something.
#[derive(clap::Args, Debug, Clone, Copy)]
pub(crate) struct Ids {
    /// The id of this command; the same id again has no second effect. Each of several applications has an id of its own by it
    #[arg(long, value_name = "UUID")]
    request_id: Option<RequestId>,
}

impl Ids {
    /// The same for the whole command.
    ///
    /// # Errors
    /// It cannot be made an id.
    pub(crate) fn of_command(self) -> anyhow::Result<Uuid> {
        let id = self.request_id.unwrap_or_else(RequestId::generate);
        Ok(Uuid::parse_str(&id.to_string())?)
    }
}

/// The id for one application of a command, the same whenever the command's is: its own where it is the only one.
pub(crate) fn id_for(command: Uuid, target: &pb::Application, number_of_targets: usize) -> String {
    match number_of_targets {
        1 => command.to_string(),
        _ => Uuid::new_v5(&command, find::full_name(target).as_bytes()).to_string(),
    }
}

/// Calls until the outcome is known or it has been tried often enough; what is said then names the id.
///
/// # Errors
/// The call's own.
pub(crate) async fn send<T>(
    id: &str,
    call: impl AsyncFn() -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    send_after(&PAUSES, id, call).await
}

async fn send_after<T>(
    pauses: &[Duration],
    id: &str,
    call: impl AsyncFn() -> Result<tonic::Response<T>, Status>,
) -> anyhow::Result<T> {
    for pause in pauses {
        match call().await {
            Ok(answer) => return Ok(answer.into_inner()),
            Err(status) if is_open(&status) => tokio::time::sleep(*pause).await,
            Err(status) => return Err(status.into()),
        }
    }
    match call().await {
        Ok(answer) => Ok(answer.into_inner()),
        Err(status) if is_open(&status) => Err(with_id(&status, id).into()),
        Err(status) => bail!(status),
    }
}

/// Whether it may have taken effect, or would have in a moment.
fn is_open(status: &Status) -> bool {
    match reason(status) {
        Some(Reason::TunnelLost | Reason::OutcomeUnknown | Reason::Draining) => true,
        Some(_) => false,
        None => matches!(
            status.code(),
            Code::Unavailable | Code::DeadlineExceeded | Code::Unknown
        ),
    }
}

fn with_id(status: &Status, id: &str) -> Status {
    let message = format!(
        "{}; whether it took effect is not known: the same command with --request-id {id} finds out and has no second effect",
        status.message()
    );
    Status::with_details(status.code(), message, status.details().to_vec().into())
}

#[cfg(test)]
mod tests;
