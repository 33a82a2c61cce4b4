//! `causeway app exec`.

use super::{
    find::{self, NameArgs},
    resource,
};
use crate::{
    connection::Connection,
    output::Format,
    resource::{exec::CommandArgs, kind::Reference, location::ResourceLocation},
};

#[derive(clap::Args, Debug, Clone)]
pub(crate) struct ExecArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Pod name or KIND/NAME, for example deploy/web
    ///
    /// By default the first running pod by name.
    #[arg(long, value_name = "RESOURCE", visible_alias = "resource")]
    pod: Option<Reference>,
    #[command(flatten)]
    command: CommandArgs,
}

pub(super) async fn run(
    connection: &Connection,
    args: &ExecArgs,
    format: Format,
) -> anyhow::Result<()> {
    let (key, location) = match &args.pod {
        None => (
            find::key(connection, &args.name).await?,
            ResourceLocation::default(),
        ),
        Some(reference) => {
            let application = find::get_one(connection, &args.name).await?;
            let location = resource::location(&application, reference)?;
            (find::key_of(&application), location)
        }
    };
    let location = ResourceLocation {
        runtime: key.runtime,
        ..location
    };
    let mut request = args.command.to_request(location);
    request.application_namespace = key.namespace;
    request.application = key.name;
    args.command.run(connection, request, format).await
}
