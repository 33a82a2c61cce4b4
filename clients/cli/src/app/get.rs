//! `causeway app get`, `app tree` and `app history`: one application.

use causeway_proto::inventory::v1 as pb;

use super::{
    find::{self, NameArgs},
    print, tree, watch,
};
use crate::{
    connection::Connection,
    moment::{Moment, moment},
    output::{self, Format},
};

/// One application, now or at a past time.
#[derive(clap::Args, Debug, Clone)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    name: NameArgs,
    /// Show the state at this time: RFC 3339 or an age such as 2h
    ///
    /// Name a deleted application as RUNTIME/NAMESPACE/NAME.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    at: Option<Moment>,
    /// Show it again after each change
    #[arg(short, long, conflicts_with = "at")]
    watch: bool,
}

pub(super) async fn run(
    connection: &Connection,
    args: &GetArgs,
    format: Format,
) -> anyhow::Result<()> {
    if args.watch {
        let key = find::key(connection, &args.name).await?;
        return watch::watch_one(connection, key, format).await;
    }
    let application = match &args.at {
        Some(Moment(at)) => find::get_at(connection, &args.name, *at).await?,
        None => find::get_one(connection, &args.name).await?,
    };
    output::show(&application, format, |_| {
        print::details(&application).print()
    })
}

/// Returns one application as it is shown to people, with its resources.
pub(crate) async fn details(
    connection: &Connection,
    key: pb::GetApplicationRequest,
) -> anyhow::Result<String> {
    let application = find::get(connection, key).await?;
    let details = print::details(&application).text();
    Ok(format!("{details}\n\n{}", tree::text(&application)))
}

pub(super) async fn tree(
    connection: &Connection,
    args: &NameArgs,
    format: Format,
) -> anyhow::Result<()> {
    let application = find::get_one(connection, args).await?;
    output::show(&application, format, |_| tree::print(&application))
}

pub(super) async fn history(
    connection: &Connection,
    args: &NameArgs,
    format: Format,
) -> anyhow::Result<()> {
    print::history(&find::get_one(connection, args).await?, format)
}
