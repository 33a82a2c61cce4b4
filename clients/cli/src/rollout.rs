//! `causeway rollout …`: where rollouts stand.

mod print;

use causeway_proto::inventory::v1::{self as pb, watch_resources_response::Event};

use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{self, FilterArgs, NameArgs, find, watch},
};

const ROLLOUTS: &str = "rollouts.argoproj.io";

#[derive(clap::Subcommand, Debug)]
pub(crate) enum RolloutCommand {
    /// List rollouts
    #[command(visible_alias = "ls")]
    List(Box<FilterArgs>),
    /// Show one rollout: its step, its weight and its revisions with their images
    Get(GetArgs),
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
            Self::List(args) => {
                let found = find::all(connection, args.to_filter(ROLLOUTS, "")).await?;
                resource::list(found, format, print::list)
            }
            Self::Get(args) if args.watch => follow(connection, &args.name, format).await,
            Self::Get(args) => {
                let found = find::one(connection, ROLLOUTS, &args.name, false).await?;
                show(&found.resource.unwrap_or_default(), format)
            }
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
    let filter = find::exactly(meant);
    let mut shown = String::new();
    let view = pb::ResourceView::Full;
    watch::follow(connection, filter, view, |response| match &response.event {
        Some(Event::Updated(resource)) if format == Format::Table => {
            let text = print::whole(resource);
            if text == shown {
                return Ok(());
            }
            shown.clone_from(&text);
            output::line(text)?;
            output::line("")
        }
        Some(Event::Updated(resource)) => resource::document(resource, format),
        Some(Event::Deleted(_)) => {
            shown.clear();
            output::note("the rollout is gone");
            Ok(())
        }
        Some(Event::Bookmark(_)) | None => Ok(()),
    })
    .await
}
