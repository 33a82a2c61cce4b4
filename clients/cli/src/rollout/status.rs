//! `causeway rollout status`: follows an update to its end.

use causeway_proto::inventory::v1 as pb;

use super::print::{self, Rollouts};
use crate::{
    connection::Connection,
    failure::Unsuccessful,
    output::{self, Format},
    resource::{
        NameArgs, ReportedKind as _,
        completion::{self, CompletionKind},
        find,
    },
};

/// A rollout to follow.
#[derive(clap::Args, Debug)]
pub(crate) struct StatusArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Wait until it finishes
    #[arg(short, long, value_name = "BOOL", num_args = 0..=1, default_value_t = true, default_missing_value = "true", action = clap::ArgAction::Set)]
    watch: bool,
    /// Maximum time to wait, for example 5m; 0s waits forever
    #[arg(short, long, value_name = "TIME", default_value = "0s")]
    timeout: humantime::Duration,
}

const KIND: CompletionKind = CompletionKind {
    name: "rollout",
    line,
    phase: |resource| print::phase(resource).0,
    is_end: |phase| matches!(phase, "Healthy" | "Degraded"),
};

/// Exit code 0 for Healthy, 3 for Degraded, 5 for neither in time.
pub(super) async fn run(
    connection: &Connection,
    args: &StatusArgs,
    format: Format,
) -> anyhow::Result<()> {
    let rollout = find::resolve(connection, Rollouts::RESOURCE, &args.name).await?;
    if !args.watch {
        match format {
            Format::Table => output::line(line(&rollout))?,
            Format::Json | Format::Yaml => output::document(&rollout, format)?,
        }
        return check_outcome(&rollout);
    }
    let last = completion::follow(connection, rollout, &KIND, args.timeout, format).await?;
    check_outcome(&last)
}

fn line(resource: &pb::LiveResource) -> String {
    let (phase, message) = print::phase(resource);
    if message.is_empty() {
        phase
    } else {
        format!("{phase} - {message}")
    }
}

fn check_outcome(resource: &pb::LiveResource) -> anyhow::Result<()> {
    match print::phase(resource).0.as_str() {
        "Degraded" => Err(Unsuccessful.into()),
        _ => Ok(()),
    }
}
