//! `causeway rollout …`: lists, follows and controls Argo Rollouts.

mod act;
mod print;
mod status;

use self::{act::Action, print::Rollouts};
use crate::{
    connection::Connection,
    output::Format,
    resource::{GetOfKindArgs, ListedOfKindArgs},
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RolloutCommand {
    /// List rollouts
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one rollout with its step, weight, revisions and images
    Get(GetOfKindArgs),
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

impl RolloutCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => args.run::<Rollouts>(connection, format).await,
            Self::Get(args) => args.run::<Rollouts>(connection, format).await,
            Self::Status(args) => status::run(connection, &args, format).await,
            Self::Promote(args) => {
                let action = Action::Promote { full: args.full };
                act::run(connection, &args.act, action, format).await
            }
            Self::Pause(args) => act::run(connection, &args, Action::Pause, format).await,
            Self::Resume(args) => act::run(connection, &args, Action::Resume, format).await,
            Self::Abort(args) => act::run(connection, &args, Action::Abort, format).await,
            Self::Retry(args) => act::run(connection, &args, Action::Retry, format).await,
            Self::Restart(args) => {
                let delay = args.r#in.map(Into::into);
                act::run(connection, &args.act, Action::Restart { delay }, format).await
            }
            Self::Undo(args) => {
                let revision = args.to_revision;
                act::run(connection, &args.act, Action::Undo { revision }, format).await
            }
            Self::SetImage(args) => {
                let (container, image) = args.image;
                let action = Action::SetImage { container, image };
                act::run(connection, &args.act, action, format).await
            }
        }
    }
}
