//! `causeway rollout …`: lists, follows and controls Argo Rollouts.

mod act;
mod print;
mod status;

use causeway_proto::inventory::v1 as pb;

use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{self, ListedOfKindArgs, NameArgs, find, watch},
};

const ROLLOUTS: &str = "rollouts.argoproj.io";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RolloutCommand {
    /// List rollouts
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one rollout with its step, weight, revisions and images
    Get(GetArgs),
    /// Follow an update until it finishes
    ///
    /// Exit code 0 if the last report is Healthy, 3 if Degraded, 5 if neither in time.
    Status(status::StatusArgs),
    /// Promote an update past its current pause or step, or fully
    Promote(act::PromoteArgs),
    /// Pause a rollout
    Pause(act::ActArgs),
    /// Resume a paused rollout
    Resume(act::ActArgs),
    /// Abort an update and return to the stable revision
    Abort(act::ActArgs),
    /// Retry an aborted update
    Retry(act::ActArgs),
    /// Restart all pods of a rollout
    Restart(act::RestartArgs),
    /// Roll back to an earlier revision
    Undo(act::UndoArgs),
    /// Set the image of containers
    SetImage(act::SetImageArgs),
}

/// One rollout.
#[derive(clap::Args, Debug)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show it again after each change
    #[arg(short, long)]
    watch: bool,
}

impl RolloutCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => args.run(connection, ROLLOUTS, format, print::list).await,
            Self::Get(args) if args.watch => follow(connection, &args.name, format).await,
            Self::Get(args) => {
                let found = find::get_one(connection, ROLLOUTS, &args.name, false).await?;
                show(&found.resource.unwrap_or_default(), format)
            }
            Self::Status(args) => status::run(connection, &args, format).await,
            Self::Promote(args) => act::promote(connection, args, format).await,
            Self::Pause(args) => act::pause(connection, args, format).await,
            Self::Resume(args) => act::resume(connection, args, format).await,
            Self::Abort(args) => act::abort(connection, args, format).await,
            Self::Retry(args) => act::retry(connection, args, format).await,
            Self::Restart(args) => act::restart(connection, args, format).await,
            Self::Undo(args) => act::undo(connection, args, format).await,
            Self::SetImage(args) => act::set_image(connection, args, format).await,
        }
    }
}

fn show(resource: &pb::LiveResource, format: Format) -> anyhow::Result<()> {
    match format {
        Format::Table => output::line(print::whole(resource)),
        Format::Json | Format::Yaml => resource::document(resource, format),
    }
}

/// Shows it now and whenever what is shown of it changes.
async fn follow(connection: &Connection, name: &NameArgs, format: Format) -> anyhow::Result<()> {
    let meant = find::resolve(connection, ROLLOUTS, name).await?;
    watch::one(connection, meant, format, print::whole).await
}
