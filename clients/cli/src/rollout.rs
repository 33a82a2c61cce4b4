//! `causeway rollout …`: where rollouts stand, and what is done with them.

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
    /// Show one rollout: its step, its weight and its revisions with their images
    Get(GetArgs),
    /// Follow an update to its end as it is reported; exit code 0 where Healthy was reported last, 3 for Degraded, 5 for neither in time
    Status(status::StatusArgs),
    /// Let an update go on past the pause or the step that it is at, or to its end
    Promote(act::PromoteArgs),
    /// Make a rollout stay where it is
    Pause(act::ActArgs),
    /// Take away what a rollout is paused by
    Resume(act::ActArgs),
    /// Give an update up: the stable revision serves everybody again
    Abort(act::ActArgs),
    /// Begin an aborted update again
    Retry(act::ActArgs),
    /// Replace all pods by new ones of the same template
    Restart(act::RestartArgs),
    /// Go back to the template of an earlier revision
    Undo(act::UndoArgs),
    /// Change the image of containers
    SetImage(act::SetImageArgs),
}

/// One rollout.
#[derive(clap::Args, Debug)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show it again whenever it changes
    #[arg(short, long)]
    watch: bool,
}

impl RolloutCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => args.run(connection, ROLLOUTS, format, print::list).await,
            Self::Get(args) if args.watch => follow(connection, &args.name, format).await,
            Self::Get(args) => {
                let found = find::one(connection, ROLLOUTS, &args.name, false).await?;
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
    let meant = find::meant(connection, ROLLOUTS, name).await?;
    watch::one(connection, meant, format, print::whole).await
}
