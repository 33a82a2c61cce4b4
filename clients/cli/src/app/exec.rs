//! `causeway app exec`.

use super::{NameArgs, find, resource};
use crate::{
    connection::Connection,
    output::Format,
    resource::{exec::CommandArgs, kind::Reference, live::Place},
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
    let (key, place) = match &args.pod {
        None => (find::key(connection, &args.name).await?, Place::default()),
        Some(reference) => {
            let application = find::one(connection, &args.name).await?;
            let place = resource::place(&application, reference)?;
            (find::key_of(&application), place)
        }
    };
    let place = Place {
        runtime: key.runtime,
        ..place
    };
    let mut request = args.command.to_request(place);
    request.application_namespace = key.namespace;
    request.application = key.name;
    args.command.run(connection, request, format).await
}
