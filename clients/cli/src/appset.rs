//! `causeway appset …`: ApplicationSets and the applications that they generate.

mod generated;
mod print;

use serde_json::json;

use self::print::ApplicationSets;
use crate::{
    connection::Connection,
    output::{self, Format},
    resource::{ListedOfKindArgs, NameArgs, describe_one},
};

#[derive(clap::Subcommand, Debug)]
pub(crate) enum AppsetCommand {
    /// List application sets
    #[command(visible_alias = "ls")]
    List(Box<ListedOfKindArgs>),
    /// Show one ApplicationSet, its generators, conditions and applications
    Get(NameArgs),
}

impl AppsetCommand {
    pub(crate) async fn run(self, connection: &Connection, format: Format) -> anyhow::Result<()> {
        match self {
            Self::List(args) => {
                args.run_described::<ApplicationSets>(connection, format)
                    .await
            }
            Self::Get(args) => get(connection, &args, format).await,
        }
    }
}

async fn get(connection: &Connection, args: &NameArgs, format: Format) -> anyhow::Result<()> {
    let set = describe_one::<ApplicationSets>(connection, args).await?;
    let generated = generated::list(connection, &set).await?;
    if format == Format::Table {
        return output::line(print::details(&set, &generated));
    }
    let applications = generated.iter().map(|it| match &it.application {
        Some(application) => output::to_json(application),
        None => Ok(json!({"namespace": it.namespace, "name": it.name})),
    });
    let applications: Vec<_> = applications.collect::<anyhow::Result<_>>()?;
    let resource = output::to_json(&set.resource)?;
    let whole = json!({
        "resource": resource,
        "manifest": set.manifest,
        "applications": applications,
    });
    output::value(&whole, format)
}
