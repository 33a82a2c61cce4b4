//! Verbs on rollouts, as `kubectl argo rollouts` has them.

use std::time::Duration;

use anyhow::Context as _;
use causeway_proto::{inventory::v1::LiveResource, proxy::v1 as pb};

use super::print::Rollouts;
use crate::{
    connection::Connection,
    output::{self, Format},
    request::{self, RequestIdArgs, Requests},
    resource::{NameArgs, ReportedKind as _, find},
};

/// One rollout to act on.
#[derive(clap::Args, Debug)]
pub(crate) struct ActArgs {
    #[command(flatten)]
    name: NameArgs,
    #[command(flatten)]
    ids: RequestIdArgs,
}

/// A rollout to promote.
#[derive(clap::Args, Debug)]
pub(crate) struct PromoteArgs {
    #[command(flatten)]
    pub(super) act: ActArgs,
    /// Promote fully, skipping analyses, pauses and steps
    #[arg(long)]
    pub(super) full: bool,
}

/// A rollout to restart.
#[derive(clap::Args, Debug)]
pub(crate) struct RestartArgs {
    #[command(flatten)]
    pub(super) act: ActArgs,
    /// Delay before the restart, for example 10m
    #[arg(short, long, value_name = "TIME")]
    pub(super) r#in: Option<humantime::Duration>,
}

/// A rollout to take back.
#[derive(clap::Args, Debug)]
pub(crate) struct UndoArgs {
    #[command(flatten)]
    pub(super) act: ActArgs,
    /// Revision to roll back to; by default the one before the newest
    #[arg(
        long,
        value_name = "NUMBER",
        default_value = "0",
        hide_default_value = true
    )]
    pub(super) to_revision: u64,
}

/// An image to change.
#[derive(clap::Args, Debug)]
pub(crate) struct SetImageArgs {
    #[command(flatten)]
    pub(super) act: ActArgs,
    /// Container and image; '*' for all containers
    #[arg(value_name = "CONTAINER=IMAGE", value_parser = parse_image)]
    pub(super) image: (String, String),
}

/// What is done to a rollout.
#[derive(Debug, Clone)]
pub(super) enum Action {
    Promote { full: bool },
    Pause,
    Resume,
    Abort,
    Retry,
    Restart { delay: Option<Duration> },
    Undo { revision: u64 },
    SetImage { container: String, image: String },
}

pub(super) async fn run(
    connection: &Connection,
    args: &ActArgs,
    action: Action,
    format: Format,
) -> anyhow::Result<()> {
    let rollout = find::resolve(connection, Rollouts::RESOURCE, &args.name).await?;
    let requests = args.ids.for_one()?;
    let done = action.done();
    let outcome = send(connection, action, &rollout, requests).await?;
    if format != Format::Table {
        return output::document(&outcome, format);
    }
    let name = &rollout.name;
    match (outcome.unchanged, outcome.repeated_request) {
        (true, _) => output::line(format!("rollout '{name}' is so already"))?,
        (false, true) => output::line(format!(
            "rollout '{name}' {done} by an earlier request {}",
            requests.request_id(name)
        ))?,
        (false, false) => output::line(format!("rollout '{name}' {done}"))?,
    }
    if !outcome.note.is_empty() {
        output::note(outcome.note);
    }
    Ok(())
}

impl Action {
    fn done(&self) -> String {
        match self {
            Self::Promote { full: true } => "fully promoted".to_owned(),
            Self::Promote { full: false } => "promoted".to_owned(),
            Self::Pause => "paused".to_owned(),
            Self::Resume => "resumed".to_owned(),
            Self::Abort => "aborted".to_owned(),
            Self::Retry => "retried".to_owned(),
            Self::Restart { delay } => {
                let delay = delay.unwrap_or_default();
                format!("restarts in {}", humantime::format_duration(delay))
            }
            Self::Undo { .. } => "undone".to_owned(),
            Self::SetImage { .. } => "given the image".to_owned(),
        }
    }
}

/// Sends a request about a rollout and returns its outcome.
macro_rules! call {
    ($connection:ident.$call:ident($request:ident { $($field:ident),* }) of $rollout:ident by $requests:ident) => {{
        let request = pb::$request {
            runtime: $rollout.runtime.clone(),
            namespace: $rollout.namespace.clone(),
            name: $rollout.name.clone(),
            request_id: $requests.request_id(&$rollout.name),
            $($field),*
        };
        let call = async || $connection.rollout_actions().$call(request.clone()).await;
        request::send(&$requests.retry_command(), call).await?.outcome
    }};
}

async fn send(
    connection: &Connection,
    action: Action,
    rollout: &LiveResource,
    requests: Requests,
) -> anyhow::Result<pb::RolloutOutcome> {
    let outcome = match action {
        Action::Promote { full } => {
            call!(connection.promote_rollout(PromoteRolloutRequest { full }) of rollout by requests)
        }
        Action::Pause => {
            call!(connection.pause_rollout(PauseRolloutRequest {}) of rollout by requests)
        }
        Action::Resume => {
            call!(connection.resume_rollout(ResumeRolloutRequest {}) of rollout by requests)
        }
        Action::Abort => {
            call!(connection.abort_rollout(AbortRolloutRequest {}) of rollout by requests)
        }
        Action::Retry => {
            call!(connection.retry_rollout(RetryRolloutRequest {}) of rollout by requests)
        }
        Action::Restart { delay } => {
            let delay = delay.map(prost_types::Duration::try_from).transpose();
            let delay = delay.context("--in is too long")?;
            call!(connection.restart_rollout(RestartRolloutRequest { delay }) of rollout by requests)
        }
        Action::Undo { revision } => {
            call!(connection.undo_rollout(UndoRolloutRequest { revision }) of rollout by requests)
        }
        Action::SetImage { container, image } => {
            call!(connection.set_rollout_image(SetRolloutImageRequest { container, image }) of rollout by requests)
        }
    };
    outcome.context("the runtime answered without an outcome: is it of another version?")
}

fn parse_image(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((container, image)) if !container.is_empty() && !image.is_empty() => {
            Ok((container.to_owned(), image.to_owned()))
        }
        _ => Err("write CONTAINER=IMAGE, for example main=registry.example/shop:1.2".to_owned()),
    }
}
