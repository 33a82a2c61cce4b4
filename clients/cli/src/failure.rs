//! An error as one line for a person, and the exit code for a script.

use std::process::ExitCode;

use causeway_client::reason;
use causeway_proto::error::v1::Reason;
use tonic::{Code, Status};

use crate::{connection::SignedOut, flags::TimedOut, output, prompt::Unconfirmed};

/// The command did what was asked, and the answer is no: a failed sync, an unhealthy part, a difference. The text has been
/// printed.
#[derive(Debug, thiserror::Error)]
#[error("the answer is no")]
pub(crate) struct Unsuccessful;

/// A question was answered with no. The answer has been printed.
#[derive(Debug, thiserror::Error)]
#[error("no")]
pub(crate) struct No;

/// What `causeway app wait` waited for did not come, for the reason that stands behind it.
#[derive(Debug, thiserror::Error)]
#[error("not as wanted")]
pub(crate) struct ConditionUnmet;

/// A command that was run elsewhere ended with this exit code. Whatever it had to say has been printed.
#[derive(Debug, thiserror::Error)]
#[error("exit code {0}")]
pub(crate) struct Exited(u8);

impl Exited {
    /// With a code that is none of success.
    pub(crate) fn with(code: i32) -> Self {
        Self(u8::try_from(code).unwrap_or(u8::MAX).max(1))
    }
}

/// What was named is not there, or not for the user to see.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Absent(pub(crate) String);

/// Waiting took longer than the user allowed.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct WaitTimeout(pub(crate) String);

/// True if all that there is to say has been printed.
pub(crate) fn is_reported(error: &anyhow::Error) -> bool {
    error.is::<Unsuccessful>() || error.is::<No>() || error.is::<Exited>()
}

/// Exit codes, stable for scripts: 1 failed, or no to a question, 2 wrong usage, 3 the answer is no, 4 not there or not allowed, 5 try again later,
/// and 20 where `app wait` did not see what it waited for, which is what `argocd app wait` ends with.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<ConditionUnmet>() {
        return ExitCode::from(20);
    }
    if error.is::<Unsuccessful>() {
        return ExitCode::from(3);
    }
    if let Some(Exited(code)) = error.downcast_ref() {
        return ExitCode::from(*code);
    }
    if error.is::<Unconfirmed>() {
        return ExitCode::from(2);
    }
    if error.is::<SignedOut>() || error.is::<Absent>() {
        return ExitCode::from(4);
    }
    if error.is::<TimedOut>() || error.is::<WaitTimeout>() {
        return ExitCode::from(5);
    }
    let status = error
        .chain()
        .find_map(|cause| cause.downcast_ref::<Status>());
    ExitCode::from(match status.map(|status| (status, status.code())) {
        Some((_, Code::NotFound | Code::PermissionDenied | Code::Unauthenticated)) => 4,
        Some((status, _)) if is_temporary(status) => 5,
        _ => 1,
    })
}

/// True if the same command may succeed later without a change of its own. A quota or a size is no such limit.
fn is_temporary(status: &Status) -> bool {
    let reason = reason(status);
    match status.code() {
        Code::ResourceExhausted => {
            matches!(reason, Some(Reason::Overloaded | Reason::Throttled))
        }
        Code::Unavailable | Code::Aborted | Code::DeadlineExceeded => {
            reason != Some(Reason::TooLarge)
        }
        Code::Ok
        | Code::Cancelled
        | Code::Unknown
        | Code::InvalidArgument
        | Code::NotFound
        | Code::AlreadyExists
        | Code::PermissionDenied
        | Code::FailedPrecondition
        | Code::OutOfRange
        | Code::Unimplemented
        | Code::Internal
        | Code::DataLoss
        | Code::Unauthenticated => false,
    }
}

/// The error as one line.
pub(crate) fn line(error: &anyhow::Error, address: &str) -> String {
    match error
        .chain()
        .find_map(|cause| cause.downcast_ref::<Status>())
    {
        Some(status) => status_line(status, address),
        None => output::clean(&format!("{error:#}")).into_owned(),
    }
}

fn status_line(status: &Status, address: &str) -> String {
    let message = one_line(status.message());
    let advice = match (reason(status), status.code()) {
        (Some(Reason::RuntimeNotConnected), _) => "; see 'causeway runtime list'".to_owned(),
        (Some(Reason::TunnelLost), _) if !message.contains("--request-id") => {
            "; whether it took effect is not known: look with 'causeway app get'".to_owned()
        }
        (None, Code::Unavailable) => format!("; does the platform run at {address}?"),
        _ => String::new(),
    };
    format!("{message}{advice}")
}

fn one_line(text: &str) -> String {
    let text = output::clean(text);
    let line = text
        .chars()
        .map(|it| if it.is_control() { ' ' } else { it });
    line.take(1_000).collect()
}

#[cfg(test)]
mod tests;
